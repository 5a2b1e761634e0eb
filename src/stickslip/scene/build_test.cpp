// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

constexpr const char* kSpatial = "stickslip = 1\ntime = {start = 0.25, end = 1, step = 0.01}\n";
constexpr const char* kPlanar = "stickslip = 1\ngravity = [0, -10]\ntime = {end = 1, step = 0.01}\n";

BuiltScene built(const std::string& text) {
  return build(parse_scene(text, "test.toml"));
}

// A few roundings of numbers of order 1.
constexpr double kRoundOff = 1e-14;

TEST(Build, PutsBodiesInTheOrderOfTheFile) {
  const BuiltScene scene = built(std::string(kSpatial) + R"(
[bodies.z]
mass = 2
inertia = [1, 2, 3]
position = [1, 2, 3]
rotation = {axis = [0, 0, 5], angle = "=pi/2"}
velocity = [4, 5, 6]
angular_velocity = [7, 8, 9]
[bodies.ground]
type = "fixed"
position = [0, 0, -1]
[bodies.a]
type = "point"
mass = 3
position = [-1, -2, -3]
velocity = [-4, -5, -6]
)");
  const System& system = *scene.system;
  ASSERT_EQ(system.bodies().size(), 3U);
  EXPECT_EQ(system.bodies()[0].name, "z");
  EXPECT_EQ(system.bodies()[2].name, "a");
  ASSERT_EQ(system.n_q(), 10);
  ASSERT_EQ(system.n_u(), 9);
  Vector q(10);
  q << 1, 2, 3, std::sqrt(0.5), 0, 0, std::sqrt(0.5), -1, -2, -3;
  Vector u(9);
  u << 4, 5, 6, 7, 8, 9, -4, -5, -6;
  EXPECT_LT((scene.initial.q - q).norm(), kRoundOff);
  EXPECT_EQ(scene.initial.u, u);
  EXPECT_EQ(scene.initial.t, 0.25);
  EXPECT_EQ(system.gravity(), Vector3(0, 0, -9.81));
  EXPECT_EQ(system.bodies()[1].pose.p_WB, Vector3(0, 0, -1));
  EXPECT_EQ(scene.stepper->name(), "moreau");
  EXPECT_EQ(scene.solver->name(), "auto");
}

TEST(Build, NormalisesQuaternions) {
  const BuiltScene scene =
      built(std::string(kSpatial) + "[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\nquaternion = [0, 3, 0, 4]\n");
  EXPECT_LT((scene.initial.q.segment<4>(3) - Vector4(0, 0.6, 0, 0.8)).norm(), kRoundOff);
}

TEST(Build, ReadsPlanarBodies) {
  const BuiltScene scene = built(std::string(kPlanar) + R"(
[bodies.b]
type = "planar"
mass = 2
inertia = 0.5
position = [1, 2]
angle = 0.75
velocity = [3, 4]
angular_velocity = 5
[bodies.p]
type = "point"
mass = 1
position = [6, 7]
)");
  Vector q(5);
  q << 1, 2, 0.75, 6, 7;
  Vector u(5);
  u << 3, 4, 5, 0, 0;
  EXPECT_EQ(scene.initial.q, q);
  EXPECT_EQ(scene.initial.u, u);
  EXPECT_TRUE(scene.system->planar());
  EXPECT_EQ(scene.system->mass(0).diagonal(), Vector3(2, 2, 0.5));
}

