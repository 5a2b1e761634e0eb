// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/body_sizes.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

Body make_sized_body(const std::string& name, BodyType type, std::vector<ShapeGeometry> shapes = {}) {
  Body body;
  body.name = name;
  body.type = type;
  body.mass = 1.0;
  body.inertia = Matrix3::Identity();
  for (ShapeGeometry& geometry : shapes) {
    body.shapes.emplace_back();
    body.shapes.back().geometry = std::move(geometry);
  }
  return body;
}

/// A revolute joint between two bodies, at `on_first` and `on_second` in their frames.
JointOptions hinge(const std::string& name, int first, int second, const Vector3& on_first, const Vector3& on_second) {
  JointOptions joint;
  joint.name = name;
  joint.first = first;
  joint.second = second;
  joint.on_first.at = on_first;
  joint.on_second.at = on_second;
  return joint;
}

constexpr double kExact = 1e-9;  // [-] of enclosing balls

TEST(BodySizes, AreThoseOfShapesThenOfJoints) {
  SystemBuilder builder(true, Vector3::Zero());
  const int floor = builder.add_body(make_sized_body("floor", BodyType::fixed, {HalfSpace{}, Box{{3, 4, 1}}}));
  const int ball = builder.add_body(make_sized_body("ball", BodyType::planar, {Sphere{0.1}, Sphere{9.0, true}}));
  const int rod = builder.add_body(make_sized_body("rod", BodyType::planar));
  const int tip = builder.add_body(make_sized_body("tip", BodyType::planar, {PointShape{}}));
  const int mass = builder.add_body(make_sized_body("mass", BodyType::point));
  const int ground = builder.add_body(make_sized_body("ground", BodyType::fixed));
  Body leg = make_sized_body("leg", BodyType::beam);
  leg.beam.emplace(BeamOptions{1.2, 100.0, 1.0, 0.7, 3, 3, 0});
  const int beam = builder.add_body(leg);
  builder.add_joint(hinge("a", ground, rod, {5, 0, 0}, {-0.3, 0.4, 0}));
  builder.add_joint(hinge("b", rod, ball, {0.2, 0, 0}, {0.7, 0, 0}));
  const System system = builder.build();
  const BodySizes sizes(system);
  EXPECT_NEAR(sizes.size(floor), 5.0, 5.0 * kExact) << "without the half-space";
  EXPECT_NEAR(sizes.size(ball), 0.2, kExact) << "without the container; its joint does not matter";
  EXPECT_EQ(sizes.size(rod), 0.5) << "the farther of its joints";
  EXPECT_EQ(sizes.size(tip), 0.0);
  EXPECT_EQ(sizes.size(mass), 0.0);
  EXPECT_EQ(sizes.size(ground), 0.0) << "it has no centre";
  EXPECT_EQ(sizes.size(beam), 1.2);
  EXPECT_EQ(sizes.of_pair(rod, ball), sizes.size(ball));
  EXPECT_EQ(sizes.of_pair(ground, rod), 0.5);
  EXPECT_EQ(sizes.of_pair(floor, tip), sizes.size(floor));
  EXPECT_EQ(sizes.of_pair(ground, tip), 1.0) << "none has a size";
  EXPECT_EQ(sizes.least(), sizes.size(ball));
}

TEST(BodySizes, OfRoundOffAreNone) {
  // Coordinates of one place differ by their round-off: such a body has no size rather than a tiny one.
  for (const double offset : {0.0, 2e-18, 1e-17, -3e-13}) {
    SystemBuilder builder(true, Vector3::Zero());
    const int ground = builder.add_body(make_sized_body("ground", BodyType::fixed));
    const int wheel = builder.add_body(make_sized_body("wheel", BodyType::planar));
    const int mass = builder.add_body(make_sized_body("mass", BodyType::point));
    builder.add_joint(hinge("a", ground, wheel, {1000, 0, 0}, {offset, 0, 0}));
    builder.add_joint(hinge("b", wheel, mass, {0, offset, 0}, {0, offset, 0}));
    const System system = builder.build();
    const BodySizes sizes(system);
    EXPECT_EQ(sizes.size(wheel), 0.0) << offset;
    EXPECT_EQ(sizes.of_pair(ground, wheel), 1.0) << offset;
  }
}

TEST(BodySizes, CountNoShapesThatAreOnlyDrawn) {
  SystemBuilder builder(false, Vector3::Zero());
  Body body = make_sized_body("body", BodyType::rigid, {Sphere{0.1}, Sphere{5.0}});
  body.shapes[1].contact.visual = true;
  const int index = builder.add_body(body);
  const System system = builder.build();
  EXPECT_NEAR(BodySizes(system).size(index), 0.2, kExact);
}

TEST(BodySizes, WithoutSizesAreOneMetre) {
  SystemBuilder builder(false, Vector3::Zero());
  builder.add_body(make_sized_body("a", BodyType::point, {PointShape{}}));
  builder.add_body(make_sized_body("b", BodyType::fixed, {HalfSpace{}}));
  const System system = builder.build();
  const BodySizes sizes(system);
  EXPECT_EQ(sizes.of_pair(0, 1), 1.0);
  EXPECT_EQ(sizes.least(), 1.0);
}

}  // namespace
}  // namespace stickslip
