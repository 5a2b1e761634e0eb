// SPDX-License-Identifier: BSD-3-Clause
// Joints in space as scenes state them: by a place and axes or by two frames, where coordinates begin, what is
// projected.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "stickslip/math/rotation.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/redundant_joints.h"

namespace stickslip {
namespace {

constexpr const char* kGroundAndArm = R"toml(stickslip = 1
time = {end = 1, step = 1e-2}
[bodies.ground]
type = "fixed"
position = [0.1, 0, 0]
rotation = {axis = [0, 0, 1], angle = 0.2}
[bodies.arm]
mass = 1
inertia = [0.1, 0.2, 0.15]
position = [0.4, 0.3, -0.2]
rotation = {axis = [1, 1, 0], angle = 0.7}
)toml";

BuiltScene build_text(const std::string& joints) {
  return build(parse_scene(kGroundAndArm + joints, "test.toml"));
}

JointVector violation(const BuiltScene& built, int j = 0) {
  JointVector g;
  built.system->calc_joint_position(j, built.initial.t, built.initial.q, g);
  return g;
}

TEST(SpatialJointScenes, EveryTypeHoldsWhereItIsPutAndReadsBack) {
  const std::string place = "between = [\"ground\", \"arm\"]\nat = [0.2, 0.1, 0.3]\n";
  const std::string axis = "axis = [0, 1, 2]\n";
  const std::pair<std::string, int> kinds[] = {
      {"type = \"revolute\"\n" + axis + "limits = [-1, 2]\nspring = {stiffness = 2}\nforce = \"t\"\nfriction = 0.1\n",
       5},
      {"type = \"revolute\"\n" + axis + "motion = \"3*t\"\n", 6},
      {"type = \"prismatic\"\n" + axis, 5},
      {"type = \"spherical\"\nfriction = 0.3\n", 3},
      {"type = \"cylindrical\"\n" + axis + "friction = {force = 1, torque = 0.5}\n", 4},
      {"type = \"universal\"\naxis2 = [3, 2, -1]\n" + axis + "friction = 0.2\n", 4},
      {"type = \"planar\"\n" + axis + "friction = {force = 1}\n", 3},
      {"type = \"weld\"\n", 6}};
  constexpr double kPoseRoundOff = 1e-15;
  for (const auto& [text, dim] : kinds) {
    const std::string joint = "[joints.j]\n" + text + place;
    const Scene scene = parse_scene(kGroundAndArm + joint, "test.toml");
    EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene) << text;
    const BuiltScene built = build(scene);
    EXPECT_EQ(built.system->joints()[0].dim, dim) << text;
    EXPECT_LT(violation(built).norm(), 10 * kPoseRoundOff) << text;
    for (int c = 0; c < built.system->joints()[0].n_coordinates; ++c) {
      EXPECT_NEAR(built.system->calc_joint_coordinate(0, c, 0.0, built.initial.q), 0.0, kPoseRoundOff) << text;
    }
  }
}

TEST(SpatialJointScenes, FrictionHasABallForForcesAndOneForTorques) {
  const auto bounds = [](const std::string& joint) {
    const BuiltScene built = build_text("[joints.j]\nbetween = [\"ground\", \"arm\"]\nat = [0, 0, 0]\n" + joint);
    std::string text;
    for (const DryFrictionElement& e : built.system->dry_frictions()) {
      text += fmt::format("{}{}:{} ", e.dim, e.turns ? "T" : "F", e.bound);
    }
    return text;
  };
  EXPECT_EQ(bounds("type = \"spherical\"\nfriction = 0.3\n"), "3T:0.3 ");
  EXPECT_EQ(bounds("type = \"planar\"\naxis = [0, 0, 1]\nfriction = {force = 1, torque = 2}\n"), "2F:1 1T:2 ");
  EXPECT_EQ(bounds("type = \"cylindrical\"\naxis = [0, 0, 1]\nfriction = {torque = 2}\n"), "1T:2 ");
  EXPECT_EQ(bounds("type = \"universal\"\naxis = [0, 0, 1]\naxis2 = [1, 0, 0]\nfriction = 4\n"), "1T:4 1T:4 ");
  EXPECT_EQ(bounds("type = \"prismatic\"\naxis = [0, 0, 1]\nfriction = 5\n"), "1F:5 ");
}

