// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/broad_phase.h"

#include <algorithm>
#include <numeric>

namespace stickslip {
namespace {

/// The axis along which the centres of the boxes vary the most.
int widest_axis(std::span<const BoundingBox> boxes) {
  Vector3 mean = Vector3::Zero();
  for (const BoundingBox& box : boxes) mean += 0.5 * (box.lower + box.upper);
  mean /= static_cast<double>(boxes.size());
  Vector3 variance = Vector3::Zero();
  for (const BoundingBox& box : boxes) variance += (0.5 * (box.lower + box.upper) - mean).cwiseAbs2();
  int axis = 0;
  variance.maxCoeff(&axis);
  return axis;
}

}  // namespace

void BroadPhase::find(std::span<const BoundingBox> boxes, std::vector<Pair>& pairs, const StopToken& stop) {
  pairs.clear();
  if (boxes.size() < 2) return;
  const int axis = widest_axis(boxes);
  const int other = axis == 0 ? 1 : 0;
  const int third = 3 - axis - other;
  order_.resize(boxes.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const double a = boxes[i].lower(axis);
    const double b = boxes[j].lower(axis);
    return a < b || (a == b && i < j);
  });
  for (std::size_t k = 0; k < order_.size(); ++k) {
    stop.check();
    const BoundingBox& a = boxes[order_[k]];
    for (std::size_t l = k + 1; l < order_.size() && boxes[order_[l]].lower(axis) <= a.upper(axis); ++l) {
      const BoundingBox& b = boxes[order_[l]];
      if (a.lower(other) > b.upper(other) || b.lower(other) > a.upper(other)) continue;
      if (a.lower(third) > b.upper(third) || b.lower(third) > a.upper(third)) continue;
      pairs.push_back({std::min(order_[k], order_[l]), std::max(order_[k], order_[l])});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  });
}

}  // namespace stickslip
