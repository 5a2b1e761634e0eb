// SPDX-License-Identifier: BSD-3-Clause
// The default solver beside its members, each by itself, on planted and jammed problems
// (tests/support/hard_problems.h) and on piles (tests/support/pile_problems.h):
//   auto_bench FIRST LAST [SOLVER ...]
//   auto_bench piles [SOLVER ...]
// Of each of these seeds the planted problem, and up to 40 of the jammed ones, at 1e-8; of each pile the next step with
// fewer and more gaps closed, under both laws, at 1e-2, 1e-4 and 1e-6; from no percussions. A solver has 1e5 iterations
// and 2 s of CPU time, in piles 10 s, `auto` three times as long and 10 ms; without names all that are its members. CSV
// on the standard output: problem, contacts, law, tolerance, solver, solved or not, iterations, CPU seconds (the least
// of several below 50 ms), residual, method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/hard_problems.h"
#include "tests/support/pile_problems.h"

namespace stickslip {
namespace {

constexpr unsigned kJammed = 40;

/// What is asked of a solver, and what it has for that.
struct Asked {
  double tolerance;   // [-]
  double time_limit;  // [s] of CPU time
};

void measure(const std::string& name, const ConeProblem& problem, const std::string& solver, const Asked& asked) {
  SolverOptions options = make_solver_options(solver);
  StopOptions& stop = stop_options(options);
  stop.tolerance = asked.tolerance;
  stop.max_iterations = 100000;
  stop.time_limit = solver == "auto" ? 3.0 * asked.time_limit + 0.01 : asked.time_limit;
  double least = HUGE_VAL;
  SolveReport report;
  for (double all = 0.0; all < 0.05; all += least) {
    const auto method = make_solver(options);
    if (method->refuses(problem)) return;
    ConeSolution solution;
    solution.p.assign(problem.b.size(), 0.0);
    const double start = thread_cpu_seconds();
    report = method->solve(problem, solution);
    least = std::min(least, std::max(1e-5, thread_cpu_seconds() - start));
  }
  const bool is_exact = problem.law == FrictionLaw::coulomb;
  fmt::print("{},{},{},{:g},{},{},{},{:.3e},{:.2e},{}\n", name, problem.n_cones(), is_exact ? "exact" : "associated",
             asked.tolerance, solver, report.status == Status::ok ? 1 : 0, report.iterations, least,
             report.residual.relative, report.method);
  std::fflush(stdout);
}

void measure_piles(const std::vector<std::string>& solvers) {
  for (const std::string name : {"poured_385", "poured_457", "settled_1000"}) {
    for (const double near : {1e-7, 1e-6, 1e-5}) {
      for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
        const ConeProblem problem = test::make_pile(name, near, law);
        for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
          for (const std::string& solver : solvers) measure(name, problem, solver, {tolerance, 10.0});
        }
      }
    }
  }
}

void measure_seeds(unsigned first, unsigned last, const std::vector<std::string>& solvers) {
  constexpr Asked kAsked = {1e-8, 2.0};
  for (unsigned seed = first; seed <= last; ++seed) {
    for (const std::string& solver : solvers) {
      measure(fmt::format("plant:{}", seed), test::plant_any(seed), solver, kAsked);
      if (seed <= kJammed) measure(fmt::format("jam:{}", seed), test::jam(seed), solver, kAsked);
    }
  }
}

int run(const std::vector<std::string>& arguments) {
  const bool piles = !arguments.empty() && arguments[0] == "piles";
  const std::size_t n_own = piles ? 1 : 2;
  if (arguments.size() < n_own) return 2;
  std::vector<std::string> solvers(arguments.begin() + static_cast<std::ptrdiff_t>(n_own), arguments.end());
  if (solvers.empty()) solvers = {"auto", "prox", "ipm", "newton-fb", "apgd", "spg", "nsgs", "de-saxce", "admm"};
  if (piles) {
    measure_piles(solvers);
  } else {
    measure_seeds(static_cast<unsigned>(std::stoi(arguments[0])), static_cast<unsigned>(std::stoi(arguments[1])),
                  solvers);
  }
  return 0;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  return stickslip::run({argv + 1, argv + argc});
}
