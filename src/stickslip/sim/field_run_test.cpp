// SPDX-License-Identifier: BSD-3-Clause
// Scenes with height-fields: read, run, stored in results, resumed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/run.h"
#include "tests/support/scene_run.h"
#include "tests/support/surface_run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

const char* const kFlatField = R"(type = "height-field", size = [4, 4], height = "0 * x", cells = [17, 13])";

/// Over the edges of a flat field bodies slide as on a half-space.
TEST(FieldRun, FlatEdgesDoNotCatchOnAField) {
  expect_slides_as_on_a_plane({}, kFlatField);
}

/// A ball that goes one and a half of its radii a step does not fall through.
TEST(FieldRun, FastBallsDoNotFallThrough) {
  for (const double start : {0.16, 0.2, 0.23, 0.27}) {
    SceneRun run(parse_scene(fmt::format(R"(stickslip = 1
time = {{end = 0.02, step = 1e-3}}
scheme = {{type = "moreau"}}
[bodies.ground]
type = "fixed"
shapes.s = {{type = "height-field", size = [2, 2], height = "sin(3 * x) * cos(2 * y) * 0.1", cells = [20, 20]}}
[bodies.ball]
density = 1000
position = [0.02, 0.03, {}]
velocity = [0, 0, -150]
shapes.s = {{type = "sphere", radius = 0.1}}
[contact_default]
friction = 0.2
)",
                                         start),
                             "fall.toml"));
    run.run();
    const Vector3 x = run.state.q.head<3>();
    ASSERT_LT(x.head<2>().cwiseAbs().maxCoeff(), 1.0) << start;
    // It overlaps by the way of a step at most, as on a half-space, and by what it slides on in steps of 4 cm.
    const double ground = 0.1 * std::sin(3.0 * x(0)) * std::cos(2.0 * x(1));
    EXPECT_GT(x(2), ground + 0.1 - 0.15 - 0.02) << start;
  }
}

TEST(FieldRun, IsCheckedAndStored) {
  const TemporaryFolder folder;
  std::ofstream(folder / "hill.csv") << "# along x\n0, 0.1, 0\n0.1, 0.3, 0.1\n0, 0.1, -0.2\n";
  const Scene scene = parse_scene(R"(stickslip = 1
parameters = {steep = 0.1}
time = {end = 0.2, step = 2e-3}
[bodies.ground]
type = "fixed"
shapes.hill = {type = "height-field", size = [2, 3], file = "hill.csv"}
shapes.slope = {type = "height-field", size = [2, 3], height = "=steep * x + y^2", cells = [4, 6], position = [3, 0, 0]}
[bodies.ball]
density = 1000
position = [0.1, 0.2, 0.42]
velocity = [1, 0, 0]
shapes.s = {type = "sphere", radius = 0.1}
[contact_default]
friction = 0.3
)",
                                  (folder / "store.toml").string());
  const std::string summary = check_scene(scene).summary;
  EXPECT_NE(summary.find("height-field ground/hill: 2 x 2 cells, heights -0.2 to 0.3 m"), std::string::npos) << summary;
  EXPECT_NE(summary.find("height-field ground/slope: 4 x 6 cells, heights -0.1 to 2.35 m"), std::string::npos)
      << summary;
  RunOptions options;
  options.output = folder / "r.h5";
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(scene_of(result), scene);
  const RowMatrix size = result.read("/shapes/size", 0, 3);
  EXPECT_EQ(size(0, 0), 2.0);
  EXPECT_EQ(size(0, 1), 3.0);
  expect_resumes_without({"hill.csv"}, scene, folder.path());
}

}  // namespace
}  // namespace stickslip::test
