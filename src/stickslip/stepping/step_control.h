// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "stickslip/model/state.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// What a user says about automatic steps.
struct StepControlOptions {
  double tolerance = 1e-6;         // [-] in (0, 1): local error per length of step over the largest speed so far
  std::optional<double> min_step;  // [s] > 0: none shorter is tried, whatever the error; none: round-off of t
  std::optional<double> max_step;  // [s] >= min_step; none: no bound
  bool operator==(const StepControlOptions&) const = default;
  void check() const;  // throws InputError
};

/// Chooses the length of each step so that the error of the motion is what the tolerance says, for a scheme that is of
/// second order where the motion is smooth and of first order in a step that contains an event: an impact, or a change
/// of what is closed, sticks or slides.
///
/// Smooth steps: the elementary controller of [Hairer1993, section II.4], on the error per unit step. With the local
/// errors e_q (positions, as lengths) and e_u (velocities) of a step of length h, both O(h^3),
///   r = max(e_q / h, e_u) / (V tolerance),
/// V the largest speed so far, 0.1 m/s at least. r <= 1: accepted. The next try is h min(3, max(1/5, 0.9 / sqrt(r))).
/// As errors add up over the steps, the error of a smooth run is proportional to the tolerance, and the number of steps
/// to its inverse square root. e_u is not taken per unit step: it guards the instants at which e_q = O(a') vanishes,
/// and would else make the step resolve every vibration of a stiff beam, which moves nothing and which the scheme
/// damps.
///
/// Steps with an event: what the smooth estimate says there has no meaning: the jump does not get smaller with the
/// step, and a controller that believed it would fall to the smallest step at each impact. The order of such a step is
/// one, and so are its terms [Acary2012, section 4; Studer2009, chapter 5]: an event somewhere within h displaces the
/// motion by at most
///   e = h |velocity jump| + h^2 |acceleration jump|,
/// which is compared with sqrt(tolerance) L, L = V^2 / |acceleration|, the length on which the motion bends. An impact
/// in free fall with V = 4 m/s at tolerance = 1e-6 is so found within 0.3 ms, a change from stick to slip hardly ever
/// matters. Where e is too large the step is tried again with half the length, and so on (bisection), down to where e
/// fits and never further. The errors of a run with impacts are proportional to sqrt(tolerance). An accepted event
/// makes the scheme forget its past (TimeStepper::forget), and the next step may be up to twice as long.
///
/// Deviation: [Acary2012] shortens steps with events by the smooth tolerance, to first order; in an accumulation of
/// impacts, and in any scene of many contacts, that is the smallest step at once.
class StepControl {
 public:
  explicit StepControl(const StepControlOptions& options) : options_(options) {}

  /// The first length, from the scales in `size`.
  double first_length(const StepSize& size) const;

  struct Plan {
    double h = 0.0;                // [s]
    double t_end = 0.0;            // [s]
    bool shaped_by_limit = false;  // another limit would have given another h
  };
  /// The next try from t. No step passes the limit, and none near it is much shorter than planned: what is left is
  /// done in one step, up to a tenth longer than planned, or in two halves.
  Plan plan(const StepSize& size, double t, double limit) const;

  enum class Verdict {
    again,        // from the same state, as `size` plans now
    accepted,     //
    after_event,  // accepted; the scheme's memory is of before an event
  };
  /// Tries before this one, from the same state.
  struct Tries {
    int all = 0;       // [-]
    int unsolved = 0;  // [-] of them, after which the laws did not hold
  };
  /// Judges a try and plans the next one in `size`. solved: the laws hold at its end. Where they do not, a few shorter
  /// steps are tried, and where these are no better the first one again, and accepted.
  Verdict judge(const Plan& plan, const StepEstimate& estimate, bool solved, const Tries& tries, StepSize& size) const;
  /// The error of a smooth step per length over the scales, what `tolerance` bounds. [-]
  static double smooth_error(const Plan& plan, const StepEstimate& estimate, const StepSize& size);

 private:
  double shortest(double t_end) const;
  double clamp(double h, double t_end) const;

  StepControlOptions options_;
};

}  // namespace stickslip
