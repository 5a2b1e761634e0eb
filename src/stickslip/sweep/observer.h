// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stickslip/sim/run_expression.h"
#include "stickslip/sweep/plan.h"

namespace stickslip {

/// Watches a run for one quantity of a plan.
class QuantityObserver {
 public:
  /// Throws InputError, with the place in the plan, where an expression is none of this system. Plan and system must
  /// outlive this.
  QuantityObserver(const SweepPlan& plan, const SweepQuantity& quantity, const System& system,
                   const Expression::Parameters& parameters, const Sensors& sensors);

  bool reads_sensors() const { return value_.reads_sensors() || (when_ && when_->reads_sensors()); }

  /// Row 0, then each step that was made. `sensors`: what they read, where it reads any.
  void take(const State& state, const StepRow& row, std::span<const double> sensors);
  /// The numbers, NaN where there is none: `has_failed`, the run did not come to its end.
  void finish(const State& state, const StepRow& row, std::span<const double> sensors, bool has_failed,
              std::span<double> out) const;

 private:
  void take_crossing(const State& state, const StepRow& row, std::span<const double> sensors);

  const SweepQuantity& quantity_;
  RunExpression value_;
  std::optional<RunExpression> when_;
  double extremum_;
  double sum_ = 0.0;
  std::int64_t n_ = 0;         // [-] instants in sum_
  std::vector<double> found_;  // (width) at times, or of crossings so far
  struct Instant {
    double time, when, value;
  };
  std::optional<Instant> before_;
};

}  // namespace stickslip
