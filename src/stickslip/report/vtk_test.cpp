// SPDX-License-Identifier: BSD-3-Clause
// Frames for ParaView: that they can be read back, and that they show what the result says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <set>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/vtk_export.h"
#include "stickslip/report/vtk_mesh.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vtk_reader.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::read_pvd;
using test::TemporaryFolder;
using test::VtpFile;

constexpr double kSingle = 1e-6;  // [-] points are of single precision

/// Runs a scene and writes its frames into `folder`/vtk.
void draw(const std::string& scene, const TemporaryFolder& folder) {
  RunOptions options;
  options.output = folder / "r.h5";
  run(parse_scene(scene, "drawn.toml"), options);
  export_vtk(folder / "r.h5", folder / "vtk", {});
}

std::string describe_body(const std::string& shape) {
  return fmt::format(R"(
stickslip = 1
time = {{end = 1e-3, step = 1e-3}}
scheme = {{type = "moreau"}}
[bodies.only]
mass = 1
inertia = [1, 1, 1]
shapes.hull = {{position = [0.1, -0.2, 0.3], {}}}
)",
                     shape);
}

/// The volume that the polygons of a file enclose, and whether each edge has one face on either side.
double enclosed_volume(const VtpFile& file, bool& is_closed) {
  const std::vector<double>& x = file.numbers.at("Points/points");
  const std::vector<double>& corners = file.numbers.at("Polys/connectivity");
  const auto point = [&](double c) { return Vector3(x.data() + 3 * static_cast<std::size_t>(c)); };
  std::multiset<std::pair<double, double>> edges;
  double volume = 0.0;
  std::size_t begin = 0;
  for (const double end : file.numbers.at("Polys/offsets")) {
    const auto n = static_cast<std::size_t>(end) - begin;
    for (std::size_t k = 0; k < n; ++k) {
      const double a = corners[begin + k], b = corners[begin + (k + 1) % n];
      edges.emplace(a, b);
      if (k + 2 < n) {
        const double c = corners[begin + (k + 2)];
        volume += point(corners[begin]).dot(point(b).cross(point(c))) / 6.0;
      }
    }
    begin += n;
  }
  is_closed = std::ranges::all_of(edges, [&](const auto& e) { return edges.count({e.second, e.first}) == 1; });
  return volume;
}

TEST(Vtk, SurfacesAreClosedAndOfTheVolumeOfTheirPolyhedra) {
  // A circle of n corners has the area k r^2, k = n / 2 sin(2 pi / n); a surface of revolution over it is a stack of
  // frustums, of height h and volume k h (r^2 + r s + s^2) / 3.
  const int n = kCircleCorners;
  const double k = 0.5 * n * std::sin(2.0 * std::numbers::pi / n);
  double ball = 0.0;  // of radius 1
  for (int i = 0; i < n / 2; ++i) {
    const double a = 2.0 * std::numbers::pi * i / n, b = a + 2.0 * std::numbers::pi / n;
    const double r = std::sin(a), s = std::sin(b);
    ball += k * (std::cos(a) - std::cos(b)) * (r * r + r * s + s * s) / 3.0;
  }
  const std::vector<std::pair<std::string, double>> shapes = {
      {R"(type = "box", size = [1, 2, 3])", 6.0},
      {R"(type = "cylinder", radius = 2, length = 3)", 12.0 * k},
      {R"(type = "capsule", radius = 0.5, length = 2)", ball / 8.0 + 0.5 * k},
      {R"(type = "ellipsoid", radii = [1, 2, 3])", 6.0 * ball},
      {R"(type = "convex", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])", 1.0 / 6.0}};
  for (const auto& [shape, volume] : shapes) {
    const TemporaryFolder folder;
    draw(describe_body(shape), folder);
    bool is_closed = false;
    const VtpFile file(folder / "vtk/bodies/0000000.vtp");
    EXPECT_NEAR(enclosed_volume(file, is_closed), volume, kSingle * volume) << shape;
    EXPECT_TRUE(is_closed) << shape;
    EXPECT_FALSE(fs::exists(folder / "vtk/spheres.pvd")) << shape;
  }
}

