// SPDX-License-Identifier: BSD-3-Clause
// What every surface of many faces must do in a run: meshes, height-fields, polylines.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>

#include "stickslip/io/result_reader.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/run.h"
#include "tests/support/same_result.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {

/// A body that slides over `ground`, the keys of a shape, at z = 0; files are looked for in `folder`.
inline SceneRun start_slide(const std::filesystem::path& folder, const std::string& ground, const std::string& shape,
                            double height) {
  return SceneRun(parse_scene(fmt::format(R"(stickslip = 1
time = {{end = 0.3, step = 2e-3}}
scheme = {{type = "moreau"}}
[bodies.ground]
type = "fixed"
shapes.s = {{{}}}
[bodies.slider]
density = 1000
position = [-0.9, 0.13, {}]
velocity = [2, 0.3, 0]
shapes.s = {{{}}}
[contact_default]
friction = 0.2
)",
                                          ground, height, shape),
                              (folder / "slide.toml").string()));
}

/// Over the edges of coplanar faces a ball, a box and a cylinder slide as over a half-space.
inline void expect_slides_as_on_a_plane(const std::filesystem::path& folder, const std::string& ground) {
  struct Slider {
    const char* shape;
    double height;  // [m]
  };
  for (const Slider& slider :
       {Slider{"type = \"sphere\", radius = 0.1", 0.1}, Slider{"type = \"box\", size = [0.3, 0.2, 0.1]", 0.05},
        Slider{"type = \"cylinder\", radius = 0.1, length = 0.06", 0.03}}) {
    SceneRun surface = start_slide(folder, ground, slider.shape, slider.height);
    SceneRun plane = start_slide(folder, "type = \"half-space\", normal = [0, 0, 1]", slider.shape, slider.height);
    surface.run();
    plane.run();
    EXPECT_LT((surface.state.q - plane.state.q).cwiseAbs().maxCoeff(), 1e-9) << slider.shape;
    EXPECT_LT((surface.state.u - plane.state.u).cwiseAbs().maxCoeff(), 1e-9) << slider.shape;
    EXPECT_GT(plane.state.q(0), -0.6) << slider.shape;
  }
}

/// A run that ended in the middle goes on to the same bits from its result alone: the `files` of its shapes are gone.
inline void expect_resumes_without(std::initializer_list<const char*> files, Scene scene,
                                   const std::filesystem::path& folder) {
  const double end = scene.time.end;
  RunOptions options;
  options.output = folder / "whole.h5";
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  scene.time.end = 0.5 * end;
  options.output = folder / "part.h5";
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  for (const char* file : files) EXPECT_TRUE(std::filesystem::remove(folder / file));
  Scene again = scene_of(Trajectory(folder / "part.h5"));
  EXPECT_EQ(again, scene);
  again.time.end = end;
  options.output = folder / "resumed.h5";
  options.resume = folder / "part.h5";
  ASSERT_EQ(run(again, options).outcome, Outcome::done);
  EXPECT_TRUE(same_result(folder / "whole.h5", folder / "resumed.h5"));
}

}  // namespace stickslip::test
