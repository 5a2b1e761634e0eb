// SPDX-License-Identifier: BSD-3-Clause
// What ResultWriter writes, Trajectory reads.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/result_writer.h"
#include "tests/support/example_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::Example;
using test::finish;
using test::make_header;
using test::make_system;
using test::TemporaryFolder;
using test::write_example;

TEST(Result, HoldsWhatWasRecorded) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 10);
  const Trajectory result(folder / "r.h5");
  ASSERT_EQ(result.rows(), 11);
  ASSERT_EQ(result.steps(), 11);
  EXPECT_TRUE(result.finished());
  for (int n = 0; n <= 10; ++n) {
    const Example step(system, n);
    EXPECT_EQ(result.read("/time")(n, 0), step.state.t);
    EXPECT_EQ(result.read("/q").row(n).transpose(), step.state.q);
    EXPECT_EQ(result.read("/u").row(n).transpose(), step.state.u);
    const StepRow row = result.read_steps(n, 1).at(0);
    EXPECT_EQ(row.t, step.state.t);
    EXPECT_EQ(row.iterations, n);
    EXPECT_EQ(row.residual, step.report.solve.residual.absolute);
    EXPECT_EQ(row.energy_error, step.report.energy_error);
  }
}

TEST(Result, ColumnsThatTheSchemeDoesNotKnowAreAbsent) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 1);
  const Trajectory result(folder / "r.h5");
  for (const char* path : {"/a", "/contacts/impulse", "/contacts/normal_impulse", "/contacts/friction_impulse",
                           "/joints", "/contact_sets", "/events", "/steps/local_error"}) {
    EXPECT_FALSE(result.file().has(path)) << path;
  }
  ResultHeader header = make_header();
  header.output.accelerations = header.output.impulses = header.automatic_steps = true;
  write_example(folder / "all.h5", system, 1, header);
  const Trajectory all(folder / "all.h5");
  EXPECT_TRUE(all.read("/a").row(1).array().isNaN().all());
  for (const char* path : {"/contacts/impulse", "/contacts/normal_impulse", "/contacts/friction_impulse",
                           "/steps/local_error", "/steps/rejected"}) {
    EXPECT_TRUE(all.file().has(path)) << path;
  }
}

TEST(Result, HoldsWhatTheFieldsName) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.output.fields = {"bodies/position", "contacts"};
  write_example(folder / "r.h5", system, 2, header);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.rows(), 3);
  for (const char* path : {"/time", "/bodies/position", "/bodies/name", "/contacts/gap", "/contacts/name"}) {
    EXPECT_TRUE(result.file().has(path)) << path;
  }
  for (const char* path : {"/q", "/u", "/bodies/velocity", "/bodies/orientation"}) {
    EXPECT_FALSE(result.file().has(path)) << path;
  }
}

TEST(Result, BodiesAreSpatial) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 3);
  const Trajectory result(folder / "r.h5");
  const Example step(system, 2);
  const auto ball = [&result](const char* quantity) { return result.read_item("bodies", "Ball 1", quantity); };
  EXPECT_EQ(ball("position").row(2), RowMatrix({{step.state.q(0), step.state.q(1), 0.0}}));
  EXPECT_EQ(ball("velocity").row(2), RowMatrix({{step.state.u(0), step.state.u(1), 0.0}}));
  EXPECT_EQ(ball("angular_velocity").row(2), RowMatrix({{0.0, 0.0, step.state.u(2)}}));
  const double half = 0.5 * step.state.q(2);
  EXPECT_EQ(ball("orientation").row(2), RowMatrix({{std::cos(half), 0.0, 0.0, std::sin(half)}}));
  EXPECT_EQ(result.read_item("bodies", "floor", "orientation").row(1), RowMatrix({{1.0, 0.0, 0.0, 0.0}}));
  const Hdf5Dataset position = result.file().open_dataset("/bodies/position");
  EXPECT_EQ(position.rank(), 3);
  EXPECT_EQ(position.items(), 3);
  EXPECT_EQ(position.components(), 3);
  EXPECT_THROW(result.read_item("bodies", "none", "position"), InputError);
}

