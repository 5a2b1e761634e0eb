// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/friction_polygon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

using Pair = FrictionPolygon::Pair;
constexpr double kOfRoundOff = 1e-13;
constexpr double kOrientation = 0.3;  // [rad]

double dot(const Pair& a, const Pair& b) {
  return a[0] * b[0] + a[1] * b[1];
}

/// At the corner that is found, and on the edge, -v.f is the support of the polygon, which knows nothing of either.
TEST(FrictionPolygon, FrictionDissipatesAsMuchAsThePolygonAllows) {
  for (const int facets : {3, 4, 5, 8, 16}) {
    const FrictionPolygon polygon(facets, kOrientation);
    const FrictionBlock block{2, 1.0, facets, kOrientation};
    for (int k = 0; k < 360; ++k) {
      const double angle = 0.001 + k * std::numbers::pi / 180.0;
      const Pair v = {2.0 * std::cos(angle), 2.0 * std::sin(angle)};
      const Pair opposite = {-v[0], -v[1]};
      const FrictionPolygon::Slip slip = polygon.find_slip(v.data(), 1e-6);
      ASSERT_FALSE(slip.on_edge);
      EXPECT_NEAR(dot(v, slip.direction), calc_support(block, opposite.data()), kOfRoundOff) << facets << ' ' << angle;
      EXPECT_GT(polygon.calc_distance(slip.direction, 1.0, v.data()), 0.0);
      EXPECT_GT(polygon.calc_distance(slip.direction, -1.0, v.data()), 0.0);
      for (const double sign : {1.0, -1.0}) {
        // Where v turns to the edge, the distance is none, and from that edge one comes back.
        const Pair edge = polygon.turn(slip.direction, sign);
        const FrictionPolygon::Slip found = polygon.find_slip(edge.data(), 1e-12);
        ASSERT_TRUE(found.on_edge) << facets << ' ' << angle;
        EXPECT_NEAR(dot(found.direction, edge), 1.0, kOfRoundOff);
        EXPECT_TRUE(polygon.take(edge.data()).on_edge);
        EXPECT_NEAR(polygon.calc_distance(slip.direction, sign, edge.data()), 0.0, kOfRoundOff);
        EXPECT_NEAR(dot(polygon.turn(edge, -sign), slip.direction), 1.0, kOfRoundOff);
        EXPECT_NEAR(polygon.apothem(), calc_support(block, Pair{-edge[0], -edge[1]}.data()), kOfRoundOff);
      }
    }
  }
}

TEST(FrictionPolygon, BorderIsWhereTheGaugeIsOne) {
  for (const int facets : {3, 4, 7}) {
    const FrictionPolygon polygon(facets, kOrientation);
    for (int k = 0; k < 360; ++k) {
      const double angle = 0.001 + k * std::numbers::pi / 180.0;
      const Pair f = {std::cos(angle), std::sin(angle)};
      const double gauge = polygon.calc_gauge(f.data());
      EXPECT_GE(gauge, 1.0);
      // The support in the direction that it begins to slide against.
      const FrictionPolygon::Slip slip = polygon.find_slip_against(f.data());
      EXPECT_TRUE(slip.on_edge);
      EXPECT_NEAR(-dot(f, slip.direction) / gauge, polygon.apothem(), kOfRoundOff);
      Pair nearest;
      project_on_friction_set({2, 1.0, facets, kOrientation}, gauge, f.data(), nearest.data());
      EXPECT_NEAR(std::hypot(nearest[0] - f[0], nearest[1] - f[1]), 0.0, kOfRoundOff) << "in gauge P";
    }
    EXPECT_EQ(polygon.calc_gauge(Pair{0.0, 0.0}.data()), 0.0);
  }
}

}  // namespace
}  // namespace stickslip
