// SPDX-License-Identifier: BSD-3-Clause
// Planar scenes with polylines: read, run, stored in results, resumed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

constexpr std::array kLineSchemes = {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation"};

SceneRun start_on_line(const std::string& scheme, const std::string& ground, const std::string& shape, double height) {
  return SceneRun(parse_scene(fmt::format(R"(stickslip = 1
gravity = [0, -9.81]
time = {{end = 0.3, step = {}}}
scheme = {{type = "{}"}}
[bodies.ground]
type = "fixed"
shapes.s = {{{}}}
[bodies.slider]
type = "planar"
density = 1000
position = [-0.9, {}]
velocity = [2, 0]
shapes.s = {{{}}}
[contact_default]
friction = 0.2
)",
                                          scheme == "relaxation" ? 2e-4 : 2e-3, scheme, ground, height, shape),
                              "slide.toml"));
}

/// Over the corners of collinear segments bodies slide as on a half-space, under each scheme.
TEST(LineRun, FlatCornersDoNotCatch) {
  std::string points;
  for (int k = 0; k <= 37; ++k) points += fmt::format("{}[{}, 0]", k > 0 ? ", " : "", -2.0 + 4.0 / 37 * k);
  const std::string line = "type = \"polyline\", points = [" + points + "]";
  struct Slider {
    const char* shape;
    double height;  // [m]
  };
  for (const char* scheme : kLineSchemes) {
    for (const Slider& slider :
         {Slider{"type = \"sphere\", radius = 0.1", 0.1}, Slider{"type = \"box\", size = [0.3, 0.1]", 0.05},
          Slider{"type = \"convex\", points = [[-0.1, -0.05], [0.1, -0.05], [0, 0.1]]", 0.05}}) {
      SceneRun on_line = start_on_line(scheme, line, slider.shape, slider.height);
      SceneRun plane = start_on_line(scheme, "type = \"half-space\", normal = [0, 1]", slider.shape, slider.height);
      on_line.run();
      plane.run();
      EXPECT_LT((on_line.state.q - plane.state.q).cwiseAbs().maxCoeff(), 1e-9) << scheme << " " << slider.shape;
      EXPECT_LT((on_line.state.u - plane.state.u).cwiseAbs().maxCoeff(), 1e-9) << scheme << " " << slider.shape;
      EXPECT_GT(plane.state.q(0), -0.5) << slider.shape;
    }
  }
}

/// A disc that goes one and a half of its radii a step does not fall through.
TEST(LineRun, FastDiscsDoNotFallThrough) {
  for (const double start : {0.16, 0.2, 0.23, 0.27}) {
    SceneRun run(parse_scene(fmt::format(R"(stickslip = 1
gravity = [0, -9.81]
time = {{end = 0.02, step = 1e-3}}
scheme = {{type = "moreau"}}
[bodies.ground]
type = "fixed"
shapes.s = {{type = "polyline", points = [[-2, 0.1], [-0.4, 0], [0.1, -0.05], [0.7, 0.05], [2, 0]]}}
[bodies.disc]
type = "planar"
density = 1000
position = [0.02, {}]
velocity = [0, -150]
shapes.s = {{type = "sphere", radius = 0.1}}
[contact_default]
friction = 0.2
)",
                                         start),
                             "fall.toml"));
    run.run();
    EXPECT_GT(run.state.q(1), -0.05 + 0.1 - 0.15) << start;  // it overlaps by the way of a step at most
  }
}

/// A disc that rolls up to an edge, round it and down the other side keeps the edge or the faces at its radius.
TEST(LineRun, ADiscRollsRoundAConvexCorner) {
  constexpr double kRadius = 0.2;
  SceneRun run(parse_scene(R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 1, step = 5e-4}
scheme = {type = "ccp"}
[bodies.ground]
type = "fixed"
shapes.s = {type = "polyline", points = [[-5, 0], [0, 0], [4, -3]]}
[bodies.disc]
type = "planar"
density = 1000
position = [-0.3, 0.2]
velocity = [0.5, 0]
angular_velocity = -2.5
shapes.s = {type = "sphere", radius = 0.2}
[contact_default]
friction = 0.8
)",
                           "corner.toml"));
  double most = 0.0;
  run.run([&](const SceneRun& at) {
    const double x = at.state.q(0);
    const double y = at.state.q(1);
    const double along = 0.8 * x - 0.6 * y;
    const double distance = x <= 0.0 ? y : along >= 0.0 ? 0.6 * x + 0.8 * y : std::hypot(x, y);
    most = std::max(most, std::abs(distance - kRadius));
    // It rolls: what it goes along is what it turns.
    EXPECT_NEAR(std::hypot(at.state.u(0), at.state.u(1)), -kRadius * at.state.u(2), 2e-3);
  });
  EXPECT_GT(run.state.q(0), 0.3);
  EXPECT_LT(most, 1e-4);
}

