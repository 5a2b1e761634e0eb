// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/observer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Round-off of the ends of steps: a step that ends this share of its length before a time is at it. [-]
constexpr double kAtTime = 1e-6;

RunExpression read_in_plan(const SweepPlan& plan, const std::string& text, const Mark& mark, const std::string& key,
                           const System& system, const Expression::Parameters& parameters, const Sensors& sensors) {
  try {
    return {text, system, parameters, sensors};
  } catch (const InputError& error) {
    throw InputError(plan.document.place(mark), key, quote_toml(text), error.allowed());
  }
}

}  // namespace

QuantityObserver::QuantityObserver(const SweepPlan& plan, const SweepQuantity& quantity, const System& system,
                                   const Expression::Parameters& parameters, const Sensors& sensors)
    : quantity_(quantity),
      value_(
          read_in_plan(plan, quantity.value, quantity.value_mark, quantity.value_key(), system, parameters, sensors)),
      extremum_(kNone) {
  if (quantity.take == SweepQuantity::Take::crossings) {
    when_ = read_in_plan(plan, quantity.when, quantity.when_mark, "quantities." + quantity.name + ".when", system,
                         parameters, sensors);
  } else if (quantity.take == SweepQuantity::Take::at) {
    found_.assign(quantity.times.size(), kNone);
  }
}

void QuantityObserver::take(const State& state, const StepRow& row, std::span<const double> sensors) {
  ++n_;
  switch (quantity_.take) {
    case SweepQuantity::Take::end:
      break;
    case SweepQuantity::Take::max:
    case SweepQuantity::Take::min: {
      const double value = value_.value(state, row, sensors);
      const bool is_new = quantity_.take == SweepQuantity::Take::max ? value > extremum_ : value < extremum_;
      if (is_new || std::isnan(extremum_)) extremum_ = value;
      break;
    }
    case SweepQuantity::Take::mean:
      sum_ += value_.value(state, row, sensors);
      break;
    case SweepQuantity::Take::at: {
      const double t = state.t + (n_ == 1 ? 0.0 : kAtTime * row.step);
      const double before = before_ ? before_->time : -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < found_.size(); ++k) {
        if (quantity_.times[k] <= t && quantity_.times[k] > before) found_[k] = value_.value(state, row, sensors);
      }
      before_ = {t, 0.0, 0.0};
      break;
    }
    case SweepQuantity::Take::crossings:
      take_crossing(state, row, sensors);
      break;
  }
}

/// Linear between the steps before and after an upward zero.
void QuantityObserver::take_crossing(const State& state, const StepRow& row, std::span<const double> sensors) {
  if (static_cast<std::int64_t>(found_.size()) == quantity_.count) return;
  const Instant now = {state.t, when_->value(state, row, sensors), value_.value(state, row, sensors)};
  if (before_ && before_->when < 0.0 && now.when >= 0.0) {
    const double share = before_->when / (before_->when - now.when);
    const double time = before_->time + share * (now.time - before_->time);
    if (time >= quantity_.after) found_.push_back(before_->value + share * (now.value - before_->value));
  }
  before_ = now;
}

void QuantityObserver::finish(const State& state, const StepRow& row, std::span<const double> sensors, bool has_failed,
                              std::span<double> out) const {
  std::ranges::fill(out, kNone);
  switch (quantity_.take) {
    case SweepQuantity::Take::end:
      if (!has_failed) out.front() = value_.value(state, row, sensors);
      break;
    case SweepQuantity::Take::max:
    case SweepQuantity::Take::min:
      out.front() = extremum_;
      break;
    case SweepQuantity::Take::mean:
      out.front() = sum_ / static_cast<double>(n_);
      break;
    case SweepQuantity::Take::at:
    case SweepQuantity::Take::crossings:
      std::ranges::copy(found_, out.begin());
      break;
  }
}

}  // namespace stickslip
