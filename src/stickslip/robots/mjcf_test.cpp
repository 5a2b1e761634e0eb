// SPDX-License-Identifier: BSD-3-Clause
// MJCF: masses, centres, axes, frames, gaps and warnings against values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/make_site.h"

namespace stickslip {
namespace {

constexpr double kFine = 1e-12;  // [m, kg, kg m^2] round-off of some rotations
constexpr double kQuarter = 0.5 * std::numbers::pi;

ConvertedModel convert_mjcf(const std::string& parts, RobotOptions options = {}) {
  options.reads_files = false;
  return convert_model_text("<mujoco model=\"m\">\n" + parts + "</mujoco>\n", "m.xml", options);
}

struct BuiltMjcf {
  Scene scene;
  BuiltScene built;

  const Body& body(const std::string& name) const {
    return built.system->bodies().at(static_cast<std::size_t>(built.system->find_body(name)));
  }
  /// Of the centre of mass.
  Pose pose(const std::string& name) const {
    return built.system->calc_pose(built.system->find_body(name), built.initial.t, built.initial.q);
  }
  /// Of the frame that the body is drawn in.
  Vector3 origin(const std::string& name) const {
    const Pose at = pose(name);
    return at.p_WB + at.R_WB * body(name).drawing_origin;
  }
  const Joint& joint(const std::string& name) const {
    return built.system->joints().at(static_cast<std::size_t>(built.system->find_joint(name)));
  }
  Vector3 axis(const std::string& name) const {
    const JointOptions& o = joint(name).options;
    return built.system->calc_pose(o.second, built.initial.t, built.initial.q).R_WB * o.on_second.axes.col(2);
  }
  Vector3 point(const std::string& name) const {
    const JointOptions& o = joint(name).options;
    const Pose at = built.system->calc_pose(o.second, built.initial.t, built.initial.q);
    return at.p_WB + at.R_WB * o.on_second.at;
  }
  double coordinate(const std::string& name) const {
    return built.system->calc_joint_coordinate(built.system->find_joint(name), 0, built.initial.t, built.initial.q);
  }
  double rate(const std::string& name) const {
    return built.system
        ->calc_joint_coordinate(built.system->find_joint(name), 0, built.initial.t, built.initial.q, built.initial.u)
        .rate;
  }
};

BuiltMjcf build_mjcf(const std::string& parts, const RobotOptions& options = {}) {
  Scene scene = parse_scene(convert_mjcf(parts, options).scene, "m.xml");
  BuiltScene built = build(scene);
  return {std::move(scene), std::move(built)};
}

TEST(Mjcf, MakesMassesOfGeoms) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="b"><freejoint/>
<geom type="box" size="0.1 0.2 0.3" pos="1 0 0" mass="2"/>
<geom type="sphere" size="0.5" density="100"/>
</body>
<body name="c"><freejoint/><geom type="capsule" size="0.1" fromto="0 0 1  0 0.6 1" mass="3"/></body>
<body name="e"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3" mass="5"/></body>
<body name="d"><freejoint/><geom type="cylinder" size="0.1 0.2" mass="6" zaxis="1 0 0"/></body>
</worldbody>
)");
  const double ball = 100.0 * 4.0 / 3.0 * std::numbers::pi * 0.125;
  EXPECT_NEAR(m.body("b").mass, 2.0 + ball, 1e-12 * ball);
  const double center = 2.0 / (2.0 + ball);
  EXPECT_NEAR(m.pose("b").p_WB(0), center, kFine);
  const double reduced = 2.0 * ball / (2.0 + ball);
  EXPECT_NEAR(m.body("b").inertia(0, 0), 2.0 / 3.0 * (0.04 + 0.09) + 0.4 * ball * 0.25, kFine);
  EXPECT_NEAR(m.body("b").inertia(1, 1), 2.0 / 3.0 * (0.01 + 0.09) + 0.4 * ball * 0.25 + reduced, kFine);
  EXPECT_LT((m.pose("c").p_WB - Vector3(0, 0.3, 1)).norm(), kFine);
  EXPECT_GT(m.body("c").inertia(0, 0), 2.0 * m.body("c").inertia(1, 1)) << "it lies along y";
  EXPECT_LT((m.body("e").inertia - Matrix3(Vector3(0.13, 0.10, 0.05).asDiagonal())).norm(), kFine);
  ASSERT_EQ(m.body("e").shapes.size(), 1U);
  EXPECT_EQ(m.body("e").shapes[0].geometry, ShapeGeometry(Ellipsoid{{0.1, 0.2, 0.3}}));
  EXPECT_NEAR(m.body("d").inertia(0, 0), 6.0 * 0.01 / 2.0, kFine);
  EXPECT_NEAR(m.body("d").inertia(2, 2), 6.0 * (3.0 * 0.01 + 0.16) / 12.0, kFine);
}

