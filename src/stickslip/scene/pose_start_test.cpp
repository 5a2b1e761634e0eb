// SPDX-License-Identifier: BSD-3-Clause
// Poses by joints: parents, starts, references, loops; against poses and velocities computed by hand.
#include "stickslip/scene/pose_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

constexpr double kRounding = 1e-14;  // [m, rad]
constexpr double kPi = std::numbers::pi;

BuiltScene build_posed(const std::string& parts) {
  const Scene scene = parse_scene("stickslip = 1\ntime = {end = 1, step = 1e-3}\n" + parts, "test.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
  return build(scene);
}

Pose pose_of(const BuiltScene& built, const std::string& body) {
  return built.system->calc_pose(built.system->find_body(body), built.initial.t, built.initial.q);
}

Twist twist_of(const BuiltScene& built, const std::string& body) {
  return built.system->calc_twist(built.system->find_body(body), built.initial.t, built.initial.q, built.initial.u);
}

double coordinate_of(const BuiltScene& built, const std::string& joint, int c = 0) {
  return built.system->calc_joint_coordinate(built.system->find_joint(joint), c, built.initial.t, built.initial.q);
}

double rate_of(const BuiltScene& built, const std::string& joint, int c = 0) {
  return built.system
      ->calc_joint_coordinate(built.system->find_joint(joint), c, built.initial.t, built.initial.q, built.initial.u)
      .rate;
}

/// The largest violation of any joint, of positions.
double violation_of(const BuiltScene& built) {
  double most = 0.0;
  JointVector g;
  for (std::size_t j = 0; j < built.system->joints().size(); ++j) {
    if (built.system->joints()[j].dim == 0) continue;
    built.system->calc_joint_position(static_cast<int>(j), built.initial.t, built.initial.q, g);
    most = std::max(most, g.lpNorm<Eigen::Infinity>());
  }
  return most;
}

double velocity_violation_of(const BuiltScene& built) {
  double most = 0.0;
  JointVector gamma;
  for (std::size_t j = 0; j < built.system->joints().size(); ++j) {
    if (built.system->joints()[j].dim == 0) continue;
    built.system->calc_joint_velocity(static_cast<int>(j), built.initial.t, built.initial.q, built.initial.u, gamma);
    most = std::max(most, gamma.lpNorm<Eigen::Infinity>());
  }
  return most;
}

std::string error_of(const std::string& parts) {
  try {
    build_posed(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kArm = R"(
[bodies.base]
type = "fixed"
position = [1, 2, 3]
rotation = {axis = [0, 0, 1], angle = 1.5707963267948966}
[bodies.fore]
mass = 1
inertia = [1, 1, 1]
centre_of_mass = [0.25, 0, 0]
parent = "upper"
position = [1, 0, 0]
[bodies.upper]
mass = 2
inertia = [1, 1, 1]
centre_of_mass = [0.5, 0, 0]
parent = "base"
position = [0, 0, 0.5]
[joints.shoulder]
type = "revolute"
between = ["base", "upper"]
local = true
axis = [0, 0, 1]
)";

TEST(PoseStart, FollowsParentsAsDrawn) {
  const BuiltScene built = build_posed(kArm + std::string(R"([joints.elbow]
type = "revolute"
between = ["upper", "fore"]
local = true
axis = [0, -1, 0]
)"));
  EXPECT_LT((pose_of(built, "upper").p_WB - Vector3(1, 2.5, 3.5)).norm(), kRounding)
      << "x of the base is y of the world";
  EXPECT_LT((pose_of(built, "fore").p_WB - Vector3(1, 3.25, 3.5)).norm(), kRounding);
  EXPECT_LT(violation_of(built), kRounding);
  EXPECT_EQ(coordinate_of(built, "elbow"), 0.0);
}

TEST(PoseStart, FollowsStartsAndRatesOfAChain) {
  // The shoulder turns by half a turn back, the elbow lifts the forearm by a right angle.
  const BuiltScene built = build_posed(kArm + std::string(R"(start = -1.5707963267948966
start_rate = 2
[joints.elbow]
type = "revolute"
between = ["fore", "upper"]
local = true
at = [1, 0, 0]
axis = [0, 1, 0]
reference = 0.25
start = 1.8207963267948966
start_rate = 3
)"));
  EXPECT_LT((pose_of(built, "upper").p_WB - Vector3(1.5, 2, 3.5)).norm(), kRounding);
  EXPECT_LT((pose_of(built, "upper").R_WB - Matrix3::Identity()).norm(), kRounding);
  // The forearm is the first body: it turns about +y by minus the coordinate, from the elbow at (2, 2, 3.5).
  EXPECT_LT((pose_of(built, "fore").p_WB - Vector3(2, 2, 3.75)).norm(), kRounding);
  EXPECT_NEAR(coordinate_of(built, "shoulder"), -0.5 * kPi, kRounding);
  EXPECT_NEAR(coordinate_of(built, "elbow"), 0.25 + 0.5 * kPi, kRounding);
  EXPECT_NEAR(rate_of(built, "shoulder"), 2.0, kRounding);
  EXPECT_NEAR(rate_of(built, "elbow"), 3.0, kRounding);
  EXPECT_LT((twist_of(built, "upper").v_WB - Vector3(0, 1, 0)).norm(), kRounding);
  // w = 2 e_z - 3 e_y; v = (elbow: (0, 2, 0)) + w x (0, 0, 0.25)
  EXPECT_LT((twist_of(built, "fore").w_WB - Vector3(0, -3, 2)).norm(), kRounding);
  EXPECT_LT((twist_of(built, "fore").v_WB - Vector3(-0.75, 2, 0)).norm(), kRounding);
  EXPECT_LT(violation_of(built), kRounding);
  EXPECT_LT(velocity_violation_of(built), kRounding);
}

TEST(PoseStart, CountsWholeTurns) {
  const BuiltScene built = build_posed(kArm + std::string(R"(reference = 1
start = 20
[joints.elbow]
type = "prismatic"
between = ["upper", "fore"]
local = true
axis = [1, 0, 0]
start = 0.5
)"));
  EXPECT_NEAR(coordinate_of(built, "shoulder"), 20.0, kRounding);
  EXPECT_NEAR(coordinate_of(built, "elbow"), 0.5, kRounding);
  const double angle = 0.5 * kPi + 19.0;
  EXPECT_LT(
      (pose_of(built, "fore").p_WB - (Vector3(1, 2, 3.5) + 1.75 * Vector3(std::cos(angle), std::sin(angle), 0))).norm(),
      kRounding);
}

/// A joint of several coordinates between a fixed body and one that hangs on it.
BuiltScene build_one(const std::string& joint) {
  return build_posed(R"([bodies.base]
type = "fixed"
[bodies.link]
mass = 1
inertia = [1, 1, 1]
parent = "base"
position = [0.1, 0.2, 0.3]
rotation = {axis = [1, 2, 3], angle = 0.7}
[joints.j]
between = ["base", "link"]
)" + joint);
}

TEST(PoseStart, TakesJointsOfSeveralCoordinates) {
  const std::string places = "local = true\nat = [0.3, -0.1, 0.2]\naxis = [1, 1, 0]\n";
  for (const std::string& joint :
       {"type = \"cylindrical\"\nstart = [0.4, 2.5]\nstart_rate = [0.3, 0.7]\n" + places,
        "type = \"universal\"\nstart = [1.1, -0.6]\nstart_rate = [0.3, 0.7]\naxis2 = [1, -1, 2]\n" + places,
        "type = \"planar\"\nstart = [1.1, -0.6, 3.0]\nstart_rate = [0.3, 0.7, -2]\n" + places}) {
    const BuiltScene built = build_one(joint);
    const Scene scene = parse_scene(
        to_toml(parse_scene("stickslip = 1\ntime = {end = 1, step = 1}\n[joints.j]\nbetween = [\"a\", \"b\"]\n" + joint,
                            "t.toml")),
        "t.toml");
    for (std::size_t c = 0; c < scene.joints[0].start.size(); ++c) {
      EXPECT_NEAR(coordinate_of(built, "j", static_cast<int>(c)), scene.joints[0].start[c], kRounding) << joint;
      EXPECT_NEAR(rate_of(built, "j", static_cast<int>(c)), scene.joints[0].start_rate[c], kRounding) << joint;
    }
    EXPECT_LT(violation_of(built), kRounding) << joint;
    EXPECT_LT(velocity_violation_of(built), kRounding) << joint;
  }
}

TEST(PoseStart, TurnsASphericalJointInTheSecondBodysFrame) {
  const BuiltScene built = build_one(R"(type = "spherical"
local = true
at = [0, 0, -1]
start = [1, 1, 0, 0]
start_rate = [0, 2, 0]
)");
  const Matrix3 drawn = axis_angle_matrix(Vector3(1, 2, 3).normalized(), 0.7);
  const Matrix3 R = drawn * axis_angle_matrix(Vector3::UnitX(), 0.5 * kPi);
  const Vector3 joint = Vector3(0.1, 0.2, 0.3) + drawn * Vector3(0, 0, -1);
  EXPECT_LT((pose_of(built, "link").R_WB - R).norm(), kRounding);
  EXPECT_LT((pose_of(built, "link").p_WB - (joint + R * Vector3(0, 0, 1))).norm(), kRounding);
  EXPECT_LT((twist_of(built, "link").w_WB - R * Vector3(0, 2, 0)).norm(), kRounding);
  EXPECT_LT(velocity_violation_of(built), kRounding);
}

/// A parallelogram with cranks of 1 and a coupler of 2, drawn upright; the last joint closes it.
std::string parallelogram(const std::string& crank, const std::string& rocker = "") {
  return R"(gravity = [0, 0, 0]
[bodies.ground]
type = "fixed"
[bodies.crank]
mass = 1
inertia = [1, 1, 1]
parent = "ground"
centre_of_mass = [0, 0, 0.5]
[bodies.coupler]
mass = 1
inertia = [1, 1, 1]
parent = "crank"
position = [0, 0, 1]
centre_of_mass = [1, 0, 0]
[bodies.rocker]
mass = 1
inertia = [1, 1, 1]
parent = "ground"
position = [2, 0, 0]
centre_of_mass = [0, 0, 0.5]
[joints.a]
type = "revolute"
between = ["ground", "crank"]
local = true
axis = [0, 1, 0]
)" + crank +
         R"([joints.b]
type = "revolute"
between = ["crank", "coupler"]
local = true
axis = [0, 1, 0]
[joints.d]
type = "revolute"
between = ["ground", "rocker"]
local = true
axis = [0, 1, 0]
)" + rocker +
         R"([joints.c]
type = "revolute"
between = ["rocker", "coupler"]
at = [2, 0, 0]
local = true
axis = [0, 1, 0]
)";
}

TEST(PoseStart, ClosesALoopAndKeepsTheStart) {
  const BuiltScene built = build_posed(parallelogram("start = 0.8\nstart_rate = 1.5\n"));
  EXPECT_LT(violation_of(built), 1e-12);
  EXPECT_LT(velocity_violation_of(built), 1e-12);
  EXPECT_NEAR(coordinate_of(built, "a"), 0.8, kRounding);
  EXPECT_NEAR(coordinate_of(built, "d"), 0.8, 1e-12) << "a parallelogram";
  EXPECT_NEAR(coordinate_of(built, "b"), -0.8, 1e-12);
  EXPECT_NEAR(rate_of(built, "d"), 1.5, 1e-12);
  EXPECT_NEAR(rate_of(built, "b"), -1.5, 1e-12);
}

TEST(PoseStart, MovesByAsLittleAsItTakes) {
  // The slider is drawn 0.3 off the rod's end: of the rod's angle and the slide the nearest pair on the circle.
  const BuiltScene built = build_posed(R"(gravity = [0, 0, 0]
[bodies.ground]
type = "fixed"
[bodies.rod]
mass = 1
inertia = [1, 1, 1]
parent = "ground"
[bodies.slider]
mass = 1
inertia = [1, 1, 1]
parent = "ground"
position = [0.9, 0, 0.3]
[joints.hinge]
type = "revolute"
between = ["ground", "rod"]
local = true
axis = [0, -1, 0]
[joints.lift]
type = "prismatic"
between = ["ground", "slider"]
local = true
axis = [0, 0, 1]
[joints.end]
type = "distance"
between = ["ground", "slider"]
length = 1
)");
  // x^2 + z^2 = 1 with x = 0.9 leaves z = sqrt(0.19) alone.
  EXPECT_NEAR(coordinate_of(built, "lift"), std::sqrt(0.19) - 0.3, 1e-12);
  EXPECT_EQ(coordinate_of(built, "hinge"), 0.0) << "it closes nothing";
}

TEST(PoseStart, FindsTheNearestOfManySolutions) {
  // Two slides carry a point that a rod of length 1 holds: the nearest point of the circle to (0.6, 1.2) is along it.
  const BuiltScene built = build_posed(R"(gravity = [0, 0, 0]
[bodies.ground]
type = "fixed"
[bodies.cross]
mass = 1
inertia = [1, 1, 1]
parent = "ground"
[bodies.slider]
mass = 1
inertia = [1, 1, 1]
parent = "cross"
position = [0.6, 0, 1.2]
[joints.x]
type = "prismatic"
between = ["ground", "cross"]
local = true
axis = [1, 0, 0]
[joints.z]
type = "prismatic"
between = ["cross", "slider"]
local = true
axis = [0, 0, 1]
[joints.rod]
type = "distance"
between = ["ground", "slider"]
length = 1
)");
  EXPECT_LT((pose_of(built, "slider").p_WB - Vector3(0.6, 0, 1.2).normalized()).norm(), 1e-9);
  EXPECT_LT(violation_of(built), 1e-12);
}

TEST(PoseStart, StartsOfBodiesWithoutParentsMoveThem) {
  const BuiltScene built = build_posed(R"([bodies.ground]
type = "fixed"
[bodies.rod]
mass = 1
inertia = [1, 1, 1]
position = [0.5, 0, 0]
[joints.hinge]
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, -1, 0]
start = 0.5
)");
  EXPECT_NEAR(coordinate_of(built, "hinge"), 0.5, 1e-12);
  EXPECT_LT((pose_of(built, "rod").p_WB - 0.5 * Vector3(std::cos(0.5), 0, std::sin(0.5))).norm(), 1e-12);
}

TEST(PoseStart, WorksInAPlane) {
  const BuiltScene built = build_posed(R"(gravity = [0, 0]
[bodies.ground]
type = "fixed"
position = [1, 0]
angle = 0.3
[bodies.arm]
type = "planar"
mass = 1
inertia = 1
parent = "ground"
angle = 0.2
centre_of_mass = [0.5, 0]
[bodies.hand]
type = "planar"
mass = 1
inertia = 1
parent = "arm"
position = [1, 0]
[joints.shoulder]
type = "revolute"
between = ["ground", "arm"]
local = true
start = 7
start_rate = 2
[joints.wrist]
type = "prismatic"
between = ["arm", "hand"]
local = true
axis = [0, 1]
start = 0.25
start_rate = -1
)");
  const double angle = 7.5;
  const Vector3 along(std::cos(angle), std::sin(angle), 0.0);
  const Vector3 across(-std::sin(angle), std::cos(angle), 0.0);
  EXPECT_LT((pose_of(built, "arm").p_WB - (Vector3(1, 0, 0) + 0.5 * along)).norm(), kRounding);
  EXPECT_LT((pose_of(built, "hand").p_WB - (Vector3(1, 0, 0) + along + 0.25 * across)).norm(), kRounding);
  EXPECT_NEAR(coordinate_of(built, "shoulder"), 7.0, kRounding);
  EXPECT_NEAR(coordinate_of(built, "wrist"), 0.25, kRounding);
  EXPECT_LT((twist_of(built, "hand").v_WB - (2.0 * across - 0.5 * along - across)).norm(), kRounding);
  EXPECT_LT(violation_of(built), kRounding);
  EXPECT_LT(velocity_violation_of(built), kRounding);
}

TEST(PoseStart, GearsHoldFromTheStartsOrAnOffset) {
  const std::string with_gear = kArm + std::string(R"(start = 0.5
[joints.elbow]
type = "revolute"
between = ["upper", "fore"]
local = true
axis = [0, 0, 1]
[joints.teeth]
type = "gear"
joints = ["shoulder", "elbow"]
ratio = 2
)");
  EXPECT_EQ(coordinate_of(build_posed(with_gear), "elbow"), 0.0);
  const BuiltScene built = build_posed(with_gear + "offset = 0.1\n");
  EXPECT_NEAR(coordinate_of(built, "shoulder"), 0.5, kRounding);
  EXPECT_NEAR(coordinate_of(built, "elbow"), 1.1, 1e-12);
}

TEST(PoseStart, RefusesWhatCannotBe) {
  EXPECT_NE(error_of(parallelogram("start = 0.8\n", "start = -0.8\n")).find("joints.c: a joint that can be closed"),
            std::string::npos);
  const std::string one = "[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\nparent = \"b\"\n[bodies.b]\n";
  EXPECT_NE(error_of(one + "type = \"fixed\"\nparent = \"a\"\n").find("bodies.b.parent: \"a\": a fixed body"),
            std::string::npos);
  EXPECT_NE(error_of(one + "mass = 1\ninertia = [1, 1, 1]\nparent = \"a\"\n").find("in a circle"), std::string::npos);
  EXPECT_NE(
      error_of(one + "mass = 1\ninertia = [1, 1, 1]\nparent = \"c\"\n").find("test.toml:10:10: bodies.b.parent: \"c\""),
      std::string::npos);
  EXPECT_NE(error_of(kArm + std::string("limits = [-1, 1]\nstart = 2\n")).find("within the limits"), std::string::npos);
  EXPECT_NE(error_of(one + "type = \"fixed\"\n[bodies.c]\nmass = 1\ninertia = [1, 1, 1]\nparent = \"a\"\nvelocity = "
                           "[1, 0, 0]\n")
                .find("start_rate"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip
