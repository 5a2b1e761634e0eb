// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/stepping/event_driven/transition.h"

namespace stickslip::event_driven {

/// What ends a smooth phase: functions of the motion that are positive while it lasts. Where the forces that hold what
/// is held are not the only ones, their signs say little, and CP1 itself is asked whether it still agrees.
class EventSearch {
 public:
  EventSearch(const EventDrivenOptions& options, const System& system, Transition& transition)
      : options_(options), system_(system), transition_(transition) {}

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

  /// Gaps that may have been below zero between two instants, their rates say: theta in (0, 1) of the least of them, 0:
  /// none. Instants are those of set_first() and the last one solved, h [s] apart.
  void set_first(const SmoothMotion& motion) { take_gaps(motion, first_gaps_, first_rates_); }
  double find_dip(const SmoothMotion& motion, double h);

 private:
  enum class Kind { gap, lift, slip, stop, yield, laws };
  struct Watch {
    Kind kind;
    bool is_contact;
    int index;
    double offset;           // of a watch that begins at zero
    bool from_zero = false;  // a gap that begins at nothing
  };

  double calc(const Watch& watch, SmoothMotion& motion, const Inputs& inputs) const;
  double calc_slip(const Watch& watch, const SmoothMotion& motion) const;
  double calc_stop(const Watch& watch, const SmoothMotion& motion) const;
  void calc_force_scale(const SmoothMotion& motion);
  void take_gaps(const SmoothMotion& motion, std::vector<double>& gaps, std::vector<double>& rates) const;

  const EventDrivenOptions& options_;
  const System& system_;
  Transition& transition_;
  std::vector<Watch> watches_;
  double force_ = 1.0;                                           // [N] the scale of forces
  std::vector<double> first_gaps_, first_rates_, gaps_, rates_;  // (open contacts) [m], [m/s]
};

}  // namespace stickslip::event_driven
