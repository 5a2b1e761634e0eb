// SPDX-License-Identifier: BSD-3-Clause
// The narrow phase takes no memory once it has seen pairs like those that it is asked about: counted by replacing
// operator new in this executable.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "tests/support/random_solids.h"

namespace {
std::atomic<long> n_allocations = 0;
}

// Not inlined, so that the compiler does not match malloc with delete where it sees only one of the two.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++n_allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace stickslip {
namespace {

/// Nor do its answers depend on what it was asked before.
TEST(ManifoldAllocation, NoneAfterTheFirstPairs) {
  test::DrawSolids draw(8);
  const test::Form forms[] = {test::Form::sphere, test::Form::point, test::Form::capsule, test::Form::box,
                              test::Form::convex};
  struct Placed {
    Solid first, second;
    Placement first_at, second_at;
  };
  std::vector<Placed> pairs;
  for (const test::Form first : forms) {
    for (const test::Form second : forms) {
      for (int k = 0; k < 20; ++k) {
        Placed pair{make_solid(draw.shape(first, 1.0), false),
                    make_solid(draw.shape(second, 1.0), false),
                    {draw.normal(), draw.rotation()},
                    {}};
        pair.second_at = {draw.normal(), k % 2 == 0 ? pair.first_at.R : draw.rotation()};
        pairs.push_back(std::move(pair));
      }
    }
  }
  constexpr double kAll = std::numeric_limits<double>::infinity();
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  std::vector<std::vector<ManifoldPoint>> answers;
  for (const Placed& pair : pairs) {
    narrow.calc_manifold(pair.first, pair.first_at, pair.second, pair.second_at, kAll, points);
    answers.push_back(points);
  }
  const long before = n_allocations;
  bool same = true;
  for (std::size_t k = pairs.size(); k-- > 0;) {
    const Placed& pair = pairs[k];
    narrow.calc_manifold(pair.first, pair.first_at, pair.second, pair.second_at, kAll, points);
    same &= points.size() == answers[k].size();
    for (std::size_t i = 0; i < points.size() && same; ++i) {
      same &= points[i].gap == answers[k][i].gap && points[i].normal == answers[k][i].normal &&
              points[i].on_first == answers[k][i].on_first && points[i].feature_first == answers[k][i].feature_first;
    }
  }
  EXPECT_EQ(n_allocations - before, 0);
  EXPECT_TRUE(same);
}

}  // namespace
}  // namespace stickslip
