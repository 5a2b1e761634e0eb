// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/broad_phase.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace stickslip {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs find(const std::vector<BoundingBox>& boxes) {
  BroadPhase broad_phase;
  std::vector<BroadPhase::Pair> found;
  broad_phase.find(boxes, found);
  Pairs pairs;
  for (const BroadPhase::Pair& pair : found) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

Pairs find_by_trying_all(const std::vector<BoundingBox>& boxes) {
  Pairs pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const bool apart = (boxes[i].lower.array() > boxes[j].upper.array()).any() ||
                         (boxes[j].lower.array() > boxes[i].upper.array()).any();
      if (!apart) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

std::vector<BoundingBox> random_boxes(int n, const Vector3& room, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < n; ++i) {
    BoundingBox box;
    for (int k = 0; k < 3; ++k) {
      box.lower(k) = room(k) * unit(random);
      box.upper(k) = box.lower(k) + (i % 10 == 0 ? 2.0 : 0.2) * unit(random);
    }
    boxes.push_back(box);
  }
  return boxes;
}

TEST(BroadPhase, FindsWhatTryingAllPairsFinds) {
  const Vector3 rooms[] = {{5.0, 5.0, 5.0}, {1.0, 9.0, 0.0}, {0.0, 0.0, 20.0}, {0.0, 0.0, 0.0}};
  for (const Vector3& room : rooms) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const std::vector<BoundingBox> boxes = random_boxes(120, room, seed);
      EXPECT_EQ(find(boxes), find_by_trying_all(boxes)) << room.transpose() << ", seed " << seed;
    }
  }
}

TEST(BroadPhase, BoxesThatTouchOverlap) {
  const BoundingBox a{Vector3::Zero(), Vector3::Ones()};
  const BoundingBox b{Vector3(1.0, 0.0, 0.0), Vector3(2.0, 1.0, 1.0)};
  const BoundingBox c{Vector3(1.0, 1.5, 0.0), Vector3(2.0, 2.0, 1.0)};
  EXPECT_EQ(find({a, b, c}), (Pairs{{0, 1}}));
}

TEST(BroadPhase, NoneAndOne) {
  EXPECT_TRUE(find({}).empty());
  EXPECT_TRUE(find({BoundingBox{}}).empty());
}

}  // namespace
}  // namespace stickslip
