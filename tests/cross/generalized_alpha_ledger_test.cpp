// SPDX-License-Identifier: BSD-3-Clause
// Energy, choices and tolerances under the generalized-alpha scheme: the ledger is of second order, the rule for
// Painleve's paradox looks at joints too, and what moves or weighs much does not spoil what does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

std::string with_step(const std::string& scene, double step) {
  return "time = {end = 1.0, step = " + std::to_string(step) + "}\n" + scene;
}

constexpr const char* kHead = "stickslip = 1\nscheme = {type = \"generalized-alpha\", tolerance = 1e-11}\n";

/// The ledger's largest error in a run.
double energy_error(const std::string& scene, double step) {
  SceneRun run = test::scene_from_text(kHead + with_step(scene, step));
  double worst = 0.0;
  run.run([&](const SceneRun& r) { worst = std::max(worst, std::abs(r.report.energy_error)); });
  return worst;
}

TEST(GeneralizedAlphaLedger, IdealJointsDissipateNothing) {
  const std::string pendulum = R"toml(gravity = [0, -9.81]
[bodies.m]
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
)toml";
  SceneRun run = test::scene_from_text(kHead + with_step(pendulum, 5e-3));
  run.run();
  // Velocity rows hold to the tolerance: |P| times it, over 200 steps.
  EXPECT_LE(std::abs(run.report.dissipated), 1e-8);
  EXPECT_NEAR(energy_error(pendulum, 1e-2) / energy_error(pendulum, 5e-3), 4.0, 0.4);
}

TEST(GeneralizedAlphaLedger, IsOfSecondOrderInFrictionAndDamping) {
  // A ball that slides all the time, down the inside of a cylinder; a damped oscillator.
  const std::string ball = R"toml(gravity = [0, -9.81]
[bodies.ball]
type = "planar"
mass = 1.0
inertia = 0.004
position = ["=-0.9*sin(1.2)", "=-0.9*cos(1.2)"]
angular_velocity = 80
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.drum]
type = "fixed"
shapes.inside = {type = "sphere", radius = 1.0, inside = true}
[[contacts]]
name = "c"
between = ["drum", "ball"]
friction = 0.1
)toml";
  const std::string damped = R"toml(gravity = [0, 0]
[bodies.m]
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
)toml";
  for (const std::string& scene : {ball, damped}) {
    const double coarse = energy_error(scene, 5e-3);
    const double fine = energy_error(scene, 2.5e-3);
    EXPECT_NEAR(coarse / fine, 4.0, 0.6) << scene << coarse << " " << fine;
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
    return test::scene_from_text(kHead + std::string(R"toml(gravity = [0, -10]
time = {end = 0.1, step = 1e-3}
parameters = {phi0 = 1.0471975511965976}
[bodies.rod]
type = "planar"
mass = 1.0
inertia = "=1/3"
position = [0, "=sin(phi0)"]
angle = "=-phi0"
shapes.tip = {type = "point", position = [1, 0]}
[bodies.belt]
type = "moving"
position = [")toml") + belt + R"toml(", 0]
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
)toml");
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
    SceneRun run = test::scene_from_text(kHead + std::string(R"toml(gravity = [0, 0]
time = {end = 3.0, step = 1e-2}
[bodies.b]
type = "planar"
mass = 1.0
inertia = 0.004
position = [0.3, 0.1]
velocity = [1, 0.3]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.c]
type = "fixed"
shapes.i = {type = "sphere", radius = 1, inside = true}
[[contacts]]
name = "c"
between = ["c", "b"]
friction = 0.1
restitution = {normal = )toml") + restitution +
                                         "}\n");
    EXPECT_NO_THROW(run.run()) << restitution;
    EXPECT_LT(run.report.kinetic_energy, 0.5 * 1.09) << "friction acts in the impacts";
  }
}

TEST(GeneralizedAlphaTolerance, LetsHeavyAndLightBodiesRollSideBySide) {
  // Two discs slide until they roll, u = 2/3 u0 (I = m R^2 / 2): each as if the other were not there.
  SceneRun run = test::scene_from_text(kHead + std::string(R"toml(gravity = [0, -9.81]
time = {end = 0.5, step = 1e-3}
[bodies.big]
type = "planar"
mass = 1e6
inertia = 5e5
position = [0, 1]
velocity = [1, 0]
shapes.hull = {type = "sphere", radius = 1}
[bodies.small]
type = "planar"
mass = 1e-6
inertia = 5e-9
position = [5, 0.1]
velocity = [1, 0]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[[contacts]]
name = "b"
between = ["floor", "big"]
friction = 0.3
[[contacts]]
name = "s"
between = ["floor", "small"]
friction = 0.3
)toml"));
  ASSERT_NO_THROW(run.run());
  EXPECT_NEAR(run.state.u(0), 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(run.state.u(3), 2.0 / 3.0, 1e-9);
  EXPECT_LE(run.report.solve.residual.relative, 1e-10);
}

}  // namespace
}  // namespace stickslip
