// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/solve_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/base/json.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/cone/infeasibility.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/deadline.h"

namespace stickslip {
namespace {

double calc_norm(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// Normal and free rows up to which a proof is looked for that there is no solution: dense, some seconds at most.
constexpr int kMostRowsOfAProof = 1000;

/// The measures of percussions p; u (n) [m/s] becomes W p + b. Returns whether they are within the tolerance.
bool judge(const OneStepProblem& problem, std::span<const double> p, Tolerance tolerance, std::vector<double>& u,
           ProblemReport& report) {
  const ConeProblem& cones = problem.cones;
  u.resize(p.size());
  cones.apply_delassus(p, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += cones.b[i];
  const Residual residual = calc_residual(cones, cones.law, p, u, cones.calc_residual_scale());
  report.residual = residual.absolute;
  report.relative_residual = residual.relative;
  report.missed = residual.missed;
  const double error = calc_residual(cones, cones.law, p, u, 1.0).absolute;
  const double size = std::max({calc_norm(cones.b), calc_norm(p), calc_norm(u)});
  report.siconos_error = size > 0.0 ? error / size : error;
  return residual.is_within(tolerance);
}

/// Looks for a proof in what is left of the time, and solves the nearest problem in what is left then. Returns whether
/// the solution is within the tolerance now.
bool look_for_infeasibility(const OneStepProblem& problem, SolverOptions options, ForceChoice forces,
                            const Deadline& deadline, ConeSolution& solution, ProblemReport& report) {
  const std::optional<Infeasibility> found = find_infeasibility(
      problem.cones, kMostRowsOfAProof, [&deadline] { return deadline.passed(); }, deadline.stop());
  if (!found || is_contradicted(*found, problem.cones, solution.p, solution.u)) return false;
  report.violation = found->violation;
  report.bound = found->bound;
  OneStepProblem shifted = problem;
  shift_velocities(*found, shifted.cones.b);
  ConeSolution answer{std::vector<double>(problem.cones.size(), 0.0), {}};
  std::visit([&deadline](auto& chosen) { chosen.time_limit = deadline.calc_remaining(); }, options);
  const SolveReport solved = make_solver(options, forces)->solve(shifted.cones, answer);
  ProblemReport judged = report;
  const bool is_ok = judge(problem, answer.p, {.relative = stop_options(options).tolerance}, answer.u, judged);
  // Where percussions are beyond the proof's bound, round-off hides what they miss.
  const bool is_better = judged.residual < report.residual || calc_norm(solution.p) >= found->bound;
  if (solved.status == Status::failed || !is_better) return false;
  report = judged;
  solution = answer;
  return is_ok;
}

}  // namespace

ProblemReport solve_problem(const OneStepProblem& problem, const std::string& name, const SolverOptions& options,
                            ForceChoice forces, ConeSolution& solution, std::span<const double> first_guess) {
  const std::unique_ptr<ConeSolver> solver = make_solver(options, forces);
  const Tolerance tolerance = {.relative = stop_options(options).tolerance};
  const Deadline deadline(stop_options(options).time_limit, stop_options(options).stop);
  const double start = thread_cpu_seconds();
  ProblemReport report;
  report.problem = name;
  report.contacts = problem.n_contacts();
  report.isa = choose_instruction_set();
  report.threads = ThreadTeam::count_current();
  report.solver = solver->name();
  report.law = problem.cones.law;
  report.stretches = static_cast<int>(problem.cones.stretches.size());
  solution.p.assign(problem.cones.size(), 0.0);
  std::ranges::copy(first_guess, solution.p.begin());
  if (const std::optional<std::string> reason = solver->refuses(problem.cones)) {
    report.status = "refused";
    report.message = *reason;
  } else {
    const SolveReport solved = solver->solve(problem.cones, tolerance, solution);
    report.cpu_seconds = thread_cpu_seconds() - start;
    report.iterations = solved.iterations;
    report.message = solved.message;
    report.method = solved.method;
    report.violation = solved.violation;
    report.bound = solved.bound;
    if (forces == ForceChoice::least_norm) report.forces = solved.determinacy;
    report.status = solved.status == Status::failed ? "failed" : "";
  }
  bool is_ok = judge(problem, solution.p, tolerance, solution.u, report);
  if (!is_ok && report.status.empty() && report.violation == 0.0) {
    const double began = thread_cpu_seconds();
    is_ok = look_for_infeasibility(problem, options, forces, deadline, solution, report);
    report.cpu_seconds += thread_cpu_seconds() - began;
  }
  if (!is_ok && report.violation > 0.0) {
    const std::string below = std::isfinite(report.bound) ? fmt::format(" below {:.3g}", report.bound) : "";
    report.message = fmt::format(
        "no solution exists: velocities miss what contacts and joints need by {:.3g} at least, whatever "
        "percussions{} act",
        report.violation, below);
  }
  if (report.status.empty()) report.status = is_ok ? "ok" : "inexact";
  if (report.status == "inexact" && report.message.empty() && report.relative_residual <= tolerance.relative) {
    report.message = fmt::format("velocities miss what contacts and joints need by {:.3g}", report.missed);
  }
  return report;
}

const char* determined_name(Determined determined) {
  constexpr std::array<const char*, 3> kNames = {"unknown", "determined", "not determined"};
  return kNames[static_cast<int>(determined)];
}

std::string to_json(std::span<const ProblemReport> reports) {
  std::string json = "[";
  for (const ProblemReport& report : reports) {
    std::string more;
    if (report.stretches > 0) more = fmt::format("\"stretches\": {}, ", report.stretches);
    if (report.forces) {
      more += fmt::format("\"open_forces\": {}, \"rank\": {}, \"forces\": \"{}\", \"velocities\": \"{}\", ",
                          report.forces->unknowns, report.forces->rank, determined_name(report.forces->forces),
                          determined_name(report.forces->velocities));
    }
    json += fmt::format(
        "{}\n  {{\"problem\": {}, \"contacts\": {}, \"solver\": {}, \"law\": \"{}\", \"status\": {}, "
        "\"iterations\": {}, \"cpu_seconds\": {}, \"residual\": {}, \"relative_residual\": {}, "
        "\"missed\": {}, \"siconos_error\": {}, \"method\": {}, \"violation\": {}, \"bound\": {}, \"isa\": \"{}\", "
        "\"threads\": {}, {}"
        "\"message\": {}}}",
        &report == reports.data() ? "" : ",", to_json(report.problem), report.contacts, to_json(report.solver),
        report.law == FrictionLaw::coulomb ? "coulomb" : "associated", to_json(report.status), report.iterations,
        to_json(report.cpu_seconds), to_json(report.residual), to_json(report.relative_residual),
        to_json(report.missed), to_json(report.siconos_error), to_json(report.method), to_json(report.violation),
        to_json(report.bound), instruction_set_name(report.isa), report.threads, more, to_json(report.message));
  }
  return json + "\n]\n";
}

}  // namespace stickslip