TEST(Result, ContactsHoldComponentsAndWorldVectors) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.output.impulses = true;
  write_example(folder / "r.h5", system, 3, header);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.names("contacts"),
            (std::vector<std::string>{"ball-floor", "box,floor/0", "box,floor/1", "box,floor/2", "box,floor/3"}));
  const Example step(system, 2);
  const ContactReport& c = step.report.contacts[3];
  const auto corner = [&result](const char* quantity) { return result.read_item("contacts", "box,floor/2", quantity); };
  EXPECT_EQ(corner("gap")(2, 0), c.gap);
  EXPECT_EQ(corner("status")(2, 0), 2.0);
  EXPECT_EQ(corner("normal_force")(2, 0), c.force[0]);
  EXPECT_EQ(corner("normal_percussion")(2, 0), c.percussion[0]);
  EXPECT_TRUE(std::isnan(corner("normal_impulse")(2, 0)));
  EXPECT_EQ(corner("friction_force")(2, 0), c.force[1]);
  EXPECT_EQ(corner("friction_percussion")(2, 0), c.percussion[1]);
  EXPECT_EQ(corner("friction_force").row(2), RowMatrix({{c.force[1], 0.0, 0.0}}));
  EXPECT_EQ(corner("point").row(2), RowMatrix({{c.position(0), c.position(1), 0.0}}));
  EXPECT_EQ(corner("normal").row(2), RowMatrix({{0.6, 0.8, 0.0}}));
  EXPECT_EQ(corner("tangent").row(2), RowMatrix({{0.8, -0.6, 0.0}}));
  const Vector3 force = c.force[0] * c.normal + c.force[1] * c.tangent;
  EXPECT_EQ(corner("force").row(2), RowMatrix({{force(0), force(1), 0.0}}));
  EXPECT_EQ(result.file().read_texts("/pairs/name"), (std::vector<std::string>{"ball-floor", "box,floor"}));
  EXPECT_EQ(result.file().read_integers("/contacts/pair"), (std::vector<std::int64_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(result.file().read_integers("/contacts/body_a"), (std::vector<std::int64_t>{2, 2, 2, 2, 2}));
  EXPECT_EQ(result.file().read_integers("/contacts/body_b"), (std::vector<std::int64_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(result.file().read_numbers("/contacts/friction_coefficient"), (std::vector<double>{0.25, 0, 0, 0, 0}));
  EXPECT_TRUE(corner("impulse").row(2).array().isNaN().all());
}

TEST(Result, ContensousMomentIsNoForce) {
  SystemBuilder builder(false, Vector3::Zero());
  Body point;
  point.name = "p";
  point.type = BodyType::point;
  point.mass = 1.0;
  point.shapes = {Shape{.name = "s", .geometry = PointShape{}}};
  Body floor;
  floor.name = "f";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ()}}};
  const int p = builder.add_body(point);
  const int f = builder.add_body(floor);
  builder.add_contact({.name = "c", .first = f, .second = p, .law = {.friction = 1.0, .contensou_radius = 0.1}});
  const System system = builder.build();
  const TemporaryFolder folder;
  Example step(system);
  ContactReport& c = step.report.contacts.at(0);
  c.friction_dim = 3;
  c.normal = Vector3::UnitZ();
  c.tangent = Vector3::UnitX();
  c.percussion = {1.0, 2.0, 3.0, 4.0};
  ResultWriter writer(folder / "r.h5", system, step.state, make_header());
  writer.begin(step.state, step.report);
  writer.publish();
  finish(writer, writer.mark(step.state));
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.read_item("contacts", "c", "friction_percussion"), RowMatrix({{2.0, 3.0, 4.0}}));
  EXPECT_EQ(result.read_item("contacts", "c", "percussion"), RowMatrix({{2.0, 3.0, 1.0}}));
}

