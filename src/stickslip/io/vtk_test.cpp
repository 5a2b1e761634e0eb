// SPDX-License-Identifier: BSD-3-Clause
// Frames for ParaView: what they show, that they can be read back, and what a kill leaves of them.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <numbers>
#include <set>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/vtk_writer.h"
#include "stickslip/io/write_error.h"
#include "tests/support/example_result.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vtk_reader.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::Example;
using test::make_system;
using test::read_pvd;
using test::TemporaryFolder;
using test::VtpFile;

/// Six times the volume that the polygons of a file enclose, and whether each edge has one face on either side.
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

VtpFile draw(const ShapeGeometry& geometry, const TemporaryFolder& folder) {
  SystemBuilder builder(false, Vector3::Zero());
  Body body;
  body.name = "only";
  body.mass = 1.0;
  body.inertia = Matrix3::Identity();
  body.shapes = {Shape{.name = "hull", .geometry = geometry, .position = Vector3(0.1, -0.2, 0.3)}};
  builder.add_body(body);
  const System system = builder.build();
  State state;
  state.q = Vector::Zero(7);
  state.q(3) = 1.0;
  state.u = Vector::Zero(6);
  VtkWriter writer(folder / "vtk", system, state, 1);
  writer.begin(state, {});
  writer.publish();
  return VtpFile(folder / "vtk/bodies/0000000.vtp");
}

TEST(Vtk, SurfacesAreClosedAndOfTheVolumeOfTheirPolyhedra) {
  // A circle of n corners has the area k r^2, k = n / 2 sin(2 pi / n); a surface of revolution over it is a stack of
  // frustums, of height h and volume k h (r^2 + r s + s^2) / 3.
  const int n = choose_circle_corners(1);
  const double k = 0.5 * n * std::sin(2.0 * std::numbers::pi / n);
  double ball = 0.0;  // of radius 1
  for (int i = 0; i < n / 2; ++i) {
    const double a = 2.0 * std::numbers::pi * i / n, b = a + 2.0 * std::numbers::pi / n;
    const double r = std::sin(a), s = std::sin(b);
    ball += k * (std::cos(a) - std::cos(b)) * (r * r + r * s + s * s) / 3.0;
  }
  const std::vector<std::pair<ShapeGeometry, double>> shapes = {
      {Box{.size = Vector3(1.0, 2.0, 3.0)}, 6.0},
      {Sphere{.radius = 0.5}, ball / 8.0},
      {Cylinder{.radius = 2.0, .length = 3.0}, 12.0 * k},
      {Capsule{.radius = 0.5, .length = 2.0}, ball / 8.0 + 0.5 * k},
      {Convex{.points = {Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()}}, 1.0 / 6.0}};
  for (const auto& [geometry, volume] : shapes) {
    const TemporaryFolder folder;
    const VtpFile file = draw(geometry, folder);
    bool is_closed = false;
    constexpr double kSingle = 1e-6;  // [-] points are of single precision
    EXPECT_NEAR(enclosed_volume(file, is_closed), volume, kSingle * volume) << shape_type_name(geometry);
    EXPECT_TRUE(is_closed) << shape_type_name(geometry);
  }
}

TEST(Vtk, ManyRoundShapesTakeFewPointsEach) {
  int before = choose_circle_corners(1);
  for (const std::size_t n : {100U, 1000U, 10'000U, 100'000U}) {
    const int corners = choose_circle_corners(n);
    EXPECT_LE(corners, before);
    EXPECT_GE(corners, 6);
    before = corners;
  }
}

