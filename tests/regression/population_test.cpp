// SPDX-License-Identifier: BSD-3-Clause
// Bodies that come and go in runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "stickslip/sim/simulation.h"
#include "stickslip/verify/verify.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;

constexpr double kGravity = 9.81;  // [m/s^2]

const std::vector<std::string> kVelocitySchemes = {"type = \"moreau\"", "type = \"ccp\"", "type = \"stewart-trinkle\"",
                                                   "type = \"generalized-alpha\"",
                                                   "type = \"relaxation\", form = \"implicit\""};

std::string head(const std::string& scheme, double end) {
  return "stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = 1e-3}\noutput = {every = 1e-3}\nscheme = {" +
         scheme + "}\n";
}

RunResult run_text(const std::string& text, const TemporaryFolder& folder, const std::string& name,
                   std::vector<std::string>* told = nullptr) {
  RunOptions options;
  options.output = folder / name;
  if (told != nullptr) {
    options.tell_warnings = [told](const std::vector<std::string>& more) {
      told->insert(told->end(), more.begin(), more.end());
    };
  }
  return run(parse_scene(text, "s.toml"), options);
}

/// Of all rows the position of a body along an axis.
Vector heights(const Trajectory& result, int body, int axis) {
  return result.read("/bodies/position").col(3 * body + axis);
}

/// What comes or goes has more energy than `most` [J], and schemes make less than that.
void expect_balance(const Trajectory& result, double most) {
  for (const StepRow& step : result.read_steps(0, result.steps())) EXPECT_LE(std::abs(step.energy_error), most);
}

void expect_verified(const std::filesystem::path& path) {
  const Verification verification = verify_result(path);
  EXPECT_EQ(verification.n_false, 0) << verification.worst.what << " of " << verification.worst.who
                                     << " at t = " << verification.worst.time;
}

const std::string kTwoBalls = R"([bodies.first]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 1]
shapes.ball = {type = "sphere", radius = 0.1}
[bodies.late]
from = 0.0105
mass = 2
inertia = [1, 1, 1]
position = [0, 0, 5]
velocity = [1, 0, 0]
angular_velocity = [0, 3, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[contact_default]
friction = 0.3
)";

TEST(Population, ABodyComesAtTheFirstRowThatIsNotBeforeItsTimeUnderEveryScheme) {
  const TemporaryFolder folder;
  std::vector<std::string> schemes = kVelocitySchemes;
  for (const std::string& scheme : schemes) {
    SCOPED_TRACE(scheme);
    ASSERT_EQ(run_text(head(scheme, 0.05) + kTwoBalls, folder, "r.h5").outcome, Outcome::done);
    const Trajectory result(folder / "r.h5");
    const Vector t = result.read("/time").col(0);
    const Vector z = heights(result, 1, 2);
    const Vector x = heights(result, 1, 0);
    const RowMatrix q = result.read("/q");
    for (Eigen::Index n = 0; n < t.size(); ++n) {
      if (n < 11) {
        EXPECT_TRUE(std::isnan(z(n)) && std::isnan(q(n, 9)));
        continue;
      }
      const double since = t(n) - t(11);
      EXPECT_NEAR(x(n), since, 1e-12);
      EXPECT_NEAR(z(n), 5.0 - 0.5 * kGravity * since * since, 0.5 * kGravity * 1e-3 * since + 1e-12);
    }
    const std::vector<EventRow> events = read_events(result.file());
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].name, "late");
    EXPECT_EQ(events[0].what, "enter");
    EXPECT_EQ(events[0].time, t(11));
    expect_balance(result, 1.0);
    expect_verified(folder / "r.h5");
  }
}

