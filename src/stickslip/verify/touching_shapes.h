// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stickslip/collision/broad_phase.h"
#include "stickslip/collision/true_gap.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Which shapes a scene lets touch, by its named pairs, its detection and its exceptions, and how deep they overlap.
/// Shapes are numbered as in System::shapes().
class TouchingShapes {
 public:
  /// The system must outlive this.
  explicit TouchingShapes(const System& system);

  struct Overlap {
    double depth = 0.0;  // [m] >= 0
    int shape_a = -1, shape_b = -1;
  };
  /// The deepest overlap beyond what round-off explains, with shapes at `places` (n shapes): a shape on a beam at its
  /// cross-section, else at its body.
  Overlap find_deepest(const std::vector<Placement>& places);

  /// The gap of two shapes; nothing where they have none.
  std::optional<TrueGap> find_gap(int shape_a, int shape_b, const std::vector<Placement>& places);
  /// The body of a shape, and how large it is. [m] 0 of walls
  int body(int shape) const { return system_.shapes()[shape].body; }
  double size(int shape) const { return sides_[shape].solid != nullptr ? sides_[shape].solid->size : 0.0; }
  double smaller_size(int a, int b) const {
    return size(a) > 0.0 && size(b) > 0.0 ? std::min(size(a), size(b)) : std::max(size(a), size(b));
  }

 private:
  const ShapeContact& contact(int shape) const {
    const ShapeFeatures& of = system_.shapes()[shape];
    return system_.bodies()[of.body].shapes[of.shape].contact;
  }
  bool may_touch(int a, int b) const;
  void offer(int a, int b, const std::vector<Placement>& places, Overlap& deepest);

  const System& system_;
  std::vector<Solid> own_solids_;              // of shapes for which the system has none
  std::vector<GapSide> sides_;                 // (shapes)
  std::vector<std::pair<int, int>> named_;     // shapes; the lower first, sorted
  std::vector<std::pair<int, int>> excepted_;  // likewise
  struct Rule {
    std::vector<char> first, second;  // (shapes) whether one is meant
  };
  /// Whether one of the two shapes is meant by the first side of a rule and the other by its second.
  static bool fits(const Rule& rule, int a, int b) {
    return (rule.first[a] != 0 && rule.second[b] != 0) || (rule.first[b] != 0 && rule.second[a] != 0);
  }
  Rule make_rule(const std::vector<ShapeSelection>& first, const std::vector<ShapeSelection>& second) const;
  std::vector<Rule> rules_;
  std::vector<Rule> laws_;           // in the order of the scene
  std::vector<int> walls_, solids_;  // shapes that detection asks about

  TrueGapFinder finder_;
  BroadPhase broad_phase_;
  std::vector<BoundingBox> boxes_;
  std::vector<BroadPhase::Pair> pairs_;
};

}  // namespace stickslip
