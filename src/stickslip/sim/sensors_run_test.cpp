// SPDX-License-Identifier: BSD-3-Clause
// What sensors read in runs, against closed forms.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;

/// The rows of /sensors/value of a run, and where the sensors' columns begin.
struct Readings {
  RowMatrix value;
  std::vector<int> offset;
  /// All columns of sensor i in a row.
  Vector of(int i, Eigen::Index row) const {
    return value.row(row).segment(offset[i], offset[i + 1] - offset[i]).transpose();
  }
  Vector last(int i) const { return of(i, value.rows() - 1); }
};

Readings read_sensors_of(const std::string& text, const TemporaryFolder& folder) {
  RunOptions options;
  options.output = folder / "r.h5";
  EXPECT_EQ(run(parse_scene(text, "s.toml"), options).outcome, Outcome::done);
  const Trajectory result(options.output);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(result.file().open_dataset("/sensors/offset").rows()));
  result.file().open_dataset("/sensors/offset").read(0, std::span(offsets));
  return {result.read("/sensors/value"), std::vector<int>(offsets.begin(), offsets.end())};
}

/// A cube of 2 kg and .4 m at rest on the floor, whose drawing frame is in a corner; its site is upside down.
const std::string kRestingCube = R"(stickslip = 1
time = {end = 0.02, step = 1e-3}
output.every = 1e-3
[scheme]
type = "SCHEME"
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.cube]
mass = 2
inertia = [0.1, 0.1, 0.1]
centre_of_mass = [0.2, 0.2, 0.2]
position = [1, 1, 0]
shapes.hull = {type = "box", size = [0.4, 0.4, 0.4], position = [0.2, 0.2, 0.2]}
shapes.shell = {type = "box", size = [0.6, 0.6, 0.6], position = [0.2, 0.2, 0.2], visual = true}
[contact_default]
friction = 0.5
[sites.tip]
body = "cube"
position = [0.1, 0.2, 0.3]
rotation = {axis = [1, 0, 0], angle = 3.141592653589793}
[[sensors]]
name = "pose"
type = "pose"
site = "tip"
[[sensors]]
name = "imu"
type = "imu"
site = "tip"
[[sensors]]
name = "floor"
type = "contact"
body = "cube"
with = "floor"
[[sensors]]
name = "down"
type = "range"
site = "tip"
[[sensors]]
name = "near"
type = "range"
site = "tip"
max = 0.2
[[sensors]]
name = "below"
type = "contact"
body = "floor"
)";

std::string with_scheme(std::string text, const std::string& scheme) {
  return text.replace(text.find("SCHEME"), 6, scheme);
}

TEST(SensorsRun, OfACubeAtRest) {
  const TemporaryFolder folder;
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha"}) {
    SCOPED_TRACE(scheme);
    const Readings all = read_sensors_of(with_scheme(kRestingCube, scheme), folder);
    ASSERT_EQ(all.offset, (std::vector<int>{0, 7, 13, 19, 20, 21, 27}));
    ASSERT_EQ(all.value.rows(), 21);
    EXPECT_TRUE(std::isnan(all.of(2, 0)(0))) << "no step, no force";
    Vector pose(7);
    pose << 1.1, 1.2, 0.3, 0, 1, 0, 0;
    EXPECT_LT((all.last(0) - pose).norm(), 1e-9);
    Vector imu = Vector::Zero(6);
    imu(2) = -9.81;  // the site's z axis points down
    EXPECT_LT((all.last(1) - imu).norm(), 1e-6);
    Vector force = Vector::Zero(6);
    force(2) = 2 * 9.81;
    EXPECT_LT((all.last(2) - force).norm(), 1e-6);
    EXPECT_LT((all.last(5).head(3) + force.head(3)).norm(), 1e-6) << "the floor bears the opposite";
    EXPECT_NEAR(all.last(3)(0), 0.3, 1e-9) << "through its own shapes, the visual one too";
    EXPECT_TRUE(std::isinf(all.last(4)(0)));
  }
}

/// A rod on a hinge along y, released level: its centre of percussion, 2/3 of its length out, falls like a free body
/// where the rod is level, and feels the hinge along the rod only.
const std::string kFallingRod = R"(stickslip = 1
time = {end = 0.2, step = 1e-4}
[scheme]
type = "SCHEME"
[bodies.rod]
mass = 3
inertia = [1e-9, 0.25, 0.25]
position = [0.5, 0, 0]
[bodies.wall]
type = "fixed"
[joints.hinge]
type = "revolute"
between = ["wall", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
[sites.percussion]
body = "rod"
position = [0.16666666666666667, 0, 0]
[sites.end]
body = "rod"
position = [-0.5, 0, 0]
[[sensors]]
name = "imu"
type = "imu"
site = "percussion"
[[sensors]]
name = "angle"
type = "joint"
joint = "hinge"
[[sensors]]
name = "pull"
type = "wrench"
joint = "hinge"
site = "end"
[[sensors]]
name = "speed"
type = "velocity"
site = "percussion"
frame = "site"
)";