/// A line that runs counter-clockwise holds discs.
TEST(LineRun, AContainerHoldsDiscs) {
  std::string text = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 2, step = 2e-3}
scheme = {type = "moreau"}
[contact_default]
friction = 0.3
[bodies.bowl]
type = "fixed"
shapes.s = {type = "polyline", closed = true, points = [[-1, 0], [-0.3, -0.6], [0.4, -0.5], [1, 0.1], [0.5, 1], [-0.6, 0.9]]}
)";
  for (int k = 0; k < 12; ++k) {
    text += fmt::format(
        "[bodies.disc{}]\ntype = \"planar\"\ndensity = 1000\nposition = [{}, {}]\n"
        "shapes.s = {{type = \"sphere\", radius = {}}}\n",
        k, -0.4 + 0.25 * (k % 4) + 0.01 * k, -0.2 + 0.25 * (k / 4), 0.06 + 0.01 * (k % 5));
  }
  SceneRun run = scene_from_text(text);
  run.run();
  const std::vector<Body>& bodies = run.built.system->bodies();
  int n_discs = 0;
  for (const Body& body : bodies) {
    if (body.n_u == 0) continue;
    ++n_discs;
    const Eigen::Vector2d x = run.state.q.segment<2>(body.q_offset);
    EXPECT_LT(std::abs(x(0)), 1.0) << body.name;
    EXPECT_GT(x(1), -0.6) << body.name;
    EXPECT_LT(run.state.u.segment<2>(body.u_offset).norm(), 0.2) << body.name;
  }
  EXPECT_EQ(n_discs, 12);
  EXPECT_LT(run.report.penetration, 1e-3);
}

/// A body in the form of an L falls on a box with its foot, and rests: under each scheme, named or found.
TEST(LineRun, AnLRestsOnABoxOnAHull) {
  for (const char* scheme : kLineSchemes) {
    for (const char* lower : {R"(type = "box", size = [2, 0.5])",
                              R"(type = "convex", points = [[-1, -0.25], [1, -0.25], [1, 0.25], [-1, 0.25]])"}) {
      for (const char* touch : {"[contact_default]\n", "[[contacts]]\nbetween = [\"l\", \"rest\"]\n"}) {
        SceneRun run(parse_scene(fmt::format(R"(stickslip = 1
gravity = [0, -9.81]
time = {{end = 0.4, step = {}}}
scheme = {{type = "{}"}}
[bodies.rest]
type = "fixed"
shapes.s = {{{}}}
[bodies.l]
type = "planar"
density = 500
position = [0.1, 0.26]
shapes.s = {{type = "polyline", closed = true, points = [[0, 0], [0, 0.4], [0.1, 0.4], [0.1, 0.1], [0.3, 0.1], [0.3, 0]]}}
{}friction = 0.3
)",
                                             std::string(scheme) == "relaxation" ? 2e-4 : 1e-3, scheme, lower, touch),
                                 "l.toml"));
        run.run();
        EXPECT_LT(run.state.u.cwiseAbs().maxCoeff(), 0.02) << scheme << " " << lower << " " << touch;
        EXPECT_NEAR(run.state.q(2), 0.0, 1e-3) << scheme << " " << lower << " " << touch;
        EXPECT_LT(run.report.penetration, 1e-3) << scheme;
        EXPECT_EQ(run.report.contacts.size(), 2U) << scheme << " " << lower;
      }
    }
  }
}

const char* const kTrack = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 0.2, step = 2e-3}
[bodies.ground]
type = "fixed"
shapes.track = {type = "polyline", file = "track.csv"}
shapes.end = {type = "polyline", points = [[2, 0], [2, 0], [3, 0.5]]}
[bodies.disc]
type = "planar"
density = 1000
position = [0.1, 0.11]
velocity = [1, 0]
shapes.s = {type = "sphere", radius = 0.1}
[contact_default]
friction = 0.3
)";