TEST(Result, JointsHoldTheirColumns) {
  SystemBuilder builder(true, Vector3::Zero());
  Body wheel;
  wheel.name = "wheel";
  wheel.type = BodyType::planar;
  wheel.mass = 1.0;
  wheel.inertia(2, 2) = 0.5;
  Body ground;
  ground.name = "ground";
  ground.type = BodyType::fixed;
  JointOptions axle;
  axle.name = "axle";
  axle.first = builder.add_body(ground);
  axle.second = builder.add_body(wheel);
  axle.limits = JointLimits{-1.0, 1.0, 0.0};
  builder.add_joint(axle);
  const System system = builder.build();
  Example step(system);
  for (ContactReport& c : step.report.contacts) c.friction_dim = 0;  // limits have no friction
  JointReport joint;
  joint.coordinate = 1.5;
  joint.rate = -2.5;
  joint.drift_position = 3e-9;
  joint.drift_angle = 4e-9;
  joint.drive = 5.5;
  joint.friction = -6.5;
  joint.reaction_force = Vector3(7.0, 8.0, 0.0);
  joint.reaction_torque = Vector3(0.0, 0.0, 9.0);
  step.report.joints = {joint};
  const TemporaryFolder folder;
  {
    ResultWriter writer(folder / "r.h5", system, step.state, make_header());
    writer.begin(step.state, step.report);
    writer.publish();
    finish(writer, writer.mark(step.state));
  }
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.names("joints"), std::vector<std::string>{"axle"});
  EXPECT_EQ(result.file().read_texts("/joints/type"), std::vector<std::string>{"revolute"});
  EXPECT_EQ(result.file().read_integers("/joints/body_a"), std::vector<std::int64_t>{0});
  EXPECT_EQ(result.file().read_integers("/joints/body_b"), std::vector<std::int64_t>{1});
  const auto column = [&result](const char* quantity) { return result.read_item("joints", "axle", quantity); };
  EXPECT_EQ(column("coordinate")(0, 0), 1.5);
  EXPECT_TRUE(std::isnan(column("coordinate")(0, 1))) << "a revolute joint has one";
  EXPECT_EQ(column("rate")(0, 0), -2.5);
  EXPECT_EQ(column("drift"), RowMatrix({{3e-9, 4e-9}}));
  EXPECT_EQ(column("drive")(0, 0), 5.5);
  EXPECT_EQ(column("friction")(0, 0), -6.5);
  EXPECT_EQ(column("reaction_force"), RowMatrix({{7.0, 8.0, 0.0}}));
  EXPECT_EQ(column("reaction_torque"), RowMatrix({{0.0, 0.0, 9.0}}));
  EXPECT_EQ(column("point"), RowMatrix({{step.state.q(0), step.state.q(1), 0.0}}));
  EXPECT_EQ(result.names("contacts"), (std::vector<std::string>{"axle-limits/0", "axle-limits/1"}));
}

TEST(Result, SaysWhereItComesFrom) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 1);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.file().read_integer("/", "format"), 2);
  EXPECT_EQ(result.text("stickslip"), version());
  EXPECT_EQ(result.text("version"), version());
  EXPECT_EQ(result.text("commit"), commit());
  EXPECT_EQ(result.text("compiler"), compiler());
  EXPECT_EQ(result.scene(), make_header().scene);
  EXPECT_EQ(result.text("scheme"), "moreau");
  EXPECT_EQ(result.text("solver"), "nsgs");
  EXPECT_EQ(result.file().read_integer("/", "threads"), 1);
  EXPECT_EQ(result.file().read_integer("/", "seed"), 0);
  const std::vector<LayoutRow> layout = result.layout();
  ASSERT_EQ(layout.size(), 3u);
  EXPECT_EQ(layout[1].body, "b\xc3\xb6x");
  EXPECT_EQ(layout[1].type, "planar");
  EXPECT_EQ(layout[1].q_offset, 3);
  EXPECT_EQ(layout[2].n_q, 0);
}

void expect_unit_and_meaning(const Hdf5File& file, const std::string& group) {
  for (const std::string& name : file.children(group)) {
    const std::string path = (group == "/" ? "" : group) + "/" + name;
    if (file.is_group(path)) {
      expect_unit_and_meaning(file, path);
    } else {
      EXPECT_NE(file.read_text(path, "unit"), "") << path;
      EXPECT_NE(file.read_text(path, "meaning"), "") << path;
    }
  }
}

TEST(Result, EveryDatasetHasUnitAndMeaning) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 1);
  expect_unit_and_meaning(Trajectory(folder / "r.h5").file(), "/");
}

