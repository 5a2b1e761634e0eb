// SPDX-License-Identifier: BSD-3-Clause
// URDF: masses, centres, axes, frames and warnings against values computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

constexpr double kExact = 1e-12;  // [m, kg, kg m^2] round-off of some rotations
using JointBounds = std::optional<std::array<double, 2>>;

constexpr double kPi = std::numbers::pi;

ConvertedModel convert_urdf(const std::string& parts, RobotOptions options = {}) {
  options.reads_files = false;
  return convert_model_text("<robot name=\"r\">\n" + parts + "</robot>\n", "r.urdf", options);
}

struct BuiltModel {
  Scene scene;
  BuiltScene built;

  const Body& body(const std::string& name) const {
    return built.system->bodies().at(static_cast<std::size_t>(built.system->find_body(name)));
  }
  Pose pose(const std::string& name) const {
    return built.system->calc_pose(built.system->find_body(name), built.initial.t, built.initial.q);
  }
  const Joint& joint(const std::string& name) const {
    return built.system->joints().at(static_cast<std::size_t>(built.system->find_joint(name)));
  }
  /// A joint's axis in the world.
  Vector3 axis(const std::string& name) const {
    const JointOptions& o = joint(name).options;
    return built.system->calc_pose(o.second, built.initial.t, built.initial.q).R_WB * o.on_second.axes.col(2);
  }
  double coordinate(const std::string& name) const {
    return built.system->calc_joint_coordinate(built.system->find_joint(name), 0, built.initial.t, built.initial.q);
  }
};

BuiltModel build_urdf(const std::string& parts, const RobotOptions& options = {}) {
  Scene scene = parse_scene(convert_urdf(parts, options).scene, "r.urdf");
  BuiltScene built = build(scene);
  return {std::move(scene), std::move(built)};
}

std::string inertial(const std::string& mass, const std::string& origin = "") {
  return "<inertial>" + origin + "<mass value=\"" + mass +
         "\"/><inertia ixx=\"0.02\" ixy=\"0.001\" ixz=\"0.002\" iyy=\"0.03\" iyz=\"0.003\" izz=\"0.04\"/></inertial>";
}

Matrix3 given_inertia() {
  Matrix3 J;
  J << 0.02, 0.001, 0.002, 0.001, 0.03, 0.003, 0.002, 0.003, 0.04;
  return J;
}

std::string link(const std::string& name, const std::string& inside) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + inside + "</joint>\n";
}

TEST(Urdf, PlacesLinksByTheirJoints) {
  const BuiltModel m = build_urdf(
      link("base", "") + link("arm", inertial("2", "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0 0 1.5707963267948966\"/>")) +
      link("hand", inertial("1")) +
      joint("shoulder", "continuous", "base", "arm",
            "<origin xyz=\"0 0 1\" rpy=\"1.5707963267948966 0 0\"/><axis xyz=\"0 0 2\"/>") +
      joint("slide", "prismatic", "arm", "hand",
            "<origin xyz=\"0.5 0 0\" rpy=\"0 0.3 0\"/><limit lower=\"-0.1\" upper=\"0.2\"/><dynamics damping=\"3\" "
            "friction=\"0.5\"/>"));
  // Roll by a quarter turn: y of the arm is z of the world, z of the arm is -y.
  EXPECT_LT((m.pose("arm").p_WB - Vector3(0.1, -0.3, 1.2)).norm(), kExact) << "the centre of mass";
  EXPECT_EQ(m.body("arm").mass, 2.0);
  const Matrix3 turn = axis_angle_matrix(Vector3::UnitZ(), 0.5 * kPi);
  EXPECT_LT((m.body("arm").inertia - turn * given_inertia() * turn.transpose()).norm(), kExact);
  EXPECT_LT((m.axis("shoulder") - Vector3(0, -1, 0)).norm(), kExact);
  EXPECT_LT((m.pose("hand").p_WB - Vector3(0.5, 0, 1)).norm(), kExact);
  const Matrix3 R = axis_angle_matrix(Vector3::UnitX(), 0.5 * kPi) * axis_angle_matrix(Vector3::UnitY(), 0.3);
  EXPECT_LT((m.pose("hand").R_WB - R).norm(), kExact);
  EXPECT_LT((m.axis("slide") - R.col(0)).norm(), kExact) << "x where none is given";
  const JointOptions& slide = m.joint("slide").options;
  EXPECT_EQ(slide.limits->low, -0.1);
  EXPECT_EQ(slide.limits->high, 0.2);
  EXPECT_EQ(slide.spring->damping, 3.0);
  EXPECT_EQ(slide.friction, 0.5);
  EXPECT_EQ(m.scene.time.step, 1e-3);
  EXPECT_EQ(m.scene.contact_default->law.friction, 1.0);
}

