// SPDX-License-Identifier: BSD-3-Clause
// The default solver beside its members, each by itself, on planted and jammed problems
// (tests/support/hard_problems.h):
//   auto_bench FIRST LAST [SOLVER ...]
// Of each of these seeds the planted problem, and up to 40 of the jammed ones, at 1e-8 from no percussions. A solver
// has 1e5 iterations and 2 s of CPU time, `auto` 3 s; without names all that are its members. CSV on the standard
// output: problem, contacts, law, solver, solved or not, iterations, CPU seconds (the least of several below 50 ms),
// residual.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/hard_problems.h"

namespace stickslip {
namespace {

constexpr double kTolerance = 1e-8;
constexpr unsigned kJammed = 40;

void measure(const std::string& name, const ConeProblem& problem, const std::string& solver) {
  SolverOptions options = make_solver_options(solver);
  StopOptions& stop = stop_options(options);
  stop.tolerance = kTolerance;
  stop.max_iterations = 100000;
  stop.time_limit = solver == "auto" ? 3.0 : 2.0;
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
  fmt::print("{},{},{},{},{},{},{:.3e},{:.2e},{}\n", name, problem.n_cones(), is_exact ? "exact" : "associated", solver,
             report.status == Status::ok ? 1 : 0, report.iterations, least, report.residual.relative, report.method);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto first = static_cast<unsigned>(std::atoi(argv[1]));
  const auto last = static_cast<unsigned>(std::atoi(argv[2]));
  std::vector<std::string> solvers(argv + 3, argv + argc);
  if (solvers.empty()) solvers = {"auto", "prox", "ipm", "newton-fb", "apgd", "spg", "nsgs", "de-saxce", "admm"};
  for (unsigned seed = first; seed <= last; ++seed) {
    for (const std::string& solver : solvers) {
      measure(fmt::format("plant:{}", seed), test::plant_any(seed), solver);
      if (seed <= kJammed) measure(fmt::format("jam:{}", seed), test::jam(seed), solver);
    }
  }
  return 0;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  return stickslip::run(argc, argv);
}