TEST(Mjcf, TakesInertials) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a"><joint/><inertial pos="0 1 0" mass="2" diaginertia="1 2 2.5" euler="90 0 0"/><geom size="1"/></body>
<body name="b"><joint/><inertial pos="0 0 0" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/></body>
</worldbody>
)");
  EXPECT_EQ(m.body("a").mass, 2.0);
  EXPECT_LT((m.body("a").inertia - Matrix3(Vector3(1, 2.5, 2).asDiagonal())).norm(), kFine);
  EXPECT_LT((m.pose("a").p_WB - Vector3(0, 1, 0)).norm(), kFine);
  Matrix3 J;
  J << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  EXPECT_LT((m.body("b").inertia - J).norm(), kFine);
}

TEST(Mjcf, CompilesMasses) {
  const std::string world = R"(<worldbody>
<body name="a"><joint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 4"/><geom size="1" mass="7"/></body>
<body name="b"><joint/><inertial pos="0 0 0" mass="0.1" diaginertia="1e-3 1 1"/><geom size="1" group="4" mass="1"/></body>
</worldbody>
)";
  const BuiltMjcf m = build_mjcf("<compiler balanceinertia=\"true\" boundmass=\"0.5\" boundinertia=\"0.01\"/>" + world);
  EXPECT_LT((m.body("a").inertia - 2.0 * Matrix3::Identity()).norm(), kFine);
  EXPECT_EQ(m.body("b").mass, 0.5);
  EXPECT_NEAR(m.body("b").inertia(0, 0), 0.01, kFine);
  const BuiltMjcf total = build_mjcf("<compiler balanceinertia=\"true\" settotalmass=\"4.2\"/>" + world);
  EXPECT_NEAR(total.body("a").mass, 4.0, kFine);
  EXPECT_NEAR(total.body("b").mass, 0.2, kFine);
  const BuiltMjcf geoms = build_mjcf("<compiler inertiafromgeom=\"true\" inertiagrouprange=\"0 4\"/>" + world);
  EXPECT_EQ(geoms.body("a").mass, 7.0);
  EXPECT_THROW(build_mjcf("<compiler inertiafromgeom=\"true\" inertiagrouprange=\"0 3\"/>" + world), InputError);
}

TEST(Mjcf, ReadsOrientationsOfAllKinds) {
  const BuiltMjcf m = build_mjcf(R"(<compiler eulerseq="zYx"/><worldbody>
<body name="quat" quat="1 1 0 0"><joint/><geom size="1"/></body>
<body name="axis" axisangle="0 0 2 90"><joint/><geom size="1"/></body>
<body name="xy" xyaxes="0 1 0 -1 1 0"><joint/><geom size="1"/></body>
<body name="z" zaxis="0 1 0"><joint/><geom size="1"/></body>
<body name="euler" euler="10 20 30"><joint/><geom size="1"/></body>
</worldbody>
)");
  EXPECT_LT((m.pose("quat").R_WB - axis_angle_matrix(Vector3::UnitX(), kQuarter)).norm(), kFine);
  EXPECT_LT((m.pose("axis").R_WB - axis_angle_matrix(Vector3::UnitZ(), kQuarter)).norm(), kFine);
  EXPECT_LT((m.pose("xy").R_WB - axis_angle_matrix(Vector3::UnitZ(), kQuarter)).norm(), kFine);
  EXPECT_LT((m.pose("z").R_WB - axis_angle_matrix(Vector3::UnitX(), -kQuarter)).norm(), kFine);
  const double degree = kQuarter / 90.0;
  const Matrix3 R = axis_angle_matrix(Vector3::UnitY(), 20 * degree) *
                    axis_angle_matrix(Vector3::UnitZ(), 10 * degree) * axis_angle_matrix(Vector3::UnitX(), 30 * degree);
  EXPECT_LT((m.pose("euler").R_WB - R).norm(), kFine) << "small letters turn with the body, capitals do not";
}

TEST(Mjcf, ReadsJoints) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a" pos="0 0 1"><joint name="h" axis="0 1 0" pos="0.1 0 0" range="-90 45" ref="30" springref="60" stiffness="3" damping="2" frictionloss="0.4"/><geom size="0.1"/>
 <body name="b" pos="1 0 0"><joint name="s" type="slide" axis="1 0 0" range="-1 1" limited="false"/><geom size="0.1"/>
  <body name="c"><joint name="ball" type="ball" pos="0 0 0.5" frictionloss="0.2"/><geom size="0.1"/></body>
 </body>