TEST(Vtk, ASphereIsAPointWithItsRadius) {
  const TemporaryFolder folder;
  draw(describe_body(R"(type = "sphere", radius = 0.25)"), folder);
  const VtpFile spheres(folder / "vtk/spheres/0000000.vtp");
  EXPECT_EQ(spheres.counts.at("NumberOfPoints"), 1U);
  EXPECT_EQ(spheres.numbers.at("PointData/radius"), std::vector<double>{0.25});
  EXPECT_EQ(spheres.numbers.at("PointData/body"), std::vector<double>{0.0});
  const Vector3 center(spheres.numbers.at("Points/points").data());
  EXPECT_LT((center - Vector3(0.1, -0.2, 0.3)).norm(), kSingle);
}

/// A disc and a box on a floor, a pendulum, and a beam that falls; named and detected contacts.
constexpr const char* kMixed = R"toml(
stickslip = 1
name = "mixed"
gravity = [0, -9.81]
time = {end = 0.02, step = 1e-3}
scheme = {type = "moreau"}
output = {every = 2e-3}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[bodies.disc]
type = "planar"
mass = 1
inertia = 0.1
position = [0, 0.5]
angle = 0.3
velocity = [1, -0.1]
angular_velocity = 2
shapes.hull = {type = "sphere", radius = 0.5}
[bodies.box]
type = "planar"
mass = 1
inertia = 0.1
position = [3, 0.5]
shapes.hull = {type = "box", size = [1, 1]}
[bodies.bob]
type = "planar"
mass = 1
inertia = 0.1
position = [6, 3]
shapes.hull = {type = "sphere", radius = 0.1}
[joints.hinge]
type = "revolute"
between = ["floor", "bob"]
at = [5, 3]
[[contacts]]
name = "box,floor"
between = ["floor", "box"]
friction = 0.4
[contact_default]
friction = 0.25
)toml";

Vector3 item(const RowMatrix& rows, std::int64_t row, int k) {
  return Vector3(rows.row(row).data() + 3 * k);
}
Vector3 item(const std::vector<double>& numbers, int k) {
  return Vector3(numbers.data() + 3 * k);
}

