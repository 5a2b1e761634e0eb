// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace stickslip {
namespace {

/// What the estimator says is left after `now` seconds of a run whose share grows as given, told ten times a second.
double estimate_left(const std::function<double(double)>& share, double now) {
  RecentRate rate(0.0, share(0.0));
  for (double t = 0.1; t < now; t += 0.1) rate.update(t, share(t));
  rate.update(now, share(now));
  return (1.0 - share(now)) / rate.rate();
}

TEST(RecentRate, IsExactAtAConstantPaceFromTheFirstUpdateOn) {
  const auto share = [](double t) { return 0.2 + 0.01 * t; };
  for (const double now : {0.05, 1.0, 40.0}) EXPECT_NEAR(estimate_left(share, now), 80.0 - now, 1e-9);
}

TEST(RecentRate, FollowsAPaceThatFallsToATenth) {
  // Half of the run in 50 s, the rest in 500 s, as where a heap builds up.
  const auto share = [](double t) { return t < 50.0 ? 0.01 * t : 0.5 + 0.001 * (t - 50.0); };
  const auto left = [](double t) { return 550.0 - t; };
  for (const double now : {80.0, 100.0, 300.0, 500.0}) {
    // What is left of the quick half in the weights: exp(-age / kMemory).
    const double old = std::exp(-(now - 50.0) / RecentRate::kMemory);
    const double wanted = left(now) * 0.001 / (0.001 + 0.009 * old);
    EXPECT_NEAR(estimate_left(share, now), wanted, 0.02 * wanted);
    // The mean since the start would say up to seven times less.
    if (now == 100.0) {
      EXPECT_GT(estimate_left(share, now), 0.9 * left(now));
      EXPECT_LT((1.0 - share(now)) * now / share(now), 0.2 * left(now));
    }
  }
}

TEST(RecentRate, OneLongStepCountsAtOnce) {
  RecentRate rate(0.0, 0.0);
  for (int k = 1; k <= 100; ++k) rate.update(0.01 * k, 0.001 * k);  // 1 s, 10 %
  rate.update(101.0, 0.101);                                        // one step of 100 s
  EXPECT_NEAR(rate.rate(), 1e-5, 0.5e-5);
}

TEST(RecentRate, KnowsNothingBeforeItsFirstUpdate) {
  RecentRate rate(3.0, 0.5);
  EXPECT_EQ(rate.rate(), 0.0);
  rate.update(3.0, 0.5);
  EXPECT_EQ(rate.rate(), 0.0);
}

int count_columns(const std::string& text) {
  int columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return columns;
}

Progress middle() {
  Progress p;
  p.share = 0.42;
  p.time = 1.234;
  p.steps = 1234;
  p.steps_per_second = 12345.0;
  p.contacts = 170;
  p.worst_residual = 3.2e-10;
  p.seconds_left = 754.0;
  return p;
}

TEST(Progress, SaysAllThatThereIsToSay) {
  EXPECT_EQ(describe(middle(), "", 79),
            " 42 %  t = 1.234 s  12.3k steps/s  170 contacts  residual 3e-10  12:34 min left");
  EXPECT_EQ(describe_with_bar(middle(), "", 120),
            "[########............]  42 %  t = 1.234 s  12.3k steps/s  170 contacts  residual 3e-10  12:34 min left");
}

TEST(Progress, NarrowScreensHaveTheShareAndWhatElseFits) {
  EXPECT_EQ(describe_with_bar(middle(), "ball", 10), " 42 %");
  EXPECT_EQ(describe(middle(), "ball", 39), " 42 %  t = 1.234 s  12:34 min left");
}

TEST(Progress, FitsItsWidthWithTheLongestNumbersAndTitles) {
  Progress worst;
  worst.share = 1.0;
  worst.time = -1.2345e-105;
  worst.steps = std::numeric_limits<std::int64_t>::max();
  worst.steps_per_second = 1.0 / 98765.4;
  worst.contacts = std::numeric_limits<int>::max();
  worst.worst_residual = 1.2345e-300;
  worst.seconds_left = 8.6e8;
  Progress unknown;
  unknown.seconds_left = std::numeric_limits<double>::infinity();
  unknown.worst_residual = std::numeric_limits<double>::quiet_NaN();
  unknown.steps_per_second = std::numeric_limits<double>::quiet_NaN();
  for (const Progress& progress : {worst, unknown, middle(), Progress{}}) {
    for (const std::string& title :
         {std::string(), std::string("ball"), std::string("painleve_rod_generalized_alpha_step_1e-05_restitution"),
          std::string("Reibungskegel gr\xc3\xb6\xc3\x9f"
                      "er als je zuvor \xce\xbc = 0.3, und so weiter")}) {
      for (const int width : {40, 60, 79, 80, 120}) {
        const std::string bar = describe_with_bar(progress, title, width);
        EXPECT_LE(count_columns(bar), width) << bar;
        EXPECT_NE(bar.find('['), std::string::npos) << bar;
        EXPECT_NE(bar.find(" %"), std::string::npos) << bar;
        const std::string line = describe(progress, title, width);
        EXPECT_LE(count_columns(line), width) << line;
        EXPECT_NE(line.find(" left"), std::string::npos) << line;
      }
    }
  }
}

TEST(Progress, CutsTitlesBetweenCharacters) {
  const std::string line = describe_with_bar(
      middle(), "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4", 79);
  const std::string title = line.substr(0, line.find('['));
  for (std::size_t i = 0; i + 1 < title.size(); ++i) {
    if (static_cast<unsigned char>(title[i]) == 0xc3) {
      EXPECT_NE(static_cast<unsigned char>(title[i + 1]) & 0x80, 0) << line;
    }
  }
}

TEST(Progress, SlowStepsAndLongTimesReadWell) {
  Progress p = middle();
  p.steps_per_second = 0.02;
  p.seconds_left = 3.0 * 86400.0;
  p.contacts = 1;
  EXPECT_EQ(describe(p, "", 79), " 42 %  t = 1.234 s  50 s/step  1 contact  residual 3e-10  3 days left");
}

}  // namespace
}  // namespace stickslip