// A box of 1 x 2 x 3 m drawn with its centre at (1, 0, 0) of a frame that is turned by a quarter about z.
TEST(Build, FindsTheCentreOfMassFromDensity) {
  const BuiltScene scene = built(std::string(kSpatial) + R"(
[bodies.block]
density = 10
position = [5, 6, 7]
rotation = {axis = [0, 0, 1], angle = "=pi/2"}
velocity = [1, 0, 0]
shapes.box = {type = "box", size = [1, 2, 3], position = [1, 0, 0]}
shapes.tip = {type = "point", position = [0, 0, 1]}
)");
  const Body& block = scene.system->bodies()[0];
  const double mass = 60.0;
  EXPECT_NEAR(block.mass, mass, mass * kRoundOff);
  const Vector3 inertia = mass / 12.0 * Vector3(4 + 9, 1 + 9, 1 + 4);
  EXPECT_LT((block.inertia - Matrix3(inertia.asDiagonal())).norm(), inertia.norm() * kRoundOff);
  EXPECT_LT((scene.initial.q.head<3>() - Vector3(5, 7, 7)).norm(), 10 * kRoundOff);
  EXPECT_LT((block.drawing_origin - Vector3(-1, 0, 0)).norm(), kRoundOff);
  EXPECT_LT((block.shapes[1].position - Vector3(-1, 0, 1)).norm(), kRoundOff);
  EXPECT_EQ(scene.initial.u.head<3>(), Vector3(1, 0, 0));
}

TEST(Build, FindsPlanarInertiaFromDensity) {
  const BuiltScene scene = built(std::string(kPlanar) + R"(
[bodies.disc]
type = "planar"
density = 2
shapes.hull = {type = "sphere", radius = 0.5}
)");
  const double mass = 2 * std::numbers::pi * 0.25;
  EXPECT_NEAR(scene.system->bodies()[0].mass, mass, kRoundOff);
  EXPECT_NEAR(scene.system->bodies()[0].inertia(2, 2), mass * 0.125, kRoundOff);
}

TEST(Build, MovesPrescribedBodies) {
  const BuiltScene scene = built(std::string(kSpatial) + R"(
[bodies.table]
type = "moving"
position = ["0.5*t^2", 1, "=3*t"]
rotation = {axis = [0, 0, 4], angle = "t"}
quaternion = [0, 2, 0, 0]
)");
  const System& system = *scene.system;
  EXPECT_EQ(system.n_q(), 0);
  const double t = 2.0;
  const Pose pose = system.calc_pose(0, t, scene.initial.q);
  EXPECT_LT((pose.p_WB - Vector3(2, 1, 6)).norm(), kRoundOff);
  Matrix3 rotation;  // R_z(2) R_x(pi)
  rotation << std::cos(t), std::sin(t), 0, std::sin(t), -std::cos(t), 0, 0, 0, -1;
  EXPECT_LT((pose.R_WB - rotation).norm(), kRoundOff);
  const Twist twist = system.calc_twist(0, t, scene.initial.q, scene.initial.u);
  EXPECT_LT((twist.v_WB - Vector3(2, 0, 3)).norm(), kRoundOff);
  EXPECT_LT((twist.w_WB - Vector3(0, 0, 1)).norm(), kRoundOff);
}

// {x : n . x <= offset} for a normal of length 2: z <= 0.5 for 2 z <= 1.
TEST(Build, TakesHalfSpacesAsWritten) {
  const BuiltScene scene = built(std::string(kSpatial) + R"(
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 2], offset = 1}
[bodies.p]
type = "point"
mass = 1
position = [0, 0, 2]
shapes.tip = {type = "point"}
[[contacts]]
between = ["ground", "p"]
friction = 0.5
restitution = {normal = 0.25, tangential = 0.125}
)");
  EXPECT_NEAR(scene.system->calc_gap(0, 0.25, scene.initial.q), 1.5, kRoundOff);
  const ContactPairOptions& options = scene.system->contacts()[0].options;
  EXPECT_EQ(options.name, "ground-p");
  EXPECT_EQ(options.law.friction, 0.5);
  EXPECT_EQ(options.law.restitution_normal, 0.25);
  EXPECT_EQ(options.law.restitution_tangential, 0.125);
}

