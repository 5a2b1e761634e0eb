// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/bernstein_roots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

constexpr int kEnough = 5000;          // [-] boxes
constexpr double kSimpleRoot = 1e-10;  // [-] of simple roots, by Newton's method

bool has_root(const BernsteinRoots& found, std::initializer_list<double> root) {
  return std::ranges::any_of(found.roots, [&](const Vector& s) {
    double off = 0.0;
    Eigen::Index j = 0;
    for (const double x : root) off = std::max(off, std::abs(s(j++) - x));
    return off <= kSimpleRoot;
  });
}

TEST(BernsteinRoots, FindsAllOfAProductInEachVariable) {
  const BernsteinRoots found = find_bernstein_roots(
      {2, 3},
      [](const Vector& s, Vector& f) {
        f(0) = (s(0) - 0.3) * (s(0) - 0.7);
        f(1) = (s(1) - 0.2) * (s(1) - 0.5) * (s(1) - 0.9);
      },
      kEnough);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.roots.size(), 6U);
  for (const double x : {0.3, 0.7}) {
    for (const double y : {0.2, 0.5, 0.9}) EXPECT_TRUE(has_root(found, {x, y})) << x << " " << y;
  }
}

TEST(BernsteinRoots, FindsWhereACircleMeetsAParabolaInTheBoxAlone) {
  // s2 = s1^2 meets s1^2 + s2^2 = 1/2 at s2 = (sqrt(3) - 1) / 2, and at s1 < 0, which is outside.
  const BernsteinRoots found = find_bernstein_roots(
      {2, 2},
      [](const Vector& s, Vector& f) {
        f(0) = s(0) * s(0) + s(1) * s(1) - 0.5;
        f(1) = s(1) - s(0) * s(0);
      },
      kEnough);
  const double y = 0.5 * (std::sqrt(3.0) - 1.0);
  EXPECT_TRUE(found.complete);
  ASSERT_EQ(found.roots.size(), 1U);
  EXPECT_TRUE(has_root(found, {std::sqrt(y), y}));
}

TEST(BernsteinRoots, SaysWhatItCannotDecide) {
  const BernsteinRoots twice = find_bernstein_roots(
      {2}, [](const Vector& s, Vector& f) { f(0) = (s(0) - 0.4) * (s(0) - 0.4); }, kEnough);
  ASSERT_FALSE(twice.roots.empty());
  for (const Vector& s : twice.roots) EXPECT_NEAR(s(0), 0.4, 1e-5);  // sqrt of round-off
  // A whole line of roots.
  const auto same = [](const Vector& s, Vector& f) { f(0) = f(1) = s(0) - s(1); };
  EXPECT_FALSE(find_bernstein_roots({1, 1}, same, 100).complete);
  EXPECT_FALSE(find_bernstein_roots(
                   {1}, [](const Vector&, Vector& f) { f(0) = 0.0; }, 100)
                   .complete);
}

}  // namespace
}  // namespace stickslip