</body>
</worldbody>
)");
  const JointOptions& h = m.joint("h").options;
  const double degree = kQuarter / 90.0;
  EXPECT_NEAR(h.limits->low, -kQuarter, kFine);
  EXPECT_NEAR(h.limits->high, 0.5 * kQuarter, kFine);
  EXPECT_NEAR(m.coordinate("h"), 30 * degree, kFine);
  EXPECT_NEAR(h.spring->rest, 60 * degree, kFine);
  EXPECT_EQ(h.spring->stiffness, 3.0);
  EXPECT_EQ(h.spring->damping, 2.0);
  EXPECT_EQ(h.friction, 0.4);
  EXPECT_LT((m.axis("h") - Vector3(0, 1, 0)).norm(), kFine);
  EXPECT_LT((m.point("h") - Vector3(0.1, 0, 1)).norm(), kFine);
  EXPECT_FALSE(m.joint("s").options.limits.has_value());
  EXPECT_EQ(m.joint("ball").options.type, JointType::spherical);
  EXPECT_EQ(m.joint("ball").options.friction, 0.2);
  EXPECT_LT((m.point("ball") - Vector3(1, 0, 1.5)).norm(), kFine);
}

TEST(Mjcf, TakesArmatureAndDampersOfBalls) {
  const std::string text = R"(<default><joint armature="0.2"/></default>
<worldbody><body name="a" pos="0 0 1"><joint name="hinge"/><geom size="0.1"/>
<body name="b"><joint name="ball" type="ball" damping="0.3" armature="0.1"/><geom size="0.1"/></body></body>
<body name="c" pos="3 0 0"><freejoint name="f"/><geom size="0.1"/></body>
<body name="d" pos="5 0 0"><joint name="g" type="free" damping="1"/><geom size="0.1"/></body>
</worldbody>
)";
  const BuiltMjcf m = build_mjcf(text);
  EXPECT_EQ(m.joint("hinge").options.armature, 0.2);
  EXPECT_EQ(m.joint("ball").options.armature, 0.1);
  EXPECT_EQ(m.joint("ball").options.spring->damping, 0.3);
  const std::vector<std::string> expected = {
      "m.xml:6: warning: joint.damping: free joints have no counterpart of it: left out",
      "m.xml:2: warning: joint.armature: free joints have no counterpart of it: left out"};
  EXPECT_EQ(convert_mjcf(text).warnings, expected);
}

TEST(Mjcf, GivesABodyOfSeveralJointsBodiesBetween) {
  const std::string world = R"(<worldbody>
<body name="a" pos="1 2 3"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint name="y" axis="0 1 0" pos="0 0 -0.5"/><geom size="0.1" mass="2"/></body>
</worldbody>
)";
  const BuiltMjcf m = build_mjcf(world);
  ASSERT_EQ(m.built.system->bodies().size(), 4U);
  EXPECT_EQ(m.scene.bodies[1].mass, 0.0);
  EXPECT_EQ(m.scene.bodies[2].mass, 0.0);
  EXPECT_EQ(m.scene.bodies[3].mass, 2.0);
  EXPECT_EQ(m.built.system->bodies()[1].name, "a~x");
  EXPECT_EQ(m.built.system->bodies()[2].name, "a~z");
  EXPECT_EQ(m.joint("z").options.first, 1);
  EXPECT_EQ(m.joint("z").options.second, 2);
  EXPECT_EQ(m.joint("y").options.second, 3);
  EXPECT_LT((m.pose("a").p_WB - Vector3(1, 2, 3)).norm(), kFine);
  RobotOptions options;
  options.key = "k";
  const BuiltMjcf posed = build_mjcf(
      world + "<keyframe><key name=\"k\" qpos=\"1 2 1.5707963267948966\" qvel=\"1 0 2\"/></keyframe>", options);
  EXPECT_LT((posed.pose("a").p_WB - (Vector3(2, 2, 5) + Vector3(0.5, 0, -0.5))).norm(), kFine);
  EXPECT_EQ(posed.rate("x"), 1.0);
  EXPECT_EQ(posed.rate("y"), 2.0);
  const Twist twist = posed.built.system->calc_twist(3, 0.0, posed.built.initial.q, posed.built.initial.u);
  EXPECT_LT((twist.v_WB - Vector3(1, 0, -1)).norm(), kFine) << "the centre is half a metre along x from the hinge";
}

TEST(Mjcf, FusesBodiesWithoutJoints) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
<body name="post" pos="0 0 2" euler="0 90 0"><geom name="lamp" size="0.1" pos="1 0 0"/>
 <body name="a" pos="0 0 1"><joint name="j"/><geom size="0.1" mass="1"/>
  <body name="b" pos="1 0 0"><geom name="tip" size="0.1" mass="3"/></body>
 </body>
</body>
</worldbody>
)");
  ASSERT_EQ(m.built.system->bodies().size(), 2U);
  EXPECT_EQ(m.body("a").mass, 4.0);
  // The post's z is x of the world, its x is -z.
  EXPECT_LT((m.origin("a") - Vector3(1, 0, 2)).norm(), kFine);
  EXPECT_LT((m.pose("a").p_WB - Vector3(1, 0, 1.25)).norm(), kFine);
  EXPECT_EQ(m.body("world").shapes.at(1).name, "lamp");
  EXPECT_LT((m.body("world").shapes[1].position - Vector3(0, 0, 1)).norm(), kFine);
  EXPECT_TRUE(m.scene.contact_default->except.empty()) << "the parent cannot move";
  EXPECT_LT((m.axis("j") - Vector3(1, 0, 0)).norm(), kFine);
}

