// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/stepping/event_driven/transition.h"
#include "stickslip/stepping/gap_course.h"

namespace stickslip::event_driven {

/// What ends a smooth phase: functions of the motion that are positive while it lasts. Where the forces that hold what
/// is held are not the only ones, their signs say little, and CP1 itself is asked whether it still agrees.
class EventSearch {
 public:
  EventSearch(const System& system, Transition& transition) : system_(system), transition_(transition) {}

  /// Begins a phase: `motion` is solved where it starts. Whether it may: nothing is below zero there by more than
  /// round-off.
  bool begin(SmoothMotion& motion, const Inputs& inputs);
  /// At the start of a further step of the phase: what was at its zero where the phase began, and has left it since,
  /// ends the phase at its next zero.
  void arm(SmoothMotion& motion, const Inputs& inputs);
  /// The least of them at the instant that `motion` solved last, each in units of its own; below zero: the phase is
  /// over.
  double calc_least(SmoothMotion& motion, const Inputs& inputs);
  /// What reached zero there.
  std::vector<Trigger> find_triggers(SmoothMotion& motion, const Inputs& inputs);

  /// All watches at an instant.
  struct Look {
    double least = 0.0;          // as of calc_least
    std::vector<double> values;  // (watches) each in units of its own; of gaps [m]
  };
  /// The instant that `motion` solved last.
  void look(SmoothMotion& motion, const Inputs& inputs, Look& look);
  /// Where the step to come starts, as begin() or arm() left it.
  const Look& first() const { return first_; }
  /// Gaps of what is open, and their rates; above zero where the step to come starts.
  void look_at_gaps(const BodySnapshot& at, GapCourse::Sample& gaps) const;
  /// Where all else may have been below zero between looks at which it is not: theta in (0, 1), where that is to be
  /// looked for, by the parabola through looks at the start, halfway, and the end; 0: nowhere.
  double find_low(const Look& a, const Look& middle, const Look& b) const;

 private:
  enum class Kind { gap, lift, slip, stop, turn, yield, laws };
  struct Watch {
    Kind kind;
    bool is_contact;
    int index;
    double offset;           // of a watch that begins at zero
    bool from_zero = false;  // a gap that begins at nothing
    double side = 0.0;       // [-] of `turn`: the edge to the left (1) or right (-1) of a polygon's corner
  };

  double calc(const Watch& watch, SmoothMotion& motion, const Inputs& inputs) const;
  double calc_slip(const Watch& watch, const SmoothMotion& motion) const;
  double calc_stop(const Watch& watch, const SmoothMotion& motion) const;
  double calc_turn(const Watch& watch, const SmoothMotion& motion) const;
  void find_slip(const Watch& watch, const SmoothMotion& motion, Trigger& trigger) const;
  void calc_force_scale(const SmoothMotion& motion);

  const System& system_;
  Transition& transition_;
  std::vector<Watch> watches_;
  double force_ = 1.0;  // [N] the scale of forces
  Look first_;
};

}  // namespace stickslip::event_driven
