// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/methods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "stickslip/stepping/generalized_alpha/fixed_point.h"
#include "tests/support/generalized_alpha_step.h"
#include "tests/support/no_solver.h"
#include "tests/support/sweep_solver.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::make_balls;
using test::make_point;
using test::SweepSolver;
using test::SystemStep;

Body make_wall(const std::string& name, const std::string& x, double normal) {
  Body wall;
  wall.name = name;
  wall.type = BodyType::moving;
  wall.motion.emplace();
  wall.motion->position[0] = Expression::parse(x);
  wall.shapes = {Shape{.name = "side", .geometry = HalfSpace{.normal = normal * Vector3::UnitX(), .offset = 0.0}}};
  return wall;
}

Body make_planar_body(const std::string& name, const ShapeGeometry& geometry) {
  Body body;
  body.name = name;
  body.type = BodyType::planar;
  body.mass = kMass;
  body.inertia(2, 2) = 0.2;
  body.shapes = {Shape{.name = "hull", .geometry = geometry}};
  return body;
}

/// A ball between walls that close at 0.2 m/s each, so that no step has a solution, and elsewhere a rod that turns
/// while its tip slides on the floor, which takes more than one pass.
struct SqueezedStep : SystemStep {
  SqueezedStep() : SystemStep(make()) {
    constexpr double kAngle = 1.0;  // [rad]
    constexpr double kRate = -2.0;  // [rad/s]
    state.q << 0.0, 0.0, 0.0, 7.0, std::sin(kAngle), kAngle;
    state.u << 0.0, 0.0, 0.0, 3.0, kRate * std::cos(kAngle), kRate;
    begin(kStepLength);
  }
  static System make() {
    SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
    builder.add_body(make_wall("left", "-0.5 + 0.2*t", 1.0));
    builder.add_body(make_wall("right", "0.5 - 0.2*t", -1.0));
    builder.add_body(test::make_floor(Vector3::UnitY()));
    builder.add_body(make_planar_body("ball", Sphere{.radius = 0.5}));
    Body rod = make_planar_body("rod", PointShape{});
    rod.shapes[0].position = Vector3(-1.0, 0.0, 0.0);
    builder.add_body(rod);
    for (const auto& [first, second] : {std::pair{0, 3}, std::pair{1, 3}, std::pair{2, 4}}) {
      ContactPairOptions pair;
      pair.name = "c" + std::to_string(first);
      pair.first = first;
      pair.second = second;
      pair.law.friction = second == 4 ? 0.5 : 0.0;
      builder.add_contact(pair);
    }
    return builder.build();
  }
};

/// Says of the first problem that there is no solution.
class Denier final : public ConeSolver {
 public:
  std::string_view name() const override { return "denier"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return {}; }
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    SolveReport report = sweeps_.solve(problem, tolerance, solution);
    if (sweeps_.problems() > 1) return report;
    report.violation = 0.25;
    report.bound = 8.0;
    return report;
  }

 private:
  SweepSolver sweeps_;
};

TEST(Methods, NewtonsMethodComesFirst) {
  SystemStep point(make_point(Vector3(0.0, -kStepGravity, 0.0), 0.5));
  point.state.u(0) = 3.0;
  point.begin(kStepLength);
  test::NoSolver solver;
  Methods methods(point.step, solver);
  EXPECT_TRUE(methods.solve(point.step, point.state).converged);
  EXPECT_EQ(methods.fallbacks(), 0);
  EXPECT_EQ(methods.violation(), 0.0);
}

TEST(Methods, TheFixedPointIterationIsAskedForByName) {
  const GeneralizedAlphaOptions options{.strategy = GeneralizedAlphaStrategy::fixed_point};
  BallStep one(make_balls(1, 0.3, 0.5), options);
  BallStep other(make_balls(1, 0.3, 0.5), options);
  for (BallStep* ball : {&one, &other}) {
    ball->state.u << 1.0, 0.0, -3.0, 4.0, 0.0, 0.0;
    ball->begin(kStepLength);
  }
  test::NoSolver solver;
  Methods methods(one.step, solver);
  const StepSolve solve = methods.solve(one.step, one.state);
  evaluate(other.step);
  Newton newton(other.step);
  EXPECT_EQ(solve.iterations, solve_by_fixed_point(other.step, newton).iterations);
  EXPECT_GT(solve.iterations, 1);
  EXPECT_TRUE(solve.converged);
}

