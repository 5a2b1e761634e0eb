// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// What State::memory holds of the scheme, by name: of the velocities (n_u) and of the rows of what the scene names
/// (n)
///   a, abar, lambda, lambdabar, and a, lambda of the step before and of the one before that,
/// from which start values are continued. The same of detected contacts is in State::contacts, but for the last pair.
template <class V>
class MemoryView {
 public:
  MemoryView(const System& system, V& values)
      : values_(values), n_u_(system.n_u()), n_((values.size() - n_numbers) / 4 - n_u_) {}

  auto a() const { return part(0, n_u_); }
  auto a_bar() const { return part(n_u_, n_u_); }
  auto lambda() const { return part(2 * n_u_, n_); }
  auto lambda_bar() const { return part(2 * n_u_ + n_, n_); }
  auto last_a() const { return part(2 * (n_u_ + n_), n_u_); }
  auto last_lambda() const { return part(3 * n_u_ + 2 * n_, n_); }
  auto earlier_a() const { return part(3 * (n_u_ + n_), n_u_); }
  auto earlier_lambda() const { return part(4 * n_u_ + 3 * n_, n_); }
  /// How many of the last two continue smoothly in a and lambda. [-]
  auto& history() const { return number(history_number); }
  /// find_sets() of the last step. [-]
  auto& sets() const { return number(sets_number); }
  /// The length of the last step, 0: nothing from before this instant is remembered. [s]
  auto& step() const { return number(step_number); }

  static Eigen::Index size(const System& system, Eigen::Index n) { return 4 * (system.n_u() + n) + n_numbers; }

 private:
  /// The numbers behind the vectors.
  enum Number { history_number, sets_number, step_number, n_numbers };
  auto& number(Number which) const { return values_(values_.size() - n_numbers + which); }
  auto part(Eigen::Index begin, Eigen::Index size) const { return values_.segment(begin, size); }

  V& values_;
  Eigen::Index n_u_, n_;
};

/// Writes all of it, at the start of a run: x.a and x.lambda, with no history.
void start_memory(const Step& step, State& state);
/// Sets start_lambda, start_lambda_bar and start_last for all rows.
void load_memory(Step& step, const State& state);
/// After a step; `smooth`: a and lambda go on smoothly from the last two steps.
void save_memory(const Step& step, State& state, bool smooth);
/// Makes the memory that of steps `ratio` times as long, see Estimate.
void rescale_memory(const System& system, State& state, double ratio);
/// Adds x.a and x.lambda to all accelerations and forces in it: a jump at the instant of the state, as inputs make.
void move_memory(const Step& step, State& state);
/// abar = a, lambdabar = lambda, as at the start of a run: what they remember is of another motion.
void forget_past(const System& system, State& state);

/// x = (a, 0, 0, 0, 0, lambda) with a and lambda of the state, or continued from the last steps: by a parabola where
/// the last three lie on one smooth motion, else by a line.
void set_start_values(Step& step, const State& state, bool continued);

/// A hash of the contacts that are closed and of what sticks: 53 bits, a whole number. [-]
double find_sets(const Step& step);

}  // namespace stickslip::generalized_alpha
