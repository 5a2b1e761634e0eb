// SPDX-License-Identifier: BSD-3-Clause
// What every surface of many faces must do in a run: meshes, height-fields, polylines.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/run.h"
#include "tests/support/same_result.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {

/// A body that slides over `ground`, the keys of a shape, at z = 0; files are looked for in `folder`. `slider`: its
/// keys.
inline SceneRun start_slide(const std::filesystem::path& folder, const std::string& ground, const std::string& slider,
                            const std::string& scheme) {
  return SceneRun(parse_scene(fmt::format(R"(stickslip = 1
time = {{end = 0.3, step = 1e-3}}
scheme = {{type = "{}"}}
[bodies.ground]
type = "fixed"
shapes.s = {{{}}}
[bodies.slider]
density = 1000
velocity = [2, 0.3, 0]
{}
[contact_default]
friction = 0.2
)",
                                          scheme, ground, slider),
                              (folder / "slide.toml").string()));
}

/// Over the edges of coplanar faces a ball, a box and a cylinder slide and turn as over a half-space, by the same
/// forces in each step: what crosses an edge is the same contact.
inline void expect_slides_as_on_a_plane(const std::filesystem::path& folder, const std::string& ground) {
  for (const char* slider : {"position = [-0.9, 0.13, 0.1]\nshapes.s = {type = \"sphere\", radius = 0.1}",
                             "position = [-0.9, 0.13, 0.05]\nshapes.s = {type = \"box\", size = [0.3, 0.2, 0.1]}",
                             "position = [-0.9, 0.13, 0.05]\nangular_velocity = [0, 0, 1]\n"
                             "shapes.s = {type = \"box\", size = [0.3, 0.2, 0.1]}",
                             "position = [-0.9, 0.13, 0.03]\nangular_velocity = [0, 0, 1]\n"
                             "shapes.s = {type = \"cylinder\", radius = 0.1, length = 0.06}",
                             "position = [-0.9, 0.13, 0.1]\nrotation = {axis = [0, 1, 0], angle = \"=pi/2\"}\n"
                             "shapes.s = {type = \"cylinder\", radius = 0.1, length = 0.3}"}) {
    for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation"}) {
      SceneRun surface = start_slide(folder, ground, slider, scheme);
      SceneRun plane = start_slide(folder, "type = \"half-space\", normal = [0, 0, 1]", slider, scheme);
      const auto normal_percussions = [](SceneRun& run) {
        std::vector<double> sums;
        run.run([&](const SceneRun& r) {
          double sum = 0.0;
          for (const ContactReport& contact : r.report.contacts) sum += contact.percussion[0];
          sums.push_back(sum);
        });
        return sums;
      };
      const std::vector<double> on_surface = normal_percussions(surface);
      const std::vector<double> on_plane = normal_percussions(plane);
      EXPECT_LT((surface.state.q - plane.state.q).cwiseAbs().maxCoeff(), 1e-9) << scheme << "\n" << slider;
      EXPECT_LT((surface.state.u - plane.state.u).cwiseAbs().maxCoeff(), 1e-9) << scheme << "\n" << slider;
      EXPECT_GT(plane.state.q(0), -0.6) << scheme << "\n" << slider;
      ASSERT_EQ(on_surface.size(), on_plane.size());
      for (std::size_t k = 0; k < on_plane.size(); ++k) {
        ASSERT_NEAR(on_surface[k], on_plane[k], 1e-6 * std::abs(on_plane[k])) << scheme << " " << k << "\n" << slider;
      }
    }
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