TEST(Population, WhatIsThereDoesNotFeelWhoWaitsAndWhoHasGone) {
  const TemporaryFolder folder;
  const std::string floor =
      "[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0.88}\n";
  const std::string alone =
      kTwoBalls.substr(0, kTwoBalls.find("[bodies.late]")) + kTwoBalls.substr(kTwoBalls.find("[contact_default]"));
  for (const std::string& scheme : kVelocitySchemes) {
    SCOPED_TRACE(scheme);
    ASSERT_EQ(run_text(head(scheme, 0.2) + alone + floor, folder, "alone.h5").outcome, Outcome::done);
    const std::string domain = "[domain]\nbox = [[-9, -9, 0], [0.03, 9, 9]]\noutside = \"remove\"\n";
    ASSERT_EQ(run_text(head(scheme, 0.2) + kTwoBalls + floor + domain, folder, "both.h5").outcome, Outcome::done);
    const Trajectory result(folder / "both.h5");
    const double most =
        (heights(Trajectory(folder / "alone.h5"), 0, 2) - heights(result, 0, 2)).lpNorm<Eigen::Infinity>();
    EXPECT_LE(most, scheme.find("alpha") == std::string::npos ? 0.0 : 1e-9);
    const std::vector<EventRow> events = read_events(result.file());
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].name, "late");
    EXPECT_EQ(events[1].what, "leave");
    const Vector t = result.read("/time").col(0);
    const Vector x = heights(result, 1, 0);
    for (Eigen::Index n = 11; n < t.size(); ++n) EXPECT_EQ(std::isnan(x(n)), t(n) > events[1].time);
    EXPECT_NEAR(events[1].time, 0.0415, 1e-3);  // it goes at 1 m/s
    expect_balance(result, 1.0);
    expect_verified(folder / "both.h5");
  }
}

const std::string kNamed = R"([bodies.floor]
type = "fixed"
from = 0.1
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.ball]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0.2]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
name = "touch"
between = ["floor", "ball"]
friction = 0.3
)";

TEST(Population, AFloorThatComesStopsABallUnderEveryScheme) {
  const TemporaryFolder folder;
  std::vector<std::string> schemes = kVelocitySchemes;
  schemes.emplace_back("type = \"event-driven\"");
  for (const std::string& scheme : schemes) {
    SCOPED_TRACE(scheme);
    ASSERT_NE(run_text(head(scheme, 0.4) + kNamed, folder, "r.h5").outcome, Outcome::failed);
    const Trajectory result(folder / "r.h5");
    const RowMatrix gap = result.read("/contacts/gap");
    const RowMatrix status = result.read("/contacts/status");
    const Vector z = heights(result, 1, 2);
    EXPECT_TRUE(std::isnan(gap(99, 0)) && status(99, 0) == 0.0);
    EXPECT_TRUE(std::isnan(heights(result, 0, 2)(99)));
    EXPECT_NEAR(gap(100, 0), z(100) - 0.1, 1e-12);
    EXPECT_NEAR(z(z.size() - 1), 0.1, scheme.find("relaxation") == std::string::npos ? 2e-3 : 1e-2);
    expect_verified(folder / "r.h5");
  }
}

TEST(Population, WhoIsOutsideStopsTheRunOrStays) {
  const TemporaryFolder folder;
  const std::string domain = "[domain]\nbox = [[-9, -9, 0.9], [9, 9, 9]]\noutside = ";
  const RunResult failed =
      run_text(head(kVelocitySchemes[0], 0.3) + kTwoBalls + domain + "\"error\"\n", folder, "e.h5");
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_NE(failed.message.find("domain: body 'first' is outside"), std::string::npos) << failed.message;
  EXPECT_NEAR(failed.time, std::sqrt(0.2 / kGravity), 2e-3);
  std::vector<std::string> told;
  EXPECT_EQ(run_text(head(kVelocitySchemes[0], 0.3) + kTwoBalls + domain + "\"keep\"\n", folder, "k.h5", &told).outcome,
            Outcome::done);
  EXPECT_EQ(std::ranges::count_if(told, [](const std::string& line) { return line.starts_with("domain: body"); }), 1);
  EXPECT_EQ(read_events(Trajectory(folder / "k.h5").file()).size(), 1U);
}

const std::string kRain = R"([bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[[fill]]
body = {density = 1000, shapes.ball = {type = "sphere", radius = {uniform = [0.02, 0.03]}}}
random = {count = 12, box = [[-0.08, -0.08, 0.1], [0.08, 0.08, 0.25]]}
rate = 200
from = 0.002
seed = 5
[contact_default]
friction = 0.3
[domain]
box = [[-9, -9, 0.06], [9, 9, 9]]
outside = "remove"
)";

