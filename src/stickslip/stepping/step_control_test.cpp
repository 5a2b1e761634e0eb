// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/step_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

using Verdict = StepControl::Verdict;

constexpr double kTolerance = 1e-4;
constexpr double kForever = 1e9;

StepControlOptions options_of(double tolerance) {
  StepControlOptions options;
  options.tolerance = tolerance;
  return options;
}

StepSize size_of(double next) {
  StepSize size;
  size.next = next;
  size.speed = 1.0;
  size.acceleration = 1.0;
  return size;
}

/// A smooth step whose error per length is `error` times the largest speed.
StepEstimate smooth(const StepControl::Plan& plan, double error) {
  StepEstimate estimate;
  estimate.position_error = error * plan.h;
  estimate.speed = 1.0;
  estimate.acceleration_before = 1.0;
  return estimate;
}

/// A step with a velocity jump of 1 m/s, which the smooth estimate finds much too large.
StepEstimate impact(const StepControl::Plan& plan) {
  StepEstimate estimate = smooth(plan, 1.0);
  estimate.sets_changed = estimate.velocity_jumped = true;
  estimate.velocity_jump = 1.0;
  return estimate;
}

TEST(StepControl, SettlesWhereASecondOrderErrorMeetsTheTolerance) {
  const StepControl control(options_of(kTolerance));
  StepSize size = size_of(1e-6);
  double t = 0.0;
  for (int n = 0; n < 40; ++n) {
    const StepControl::Plan plan = control.plan(size, t, kForever);
    if (control.judge(plan, smooth(plan, 4.0 * plan.h * plan.h), true, {}, size) == Verdict::again) continue;
    t = plan.t_end;
  }
  EXPECT_NEAR(size.next, 0.9 * std::sqrt(kTolerance / 4.0), 1e-9);
}

TEST(StepControl, ErrorsDecideAndChangesAreBounded) {
  const StepControl control(options_of(kTolerance));
  const auto judge = [&](double error, int tries, StepSize& size) {
    const StepControl::Plan plan = control.plan(size, 0.0, kForever);
    return control.judge(plan, smooth(plan, error), true, {tries, 0}, size);
  };
  StepSize size = size_of(0.1);
  EXPECT_EQ(judge(0.0, 0, size), Verdict::accepted);
  EXPECT_DOUBLE_EQ(size.next, 0.3);
  size = size_of(0.1);
  EXPECT_EQ(judge(0.0, 1, size), Verdict::accepted);
  EXPECT_DOUBLE_EQ(size.next, 0.1) << "no growth after a rejected try";
  size = size_of(0.1);
  EXPECT_EQ(judge(kTolerance, 0, size), Verdict::accepted);
  EXPECT_DOUBLE_EQ(size.next, 0.09);
  size = size_of(0.1);
  EXPECT_EQ(judge(1.01 * kTolerance, 0, size), Verdict::again);
  EXPECT_LT(size.next, 0.09);
  size = size_of(0.1);
  EXPECT_EQ(judge(1e6 * kTolerance, 0, size), Verdict::again);
  EXPECT_DOUBLE_EQ(size.next, 0.02);
}

TEST(StepControl, TheScalesAreTheLargestSoFar) {
  const StepControl control(options_of(kTolerance));
  StepSize size = size_of(0.1);
  const StepControl::Plan plan = control.plan(size, 0.0, kForever);
  StepEstimate estimate = smooth(plan, 10.0 * kTolerance);
  estimate.speed = 20.0;
  EXPECT_EQ(control.judge(plan, estimate, true, {}, size), Verdict::accepted);
  EXPECT_EQ(size.speed, 20.0);
  EXPECT_DOUBLE_EQ(StepControl::smooth_error(plan, estimate, size), 0.5 * kTolerance);
}

TEST(StepControl, BoundsHold) {
  StepControlOptions options = options_of(kTolerance);
  options.min_step = 0.05;
  options.max_step = 0.2;
  const StepControl control(options);
  StepSize size = size_of(0.1);
  StepControl::Plan plan = control.plan(size, 0.0, kForever);
  EXPECT_EQ(control.judge(plan, smooth(plan, 0.0), true, {}, size), Verdict::accepted);
  EXPECT_EQ(size.next, 0.2);
  size = size_of(0.1);
  plan = control.plan(size, 0.0, kForever);
  EXPECT_EQ(control.judge(plan, smooth(plan, 1.0), true, {}, size), Verdict::again);
  EXPECT_EQ(size.next, 0.05);
  plan = control.plan(size, 0.0, kForever);
  EXPECT_EQ(control.judge(plan, smooth(plan, 1.0), true, {1, 0}, size), Verdict::accepted)
      << "nothing shorter is tried";
  EXPECT_EQ(control.judge(plan, impact(plan), false, {5, 4}, size), Verdict::after_event);
}

