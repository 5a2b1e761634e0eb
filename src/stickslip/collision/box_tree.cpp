// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/box_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "stickslip/base/make_room.h"

namespace stickslip {

BoxTree::BoxTree(std::vector<BoundingBox> boxes) : boxes_(std::move(boxes)) {
  std::vector<Vector3> centers;
  centers.reserve(boxes_.size());
  for (const BoundingBox& box : boxes_) centers.emplace_back(0.5 * (box.lower + box.upper));
  order_.resize(boxes_.size());
  std::iota(order_.begin(), order_.end(), 0);
  make_node(0, static_cast<int>(boxes_.size()), centers);
}

int BoxTree::make_node(int begin, int end, const std::vector<Vector3>& centers) {
  constexpr int kLeaf = 4;  // [-] things: a box costs as much to test as one
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  BoundingBox box = boxes_[order_[begin]];
  BoundingBox middles{centers[order_[begin]], centers[order_[begin]]};
  for (int k = begin + 1; k < end; ++k) {
    const BoundingBox& of = boxes_[order_[k]];
    box = {box.lower.cwiseMin(of.lower), box.upper.cwiseMax(of.upper)};
    middles = {middles.lower.cwiseMin(centers[order_[k]]), middles.upper.cwiseMax(centers[order_[k]])};
  }
  Node node{box, begin, end, -1, -1};
  if (end - begin > kLeaf) {
    Eigen::Index axis = 0;
    (middles.upper - middles.lower).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
      return centers[a](axis) < centers[b](axis) || (centers[a](axis) == centers[b](axis) && a < b);
    });
    node.left = make_node(begin, middle, centers);
    node.right = make_node(middle, end, centers);
  }
  nodes_[index] = node;
  return index;
}

void BoxTree::find(const BoundingBox& box, std::vector<int>& found) const {
  found.clear();
  collect(0, box, found);
  std::sort(found.begin(), found.end());
}

void BoxTree::collect(int node, const BoundingBox& box, std::vector<int>& found) const {
  const Node& at = nodes_[node];
  if (!at.box.overlaps(box)) return;
  if (at.left >= 0) {
    collect(at.left, box, found);
    collect(at.right, box, found);
    return;
  }
  for (int k = at.begin; k < at.end; ++k) {
    if (boxes_[order_[k]].overlaps(box)) append(found, order_[k]);
  }
}

}  // namespace stickslip
