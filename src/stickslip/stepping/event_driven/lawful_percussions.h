// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/math/shortest_in_cones.h"
#include "stickslip/stepping/event_driven/smooth_motion.h"

namespace stickslip::event_driven {

/// Percussions of contacts that stick, over a step, where forces are not determined. Forces are lawful where a phase
/// begins, and then change as little as the motion asks for: so contacts may come to bear more friction than their
/// normal forces allow although others hold the same motion.
class LawfulPercussions {
 public:
  /// The system must outlive this.
  LawfulPercussions(const System& system, StopToken stop) : system_(system), shortest_(stop) {}

  /// Where one of them is outside its friction cone: the shortest within the cones that have the same generalized
  /// percussion at the instant of `motion`, to which joints may add; as they are where there are none, and with
  /// polygons. percussions (contact points) [N s]
  void project_into_cones(SmoothMotion& motion, std::vector<ContactComponents>& percussions);

 private:
  bool find_members(SmoothMotion& motion, const std::vector<ContactComponents>& percussions);
  void add_member(const ConstraintSet& set, int cone, int first_body, int second_body);
  void set_blocks(ConstraintSet& set);

  const System& system_;
  ShortestInCones shortest_;
  std::vector<int> members_;                  // cones
  std::vector<ShortestInCones::Part> parts_;  // (members)
  std::vector<std::array<int, 2>> bodies_;    // (members) -1: does not move
  std::vector<int> node_of_body_, dims_;      // (bodies), (nodes)
  std::vector<double> unit_;                  // (rows)
  Vector force_;                              // (n_u)
};

}  // namespace stickslip::event_driven
