// SPDX-License-Identifier: BSD-3-Clause
// Shapes that attract each other within a range, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "stickslip/model/state.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

constexpr const char* kAdhesionSchemes[] = {"moreau",       "ccp",       "stewart-trinkle", "generalized-alpha",
                                            "event-driven", "relaxation"};

/// The others find the contacts of shapes themselves.
bool finds_contacts(std::string_view scheme) {
  return scheme != "event-driven";
}

/// A body above or on a floor, pulled up by `pull` [N]; adhesion 10 N, range 0.02 m.
std::string sticky_scene(const char* scheme, const char* shape, double height, double pull, bool detected) {
  const char* law = detected ? "[contact_default]" : "[[contacts]]\nname = \"c\"\nbetween = [\"floor\", \"body\"]";
  return fmt::format(R"(stickslip = 1
gravity = [0, 0, 0]
[time]
end = 0.1
step = 1e-3
[scheme]
type = "{}"
[bodies.floor]
type = "fixed"
shapes.s = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.body]
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0, 0, {}]
shapes.s = {}
[forces.pull]
type = "load"
body = "body"
force = [0, 0, {}]
{}
friction = 0.5
adhesion = 10
adhesion_range = 0.02
)",
                     scheme, height, shape, pull, law);
}

/// What is pulled less holds, with the rest of the attraction as normal force; a box takes it at its four corners.
TEST(Adhesion, HoldsWhatIsPulledLess) {
  for (const char* scheme : kAdhesionSchemes) {
    for (const char* shape : {"{type = \"sphere\", radius = 0.5}", "{type = \"box\", size = [1, 1, 1]}"}) {
      for (const bool detected : {false, true}) {
        if (detected && !finds_contacts(scheme)) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", scheme, shape, detected));
        SceneRun held = test::scene_from_text(sticky_scene(scheme, shape, 0.5, 9.9, detected));
        held.run([](const SceneRun& r) {
          EXPECT_LE(r.state.u.cwiseAbs().maxCoeff(), 1e-10);
          double normal = 0.0;
          for (const ContactReport& c : r.report.contacts) normal += c.percussion[0];
          EXPECT_NEAR(normal, 0.1 * 1e-3, 1e-9);
        });
      }
    }
  }
}

/// A tilted box over a box has several points with both orders of the shapes: they share one attraction.
TEST(Adhesion, IsSharedByAllPointsOfTwoBoxes) {
  for (const char* scheme : kAdhesionSchemes) {
    if (!finds_contacts(scheme)) continue;
    SceneRun run = test::scene_from_text(std::string("stickslip = 1\ngravity = [0, 0, 0]\ntime = {end = 0.005, step = "
                                                     "1e-3}\nscheme.type = \"") +
                                         scheme + R"("
bodies.a = {type = "fixed", shapes.h = {type = "box", size = [1, 1, 1]}}
bodies.b = {mass = 2, inertia = [1, 1, 1], position = [0.3, 0.2, 1.012], rotation = {axis = [0.3, 1, 0.1], angle = 0.01}, shapes.h = {type = "box", size = [1, 1, 1]}}
contact_default = {adhesion = 1, adhesion_range = 0.03}
)");
    run.run();
    EXPECT_NEAR(run.state.u.head<3>().norm(), 0.5 * 0.005, 1e-6) << scheme;
  }
}

