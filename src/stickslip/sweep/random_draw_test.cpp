// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/random_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace stickslip {
namespace {

constexpr int kDraws = 100'000;

using Words = std::array<std::uint32_t, 4>;

/// The known answers that come with the reference implementation of [Salmon2011].
TEST(RandomDraw, PhiloxHasTheKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// The largest difference of the share of draws below x from a distribution (Kolmogorov).
template <class Distribution>
double calc_distance(std::vector<double> draws, const Distribution& distribution) {
  std::ranges::sort(draws);
  double most = 0.0;
  const auto n = static_cast<double>(draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = distribution(draws[i]);
    most = std::max({most, std::abs(p - static_cast<double>(i) / n), std::abs(p - static_cast<double>(i + 1) / n)});
  }
  return most;
}

/// What a sample of n draws stays below with probability 1 - 1e-6: sqrt(ln(2e6) / 2n).
const double kMostDistance = std::sqrt(std::log(2e6) / (2.0 * kDraws));

TEST(RandomDraw, UniformAndNormalDrawsHaveTheirDistributions) {
  std::vector<double> uniform, normal;
  for (int i = 0; i < kDraws; ++i) {
    uniform.push_back(draw_uniform(1, static_cast<std::uint64_t>(i), "mu"));
    normal.push_back(draw_normal(1, static_cast<std::uint64_t>(i), "mu"));
  }
  EXPECT_GT(*std::ranges::min_element(uniform), 0.0);
  EXPECT_LT(*std::ranges::max_element(uniform), 1.0);
  EXPECT_LT(calc_distance(uniform, [](double x) { return x; }), kMostDistance);
  EXPECT_LT(calc_distance(normal, [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }), kMostDistance);
}

/// Of n pairs of independent numbers the correlation has deviation 1 / sqrt(n).
double calc_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

TEST(RandomDraw, SamplesColumnsAndSeedsAreIndependent) {
  std::vector<double> a, next, other_column, other_seed;
  for (int i = 0; i < kDraws; ++i) {
    const auto sample = static_cast<std::uint64_t>(i);
    a.push_back(draw_normal(1, sample, "a"));
    next.push_back(draw_normal(1, sample + 1, "a"));
    other_column.push_back(draw_normal(1, sample, "b"));
    other_seed.push_back(draw_normal(2, sample, "a"));
  }
  const double most = 5.0 / std::sqrt(kDraws);
  for (const auto* other : {&next, &other_column, &other_seed}) EXPECT_LT(std::abs(calc_correlation(a, *other)), most);
}

}  // namespace
}  // namespace stickslip
