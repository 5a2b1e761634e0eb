// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/base/rank_share.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// A box along the axes of the world around whatever may touch.
struct BoundingBox {
  Vector3 lower = Vector3::Zero();  // (3) [m]
  Vector3 upper = Vector3::Zero();  // (3) [m] >= lower

  /// Or touch.
  bool overlaps(const BoundingBox& other) const {
    for (int k = 0; k < 3; ++k) {
      if (lower(k) > other.upper(k) || other.lower(k) > upper(k)) return false;
    }
    return true;
  }
};

/// Finds the pairs of boxes that overlap or touch, by grids: boxes of like size, within a factor of two, share one
/// whose cells are a little larger than they are, so that what overlaps lies in neighbouring cells; smaller ones look
/// for larger ones in the larger ones' grid [Ericson2005, 7.2]. Cells are lists sorted by their place, which are gone
/// through side by side: time grows as n where sizes are alike, and no room is taken for empty cells. A cell is 2^-21
/// of the whole in size at least: a body that left the others a million of their sizes behind makes cells coarse, and
/// finding them slower. The answer is a function of the boxes alone, so that a run that goes on from a saved state
/// finds the same. Threads of the current ThreadTeam share the boxes where there are thousands.
class BroadPhase {
 public:
  struct Pair {
    int first, second;  // indices of boxes, first < second
  };

  /// Replaces `pairs` by the pairs that overlap, in order of first, then second. Boxes must be numbers.
  /// Asks `stop` for each box, and throws Interrupted where it is raised.
  /// With ranks each pair is found by one rank.
  void find(std::span<const BoundingBox> boxes, std::vector<Pair>& pairs, const StopToken& stop = {},
            const RankShare& share = {});

  /// Pairs that the last find() looked at. [-]
  std::int64_t count_tried() const { return tried_; }

 private:
  /// A box in a grid.
  struct Entry {
    std::uint64_t cell;
    int box;
  };
  using Entries = std::vector<Entry>;
  /// What a block of entries found.
  struct Found {
    std::vector<Pair> pairs;
    std::int64_t tried = 0;  // [-]
  };

  void list(std::span<const BoundingBox> boxes, std::span<const int> members, double size, Entries& entries);
  void sort_entries(Entries& entries);
  void join(std::span<const BoundingBox> boxes, const Entries& entries, const Entries& others, bool same,
            std::vector<Pair>& pairs, const StopToken& stop, const RankShare& share);
  static void join_block(std::span<const BoundingBox> boxes, const Entries& entries, std::size_t begin, std::size_t end,
                         const Entries& others, bool same, const StopToken& stop, Found& found);
  void sort_pairs(std::size_t n_boxes, std::vector<Pair>& pairs);

  std::int64_t tried_ = 0;  // [-]

  // Workspace.
  Vector3 origin_ = Vector3::Zero();  // (3) [m] of all grids
  std::vector<double> sizes_;         // (n) [m] the largest of each box, and at least that of a cell
  std::vector<int> levels_;           // (n) the exponent L of each size, which is in [2^L, 2^(L + 1))
  std::vector<int> by_level_;         // (n) boxes, those of a level together, from the smallest on
  Entries entries_, others_, scratch_;
  std::vector<Found> found_;  // (blocks)
  std::vector<int> begin_;    // (n + 1) where the pairs of each first box begin
  std::vector<int> seconds_;  // (pairs) second boxes in order
};

}  // namespace stickslip
