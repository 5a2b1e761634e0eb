// SPDX-License-Identifier: BSD-3-Clause
// Newton's method, the nested problems and the fixed point on the same steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/generalized_alpha/fixed_point.h"
#include "stickslip/stepping/generalized_alpha/methods.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

/// The ball comes down on the floor with 1 m/s and slips at 2 m/s.
void fall(BallStep& ball) {
  ball.step.x.a(2) = -10.0;  // as it falls
  ball.remember();
  ball.state.q(2) = 0.503;
  ball.state.u.head<3>() = Vector3(2.0, 0.0, -1.0);
  ball.begin(kStepLength);
  evaluate(ball.step);
}

/// What the impact must give: P_N = m (v + g dt ..) up to the weight in the step, friction mu P_N against the slip.
void expect_impact(const BallStep& ball) {
  const Step& step = ball.step;
  EXPECT_LE(step.measure.error(), 1.0);
  const StepElement& e = step.elements[0];
  EXPECT_GE(e.level, Level::velocity);
  EXPECT_FALSE(e.sticks());
  EXPECT_NEAR(e.gap[0], 0.0, 1e-12);
  EXPECT_NEAR(step.u(2), 0.0, 1e-10);
  EXPECT_NEAR(step.P(0), 2.0 * (1.0 + 10.0 * kStepLength), 1e-8);  // m (|v| + g dt), whatever shares of it are a force
  EXPECT_NEAR(std::hypot(step.P(1), step.P(2)), 0.3 * step.P(0), 1e-9);
  EXPECT_NEAR(step.u(0), 2.0 - 0.3 * (1.0 + 10.0 * kStepLength), 1e-9);
}

TEST(NewtonMethod, SolvesAnImpact) {
  BallStep ball(make_balls(1, 0.3));
  fall(ball);
  Newton newton(ball.step);
  const StepSolve solve = newton.solve(ball.step);
  EXPECT_TRUE(solve.converged);
  EXPECT_LE(solve.iterations, 6);
  expect_impact(ball);
}

TEST(NewtonMethod, ContractsInAnImpact) {
  BallStep ball(make_balls(1, 0.3));
  fall(ball);
  Newton newton(ball.step);
  ball.step.x.U(3) = 3.0;  // far from the solution, which is linear but for the directions of friction
  ball.step.x.U(1) = 2.5;
  evaluate(ball.step);
  std::vector<double> errors;
  for (int i = 0; i < 8 && ball.step.measure.error() > 1e-3; ++i) {
    ASSERT_TRUE(newton.move(ball.step));
    errors.push_back(evaluate(ball.step));
  }
  ASSERT_GE(errors.size(), 3u);
  // Derivatives of percussions are those of forces over the step: not quite those of impulses, so not quadratically.
  const std::size_t n = errors.size();
  EXPECT_LE(errors[n - 1], 1e-2 * errors[n - 2]);
}

TEST(NestedProblems, SolveAnImpact) {
  BallStep ball(make_balls(1, 0.3));
  fall(ball);
  const auto solver = make_solver(NsgsOptions{});
  Nested nested(ball.step, *solver);
  EXPECT_TRUE(nested.solve(ball.step, 20, false).converged);
  expect_impact(ball);
}

TEST(NestedProblems, SettleKeepsMomentumAndTheLawOfImpact) {
  BallStep ball(make_balls(3, 0.0));
  for (int i = 0; i < 3; ++i) {
    ball.step.x.a(6 * i + 2) = -10.0;
    ball.state.q(7 * i + 2) = 0.501 + 0.001 * i;
    ball.state.u.segment<3>(6 * i) = Vector3(1.0 - i, 0.3, -1.0);
  }
  ball.remember();
  ball.begin(kStepLength);
  evaluate(ball.step);
  const auto solver = make_solver(NsgsOptions{});
  Nested nested(ball.step, *solver);
  nested.settle(ball.step);
  evaluate_as_is(ball.step);
  const Step& step = ball.step;
  // Without friction the floor pushes upwards alone, and balls on each other alike.
  Vector3 change = Vector3::Zero();
  double floor = 0.0;
  double before = 0.0;
  double after = 0.0;
  for (int i = 0; i < 3; ++i) {
    change += 2.0 * (step.u - ball.state.u).segment<3>(6 * i);
    before += ball.state.u.segment<6>(6 * i).squaredNorm();
    after += step.u.segment<6>(6 * i).squaredNorm();
  }
  for (const StepElement& e : step.elements) {
    if (ball.system.contacts()[e.index].options.first == 0) floor += step.P(e.offset);
  }
  EXPECT_NEAR(change(0), 0.0, 1e-13);
  EXPECT_NEAR(change(1), 0.0, 1e-13);
  EXPECT_NEAR(change(2), floor - 3.0 * 2.0 * 10.0 * kStepLength, 1e-13);
  EXPECT_LT(after, before);
  for (const StepElement& e : step.elements) EXPECT_GE(e.gamma[0], -1e-9) << e.index;
  EXPECT_GT(floor, 0.0);
}

TEST(FixedPoint, FindsTheSameImpact) {
  BallStep ball(make_balls(1, 0.3), {.strategy = GeneralizedAlphaStrategy::fixed_point});
  fall(ball);
  Newton newton(ball.step);
  EXPECT_TRUE(solve_by_fixed_point(ball.step, newton).converged);
  expect_impact(ball);
}