/// A joint between the ground and an arm whose frame_b is where frame_a is, turned by `angle` about z and moved by
/// `offset` in it. Both bodies' frames are their own here.
std::string framed(const std::string& type, double angle, const Vector3& offset, const std::string& more) {
  return fmt::format(
      "stickslip = 1\ntime = {{end = 1, step = 1e-2}}\n[bodies.ground]\ntype = \"fixed\"\n"
      "[bodies.arm]\nmass = 1\ninertia = [0.1, 0.2, 0.15]\nposition = [{}, {}, {}]\n"
      "rotation = {{axis = [0, 0, 1], angle = {}}}\n"
      "[joints.j]\ntype = \"{}\"\nbetween = [\"ground\", \"arm\"]\nframe_a = {{}}\nframe_b = {{}}\n{}",
      offset(0), offset(1), offset(2), angle, type, more);
}

double coordinate_of(const BuiltScene& built, int c = 0) {
  return built.system->calc_joint_coordinate(0, c, built.initial.t, built.initial.q);
}

TEST(SpatialJointScenes, FramesSayWhereAbsoluteCoordinatesAre) {
  const auto open = [](const std::string& text) { return build(parse_scene(text, "test.toml")); };
  const Vector3 none = Vector3::Zero();
  constexpr double kPoseRoundOff = 1e-15;
  EXPECT_NEAR(coordinate_of(open(framed("revolute", 0.7, none, ""))), 0.0, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(open(framed("revolute", 0.7, none, "absolute = true\n"))), 0.7, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(open(framed("prismatic", 0.0, Vector3(0, 0, 0.4), ""))), 0.0, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(open(framed("prismatic", 0.0, Vector3(0, 0, 0.4), "absolute = true\n"))), 0.4,
              kPoseRoundOff);
  const BuiltScene sliding = open(framed("cylindrical", -0.3, Vector3(0, 0, 0.4), "absolute = true\n"));
  EXPECT_NEAR(coordinate_of(sliding, 0), 0.4, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(sliding, 1), -0.3, kPoseRoundOff);
  const BuiltScene table = open(framed("planar", 1.3, Vector3(0.2, -0.1, 0.0), "absolute = true\n"));
  EXPECT_NEAR(coordinate_of(table, 0), 0.2, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(table, 1), -0.1, kPoseRoundOff);
  EXPECT_NEAR(coordinate_of(table, 2), 1.3, kPoseRoundOff);
  const BuiltScene moved = open(framed("planar", 1.3, Vector3(0.2, -0.1, 0.0), ""));
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(coordinate_of(moved, c), 0.0, kPoseRoundOff);
  // A motion may begin whole turns from the pose.
  const double start = 0.7 + 4.0 * std::numbers::pi;
  const BuiltScene driven =
      open(framed("revolute", 0.7, none, fmt::format("absolute = true\nmotion = \"{:.17g} + t\"\n", start)));
  EXPECT_NEAR(coordinate_of(driven), start, 10 * kPoseRoundOff);
  EXPECT_LT(violation(driven).norm(), 10 * kPoseRoundOff);
  EXPECT_THROW(open(framed("revolute", 0.7, none, "absolute = true\nmotion = \"t\"\n")), InputError);
}