TEST(Population, BodiesOfARateComeInTurnWhereThereIsRoomAndAllAreCounted) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kVelocitySchemes) {
    SCOPED_TRACE(scheme);
    ASSERT_NE(run_text(head(scheme, 0.4) + kRain, folder, "r.h5").outcome, Outcome::failed);
    const Trajectory result(folder / "r.h5");
    const std::vector<EventRow> events = read_events(result.file());
    std::vector<double> entered;
    int left = 0;
    for (const EventRow& event : events) {
      if (event.what == "leave") ++left;
      if (event.what != "enter") continue;
      EXPECT_EQ(event.name, "fill" + std::to_string(entered.size()));
      EXPECT_GE(event.time, 0.002 + 0.005 * static_cast<double>(entered.size()) - 1e-9);
      const auto row = static_cast<Eigen::Index>(std::lround(event.time / 1e-3));
      const auto body = static_cast<int>(entered.size()) + 1;
      const Vector3 x = result.read("/bodies/position").row(row).segment<3>(3 * body).transpose();
      EXPECT_TRUE((x.head<2>().cwiseAbs().array() <= 0.06).all() && x(2) >= 0.12 && x(2) <= 0.23) << x.transpose();
      entered.push_back(event.time);
    }
    EXPECT_EQ(entered.size(), 12U);
    EXPECT_EQ(left, 12);
    for (const StepRow& step : result.read_steps(0, result.steps())) EXPECT_LE(step.penetration, 1e-3);
    expect_balance(result, 0.02);
    expect_verified(folder / "r.h5");
  }
}

TEST(Population, ResumedRunsHaveTheSameBitsUnderEveryScheme) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kVelocitySchemes) {
    for (const std::string& body : {kTwoBalls, kRain}) {
      SCOPED_TRACE(scheme);
      ASSERT_NE(run_text(head(scheme, 0.12) + body, folder, "whole.h5").outcome, Outcome::failed);
      for (const double middle : {0.011, 0.03}) {
        ASSERT_NE(run_text(head(scheme, middle) + body, folder, "part.h5").outcome, Outcome::failed);
        RunOptions options;
        options.output = folder / "resumed.h5";
        options.resume = folder / "part.h5";
        ASSERT_NE(run(parse_scene(head(scheme, 0.12) + body, "s.toml"), options).outcome, Outcome::failed);
        EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / "resumed.h5")) << middle;
      }
    }
  }
}

TEST(Population, AutomaticStepsTakeBodiesInAndResumeToTheBit) {
  const TemporaryFolder folder;
  const auto text = [&](double end) {
    return "stickslip = 1\ntime = {end = " + std::to_string(end) +
           ", step = \"auto\", max_step = 5e-3}\noutput = {every = 1e-2}\nscheme = {type = \"generalized-alpha\"}\n" +
           kTwoBalls +
           "[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = "
           "0.85}\n";
  };
  ASSERT_NE(run_text(text(0.3), folder, "whole.h5").outcome, Outcome::failed);
  const std::vector<EventRow> events = read_events(Trajectory(folder / "whole.h5").file());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_GE(events[0].time, 0.0105);
  EXPECT_LE(events[0].time, 0.0155);
  expect_balance(Trajectory(folder / "whole.h5"), 1.0);
  ASSERT_NE(run_text(text(0.1), folder, "part.h5").outcome, Outcome::failed);
  RunOptions options;
  options.output = folder / "resumed.h5";
  options.resume = folder / "part.h5";
  ASSERT_NE(run(parse_scene(text(0.3), "s.toml"), options).outcome, Outcome::failed);
  EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / "resumed.h5"));
}

TEST(Population, SimulationsGoBackToWhoWasThere) {
  Simulation simulation(parse_scene(head(kVelocitySchemes[0], 0.4) + kRain, "s.toml"));
  const SavedState start = simulation.save();
  for (int n = 0; n < 40; ++n) ASSERT_NE(simulation.step(), Status::failed);
  const SavedState middle = SavedState::from_bytes(simulation.save().to_bytes());
  for (int n = 0; n < 300; ++n) ASSERT_NE(simulation.step(), Status::failed);
  const Vector end = simulation.state().q;
  EXPECT_EQ(simulation.calc_mass_matrix().diagonal()(0), 0.0);  // it has gone
  EXPECT_TRUE(std::isnan(simulation.shown_q()(0)));
  simulation.restore(middle);
  EXPECT_GT(simulation.calc_mass_matrix().diagonal()(0), 0.0);
  EXPECT_FALSE(std::isnan(simulation.shown_q()(0)));
  for (int n = 0; n < 300; ++n) ASSERT_NE(simulation.step(), Status::failed);
  EXPECT_EQ(simulation.state().q, end);
  simulation.restore(start);
  EXPECT_TRUE(std::isnan(simulation.shown_q()(0)));
}