TEST(Vtk, AFrameShowsWhatTheResultSays) {
  const TemporaryFolder folder;
  draw(kMixed, folder);
  const Trajectory result(folder / "r.h5");
  const auto frames = read_pvd(folder / "vtk/bodies.pvd");
  ASSERT_EQ(static_cast<std::int64_t>(frames.size()), result.rows());
  constexpr std::int64_t kRow = 7;
  const auto at = static_cast<std::size_t>(kRow);
  EXPECT_EQ(frames[at].first, result.read("/time")(kRow, 0));
  const VtpFile bodies(folder / "vtk" / frames[at].second);
  EXPECT_EQ(bodies.numbers.at("FieldData/TimeValue").at(0), frames[at].first);
  EXPECT_EQ(bodies.texts.at("FieldData/body_name"), result.names("bodies"));
  const RowMatrix position = result.read("/bodies/position"), velocity = result.read("/bodies/velocity"),
                  rate = result.read("/bodies/angular_velocity"), orientation = result.read("/bodies/orientation");
  constexpr int kDisc = 1, kBox = 2;
  for (int body = 0; body < 4; ++body) {
    EXPECT_EQ(item(bodies.numbers.at("FieldData/position"), body), item(position, kRow, body));
    EXPECT_EQ(item(bodies.numbers.at("FieldData/velocity"), body), item(velocity, kRow, body));
    EXPECT_EQ(item(bodies.numbers.at("FieldData/angular_velocity"), body), item(rate, kRow, body));
  }
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(bodies.numbers.at("FieldData/orientation")[static_cast<std::size_t>(i)], orientation(kRow, i));
  }
  // Lines (the floor) stand before polygons (the box): the first corner of the box is its material point (-.5, -.5).
  EXPECT_EQ(bodies.numbers.at("CellData/body"), (std::vector<double>{0.0, 2.0}));
  const double angle = result.read("/q")(kRow, 5), omega = rate(kRow, 3 * kBox + 2);
  const Vector3 arm = Eigen::AngleAxisd(angle, Vector3::UnitZ()) * Vector3(-0.5, -0.5, 0.0);
  const auto corner = static_cast<int>(bodies.numbers.at("Polys/connectivity")[0]);
  EXPECT_LT((item(bodies.numbers.at("Points/points"), corner) - item(position, kRow, kBox) - arm).norm(), 1e-5);
  const Vector3 moves = item(velocity, kRow, kBox) + omega * Vector3::UnitZ().cross(arm);
  EXPECT_LT((item(bodies.numbers.at("PointData/velocity"), corner) - moves).norm(), 1e-5);

  const VtpFile spheres(folder / "vtk/spheres/0000007.vtp");
  EXPECT_EQ(spheres.numbers.at("PointData/body"), (std::vector<double>{1.0, 3.0}));
  EXPECT_LT((item(spheres.numbers.at("Points/points"), 0) - item(position, kRow, kDisc)).norm(), 1e-5);
  EXPECT_LT((item(spheres.numbers.at("PointData/velocity"), 0) - item(velocity, kRow, kDisc)).norm(), 1e-5);

  const VtpFile contacts(folder / "vtk/contacts/0000007.vtp");
  EXPECT_EQ(contacts.texts.at("FieldData/contact_name"), result.names("contacts"));
  ASSERT_EQ(contacts.counts.at("NumberOfPoints"), 5U) << "four corners and the disc";
  EXPECT_EQ(contacts.numbers.at("PointData/contact"), (std::vector<double>{0.0, 1.0, 2.0, 3.0, -1.0}));
  EXPECT_EQ(contacts.numbers.at("PointData/body_b"), (std::vector<double>{2.0, 2.0, 2.0, 2.0, 1.0}));
  EXPECT_EQ(contacts.numbers.at("PointData/shape_b"), (std::vector<double>{2.0, 2.0, 2.0, 2.0, 1.0}));
  const RowMatrix force = result.read("/contacts/force"), percussion = result.read("/contacts/percussion");
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((item(contacts.numbers.at("PointData/force"), k) - item(force, kRow, k)).norm(), 1e-5);
    EXPECT_LT((item(contacts.numbers.at("PointData/percussion"), k) - item(percussion, kRow, k)).norm(), 1e-7);
    EXPECT_NEAR(contacts.numbers.at("PointData/friction_coefficient")[static_cast<std::size_t>(k)], 0.4, kSingle);
  }
  EXPECT_NEAR(contacts.numbers.at("PointData/friction_coefficient")[4], 0.25, kSingle);
  const auto set = static_cast<std::int64_t>(result.file().read_integers("/contact_sets/offsets")[at]);
  const Vector3 on_disc = item(result.read("/contact_sets/percussion", set, 1), 0, 0);
  EXPECT_GT(on_disc.norm(), 0.0);
  EXPECT_LT((item(contacts.numbers.at("PointData/percussion"), 4) - on_disc).norm(), 1e-7);
  EXPECT_LT((item(contacts.numbers.at("PointData/force"), 4) - on_disc / 1e-3).norm(), 1e-4);

  const VtpFile joints(folder / "vtk/joints/0000007.vtp");
  EXPECT_LT((item(joints.numbers.at("Points/points"), 0) - item(result.read("/joints/point"), kRow, 0)).norm(), 1e-5);
  const RowMatrix reaction = result.read("/joints/reaction_force");
  EXPECT_LT((item(joints.numbers.at("PointData/reaction_force"), 0) - item(reaction, kRow, 0)).norm(), 1e-4);
}

