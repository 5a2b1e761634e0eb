// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/gradient_progress.h"

#include <cmath>
#include <cstddef>

namespace stickslip {
bool GradientProgress::promises_more_than(double iterations, double tolerance) const {
  const std::size_t now = best_.size();
  if (now * kJudgeEvery < kLeastIterations) return false;
  const std::size_t then = now / 4;
  const double longer = static_cast<double>(now) / static_cast<double>(then);
  const double power = std::log(best_[then - 1] / best_[now - 1]) / std::log(longer);
  if (!(power > 0.0)) return true;
  return static_cast<double>(now) * kJudgeEvery * std::pow(best_[now - 1] / tolerance, 1.0 / power) > iterations;
}

}  // namespace stickslip
