// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/gap_course.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace stickslip {
namespace {

/// A step of 1 s over a gap and its rate as functions of time.
template <class Gap, class Rate>
std::optional<GapCourse::Bracket> find(Gap&& gap, Rate&& rate, int* looks = nullptr) {
  GapCourse course;
  return course.find_first(1.0, [&](double t, GapCourse::Sample& at) {
    at.values = {gap(t)};
    at.rates = {rate(t)};
    if (looks != nullptr) ++*looks;
  });
}

TEST(GapCourse, FindsTheFirstOfSeveralZeros) {
  // (t - a)(t - b)(t - c), two of whose zeros lie between looks: a dip, and then a fall.
  for (const double a : {0.02, 0.11, 0.3, 0.49}) {
    for (const double width : {0.2, 0.01, 1e-3}) {
      const double b = a + width;
      const double c = 0.9;
      const auto gap = [&](double t) { return -(t - a) * (t - b) * (t - c); };
      const auto rate = [&](double t) { return -((t - b) * (t - c) + (t - a) * (t - c) + (t - a) * (t - b)); };
      const auto found = find(gap, rate);
      ASSERT_TRUE(found.has_value()) << a << ' ' << width;
      EXPECT_LE(found->before, a);
      EXPECT_GT(found->behind, a);
      EXPECT_LT(found->behind, b) << "below zero, before it rises";
      EXPECT_LT(gap(found->behind), 0.0);
    }
  }
}

TEST(GapCourse, SaysWhatStaysOpenByFewLooks) {
  int looks = 0;
  EXPECT_FALSE(find([](double t) { return 1.0 + 3.0 * t * (t - 1.0); }, [](double t) { return 6.0 * t - 3.0; }, &looks)
                   .has_value());  // .25 at the least
  EXPECT_LE(looks, 9);
  looks = 0;
  EXPECT_FALSE(find([](double t) { return t; }, [](double) { return 1.0; }, &looks).has_value()) << "leaves from zero";
  EXPECT_EQ(looks, 5);
  // Waves, which no polynomial of fifth order follows at once: least 1e-3.
  looks = 0;
  const double w = 40.0;
  EXPECT_FALSE(
      find([&](double t) { return 1.001 + std::sin(w * t); }, [&](double t) { return w * std::cos(w * t); }, &looks)
          .has_value());
  EXPECT_LE(looks, 600);
}

TEST(GapCourse, ABallThatFliesThroughAnotherIsSeen) {
  // Two discs of radius .1, one at 10 m/s that passes the other's centre by d.
  for (const double d : {0.0, 0.05, 0.1999}) {
    for (const double x : {1.3, 2.0, 4.9, 7.77}) {
      const auto distance = [&](double t) { return std::hypot(x - 10.0 * t, d); };
      const auto found = find([&](double t) { return distance(t) - 0.2; },
                              [&](double t) { return -10.0 * (x - 10.0 * t) / std::max(distance(t), 1e-12); });
      ASSERT_TRUE(found.has_value()) << d << ' ' << x;
      const double meets = (x - std::sqrt(0.04 - d * d)) / 10.0;
      EXPECT_LE(found->before, meets);
      EXPECT_GT(found->behind, meets);
    }
  }
}

TEST(GapCourse, OfSeveralGapsTheFirst) {
  GapCourse course;
  const auto found = course.find_first(2.0, [](double theta, GapCourse::Sample& at) {
    const double t = 2.0 * theta;
    at.values = {1.5 - t, 0.7 - t, 1.0};
    at.rates = {-1.0, -1.0, 0.0};
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(2.0 * found->before, 0.7);
  EXPECT_GT(2.0 * found->behind, 0.7);
}

TEST(GapCourse, WhatRestsAtZeroButForRoundOffTakesABoundedNumberOfLooks) {
  int looks = 0;
  double sign = 1.0;
  (void)find(
      [&](double t) {
        sign = -sign;
        return t == 0.0 ? 0.0 : 1e-17 * (1.5 + sign);
      },
      [](double) { return 0.0; }, &looks);
  EXPECT_LE(looks, 2000);
}

}  // namespace
}  // namespace stickslip