/// `check` tells what a polyline is; a result has its points, and goes on to the same bits where the file is gone.
TEST(LineRun, ResultsKeepThePoints) {
  const TemporaryFolder folder;
  std::ofstream(folder / "track.csv") << "# x y\r\n-2, 0\r\n\r\n0 0.01\r\n1,\t0.02\r\n2 0\r\n";
  const Scene scene = parse_scene(kTrack, (folder / "track.toml").string());
  const std::string summary = check_scene(scene).summary;
  EXPECT_NE(summary.find("polyline ground/track: 3 segments, open\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("polyline ground/end: 1 segments, open, 1 repeated points left out\n"), std::string::npos)
      << summary;
  RunOptions options;
  options.output = folder / "r.h5";
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const Trajectory result(folder / "r.h5");
  const Scene again = scene_of(result);
  EXPECT_EQ(again, scene);
  EXPECT_EQ(result.scene().find("points"), std::string::npos) << result.scene();
  const RowMatrix vertices = result.read("/shapes/vertices", 0, 6);
  EXPECT_EQ(vertices(1, 1), 0.01);
  EXPECT_EQ(vertices(5, 0), 3.0);
  const RowMatrix faces = result.read("/shapes/faces", 0, 4);
  EXPECT_EQ(faces(2, 0), 2.0);
  EXPECT_EQ(faces(2, 1), 3.0);
  EXPECT_EQ(faces(2, 2), -1.0);
  EXPECT_EQ(faces(3, 0), 0.0);
  // As text, too, where no result is beside it.
  EXPECT_NE(to_toml(scene).find("[[2.0, 0.0], [3.0, 0.5]]"), std::string::npos) << to_toml(scene);
  expect_resumes_without({"track.csv"}, scene, folder.path());
}

/// A closed line that runs clockwise has the mass and inertia of its polygon, no other has a density.
TEST(LineRun, AClosedClockwiseLineHasTheMassOfItsArea) {
  const auto body_of = [](const std::string& keys, const std::string& line) {
    return parse_scene(
        "stickslip = 1\ngravity = [0, -9.81]\ntime = {end = 1, step = 1e-3}\n[bodies.l]\ntype = \"planar\"\n" + keys +
            "\nshapes.s = {type = \"polyline\", position = [1, 0], " + line + "}\n",
        "l.toml");
  };
  // Two rectangles: 1 x 3 beside 2 x 1.
  const std::string clockwise = "closed = true, points = [[0, 0], [0, 3], [1, 3], [1, 1], [3, 1], [3, 0], [0, 0]]";
  const Body l = build(body_of("density = 2", clockwise)).system->bodies()[0];
  const double x = (3.0 * 0.5 + 2.0 * 2.0) / 5.0;
  const double y = (3.0 * 1.5 + 2.0 * 0.5) / 5.0;
  const auto polar = [&](double w, double h, double at_x, double at_y) {
    return w * h * ((w * w + h * h) / 12.0 + (at_x - x) * (at_x - x) + (at_y - y) * (at_y - y));
  };
  const double inertia = 2.0 * (polar(1, 3, 0.5, 1.5) + polar(2, 1, 2.0, 0.5));
  EXPECT_NEAR(l.mass, 10.0, 1e-13);
  EXPECT_NEAR(l.inertia(2, 2), inertia, 1e-12);
  EXPECT_LT((l.drawing_origin + Vector3(1.0 + x, y, 0)).norm(), 1e-13);
  EXPECT_NEAR(build(body_of("density = 1\nmass = 3", clockwise)).system->bodies()[0].inertia(2, 2), 0.3 * inertia,
              1e-13);
  EXPECT_NE(
      check_scene(body_of("density = 2", clockwise)).summary.find("l/s: 6 segments, closed, clockwise, 1 repeated"),
      std::string::npos);
  const auto refused = [&](const std::string& line) {
    try {
      build(body_of("density = 2", line));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("points = [[0, 0], [1, 0]]").find("the polyline s is open"), std::string::npos);
  EXPECT_NE(refused("closed = true, points = [[0, 0], [1, 0], [0, 1]]").find("the polyline s runs counter-clockwise"),
            std::string::npos);
}

/// A hundred thousand points: read, checked, stepped.
TEST(LineRun, ALongTrackRuns) {
  const TemporaryFolder folder;
  constexpr int kPoints = 100'000;
  {
    std::ofstream file(folder / "long.csv");
    for (int k = 0; k < kPoints; ++k) file << fmt::format("{} {}\n", 0.01 * k, 0.3 * std::sin(0.02 * k));
  }
  SceneRun run(parse_scene(R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 0.5, step = 2e-3}
[bodies.ground]
type = "fixed"
shapes.s = {type = "polyline", file = "long.csv"}
[bodies.box]
type = "planar"
density = 1000
position = [400, 0.6]
velocity = [3, 0]
shapes.s = {type = "box", size = [0.4, 0.2]}
[contact_default]
friction = 0.1
)",
                           (folder / "long.toml").string()));
  run.run();
  EXPECT_GT(run.state.q(0), 400.5);
  EXPECT_GT(run.state.q(1), 0.3 * std::sin(2.0 * run.state.q(0)) + 0.09);
}

}  // namespace
}  // namespace stickslip::test
