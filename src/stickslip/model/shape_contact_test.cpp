// SPDX-License-Identifier: BSD-3-Clause
// What shapes say of contacts that are found: masks, drawn ones, friction by pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

ShapeContact masks(int contype, int conaffinity) {
  ShapeContact contact;
  contact.contype = contype;
  contact.conaffinity = conaffinity;
  return contact;
}

ShapeContact drawn() {
  ShapeContact contact;
  contact.visual = true;
  return contact;
}

ShapeContact rubs(std::optional<double> friction, int priority = 0, int condim = 3) {
  ShapeContact contact;
  contact.friction = friction;
  contact.priority = priority;
  contact.condim = condim;
  return contact;
}

/// Bodies far apart, each with one ball that says this, under contacts of friction 0.5.
System make_balls(const std::vector<ShapeContact>& contacts) {
  SystemBuilder builder(false, Vector3::Zero());
  for (const ShapeContact& contact : contacts) {
    Body body;
    body.name = "ball" + std::to_string(&contact - contacts.data());
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
    body.shapes = {{"hull", Sphere{0.1}, Vector3::Zero(), Matrix3::Identity(), contact}};
    builder.add_body(body);
  }
  ContactDetectionOptions options;
  options.law.friction = 0.5;
  builder.detect_contacts(options);
  return builder.build();
}

TEST(ShapeContact, MasksDecideWhatTouches) {
  const System system = make_balls({masks(1, 0), masks(0, 1), masks(2, 2), masks(0, 0), drawn()});
  const ContactFilter filter(system);
  EXPECT_TRUE(filter.allows(0, 1)) << "one side is enough";
  EXPECT_TRUE(filter.allows(1, 0));
  EXPECT_FALSE(filter.allows(0, 2));
  EXPECT_FALSE(filter.allows(1, 2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(filter.allows(i, 3));
    EXPECT_FALSE(filter.allows(i, 4));
  }
}

TEST(ShapeContact, DrawnShapesHaveNothingToTouchWithAndNoMass) {
  const System system = make_balls({drawn(), {}});
  EXPECT_EQ(system.shapes()[0].surface, -1);
  EXPECT_EQ(system.shapes()[0].n_balls, 0);
  EXPECT_EQ(system.shapes()[0].solid, -1);
  EXPECT_EQ(calc_mass_properties(system.bodies()[0].shapes, 1.0, false).mass, 0.0);
  EXPECT_GT(calc_mass_properties(system.bodies()[1].shapes, 1.0, false).mass, 0.0);
}

TEST(ShapeContact, ANamedPairOfADrawnShapeIsRefused) {
  SystemBuilder builder(false, Vector3::Zero());
  for (const char* name : {"a", "b"}) {
    Body body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
    body.shapes = {{"hull", Sphere{0.1}, Vector3::Zero(), Matrix3::Identity(), drawn()}};
    builder.add_body(body);
  }
  ContactPairOptions pair;
  pair.name = "p";
  pair.first = 0;
  pair.second = 1;
  EXPECT_THROW(builder.add_contact(pair), InputError);
}

TEST(ShapeContact, TheLargerFrictionCountsOrThatOfTheHigherPriority) {
  const System system = make_balls({rubs(0.2), rubs(0.8), {}, rubs(0.1, 1), rubs({}, 0, 1), rubs({}, 2, 1)});
  const auto friction = [&](int a, int b) {
    EXPECT_EQ(system.detected_law(a, b), system.detected_law(b, a));
    return system.detected_law(a, b).friction;
  };
  EXPECT_EQ(friction(0, 1), 0.8);
  EXPECT_EQ(friction(0, 2), 0.5) << "a shape without one has that of all";
  EXPECT_EQ(friction(1, 3), 0.1);
  EXPECT_EQ(friction(0, 4), 0.5) << "the larger condim counts";
  EXPECT_EQ(friction(4, 4), 0.0);
  EXPECT_EQ(friction(1, 5), 0.0);
  EXPECT_EQ(friction(3, 5), 0.0) << "the higher priority";
}

/// condim 4 has spinning, 6 rolling too; of two shapes the larger number and the larger condim count.
TEST(ShapeContact, MomentsAreThoseThatCondimAsksFor) {
  const auto turns = [](std::optional<int> condim, std::optional<double> spinning, std::optional<double> rolling,
                        int priority = 0) {
    ShapeContact contact;
    contact.condim = condim;
    contact.spinning = spinning;
    contact.rolling = rolling;
    contact.priority = priority;
    return contact;
  };
  const System system = make_balls({turns(3, 0.1, 0.2), turns(4, 0.3, 0.4), turns(6, 0.05, 0.06), turns(6, {}, {}),
                                    turns({}, 0.7, 0.8), turns({}, {}, {}), turns(4, 0.01, 0.02, 1)});
  const auto expect = [&](int a, int b, double spinning, double rolling) {
    SCOPED_TRACE(std::to_string(a) + " " + std::to_string(b));
    EXPECT_EQ(system.detected_law(a, b).spinning, spinning);
    EXPECT_EQ(system.detected_law(a, b).rolling, rolling);
    EXPECT_EQ(system.detected_law(b, a).spinning, spinning);
    EXPECT_EQ(system.detected_law(b, a).rolling, rolling);
    EXPECT_EQ(system.detected_law(a, b).friction, 0.5);
  };
  expect(0, 0, 0.0, 0.0);
  expect(0, 1, 0.3, 0.0);
  expect(0, 2, 0.1, 0.2);
  expect(1, 2, 0.3, 0.4);
  expect(3, 3, 0.0, 0.0);
  expect(2, 4, 0.7, 0.8);
  expect(4, 5, 0.0, 0.0);
  expect(2, 6, 0.01, 0.0);
}

TEST(ShapeContact, PointsThatAreFoundHaveTheLawOfTheirShapes) {
  const System system = make_balls({rubs(0.2), rubs(0.8), {}});
  EXPECT_EQ(system.pair(system.make_contact_point(System::make_contact_id(0, 1, 0))).law().friction, 0.8);
  EXPECT_EQ(system.pair(system.make_contact_point(System::make_contact_id(0, 2, 0))).law().friction, 0.5);
}

}  // namespace
}  // namespace stickslip
