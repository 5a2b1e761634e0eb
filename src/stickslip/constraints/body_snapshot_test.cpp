// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/body_snapshot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace stickslip {
namespace {

Body planar_body(const std::string& name, const Shape& shape) {
  Body body;
  body.name = name;
  body.type = BodyType::planar;
  body.mass = 1.0;
  body.inertia = 0.1 * Matrix3::Identity();
  body.shapes = {shape};
  return body;
}

/// A disc around its body's origin, of which it does not matter how it has turned, one beside it, and a bar with a flat
/// top that the first may touch, each above a tilted floor.
System make_planar_bodies() {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "s", .geometry = HalfSpace{.normal = Vector3(0.6, 0.8, 0.0), .offset = 0.0}}};
  const int ground = builder.add_body(floor);
  const Shape disc = {.name = "s", .geometry = Sphere{.radius = 0.2}};
  Shape eccentric = disc;
  eccentric.position = Vector3(0.1, 0.05, 0.0);
  const int centred = builder.add_body(planar_body("centred", disc));
  const int beside = builder.add_body(planar_body("beside", eccentric));
  const Shape top = {.name = "s", .geometry = HalfSpace{.normal = Vector3::UnitY(), .offset = 0.1}};
  const int bar = builder.add_body(planar_body("bar", top));
  for (const auto& [first, second] :
       {std::pair(ground, centred), std::pair(ground, beside), std::pair(bar, centred), std::pair(centred, beside)}) {
    ContactPairOptions pair;
    pair.name = "pair" + std::to_string(first) + std::to_string(second);
    pair.first = first;
    pair.second = second;
    pair.law.friction = 0.3;
    builder.add_contact(pair);
  }
  return builder.build();
}

TEST(BodySnapshot, KnowsAllThatContactsAskFor) {
  const System system = make_planar_bodies();
  ASSERT_EQ(system.contact_points().size(), 4U);
  BodySnapshot at(system);
  for (const double x : {0.3, 1.7}) {
    Vector q(system.n_q());
    Vector u(system.n_u());
    for (int i = 0; i < q.size(); ++i) q(i) = std::sin(x + i);
    for (int i = 0; i < u.size(); ++i) u(i) = std::cos(x + 2 * i);
    at.take(x, q, &u);
    for (const ContactPoint& point : system.contact_points()) {
      ContactGeometry here, known;
      calc_contact(at, point, here);
      system.calc_contact(point, x, q, known);
      EXPECT_EQ(here.gap, known.gap);
      EXPECT_EQ(here.normal, known.normal);
      EXPECT_EQ(here.position_first, known.position_first);
      EXPECT_EQ(here.position_second, known.position_second);
      EXPECT_EQ(calc_gap(at, point), known.gap);
      ContactVector gamma = ContactVector::Zero();
      ContactGeometry within;
      EXPECT_FALSE(calc_contact_within(at, point, std::nextafter(known.gap, -100.0), within, gamma));
      ASSERT_TRUE(calc_contact_within(at, point, known.gap, within, gamma));
      EXPECT_EQ(within.position_first, known.position_first);
      EXPECT_EQ(within.tangent1, known.tangent1);
      EXPECT_EQ(gamma, system.calc_contact_velocity(point, known, x, q, u));
    }
  }
}

}  // namespace
}  // namespace stickslip