TEST(Build, AttachesForces) {
  const BuiltScene scene = built(std::string(kSpatial) + R"(
parameters = {F = 3}
[bodies.wall]
type = "fixed"
position = [-1, 0, 0]
rotation = {axis = [0, 0, 1], angle = "=pi/2"}
[bodies.block]
density = 1
position = [2, 0, 0]
shapes.box = {type = "box", size = [1, 1, 1], position = [0.5, 0, 0]}
[forces.band]
type = "spring"
between = ["wall", "block"]
at_b = [0.5, 0, 0.5]
stiffness = 2
[forces.rail]
type = "dry-friction"
between = ["wall", "block"]
bound = 4
axis = [3, 0, 0]
[forces.push]
type = "load"
body = "block"
at = [0, 0, 0]
force = ["F*t", 0, 0]
)");
  const System& system = *scene.system;
  const auto& spring = std::get<Spring>(system.forces()[0].law);
  EXPECT_LT((spring.at_second - Vector3(0, 0, 0.5)).norm(), kRoundOff);  // drawn at the centre of mass
  const auto& friction = std::get<DryFriction>(system.forces()[1].law);
  EXPECT_LT((friction.at_second - Vector3::Zero()).norm(), kRoundOff);
  EXPECT_LT((friction.at_first - Vector3(0, -3.5, 0)).norm(), 10 * kRoundOff);  // in the turned wall's frame
  EXPECT_LT((*friction.axis - Vector3(0, -1, 0)).norm(), kRoundOff);
  const auto& load = std::get<Load>(system.forces()[2].law);
  EXPECT_LT((load.at - Vector3(-0.5, 0, 0)).norm(), kRoundOff);
  EXPECT_EQ(load.force[0].value(2.0), 6.0);
}

TEST(Build, MissesPlacesOfScenesMadeInMemory) {
  Scene scene;
  SceneBody body;
  body.name = "b";
  body.mass = 1.0;
  scene.bodies.push_back(body);
  try {
    build(scene);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 17), "bodies.b.inertia:");
  }
}

std::string warnings_of(const std::string& text) {
  std::string all;
  for (const std::string& warning : check_scene(parse_scene(text, "test.toml")).warnings) all += warning + "\n";
  return all;
}

// A chain of four links on a base with spheres on every second one: those of the base and of `second` overlap by 0.02
// m, those of `second` and `end` by 0.01 m.
const std::string kFoldedChain = R"(
bodies.base = {type = "fixed", shapes.s = {type = "sphere", radius = 0.06}}
bodies.first = {mass = 1, inertia = [1, 1, 1], position = [0.05, 0, 0]}
bodies.second = {mass = 1, inertia = [1, 1, 1], position = [0.1, 0, 0], shapes.s = {type = "sphere", radius = 0.06}}
bodies.third = {mass = 1, inertia = [1, 1, 1], position = [0.15, 0, 0]}
bodies.end = {mass = 1, inertia = [1, 1, 1], position = [0.21, 0, 0], shapes.s = {type = "sphere", radius = 0.06}}
joints.a = {type = "spherical", between = ["base", "first"], at = [0, 0, 0]}
joints.b = {type = "spherical", between = ["first", "second"], at = [0.05, 0, 0]}
joints.c = {type = "spherical", between = ["second", "third"], at = [0.1, 0, 0]}
joints.d = {type = "spherical", between = ["third", "end"], at = [0.15, 0, 0]}
)";

