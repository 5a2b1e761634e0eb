// SPDX-License-Identifier: BSD-3-Clause
// Momentum and energy: what free flight keeps and contact may only take.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/support/scene_run.h"
#include "tests/support/without_traps.h"

namespace stickslip {
namespace {

using test::scene_from_text;
using test::SceneRun;

/// Total linear momentum, and angular momentum about the world's origin.
std::pair<Vector3, Vector3> momenta(const SceneRun& run) {
  const System& system = *run.built.system;
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.n_u == 0) continue;
    const int k = static_cast<int>(i);
    const Pose pose = system.calc_pose(k, run.state.t, run.state.q);
    const Twist twist = system.calc_twist(k, run.state.t, run.state.q, run.state.u);
    linear += body.mass * twist.v_WB;
    angular += pose.p_WB.cross(body.mass * twist.v_WB) + pose.R_WB * body.inertia * pose.R_WB.transpose() * twist.w_WB;
  }
  return {linear, angular};
}

constexpr const char* kFreeFlight = R"toml(
stickslip = 1
gravity = [0, 0, 0]
time = {end = 5, step = 1e-3}
[bodies.a]
mass = 2.0
inertia = [0.3, 0.5, 0.6]
position = [0.1, 0.2, 0.3]
velocity = [1.0, -2.0, 0.5]
angular_velocity = [0.1, 7.0, 0.2]
[bodies.b]
mass = 0.5
inertia = [[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.5]]
position = [3, 2, 1]
velocity = [-1.0, 0.3, 0.2]
angular_velocity = [3.0, -2.0, 1.0]
)toml";

TEST(FreeFlight, KeepsMomentaToRoundOff) {
  SceneRun run = scene_from_text(kFreeFlight);
  const auto [linear0, angular0] = momenta(run);
  double worst_linear = 0.0;
  double worst_angular = 0.0;
  run.run([&](const SceneRun& r) {
    const auto [linear, angular] = momenta(r);
    worst_linear = std::max(worst_linear, (linear - linear0).norm());
    worst_angular = std::max(worst_angular, (angular - angular0).norm());
    EXPECT_LE(std::abs(r.state.q.segment<4>(3).norm() - 1.0), 1e-14);
  });
  // 5000 steps of round-off in positions, quaternions and velocities.
  EXPECT_LE(worst_linear, 1e-13 * linear0.norm());
  EXPECT_LE(worst_angular, 5e-12 * angular0.norm());
  EXPECT_LE(std::abs(run.report.energy_error), 1e-3 * run.state.energy.initial);  // bounded, O(h^2)
}

TEST(FreeFlight, KeepsMomentaWithASpringBetweenTheBodies) {
  SceneRun run = scene_from_text(std::string(kFreeFlight) + R"toml(
[forces.spring]
type = "spring"
between = ["a", "b"]
at_a = [0.1, 0.2, 0.0]
at_b = [0.0, -0.1, 0.3]
stiffness = 20
damping = 0.5
rest = 2
)toml");
  const auto [linear0, angular0] = momenta(run);
  double worst_linear = 0.0;
  double worst_angular = 0.0;
  run.run([&](const SceneRun& r) {
    const auto [linear, angular] = momenta(r);
    worst_linear = std::max(worst_linear, (linear - linear0).norm());
    worst_angular = std::max(worst_angular, (angular - angular0).norm());
  });
  EXPECT_LE(worst_linear, 1e-12 * linear0.norm());
  EXPECT_LE(worst_angular, 5e-12 * angular0.norm());
}

constexpr const char* kThrownBox = R"toml(
stickslip = 1
time = {end = 3, step = 1e-3}
[bodies.box]
density = 500
position = [0, 0, 1]
rotation = {axis = [1, 2, 3], angle = 0.7}
velocity = [3, 1, 0]
angular_velocity = [4, -6, 2]
shapes.hull = {type = "box", size = [0.3, 0.2, 0.15]}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[contacts]]
name = "box-floor"
between = ["floor", "box"]
friction = 0.4
)toml";

TEST(Contact, NeverAddsEnergyWithoutRestitution) {
  // The percussions' work over a step is P . (gamma + gamma') / 2. The law makes P . gamma' <= 0; what is left,
  // P . (gamma - gamma_free) / 2, is the discretisation term: at most |P| h g / 2 for each contact point.
  SceneRun run = scene_from_text(kThrownBox);
  const double g = 9.81;
  double dissipated = 0.0;
  double bound = 0.0;
  bool touched = false;
  run.run([&](const SceneRun& r) {
    double percussion = 0.0;
    for (const ContactReport& c : r.report.contacts) {
      percussion += std::sqrt(c.percussion[0] * c.percussion[0] + c.percussion[1] * c.percussion[1] +
                              c.percussion[2] * c.percussion[2]);
    }
    touched = touched || percussion > 0.0;
    const double term = 0.5 * percussion * r.scene.time.step * g;
    EXPECT_GE(r.report.dissipated - dissipated, -term - 1e-12) << "t = " << r.state.t;
    dissipated = r.report.dissipated;
    bound += term;
    // The energy itself: what the scheme gains in free rotation is O(h^2).
    EXPECT_LE(r.report.kinetic_energy + r.report.potential_energy, r.state.energy.initial * (1.0 + 1e-4));
  });
  EXPECT_TRUE(touched);
  EXPECT_LT(bound, 0.05 * run.state.energy.initial);  // so that the bound above says something
  EXPECT_GT(run.report.dissipated, 0.5 * run.state.energy.initial);
  EXPECT_LE(std::abs(run.report.energy_error), 1e-4 * run.state.energy.initial);
}

