// SPDX-License-Identifier: BSD-3-Clause
// Contacts that are found on the way are the contacts that a scene could have named, under every scheme.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>

#include "stickslip/io/result_reader.h"
#include "stickslip/sim/run.h"
#include "tests/support/scene_run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

constexpr int kDiscs = 12;

/// Twelve discs fall into a box with walls of one body each.
std::string discs(const std::string& scheme, double restitution, const std::string& contacts) {
  return fmt::format(R"(
stickslip = 1
gravity = [0, -9.81]
time = {{end = 0.25, step = 1e-3}}
scheme = {{{}}}

[bodies.floor]
type = "fixed"
shapes.face = {{type = "half-space", normal = [0, 1]}}
[bodies.left]
type = "fixed"
shapes.face = {{type = "half-space", normal = [1, 0]}}
[bodies.right]
type = "fixed"
shapes.face = {{type = "half-space", normal = [-1, 0], offset = -0.2}}

[[fill]]
prefix = "disc"
grid = {{counts = [4, 3], spacing = 0.048, origin = [0.03, 0.04]}}
jitter = 2e-3
seed = 2
body = {{type = "planar", density = 1000, shapes.hull = {{type = "sphere", radius = {{uniform = [0.017, 0.021]}}}}}}
)",
                     scheme) +
         fmt::format(fmt::runtime(contacts), restitution);
}

const char* const kDefault = "[contact_default]\nfriction = 0.3\nrestitution = {{normal = {}}}\n";

/// All pairs by name, in the order of the ids of detected contacts.
std::string named(double restitution) {
  std::string text;
  const auto add = [&](const std::string& first, const std::string& second) {
    text += fmt::format("[[contacts]]\nbetween = [\"{}\", \"{}\"]\nfriction = 0.3\nrestitution = {{{{normal = {}}}}}\n",
                        first, second, restitution);
  };
  for (const char* wall : {"floor", "left", "right"}) {
    for (int i = 0; i < kDiscs; ++i) add(wall, fmt::format("disc{}", i));
  }
  for (int i = 0; i < kDiscs; ++i) {
    for (int j = i + 1; j < kDiscs; ++j) add(fmt::format("disc{}", i), fmt::format("disc{}", j));
  }
  return text;
}

class DetectedContacts : public testing::TestWithParam<const char*> {};

/// To the last bit: candidates that stay open take no part in a step. Those that may close are rows of ccp's problem,
/// more or fewer of them: to what the solver's tolerance leaves, which grows in a heap.
TEST_P(DetectedContacts, MoveAsNamedOnesDo) {
  const bool has_open_rows = std::string(GetParam()).find("ccp") != std::string::npos;
  const double difference = has_open_rows ? 1e-8 : 0.0;
  for (const double restitution : {0.0, 0.3}) {
    SceneRun detected = scene_from_text(discs(GetParam(), restitution, kDefault));
    SceneRun all = scene_from_text(discs(GetParam(), restitution, named(restitution)));
    int most = 0;
    double listed = 0.0;
    for (int n = 0; n < 250; ++n) {
      const Status status = detected.step();
      ASSERT_NE(status, Status::failed) << n;
      ASSERT_EQ(all.step(), status) << n;
      ASSERT_LE((detected.state.q - all.state.q).norm(), difference) << n;
      ASSERT_LE((detected.state.u - all.state.u).norm(), difference) << n;
      EXPECT_EQ(detected.report.closed_contacts, all.report.closed_contacts) << n;
      EXPECT_NEAR(detected.report.penetration, all.report.penetration, difference) << n;
      most = std::max(most, detected.report.closed_contacts);
      listed += static_cast<double>(detected.report.contacts.size()) / 250.0;
    }
    EXPECT_GT(most, 12) << "the discs must meet";
    EXPECT_LT(listed, 40.0) << "of 102 pairs only those that are near";
  }
}

/// The bytes of a state and a stepper made anew go on with the same bits.
TEST_P(DetectedContacts, ASavedStateGoesOnWithTheSameBits) {
  SceneRun whole = scene_from_text(discs(GetParam(), 0.3, kDefault));
  for (int n = 0; n < 150; ++n) ASSERT_NE(whole.step(), Status::failed);
  SceneRun resumed = scene_from_text(discs(GetParam(), 0.3, kDefault));
  resumed.state = state_from_bytes(to_bytes(whole.state));
  for (int n = 0; n < 50; ++n) {
    const Status status = whole.step();
    ASSERT_EQ(resumed.step(), status);
    ASSERT_EQ(to_bytes(resumed.state), to_bytes(whole.state)) << n;
  }
}