TEST(Vtk, AFrameHasPosesNamesVelocitiesAndForces) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example step(system, 3);
  VtkWriter writer(folder / "vtk", system, step.state, 2);
  writer.begin(step.state, step.report);
  writer.publish();
  const VtpFile bodies(folder / "vtk/bodies/0000000.vtp");
  const Vector &q = step.state.q, &u = step.state.u;
  EXPECT_EQ(bodies.numbers.at("FieldData/TimeValue").at(0), step.state.t);
  EXPECT_EQ(bodies.texts.at("FieldData/body_name"), (std::vector<std::string>{"Ball 1", "b\xc3\xb6x", "floor"}));
  const std::vector<double>& position = bodies.numbers.at("FieldData/position");
  ASSERT_EQ(position.size(), 9U);
  for (const int i : {0, 1}) {
    EXPECT_EQ(position[static_cast<std::size_t>(i)], q(i));
    EXPECT_EQ(bodies.numbers.at("FieldData/velocity")[static_cast<std::size_t>(i)], u(i));
  }
  EXPECT_EQ(bodies.numbers.at("FieldData/angular_velocity")[5], u(5));
  const double half = 0.5 * q(2);  // of a quaternion and its negative, which mean the same, the one with w >= 0
  EXPECT_NEAR(bodies.numbers.at("FieldData/orientation")[3], std::copysign(1.0, std::cos(half)) * std::sin(half),
              1e-15);
  // The first corner of the disc is its material point at (r, 0): r = c + R(phi) (r, 0), v = c' + omega x arm.
  const std::vector<double>&x = bodies.numbers.at("Points/points"), &v = bodies.numbers.at("PointData/velocity");
  const double arm_x = 0.5 * std::cos(q(2)), arm_y = 0.5 * std::sin(q(2));
  constexpr double kSingle = 1e-6;
  EXPECT_NEAR(x[0], q(0) + arm_x, kSingle * q(0));
  EXPECT_NEAR(x[1], q(1) + arm_y, kSingle * q(1));
  EXPECT_NEAR(v[0], u(0) - u(2) * arm_y, kSingle * 5.0);
  EXPECT_NEAR(v[1], u(1) + u(2) * arm_x, kSingle * 5.0);
  const std::vector<double>& owner = bodies.numbers.at("CellData/body");  // lines before polygons
  EXPECT_EQ(owner, (std::vector<double>{2.0, 0.0, 1.0}));

  const VtpFile contacts(folder / "vtk/contacts/0000000.vtp");
  ASSERT_EQ(contacts.counts.at("NumberOfPoints"), 5U);
  EXPECT_EQ(contacts.texts.at("FieldData/contact_name").at(1), "box,floor/0");
  const ContactReport& c = step.report.contacts[1];
  EXPECT_NEAR(contacts.numbers.at("PointData/gap")[1], c.gap, kSingle * 20.0);
  EXPECT_EQ(contacts.numbers.at("PointData/status")[1], 2.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double percussion = c.percussion[0] * c.normal(k) + c.percussion[1] * c.tangent(k);
    EXPECT_NEAR(contacts.numbers.at("PointData/percussion")[3 + i], percussion, 1e-5);
    EXPECT_NEAR(contacts.numbers.at("PointData/force")[3 + i], percussion / step.report.step, 1e-4);
    EXPECT_NEAR(contacts.numbers.at("Points/points")[3 + i], c.position(k), 1e-5);
  }
  EXPECT_FALSE(fs::exists(folder / "vtk/joints.pvd"));
}

/// Writes rows first to last of the example, one after the other.
void write_rows(const fs::path& folder, const System& system, int first, int last, bool finishes) {
  const Example start(system, first);
  VtkWriter writer(folder, system, start.state, 1);
  writer.begin(start.state, start.report);
  writer.publish();
  for (int n = first + 1; n <= last; ++n) {
    const Example step(system, n);
    writer.record(step.state, step.report, true);
  }
  if (finishes) writer.finish({RunState::done, "", Checkpoint{}, {}});
}

/// Reads all that a folder's lists list; what was read before and is the same file is not read again.
class FolderCheck {
 public:
  explicit FolderCheck(fs::path folder) : folder_(std::move(folder)) {}
  /// Frames in the list of bodies.
  std::size_t check() {
    std::size_t bodies = 0;
    for (const char* name : {"bodies.pvd", "contacts.pvd"}) {
      if (!fs::exists(folder_ / name)) continue;
      const auto frames = read_pvd(folder_ / name);
      if (std::string_view(name) == "bodies.pvd") bodies = frames.size();
      for (const auto& [time, file] : frames) check_frame(folder_ / file, time);
    }
    return bodies;
  }

 private:
  void check_frame(const fs::path& path, double time) {
    struct stat is {};
    ASSERT_EQ(::stat(path.c_str(), &is), 0) << path;
    if (!seen_.insert({path.string(), is.st_ino, is.st_mtim.tv_nsec, time}).second) return;
    EXPECT_EQ(VtpFile(path).numbers.at("FieldData/TimeValue").at(0), time) << path;
  }
  fs::path folder_;
  std::set<std::tuple<std::string, ino_t, long, double>> seen_;
};

