// SPDX-License-Identifier: BSD-3-Clause
// Scenes with meshes: read, run, stored in results, resumed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/run.h"
#include "tests/support/scene_run.h"
#include "tests/support/surface_run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

/// n x n cells over [-2, 2]^2 at z = 0, as OBJ: one plane, many triangles.
std::string flat_obj(int n) {
  std::string text;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) text += fmt::format("v {} {} 0\n", -2.0 + 4.0 * i / n, -2.0 + 4.0 * j / n);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const int k = 1 + i + j * (n + 1);
      text += fmt::format("f {} {} {} {}\n", k, k + 1, k + n + 2, k + n + 1);
    }
  }
  return text;
}

/// A cube of edge 0.2 round the origin; the last face is a sliver without area.
const char* const kCubeObj =
    "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0.1 0.1 -0.1\nv -0.1 0.1 -0.1\n"
    "v -0.1 -0.1 0.1\nv 0.1 -0.1 0.1\nv 0.1 0.1 0.1\nv -0.1 0.1 0.1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf -8 5 8 4\nf 1 2 1\n";

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// Over the edges of coplanar triangles bodies slide as on a half-space.
TEST(MeshRun, FlatEdgesDoNotCatch) {
  const TemporaryFolder folder;
  write_text(folder / "flat.obj", flat_obj(9));
  expect_slides_as_on_a_plane(folder.path(), "type = \"mesh\", file = \"flat.obj\"");
}

/// Under each scheme solids come to rest on a mesh, named or found, and a mesh on a half-space.
TEST(MeshRun, SolidsRestOnMeshes) {
  const TemporaryFolder folder;
  write_text(folder / "flat.obj", flat_obj(5));
  write_text(folder / "cube.obj", kCubeObj);
  constexpr double kGap = 1e-4;  // [m]
  int n = 0;
  for (const std::string scheme :
       {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation", "event-driven"}) {
    for (const bool is_cube : {false, true}) {
      const bool named = (n++ % 2 == 0) != is_cube;
      const std::string text = fmt::format(
          R"(stickslip = 1
time = {{end = 0.05, step = {}}}
scheme = {{type = "{}"}}
[bodies.ground]
type = "fixed"
shapes.s = {{{}}}
[bodies.solid]
density = 1000
position = [0.23, 0.31, {}]
shapes.s = {{{}}}
)",
          scheme == "relaxation" ? 1e-4 : 1e-3, scheme,
          is_cube ? "type = \"half-space\", normal = [0, 0, 1]" : "type = \"mesh\", file = \"flat.obj\"", 0.1 + kGap,
          is_cube ? "type = \"mesh\", file = \"cube.obj\"" : "type = \"box\", size = [0.2, 0.3, 0.2]");
      const std::string law = named ? "[[contacts]]\nbetween = [\"ground\", \"solid\"]\nfriction = 0.3\n"
                                    : "[contact_default]\nfriction = 0.3\n";
      const auto read = [&] { return parse_scene(text + law, (folder / "rest.toml").string()); };
      if (scheme == "event-driven") {
        EXPECT_THROW(SceneRun run(read()), InputError) << named;
        continue;
      }
      SceneRun run{read()};
      run.run();
      EXPECT_NEAR(run.state.q(2), 0.1, kGap) << scheme << " " << is_cube;
      EXPECT_LT(run.state.u.cwiseAbs().maxCoeff(), 0.011) << scheme << " " << is_cube;
      EXPECT_LT((run.state.q.segment<2>(0) - Eigen::Vector2d(0.23, 0.31)).norm(), 1e-6) << scheme << " " << is_cube;
    }
  }
}