TEST(CheckScene, NamesEachOverlapOfBodiesThatJointsConnectOverOthers) {
  const std::string chain = kSpatial + kFoldedChain;
  const std::string all = warnings_of(chain + "contact_default = {}\n");
  EXPECT_NE(all.find("contact_default: the bodies 'base' and 'second', which joints connect over others, overlap by "
                     "0.02 m at the start: except = [[\"base\", \"second\"]] lets them pass"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("contact_default: the bodies 'second' and 'end', which joints connect over others, overlap by "
                     "0.01 m at the start: except = [[\"second\", \"end\"]] lets them pass"),
            std::string::npos)
      << all;
  const std::string with_except =
      warnings_of(chain + "contact_default.except = [[\"base\", \"second\"], [\"second\", \"end\"]]\n");
  EXPECT_EQ(with_except.find("overlap"), std::string::npos) << with_except;
}

TEST(CheckScene, TakesTwoMechanismsOnOneFixedBodyForTwo) {
  const std::string all = warnings_of(std::string(kSpatial) + R"(
bodies.base = {type = "fixed"}
bodies.left = {mass = 1, inertia = [1, 1, 1], shapes.s = {type = "sphere", radius = 0.06}}
bodies.right = {mass = 1, inertia = [1, 1, 1], position = [0.1, 0, 0], shapes.s = {type = "sphere", radius = 0.06}}
joints.a = {type = "spherical", between = ["base", "left"], at = [0, 0, 0]}
joints.b = {type = "spherical", between = ["base", "right"], at = [0.1, 0, 0]}
contact_default = {}
)");
  EXPECT_NE(all.find("contact_default: the bodies 'left' and 'right' overlap by 0.02 m at the start\n"),
            std::string::npos)
      << all;
}

TEST(CheckScene, WarnsOfLikelyMistakes) {
  const std::string ground =
      "[bodies.ground]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1]}\n";
  const std::string ball =
      "[bodies.ball]\nmass = 1\ninertia = [1, 1, 1]\nshapes.hull = {type = \"sphere\", radius = 1}\n";
  const std::string drawn =
      "[bodies.ball]\nmass = 1\ninertia = [1, 1, 1]\nshapes.hull = {type = \"sphere\", radius = 1, visual = true}\n";
  const std::string contact = "[[contacts]]\nbetween = [\"ground\", \"ball\"]\n";
  EXPECT_NE(warnings_of(kSpatial + ground).find("nothing in this scene can move"), std::string::npos);
  EXPECT_NE(warnings_of(kSpatial + ball).find("test.toml:3:1: bodies.ball: it has shapes, but no contact names it"),
            std::string::npos);
  EXPECT_EQ(warnings_of(kSpatial + drawn), "");
  EXPECT_NE(warnings_of(kSpatial + ground + ball + contact).find("overlap by 1 m"), std::string::npos);
  const std::string long_quaternion = "quaternion = [2, 0, 0, 0]\n";
  EXPECT_NE(warnings_of(kSpatial + ground + ball + long_quaternion + contact).find("its length is 2"),
            std::string::npos);
  EXPECT_NE(warnings_of(std::string(kSpatial) + "output = {every = 0.015}\n").find("not a multiple"),
            std::string::npos);
  EXPECT_EQ(warnings_of(kSpatial + ground + ball + "position = [0, 0, 1]\n" + contact), "");
}

constexpr const char* kJointed = R"toml(stickslip = 1
gravity = [0, -9.81]
time = {end = 1, step = 1e-2}
parameters = {k = 3}
[bodies.ground]
type = "fixed"
[bodies.arm]
type = "planar"
mass = 1
inertia = 0.1
position = [0.5, 0]
[joints.pivot]
type = "revolute"
between = ["ground", "arm"]
at = [0, 0]
spring = {stiffness = "=k", damping = 0.2, rest = -0.3}
force = "0.5*sin(k*t)"
friction = 0.4
limits = [-1, 2]
restitution = 0.6
)toml";

TEST(BuildScene, JointsHaveWhatActsInTheirFreeDirection) {
  const Scene scene = parse_scene(kJointed, "test.toml");
  const BuiltScene built = build(scene);
  const System& system = *built.system;
  const JointOptions& joint = system.joints().at(0).options;
  EXPECT_EQ(joint.spring, (JointSpring{3.0, 0.2, -0.3}));
  EXPECT_EQ(joint.friction, 0.4);
  EXPECT_EQ(joint.limits, (JointLimits{-1.0, 2.0, 0.6}));
  EXPECT_NEAR(system.calc_joint_drive(0, 0.5, built.initial.q, built.initial.u), 0.5 * std::sin(1.5) - 0.9, 1e-15);
  EXPECT_EQ(system.contacts().at(0).options.name, "pivot-limits");
  EXPECT_EQ(system.contacts()[0].options.law.restitution_normal, 0.6);
  EXPECT_EQ(system.dry_frictions().at(0).bound, 0.4);
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
}

