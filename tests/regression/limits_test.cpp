// SPDX-License-Identifier: BSD-3-Clause
// The certificate of a run: what passes a limit ends in status 4 (or 3), and is said in the last lines on stderr.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

/// A scene of tests/limit_scenes, run quietly with settings; --scheme and the like are settings that begin with --.
Ended run_quietly(const TemporaryFolder& folder, const std::string& scene, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = {"run", std::string(STICKSLIP_TESTS_DIR) + "/limit_scenes/" + scene + ".toml",
                                        "-o", "r.h5", "--quiet"};
  for (const std::string& setting : settings) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  return run_stickslip(arguments, folder.path());
}

const std::string kMoreau = "scheme.type=moreau";
const std::string kGeneralizedAlpha = "scheme.type=generalized-alpha";

struct Passed {
  const char* scene;
  std::vector<std::string> settings;
  std::vector<std::string> lines;  // of the end, each by a fragment, in order
};

TEST(Limits, WhatPassesOneEndsInStatus4AndIsNamedWithHowOftenAndWhere) {
  const std::vector<Passed> runs = {
      {"double_pendulum", {kMoreau}, {"drift of elbow: 0.049", "drift of shoulder: 0.017", "energy error: 0.086"}},
      {"double_pendulum", {kMoreau, "time.end=0.373"}, {"drift of elbow: 0.0005"}},
      {"hard_landing", {kMoreau}, {"penetration of ground, ball: "}},
      {"overflow", {kMoreau}, {"energy error: "}},
      {"overflow", {kGeneralizedAlpha, "limits.energy=inf"}, {"energy error: "}},
      {"coarse_spring", {kMoreau}, {"energy error: 0.1"}},
      {"unstable_spring", {kMoreau}, {"energy error: "}},
      {"late_work", {kMoreau}, {"energy error: 0.1"}},
      {"bullet",
       {kMoreau},
       {"passing unseen through each other of ball, bullet: 0.11 m at most, the limit is 0; in 1 step, "
        "first at t = 0.003 s"}},
      {"bullet", {kGeneralizedAlpha, "parameters.miss=0.109"}, {"through each other of ball, bullet: 0.001 m"}},
      {"crossing", {kMoreau, "parameters.late=0.1"}, {"through each other of a, b: "}},
      {"kane", {kMoreau}, {"contact energy of wall, two: 0.63"}},
      {"kane", {kGeneralizedAlpha}, {"contact energy of wall, two: 0.63"}},
      {"kane", {"scheme.type=event-driven"}, {"contact energy of wall, two: 0.63"}},
      {"kane", {kMoreau, "limits.contact_energy=0.6", "limits.energy=inf"}, {"contact energy of wall, two: 0.63"}},
  };
  for (const Passed& run : runs) {
    SCOPED_TRACE(run.scene + std::string(" ") + run.settings[0]);
    const TemporaryFolder folder;
    const Ended ended = run_quietly(folder, run.scene, run.settings);
    EXPECT_EQ(ended.status, 4) << ended.err;
    EXPECT_EQ(ended.out, "");
    std::istringstream text(ended.err);
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "limits of the scene were passed:");
    for (const std::string& fragment : run.lines) {
      ASSERT_TRUE(std::getline(text, line)) << fragment;
      EXPECT_NE(line.find(fragment), std::string::npos) << line;
      EXPECT_NE(line.find("at most, the limit is "), std::string::npos) << line;
      EXPECT_NE(line.find(" step"), std::string::npos) << line;
      EXPECT_NE(line.find("first at t = "), std::string::npos) << line;
    }
    EXPECT_FALSE(std::getline(text, line)) << line;
  }
}

TEST(Limits, NearMissesAreNotFlagged) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> runs = {
      {"double_pendulum", {kMoreau, "time.end=0.372"}},                          // a step before the drift is too large
      {"double_pendulum", {kMoreau, "limits.drift=0.1", "limits.energy=0.09"}},  // just above what there is
      {"kane", {kMoreau, "limits.contact_energy=0.64"}},                         // likewise
      {"kane", {kMoreau, "parameters.mu=0"}},                                    // without friction none is made
      {"kane", {kMoreau, "parameters.e=0"}},                                     // nor by a law of one e
      {"double_pendulum", {kGeneralizedAlpha}},
      {"hard_landing", {kMoreau, "parameters.speed=10"}},  // within 5 % of the ball
      {"overflow", {kMoreau, "parameters.speed=1e150"}},   // large, and finite
      {"coarse_spring", {kMoreau, "time.step=0.019"}},
      {"bullet", {kMoreau, "parameters.miss=0.110001"}},  // by a hair
      {"bullet", {kGeneralizedAlpha, "parameters.miss=-0.110001"}},
      {"crossing", {kMoreau}},  // the same place at other instants
      {"crossing", {kGeneralizedAlpha}},
      {"rest", {kMoreau}},
      {"rest", {kGeneralizedAlpha}},
      {"held", {kMoreau}},
      {"held", {kGeneralizedAlpha}},
      {"held", {kMoreau, "gravity=[0,0,-9.81]"}},
  };
  for (const auto& [scene, settings] : runs) {
    SCOPED_TRACE(scene + std::string(" ") + settings[0]);
    const TemporaryFolder folder;
    const Ended ended = run_quietly(folder, scene, settings);
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
  }
}

