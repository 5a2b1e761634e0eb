// SPDX-License-Identifier: BSD-3-Clause
// What a scheme has to write itself: explicit Euler on velocities, with contacts, on the constraint room.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/constraints/constraint_set.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

/// M (u' - u) = h f(t, q, u) + W P,  K* contains gamma(u') + s perpendicular to P in K where gaps are closed,
/// q' = q + h u'.
class ToyScheme {
 public:
  ToyScheme(const System& system, ConeSolver& solver)
      : system_(system), solver_(solver), at_(system), contacts_(system), constraints_(system) {}

  Status step(State& state, double h) {
    at_.take(state.t, state.q, &state.u);
    contacts_.find(at_, state.t + h);
    constraints_.gather(at_, contacts_.points(), kClosed, h);
    Vector force(system_.n_u());
    system_.calc_applied_forces(state.t, state.q, state.u, force);
    system_.add_gyroscopic_forces(state.u, force);
    Vector change(system_.n_u());
    system_.solve_mass(h * force, change);
    state.u += change;
    std::vector<double>& b = constraints_.problem().b;
    constraints_.get_tau(b);
    constraints_.add_relative_velocities(state.u, b);
    ConeSolution solution;
    constraints_.load_warm(state.warm, solution);
    const SolveReport report = solver_.solve(constraints_.problem(), solution);
    constraints_.save_warm(solution, state.warm);
    constraints_.calc_generalized_percussions(solution.p, force);
    system_.solve_mass(force, change);
    state.u += change;
    system_.advance(h, state.u, state.q);
    state.t += h;
    system_.normalize(state.t, state.q);
    return report.status;
  }

 private:
  static constexpr double kClosed = 1e-9;  // [m]
  const System& system_;
  ConeSolver& solver_;
  BodySnapshot at_;
  ContactFinder contacts_;
  ConstraintSet constraints_;
};

/// A ball thrown without spin slides until its speed is 5/7 of the first, at t = 2 v / (7 mu g), and rolls from then
/// on.
TEST(ToyScheme, ABowlingBallSlidesAndRolls) {
  const Scene scene = load_scene(STICKSLIP_SCENES_DIR "/papers/negrut/bowling_ball.toml");
  const BuiltScene built = build(scene);
  State state = built.initial;
  const double v = state.u(0);
  const double mu = built.system->contacts().front().law().friction;
  const double t_roll = 2.0 * v / (7.0 * mu * 9.81);
  const auto solver = make_solver(AutoOptions{});
  ToyScheme scheme(*built.system, *solver);
  constexpr double h = 1e-4;
  const auto step_until = [&](double t) {
    while (state.t < t) ASSERT_EQ(scheme.step(state, h), Status::ok) << state.t;
  };
  step_until(0.5 * t_roll);
  EXPECT_NEAR(state.u(0), v - mu * 9.81 * state.t, 1e-9);
  step_until(1.5 * t_roll);
  EXPECT_NEAR(state.u(0), 5.0 / 7.0 * v, 1e-8);
  EXPECT_NEAR(state.q(2), built.initial.q(2), 1e-9);
}

}  // namespace
}  // namespace stickslip
