// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stickslip/collision/broad_phase.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/contact_filter.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/body_sizes.h"

namespace stickslip {

/// A body that went through another within a step, unseen.
struct Pass {
  int body_a, body_b;
  double depth;  // [m] how much closer than touching they were
};

/// Finds balls (points too) under a contact law, named or detected, that are apart at both ends of a step, were
/// closer than touching in between, and did not act on each other in the step: another ball of the same body may have.
/// Apart are also balls that overlap by less than the limit of penetration, if that is finite.
///
/// In between their centres move in straight lines. With s the way from one centre to the other, s0 and s1 at the
/// ends, d = s1 - s0 and R the sum of the radii, they come as near as |s0 + x d|, x = -s0.d / d^2 where that is in
/// (0, 1). A path of constant acceleration, or with one kink, is within h |change of the relative velocity across d| /
/// 4 of its chord: depths up to that, and round-off, may be the chord's alone and do not count. (A ball that circles
/// its body's centre by half a turn a step is beyond that.) Nor does a graze: a depth that the limit of penetration
/// allows at the end of a step, where |d| < R or an end overlaps; nor, where an end overlaps, any depth with |d| < R.
///
/// Half-spaces and containers need no look in between: along a straight line their gap has its least value at an end.
///
/// The way of a body that took part in an event of the step, or that contacts and joints tie to such a one, has kinks
/// that no chord knows of, and is not looked at: a scheme that lists events follows all gaps between them.
///
/// What cannot reach far enough is not looked at. A graze of depth e takes |d| >= 2 sqrt(2 R e - e^2), so a step in
/// which no ball moves half as far as the least of these costs one comparison a body; else boxes around the ways of
/// all are compared.
class PassFinder {
 public:
  /// `penetration`: the limit, as a share of a pair's size. The system must outlive this.
  PassFinder(const System& system, const BodySizes& sizes, double penetration);

  /// Where the next step starts.
  void begin(const State& state);
  /// Replaces `passes` by those of the step from there to `state`, where the next one starts.
  void find(const State& state, const StepReport& report, std::vector<Pass>& passes);

 private:
  struct Ball {
    int shape;    // its number; -1: of a named pair
    int feature;  // which of the shape's balls
    int body;
    int place;       // see System::place()
    Vector3 center;  // (3) [m] body frame
    double radius;   // [m]
  };
  /// A body with balls that can move.
  struct Mover {
    BodyType type;
    int body;
    int q_offset, n_q;
    double arm;  // [m] from its origin to the farthest centre of a ball
  };
  struct NamedPair {
    int a, b;      // into balls_
    ElementId id;  // of the contact point
  };
  struct Instant {
    double t = 0.0;  // [s]
    Vector q, u;     // (n_q), (n_u)
    std::vector<Presence> presence;
    bool has(int body) const { return presence.empty() || !is_absent(presence[static_cast<std::size_t>(body)]); }
  };

  void add_named_pairs();
  void add_detected();
  void add_movers();
  void set_least_way();
  Vector3 calc_center(const Ball& ball, const Instant& instant) const;
  Vector3 calc_velocity(const Ball& ball, const Instant& instant) const;
  double calc_way(const Mover& mover) const;
  bool may_have_passes() const;
  double calc_depth(const Ball& a, const Ball& b) const;
  void mark_kinks(const StepReport& report);
  bool is_known(const Ball& a, const Ball& b) const { return kinks_[a.body] == 0 && kinks_[b.body] == 0; }
  static bool acted_on_each_other(const Ball& a, const Ball& b, const StepReport& report);
  void examine_detected(const StepReport& report, std::vector<Pass>& passes);

  const System& system_;
  const BodySizes& sizes_;
  double penetration_;       // [-]
  std::vector<Ball> balls_;  // of named pairs, then those that detection looks for
  std::vector<NamedPair> named_;
  std::optional<ContactFilter> filter_;  // of a system with detection
  std::size_t first_detected_ = 0;       // into balls_
  std::vector<Mover> movers_;
  double least_way_ = 0.0;             // [m] a pair that moves less past each other cannot pass
  Instant before_, after_;             // the ends of a step
  std::vector<char> kinks_;            // (bodies) whether its way may have kinks
  BroadPhase broad_phase_;             // workspace
  std::vector<std::size_t> in_boxes_;  // balls whose boxes follow
  std::vector<BoundingBox> boxes_;
  std::vector<BroadPhase::Pair> pairs_;
};

}  // namespace stickslip
