// SPDX-License-Identifier: BSD-3-Clause
// A step takes no memory from the heap once it is warm, and not much before. Counts every operator new of this
// executable.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "stickslip/stepping/limit_monitor.h"
#include "tests/support/pile_scene.h"
#include "tests/support/scene_run.h"

namespace {
std::atomic<long> allocations = 0;
std::atomic<long> live_bytes = 0;

void* counted(std::size_t size) {
  ++allocations;
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<long>(malloc_usable_size(p));
  return p;
}

void give_back(void* p) {
  live_bytes -= static_cast<long>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* p) noexcept {
  give_back(p);
}
void operator delete[](void* p) noexcept {
  give_back(p);
}
void operator delete(void* p, std::size_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  give_back(p);
}

namespace stickslip {
namespace {

struct AllocationCase {
  const char* scene;
  std::vector<std::string> overrides;
};

void PrintTo(const AllocationCase& c, std::ostream* out) {
  *out << c.scene;
}

class StepAllocations : public testing::TestWithParam<AllocationCase> {};

TEST_P(StepAllocations, IsNoneAfterWarmUp) {
  test::SceneRun run = test::open_scene(GetParam().scene, GetParam().overrides);
  const double span = run.scene.time.end - run.scene.time.start;
  const auto n = static_cast<std::int64_t>(span / run.scene.time.step);
  // Warm means that every contact of the scene has been active once: run half of it (at most 20000 steps).
  const std::int64_t warm = std::min<std::int64_t>(n / 2, 20000);
  LimitMonitor limits(*run.built.system, run.scene.limits, run.state, run.report);
  while (run.state.step < warm) {
    ASSERT_EQ(run.step(), Status::ok);
    limits.examine(run.state, run.report);
  }
  const long before = allocations;
  const std::int64_t last = std::min<std::int64_t>(n, warm + 2000);
  while (run.state.step < last) {
    if (run.step() != Status::ok) break;
    limits.examine(run.state, run.report);
  }
  const long after = allocations;
  EXPECT_EQ(run.state.step, last);
  EXPECT_EQ(after - before, 0);
}

std::string case_name(const testing::TestParamInfo<AllocationCase>& info) {
  std::string name = info.param.scene;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

AllocationCase moreau(const char* scene) {
  return {scene, {"scheme.type=moreau"}};
}

INSTANTIATE_TEST_SUITE_P(Moreau, StepAllocations,
                         testing::Values(moreau("papers/capobianco/bouncing_ball_zeno"),
                                         moreau("papers/capobianco/ball_in_corner"),
                                         moreau("papers/capobianco/ball_in_cylinder"),
                                         moreau("papers/capobianco/tippe_top"), moreau("box_incline_20"),
                                         moreau("box_incline_35"), moreau("spring_slider"),
                                         moreau("papers/kikuuwe/point_mass")),
                         case_name);

/// The corner is warm only when the ball has come to rest on both walls, where the fallback has been at work.
AllocationCase generalized_alpha(const char* scene, std::vector<std::string> more = {}) {
  more.insert(more.begin(), "scheme.type=generalized-alpha");
  return {scene, std::move(more)};
}

INSTANTIATE_TEST_SUITE_P(GeneralizedAlpha, StepAllocations,
                         testing::Values(generalized_alpha("papers/capobianco/bouncing_ball_zeno"),
                                         generalized_alpha("papers/capobianco/bouncing_ball_slip"),
                                         generalized_alpha("papers/capobianco/ball_in_corner", {"time.end=3"}),
                                         generalized_alpha("papers/capobianco/ball_in_cylinder"),
                                         generalized_alpha("papers/capobianco/sliding_rod", {"time.end=0.8"}),
                                         generalized_alpha("papers/capobianco/tippe_top", {"time.step=1e-3"}),
                                         generalized_alpha("papers/capobianco/hopper",
                                                           {"time.step=5e-5", "time.end=0.2", "scheme.rho_inf=0",
                                                            "scheme.tolerance=1e-7"}),
                                         generalized_alpha("box_incline_20"), generalized_alpha("four_bar"),
                                         generalized_alpha("chaplygin_sleigh")),
                         case_name);

INSTANTIATE_TEST_SUITE_P(StewartTrinkle, StepAllocations,
                         testing::Values(AllocationCase{"papers/negrut/bowling_ball", {"scheme.type=stewart-trinkle"}},
                                         AllocationCase{"box_incline_20", {"scheme.type=stewart-trinkle"}},
                                         AllocationCase{"box_incline_35", {"scheme.type=stewart-trinkle"}},
                                         AllocationCase{"spring_slider", {"scheme.type=stewart-trinkle"}},
                                         AllocationCase{"four_bar", {"scheme.type=stewart-trinkle"}}),
                         case_name);

/// Contacts that bear, creep and hold; joints alone; springs; cut forces. Steps of the scenes fit 2 delta.
AllocationCase relaxation(const char* scene, const std::string& keys) {
  return {scene, {"scheme={type=\"relaxation\"" + keys + "}"}};
}

INSTANTIATE_TEST_SUITE_P(
    Relaxation, StepAllocations,
    testing::Values(relaxation("papers/negrut/bowling_ball", ",delta=0.01"),
                    relaxation("box_incline_20", ",delta=0.01"),
                    relaxation("box_incline_35", ",delta=0.01,inclusion=\"clip\""),
                    relaxation("papers/kikuuwe/point_mass", ",model=\"penalty\",stiffness=100,damping=10"),
                    relaxation("four_bar", ",delta=0.01"), relaxation("chaplygin_sleigh", ",form=\"implicit\"")),
    case_name);

/// With so many contacts that they are packed; under a solver that factorises nothing, whose fill may grow at any step.
TEST(StepAllocation, IsNoneInAPile) {
  test::SceneRun run = test::scene_from_text(test::pile_scene("spg"));
  while (run.state.step < 200) ASSERT_EQ(run.step(), Status::ok);
  const long before = allocations;
  while (run.state.step < 300) ASSERT_EQ(run.step(), Status::ok);
  const long after = allocations;
  EXPECT_EQ(after - before, 0);
}

/// What a run of spheres on a grid holds after some steps. [bytes]
long bytes_of_steps(double spacing) {
  const std::string block = "counts = [3, 3, 4], spacing = 0.02";
  std::string text = test::pile_scene("spg");
  text.replace(text.find(block), block.size(), "counts = [10, 10, 10], spacing = " + std::to_string(spacing));
  const long before = live_bytes;
  test::SceneRun run = test::scene_from_text(text);
  while (run.state.step < 3) EXPECT_NE(run.step(), Status::failed);
  return live_bytes - before;
}

/// 2700 contacts between spheres, all of them active; those with the floor are there in both. Vectors that double when
/// they grow, and diagonal blocks or geometries kept beside the packed rows, show.
/// Some 350 bytes are those of a second set of constraints, on positions.
TEST(StepMemory, IsLessThan1400BytesForAnActiveContact) {
  constexpr double kContacts = 2700.0;
  const auto bytes = static_cast<double>(bytes_of_steps(0.02) - bytes_of_steps(0.05));
  EXPECT_LT(bytes / kContacts, 1400.0);
  EXPECT_GT(bytes / kContacts, 500.0);
}

/// Forces and efforts that a caller sets anew before each step: all kinds with derivatives of their own.
TEST(StepAllocation, IsNoneWhereInputsChange) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    for (const char* scene : {"four_bar", "papers/capobianco/tippe_top"}) {
      test::SceneRun run =
          test::open_scene(scene, {std::string("scheme.type=") + scheme, "time.step=1e-3", "time.end=10"});
      const System& system = *run.built.system;
      const auto step = [&] {
        Inputs& inputs = run.state.inputs;
        inputs.clear();
        const double x = 1e-3 * std::sin(run.state.t);
        for (int i = 0; i < static_cast<int>(system.bodies().size()); ++i) {
          if (system.bodies()[i].n_u == 0) continue;
          inputs.set_force(system, i, Vector3(x, 0, 0), Vector3(0, 0, x));
          inputs.set(system, {i, Vector3(0, x, 0), Vector3::Zero(), Vector3(0.01, 0, 0), 0.0, true});
        }
        for (int j = 0; j < static_cast<int>(system.joints().size()); ++j) inputs.set_effort(system, j, x);
        return run.step();
      };
      while (run.state.step < 500) ASSERT_EQ(step(), Status::ok);
      const long before = allocations;
      while (run.state.step < 1000) ASSERT_EQ(step(), Status::ok);
      const long after = allocations;
      EXPECT_EQ(after - before, 0) << scheme << ' ' << scene;
    }
  }
}

}  // namespace
}  // namespace stickslip
