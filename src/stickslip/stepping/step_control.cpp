// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/step_control.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

constexpr double kSafety = 0.9;          // [-] the error of the next step is not quite that of the last
constexpr double kMostStepGrowth = 3.0;  // [-] the estimate knows the motion over the last two steps alone
constexpr double kMostShrink = 0.2;      // [-]
constexpr double kEventGrowth = 2.0;     // [-] after an event nothing is known of the motion
constexpr double kStretch = 1.1;         // [-] raises the error by a fifth, which kSafety takes
/// A step whose equations were not solved is tried again with this part of its length, so many times.
constexpr double kUnsolvedShrink = 0.25;  // [-]
constexpr int kUnsolvedTries = 3;         // [-]
/// No step has ever needed as many tries: a bisection over the range of doubles.
constexpr int kMostTries = 100;  // [-]
/// The scale of errors where nothing has moved faster yet: a hand's breadth in a second. What a body that is let go
/// begins with, and the vibrations that this excites, would else be resolved to their last digit.
constexpr double kSlow = 0.1;     // [m/s]
constexpr double kGentle = 1e-3;  // [m/s^2] less counts as no acceleration
/// The shortest step in units of the rounding of t: h itself is then good to three digits.
constexpr double kShortest = 1e3 * std::numeric_limits<double>::epsilon();  // [-]

}  // namespace

void StepControlOptions::check() const {
  const auto fail = [](const char* key, double value, const char* allowed) {
    throw InputError({}, key, std::to_string(value), allowed);
  };
  if (!(tolerance > 0.0 && tolerance < 1.0)) fail("time.tolerance", tolerance, "a number in (0, 1)");
  if (min_step && !(*min_step > 0.0)) fail("time.min_step", *min_step, "a number > 0 [s]");
  if (max_step && !(*max_step > 0.0)) fail("time.max_step", *max_step, "a number > 0 [s]");
  if (min_step && max_step && *min_step > *max_step) fail("time.min_step", *min_step, "at most max_step");
}

double StepControl::shortest(double t_end) const {
  return std::max(options_.min_step.value_or(0.0), kShortest * std::abs(t_end));
}

double StepControl::clamp(double h, double t_end) const {
  return std::max(shortest(t_end), std::min(h, options_.max_step.value_or(h)));
}

double StepControl::first_length(const StepSize& size) const {
  const double time = std::max(size.speed, kSlow) / std::max(size.acceleration, kGentle);
  return clamp(std::sqrt(options_.tolerance) * time, 0.0);
}

StepControl::Plan StepControl::plan(const StepSize& size, double t, double limit) const {
  double h = size.next;
  if (size.event_step > 0.0 && t < size.event_by) {
    const double rest = size.event_by - t;
    h = std::min(h, rest <= size.event_step ? rest : 0.5 * rest);
  }
  Plan plan;
  const double rest = limit - t;
  plan.shaped_by_limit = rest < 2.0 * h;
  if (rest <= kStretch * h) {
    plan.t_end = limit;
  } else {
    plan.t_end = t + (plan.shaped_by_limit ? 0.5 * rest : h);
  }
  plan.h = plan.t_end - t;
  return plan;
}

double StepControl::smooth_error(const Plan& plan, const StepEstimate& estimate, const StepSize& size) {
  const double speed = std::max({size.speed, estimate.speed, kSlow});
  return std::max(estimate.position_error / plan.h, estimate.velocity_error) / speed;
}

StepControl::Verdict StepControl::judge(const Plan& plan, const StepEstimate& estimate, bool solved, const Tries& tries,
                                        StepSize& size) const {
  const double h = plan.h;
  const bool may_shrink = h > shortest(plan.t_end) && tries.all < kMostTries;
  if (!solved && tries.unsolved <= kUnsolvedTries) {
    const bool back = tries.unsolved == kUnsolvedTries;
    size.next = clamp((back ? std::pow(kUnsolvedShrink, -kUnsolvedTries) : kUnsolvedShrink) * h, plan.t_end);
    return Verdict::again;
  }
  const double ratio = smooth_error(plan, estimate, size) / options_.tolerance;
  const bool event = estimate.velocity_jumped || (estimate.sets_changed && !(ratio <= 1.0));
  constexpr double kTiny = std::numeric_limits<double>::min();
  double factor = kSafety / std::sqrt(std::max(ratio, kTiny));
  if (event) {
    const double speed = std::max({size.speed, estimate.speed, kSlow});
    const double bend = speed * speed / std::max(estimate.acceleration_before, kGentle);
    const double event_ratio =
        (h * estimate.velocity_jump + h * h * estimate.acceleration_jump) / (std::sqrt(options_.tolerance) * bend);
    factor = kSafety / std::max(event_ratio, kTiny);
    if (!(event_ratio <= 1.0) && may_shrink) {
      size.event_by = plan.t_end;
      size.event_step = clamp(std::max(factor, 0.0) * h, plan.t_end);
      return Verdict::again;
    }
  } else if (!(ratio <= 1.0) && may_shrink) {
    size.next = clamp(std::max(factor, kMostShrink) * h, plan.t_end);
    return Verdict::again;
  }

  size.speed = std::max(size.speed, estimate.speed);
  if (event) {
    size.next = clamp(std::clamp(factor, kMostShrink, kEventGrowth) * h, plan.t_end);
    size.event_step = 0.0;
    return Verdict::after_event;
  }
  if (plan.t_end >= size.event_by) size.event_step = 0.0;
  // A step that was cut short for an output or an event says less about the next one than the plan before it does.
  const double growth = tries.all > 0 ? 1.0 : kMostStepGrowth;
  size.next = clamp(std::min(std::max(growth * h, size.next), std::max(factor, kMostShrink) * h), plan.t_end);
  return Verdict::accepted;
}

}  // namespace stickslip