TEST(Urdf, AppliesRollPitchYawAboutFixedAxes) {
  const BuiltModel m = build_urdf(link("a", "") + link("b", inertial("1")) +
                                  joint("j", "continuous", "a", "b", "<origin rpy=\"0.1 0.2 0.3\"/>"));
  const Matrix3 R = axis_angle_matrix(Vector3::UnitZ(), 0.3) * axis_angle_matrix(Vector3::UnitY(), 0.2) *
                    axis_angle_matrix(Vector3::UnitX(), 0.1);
  EXPECT_LT((m.pose("b").R_WB - R).norm(), kExact);
}

TEST(Urdf, FusesWhatIsFixed) {
  const BuiltModel m = build_urdf(
      link("a", "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>") + link("b", inertial("1")) +
      link("c",
           "<inertial><origin xyz=\"0 0 1\"/><mass value=\"3\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\" ixy=\"0\" "
           "ixz=\"0\" iyz=\"0\"/></inertial><collision name=\"pad\"><origin xyz=\"0.5 0 0\"/><geometry><sphere "
           "radius=\"0.1\"/></geometry></collision>") +
      link("d", "<visual><geometry><box size=\"1 2 3\"/></geometry></visual>") + joint("j", "continuous", "a", "b") +
      joint("k", "fixed", "b", "c", "<origin xyz=\"1 0 0\"/>") +
      joint("l", "fixed", "a", "d", "<origin xyz=\"0 0 2\"/>"));
  ASSERT_EQ(m.built.system->bodies().size(), 2U);
  EXPECT_EQ(m.body("b").mass, 4.0);
  EXPECT_LT((m.pose("b").p_WB - Vector3(0.75, 0, 0.75)).norm(), kExact);
  // A point of 3 kg at (1, 0, 1) and 1 kg at the origin: 0.75 kg reduced mass at a distance of sqrt 2.
  const Vector3 arm(1, 0, 1);
  const Matrix3 J = given_inertia() + 0.75 * (2.0 * Matrix3::Identity() - arm * arm.transpose());
  EXPECT_LT((m.body("b").inertia - J).norm(), kExact);
  EXPECT_LT((m.body("b").shapes.at(0).position - (Vector3(1.5, 0, 0) - Vector3(0.75, 0, 0.75))).norm(), kExact);
  EXPECT_EQ(m.body("b").shapes[0].name, "pad");
  EXPECT_EQ(m.body("a").shapes.at(0).name, "a-0");
  EXPECT_EQ(m.body("a").shapes.at(1).name, "d-v0");
  EXPECT_TRUE(m.body("a").shapes[1].contact.visual);
  EXPECT_EQ(m.scene.contact_default->except.size(), 1U) << "bodies of a joint do not touch";
}

TEST(Urdf, ReadsAllShapes) {
  const ConvertedModel converted = convert_urdf(
      link("a",
           "<collision><geometry><cylinder radius=\"0.1\" "
           "length=\"0.3\"/></geometry></collision><collision><geometry><capsule "
           "radius=\"0.2\" length=\"0.5\"/></geometry></collision><visual><geometry><cylinder radius=\"0.1\" "
           "length=\"0.3\"/></geometry></visual><visual><geometry><mesh "
           "filename=\"package://p/x.dae\"/></geometry></visual>"));
  const Scene scene = parse_scene(converted.scene, "r.urdf");
  const std::vector<SceneShape>& shapes = scene.bodies.at(0).shapes;
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].geometry, ShapeGeometry(Cylinder{0.1, 0.3}));
  EXPECT_FALSE(shapes[0].contact.visual);
  EXPECT_EQ(shapes[1].geometry, ShapeGeometry(Capsule{0.2, 0.5}));
  EXPECT_EQ(shapes[2].name, "a-v0");
  ASSERT_EQ(converted.warnings.size(), 1U);
  EXPECT_EQ(converted.warnings[0],
            "r.urdf:2: warning: mesh.filename: \"package://p/x.dae\": Collada is not read: convert the mesh to STL or "
            "OBJ: left out");
}

