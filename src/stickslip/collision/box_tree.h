// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "stickslip/collision/broad_phase.h"

namespace stickslip {

/// A tree of boxes over numbered things that have boxes: triangles, segments.
class BoxTree {
 public:
  BoxTree() = default;
  /// One or more.
  explicit BoxTree(std::vector<BoundingBox> boxes);

  /// Round all.
  const BoundingBox& box() const { return nodes_.front().box; }

  /// Replaces `found` by those whose boxes overlap `box`, in increasing order.
  void find(const BoundingBox& box, std::vector<int>& found) const;

  /// The one that is nearest to x (3) [m], and its distance; `distance(i)` [m] of the i-th is at least that of its box.
  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();  // [m]
    int index = -1;
  };
  template <class Distance>
  Nearest find_nearest(const Vector3& x, const Distance& distance) const {
    Nearest nearest;
    search(0, x, distance, nearest);
    return nearest;
  }

 private:
  /// A box over [begin, end) of order_; two children where left >= 0.
  struct Node {
    BoundingBox box;
    int begin = 0, end = 0;
    int left = -1, right = -1;
  };

  int make_node(int begin, int end, const std::vector<Vector3>& centers);
  void collect(int node, const BoundingBox& box, std::vector<int>& found) const;

  template <class Distance>
  void search(int node, const Vector3& x, const Distance& distance, Nearest& nearest) const {
    const Node& at = nodes_[node];
    if (at.left < 0) {
      for (int k = at.begin; k < at.end; ++k) {
        const double d = distance(order_[k]);
        if (d < nearest.distance) nearest = {d, order_[k]};
      }
      return;
    }
    const double left = distance2(nodes_[at.left].box, x);
    const double right = distance2(nodes_[at.right].box, x);
    const auto visit = [&](int child, double far2) {
      if (far2 < nearest.distance * nearest.distance) search(child, x, distance, nearest);
    };
    if (left <= right) {
      visit(at.left, left);
      visit(at.right, right);
    } else {
      visit(at.right, right);
      visit(at.left, left);
    }
  }
  static double distance2(const BoundingBox& box, const Vector3& x) {
    return (box.lower - x).cwiseMax(x - box.upper).cwiseMax(0.0).squaredNorm();
  }

  std::vector<BoundingBox> boxes_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
};

}  // namespace stickslip
