// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/start_problem.h"

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

/// Looks at problems and solves none.
class OnlyLooks final : public ConeSolver {
 public:
  OnlyLooks(double tolerance, StartProblem& seen) : tolerance_(tolerance), seen_(seen) {}
  std::string_view name() const override { return "none"; }
  double tolerance() const override { return tolerance_; }
  std::optional<std::string> refuses(const ConeProblem&) const override { return std::nullopt; }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution&) override {
    seen_.contacts = static_cast<int>(
        std::ranges::count_if(problem.cones, [](const Cone& cone) { return cone.kind == ConeKind::contact; }));
    seen_.tolerance = tolerance.relative;
    double squared = 0.0;
    for (const double x : problem.b) squared += x * x;
    seen_.given = std::sqrt(squared);
    SolveReport report;
    report.status = Status::failed;
    return report;
  }

  double tolerance_;
  StartProblem& seen_;
};

}  // namespace

std::optional<StartProblem> find_start_problem(const Scene& scene, const BuiltScene& built) {
  if (scene.time.automatic || !is_on_velocities(scene.scheme)) return std::nullopt;
  StartProblem seen;
  seen.tolerance = built.solver->tolerance();
  OnlyLooks solver(seen.tolerance, seen);
  const auto stepper = make_stepper(scene.scheme, *built.system, solver, {}, scene.eases_tolerance);
  State state = built.initial;
  StepReport report;
  stepper->initialize(state, report);
  report.contacts = std::vector<ContactReport>();
  (void)stepper->step(state, scene.time.step, state.t + scene.time.step, report);
  return seen;
}

}  // namespace stickslip
