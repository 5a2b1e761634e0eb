// SPDX-License-Identifier: BSD-3-Clause
// What positions are put right to at the end of a step, where joints and contacts pull on the same bodies: lifting a
// contact by more than joints are off by moves joints by the square of that, which the next step of the projection
// takes away.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

/// Links one after the other from a hinge at the origin, each with a disc at its end, that fall on a floor.
std::string chain(const char* scheme, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const int links = 1 + static_cast<int>(random() % 4);
  const double step = uniform(4e-3, 1e-2);
  std::string bodies;
  double x = 0.0;
  double longest = 0.0;
  for (int i = 0; i < links; ++i) {
    const double length = uniform(0.4, 1.0);
    const double mass = uniform(0.5, 3.0);
    const std::string before = i == 0 ? "floor" : fmt::format("link{}", i - 1);
    bodies += fmt::format(
        "[bodies.link{}]\ntype = \"planar\"\nmass = {}\ninertia = {}\nposition = [{}, 0]\n"
        "shapes.end = {{type = \"sphere\", radius = 0.05, position = [{}, 0]}}\n"
        "[joints.hinge{}]\ntype = \"revolute\"\nbetween = [\"{}\", \"link{}\"]\nat = [{}, 0]\n",
        i, mass, mass * length * length / 12.0, x + 0.5 * length, 0.5 * length, i, before, i, x);
    bodies += fmt::format("[[contacts]]\nbetween = [\"floor\", \"link{}\"]\nfriction = 0.5\n", i);
    x += length;
    longest = std::max(longest, length);
  }
  return fmt::format(
             "stickslip = 1\ngravity = [0, -9.81]\ntime = {{end = 3, step = {}}}\n"
             "scheme = {{type = \"{}\", projection = true}}\n[bodies.floor]\ntype = \"fixed\"\n"
             "shapes.top = {{type = \"half-space\", normal = [0, 1], offset = {}}}\n",
             step, scheme, -uniform(0.2, 0.8) * longest) +
         bodies;
}

class ChainsOnFloor : public testing::TestWithParam<const char*> {};

TEST_P(ChainsOnFloor, KeepTheirJointsAndDoNotSink) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SceneRun run = test::scene_from_text(chain(GetParam(), seed));
    double drift = 0.0;
    while (run.state.t < run.scene.time.end) {
      ASSERT_NE(run.step(), Status::failed) << run.report.message;
      drift = std::max(drift, run.report.drift_position);
    }
    EXPECT_LT(drift, 1e-12) << seed;
    EXPECT_LT(run.report.penetration, 1e-10) << seed;  // at rest
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ChainsOnFloor, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
