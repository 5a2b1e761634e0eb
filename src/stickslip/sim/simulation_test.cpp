// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/simulation.h"

#include <gtest/gtest.h>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/rollout.h"

namespace stickslip {
namespace {

constexpr const char* kRollingBall = R"(
stickslip = 1
time = {end = 0.4, step = 1e-3}
scheme = {type = "moreau"}
[bodies.ball]
mass = 2.0
inertia = [0.02, 0.02, 0.02]
position = [0, 0, 0.2]
velocity = [1, 0, 0]
shapes.s = {type = "sphere", radius = 0.1}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[[contacts]]
between = ["ground", "ball"]
friction = 0.3
)";

Scene rolling_ball() {
  return parse_scene(kRollingBall, "ball.toml");
}

void move(Simulation& simulation, int n) {
  for (int k = 0; k < n; ++k) ASSERT_EQ(simulation.step(), Status::ok);
}

TEST(Simulation, ShowsFreeFallUntilItTouches) {
  Simulation simulation(rolling_ball());
  const double* place = simulation.shown_q().data();
  move(simulation, 100);
  EXPECT_NEAR(simulation.shown_q()(2), 0.2 - 0.5 * 9.81 * 0.01, 1e-14);
  EXPECT_EQ(simulation.shown_q().data(), place);
  EXPECT_NEAR(simulation.calc_imu(0, Vector3::Zero()).acceleration.norm(), 0.0, 1e-9);
  move(simulation, 300);
  EXPECT_TRUE(simulation.done());
  EXPECT_NEAR(simulation.calc_contact_force(0).z(), 2.0 * 9.81, 1e-9);
  // A sphere on its plane: 1/m, and 1/m + r^2/J along it.
  const Matrix W = simulation.calc_contact_delassus();
  ASSERT_EQ(W.rows(), 3);
  EXPECT_NEAR((W - Vector3(0.5, 1.0, 1.0).asDiagonal().toDenseMatrix()).norm(), 0.0, 1e-9);
}

TEST(Simulation, GoesOnFromASavedStateWithTheSameBits) {
  Simulation simulation(rolling_ball()), other(rolling_ball(), true);
  move(simulation, 150);
  simulation.inputs().set_force(simulation.system(), 0, Vector3(1, 0, 0));
  move(simulation, 10);
  const std::vector<std::byte> bytes = simulation.save().to_bytes();
  move(simulation, 200);
  other.restore(SavedState::from_bytes(bytes));
  EXPECT_TRUE(std::isnan(other.report().contacts.at(0).force[0]));
  move(other, 200);
  EXPECT_EQ(other.save().to_bytes(), simulation.save().to_bytes());
  for (std::size_t n = 0; n < bytes.size(); n += 8) {
    EXPECT_THROW(SavedState::from_bytes(std::span(bytes).first(n)), InputError);
  }
}

TEST(Simulation, RefusesStatesOfOthers) {
  Simulation simulation(rolling_ball());
  Scene other = rolling_ball();
  other.bodies[0].name = "marble";
  other.contacts[0].between[1].body = "marble";
  EXPECT_THROW(Simulation(other).restore(simulation.save()), InputError);
  move(simulation, 3);
  Scene longer = rolling_ball();
  longer.time.step = 1.7e-3;
  EXPECT_THROW(Simulation(longer).restore(simulation.save()), InputError);
  const Vector q = Vector::Zero(7);
  EXPECT_THROW(simulation.reset(&q), InputError);
}

TEST(Rollout, HasTheBitsOfSerialRuns) {
  Simulation serial(rolling_ball());
  RolloutOptions options;
  options.scenes = {std::make_shared<const Scene>(rolling_ball())};
  options.endless = {false};
  for (int k = 0; k < 6; ++k) {
    move(serial, 20);
    options.states.emplace_back(serial.save());
  }
  options.n_runs = 6;
  options.n_steps = 40;
  options.n_threads = 3;
  std::atomic<bool> stop = false;
  const std::vector<RolloutRun> runs = roll_out(options, stop);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    serial.restore(*options.states[i]);
    move(serial, 40);
    ASSERT_EQ(runs[i].q.size(), 40U * 7U);
    EXPECT_EQ(Vector(ConstVectorView(runs[i].q.data() + 39 * 7, 7)), serial.shown_q());
    EXPECT_EQ(runs[i].time.back(), serial.state().t);
  }
  stop = true;
  EXPECT_THROW(roll_out(options, stop), Interrupted);
}

}  // namespace
}  // namespace stickslip