TEST(Contact, BalancesMomentumWithTheReportedPercussions) {
  SceneRun run = scene_from_text(kThrownBox);
  const double h = run.scene.time.step;
  const double m = run.built.system->bodies()[0].mass;
  Vector3 before = run.state.u.head<3>();
  run.run([&](const SceneRun& r) {
    Vector3 percussion = Vector3::Zero();
    for (const ContactReport& c : r.report.contacts) {
      percussion +=
          c.percussion[0] * c.normal + c.percussion[1] * c.tangent + c.percussion[2] * c.normal.cross(c.tangent);
    }
    const Vector3 change = m * (r.state.u.head<3>() - before) - h * m * Vector3(0, 0, -9.81);
    EXPECT_LE((change - percussion).norm(), 1e-12);
    before = r.state.u.head<3>();
  });
}

constexpr const char* kSpinningImpact = R"toml(
stickslip = 1
gravity = [0, 0, 0]
time = {end = 0.4, step = 1e-3}
[bodies.body]
mass = 1
inertia = [0.02, 0.03, 0.04]
position = [0, 0, 0.6]
velocity = [0.5, 0, -2]
angular_velocity = [20, 30, -28]
shapes.ball = {type = "sphere", radius = 0.2, position = [0.1, 0.05, 0]}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[contacts]]
name = "ball-floor"
between = ["floor", "body"]
friction = 0.4
)toml";

/// Errors of the balances where a fast-spinning body hits the floor.
struct ImpactErrors {
  double energy_jump = 0.0;     // [J] largest change of energy_error in a step with contact
  double angular_defect = 0.0;  // [N m s] largest |change of L about the centre - r x P| in a step
};

ImpactErrors spinning_impact(double step) {
  SceneRun run = scene_from_text(kSpinningImpact);
  run.scene.time.step = step;
  const System& system = *run.built.system;
  ImpactErrors errors;
  const auto spin = [&](const SceneRun& r) -> Vector3 {
    const Pose pose = system.calc_pose(0, r.state.t, r.state.q);
    return pose.R_WB * (system.bodies()[0].inertia * r.state.u.tail<3>());
  };
  double energy_error = 0.0;
  Vector3 before = spin(run);
  Vector3 position = run.state.q.head<3>();
  Vector3 velocity = run.state.u.head<3>();
  bool touched = false;
  run.run([&](const SceneRun& r) {
    const ContactReport& c = r.report.contacts[0];
    const Vector3 P =
        c.percussion[0] * c.normal + c.percussion[1] * c.tangent + c.percussion[2] * c.normal.cross(c.tangent);
    const Vector3 arm = c.position - (position + 0.5 * step * velocity);
    errors.angular_defect = std::max(errors.angular_defect, (spin(r) - before - arm.cross(P)).norm());
    if (P.norm() > 0.0) {
      errors.energy_jump = std::max(errors.energy_jump, std::abs(r.report.energy_error - energy_error));
      touched = true;
    }
    energy_error = r.report.energy_error;
    before = spin(r);
    position = r.state.q.head<3>();
    velocity = r.state.u.head<3>();
  });
  EXPECT_TRUE(touched);
  return errors;
}

TEST(Contact, BalancesOfASpinningImpactHaveTheirOrders) {
  const ImpactErrors coarse = spinning_impact(1e-3);
  const ImpactErrors fine = spinning_impact(2.5e-4);
  // Energy: only free rotation errs, O(h^3) in a step; the impact itself adds nothing of lower order.
  EXPECT_LT(fine.energy_jump, coarse.energy_jump / 8.0);
  // Angular momentum: O(h) times the moment of the impact.
  EXPECT_LT(fine.angular_defect, coarse.angular_defect / 2.5);
  EXPECT_LT(coarse.angular_defect, 0.01);
}

TEST(MovingFloor, ThatLeavesTheRealNumbersFailsTheStep) {
  SceneRun run = scene_from_text(R"toml(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.2, step = 1e-3}
[bodies.disc]
type = "planar"
mass = 1
inertia = 0.004
position = [0, 0.11]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.floor]
type = "moving"
position = [0, "0.01*sqrt(0.1005-t)"]
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[[contacts]]
name = "disc-floor"
between = ["floor", "disc"]
)toml");
  const test::WithoutTraps no_traps;
  Status status = Status::ok;
  Vector last;
  while (status == Status::ok && run.state.step < 200) {
    last = run.state.q;
    status = run.step();
  }
  EXPECT_EQ(status, Status::failed);
  EXPECT_EQ(run.state.step, 100);
  EXPECT_EQ(run.state.q, last);
  EXPECT_NE(run.report.message.find("body 'floor'"), std::string::npos) << run.report.message;
}

TEST(MovingTable, ItsWorkIsAccountedFor) {
  // A block rests on a table that swings up and down and carries it sideways by friction.
  SceneRun run = scene_from_text(R"toml(
stickslip = 1
time = {end = 2, step = 1e-3}
[bodies.block]
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0.1]
velocity = [0.3, 0, 0.25]
shapes.hull = {type = "box", size = [0.2, 0.2, 0.2]}
[bodies.table]
type = "moving"
position = ["0.1*sin(3*t)", 0, "0.05*sin(5*t)"]
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[contacts]]
name = "block-table"
between = ["table", "block"]
friction = 0.6
)toml");
  double worst = 0.0;
  run.run([&](const SceneRun& r) { worst = std::max(worst, std::abs(r.report.energy_error)); });
  EXPECT_GT(std::abs(run.report.work), 0.01);
  EXPECT_LE(worst, 1e-9);  // only gravity and percussions act: the balance is exact
}

}  // namespace
}  // namespace stickslip
