// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/output_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stickslip/io/output_columns.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/output_fields.h"
#include "stickslip/sim/run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

/// Spheres in free flight.
Scene spheres(int n, double end, const std::string& more = "") {
  return parse_scene(fmt::format(R"(stickslip = 1
time = {{end = {}, step = 1e-3}}
{}
[[fill]]
body = {{density = 1000, shapes.hull = {{type = "sphere", radius = 0.1}}}}
grid = {{counts = [{}, 1, 1], spacing = 1}}
)",
                                 end, more, n),
                     "spheres.toml");
}

OutputPlan plan_of(const Scene& scene) {
  return plan_output(scene, build(scene));
}

TEST(OutputPlan, SmallRunsWriteEachStep) {
  const OutputPlan plan = plan_of(spheres(1, 10.0));
  EXPECT_FALSE(plan.output.every.has_value());
  EXPECT_FALSE(plan.is_chosen);
  EXPECT_EQ(plan.rows, 10001);
}

TEST(OutputPlan, LargeRunsWriteWhatFits) {
  constexpr int kBodies = 1000;
  constexpr double kRow = (29 * kBodies + 1) * 8.0;  // [bytes] pose, velocities, q, u, a, impulse of a body; the time
  const OutputPlan plan = plan_of(spheres(kBodies, 10.0));
  ASSERT_TRUE(plan.output.every.has_value());
  EXPECT_TRUE(plan.is_chosen);
  EXPECT_DOUBLE_EQ(*plan.output.every, 0.01);
  EXPECT_EQ(plan.rows, 1001);
  EXPECT_NEAR(plan.bytes, 1001 * kRow, 0.02 * plan.bytes);
  EXPECT_GT(10001 * kRow, 9 * kDefaultResultBytes);  // every 10th step is the first of 1, 2, 5, 10, ... that fits
  EXPECT_NE(describe(plan).find("chosen"), std::string::npos);
}

TEST(OutputPlan, WhatTheSceneSaysStands) {
  const OutputPlan plan = plan_of(spheres(1000, 10.0, "output = {every = 0.001}"));
  EXPECT_EQ(plan.output.every, 0.001);
  EXPECT_FALSE(plan.is_chosen);
  EXPECT_EQ(plan.rows, 10001);
}

TEST(OutputPlan, FieldsAndPrecisionMakeRoom) {
  const OutputPlan plan =
      plan_of(spheres(1000, 10.0, "output = {fields = [\"bodies/position\"], precision = \"single\"}"));
  EXPECT_FALSE(plan.output.every.has_value()) << "12 kB a row are 120 MB";
}

TEST(OutputPlan, TheSizeIsThatOfTheFile) {
  const test::TemporaryFolder folder;
  const Scene scene = spheres(200, 0.1);
  const OutputPlan plan = plan_of(scene);
  RunOptions options;
  options.output = folder / "r.h5";
  run(scene, options);
  const auto size = static_cast<double>(std::filesystem::file_size(folder / "r.h5"));
  EXPECT_NEAR(plan.bytes / size, 1.0, 0.1);
}

/// Balls at rest on the ground, each touching the next: contacts are as many at the end as at the start, and fill a
/// part of a chunk or some chunks.
TEST(OutputPlan, TheSizeIsThatOfTheFileWithContacts) {
  const test::TemporaryFolder folder;
  for (const double end : {0.002, 0.011, 0.05, 0.1}) {
    const Scene scene = parse_scene(fmt::format(R"(stickslip = 1
time = {{end = {}, step = 1e-3}}
contact_default = {{friction = 0.3}}
bodies.ground = {{type = "fixed", shapes.plane = {{type = "half-space", normal = [0, 0, 1]}}}}
[[fill]]
body = {{density = 1000, shapes.hull = {{type = "sphere", radius = 0.125}}}}
grid = {{counts = [16, 16, 1], spacing = 0.25, origin = [0, 0, 0.125]}}
)",
                                                end),
                                    "rest.toml");
    const OutputPlan plan = plan_of(scene);
    RunOptions options;
    options.output = folder / "r.h5";
    run(scene, options);
    const auto size = static_cast<double>(std::filesystem::file_size(folder / "r.h5"));
    EXPECT_NEAR(plan.bytes / size, 1.0, 0.1) << end;
  }
}

/// Every dataset that a system with all parts gives has its name among those that output.fields can have.
TEST(OutputFields, NameEveryDataset) {
  const Scene scene = load_scene(STICKSLIP_SCENES_DIR "/four_bar.toml");
  const BuiltScene four_bar = build(scene);
  const BuiltScene ball = build(load_scene(STICKSLIP_SCENES_DIR "/papers/capobianco/bouncing_ball_zeno.toml"));
  OutputChoice all;
  all.accelerations = all.impulses = true;
  std::vector<std::string> known;
  for (const System* system : {four_bar.system.get(), ball.system.get()}) {
    const OutputColumns columns(*system, all);
    for (const Column& column : columns.columns()) {
      if (column.path == "/time") continue;
      known.push_back(column.path.substr(1));
      EXPECT_NE(std::find(kOutputFields.begin(), kOutputFields.end(), column.path.substr(1)), kOutputFields.end())
          << column.path;
    }
  }
  for (const std::string_view field : kOutputFields) {
    constexpr std::array<std::string_view, 6> kGroups = {"bodies",       "contacts", "joints",
                                                         "contact_sets", "sensors",  "measures"};
    const bool is_group = std::find(kGroups.begin(), kGroups.end(), field) != kGroups.end();
    if (!is_group) {
      EXPECT_NE(std::find(known.begin(), known.end(), field), known.end()) << field;
    }
  }
}

}  // namespace
}  // namespace stickslip
