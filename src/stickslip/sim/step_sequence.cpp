// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/step_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

/// Rows that a run of unknown length is prepared for: the number sets no bound, it says that files may be large.
constexpr std::int64_t kManyRows = 1'000'000;
/// Output rows at most: beyond it a double has no room for their instants.
constexpr double kMostRows = 1e12;
/// The rounding of start + k every, relative to a row's distance. [-]
constexpr double kRounding = 1e-9;

}  // namespace

StepSequence::StepSequence(const Scene& scene, TimeStepper& stepper)
    : start_(scene.time.start), end_(scene.time.end), every_(scene.output.every), stepper_(stepper) {
  if (!scene.time.automatic) {
    grid_.emplace(scene.time, scene.output);
    return;
  }
  if (every_ && !((end_ - start_) / *every_ <= kMostRows)) {
    throw InputError({}, "output.every", fmt::format("{}", *every_),
                     fmt::format("at most {:g} rows from {} to {}", kMostRows, start_, end_));
  }
  steps_.emplace(scene.time.control, stepper);
}

void StepSequence::begin(State& state) const {
  if (steps_) steps_->begin(state);
}

bool StepSequence::at_end(const State& state) const {
  return grid_ ? state.step >= grid_->steps() : state.t >= end_;
}

bool StepSequence::is_shaped_by_end(const State& state) const {
  return grid_ ? state.step + 1 == grid_->steps() : steps_->is_shaped_by(state, end_);
}

/// The first multiple of `every` after t, or the end.
double StepSequence::next_output(double t) const {
  if (!every_) return end_;
  const double k = std::floor((t - start_) / *every_ + kRounding) + 1.0;
  return std::min(start_ + k * *every_, end_);
}

Status StepSequence::step(State& state, StepReport& report) {
  if (steps_) {
    const Status status = steps_->advance(state, next_output(state.t), report);
    tried_time_ = steps_->tried().t_end;
    tried_length_ = steps_->tried().h;
    return status;
  }
  const std::int64_t n = state.step + 1;
  tried_time_ = grid_->time(n);
  tried_length_ = grid_->length(n);
  return stepper_.step(state, tried_length_, tried_time_, report);
}

bool StepSequence::is_output(const State& state) const {
  if (grid_) return grid_->is_output(state.step);
  // Steps end at outputs exactly, or well before.
  return !every_ || state.t == end_ || state.t == start_ + std::round((state.t - start_) / *every_) * *every_;
}

bool StepSequence::passes_multiple(const State& state, double h, double interval) const {
  if (grid_) return state.step % grid_->steps_in(interval) == 0;
  return std::floor((state.t - start_) / interval) > std::floor((state.t - h - start_) / interval);
}

double StepSequence::share(const State& state) const {
  if (grid_) return static_cast<double>(state.step) / static_cast<double>(grid_->steps());
  return (state.t - start_) / (end_ - start_);
}

std::int64_t StepSequence::expected_rows() const {
  if (grid_) return grid_->rows();
  return every_ ? 2 + static_cast<std::int64_t>((end_ - start_) / *every_) : kManyRows;
}

std::int64_t StepSequence::expected_steps() const {
  return grid_ ? grid_->steps() + 1 : kManyRows;
}

}  // namespace stickslip