TEST(Mjcf, AppliesDefaultsFramesAndCopies) {
  const BuiltMjcf m = build_mjcf(R"(<default>
<geom size="0.1" mass="1"/><joint axis="1 0 0" damping="1"/>
<default class="big"><geom size="0.2"/><default class="bigger"><geom mass="3"/></default></default>
</default>
<worldbody>
<body name="a" childclass="bigger"><joint name="ja"/><geom name="ga"/><geom name="gb" class="big"/></body>
<frame pos="0 1 0" euler="0 0 90">
 <body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0"/><geom/></body>
</frame>
<replicate count="3" offset="1 0 0" euler="0 0 90" sep="-">
 <body name="c" pos="0 0 1"><joint name="jc"/><geom/></body>
</replicate>
</worldbody>
)");
  EXPECT_EQ(m.body("a").mass, 4.0);
  EXPECT_EQ(std::get<Sphere>(m.body("a").shapes.at(0).geometry).radius, 0.2);
  EXPECT_EQ(m.joint("ja").options.spring->damping, 1.0);
  EXPECT_LT((m.axis("ja") - Vector3(1, 0, 0)).norm(), kFine);
  EXPECT_LT((m.pose("b").p_WB - Vector3(0, 2, 0)).norm(), kFine);
  EXPECT_LT((m.axis("jb") - Vector3(-1, 0, 0)).norm(), kFine);
  // Each copy's frame is in the one before: (0, 0), then (1, 0) turned by a quarter, then (1, 1) by a half.
  EXPECT_LT((m.pose("c-0").p_WB - Vector3(0, 0, 1)).norm(), kFine);
  EXPECT_LT((m.pose("c-1").p_WB - Vector3(1, 0, 1)).norm(), kFine);
  EXPECT_LT((m.pose("c-2").p_WB - Vector3(1, 1, 1)).norm(), kFine);
  EXPECT_LT((m.axis("jc-1") - Vector3(0, 1, 0)).norm(), kFine);
}

TEST(Mjcf, NumbersWhatHasNoName) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<geom type="plane" size="1 1 1"/>
<body><joint/><geom size="0.1"/><body><joint/><geom size="0.1"/></body></body>
<body><joint/><geom size="0.1" name="last"/></body>
</worldbody>
)");
  const std::vector<Body>& bodies = m.built.system->bodies();
  EXPECT_EQ(bodies.at(1).name, "body1");
  EXPECT_EQ(bodies.at(2).name, "body2");
  EXPECT_EQ(bodies.at(3).name, "body3");
  EXPECT_EQ(bodies.at(2).shapes.at(0).name, "geom2");
  EXPECT_EQ(m.joint("joint2").options.second, 3);
}

TEST(Mjcf, MasksContactsAndTakesPairs) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<geom name="floor" type="plane" size="1 1 1" friction="0.3"/>
<body name="a" pos="0 0 0.25"><freejoint/><geom name="ga" size="0.1" contype="2" conaffinity="4" friction="0.7 0.1 0.1" priority="1" condim="1"/>
 <body name="b" pos="1 0 0"><joint/><geom name="gb" size="0.1"/></body></body>
<body name="c"><freejoint/><geom name="gc" size="0.1"/></body>
</worldbody>
<contact><pair geom1="floor" geom2="gb"/><pair name="p" geom1="ga" geom2="gc" friction="0.2" condim="3"/><exclude body1="b" body2="c"/></contact>
)");
  const ShapeContact& contact = m.body("a").shapes.at(0).contact;
  EXPECT_EQ(contact.contype, 2);
  EXPECT_EQ(contact.conaffinity, 4);
  EXPECT_EQ(contact.friction, 0.7);
  EXPECT_EQ(contact.priority, 1);
  EXPECT_EQ(contact.condim, 1);
  ASSERT_EQ(m.scene.contacts.size(), 2U);
  EXPECT_EQ(m.scene.contacts[0].name, "pair0");
  EXPECT_EQ(m.scene.contacts[0].law.friction, 1.0) << "the larger of 0.3 and the default";
  EXPECT_EQ(m.scene.contacts[1].law.friction, 0.2);
  EXPECT_NEAR(m.built.system->calc_gap(0, 0.0, m.built.initial.q), 0.15, kFine);
  EXPECT_EQ(m.scene.contact_default->except, (std::vector<std::array<std::string, 2>>{{"a", "b"}, {"b", "c"}}));
}

