// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/closest_approach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip {
namespace {

Body planar_body(const char* name, const Shape& shape) {
  Body body;
  body.name = name;
  body.type = BodyType::planar;
  body.mass = 1.0;
  body.inertia = 0.1 * Matrix3::Identity();
  body.shapes = {shape};
  return body;
}

/// Two discs, the second with its centre 0.1 m from the origin of its body.
System make_discs() {
  SystemBuilder builder(true, Vector3::Zero());
  const Shape disc = {.name = "s", .geometry = Sphere{.radius = 0.2}};
  Shape eccentric = disc;
  eccentric.position = Vector3(0.1, 0.0, 0.0);
  ContactPairOptions pair;
  pair.name = "pair";
  pair.first = builder.add_body(planar_body("a", disc));
  pair.second = builder.add_body(planar_body("b", eccentric));
  builder.add_contact(pair);
  return builder.build();
}

/// The least gap of the two on their ways, from ten thousand places on it.
double sample(const Vector& from, const Vector& to) {
  double least = 1e9;
  for (int i = 0; i <= 10000; ++i) {
    const Vector q = from + (to - from) * (i / 10000.0);
    const double x = q(3) + 0.1 * std::cos(q(5)) - q(0);
    const double y = q(4) + 0.1 * std::sin(q(5)) - q(1);
    least = std::min(least, std::hypot(x, y) - 0.4);
  }
  return least;
}

TEST(ClosestApproach, TellsWhatStaysApartFromWhatComesNear) {
  const System system = make_discs();
  ClosestApproach approach(system);
  std::mt19937 random(5);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr double kDistance = 0.01;
  int n_apart = 0;
  for (int i = 0; i < 500; ++i) {
    Vector from(6), to(6);
    from << 0.0, 0.0, 0.0, uniform(0.6, 1.0), uniform(-0.3, 0.3), uniform(-3.0, 3.0);
    to << uniform(-0.5, 0.5), uniform(-0.5, 0.5), 1.0, uniform(-1.5, 0.5), uniform(-1.0, 1.0),
        from(5) + uniform(-1.0, 1.0);
    const BodySnapshot start = BodySnapshot(system).take(0.0, from, nullptr);
    const BodySnapshot end = BodySnapshot(system).take(0.0, to, nullptr);
    const bool apart = approach.stays_apart(start, end, system.contact_points()[0], kDistance);
    const double least = sample(from, to);
    if (least > kDistance * 1.01) {
      EXPECT_TRUE(apart) << i << " " << least;
    } else if (least < kDistance * 0.49) {
      EXPECT_FALSE(apart) << i << " " << least;
    }
    n_apart += apart ? 1 : 0;
  }
  EXPECT_GT(n_apart, 100);
  EXPECT_LT(n_apart, 400);
}

}  // namespace
}  // namespace stickslip