TEST(Result, KeepsScenesLargerThanAnObjectHeader) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.scene = std::string(300000, 'x') + "\xc3\xa9";
  write_example(folder / "r.h5", system, 2, header);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.scene(), header.scene);
  EXPECT_TRUE(result.finished());
}

TEST(Result, SinglePrecisionRoundsAllButTime) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.output.single_precision = true;
  write_example(folder / "r.h5", system, 3, header);
  const Trajectory result(folder / "r.h5");
  const Example step(system, 3);
  EXPECT_EQ(result.read("/time")(3, 0), step.state.t);
  EXPECT_EQ(result.read("/q")(3, 1), static_cast<double>(static_cast<float>(step.state.q(1))));
  EXPECT_EQ(result.read_steps(3, 1)[0].penetration, step.report.penetration);
}

TEST(Result, ManyRowsGoOutInWholeChunksAndComeBack) {
  const TemporaryFolder folder;
  const System system = make_system();
  ResultHeader header = make_header();
  header.expected_rows = header.expected_steps = 5000;
  write_example(folder / "r.h5", system, 4999, header);
  const Trajectory result(folder / "r.h5");
  ASSERT_EQ(result.rows(), 5000);
  const RowMatrix q = result.read("/q");
  for (int n = 0; n < 5000; ++n) ASSERT_EQ(q(n, 0), 1.0 + n);
}

TEST(Result, IsReadableWhileItIsWritten) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example first(system);
  ResultWriter writer(folder / "r.h5", system, first.state, make_header());
  EXPECT_FALSE(fs::exists(folder / "r.h5")) << "not before it has begun";
  writer.begin(first.state, first.report);
  writer.publish();
  EXPECT_EQ(Trajectory(folder / "r.h5").rows(), 1);
  const Example second(system, 1);
  writer.record(second.state, second.report, true);
  writer.flush();
  const Trajectory live(folder / "r.h5");
  EXPECT_EQ(live.rows(), 2);
  EXPECT_FALSE(live.finished());
  EXPECT_EQ(live.text("outcome"), "running");
  EXPECT_EQ(live.checkpoint().value().rows, 1);
}

TEST(Result, TheNewestWholeCheckpointCounts) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example first(system);
  ResultWriter writer(folder / "r.h5", system, first.state, make_header());
  writer.begin(first.state, first.report);
  writer.publish();
  for (int n = 1; n < 5; ++n) {
    const Example step(system, n);
    writer.record(step.state, step.report, true);
    Checkpoint here = writer.mark(step.state);
    here.limits = {std::byte{1}, std::byte{2}, static_cast<std::byte>(n)};
    writer.checkpoint(here, {});
    const std::optional<Checkpoint> found = Trajectory(folder / "r.h5").checkpoint();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->rows, n + 1);
    EXPECT_EQ(found->steps, n + 1);
    EXPECT_EQ(found->limits, here.limits);
    EXPECT_EQ(found->sums, here.sums);
    EXPECT_EQ(to_bytes(found->state), to_bytes(step.state));
  }
}

TEST(Result, CopiedRowsAreTheSame) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example fourth(system, 4);
  Checkpoint part;
  {
    const Example first(system);
    ResultWriter writer(folder / "a.h5", system, first.state, make_header());
    writer.begin(first.state, first.report);
    writer.publish();
    for (int n = 1; n <= 10; ++n) {
      const Example step(system, n);
      writer.record(step.state, step.report, n < 4 || n > 6);
      if (n == 5) part = writer.mark(fourth.state);
    }
    finish(writer, part);
  }
  {
    const Trajectory from(folder / "a.h5");
    const Example first(system);
    ResultWriter writer(folder / "b.h5", system, first.state, make_header());
    writer.begin(from, part, {});
    writer.publish();
    finish(writer, part, RunState::interrupted);
  }
  const Trajectory a(folder / "a.h5"), b(folder / "b.h5");
  ASSERT_EQ(b.rows(), 4);
  ASSERT_EQ(b.steps(), 6);
  EXPECT_EQ(b.read("/q"), a.read("/q", 0, 4));
  EXPECT_EQ(b.read("/contacts/force"), a.read("/contacts/force", 0, 4));
  EXPECT_EQ(b.read_steps(5, 1)[0].residual, a.read_steps(5, 1)[0].residual);
}