/// Open ones, too; what no mesh can be made of is drawn as its hull.
TEST(Urdf, DrawsMeshes) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "sheet.obj") << "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 2 3\nf 1 2 4\n";
  std::ofstream(folder / "inside_out.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
  const auto visual = [](const std::string& mesh) {
    return "<visual><geometry><mesh " + mesh + "/></geometry></visual>";
  };
  std::ofstream(folder / "r.urdf") << "<robot name=\"r\">" +
                                          link("a", visual("filename=\"sheet.obj\" scale=\"0.5 0.5 0.5\"") +
                                                        visual("filename=\"sheet.obj\" scale=\"1 1 -1\"") +
                                                        visual("filename=\"inside_out.obj\"")) +
                                          "</robot>";
  RobotOptions options;
  options.scene_folder = folder.path();
  const ConvertedModel converted = convert_model(folder / "r.urdf", options);
  EXPECT_TRUE(converted.warnings.empty());
  const Scene scene = parse_scene(converted.scene, (folder / "r.toml").string());
  const std::vector<SceneShape>& shapes = scene.bodies.at(0).shapes;
  ASSERT_EQ(shapes.size(), 3U);
  const auto* sheet = std::get_if<Mesh>(&shapes[0].geometry);
  ASSERT_NE(sheet, nullptr);
  EXPECT_EQ(sheet->scale, Vector3::Constant(0.5));
  EXPECT_EQ(sheet->surface->triangles.size(), 2U);
  EXPECT_EQ(sheet->surface->vertices[1], Vector3(1, 0, 0));
  const auto* mirrored = std::get_if<Mesh>(&shapes[1].geometry);
  ASSERT_NE(mirrored, nullptr);
  const std::vector<Vector3>& vertices = mirrored->surface->vertices;
  const auto& [a, b, c] = mirrored->surface->triangles[0];
  EXPECT_EQ((vertices[b] - vertices[a]).cross(vertices[c] - vertices[a]), Vector3(0, 0, -4)) << "the other side is out";
  EXPECT_TRUE(std::holds_alternative<Convex>(shapes[2].geometry));
  for (const SceneShape& shape : shapes) EXPECT_TRUE(shape.contact.visual);
}

TEST(Urdf, MakesGearsOfMimics) {
  const std::string fingers =
      link("a", "") + link("b", inertial("1")) + link("c", inertial("1")) +
      joint("one", "prismatic", "a", "b", "<limit lower=\"-1\" upper=\"1\"/>") +
      joint("two", "prismatic", "a", "c",
            "<limit lower=\"-1\" upper=\"1\"/><mimic joint=\"one\" multiplier=\"-2\" offset=\"0.1\"/>");
  const BuiltModel m = build_urdf(fingers);
  EXPECT_EQ(m.coordinate("one"), 0.0);
  EXPECT_NEAR(m.coordinate("two"), 0.1, kExact);
  EXPECT_EQ(m.scene.joints.back().name, "two~mimic");
  EXPECT_EQ(m.scene.joints.back().gear->ratio, -2.0);
}

TEST(Urdf, StartsChainsOfMimics) {
  const BuiltModel m =
      build_urdf(link("a", "") + link("b", inertial("1")) + link("c", inertial("1")) + link("d", inertial("1")) +
                 joint("three", "continuous", "c", "d", "<mimic joint=\"two\" multiplier=\"2\" offset=\"0.1\"/>") +
                 joint("two", "continuous", "b", "c", "<mimic joint=\"one\" offset=\"0.25\"/>") +
                 joint("one", "continuous", "a", "b"));
  EXPECT_NEAR(m.coordinate("one"), 0.0, kExact);
  EXPECT_NEAR(m.coordinate("two"), 0.25, kExact);
  EXPECT_NEAR(m.coordinate("three"), 0.6, kExact);
}

TEST(Urdf, FreesItsRoot) {
  RobotOptions options;
  options.base = "free";
  const BuiltModel m = build_urdf(link("a", inertial("1")), options);
  EXPECT_EQ(m.body("a").type, BodyType::rigid);
  EXPECT_THROW(build_urdf(link("a", ""), options), InputError);
}

TEST(Urdf, HasFloatingAndPlanarJoints) {
  const BuiltModel m =
      build_urdf(link("a", "") + link("b", inertial("1")) + link("c", inertial("1")) +
                 joint("f", "floating", "a", "b", "<origin xyz=\"1 2 3\"/>") +
                 joint("p", "planar", "a", "c", "<axis xyz=\"0 0 1\"/><limit lower=\"0\" upper=\"1\"/>"));
  EXPECT_LT((m.pose("b").p_WB - Vector3(1, 2, 3)).norm(), kExact);
  EXPECT_EQ(m.built.system->joints().size(), 1U);
  EXPECT_EQ(m.joint("p").options.type, JointType::planar);
}