/// With prox parameters of three over G the iteration swings to and fro.
TEST(FixedPoint, EndsWhereItDoesNotContract) {
  BallStep ball(make_balls(1, 0.3), {.r = 6.0, .strategy = GeneralizedAlphaStrategy::fixed_point});
  fall(ball);
  Newton newton(ball.step);
  const StepSolve solve = solve_by_fixed_point(ball.step, newton);
  EXPECT_FALSE(solve.converged);
  EXPECT_LE(solve.iterations, 5000);
}

/// Balls in a row that are pressed together.
TEST(Methods, SolveRedundantContactsThatCloseAtOnce) {
  BallStep ball(make_balls(4, 0.5));
  for (int i = 0; i < 4; ++i) ball.state.u(6 * i) = 1.0 - 0.7 * i;
  ball.begin(kStepLength);
  const auto solver = make_solver(NsgsOptions{});
  Methods methods(ball.step, *solver);
  EXPECT_TRUE(methods.solve(ball.step, ball.state).converged);
  EXPECT_LE(ball.step.measure.error(), 1.0);
}

/// Two rods of 1 m on hinges that are 2.1 m apart, at the start of a step; beside them a disc above the ground.
struct OutOfReach {
  std::unique_ptr<const System> system;
  std::unique_ptr<Step> step;
  State state;

  OutOfReach() {
    SystemBuilder builder(true, Vector3(0, -10.0, 0));
    add_body(builder, "ground", BodyType::fixed, HalfSpace{Vector3(0, 1, 0), -5.0});
    for (const char* name : {"left", "right", "disc"}) add_body(builder, name, BodyType::planar, Sphere{0.1});
    add_hinge(builder, 0, 1, Vector3::Zero(), Vector3(-0.5, 0, 0));
    add_hinge(builder, 0, 2, Vector3(2.1, 0, 0), Vector3(0.5, 0, 0));
    add_hinge(builder, 1, 2, Vector3(0.5, 0, 0), Vector3(-0.5, 0, 0));
    ContactPairOptions pair;
    pair.name = "disc on the ground";
    pair.first = 0;
    pair.second = 3;
    builder.add_contact(pair);
    system = std::make_unique<const System>(builder.build());
    step = std::make_unique<Step>(GeneralizedAlphaOptions{}, *system, StopToken{});
    state.q = Vector{{0.5, 0.0, 0.3, 1.6, 0.0, -0.3, 0.0, 0.0, 0.0}};
    state.u = Vector::Zero(9);
    start_memory(*step, state);
    begin(*step, state, kStepLength, kStepLength);
    evaluate(*step);
  }
  static void add_body(SystemBuilder& builder, const char* name, BodyType type, const ShapeGeometry& geometry) {
    Body body;
    body.name = name;
    body.type = type;
    if (type != BodyType::fixed) {
      body.mass = 2.0;
      body.inertia(2, 2) = 0.3;
    }
    Shape shape;
    shape.geometry = geometry;
    body.shapes.push_back(shape);
    builder.add_body(body);
  }
  static void add_hinge(SystemBuilder& builder, int first, int second, const Vector3& on_first,
                        const Vector3& on_second) {
    JointOptions joint;
    joint.name = std::to_string(first) + " to " + std::to_string(second);
    joint.type = JointType::revolute;
    joint.first = first;
    joint.second = second;
    joint.on_first.at = on_first;
    joint.on_second.at = on_second;
    builder.add_joint(joint);
  }
};

/// Where there is no solution Newton's method wanders about, as it does for x^2 + 1 = 0, and ends; here it would after
/// 58109 iterations.
TEST(NewtonMethod, EndsWhereALinkageIsOutOfReach) {
  OutOfReach linkage;
  Newton newton(*linkage.step);
  const StepSolve solve = newton.solve(*linkage.step);
  EXPECT_FALSE(solve.converged);
  EXPECT_LE(solve.iterations, 60);
}

/// Solves nothing, takes all that it may, and remembers that.
class Spender final : public ConeSolver {
 public:
  std::string_view name() const override { return "spender"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return {}; }
  double most = 0.0;  // [-] iterations times rows
  int rows = 0;       // [-]

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    solution.u.assign(problem.b.begin(), problem.b.end());
    rows = std::max(rows, problem.size());
    most = std::max(most, static_cast<double>(tolerance.most_iterations) * problem.size());
    SolveReport report;
    report.status = Status::inexact;
    report.iterations = tolerance.most_iterations;
    return report;
  }
};

/// All of a step may cost 2e5, of which a call has .35; an iteration of the cone solver counts as 6 n.
TEST(Methods, ACallOfTheConeSolverHasAShareOfWhatAStepMayCost) {
  OutOfReach linkage;
  Spender solver;
  Methods methods(*linkage.step, solver);
  EXPECT_FALSE(methods.solve(*linkage.step, linkage.state).converged);
  EXPECT_GT(solver.rows, 0);
  EXPECT_LE(solver.most, 0.35 * 2e5 / 6.0);
  EXPECT_GE(solver.most, 0.35 * 2e5 / 6.0 - solver.rows);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
