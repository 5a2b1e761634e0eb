// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/dense_packing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip {
namespace {

void expect_apart(const std::vector<Vector3>& x, const std::vector<double>& radii, const Vector3& low,
                  const Vector3& high, int dim) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < dim; ++k) {
      EXPECT_GE(x[i](k) - radii[i], low(k) - 1e-12);
      EXPECT_LE(x[i](k) + radii[i], high(k) + 1e-12);
    }
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE((x[i] - x[j]).norm(), radii[i] + radii[j]);
  }
}

TEST(DensePacking, SpheresFillFiftyFivePerCentAndDiscsSeventyEight) {
  const double radius = 0.05;
  const Vector3 low(1.0, -2.0, 3.0);
  const Vector3 high = low + Vector3::Constant(1.0);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const int dim : {2, 3}) {
      const double volume =
          dim == 3 ? 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3) : std::numbers::pi * radius * radius;
      const auto n = static_cast<std::size_t>((dim == 3 ? 0.55 : 0.78) / volume);
      const std::vector<double> radii(n, radius);
      Draws draws(seed);
      const auto places = pack_balls(radii, low, high, dim, draws);
      ASSERT_TRUE(places.has_value()) << seed << " " << dim;
      expect_apart(*places, radii, low, high, dim);
    }
  }
}

TEST(DensePacking, TakesSizesOfOneToFiveAndLongBoxes) {
  Draws draws(4);
  std::vector<double> radii;
  double volume = 0.0;
  while (volume < 0.45 * 0.72) {
    radii.push_back(draws.uniform(0.02, 0.1));
    volume += 4.0 / 3.0 * std::numbers::pi * std::pow(radii.back(), 3);
  }
  const Vector3 high(0.6, 0.6, 2.0);
  const auto places = pack_balls(radii, Vector3::Zero(), high, 3, draws);
  ASSERT_TRUE(places.has_value());
  expect_apart(*places, radii, Vector3::Zero(), high, 3);
}

TEST(DensePacking, SaysWhereThereIsNoRoom) {
  Draws draws(1);
  EXPECT_FALSE(pack_balls(std::vector<double>(9, 0.5), Vector3::Zero(), Vector3::Constant(2.0), 3, draws).has_value());
  // More than any packing holds is told without a try.
  std::vector<double> radii(4'000'000, 0.005);  // 2.1 of the box
  EXPECT_FALSE(pack_balls(radii, Vector3::Zero(), Vector3::Constant(1.0), 3, draws).has_value());
  radii.back() = 0.006;
  EXPECT_FALSE(pack_balls(radii, Vector3::Zero(), Vector3::Constant(1.0), 3, draws).has_value());
}

}  // namespace
}  // namespace stickslip