TEST(Urdf, BalancesInertiasThatNoBodyHas) {
  const std::string broken = link("a", "") +
                             link("b",
                                  "\n<inertial><mass value=\"1\"/>\n<inertia ixx=\"1\" iyy=\"1\" izz=\"4\" ixy=\"0\" "
                                  "ixz=\"0\" iyz=\"0\"/></inertial>") +
                             joint("j", "continuous", "a", "b");
  RobotOptions options;
  options.balance_inertia = true;
  EXPECT_LT((build_urdf(broken, options).body("b").inertia - 2.0 * Matrix3::Identity()).norm(), kExact);
  EXPECT_EQ(convert_urdf(broken, options).warnings.size(), 1U);
}

TEST(Urdf, WarnsOfWhatItLeavesOut) {
  const std::string parts =
      link("a", "") + link("b", inertial("1") + "<contact/>\n") +
      joint("j", "revolute", "a", "b",
            "\n<limit effort=\"3\" velocity=\"2\"/>\n<safety_controller k_velocity=\"1\"/>\n<calibration/>") +
      "<transmission name=\"t\"><type/></transmission>\n<gazebo/>\n<material name=\"m\"/>\n";
  const ConvertedModel converted = convert_urdf(parts);
  const std::vector<std::string> expected = {
      "r.urdf:3: warning: contact: it has no counterpart: left out",
      "r.urdf:6: warning: limit.velocity: rates have no limits: left out",
      "r.urdf:7: warning: safety_controller: it has no counterpart: left out",
      "r.urdf:8: warning: calibration: it has no counterpart: left out",
      "r.urdf:9: warning: transmission: it has no counterpart: left out",
      "r.urdf:10: warning: gazebo: it has no counterpart: left out",
      "r.urdf:6: warning: limit: a revolute joint without lower and upper: it has no limits"};
  EXPECT_EQ(converted.warnings, expected);
  RobotOptions options;
  options.strict = true;
  try {
    convert_urdf(parts, options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "r.urdf:3: contact: it has no counterpart: left out");
  }
}

TEST(Urdf, LimitsEfforts) {
  std::string parts = link("root", "");
  for (const std::string type : {"revolute", "continuous", "prismatic", "planar", "floating", "fixed"}) {
    const bool is_limited = type == "revolute" || type == "prismatic";
    parts += link("of_" + type, inertial("1")) +
             joint(type, type, "root", "of_" + type,
                   is_limited ? "<limit effort=\"30\" lower=\"-1\" upper=\"1\"/>" : "<limit effort=\"-2.5\"/>");
  }
  const ConvertedModel converted = convert_urdf(parts);
  ASSERT_EQ(converted.warnings.size(), 3U);
  EXPECT_NE(converted.warnings[0].find("limit.effort: a planar joint has no limit of its effort: left out"),
            std::string::npos);
  EXPECT_NE(converted.warnings[1].find("a floating joint"), std::string::npos);
  EXPECT_NE(converted.warnings[2].find("a fixed joint"), std::string::npos);
  const Scene scene = parse_scene(converted.scene, "r.urdf");
  const auto limit = [&](const std::string& name) {
    return std::ranges::find(scene.joints, name, &SceneJoint::name)->effort_limit;
  };
  EXPECT_EQ(limit("revolute"), (JointBounds{{-30.0, 30.0}}));
  EXPECT_EQ(limit("prismatic"), (JointBounds{{-30.0, 30.0}}));
  EXPECT_EQ(limit("continuous"), (JointBounds{{-2.5, 2.5}}));
  EXPECT_EQ(limit("planar"), JointBounds{});
}

TEST(Urdf, RenamesWhatAScenesNamesCannotHold) {
  const ConvertedModel converted =
      convert_urdf(link("a/b", "") + link("a_b", inertial("1")) + joint("j.k", "continuous", "a/b", "a_b"));
  const Scene scene = parse_scene(converted.scene, "r.urdf");
  EXPECT_EQ(scene.bodies.at(0).name, "a_b");
  EXPECT_EQ(scene.bodies.at(1).name, "a_b~2");
  EXPECT_EQ(scene.joints.at(0).name, "j_k");
  EXPECT_EQ(converted.warnings,
            std::vector<std::string>{"r.urdf:3: warning: link.name: \"a_b\" is taken: named \"a_b~2\""});
}

}  // namespace
}  // namespace stickslip