/// Sliding, spinning and rolling friction, 1 0.005 0.0001 where nothing is said; condim says which of them act.
TEST(Mjcf, TakesSpinningAndRollingFriction) {
  const BuiltMjcf m = build_mjcf(R"(<default><geom friction="0.8 0.02 0.003"/></default><worldbody>
<geom name="floor" type="plane" size="1 1 1" condim="3"/>
<body name="a" pos="0 0 0.2"><freejoint/><geom name="ga" size="0.1" condim="6"/></body>
<body name="b" pos="1 0 0.2"><freejoint/><geom name="gb" size="0.1" condim="4" friction="0.5"/></body>
<body name="c" pos="2 0 0.2"><freejoint/><geom name="gc" size="0.1"/></body>
</worldbody>
<contact><pair geom1="ga" geom2="gb"/><pair geom1="gb" geom2="gc" condim="4" friction="0.4 0.4 0.05 0.001 0.001"/></contact>
)");
  const System& system = *m.built.system;
  const auto law = [&](const char* body) {
    const auto shape_of = [&](int index) {
      const auto is_of = [&](const ShapeFeatures& shape) { return shape.body == index; };
      return static_cast<int>(std::ranges::find_if(system.shapes(), is_of) - system.shapes().begin());
    };
    return system.detected_law(shape_of(system.find_body("world")), shape_of(system.find_body(body)));
  };
  EXPECT_EQ(law("a").friction, 0.8);
  EXPECT_EQ(law("a").spinning, 0.02);
  EXPECT_EQ(law("a").rolling, 0.003);
  EXPECT_EQ(law("b").spinning, 0.02) << "one number leaves the others as the class has them";
  EXPECT_EQ(law("b").rolling, 0.0);
  EXPECT_EQ(law("c").spinning, 0.0);
  EXPECT_EQ(law("c").rolling, 0.0);
  ASSERT_EQ(m.scene.contacts.size(), 2U);
  EXPECT_EQ(m.scene.contacts[0].law.spinning, 0.02);
  EXPECT_EQ(m.scene.contacts[0].law.rolling, 0.003);
  EXPECT_EQ(m.scene.contacts[1].law.friction, 0.4);
  EXPECT_EQ(m.scene.contacts[1].law.spinning, 0.05);
  EXPECT_EQ(m.scene.contacts[1].law.rolling, 0.0);
}

TEST(Mjcf, ClosesLoops) {
  const BuiltMjcf m = build_mjcf(R"(<compiler angle="radian"/><worldbody>
<body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 1"/>
 <body name="coupler" pos="0 0 1"><joint name="b" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 2 0 0"/></body>
</body>
<body name="rocker" pos="2 0 0"><joint name="d" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 1"/></body>
</worldbody>
<equality><connect name="loop" body1="coupler" body2="rocker" anchor="2 0 0"/></equality>
<keyframe><key name="k" qpos="0.5 -0.5 0.5"/></keyframe>
)");
  EXPECT_EQ(m.joint("loop").options.type, JointType::spherical);
  EXPECT_LT((m.point("loop") - Vector3(2, 0, 1)).norm(), kFine);
}

TEST(Mjcf, RelatesJoints) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a"><joint name="a" type="slide"/><geom size="0.1"/></body>
<body name="b"><joint name="b" type="slide" ref="0.5"/><geom size="0.1"/></body>
<body name="c"><joint name="c" type="slide"/><geom size="0.1"/></body>
</worldbody>
<equality><joint joint1="b" joint2="a" polycoef="0.1 -2 0 0 0"/><joint joint1="c" polycoef="0.3"/></equality>
)");
  EXPECT_EQ(m.coordinate("a"), 0.0);
  EXPECT_NEAR(m.coordinate("b"), 0.6, kFine);
  EXPECT_NEAR(m.coordinate("c"), 0.3, kFine);
  EXPECT_EQ(m.scene.joints.back().gear->ratio, -2.0);
  EXPECT_NEAR(*m.scene.joints.back().gear->offset, 0.6, kFine);
}

TEST(Mjcf, StartsFreeBodiesFromKeyframes) {
  RobotOptions options;
  options.key = "k";
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a"><freejoint/><geom size="0.1" pos="0 0 1"/></body>
<body name="b"><joint name="b" type="ball"/><geom size="0.1"/></body>
</worldbody>
<keyframe><key name="k" qpos="1 2 3 1 1 0 0  1 0 0 1" qvel="1 0 0 0 2 0  0 0 3"/></keyframe>
)",
                                 options);
  EXPECT_LT((m.origin("a") - Vector3(1, 2, 3)).norm(), kFine);
  EXPECT_LT((m.pose("a").p_WB - Vector3(1, 1, 3)).norm(), kFine) << "z of the body is -y of the world";
  const Twist twist = m.built.system->calc_twist(1, 0.0, m.built.initial.q, m.built.initial.u);
  // In the body: 2 e_y x e_z = 2 e_x.
  EXPECT_LT((twist.v_WB - Vector3(3, 0, 0)).norm(), kFine);
  EXPECT_LT((twist.w_WB - Vector3(0, 0, 2)).norm(), kFine);
  EXPECT_LT((m.pose("b").R_WB - axis_angle_matrix(Vector3::UnitZ(), kQuarter)).norm(), kFine);
}