/// Calls `look` whenever the child, which waits for it, enters or leaves a call of the system: what is on the disk then
/// is what a kill would leave there. How often; -1 where this system lets nobody trace.
int trace(pid_t child, const std::function<void()>& look) {
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return -1;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
  int stops = 0;
  while (WIFSTOPPED(status)) {
    look();
    ++stops;
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return -1;
    ::waitpid(child, &status, 0);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? stops : -1;
}

TEST(Vtk, WhatAKillLeavesAtAnyMomentIsWhole) {
  const TemporaryFolder folder;
  const System system = make_system();
  // A longer series of other times is replaced, the list grows on the way, and is made shorter at the end.
  write_rows(folder / "vtk", system, 100, 124, true);
  FolderCheck check(folder / "vtk");
  ASSERT_EQ(check.check(), 25U);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(3);
    ::raise(SIGSTOP);
    write_rows(folder / "vtk", system, 0, 20, true);
    ::_exit(0);
  }
  std::set<std::size_t> lengths;
  const int stops = trace(child, [&] { lengths.insert(check.check()); });
  if (stops < 0) GTEST_SKIP() << "processes cannot be traced here";
  EXPECT_GT(stops, 2 * 2 * 20);
  // Nothing but the old list and each length of the new one was ever seen.
  std::set<std::size_t> expected = {25};
  for (std::size_t n = 0; n <= 21; ++n) expected.insert(n);
  EXPECT_EQ(lengths, expected);
  EXPECT_EQ(check.check(), 21U);
  EXPECT_FALSE(fs::exists(folder / "vtk/bodies/0000021.vtp")) << "frames that nobody lists";
  // A write of a frame into the list stays within a page of memory, as its place is a multiple of its size.
  const std::string list = test::whole_text(folder / "vtk/bodies.pvd");
  for (std::size_t at = list.find("    <DataSet"), n = 0; at != std::string::npos;
       at = list.find("    <DataSet", at + 1)) {
    EXPECT_EQ(at, 512 + 128 * n++);
  }
}

std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all[fs::relative(entry.path(), folder).string()] = test::whole_text(entry.path());
  }
  return all;
}

TEST(Vtk, RowsOfAResultAreTheSameFrames) {
  const TemporaryFolder folder;
  const System system = make_system();
  test::write_example(folder / "r.h5", system, 6);
  write_rows(folder / "direct", system, 0, 6, true);
  const Trajectory result(folder / "r.h5");
  const Checkpoint checkpoint = result.checkpoint().value();
  // Into an empty folder; into one with the first rows, of which the last was not of this run; into one of all rows.
  write_rows(folder / "part", system, 0, 3, false);
  write_rows(folder / "all", system, 0, 9, false);
  fs::remove(folder / "part/contacts/0000002.vtp");
  const fs::file_time_type first = fs::last_write_time(folder / "part/bodies/0000001.vtp");
  for (const char* name : {"empty", "part", "all"}) {
    VtkWriter writer(folder / name, system, Example(system, 0).state, 7);
    writer.begin(result, checkpoint, StopToken());
    writer.publish();
    writer.finish({RunState::done, "", checkpoint, {}});
    EXPECT_EQ(contents_of(folder / name), contents_of(folder / "direct")) << name;
  }
  EXPECT_EQ(fs::last_write_time(folder / "part/bodies/0000001.vtp"), first) << "was written again";
}

TEST(Vtk, WhatBeganBadlyLeavesTheFolderAsItWas) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example start(system, 0);
  {
    VtkWriter writer(folder / "new", system, start.state, 1);
    writer.begin(start.state, start.report);
  }
  EXPECT_FALSE(fs::exists(folder / "new"));
  write_rows(folder / "old", system, 0, 2, true);
  const auto before = contents_of(folder / "old");
  {
    VtkWriter writer(folder / "old", system, start.state, 1);
    writer.begin(start.state, start.report);
  }
  EXPECT_EQ(contents_of(folder / "old"), before);
  const auto make = [&](const fs::path& path, std::int64_t rows) {
    VtkWriter writer(path, system, start.state, rows);
    writer.begin(start.state, start.report);
  };
  std::ofstream(folder / "file") << "mine";
  EXPECT_THROW(make(folder / "file", 1), InputError);
  EXPECT_THROW(make(folder / "none/vtk", 1), WriteError);
  EXPECT_THROW(make(folder / "huge", 1'000'000'000'000), WriteError) << "more than any disk has";
  EXPECT_FALSE(fs::exists(folder / "huge"));
}

TEST(Vtk, WhatIsNotOursIsRefusedOnlyWhereItWouldBeLost) {
  const TemporaryFolder folder;
  const System system = make_system();
  EXPECT_NO_THROW(VtkWriter::check_replaceable(folder / "vtk"));
  write_rows(folder / "vtk", system, 0, 2, true);
  std::ofstream(folder / "vtk/notes.txt") << "mine";
  EXPECT_NO_THROW(VtkWriter::check_replaceable(folder / "vtk"));
  std::ofstream(folder / "vtk/joints.pvd") << "<VTKFile/>";
  EXPECT_THROW(VtkWriter::check_replaceable(folder / "vtk"), InputError);
  fs::remove(folder / "vtk/joints.pvd");
  std::ofstream(folder / "vtk/bodies/mesh.vtp") << "mine";
  EXPECT_THROW(VtkWriter::check_replaceable(folder / "vtk"), InputError);
  write_rows(folder / "vtk", system, 5, 5, true);
  EXPECT_EQ(test::whole_text(folder / "vtk/bodies/mesh.vtp"), "mine") << "beside it, by --force";
  EXPECT_EQ(test::whole_text(folder / "vtk/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(folder / "vtk/bodies/0000002.vtp"));
}

}  // namespace
}  // namespace stickslip
