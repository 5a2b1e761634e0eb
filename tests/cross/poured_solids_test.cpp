// SPDX-License-Identifier: BSD-3-Clause
// Boxes, capsules and hulls poured on the ground, all contacts detected, under ccp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kLargest = 0.12;   // [m] no body is longer
constexpr double kSmallest = 0.05;  // [m] the least width

/// `columns` x `columns` x `layers` of each kind, one kind above the other.
std::string poured_text(int columns, int layers, double end) {
  const std::string counts = fmt::format("[{0}, {0}, {1}]", columns, layers);
  const auto fill = [&](const char* name, int kind, const std::string& shape) {
    const double bottom = 0.1 + 0.13 * layers * kind;
    return fmt::format(
        "[[fill]]\nprefix = \"{0}\"\njitter = 0.01\nseed = {1}\nbody = {{density = 1000, shapes.{0} = {{{2}}}}}\n"
        "grid = {{counts = {3}, spacing = 0.13, origin = [{4}, {5}, {6}]}}\n",
        name, kind + 1, shape, counts, 0.03 * (kind % 2), 0.02 * kind, bottom);
  };
  return fmt::format(
             "stickslip = 1\ntime = {{end = {}, step = 2e-3}}\nscheme = {{type = \"ccp\"}}\n"
             "solver = {{tolerance = 1e-6}}\n"
             "bodies.ground = {{type = \"fixed\", shapes.top = {{type = \"half-space\", normal = [0, 0, 1]}}}}\n",
             end) +
         fill("box", 0, "type = \"box\", size = [0.08, 0.06, 0.05]") +
         fill("capsule", 1, "type = \"capsule\", radius = 0.025, length = 0.06") +
         fill("hull", 2,
              "type = \"convex\", points = [[0.04, 0, -0.02], [-0.03, 0.035, -0.02], [-0.03, -0.035, -0.02], [0.01, "
              "0.01, 0.04], [-0.02, -0.01, 0.03]]") +
         "[contact_default]\nfriction = 0.5\n";
}

/// Every step is solved and no body escapes or sinks: centres stay above the ground, and within `far` of where they
/// fell.
void expect_poured(test::SceneRun& run, int n_bodies, double width, double far) {
  int contacts = 0;
  double penetration = 0.0;
  run.run([&](const test::SceneRun& r) {
    contacts = std::max(contacts, r.report.closed_contacts);
    penetration = std::max(penetration, r.report.penetration);
  });
  EXPECT_GT(contacts, n_bodies) << "they must lie on each other";
  EXPECT_LT(penetration, 0.05 * kSmallest);  // the default limit of a run; before it is removed, at impacts of 5 m/s
  for (const Body& body : run.built.system->bodies()) {
    if (body.n_u == 0) continue;
    const Vector3 p = run.state.q.segment<3>(body.q_offset);
    EXPECT_GT(p.z(), 0.2 * kSmallest) << body.name;
    EXPECT_LT(p.z(), n_bodies * kLargest) << body.name;
    EXPECT_LT(std::max(std::abs(p.x() - 0.5 * width), std::abs(p.y() - 0.5 * width)), 0.5 * width + far) << body.name;
  }
}

TEST(PouredSolids, LieOnTheGround) {
  test::SceneRun run = test::scene_from_text(poured_text(2, 3, 0.8));
  expect_poured(run, 36, 0.26, 0.5);
}

TEST(SlowPouredSolids, ThreeHundredLieOnTheGroundAfterThreeSeconds) {
  test::SceneRun run = test::scene_from_text(poured_text(5, 4, 3.0));
  // Capsules roll on without a torque against it: up to a metre a second, for two.
  expect_poured(run, 300, 0.65, 3.0);
}

}  // namespace
}  // namespace stickslip