TEST(Vtk, ABeamIsItsCurve) {
  const TemporaryFolder folder;
  draw(R"toml(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.01, step = 1e-3}
scheme = {type = "moreau"}
[bodies.beam]
type = "beam"
length = 2
elements = 3
degree = 3
line_density = 1
axial_stiffness = 1000
bending_stiffness = 1
start = [1, 2]
direction = [1, 0]
velocity = [0.5, 0]
shapes.tip = {type = "point", at = 1.0}
)toml",
       folder);
  const VtpFile file(folder / "vtk/bodies/0000010.vtp");
  const std::vector<double>& line = file.numbers.at("Lines/connectivity");
  ASSERT_GE(line.size(), 4U);
  const double fall = 0.5 * 9.81 * 0.01 * 0.01;  // [m] and the second order of the scheme
  const Vector3 first = item(file.numbers.at("Points/points"), static_cast<int>(line.front()));
  const Vector3 last = item(file.numbers.at("Points/points"), static_cast<int>(line.back()));
  const Vector3 tip =
      item(file.numbers.at("Points/points"), static_cast<int>(file.numbers.at("Verts/connectivity")[0]));
  EXPECT_LT((first - Vector3(1.005, 2.0 - fall, 0.0)).norm(), 1e-5);
  EXPECT_LT((last - first - Vector3(2.0, 0.0, 0.0)).norm(), 1e-5);
  EXPECT_EQ(tip, last);
  EXPECT_LT(
      (item(file.numbers.at("PointData/velocity"), static_cast<int>(line.front())) - Vector3(0.5, -9.81 * 0.01, 0.0))
          .norm(),
      1e-5);
}

std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all[fs::relative(entry.path(), folder).string()] = test::whole_text(entry.path());
  }
  return all;
}

TEST(Vtk, FramesOfAnotherResultAreReplaced) {
  const TemporaryFolder folder;
  draw(kMixed, folder);
  std::ofstream(folder / "vtk/notes.txt") << "mine";
  std::ofstream(folder / "vtk/bodies/mesh.vtp") << "mine";
  draw(describe_body(R"(type = "box", size = [1, 1, 1])"), folder);
  const auto now = contents_of(folder / "vtk");
  EXPECT_EQ(now.at("notes.txt"), "mine");
  EXPECT_EQ(now.at("bodies/mesh.vtp"), "mine");
  EXPECT_EQ(now.size(), 2U + 1U + 2U) << "a list and two frames";
  EXPECT_EQ(read_pvd(folder / "vtk/bodies.pvd").size(), 2U);
}

TEST(Vtk, AnInterruptedExportListsNoFrames) {
  const TemporaryFolder folder;
  draw(kMixed, folder);
  const std::atomic<bool> raised = true;
  EXPECT_THROW(export_vtk(folder / "r.h5", folder / "vtk", &raised), Interrupted);
  EXPECT_TRUE(contents_of(folder / "vtk").empty());
}

TEST(Vtk, WhatCannotBeAFolderIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "mine";
  EXPECT_THROW(check_vtk_folder(folder / "file", true), InputError);
  EXPECT_THROW(check_vtk_folder(folder / "none/vtk", true), WriteError);
  EXPECT_NO_THROW(check_vtk_folder(folder / "vtk", false));
  EXPECT_FALSE(fs::exists(folder / "vtk"));
}

TEST(Vtk, WhatIsNotOursIsRefusedOnlyWhereItWouldBeLost) {
  const TemporaryFolder folder;
  draw(kMixed, folder);
  std::ofstream(folder / "vtk/notes.txt") << "mine";
  EXPECT_NO_THROW(check_vtk_folder(folder / "vtk", false));
  std::ofstream(folder / "vtk/joints.pvd") << "<VTKFile/>";
  EXPECT_THROW(check_vtk_folder(folder / "vtk", false), InputError);
  EXPECT_NO_THROW(check_vtk_folder(folder / "vtk", true));
  fs::remove(folder / "vtk/joints.pvd");
  std::ofstream(folder / "vtk/bodies/mesh.vtp") << "mine";
  EXPECT_THROW(check_vtk_folder(folder / "vtk", false), InputError);
}

TEST(Vtk, AResultWithoutPosesIsRefused) {
  const TemporaryFolder folder;
  std::string scene = kMixed;
  scene.insert(scene.find("every ="), "fields = [\"q\", \"u\"], ");
  EXPECT_THROW(draw(scene, folder), InputError);
  EXPECT_FALSE(fs::exists(folder / "vtk"));
}

}  // namespace
}  // namespace stickslip
