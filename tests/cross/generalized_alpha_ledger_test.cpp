// SPDX-License-Identifier: BSD-3-Clause
// Energy, choices and tolerances under the generalized-alpha scheme: the ledger is of second order, the rule for
// Painleve's paradox looks at joints too, and what moves or weighs much does not spoil what does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/cross/scheme_scene.h"

namespace stickslip {
namespace {

using test::SceneRun;
using test::SchemeScene;

/// The ledger's largest error in a run.
double energy_error(SceneRun run) {
  double worst = 0.0;
  run.run([&](const SceneRun& r) { worst = std::max(worst, std::abs(r.report.energy_error)); });
  return worst;
}

SceneRun open_pendulum(double step) {
  return SchemeScene({.step = step})
      .add(R"toml([bodies.m]
type = "point"
mass = 1.0
position = [1, 0]
[bodies.ground]
type = "fixed"
[joints.rod]
type = "distance"
between = ["ground", "m"]
at_a = [0, 0]
at_b = [0, 0]
)toml")
      .open();
}

TEST(GeneralizedAlphaLedger, IdealJointsDissipateNothing) {
  SceneRun run = open_pendulum(5e-3);
  run.run();
  // Velocity rows hold to the tolerance: |P| times it, over 200 steps.
  EXPECT_LE(std::abs(run.report.dissipated), 1e-8);
  EXPECT_NEAR(energy_error(open_pendulum(1e-2)) / energy_error(open_pendulum(5e-3)), 4.0, 0.4);
}

/// A ball that slides all the time, down the inside of a cylinder.
SceneRun open_sliding_ball(double step) {
  return SchemeScene({.step = step})
      .add_ball("ball", 1.0, 0.004, 0.1, -0.9 * std::sin(1.2), -0.9 * std::cos(1.2), "angular_velocity = 80\n")
      .add_room(0.0, 0.0)
      .add_contact("room", "ball", 0.1)
      .open();
}

SceneRun open_damped_oscillator(double step) {
  return SchemeScene({.step = step, .gravity = 0.0})
      .add(R"toml([bodies.m]
type = "point"
mass = 1.0
position = [1, 0]
velocity = [1, 0]
[bodies.ground]
type = "fixed"
[forces.s]
type = "spring"
between = ["ground", "m"]
at_a = [0, 0]
at_b = [0, 0]
stiffness = 40
damping = 2
rest = 0.5
)toml")
      .open();
}

TEST(GeneralizedAlphaLedger, IsOfSecondOrderInFrictionAndDamping) {
  for (const auto& open : {open_sliding_ball, open_damped_oscillator}) {
    const double coarse = energy_error(open(5e-3));
    const double fine = energy_error(open(2.5e-3));
    EXPECT_NEAR(coarse / fine, 4.0, 0.6) << coarse << " " << fine;
  }
}

TEST(GeneralizedAlphaLedger, BooksTheImpactOfABall) {
  // e = 1/2 on a flat floor: the impact takes (1 - e^2) of the kinetic energy before it; the instant is known to a
  // step.
  const double h = 1e-3;
  SceneRun run = test::open_scene("papers/capobianco/bouncing_ball_zeno",
                                  {"scheme.type=generalized-alpha", "time.step=1e-3", "time.end=0.6"});
  run.run();
  const double speed = std::sqrt(2.0 * 9.81 * 0.9);  // [m/s] a fall of 0.9 m
  EXPECT_NEAR(run.report.dissipated, 0.75 * 0.5 * speed * speed, 2.0 * speed * 9.81 * h);
  EXPECT_LE(std::abs(run.report.energy_error), speed * 9.81 * h);
}

TEST(GeneralizedAlphaChoice, SparesAContactThatAJointHolds) {
  // The sliding rod of Painleve's paradox in a vertical guide, its tip on a belt: alone A < 0, in the guide A = 1 / m,
  // so that lambda_N = m g is the only solution.
  const auto guided = [](const std::string& belt) {
    return SchemeScene({.end = 0.1, .gravity = 10.0})
        .add(R"toml(parameters = {phi0 = 1.0471975511965976}
[bodies.rod]
type = "planar"
mass = 1.0
inertia = "=1/3"
position = [0, "=sin(phi0)"]
angle = "=-phi0"
shapes.tip = {type = "point", position = [1, 0]}
[bodies.belt]
type = "moving"
position = [")toml" +
             std::string(belt) +
             R"toml(", 0]
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.ground]
type = "fixed"
[joints.guide]
type = "prismatic"
between = ["ground", "rod"]
axis = [0, 1]
at = [0, 1]
[[contacts]]
name = "tip"
between = ["belt", "rod/tip"]
friction = "=5/3"
)toml")
        .open();
  };
  for (const char* belt : {"t", "-t"}) {
    SceneRun run = guided(belt);
    EXPECT_EQ(run.report.status, Status::ok) << belt;
    run.run([&](const SceneRun& r) {
      EXPECT_NEAR(r.report.contacts[0].force[0], 10.0, 1e-8) << belt << r.state.t;
      EXPECT_EQ(r.report.choices, 0);
    });
  }
}

TEST(GeneralizedAlphaTolerance, HoldsWhereNothingButAWallAccelerates) {
  // Weightless billiards in a round room: before an impact nothing has an acceleration to measure residuals with.
  for (const char* restitution : {"0", "0.5", "1"}) {
    SceneRun run = SchemeScene({.end = 3.0, .step = 1e-2, .gravity = 0.0})
                       .add_ball("b", 1.0, 0.004, 0.1, 0.3, 0.1, "velocity = [1, 0.3]\n")
                       .add_room(0.0, 0.0)
                       .add_contact("room", "b", 0.1, std::string("restitution = {normal = ") + restitution + "}\n")
                       .open();
    EXPECT_NO_THROW(run.run()) << restitution;
    EXPECT_LT(run.report.kinetic_energy, 0.5 * 1.09) << "friction acts in the impacts";
  }
}

TEST(GeneralizedAlphaTolerance, LetsHeavyAndLightBodiesRollSideBySide) {
  // Two discs slide until they roll, u = 2/3 u0 (I = m R^2 / 2): each as if the other were not there.
  SceneRun run = SchemeScene({.end = 0.5})
                     .add_ball("big", 1e6, 5e5, 1.0, 0.0, 1.0, "velocity = [1, 0]\n")
                     .add_ball("small", 1e-6, 5e-9, 0.1, 5.0, 0.1, "velocity = [1, 0]\n")
                     .add_floor()
                     .add_contact("floor", "big", 0.3)
                     .add_contact("floor", "small", 0.3)
                     .open();
  ASSERT_NO_THROW(run.run());
  EXPECT_NEAR(run.state.u(0), 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(run.state.u(3), 2.0 / 3.0, 1e-9);
  EXPECT_LE(run.report.solve.residual.relative, 1e-10);
}

}  // namespace
}  // namespace stickslip