/// Balls of different size shot into a cloud, nothing else: momentum and angular momentum stay.
TEST_P(DetectedContacts, BallsThatCollideKeepTheirMomentum) {
  SceneRun run = scene_from_text(fmt::format(R"(
stickslip = 1
gravity = [0, 0, 0]
time = {{end = 0.3, step = 1e-3}}
scheme = {{{}}}
[bodies.shot]
density = 3000
position = [-0.3, 0.01, 0.02]
velocity = [3, 0, 0]
angular_velocity = [0, 0, 20]
shapes.hull = {{type = "sphere", radius = 0.04}}
[[fill]]
random = {{count = 12, box = [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]}}
body = {{density = 1000, shapes.hull = {{type = "sphere", radius = {{uniform = [0.02, 0.03]}}}}}}
[contact_default]
friction = 0.4
restitution = {{normal = 0.5}}
)",
                                             GetParam()));
  const System& system = *run.built.system;
  const auto momentum = [&] {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t i = 0; i < system.bodies().size(); ++i) {
      const Body& body = system.bodies()[i];
      const Pose pose = system.calc_pose(static_cast<int>(i), run.state.t, run.state.q);
      const Twist twist = system.calc_twist(static_cast<int>(i), run.state.t, run.state.q, run.state.u);
      sum.head<3>() += body.mass * twist.v_WB;
      sum.tail<3>() +=
          body.mass * pose.p_WB.cross(twist.v_WB) + pose.R_WB * body.inertia * pose.R_WB.transpose() * twist.w_WB;
    }
    return sum;
  };
  const Eigen::Matrix<double, 6, 1> start = momentum();
  int hits = 0;
  int before = 0;
  for (int n = 0; n < 300; ++n) {
    ASSERT_NE(run.step(), Status::failed) << n;
    hits += std::max(0, run.report.closed_contacts - before);
    before = run.report.closed_contacts;
  }
  EXPECT_GT(hits, 5);
  // Percussions act on both bodies at points that are a gap apart: exact for momentum, and for angular momentum up to
  // the way of a step times a percussion.
  EXPECT_LT((momentum() - start).head<3>().norm(), 1e-12 * start.head<3>().norm() + 1e-13);
  EXPECT_LT((momentum() - start).tail<3>().norm(), 0.02 * start.tail<3>().norm());
}

constexpr std::array kSchemeNames = {"Moreau", "Ccp", "GeneralizedAlpha"};
// Where positions are put right, by default with detected contacts, the two differ by what is looked at beyond a step.
INSTANTIATE_TEST_SUITE_P(Schemes, DetectedContacts,
                         testing::Values("type = \"moreau\", projection = false", "type = \"ccp\", projection = false",
                                         "type = \"generalized-alpha\""),
                         [](const auto& scheme) { return kSchemeNames[scheme.index]; });

const char* const kTwoOnTheFloor = R"(
stickslip = 1
gravity = [0, -9.81]
time = {{end = 0.1, step = 1e-3}}
[bodies.floor]
type = "fixed"
group = "walls"
shapes.face = {{type = "half-space", normal = [0, 1]}}
[bodies.a]
type = "planar"
density = 1000
position = [0, 0.1]
shapes.hull = {{type = "sphere", radius = 0.1}}
[bodies.b]
type = "planar"
density = 1000
position = [0, 0.3]
shapes.hull = {{type = "sphere", radius = 0.1}}
[contact_default]
friction = 0.3
{}
)";

int count_closed(const std::string& more) {
  SceneRun run = scene_from_text(fmt::format(fmt::runtime(kTwoOnTheFloor), more));
  run.run();
  return run.report.closed_contacts;
}

TEST(ContactDefault, ExceptionsKeepShapesApart) {
  EXPECT_EQ(count_closed(""), 2);
  EXPECT_EQ(count_closed("except = [[\"a\", \"b\"]]"), 1);
  EXPECT_EQ(count_closed("except = [[\"b/hull\", \"a\"], [\"c\", \"c\"]]\n[bodies.c]\ntype = \"fixed\""), 1);
  EXPECT_EQ(count_closed("except = [[\"group:walls\", \"a\"], [\"group:walls\", \"b\"]]"), 0) << "both fall";
}

TEST(ContactDefault, ANamedPairIsNotDetectedAgain) {
  SceneRun run = scene_from_text(fmt::format(
      fmt::runtime(kTwoOnTheFloor), "[[contacts]]\nname = \"on\"\nbetween = [\"floor\", \"a\"]\nfriction = 0.1"));
  run.run();
  EXPECT_EQ(run.report.closed_contacts, 2);
  ASSERT_GE(run.report.contacts.size(), 2U);
  EXPECT_EQ(run.report.contacts[0].contact, 0);
  for (std::size_t k = 1; k < run.report.contacts.size(); ++k) {
    EXPECT_EQ(run.report.contacts[k].contact, kDetected);
    const bool same = run.report.contacts[k].body_a == 0 && run.report.contacts[k].body_b == 1;
    EXPECT_FALSE(same);
  }
}

/// The weight of both discs stands on the floor, in the file as in the report.
TEST(ContactDefault, ContactsAreInTheResult) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "result.h5";
  const Scene scene = parse_scene(fmt::format(fmt::runtime(kTwoOnTheFloor), ""), "two.toml");
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const Trajectory result(folder / "result.h5");
  ASSERT_EQ(result.rows(), 101);
  const RowMatrix offsets = result.read("/contact_sets/offsets", 0, 102);
  EXPECT_EQ(offsets(0, 0), 0.0);
  const auto first = static_cast<std::int64_t>(offsets(100, 0));
  ASSERT_EQ(offsets(101, 0) - offsets(100, 0), 2.0);
  const auto read = [&](const char* name) { return result.read(std::string("/contact_sets/") + name, first, 2); };
  const double weight = 1000.0 * 3.14159265358979 * 0.01 * 9.81;  // [N] of a disc, per unit of thickness
  EXPECT_EQ(read("body_a")(0, 0), 0.0);                           // the floor
  EXPECT_EQ(read("body_b")(0, 0), 1.0);
  EXPECT_EQ(read("body_a")(1, 0), 1.0);
  EXPECT_EQ(read("body_b")(1, 0), 2.0);
  EXPECT_NEAR(read("percussion")(0, 1), 2.0 * weight * 1e-3, 1e-9);
  EXPECT_NEAR(read("percussion")(1, 1), weight * 1e-3, 1e-9);
  EXPECT_NEAR(read("point")(1, 1), 0.2, 1e-9);
  EXPECT_NEAR(read("normal")(1, 1), 1.0, 1e-12);
  EXPECT_EQ(read("status")(0, 0), 1.0);
}

}  // namespace
}  // namespace stickslip::test
