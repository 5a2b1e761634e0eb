// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/broad_phase.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "stickslip/base/thread_team.h"

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

/// So many boxes that threads share them.
TEST(BroadPhase, FindsTheSameWithAnyThreads) {
  const std::vector<BoundingBox> boxes = random_boxes(5000, {12.0, 12.0, 12.0}, 3);
  const Pairs alone = find(boxes);
  EXPECT_GT(alone.size(), 1000u);
  for (const int n_threads : {2, 4, 8}) {
    ThreadTeam team(n_threads);
    const ThreadTeam::Scope scope(&team);
    EXPECT_EQ(find(boxes), alone) << n_threads;
  }
  EXPECT_EQ(alone, find_by_trying_all(boxes));
}

TEST(BroadPhase, FindsWhatTryingAllPairsFinds) {
  const Vector3 rooms[] = {{5.0, 5.0, 5.0}, {1.0, 9.0, 0.0}, {0.0, 0.0, 20.0}, {0.0, 0.0, 0.0}};
  for (const Vector3& room : rooms) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const std::vector<BoundingBox> boxes = random_boxes(seed == 1 ? 1000 : 120, room, seed);
      EXPECT_EQ(find(boxes), find_by_trying_all(boxes)) << room.transpose() << ", seed " << seed;
    }
  }
}

TEST(BroadPhase, SizesAndDistancesOfAnyMagnitude) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const double spread : {1.0, 1e3, 1e9}) {
    std::vector<BoundingBox> boxes;
    for (int i = 0; i < 200; ++i) {
      BoundingBox box;
      box.lower = std::pow(10.0, 3.0 * unit(random)) * Vector3(unit(random), unit(random), unit(random));
      if (i % 20 == 0) box.lower *= spread;
      box.upper = box.lower;
      if (i % 7 > 0) box.upper += std::pow(10.0, 4.0 * unit(random)) * Vector3(1.0, std::abs(unit(random)), 0.5);
      boxes.push_back(box);
    }
    boxes.push_back(boxes.front());  // the same twice
    EXPECT_EQ(find(boxes), find_by_trying_all(boxes)) << spread;
  }
}

/// Edges on the borders of cells, in a lattice where each box touches all its neighbours.
TEST(BroadPhase, LatticesOfBoxesThatTouch) {
  for (const double edge : {1.0, 0.1, 0.3, 0.75}) {
    std::vector<BoundingBox> boxes;
    for (int i = 0; i < 343; ++i) {
      const Vector3 place(i % 7, i / 7 % 7, i / 49);
      boxes.push_back({edge * place, edge * (place + Vector3::Ones())});
    }
    EXPECT_EQ(find(boxes), find_by_trying_all(boxes)) << edge;
  }
}

/// Points and grains as small as they like are as many cells apart as there are: nearly none is compared with another.
TEST(BroadPhase, SmallBoxesDoNotShareCells) {
  for (const double edge : {0.0, 1e-9}) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> unit(0.0, 4.0);
    std::vector<BoundingBox> boxes(20000);
    for (BoundingBox& box : boxes) {
      box.lower = Vector3(unit(random), unit(random), unit(random));
      box.upper = box.lower + Vector3::Constant(edge);
    }
    BroadPhase broad_phase;
    std::vector<BroadPhase::Pair> pairs;
    broad_phase.find(boxes, pairs);
    EXPECT_TRUE(pairs.empty());
    EXPECT_LT(broad_phase.count_tried(), 1000);
  }
}

TEST(BroadPhase, LengthsThatOverflow) {
  constexpr double kHuge = 1.5e308;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const BoundingBox wide{Vector3::Constant(-kHuge), Vector3::Constant(kHuge)};
  const BoundingBox small{Vector3::Zero(), Vector3::Ones()};
  const BoundingBox far{Vector3::Constant(1e10), Vector3::Constant(2e10)};
  const BoundingBox all{Vector3::Constant(-kInfinity), Vector3::Constant(kInfinity)};
  std::fenv_t traps;  // here lengths may overflow
  std::feholdexcept(&traps);
  const Pairs with_wide = find({small, wide, far});
  const Pairs with_all = find({small, far, all});
  std::fesetenv(&traps);
  EXPECT_EQ(with_wide, (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(with_all, (Pairs{{0, 2}, {1, 2}}));
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
