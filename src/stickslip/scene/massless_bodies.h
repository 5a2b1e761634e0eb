// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// Bodies of mass 0 between joints. Schemes need masses: these bodies have kShare of the least mass and mean moment of
/// the bodies next to them, over others of mass 0, which is what motions are off by. They have no weight.
class MasslessBodies {
 public:
  static constexpr double kShare = 1e-6;  // [-]

  void add(int body) { bodies_.push_back(body); }
  bool exist() const { return !bodies_.empty(); }
  bool has(int body) const;
  /// Gives them their shares, after the last joint; what no mass and no armature is next to keeps what it has.
  void lend(SystemBuilder& builder) const;
  /// One of them that can move while nothing with mass and no joint with armature moves; -1: none.
  int find_loose(const System& system, const State& start) const;

 private:
  std::vector<int> bodies_;
};

}  // namespace stickslip