/// What is pulled more leaves: m a = pull - 10 N to the end of the range, then pull alone; the energy balance has the
/// attraction's work as `work`.
TEST(Adhesion, LetsGoBeyondItsRange) {
  for (const char* scheme : kAdhesionSchemes) {
    SCOPED_TRACE(scheme);
    SceneRun run = test::scene_from_text(sticky_scene(scheme, "{type = \"sphere\", radius = 0.5}", 0.5, 30.0, false));
    const bool is_of_steps = scheme == std::string_view("moreau") || scheme == std::string_view("ccp") ||
                             scheme == std::string_view("stewart-trinkle");
    const bool has_events = scheme == std::string_view("event-driven");
    // A step that the force jumps in is off by no more than h F u.
    const double allowed = is_of_steps ? 1e-9 : has_events ? 1e-6 : 1e-3 * 10.0 * 0.65;
    run.run([&](const SceneRun& r) { EXPECT_NEAR(r.report.energy_error, 0.0, allowed); });
    const double at_range = std::sqrt(2.0 * 0.02 / 10.0);                                               // [s]
    EXPECT_NEAR(run.state.u(2), 10.0 * at_range + 15.0 * (0.1 - at_range), has_events ? 1e-7 : 0.011);  // two steps
    EXPECT_NEAR(run.report.work, 30.0 * (run.state.q(2) - 0.5) - 10.0 * 0.02, 0.02);
  }
}

/// A run that goes on within the range, or beyond it, has the same bits.
TEST(Adhesion, AResumedRunHasTheSameBits) {
  for (const char* scheme : kAdhesionSchemes) {
    SCOPED_TRACE(scheme);
    const std::string scene =
        sticky_scene(scheme, "{type = \"sphere\", radius = 0.5}", 0.5, 30.0, finds_contacts(scheme));
    for (const int n : {30, 62, 63, 64, 90}) {
      SceneRun whole = test::scene_from_text(scene);
      for (int i = 0; i < n; ++i) ASSERT_EQ(whole.step(), Status::ok);
      SceneRun resumed = test::scene_from_text(scene);
      resumed.state = state_from_bytes(to_bytes(whole.state));
      whole.run();
      resumed.run();
      EXPECT_EQ(whole.state.q, resumed.state.q);
      EXPECT_EQ(whole.state.u, resumed.state.u);
    }
  }
}

/// Two balls in space draw each other in, each with its own mass.
TEST(Adhesion, DrawsBothBodies) {
  for (const char* scheme : kAdhesionSchemes) {
    if (!finds_contacts(scheme)) continue;
    SCOPED_TRACE(scheme);
    SceneRun run = test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0, 0]
[time]
end = 0.05
step = 1e-3
[scheme]
type = "{}"
[bodies.a]
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0]
shapes.s = {{type = "sphere", radius = 0.1}}
[bodies.b]
mass = 3
inertia = [0.1, 0.1, 0.1]
position = [0, 0.3, 0]
shapes.s = {{type = "sphere", radius = 0.1}}
[contact_default]
adhesion = 6
adhesion_range = 0.5
)",
                                                     scheme));
    if (run.built.stepper->knows_accelerations()) {
      EXPECT_NEAR(run.report.a(1), 6.0, 1e-12);
    }
    run.run([](const SceneRun& r) {
      EXPECT_NEAR(r.state.u(1), 6.0 * r.state.t, 1e-9);
      EXPECT_NEAR(r.state.u(7), -2.0 * r.state.t, 1e-9);
    });
  }
}

TEST(Adhesion, NeedsARange) {
  const auto key_of = [](const char* scheme, const std::string& from, const std::string& to) -> std::string {
    std::string scene = sticky_scene(scheme, "{type = \"sphere\", radius = 0.5}", 0.5, 1.0, true);
    scene.replace(scene.find(from), from.size(), to);
    try {
      test::scene_from_text(scene);
      return {};
    } catch (const InputError& error) {
      return error.key();
    }
  };
  EXPECT_EQ(key_of("moreau", "adhesion_range = 0.02", ""), "contact_default.adhesion_range");
  EXPECT_EQ(key_of("moreau", "adhesion_range = 0.02", "adhesion_range = 0"), "contact_default.adhesion_range");
  EXPECT_EQ(key_of("moreau", "adhesion = 10", ""), "contact_default.adhesion_range");
  EXPECT_EQ(key_of("moreau", "adhesion = 10", "adhesion = -1"), "contact_default.adhesion");
}

}  // namespace
}  // namespace stickslip