/// Every n-th of the scenes that ship, under their own schemes; those whose comment says what Moreau's does there,
/// under it, too.
void expect_that_shipped_scenes_end_in_status_0(std::size_t n) {
  std::vector<std::string> scenes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STICKSLIP_SCENES_DIR)) {
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path().string());
  }
  EXPECT_GT(scenes.size(), 20U);
  std::ranges::sort(scenes);
  std::vector<std::vector<std::string>> runs = {
      {shipped_scene("papers/capobianco/ball_in_cylinder.toml"), "--scheme", "moreau"},
      {shipped_scene("papers/capobianco/tippe_top.toml"), "--scheme", "moreau"}};
  for (std::size_t k = 0; k < scenes.size(); k += n) runs.push_back({scenes[k]});
  for (std::vector<std::string>& run : runs) {
    SCOPED_TRACE(run[0]);
    run.insert(run.begin(), "run");
    run.insert(run.end(), {"--quiet", "-o", "r.h5"});
    const TemporaryFolder folder;
    const Ended ended = run_stickslip(run, folder.path());
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
  }
}

TEST(Limits, AnEighthOfTheShippedScenesEndsInStatus0) {
  expect_that_shipped_scenes_end_in_status_0(8);
}

TEST(SlowLimits, ShippedScenesEndInStatus0) {
  expect_that_shipped_scenes_end_in_status_0(1);
}

TEST(Limits, OneThatStopsEndsTheRunWithStatus3) {
  const TemporaryFolder folder;
  const Ended ended = run_quietly(folder, "double_pendulum", {kMoreau, "limits.on_passing=stop"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.err.rfind("stopped by a limit of the scene: t = 0.373 s: drift of elbow: 0.0005", 0), 0U)
      << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  const Trajectory result(folder / "r.h5");
  EXPECT_EQ(result.steps(), 1 + 373) << "all up to it";
  EXPECT_NE(result.text("message").find("drift of elbow"), std::string::npos);
}

/// Its energy never pauses in its growth.
TEST(Limits, ARunThatBlowsUpIsStopped) {
  const TemporaryFolder folder;
  const Ended ended = run_quietly(folder, "unstable_spring", {kMoreau, "limits.on_passing=stop"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find(": energy error: "), std::string::npos) << ended.err;
  EXPECT_LT(Trajectory(folder / "r.h5").steps(), 20);
}

/// Though the error is small beside the energy that the run has in the end.
TEST(Limits, WhatWasWarnedOfIsSaidInTheEnd) {
  const TemporaryFolder folder;
  const Ended ended = run_stickslip(
      {"run", std::string(STICKSLIP_TESTS_DIR) + "/limit_scenes/late_work.toml", "-o", "r.h5", "--scheme", "moreau"},
      folder.path());
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.err.find("warning: t = "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("limits of the scene were passed:\nenergy error: 0.1"), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("limits passed:\nenergy error: 0.1"), std::string::npos) << ended.out;
}

/// Every pin of the chain drifts: some are told at once, the worst at the end, and how many more there are.
TEST(Limits, ManyAreToldInAFewLines) {
  const TemporaryFolder folder;
  const Ended ended =
      run_stickslip({"run", shipped_scene("chain_rigid.toml"), "-o", "r.h5", "--scheme", "moreau", "--set",
                     "limits.drift=1e-9", "--set", "limits.penetration=inf", "--set", "scheme.projection=false"},
                    folder.path());
  EXPECT_EQ(ended.status, 4);
  std::size_t warnings = 0;
  for (std::size_t at = 0; (at = ended.err.find("warning: t = ", at)) != std::string::npos; ++at) ++warnings;
  EXPECT_EQ(warnings, 8U);
  EXPECT_NE(ended.err.find("\nwarning: what else passes a limit is told at the end\n"), std::string::npos);
  EXPECT_NE(ended.err.find("\nand 11 more\n"), std::string::npos) << ended.err;
  EXPECT_LT(std::ranges::count(ended.err, '\n'), 25);
}

}  // namespace
}  // namespace stickslip::test
