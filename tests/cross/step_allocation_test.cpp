// SPDX-License-Identifier: BSD-3-Clause
// A step takes no memory from the heap once it is warm. Counts every operator new of this executable.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <tuple>

#include "tests/support/scene_run.h"

namespace {
std::atomic<long> allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}

namespace stickslip {
namespace {

class StepAllocation : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(StepAllocation, IsNoneAfterWarmUp) {
  test::SceneRun run =
      test::open_scene(std::get<0>(GetParam()), {std::string("scheme.type=") + std::get<1>(GetParam())});
  const double span = run.scene.time.end - run.scene.time.start;
  const auto n = static_cast<std::int64_t>(span / run.scene.time.step);
  // Warm means that every contact of the scene has been active once: run half of it (at most 20000 steps).
  const std::int64_t warm = std::min<std::int64_t>(n / 2, 20000);
  while (run.state.step < warm) ASSERT_EQ(run.step(), Status::ok);
  const long before = allocations;
  const std::int64_t last = std::min<std::int64_t>(n, warm + 2000);
  while (run.state.step < last) {
    if (run.step() != Status::ok) break;
  }
  const long after = allocations;
  EXPECT_EQ(run.state.step, last);
  EXPECT_EQ(after - before, 0);
}

std::string describe(const testing::TestParamInfo<std::tuple<const char*, const char*>>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Moreau, StepAllocation,
    testing::Combine(testing::Values("papers/capobianco/bouncing_ball_zeno", "papers/capobianco/ball_in_corner",
                                     "papers/capobianco/ball_in_cylinder", "papers/capobianco/tippe_top",
                                     "box_incline_20", "box_incline_35", "spring_slider", "papers/kikuuwe/point_mass"),
                     testing::Values("moreau")),
    describe);

// Scenes that have met their largest system of equations in the first half of their time.
INSTANTIATE_TEST_SUITE_P(GeneralizedAlpha, StepAllocation,
                         testing::Combine(testing::Values("papers/capobianco/ball_in_corner",
                                                          "papers/capobianco/ball_in_cylinder"),
                                          testing::Values("generalized-alpha")),
                         describe);

}  // namespace
}  // namespace stickslip