TEST(Result, HoldsWhatPassedALimit) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example first(system);
  const std::vector<LimitEntry> entries = {
      {LimitKind::penetration, 2, 0, -1, "floor, Ball 1", 0.5, 3, 0.25, 0.05},
      {LimitKind::energy, -1, -1, -1, "", 0.75, 1, std::numeric_limits<double>::infinity(), 0.05}};
  {
    ResultWriter writer(folder / "r.h5", system, first.state, make_header());
    writer.begin(first.state, first.report);
    writer.publish();
    writer.checkpoint(writer.mark(first.state), std::span(entries).first(1));
    writer.finish({RunState::done, "", writer.mark(first.state), entries});
  }
  const std::vector<LimitEntry> read = Trajectory(folder / "r.h5").limits();
  ASSERT_EQ(read.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].what, entries[i].what);
    EXPECT_EQ(read[i].name, entries[i].name);
    EXPECT_EQ(read[i].first_time, entries[i].first_time);
    EXPECT_EQ(read[i].count, entries[i].count);
    EXPECT_EQ(read[i].worst, entries[i].worst);
    EXPECT_EQ(read[i].limit, entries[i].limit);
  }
}

TEST(Result, ShapesCanBeDrawn) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 1);
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.file().read_texts("/shapes/type"), (std::vector<std::string>{"sphere", "box", "half-space"}));
  EXPECT_EQ(result.file().read_integers("/shapes/body"), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(result.read("/shapes/size", 0, 3),
            RowMatrix({{0.5, 0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}}));
  const RowMatrix e = result.read("/shapes/orientation", 2, 1);
  const Vector3 z = Eigen::Quaterniond(e(0), e(1), e(2), e(3)) * Vector3::UnitZ();
  EXPECT_LT((z - Vector3::UnitY()).norm(), 1e-15) << "a half-space is z <= 0 of its frame";
}

TEST(Result, RefusesAPlaceThatCannotBe) {
  const TemporaryFolder folder;
  const System system = make_system();
  const Example first(system);
  EXPECT_THROW(ResultWriter(folder / "none/r.h5", system, first.state, make_header()), WriteError);
  EXPECT_THROW(ResultWriter(folder.path(), system, first.state, make_header()), InputError);
  EXPECT_THROW(ResultWriter("/dev/null", system, first.state, make_header()), InputError);
  ResultWriter writer(folder / "r.h5", system, first.state, make_header());
  writer.begin(first.state, first.report);
  writer.publish();
  EXPECT_THROW(ResultWriter(folder / "r.h5", system, first.state, make_header()), InputError) << "it is being written";
}

TEST(Result, UnpublishedLeavesNothingAndKeepsWhatWasThere) {
  const TemporaryFolder folder;
  const System system = make_system();
  write_example(folder / "r.h5", system, 2);
  {
    const Example first(system);
    const ResultWriter writer(folder / "r.h5", system, first.state, make_header());
  }
  EXPECT_EQ(Trajectory(folder / "r.h5").rows(), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Trajectory, RefusesWhatIsNoResult) {
  const TemporaryFolder folder;
  EXPECT_THROW(Trajectory(folder / "none.h5"), InputError);
  EXPECT_THROW(Trajectory(folder.path()), InputError);
  std::ofstream(folder / "text.h5") << "no HDF5";
  EXPECT_THROW(Trajectory(folder / "text.h5"), InputError);
  Hdf5File::create(folder / "other.h5", "other.h5").close();
  EXPECT_THROW(Trajectory(folder / "other.h5"), InputError);
}

TEST(Trajectory, RefusesOtherFormats) {
  const TemporaryFolder folder;
  for (const std::int64_t format : {kResultFormat - 1, kResultFormat + 1}) {
    Hdf5File file = Hdf5File::create(folder / "r.h5", "r.h5");
    file.write_attribute("/", "stickslip", "9.0.0");
    file.write_attribute("/", "format", format);
    file.close();
    try {
      const Trajectory result(folder / "r.h5");
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(error.key(), "format");
    }
  }
}

}  // namespace
}  // namespace stickslip