TEST(StepControl, TheLimitIsMetWithoutAShortLastStep) {
  const StepControl control(options_of(kTolerance));
  const StepSize size = size_of(0.1);
  for (const double limit : {0.05, 0.1, 0.105, 0.11, 0.12, 0.15, 0.199, 0.2, 0.21, 0.35, 1.0}) {
    double t = 0.0;
    double shortest = 1.0;
    while (t < limit) {
      const StepControl::Plan plan = control.plan(size, t, limit);
      EXPECT_EQ(plan.shaped_by_limit, limit - t < 0.2) << limit;
      EXPECT_EQ(plan.t_end - t, plan.h);
      EXPECT_LE(plan.h, 0.11 * (1.0 + 1e-12));
      shortest = std::min(shortest, plan.h);
      t = plan.t_end;
    }
    EXPECT_EQ(t, limit);
    EXPECT_GE(shortest, std::min(limit, 0.05));
  }
}

TEST(StepControl, AStepCutShortLeavesThePlanAsItWas) {
  const StepControl control(options_of(kTolerance));
  StepSize size = size_of(0.1);
  const StepControl::Plan plan = control.plan(size, 0.0, 0.01);
  EXPECT_EQ(control.judge(plan, smooth(plan, 1e-3 * kTolerance), true, {}, size), Verdict::accepted);
  EXPECT_DOUBLE_EQ(size.next, 0.1);
  EXPECT_EQ(control.judge(plan, smooth(plan, 0.81 * kTolerance), true, {}, size), Verdict::accepted);
  EXPECT_DOUBLE_EQ(size.next, 0.01) << "unless its error says that it cannot be";
}

// An impact at a known instant, the rest of the motion without error: it is found by bisection in a step of about
// sqrt(tolerance) V^2 / (A jump), long before the shortest step.
TEST(StepControl, AnImpactIsBracketedAndNoFurther) {
  const StepControl control(options_of(kTolerance));
  constexpr double kInstant = 0.7312;
  StepSize size = size_of(0.5);
  double t = 0.0;
  int rejected = 0;
  int steps = 0;
  for (int tries = 0; t < 1.0; ++tries) {
    const StepControl::Plan plan = control.plan(size, t, kForever);
    const bool contains = t < kInstant && plan.t_end >= kInstant;
    const Verdict verdict = control.judge(plan, contains ? impact(plan) : smooth(plan, 0.0), true, {tries, 0}, size);
    if (verdict == Verdict::again) {
      ++rejected;
      continue;
    }
    EXPECT_EQ(verdict == Verdict::after_event, contains);
    if (contains) {
      EXPECT_LE(plan.h, std::sqrt(kTolerance));
      EXPECT_GE(plan.h, 0.4 * std::sqrt(kTolerance));
      EXPECT_EQ(size.event_step, 0.0);
    }
    t = plan.t_end;
    tries = -1;
    ++steps;
  }
  EXPECT_LE(rejected, 8);
  EXPECT_LE(steps, 20);
}

TEST(StepControl, AnEventThatMovesNothingDoesNotShortenTheStep) {
  const StepControl control(options_of(kTolerance));
  StepSize size = size_of(0.01);
  const StepControl::Plan plan = control.plan(size, 0.0, kForever);
  StepEstimate estimate = smooth(plan, 1.0);  // an acceleration that jumps looks like a large error
  EXPECT_EQ(control.judge(plan, estimate, true, {}, size), Verdict::again);
  estimate.sets_changed = true;
  estimate.acceleration_jump = 1.0;
  size = size_of(0.01);
  EXPECT_EQ(control.judge(plan, estimate, true, {}, size), Verdict::after_event);
  EXPECT_GE(size.next, 0.01);
}

TEST(StepControl, AStepThatIsNotSolvedIsTriedShorterAFewTimes) {
  const StepControl control(options_of(kTolerance));
  StepSize size = size_of(1.0);
  std::vector<double> lengths;
  for (StepControl::Tries tries;; ++tries.all, ++tries.unsolved) {
    const StepControl::Plan plan = control.plan(size, 0.0, kForever);
    lengths.push_back(plan.h);
    if (control.judge(plan, smooth(plan, 0.0), false, tries, size) != Verdict::again) break;
  }
  EXPECT_EQ(lengths, (std::vector<double>{1.0, 0.25, 0.0625, 0.015625, 1.0})) << "where nothing helps, as planned";
}

TEST(StepControl, RefusesWhatCannotBe) {
  StepControlOptions options;
  EXPECT_NO_THROW(options.check());
  EXPECT_THROW(options_of(0.0).check(), InputError);
  EXPECT_THROW(options_of(1.0).check(), InputError);
  options.min_step = 0.0;
  EXPECT_THROW(options.check(), InputError);
  options.min_step = 0.2;
  options.max_step = 0.1;
  EXPECT_THROW(options.check(), InputError);
}

}  // namespace
}  // namespace stickslip
