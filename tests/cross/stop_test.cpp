// SPDX-License-Identifier: BSD-3-Clause
// Steps that are told to stop anywhere: the state is untouched, nobody goes on, and the step that follows has the bits
// of one that was never interrupted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/stepping/automatic_steps.h"
#include "stickslip/stepping/sundials_integrator.h"

#include "tests/support/heap_scene.h"
#include "tests/support/scene_run.h"
#include "tests/support/squeezed_scene.h"

namespace stickslip::test {
namespace {

const char* const kSqueezed = "squeezed";
const char* const kSettings = "[scheme]\ntolerance = 1e-6\n[solver]\ntolerance = 1e-6\n";

struct Case {
  std::string name;
  std::string scene;  // shipped, or empty: the heap, or kSqueezed
  std::vector<std::string> overrides;
  int steps;     // [-] before the one that is interrupted
  int last = 0;  // [-] asks at its end each of which is tried
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

Scene load(const Case& c) {
  LoadOptions options;
  options.overrides = c.overrides;
  if (c.scene.empty()) return parse_scene(heap_scene(6, kSettings), "heap.toml", options);
  if (c.scene == kSqueezed) return parse_scene(squeeze_beside_a_block("generalized-alpha"), "squeezed.toml", options);
  return load_scene(std::string(STICKSLIP_SCENES_DIR) + "/" + c.scene + ".toml", options);
}

/// A run whose asks are counted.
struct Counted {
  StopCounter counter;
  Scene scene;
  BuiltScene built;
  State state;
  StepReport report;
  std::optional<AutomaticSteps> automatic;

  explicit Counted(const Case& c)
      : scene(load(c)), built(build(scene, nullptr, StopToken(&counter))), state(built.initial) {
    built.stepper->initialize(state, report);
    if (!scene.time.automatic) return;
    automatic.emplace(scene.time.control, *built.stepper);
    automatic->begin(state);
  }

  Status step() {
    if (automatic) return automatic->advance(state, scene.time.end, report);
    const double h = scene.time.step;
    return built.stepper->step(state, h, scene.time.start + static_cast<double>(state.step + 1) * h, report);
  }
};

class Stop : public testing::TestWithParam<Case> {};

TEST_P(Stop, LeavesTheStateAndNothingBehind) {
  const bool needs_sundials =
      !GetParam().overrides.empty() && GetParam().overrides[0].find("cvode") != std::string::npos;
  if (needs_sundials && !has_sundials()) GTEST_SKIP() << "built without SUNDIALS";
  Counted whole(GetParam());
  while (whole.state.step < GetParam().steps) ASSERT_NE(whole.step(), Status::failed) << whole.report.message;
  Counted stopped(GetParam());
  stopped.state = whole.state;
  const State start = whole.state;
  const std::vector<std::byte> before = to_bytes(start);
  for (int again = 0; again < 2; ++again) {  // the second time it need not list the same contacts again
    whole.state = start;
    whole.counter.asks = 0;
    ASSERT_NE(whole.step(), Status::failed);
    (void)stopped.step();
    stopped.state = start;
  }
  const std::vector<std::byte> after = to_bytes(whole.state);
  const std::int64_t asks = whole.counter.asks;
  ASSERT_GT(asks, 10);
  std::vector<std::int64_t> moments;
  const std::int64_t tried = asks <= 300 ? asks : 40;
  for (std::int64_t i = 0; i < tried; ++i) moments.push_back(1 + i * (asks - 1) / (tried - 1));
  for (std::int64_t ask = asks - GetParam().last; ask < asks; ++ask) moments.push_back(ask);
  for (const std::int64_t moment : moments) {
    SCOPED_TRACE("ask " + std::to_string(moment) + " of " + std::to_string(asks));
    stopped.counter.asks = 0;
    stopped.counter.stop_at = moment;
    stopped.counter.flag = false;
    EXPECT_THROW((void)stopped.step(), Interrupted);
    EXPECT_EQ(stopped.counter.asks, stopped.counter.stop_at) << "it went on asking";
    ASSERT_EQ(to_bytes(stopped.state), before);
    stopped.counter.stop_at = std::numeric_limits<std::int64_t>::max();
    stopped.counter.flag = false;
    ASSERT_NE(stopped.step(), Status::failed);
    ASSERT_EQ(to_bytes(stopped.state), after);
    stopped.state = start;
  }
}

const char* const kGeneralizedAlpha = "scheme.type=generalized-alpha";

INSTANTIATE_TEST_SUITE_P(
    All, Stop,
    testing::Values(Case{"heap_moreau", "", {"scheme={type=\"moreau\"}"}, 60},
                    Case{"heap_moreau_nsgs", "", {"scheme={type=\"moreau\"}", "solver.type=nsgs"}, 60},
                    Case{"heap_generalized_alpha", "", {kGeneralizedAlpha}, 60},
                    Case{"first_step_generalized_alpha", "", {kGeneralizedAlpha}, 0},
                    Case{"corner", "papers/capobianco/ball_in_corner", {kGeneralizedAlpha}, 300},
                    Case{"corner_fixed_point",
                         "papers/capobianco/ball_in_corner",
                         {kGeneralizedAlpha, "scheme.strategy=fixed-point"},
                         300},
                    Case{"rod_with_a_choice", "papers/capobianco/sliding_rod", {kGeneralizedAlpha}, 1017},
                    // Among the last hundred asks what is not squeezed is solved.
                    Case{"squeezed_generalized_alpha", kSqueezed, {kGeneralizedAlpha}, 3, 100},
                    Case{"four_bar_moreau", "four_bar", {"scheme.type=moreau"}, 20},
                    Case{"four_bar", "four_bar", {kGeneralizedAlpha}, 20},
                    Case{"sphere_relaxed_by_cvode",
                         "papers/trinkle/sphere",
                         {"scheme={type=\"relaxation\",integrator=\"cvode\",relative_tolerance=1e-5}"},
                         2},
                    Case{"sphere_event_driven_by_cvode",
                         "papers/trinkle/sphere",
                         {"scheme={type=\"event-driven\",integrator=\"cvode\",relative_tolerance=1e-5}"},
                         2},
                    Case{"woodpecker_automatic", "woodpecker", {kGeneralizedAlpha, "time.step=auto"}, 50}),
    [](const auto& c) { return c.param.name; });

/// How often a step asks grows with its contacts: in every loop over them, not once a step.
TEST(StopInSteps, AStepAsksForEachBodyAndContact) {
  for (const char* scheme : {"scheme={type=\"moreau\"}", kGeneralizedAlpha}) {
    Counted run({"", "", {scheme}, 0});
    while (run.state.step < 100) ASSERT_NE(run.step(), Status::failed);
    run.counter.asks = 0;
    ASSERT_NE(run.step(), Status::failed);
    EXPECT_GT(run.counter.asks, 30 + static_cast<std::int64_t>(run.report.contacts.size())) << scheme;
  }
}

TEST(StopInBuilding, AsksForEachBody) {
  StopCounter counter;
  counter.stop_at = 12;
  const Scene scene = load({"", "", {"scheme={type=\"moreau\"}"}, 0});
  EXPECT_THROW(build(scene, nullptr, StopToken(&counter)), Interrupted);
  EXPECT_EQ(counter.asks, 12);
}

}  // namespace
}  // namespace stickslip::test
