// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// Decides which shapes are tested for detected contacts: shapes of two bodies of which one moves, unless a named pair,
/// an exception or a law of System::detection() excludes them. Shapes by their numbers, as in System::shapes().
class ContactFilter {
 public:
  /// Of a system with detection(), which must outlive this.
  explicit ContactFilter(const System& system);

  bool allows(int shape_a, int shape_b) const;
  /// The part of it that holds for many shapes alike: that one of two bodies moves, masks, laws, and exceptions of
  /// groups.
  /// Shapes with the same rules_of() are alike.
  bool rules_allow(int shape_a, int shape_b) const;
  std::vector<char> rules_of(int shape) const;

 private:
  struct Rule {
    std::vector<char> first, second;  // (n shapes) whether a shape is meant by each side
  };

  const System& system_;
  std::vector<int> bodies_;  // (n shapes)
  std::vector<char> moves_;  // (n shapes) whether their bodies have velocities
  struct Masks {
    int contype = 1, conaffinity = 1;  // bits; both 0 of shapes that are only drawn
    bool operator==(const Masks&) const = default;
  };
  std::vector<Masks> masks_;  // (n shapes)
  bool has_masks_ = false;    // whether any of them is not the default
  std::vector<Rule> rules_;
  std::vector<std::pair<int, int>> apart_;  // single pairs, named or excepted: the lower shape first; sorted
};

}  // namespace stickslip