TEST(SensorsRun, OfAFallingRod) {
  const TemporaryFolder folder;
  constexpr double kMass = 3.0, kWeight = 9.81;
  for (const auto& [scheme, share] : {std::pair("generalized-alpha", 1e-6), std::pair("moreau", 2e-3)}) {
    SCOPED_TRACE(scheme);
    const Readings all = read_sensors_of(with_scheme(kFallingRod, scheme), folder);
    const double angle = all.last(1)(0), rate = all.last(1)(1);
    EXPECT_NEAR(rate * rate, 3.0 * kWeight * std::sin(angle), share * 30.0) << "energy";
    EXPECT_EQ(all.last(1)(2), 0.0) << "no effort";
    // Along the rod: the acceleration to the hinge, and gravity; across it nothing.
    const double along = -rate * rate * 2.0 / 3.0 - kWeight * std::sin(angle);
    EXPECT_NEAR(all.last(0)(0), along, share * 20.0);
    EXPECT_NEAR(all.last(0)(2), 0.0, share * 20.0);
    EXPECT_NEAR(all.last(0)(4), rate, 1e-12);
    // The hinge: m (rate^2 l/2 + g sin) towards it, and a quarter of the weight's part across.
    EXPECT_NEAR(all.last(2)(0), -kMass * (0.5 * rate * rate + kWeight * std::sin(angle)), share * 60.0);
    EXPECT_NEAR(all.last(2)(2), 0.25 * kMass * kWeight * std::cos(angle), share * 60.0);
    EXPECT_NEAR(all.last(2).tail(3).norm(), 0.0, share * 20.0) << "no torque about the hinge";
    EXPECT_NEAR(all.last(3)(2), -rate * 2.0 / 3.0, share * 2e-3);
  }
}

/// A ball that falls onto the floor and bounces within a step, where it is open at the step's end.
TEST(SensorsRun, ContactsOfABounceWithinAStepCount) {
  const TemporaryFolder folder;
  const std::string bounce = R"(stickslip = 1
time = {end = 0.25, step = 1e-3}
output.every = 1e-3
[scheme]
type = "SCHEME"
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.ball]
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0.3]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "floor"
between = ["floor", "ball"]
restitution = {normal = 0.5}
[sites.centre]
body = "ball"
[[sensors]]
name = "floor"
type = "contact"
body = "ball"
[[sensors]]
name = "speed"
type = "velocity"
site = "centre"
)";
  for (const char* scheme : {"moreau", "ccp", "generalized-alpha", "event-driven"}) {
    SCOPED_TRACE(scheme);
    const Readings all = read_sensors_of(with_scheme(bounce, scheme), folder);
    double impulse = 0.0;
    for (Eigen::Index row = 1; row < all.value.rows(); ++row) impulse += 1e-3 * all.of(0, row)(2);
    const double momentum = 2.0 * all.last(1)(2);
    EXPECT_GT(momentum, 0.1) << "it has bounced";
    EXPECT_NEAR(impulse, momentum + 2.0 * 9.81 * 0.25, 1e-6);
  }
}

/// A ball that spins on the floor: the torque about its centre is what slows it.
TEST(SensorsRun, SpinningFrictionIsInTheTorqueOfContacts) {
  const TemporaryFolder folder;
  const std::string spin = R"(stickslip = 1
time = {end = 0.01, step = 1e-3}
output.every = 1e-3
[scheme]
type = "SCHEME"
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.ball]
mass = 4
inertia = [0.016, 0.016, 0.016]
position = [0, 0, 0.1]
angular_velocity = [0, 0, 5]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "floor"
between = ["floor", "ball"]
friction = 1
spinning = 0.01
[[sensors]]
name = "ball"
type = "contact"
body = "ball"
[[sensors]]
name = "floor"
type = "contact"
body = "floor"
)";
  constexpr double kTorque = 0.01 * 4.0 * 9.81;
  for (const char* scheme : {"moreau", "ccp", "generalized-alpha", "relaxation"}) {
    SCOPED_TRACE(scheme);
    const Readings all = read_sensors_of(with_scheme(spin, scheme), folder);
    EXPECT_NEAR(all.last(0)(5), -kTorque, 1e-6);
    EXPECT_NEAR(all.last(1)(5), kTorque, 1e-6) << "on the floor the other way round";
  }
}

TEST(SensorsRun, ReadTheSameInAResumedRun) {
  const TemporaryFolder folder;
  Scene scene = parse_scene(with_scheme(kFallingRod, "moreau"), "s.toml");
  scene.time.end = 0.01;
  scene.output.every = 5e-4;
  RunOptions options;
  options.output = folder / "whole.h5";
  run(scene, options);
  Scene part = scene;
  part.time.end = 0.0047;
  options.output = folder / "part.h5";
  run(part, options);
  options.resume = folder / "part.h5";
  run(scene, options);
  EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / "part.h5"));
}

TEST(SensorsRun, MistakesAreNamed) {
  struct Mistake {
    std::string from, to, part;
  };
  const std::vector<Mistake> mistakes = {
      {"site = \"tip\"", "site = \"tap\"", "did you mean 'tip'?"},
      {"type = \"pose\"", "type = \"gps\"", "gps"},
      {"with = \"floor\"", "with = \"cube\"", "another body"},
      {"max = 0.2", "max = 0", "> 0"},
      {"name = \"imu\"", "name = \"pose\"", "another sensor has this one"},
      {"body = \"floor\"", "body = \"flor\"", "did you mean 'floor'?"},
      {"max = 0.2", "joint = \"j\"", "joint"},
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.to);
    std::string text = with_scheme(kRestingCube, "moreau");
    text.replace(text.find(mistake.from), mistake.from.size(), mistake.to);
    try {
      parse_scene(text, "s.toml");
      ADD_FAILURE() << "taken";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("s.toml:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace stickslip