TEST(BuildScene, ForcesHoldOnToBeams) {
  const Scene scene = parse_scene(R"toml(stickslip = 1
gravity = [0, 0]
time = {end = 1, step = 1e-2}
[bodies.ground]
type = "fixed"
[bodies.leg]
type = "beam"
length = 2
axial_stiffness = 100
bending_stiffness = 1
line_density = 1
start = [1, 0]
direction = [0, 1]
[forces.spring]
type = "spring"
between = ["ground", "leg"]
at_parameter = 0.5
stiffness = 10
[forces.rub]
type = "dry-friction"
between = ["leg", "ground"]
at_parameter = 1
bound = 2
[forces.push]
type = "load"
body = "leg"
at_parameter = 0.25
force = [1, "t"]
)toml",
                                  "test.toml");
  const BuiltScene built = build(scene);
  const System& system = *built.system;
  // A spring from the origin to the middle of the beam, at (1, 1).
  EXPECT_NEAR(system.calc_potential_energy(0.0, built.initial.q), 0.5 * 10.0 * 2.0, 1e-12);
  EXPECT_EQ(std::get<Load>(system.forces()[2].law).parameter, 0.25);
  const DryFriction& rub = std::get<DryFriction>(system.forces()[1].law);
  EXPECT_EQ(rub.parameter_first, 1.0);
  EXPECT_LT(rub.at_first.norm(), 1e-15);
  EXPECT_LT((rub.at_second - Vector3(1, 2, 0)).norm(), 1e-15);
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
}

TEST(CheckScene, WarnsOfJointsThatDoNotFit) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kJointed;
    return warnings_of(text.replace(text.find(from), from.size(), to));
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(warnings_of(kJointed), "");
  const std::string at = "position = [0.5, 0]\n";
  EXPECT_TRUE(
      contains(with(at, at + "velocity = [1, 0]\n"), "joints.pivot: the velocities at the start violate it by 1 m/s"));
  EXPECT_EQ(with(at, at + "velocity = [0, 1]\nangular_velocity = 2\n"), "");
  EXPECT_TRUE(contains(with("limits = [-1, 2]", "limits = [0.5, 2]"),
                       "joints.pivot.limits: the coordinate is beyond them by 0.5 rad"));
  const std::string again = "[joints.bolt]\ntype = \"weld\"\nbetween = [\"ground\", \"arm\"]\n";
  EXPECT_TRUE(contains(warnings_of(kJointed + again), "joints.bolt: 2 of its 3 constraints"));
}

/// Of a ball in or above a box what touches depends on where they are: the overlap is that of the shapes.
TEST(CheckScene, WarnsOfBallsInSolids) {
  const auto warnings = [](const char* between, double height) {
    return warnings_of(
        fmt::format("stickslip = 1\ntime = {{end = 1, step = 1e-3}}\n"
                    "bodies.table = {{type = \"fixed\", shapes.s = {{type = \"box\", size = [2, 2, 1]}}}}\n"
                    "bodies.ball = {{mass = 1, inertia = [1, 1, 1], position = [0, 0, {}], "
                    "shapes.s = {{type = \"sphere\", radius = 0.1}}}}\n"
                    "[[contacts]]\nname = \"meets\"\nbetween = {}\n",
                    height, between));
  };
  for (const char* between : {"[\"table\", \"ball\"]", "[\"ball\", \"table\"]"}) {
    EXPECT_EQ(warnings(between, 0.7), "");
    EXPECT_EQ(warnings(between, -0.7), "");  // below it
    EXPECT_NE(warnings(between, 0.55).find("contacts.meets: the bodies overlap by 0.05 m at the start"),
              std::string::npos);
    EXPECT_NE(warnings(between, -0.58).find("contacts.meets: the bodies overlap by 0.02 m at the start"),
              std::string::npos);
  }
}

