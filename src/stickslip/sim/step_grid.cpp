// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/step_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

/// An end this near to a multiple of the step is that multiple: decimal numbers are not exact in binary, and a last
/// step a millionth as long as the others serves nobody. [steps]
constexpr double kWholeStep = 1e-6;
/// The round-off of (end - start) / step, relative: three operations. [-]
constexpr double kRoundOff = 4.0 * std::numeric_limits<double>::epsilon();
/// Beyond it the number of a step times its length has no exact meaning in a double. [steps]
constexpr double kMaxSteps = 1e12;

}  // namespace

StepGrid::StepGrid(const SceneTime& time, const SceneOutput& output)
    : start_(time.start), end_(time.end), step_(time.step) {
  const double ratio = (end_ - start_) / step_;
  if (!(ratio > 0.0 && ratio <= kMaxSteps)) {
    throw InputError({}, "time.step", fmt::format("{}", step_),
                     fmt::format("at least one step and at most {:g} from {} to {}", kMaxSteps, start_, end_));
  }
  const double whole = std::max(1.0, std::round(ratio));
  last_is_short_ = std::abs(ratio - whole) > std::max(kWholeStep, kRoundOff * ratio);
  steps_ = static_cast<std::int64_t>(last_is_short_ ? std::ceil(ratio) : whole);
  if (output.every) steps_per_row_ = steps_in(*output.every);
}

double StepGrid::time(std::int64_t n) const {
  if (n == steps_ && last_is_short_) return end_;
  return start_ + static_cast<double>(n) * step_;
}

double StepGrid::length(std::int64_t n) const {
  if (n == steps_ && last_is_short_) return end_ - time(n - 1);
  return step_;
}

std::int64_t StepGrid::steps_in(double interval) const {
  return static_cast<std::int64_t>(std::clamp(std::round(interval / step_), 1.0, kMaxSteps));
}

}  // namespace stickslip