TEST(Methods, NestedProblemsAreTheFallbackUpToWhatAStepMayCost) {
  SqueezedStep one;
  SweepSolver asked;
  Methods methods(one.step, asked);
  EXPECT_FALSE(methods.solve(one.step, one.state).converged);
  EXPECT_GT(methods.fallbacks(), 0);
  EXPECT_GT(asked.problems(), 0);
  SqueezedStep spent;
  spent.step.work = 1e6;  // by the parts before
  SweepSolver unasked;
  Methods none(spent.step, unasked);
  EXPECT_FALSE(none.solve(spent.step, spent.state).converged);
  EXPECT_EQ(none.fallbacks(), 0);
  EXPECT_EQ(unasked.problems(), 0);
}

TEST(Methods, AProofEndsTheTries) {
  SqueezedStep one;
  SweepSolver unsure;
  Methods methods(one.step, unsure);
  const StepSolve all = methods.solve(one.step, one.state);
  SqueezedStep other;
  Denier sure;
  Methods short_cut(other.step, sure);
  const StepSolve some = short_cut.solve(other.step, other.state);
  EXPECT_LT(some.iterations, all.iterations);  // Newton's method is not asked again
  EXPECT_EQ(short_cut.violation(), 0.25);
  EXPECT_EQ(short_cut.bound(), 8.0);
  EXPECT_EQ(methods.violation(), 0.0);
}

TEST(Methods, ManyContactsBeginWithTheNestedProblems) {
  BallStep balls(make_balls(20, 0.3));
  for (const StepElement& e : balls.step.elements) {
    if (e.sides()[0].touch < 0) balls.step.x.lambda(e.offset) = 19.0;
  }
  balls.remember();
  balls.begin(kStepLength);
  balls.step.work = 7.0;
  evaluate(balls.step);
  ASSERT_TRUE(NewtonSystem::is_large(balls.step));
  SweepSolver solver;
  Methods methods(balls.step, solver);
  const StepSolve solve = methods.solve(balls.step, balls.state);
  EXPECT_TRUE(solve.converged);
  EXPECT_GT(solver.problems(), 0);
  EXPECT_EQ(methods.fallbacks(), 0);
  EXPECT_EQ(balls.step.work, 7.0);  // what is not bounded is not counted
  EXPECT_TRUE(std::isinf(balls.step.most_work));
}

/// The ball moves no faster than the walls, and what does not touch it is solved.
TEST(Methods, WhatIsStuckIsSettledAndTheRestSolved) {
  SqueezedStep squeezed;
  Step& step = squeezed.step;
  SweepSolver solver;
  Methods methods(step, solver);
  ASSERT_FALSE(methods.solve(step, squeezed.state).converged);
  methods.settle(step, squeezed.state);
  EXPECT_TRUE(methods.nested().is_stuck(0) && methods.nested().is_stuck(1));
  EXPECT_FALSE(methods.nested().is_stuck(2));
  EXPECT_GT(step.measure.error(), 1.0);
  EXPECT_LE(std::abs(step.u(0)), 0.2 + 1e-12);
  EXPECT_NEAR(step.x.a(1), -kStepGravity, 1e-9);
  EXPECT_GT(step.P(step.elements[0].offset), 0.0);
  const StepElement& tip = step.elements[2];
  EXPECT_EQ(tip.level, Level::acceleration);
  EXPECT_NEAR(tip.gap[0], 0.0, step.measure.tolerance_position(step, tip));
  EXPECT_NEAR(kStepLength * tip.xi[0], 0.0, step.measure.tolerance_velocity(step, tip));
  EXPECT_NEAR(step.P(tip.offset + 1), -0.5 * step.P(tip.offset), 1e-9);
}

TEST(Methods, AProofOutlivesTheSettling) {
  SqueezedStep squeezed;
  Denier solver;
  Methods methods(squeezed.step, solver);
  ASSERT_FALSE(methods.solve(squeezed.step, squeezed.state).converged);
  methods.settle(squeezed.step, squeezed.state);
  EXPECT_EQ(methods.violation(), 0.25);
  EXPECT_EQ(methods.bound(), 8.0);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