TEST(Mjcf, MakesHullsOfVertices) {
  const BuiltMjcf m = build_mjcf(
      R"(<asset><mesh name="w" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="2 1 1" refpos="0 0 1" refquat="1 0 0 1"/></asset>
<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="w"/></body></worldbody>
)");
  EXPECT_NEAR(m.body("a").mass, 1000.0 * 2.0 / 6.0, 1e-9);
  // (v - refpos) turned back by a quarter about z, then scaled: e_x to (0, -1, -1), e_y to (2, 0, -1), 0 to (0, 0, -1).
  EXPECT_LT((m.pose("a").p_WB - Vector3(0.5, -0.25, -0.75)).norm(), kFine);
}

TEST(Mjcf, TakesMassesOfMeshesByTheirInertia) {
  // A cube of 1 m with a dent, whose surface ends at its centre: 5/6 of it.
  const std::string cube =
      "vertex=\"0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 .5 .5 .5\" face=\"0 3 2 0 2 1 0 1 5 0 5 4 1 2 6 1 6 5 "
      "2 "
      "3 7 2 7 6 3 0 4 3 4 7 4 5 8 5 6 8 6 7 8 7 4 8\"";
  for (const auto& [inertia, volume] : {std::pair("exact", 5.0 / 6.0), std::pair("convex", 1.0)}) {
    const BuiltMjcf m = build_mjcf("<asset><mesh name=\"m\" inertia=\"" + std::string(inertia) + "\" " + cube +
                                   "/></asset>\n<worldbody><body name=\"a\"><freejoint/><geom type=\"mesh\" "
                                   "mesh=\"m\"/></body></worldbody>\n");
    EXPECT_NEAR(m.body("a").mass, 1000.0 * volume, 1e-9) << inertia;
  }
}

TEST(Mjcf, FitsShapesToMeshes) {
  // A block of 4 x 2 x 1 m about (2, 1, .5): its own box, the longest side along z.
  const std::string block =
      "<asset><mesh name=\"m\" vertex=\"0 0 0 4 0 0 4 2 0 0 2 0 0 0 1 4 0 1 4 2 1 0 2 1\"/></asset>\n<worldbody><body "
      "name=\"a\"><freejoint/><geom mesh=\"m\" type=";
  const std::string end = "/></body></worldbody>\n";
  const BuiltMjcf box = build_mjcf(block + "\"box\"" + end);
  EXPECT_LT((std::get<Box>(box.body("a").shapes[0].geometry).size - Vector3(1, 2, 4)).norm(), 1e-9);
  EXPECT_NEAR(box.body("a").mass, 8000.0, 1e-6);
  EXPECT_LT((box.pose("a").p_WB - Vector3(2, 1, 0.5)).norm(), 1e-9);
  EXPECT_NEAR(std::abs((box.body("a").shapes[0].rotation.col(2))(0)), 1.0, 1e-9);
  const BuiltMjcf sphere = build_mjcf(block + "\"sphere\" fitscale=\"2\"" + end);
  EXPECT_NEAR(std::get<Sphere>(sphere.body("a").shapes[0].geometry).radius, 2.0 * 3.5 / 3.0, 1e-9);
  const BuiltMjcf cylinder = build_mjcf(block + "\"cylinder\"" + end);
  EXPECT_NEAR(std::get<Cylinder>(cylinder.body("a").shapes[0].geometry).radius, 0.75, 1e-9);
  const BuiltMjcf capsule = build_mjcf(block + "\"capsule\"" + end);
  EXPECT_NEAR(std::get<Capsule>(capsule.body("a").shapes[0].geometry).length, 2.0 * (2.0 - 0.375), 1e-9);
}

TEST(Mjcf, WeldsFreeBodies) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a"><freejoint/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom size=".1"/><site name="s" pos="0 0 1"/></body>
<body name="c" pos="1 0 3"><freejoint/><geom size=".1"/><site name="t" pos="0 0 -1"/></body>
</worldbody>
<equality><weld body1="a" body2="b" relpose="1.1 0 0 1 0 0 0"/><connect site1="s" site2="t"/></equality>
)");
  const Matrix3 back = m.pose("a").R_WB.transpose();
  EXPECT_LT((back * (m.pose("b").p_WB - m.pose("a").p_WB) - Vector3(1.1, 0, 0)).norm(), 1e-9);
  const auto at = [&](const char* name, double z) {
    return Vector3(m.pose(name).p_WB + m.pose(name).R_WB * Vector3(0, 0, z));
  };
  EXPECT_LT((at("b", 1.0) - at("c", -1.0)).norm(), 1e-9);
}

