// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/momentum_balance.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"
#include "stickslip/stepping/generalized_alpha/newton.h"
#include "tests/support/no_solver.h"

namespace stickslip::generalized_alpha {
namespace {

constexpr double kPendulumStep = 1e-3;  // [s]

/// Two planar bodies, one hung on the ground and the other on it, that swing; as solved after some steps.
struct DoublePendulum {
  GeneralizedAlphaOptions options;
  std::unique_ptr<const System> system;
  std::unique_ptr<Step> step;
  State start;  // of the step

  DoublePendulum() {
    SystemBuilder builder(true, Vector3(0, -9.81, 0));
    Body ground;
    ground.name = "ground";
    ground.type = BodyType::fixed;
    builder.add_body(ground);
    for (const char* name : {"upper", "lower"}) {
      Body body;
      body.name = name;
      body.type = BodyType::planar;
      body.mass = 2.0;
      body.inertia(2, 2) = 0.3;
      builder.add_body(body);
    }
    for (int i = 0; i < 2; ++i) {
      JointOptions joint;
      joint.name = "hinge" + std::to_string(i);
      joint.type = JointType::revolute;
      joint.first = i;
      joint.second = i + 1;
      joint.on_first.at = i == 0 ? Vector3::Zero() : Vector3(0.5, 0, 0);
      joint.on_second.at = Vector3(-0.5, 0, 0);
      builder.add_joint(joint);
    }
    system = std::make_unique<const System>(builder.build());
    start.q = Vector{{0.5, 0.0, 0.0, 1.5, 0.0, 0.0}};
    start.u = Vector::Zero(6);
    step = std::make_unique<Step>(options, *system, StopToken{});
    step->x.a = Vector{{0.0, -7.0, -14.0, 0.0, -5.0, 4.0}};  // any: memory that fades
    start_memory(*step, start);
    Newton newton(*step);
    for (int i = 1; i <= 20; ++i) {
      if (i > 1) {
        start.q = step->q;
        start.u = step->u;
        start.t = step->t_end;
        save_memory(*step, start, true);
      }
      begin(*step, start, kPendulumStep, i * kPendulumStep);
      evaluate(*step);
      EXPECT_TRUE(newton.solve(*step).converged);
    }
  }
};

TEST(MomentumBalance, HoldsInASolvedStep) {
  const DoublePendulum pendulum;
  MomentumBalance balance(*pendulum.system);
  EXPECT_EQ(balance.find_unbalanced(*pendulum.step, pendulum.start), -1);
  EXPECT_LE(balance.find_exact(*pendulum.step, pendulum.start).off, 0.1);
  EXPECT_LE(balance.find_gross(*pendulum.step, pendulum.start).off, 0.1);
}

/// What the equations imply is exact: a millionth of what acts in the step is seen, wherever it is missing, and on
/// whom.
TEST(MomentumBalance, SeesWhatWasTamperedWith) {
  DoublePendulum pendulum;
  Step& step = *pendulum.step;
  MomentumBalance balance(*pendulum.system);
  const auto find = [&] { return balance.find_unbalanced(step, pendulum.start); };
  const double small = 1e-6 * kPendulumStep * 9.81;  // [m/s]
  for (const int body : {1, 2}) {
    const double u = step.u(3 * (body - 1) + 1);
    step.u(3 * (body - 1) + 1) += small;
    EXPECT_EQ(find(), body);
    step.u(3 * (body - 1) + 1) = u;
  }
  const double P = step.P(1);
  step.P(1) += small * 2.0;  // of the upper hinge: the lower body does not feel it
  EXPECT_EQ(find(), 1);
  step.P(1) = P;
  const double a = step.x.a(4);
  step.x.a(4) += 1e-5 * 9.81;
  EXPECT_EQ(find(), 2);
  step.x.a(4) = a;
  const double average = pendulum.start.memory(6 + 1);  // abar of the upper body
  pendulum.start.memory(6 + 1) += 1e-4 * 9.81;
  EXPECT_EQ(find(), 1);
  pendulum.start.memory(6 + 1) = average;
  EXPECT_EQ(find(), -1);
}

/// Twice the speed may be, a hundred times may not unless such work was done. How high bodies are plays no part.
TEST(MomentumBalance, SeesEnergyThatNothingExplains) {
  DoublePendulum pendulum;
  Step& step = *pendulum.step;
  MomentumBalance balance(*pendulum.system);
  balance.find_unbalanced(step, pendulum.start);
  const auto gains = [&](double work = 0.0) { return balance.gains_energy(step, pendulum.start, work); };
  EXPECT_FALSE(gains());
  step.u *= 2.0;
  EXPECT_FALSE(gains());
  step.u *= 50.0;
  EXPECT_TRUE(gains());
  const double energy = pendulum.system->calc_kinetic_energy(step.u);
  EXPECT_FALSE(gains(energy));
  EXPECT_FALSE(gains(-energy));
  EXPECT_TRUE(gains(0.05 * energy));
  step.q.array() += 1e6;
  pendulum.start.q.array() += 1e6;
  EXPECT_TRUE(gains());
}

/// An average of forces that are no more: each equation of the step holds, and a body has momentum that nothing gave
/// it.
TEST(MomentumBalance, SeesAveragesThatActAlone) {
  DoublePendulum pendulum;
  Step& step = *pendulum.step;
  const int n_u = pendulum.system->n_u();
  State tampered = pendulum.start;
  tampered.memory.segment(2 * n_u + 4, 4).setConstant(1e5);  // lambdabar
  begin(step, tampered, kPendulumStep, step.t_end);
  evaluate(step);
  for (int row = 0; row < 4; ++row) step.x.Lambda(row) = -step.known_P(row) - step.gamma_step() * step.x.lambda(row);
  evaluate(step);
  pendulum.system->solve_mass(step.r2, step.x.U);
  step.x.U *= -1.0;  // M U = W Lambda
  evaluate(step);
  MomentumBalance balance(*pendulum.system);
  EXPECT_GE(balance.find_unbalanced(step, tampered), 0);
  EXPECT_LE(balance.find_exact(step, tampered).off, 1.0);
  EXPECT_GE(balance.find_gross(step, tampered).off, 3.0);
}

/// An average of accelerations that no force of an element made is the published one, however large.
TEST(MomentumBalance, LeavesAveragesOfLoadsAlone) {
  SystemBuilder builder(true, Vector3::Zero());
  Body body;
  body.name = "body";
  body.type = BodyType::planar;
  body.mass = 2.0;
  body.inertia(2, 2) = 0.3;
  builder.add_body(body);
  const System system = builder.build();
  Step step({}, system, {});
  State state;
  state.q = Vector3::Zero();
  state.u = Vector3::Zero();
  start_memory(step, state);
  MomentumBalance balance(system);
  for (const double average : {0.0, 0.5, 20.0}) {  // [m/s^2] some half of it acts, for 1e-3 s
    state.memory(3) = average;
    begin(step, state, kPendulumStep, kPendulumStep);
    evaluate(step);
    EXPECT_EQ(balance.find_unbalanced(step, state), -1) << average;
  }
}

/// The same in a run: the contact of a ball in flight remembers a force. Nothing touches it, and it is kicked.
TEST(MomentumBalance, IsAskedByTheScheme) {
  SystemBuilder builder(true, Vector3(0, -9.81, 0));
  Body ball;
  ball.name = "ball";
  ball.type = BodyType::planar;
  ball.mass = 2.0;
  ball.inertia(2, 2) = 0.3;
  Shape hull;
  hull.geometry = Sphere{0.1};
  ball.shapes.push_back(hull);
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  Shape top;
  top.geometry = HalfSpace{Vector3(0, 1, 0), 0.0};
  floor.shapes.push_back(top);
  const int first = builder.add_body(floor);
  const int second = builder.add_body(ball);
  ContactPairOptions pair;
  pair.name = "ball-floor";
  pair.first = first;
  pair.second = second;
  builder.add_contact(pair);
  const System system = builder.build();
  test::NoSolver solver;
  const auto stepper = make_generalized_alpha({}, system, solver);
  State state;
  state.q = Vector3(0, 1, 0);
  state.u = Vector3(0.5, 0, 0);
  StepReport report;
  stepper->initialize(state, report);
  ASSERT_EQ(stepper->step(state, kPendulumStep, kPendulumStep, report), Status::ok);
  const Eigen::Index n_rows = (state.memory.size() - 4 * 3 - 3) / 4;
  state.memory(2 * 3 + n_rows) = 1e5;
  EXPECT_EQ(stepper->step(state, kPendulumStep, 2.0 * kPendulumStep, report), Status::inexact);
  EXPECT_NE(report.message.find("momentum of a body is not balanced: 'ball'"), std::string::npos) << report.message;
}

}  // namespace
}  // namespace stickslip::generalized_alpha
