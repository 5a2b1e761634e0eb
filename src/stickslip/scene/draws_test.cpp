// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/draws.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

namespace stickslip {
namespace {

constexpr int kDrawn = 20'000;

std::vector<double> sorted_draws(const DrawLaw& law) {
  Draws draws(11);
  std::vector<double> x;
  for (int i = 0; i < kDrawn; ++i) x.push_back(law.draw(draws));
  std::sort(x.begin(), x.end());
  return x;
}

/// Largest distance of the drawn distribution from the law's, as Kolmogorov's test takes it: of kDrawn numbers 1.63
/// over the root of kDrawn is passed by one seed in a hundred.
template <typename Distribution>
double distance_from(const DrawLaw& law, const Distribution& distribution) {
  const std::vector<double> x = sorted_draws(law);
  double largest = 0.0;
  for (int i = 0; i < kDrawn; ++i) {
    const double expected = distribution(x[static_cast<std::size_t>(i)]);
    largest = std::max({largest, std::abs(expected - static_cast<double>(i) / kDrawn),
                        std::abs(expected - static_cast<double>(i + 1) / kDrawn)});
  }
  return largest;
}

const double kDistance = 1.63 / std::sqrt(static_cast<double>(kDrawn));

TEST(Draws, FollowTheirLaws) {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_LT(distance_from({DrawLaw::Kind::uniform, {-1.0, 3.0}, {}}, [](double x) { return 0.25 * (x + 1.0); }),
            kDistance);
  EXPECT_LT(distance_from({DrawLaw::Kind::normal, {2.0, 0.5}, {}}, [&](double x) { return normal((x - 2.0) / 0.5); }),
            kDistance);
  EXPECT_LT(distance_from({DrawLaw::Kind::log_normal, {1e-3, 0.3}, {}},
                          [&](double x) { return normal(std::log(x / 1e-3) / 0.3); }),
            kDistance);
  for (const double k : {-40.0, -3.0, -1.0, -1.0 + 1e-6, -0.5, 0.0, 2.0, 40.0}) {
    const double a = 0.1;
    const double b = 0.4;
    const auto power = [&](double x) {
      if (k == -1.0) return std::log(x / a) / std::log(b / a);
      return (std::pow(x, k + 1.0) - std::pow(a, k + 1.0)) / (std::pow(b, k + 1.0) - std::pow(a, k + 1.0));
    };
    EXPECT_LT(distance_from({DrawLaw::Kind::power, {a, b, k}, {}}, power), kDistance) << k;
  }
}

TEST(Draws, OfAListComeAsOftenAsTheirWeights) {
  const std::vector<double> x = sorted_draws({DrawLaw::Kind::list, {1.0, 2.0, 5.0}, {1.0, 0.0, 3.0}});
  const auto count = [&](double value) { return std::count(x.begin(), x.end(), value); };
  EXPECT_EQ(count(2.0), 0);
  EXPECT_EQ(count(1.0) + count(5.0), kDrawn);
  EXPECT_NEAR(static_cast<double>(count(1.0)), 0.25 * kDrawn, 3.0 * std::sqrt(0.1875 * kDrawn));
}

/// Where powers of x nearly cancel, and where the sum of weights is beyond the largest double.
TEST(Draws, KeepTheirDigitsAtTheEndsOfTheirLaws) {
  const std::vector<double> x = sorted_draws({DrawLaw::Kind::power, {1.0, 4.0, -1.0 + 1.2e-16}, {}});
  EXPECT_NEAR(x[kDrawn / 2], 2.0, 0.05);
  EXPECT_GE(x.front(), 1.0);
  EXPECT_LE(x.back(), 4.0);
  const std::vector<double> of_two = sorted_draws({DrawLaw::Kind::list, {1.0, 2.0}, {1e308, 1e308}});
  EXPECT_NEAR(static_cast<double>(std::count(of_two.begin(), of_two.end(), 1.0)), 0.5 * kDrawn, 500.0);
}

/// Of uniform rotations each column of the matrix is uniform on the sphere: its components are uniform in [-1, 1].
TEST(Draws, RotationsFavourNoDirection) {
  Draws draws(5);
  std::vector<std::vector<double>> entries(9);
  for (int i = 0; i < kDrawn; ++i) {
    const Vector4 q = draws.rotation();
    EXPECT_NEAR(q.norm(), 1.0, 1e-15);
    const Matrix3 r = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).toRotationMatrix();
    for (int k = 0; k < 9; ++k) entries[static_cast<std::size_t>(k)].push_back(r.data()[k]);
  }
  for (std::vector<double>& x : entries) {
    std::sort(x.begin(), x.end());
    for (int i = 0; i < kDrawn; ++i) {
      EXPECT_LT(std::abs(0.5 * (x[static_cast<std::size_t>(i)] + 1.0) - static_cast<double>(i) / kDrawn), kDistance);
    }
  }
}

}  // namespace
}  // namespace stickslip