TEST(Mjcf, TakesRangesOfZerosAsNone) {
  const BuiltMjcf m = build_mjcf(R"(<default><joint range="-1 1"/><motor ctrlrange="-1 1" forcerange="-2 2"/></default>
<worldbody><body><joint name="j" range="0 0"/><geom size=".1"/></body></worldbody>
<actuator><motor name="m" joint="j" ctrlrange="0 0" forcerange="0 0"/></actuator>
)");
  EXPECT_FALSE(m.scene.joints.at(0).limits);
  EXPECT_FALSE(m.scene.inputs.at(0).range);
}

TEST(Mjcf, TakesDirectionsOfAnyLength) {
  const BuiltMjcf m = build_mjcf(R"(<worldbody>
<body name="a" quat="1e200 1e200 0 0"><joint name="a" axis="0 1e-200 0"/><geom size=".1"/></body>
<body name="b" quat="1e-200 0 0 1e-200"><joint name="b" axis="1e200 0 0"/><geom size=".1"/></body>
</worldbody>
)");
  EXPECT_LT((m.pose("a").R_WB - axis_angle_matrix(Vector3::UnitX(), kQuarter)).norm(), kFine);
  EXPECT_LT((m.axis("a") - Vector3::UnitZ()).norm(), kFine);
  EXPECT_LT((m.pose("b").R_WB - axis_angle_matrix(Vector3::UnitZ(), kQuarter)).norm(), kFine);
  EXPECT_LT((m.axis("b") - Vector3::UnitY()).norm(), kFine);
}

TEST(Mjcf, RenamesWhatScenesHaveAMeaningFor) {
  const ConvertedModel converted = convert_mjcf(R"(<worldbody><geom name="f" type="plane" size="1 1 1"/>
<body name="group:q" pos="0 0 2"><joint name="e" range="-1 1"/><geom name="g" size=".1"/></body></worldbody>
<contact><pair name="e-limits" geom1="f" geom2="g"/></contact>
)");
  EXPECT_EQ(converted.warnings,
            (std::vector<std::string>{
                "m.xml:3: warning: body.name: \"group:q\" would name a group of shapes: named \"group_q\"",
                "m.xml:4: warning: pair.name: \"e-limits\" is taken: named \"e-limits~2\""}));
  EXPECT_NO_THROW(build(parse_scene(converted.scene, "m.xml")));
}

TEST(Mjcf, ErrorsOfTheSceneNameTheModelsLine) {
  const ConvertedModel converted = convert_mjcf(R"(<worldbody>
<body name="a"><joint name="j" type="slide"/>
<joint name="k" type="slide"/><geom size=".1"/></body></worldbody>
)");
  test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "m.xml";
  std::ofstream(file) << "<mujoco/>";
  LoadOptions options;
  options.convert = [&](const std::filesystem::path&) {
    return ConvertedScene{converted.scene, converted.files, converted.lines};
  };
  try {
    build(load_scene(file, options));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), (SourcePlace{"m.xml", 3, 0})) << error.what();
  }
}

TEST(Mjcf, SitesAndSensors) {
  const ConvertedModel converted = convert_mjcf(R"(<worldbody><site name="ground" pos="0 0 1"/>
<body name="a" pos="0 0 2"><joint name="j"/><geom size="0.1"/><site name="tip" pos="1 0 0" euler="0 0 90"/><site/>
<body name="tool" pos="0 1 0"><geom size="0.1"/><site name="edge" fromto="0 0 0 0 0 -2"/></body></body></worldbody>
<sensor><framepos objtype="site" objname="tip"/><framequat name="turn" objtype="xbody" objname="tool"/>
<velocimeter site="tip"/><framelinvel objtype="body" objname="a"/><gyro site="tip" cutoff="5"/><jointvel name="j" joint="j"/>
<touch site="edge"/><rangefinder site="tip" cutoff="3"/><force site="edge"/></sensor>
)");
  const std::vector<std::string> expected = {
      "m.xml:6: warning: gyro.cutoff: it has no counterpart: left out",
      "m.xml:7: warning: touch: it has the force and torque of all contacts of the site's body",
      "m.xml:4: warning: site: \"tool\" has no joint: its sites are on what it is fixed to"};
  EXPECT_EQ(converted.warnings, expected);
  const Scene scene = parse_scene(converted.scene, "m.xml");
  const BuiltScene built = build(scene);
  std::vector<std::string> sites, sensors, types;
  for (const SceneSite& site : scene.sites) sites.push_back(site.name + " on " + site.body);
  for (const SceneSensor& s : scene.sensors)
    types.push_back(s.name + " " + std::string(sensor_type_name(s.type)) + " " + s.site + s.joint + s.body);
  EXPECT_EQ(sites, (std::vector<std::string>{"ground on world", "tip on a", "site2 on a", "edge on a", "turn on a",
                                             "sensor3 on a", "tool on a"}));
  EXPECT_EQ(types, (std::vector<std::string>{"sensor0 pose tip", "turn pose turn", "sensor2 velocity tip",
                                             "sensor3 velocity sensor3", "sensor4 imu tip", "j joint j",
                                             "sensor6 contact a", "sensor7 range tip", "sensor8 wrench edgej"}));
  EXPECT_TRUE(scene.sensors[2].in_site_frame);
  EXPECT_FALSE(scene.sensors[3].in_site_frame);
  EXPECT_EQ(scene.sensors[7].most, 3.0);
  const System& system = *built.system;
  const auto motion = [&](int i) {
    return calc_site_motion(system, make_site(scene.sites[i], system), 0.0, built.initial.q, built.initial.u);
  };
  EXPECT_LT((motion(1).p - Vector3(1, 0, 2)).norm(), kFine);
  EXPECT_LT((motion(1).R.col(0) - Vector3::UnitY()).norm(), kFine);
  EXPECT_LT((motion(3).p - Vector3(0, 1, 1)).norm(), kFine) << "the middle of fromto";
  EXPECT_LT((motion(4).p - Vector3(0, 1, 2)).norm(), kFine) << "the tool's frame";
  EXPECT_LT((motion(5).p - Vector3(0, 0, 2)).norm(), kFine) << "the centre of a itself, before it is fused";
}