/// A bar of 0.5 m that hangs on a pivot, and a rod from the ground to a point on it, 0.3 m away, of this length.
std::string rod(const std::string& length, bool planar) {
  const auto in = [planar](const char* plane, const char* space) { return planar ? plane : space; };
  return std::string("stickslip = 1\ntime = {end = 1, step = 1e-3}\ngravity = ") + in("[0, -9.81]", "[0, 0, -9.81]") +
         "\nbodies.ground = {type = \"fixed\"}\nbodies.bar = {mass = 2, inertia = " + in("0.1", "[0.1, 0.2, 0.3]") +
         in(", type = \"planar\", position = [0.5, 0]", ", position = [0.5, 0, 0]") +
         "}\njoints.rod = {type = \"distance\", between = [\"ground\", \"bar\"], at_b = " +
         in("[-0.2, 0]", "[-0.2, 0, 0]") + ", length = " + length + "}\n";
}

TEST(DistanceJoints, ThatMissTheirLengthByMoreThanTypedNumbersAreRefused) {
  for (const bool planar : {true, false}) {
    for (const char* length : {"0.1", "0.300002", "0.299998", "30", "1e-9"}) {
      try {
        build(parse_scene(rod(length, planar), "rod.toml"));
        ADD_FAILURE() << length;
      } catch (const InputError& error) {
        EXPECT_EQ(error.key(), "joints.rod.length");
        EXPECT_EQ(error.place().line, 6);
        EXPECT_NE(std::string(error.what()).find("the points are 0.3 m apart"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(DistanceJoints, ThatMissTheirLengthByTypedNumbersArePutRight) {
  for (const bool planar : {true, false}) {
    for (const double miss : {4e-7, -9e-7, 3e-11}) {
      const BuiltScene built = build(parse_scene(rod(fmt::format("{:.15g}", 0.3 + miss), planar), "rod.toml"));
      ASSERT_EQ(built.misfits.size(), 1u);
      EXPECT_NEAR(built.misfits[0].length, std::abs(miss), 1e-15);
      const double x = built.initial.q(0) - 0.2;  // of the point, which is moved along the rod
      EXPECT_NEAR(x, 0.3 + miss, 1e-15);
      EXPECT_EQ(built.initial.q(1), 0.0);
      const std::string warnings = warnings_of(rod(fmt::format("{:.15g}", 0.3 + miss), planar));
      EXPECT_NE(warnings.find("joints.rod: its points miss its length by"), std::string::npos) << warnings;
    }
    const BuiltScene exact = build(parse_scene(rod("0.3", planar), "rod.toml"));
    EXPECT_TRUE(exact.misfits.empty());
    EXPECT_EQ(exact.initial.q(0), 0.5);
  }
}

TEST(CheckScene, SummarisesTheScene) {
  const std::string summary = check_scene(parse_scene(kSpatial, "x.toml")).summary;
  EXPECT_NE(summary.find("75 steps"), std::string::npos) << summary;
  EXPECT_NE(summary.find("moreau"), std::string::npos) << summary;
  const std::string jointed = check_scene(parse_scene(kJointed, "x.toml")).summary;
  EXPECT_NE(jointed.find("pivot: revolute, ground to arm, 2 constraints, spring, force, friction, limits"),
            std::string::npos)
      << jointed;
}

TEST(Gears, AreBehindTheirJointsAndStartFromTheirCoordinates) {
  const Scene scene = parse_scene(R"(stickslip = 1
time = {end = 1, step = 1e-3}
gravity = [0, -9.81]
[bodies]
ground = {type = "fixed"}
wheel = {type = "planar", mass = 1, inertia = 1, angle = 0.3}
pinion = {type = "planar", mass = 1, inertia = 1, position = [1, 0], angle = -0.4}
[joints]
teeth = {type = "gear", joints = ["shaft", "axle"], ratio = -2.5}
axle = {type = "revolute", between = ["ground", "wheel"], at = [0, 0], absolute = true}
shaft = {type = "revolute", between = ["ground", "pinion"], at = [1, 0]}
)",
                                  "test.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
  const BuiltScene built = build(scene);
  const Joint& gear = built.system->joints().at(2);
  EXPECT_EQ(gear.options.type, JointType::gear);
  EXPECT_EQ(gear.options.terms, (std::vector<JointTerm>{{1, 2.5, 0.0}, {0, 1.0, 0.3}}));
  EXPECT_EQ(gear.options.first, 0);
  EXPECT_EQ(gear.options.second, 1);
  EXPECT_EQ(gear.coupled.size(), 3U);
  JointVector g;
  built.system->calc_joint_position(2, 0.0, built.initial.q, g);
  EXPECT_NEAR(g(0), 0.0, 1e-15);
}

constexpr const char* kDifferential = R"(stickslip = 1
time = {end = 1, step = 1e-3}
gravity = [0, 0]
[bodies]
frame = {type = "planar", mass = 2, inertia = 1}
left = {type = "planar", mass = 1, inertia = 1, angle = 0.3}
right = {type = "planar", mass = 1, inertia = 1, angular_velocity = 1}
carrier = {type = "planar", mass = 1, inertia = 1}
[joints]
one = {type = "revolute", between = ["frame", "left"], at = [0, 0], absolute = true}
two = {type = "revolute", between = ["frame", "right"], at = [0, 0]}
three = {type = "revolute", between = ["frame", "carrier"], at = [0, 0]}
teeth = {type = "gear", joints = ["one", "two"], ratio = -1}
[[couplings]]
name = "cage"
joints = ["one", "two", "three"]
coefficients = [1, 1, -2]
)";

TEST(Couplings, AreTheLastJointsAndStartFromTheCoordinates) {
  const Scene scene = parse_scene(kDifferential, "test.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "again.toml"), scene);
  const BuiltScene built = build(scene);
  ASSERT_EQ(built.system->joints().size(), 5U);
  const Joint& coupling = built.system->joints()[4];
  EXPECT_EQ(coupling.options.name, "cage");
  EXPECT_EQ(coupling.options.type, JointType::coupling);
  EXPECT_EQ(coupling.options.terms, (std::vector<JointTerm>{{0, 1.0, 0.3}, {1, 1.0, 0.0}, {2, -2.0, 0.0}}));
  EXPECT_EQ(coupling.coupled.size(), 4U);
}

TEST(Couplings, AreToldByCheckAlsoWhereTheStartViolatesThem) {
  const SceneCheck check = check_scene(parse_scene(kDifferential, "test.toml"));
  EXPECT_NE(check.summary.find("cage: coupling, 1 one + 1 two + -2 three stays, 1 constraint"), std::string::npos)
      << check.summary;
  const auto warns = [&](const std::string& text) {
    return std::ranges::any_of(check.warnings, [&](const std::string& w) { return w.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(warns("couplings.cage: the velocities at the start violate it by 1 "));
  EXPECT_TRUE(warns("joints.teeth: the velocities at the start violate it by 1 rad/s"));
}

TEST(Couplings, TakeOverridesByName) {
  LoadOptions options;
  options.overrides = {"couplings.cage.coefficients=[1, 1, -3]"};
  const std::string other = "[[couplings]]\nname = \"other\"\njoints = [\"one\"]\ncoefficients = [1]\n";
  const Scene scene = parse_scene(kDifferential + other, "test.toml", options);
  ASSERT_EQ(scene.couplings.size(), 2U);
  EXPECT_EQ(scene.couplings[0].coefficients, (std::vector<double>{1.0, 1.0, -3.0}));
}

}  // namespace
}  // namespace stickslip