TEST(SpatialJointScenes, StartsThatMissByRoundOffAreProjectedAndSaid) {
  // A ring of three bars whose frames were typed with seven digits; the last bar closes it.
  constexpr double kLength = 0.57735027;  // [m] 1/sqrt(3): bars of 1 m would have their ends on a circle of this radius
  std::string text = "stickslip = 1\ntime = {end = 1, step = 1e-2}\n";
  for (int i = 0; i < 3; ++i) {
    text += fmt::format(
        "[bodies.b{}]\nmass = {}\ninertia = [0.1, 0.2, 0.15]\nposition = [{:.7f}, {:.7f}, 0]\n"
        "rotation = {{axis = [0, 0, 1], angle = {:.7f}}}\n",
        i, 1 + i, 0.5 * kLength * std::cos(2.0943951 * i), 0.5 * kLength * std::sin(2.0943951 * i),
        2.0943951 * i + 1.5707963);
  }
  for (int i = 0; i < 3; ++i) {
    text += fmt::format(
        "[joints.j{0}]\ntype = \"revolute\"\nbetween = [\"b{0}\", \"b{1}\"]\nframe_a = {{position = [0.5, 0, 0]}}\n"
        "frame_b = {{position = [-0.5, 0, 0]}}\n",
        i, (i + 1) % 3);
  }
  const Scene scene = parse_scene(text, "test.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
  const BuiltScene built = build(scene);
  ASSERT_EQ(built.misfits.size(), 3u);
  EXPECT_GT(built.misfits[0].length, 1e-9);
  EXPECT_LT(built.misfits[0].length, 1e-6);
  constexpr double kPoseRoundOff = 1e-14;  // [m, rad]
  for (int j = 0; j < 3; ++j) EXPECT_LT(violation(built, j).norm(), kPoseRoundOff) << j;
  for (int b = 0; b < 3; ++b) {
    const Vector3 stated = scene.bodies[static_cast<std::size_t>(b)].position;
    EXPECT_LT((built.initial.q.segment<3>(7 * b) - stated).norm(), 1e-6);
    EXPECT_NEAR(built.initial.q.segment<4>(7 * b + 3).norm(), 1.0, kPoseRoundOff);
  }
  const SceneCheck check = check_scene(scene);
  EXPECT_NE(check.warnings.at(0).find("joints.j0: its frames miss each other by"), std::string::npos)
      << check.warnings[0];
}

TEST(SpatialJointScenes, RedundantConstraintsAreCountedInSpace) {
  std::string text = kGroundAndArm;
  text += R"toml(
[bodies.a]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 1]
[bodies.b]
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 2]
[bodies.c]
mass = 1
inertia = [1, 1, 1]
position = [2, 0, 1]
)toml";
  const auto hinge = [](const char* name, const char* type, const char* first, const char* second, double x, double z,
                        double tilt) {
    return fmt::format("[joints.{}]\ntype = \"{}\"\nbetween = [\"{}\", \"{}\"]\nat = [{}, 0, {}]\n{}", name, type,
                       first, second, x, z,
                       std::string(type) == "spherical" ? "" : fmt::format("axis = [{}, 1, 0]\n", tilt));
  };
  const auto redundant = [&](const char* last, double tilt) {
    const BuiltScene built = build(parse_scene(
        text + hinge("j0", "revolute", "ground", "a", 0, 0, 0) + hinge("j1", "revolute", "a", "b", 0, 2, 0) +
            hinge("j2", "revolute", "b", "c", 2, 2.5, 0) + hinge("j3", last, "ground", "c", 2.3, 0, tilt),
        "test.toml"));
    return count_redundant_rows(*built.system, built.initial);
  };
  EXPECT_EQ(redundant("revolute", 0.0), (std::vector<int>{0, 0, 0, 3}));
  // A hinge whose axis is not parallel locks what moved: 20 rows, rank 18.
  EXPECT_EQ(redundant("revolute", 0.3), (std::vector<int>{0, 0, 0, 2}));
  EXPECT_EQ(redundant("cylindrical", 0.0), (std::vector<int>{0, 0, 0, 2}));
  EXPECT_EQ(redundant("spherical", 0.0), (std::vector<int>{0, 0, 0, 1}));
}

TEST(SpatialJointScenes, DistanceWithinLimitsIsFree) {
  const BuiltScene built = build(parse_scene(R"toml(stickslip = 1
time = {end = 1, step = 1e-2}
[bodies.ground]
type = "fixed"
[bodies.bob]
type = "point"
mass = 1
position = [0.3, 0, 0.4]
velocity = [0, 0, -1]
[joints.rope]
type = "distance"
between = ["ground", "bob"]
limits = [0, 0.8]
restitution = 0.5
)toml",
                                             "test.toml"));
  const System& system = *built.system;
  EXPECT_EQ(system.joints()[0].dim, 0);
  EXPECT_NEAR(coordinate_of(built), 0.5, 1e-15);
  EXPECT_NEAR(system.calc_joint_coordinate(0, 0, 0.0, built.initial.q, built.initial.u).rate, -0.8, 1e-15);
  ASSERT_EQ(system.contact_points().size(), 2u);
  EXPECT_NEAR(system.calc_gap(0, 0.0, built.initial.q), 0.5, 1e-15);
  EXPECT_NEAR(system.calc_gap(1, 0.0, built.initial.q), 0.3, 1e-15);
  EXPECT_FALSE(system.turns(system.contact_points()[1]));
}

}  // namespace
}  // namespace stickslip