TEST(Mjcf, WarnsOfWhatItLeavesOut) {
  const ConvertedModel converted = convert_mjcf(
      R"(<option timestep="0.004" gravity="0 0 -1" wind="1 0 0" iterations="5" collision="predefined"><flag contact="disable" warmstart="disable"/></option>
<visual><map znear="1"/></visual><statistic extent="1"/><size memory="1M"/><custom/>
<default><geom solref="0.1 1" rgba="1 1 1 1"/><joint armature="0.1" margin="0"/></default>
<asset><texture builtin="flat"/><material name="m"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>
<worldbody><light/><camera/>
<site name="s"/>
<body name="a" gravcomp="1" mocap="false"><joint/><geom size="0.1" material="m" solimp="0.9 0.95 0.001" margin="0.01"/><geom type="hfield" hfield="h"/></body>
</worldbody>
<tendon><fixed name="t"/></tendon>
<actuator><motor tendon="t"/><muscle name="x"/></actuator>
<sensor><jointlimitpos joint="j"/></sensor>
<keyframe><key/></keyframe>
<wonder/>
<compiler convexhull="false"/>
<asset><mesh name="m" maxhullvert="9" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
<worldbody><inertial pos="0 0 0" mass="1"/>
<body><freejoint align="true"/><geom size="0.1"/><geom type="sdf"/></body>
<body><joint name="j" damping="1 2"/><geom size="0.1"/></body></worldbody>
<sensor><jointpos joint="j" noise="0.1"/></sensor>
)");
  const std::vector<std::string> expected = {
      "m.xml:2: warning: option.wind: it has no counterpart: left out",
      "m.xml:2: warning: option.collision: it has no counterpart: left out",
      "m.xml:2: warning: flag.contact: flags have no counterpart: left out",
      "m.xml:4: warning: geom.solref: it has no counterpart: left out",
      "m.xml:8: warning: body.gravcomp: it has no counterpart: left out",
      "m.xml:8: warning: geom.solimp: it has no counterpart: left out",
      "m.xml:8: warning: geom.margin: it has no counterpart: left out",
      "m.xml:10: warning: fixed: tendons have no counterpart: left out",
      "m.xml:11: warning: muscle: actuators of this kind have no counterpart: left out",
      "m.xml:12: warning: jointlimitpos: sensors of this kind have no counterpart: left out",
      "m.xml:14: warning: wonder: it has no counterpart: left out",
      "m.xml:15: warning: compiler.convexhull: it has no counterpart: left out",
      "m.xml:16: warning: mesh.maxhullvert: it has no counterpart: left out",
      "m.xml:18: warning: freejoint.align: it has no counterpart: left out",
      "m.xml:20: warning: jointpos.noise: it has no counterpart: left out",
      "m.xml:17: warning: inertial: the world cannot move: left out",
      "m.xml:18: warning: geom.type: surfaces by a signed distance have no counterpart: the geom is left out, with its "
      "mass",
      "m.xml:19: warning: joint.damping: dampers are linear: the other coefficients are left out",
      "m.xml:11: warning: motor.tendon: actuators of anything but joints have no counterpart: left out",
      "m.xml:8: warning: geom: a height field on a body that moves has no counterpart: left out"};
  EXPECT_EQ(converted.warnings, expected);
  const Scene scene = parse_scene(converted.scene, "m.xml");
  EXPECT_EQ(scene.time.step, 0.004);
  EXPECT_EQ(scene.gravity(2), -1.0);
}

}  // namespace
}  // namespace stickslip