TEST(MeshRun, AClosedMeshHasTheMassOfItsVolume) {
  const TemporaryFolder folder;
  write_text(folder / "cube.obj", kCubeObj);
  const auto scene = [&](const std::string& keys) {
    return parse_scene("stickslip = 1\ntime = {end = 1, step = 1e-3}\n[bodies.cube]\n" + keys +
                           "shapes.s = {type = \"mesh\", file = \"cube.obj\", scale = 2, position = [1, 0, 0]}\n",
                       (folder / "cube.toml").string());
  };
  const Body& cube = build(scene("density = 500\n")).system->bodies()[0];
  EXPECT_NEAR(cube.mass, 500 * 0.064, 1e-12);
  EXPECT_LT((cube.inertia - cube.mass * 0.16 / 6.0 * Matrix3::Identity()).norm(), 1e-13);
  EXPECT_LT((cube.drawing_origin - Vector3(-1, 0, 0)).norm(), 1e-14);
  EXPECT_NEAR(build(scene("density = 1\nmass = 3\n")).system->bodies()[0].inertia(0, 0), 3 * 0.16 / 6.0, 1e-14);
  EXPECT_NE(
      check_scene(scene("density = 500\n")).summary.find("mesh cube/s: 12 triangles, closed, 1 degenerate left out"),
      std::string::npos);
  write_text(folder / "flat.obj", flat_obj(2));
  const auto sheet = [&](const std::string& keys) {
    return parse_scene("stickslip = 1\ntime = {end = 1, step = 1e-3}\n[bodies.sheet]\n" + keys +
                           "\nshapes.s = {type = \"mesh\", file = \"flat.obj\"}\n",
                       (folder / "sheet.toml").string());
  };
  EXPECT_THROW(build(sheet("density = 500")), InputError);
  EXPECT_NE(check_scene(sheet("mass = 1\ninertia = [1, 1, 1]")).summary.find("8 triangles, open, 8 border edges"),
            std::string::npos);
}

/// A tetrahedron of volume 1/6 with its centre at (1, 1, 1) / 4, by one scale a direction: a negative product mirrors
/// it, and a mesh that were turned inside out would be refused.
TEST(MeshRun, ScalesTakeDirectionsAndMirror) {
  const TemporaryFolder folder;
  write_text(folder / "corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto scene = [&](const std::string& scale) {
    return parse_scene("stickslip = 1\ntime = {end = 1, step = 1e-3}\n[bodies.c]\ndensity = 6\n" +
                           fmt::format("shapes.s = {{type = \"mesh\", file = \"corner.obj\", scale = {}}}\n", scale),
                       (folder / "corner.toml").string());
  };
  for (const auto& [text, scale] : std::vector<std::pair<std::string, Vector3>>{
           {"[1, -1, 2]", {1, -1, 2}}, {"-3", {-3, -3, -3}}, {"[-1, -2, 0.5]", {-1, -2, 0.5}}}) {
    const Body& body = build(scene(text)).system->bodies()[0];
    EXPECT_NEAR(body.mass, std::abs(scale.prod()), 1e-12) << text;
    EXPECT_LT((-body.drawing_origin - 0.25 * scale).norm(), 1e-14) << text;
  }
  EXPECT_THROW(scene("[1, 0, 1]"), InputError);
}

/// A result has the triangles: it goes on to the same bits where the file is gone.
TEST(MeshRun, ResultsKeepTheTriangles) {
  const TemporaryFolder folder;
  write_text(folder / "flat.obj", flat_obj(3));
  write_text(folder / "cube.obj", kCubeObj);
  const Scene scene = parse_scene(R"(stickslip = 1
time = {end = 0.2, step = 2e-3}
[bodies.ground]
type = "fixed"
shapes.s = {type = "mesh", file = "flat.obj"}
[bodies.ball]
density = 1000
position = [0.1, 0.2, 0.11]
velocity = [1, 0, 0]
shapes.s = {type = "sphere", radius = 0.1}
[bodies.cube]
mass = 1
inertia = [1, 1, 1]
position = [1, 1, 0.3]
shapes.s = {type = "mesh", file = "cube.obj", scale = [1, -1, 2], visual = true}
[contact_default]
friction = 0.3
)",
                                  (folder / "store.toml").string());
  RunOptions options;
  options.output = folder / "r.h5";
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(scene_of(result), scene);
  EXPECT_EQ(result.read("/shapes/vertices", 0, 24).cols(), 3);
  expect_resumes_without({"flat.obj", "cube.obj"}, scene, folder.path());
}

}  // namespace
}  // namespace stickslip::test
