// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// A box along the axes of the world around whatever may touch.
struct BoundingBox {
  Vector3 lower = Vector3::Zero();  // (3) [m]
  Vector3 upper = Vector3::Zero();  // (3) [m] >= lower
};

/// Finds the pairs of boxes that overlap or touch: sort and sweep [Cohen1995] along the axis on which
/// the boxes are spread the most. The answer is a function of the boxes alone, so that a run that goes on from a
/// saved state finds the same; no memory of earlier calls is used, beside that of the workspace.
class BroadPhase {
 public:
  struct Pair {
    int first, second;  // indices of boxes, first < second
  };

  /// Replaces `pairs` by the pairs that overlap, in order of first, then second. Boxes must be finite.
  /// Asks `stop` for each box, and throws Interrupted where it is raised.
  void find(std::span<const BoundingBox> boxes, std::vector<Pair>& pairs, const StopToken& stop = {});

 private:
  std::vector<int> order_;  // boxes by their lower end
};

}  // namespace stickslip