/// Where no body with corners is there at the start, those that come meet all the same.
TEST(Population, BoxesThatComeLieOnEachOther) {
  const TemporaryFolder folder;
  for (const std::string& scheme : kVelocitySchemes) {
    run_text(head(scheme, 0.5) +
                 "contact_default = {friction = 0.3}\nbodies.floor = {type = \"fixed\", shapes.top = {type = "
                 "\"half-space\", normal = [0, 0, 1]}}\nbodies.low = {density = 1000, from = 0.05, position = [0, 0, "
                 "0.1], shapes.box = {type = \"box\", size = [0.2, 0.2, 0.2]}}\nbodies.high = {density = 1000, from = "
                 "0.1, position = [0, 0, 0.32], shapes.box = {type = \"box\", size = [0.2, 0.2, 0.2]}}\n",
             folder, "r.h5");
    const Vector z = heights(Trajectory(folder / "r.h5"), 2, 2);
    EXPECT_NEAR(z(z.size() - 1), 0.3, 2e-3) << scheme;
    expect_verified(folder / "r.h5");
  }
}

/// Bodies that a measure does not mean may come on both sides of its plane.
TEST(Population, PlanesCutFillsOfOtherGroups) {
  const auto text = [](const std::string& group) {
    return "stickslip = 1\ntime = {end = 0.1, step = 0.01}\nbodies.ball = {mass = 1, inertia = [1, 1, 1], group = "
           "\"balls\"}\nmeasures = [{name = \"m\", group = \"" +
           group +
           "\", plane = {point = [0, 0, 5.5], normal = [0, 0, 1]}}]\n[[fill]]\nrate = 5\nrandom = {count = 2, box = "
           "[[0, 0, 5], [1, 1, 6]]}\nbody = {density = 1, group = \"rain\", shapes.drop = {type = \"sphere\", radius = "
           "0.1}}\n";
  };
  EXPECT_NO_THROW(build(parse_scene(text("balls"), "s.toml")));
  EXPECT_THROW(build(parse_scene(text("rain"), "s.toml")), InputError);
}

/// The shipped silo with so many grains: all go, each is counted, and a run that is resumed in the middle is the same.
void expect_empty_silo(int grains, double end, double middle) {
  const TemporaryFolder folder;
  const auto silo = [&](double until) {
    LoadOptions options;
    options.overrides = {"parameters.grains=" + std::to_string(grains), "time.end=" + std::to_string(until)};
    return load_scene(std::string(STICKSLIP_SCENES_DIR) + "/silo.toml", options);
  };
  RunOptions options;
  options.output = folder / "whole.h5";
  ASSERT_NE(run(silo(end), options).outcome, Outcome::failed);
  const Trajectory result(folder / "whole.h5");
  const std::vector<EventRow> events = read_events(result.file());
  EXPECT_EQ(static_cast<int>(events.size()), grains);
  std::set<std::string> names;
  for (const EventRow& event : events) {
    EXPECT_EQ(event.what, "leave");
    names.insert(event.name);
  }
  EXPECT_EQ(static_cast<int>(names.size()), grains);
  const RowMatrix bodies = result.read("/measures/bodies");
  const RowMatrix crossed = result.read("/measures/crossed");
  EXPECT_EQ(bodies(0, 0), grains);
  EXPECT_EQ(bodies(bodies.rows() - 1, 0), 0.0);
  EXPECT_EQ(crossed(crossed.rows() - 1, 0), grains);
  const RowMatrix x = result.read("/bodies/position");
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    int present = 0;
    for (int k = 0; k < grains; ++k) present += std::isnan(x(row, 3 * (k + 3))) ? 0 : 1;
    EXPECT_EQ(bodies(row, 0), present);
  }
  options.output = folder / "part.h5";
  ASSERT_NE(run(silo(middle), options).outcome, Outcome::failed);
  ASSERT_GT(read_events(Trajectory(folder / "part.h5").file()).size(), 0U);
  options.output = folder / "resumed.h5";
  options.resume = folder / "part.h5";
  ASSERT_NE(run(silo(end), options).outcome, Outcome::failed);
  EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / "resumed.h5"));
}

TEST(Population, ASiloEmptiesAndEveryGrainIsCounted) {
  expect_empty_silo(60, 1.2, 0.6);
}

TEST(SlowPopulation, ASiloOfTwoThousandGrainsEmpties) {
  expect_empty_silo(2000, 8.0, 2.0);
}

}  // namespace
}  // namespace stickslip
