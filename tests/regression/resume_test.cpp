// SPDX-License-Identifier: BSD-3-Clause
// A run that was killed or interrupted, and resumed, leaves the same bits as one that was not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/load_scene.h"

#include "tests/support/process.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

/// A top that turns over: contacts open and close, so that a warm start and its lack differ in the last bits.
const Arguments kTippeTop = {"run",
                             shipped_scene("papers/capobianco/tippe_top.toml"),
                             "--quiet",
                             "--scheme",
                             "moreau",
                             "--set",
                             "output.every=1e-3",
                             "time.step=1e-4",
                             "--checkpoint-every",
                             "0.0137"};

/// h5diff is what a user would ask; without it our own comparison has to do.
void expect_no_difference(const TemporaryFolder& folder, const std::string& a, const std::string& b) {
  EXPECT_TRUE(same_result(folder / a, folder / b));
  const Ended tool = run_process({"h5diff", a, b}, folder.path());
  if (tool.status != 127) {
    EXPECT_EQ(tool.status, 0) << tool.out << tool.err;
  }
}

/// Lets the process run until its result has at least so many rows of /steps on the disk, then kills it.
/// False where it ended before.
bool kill_after(Process& process, const fs::path& result, std::int64_t steps) {
  while (process.running()) {
    try {
      if (fs::exists(result) && Trajectory(result).steps() >= steps) {
        process.send(SIGKILL);
        process.wait();
        return true;
      }
    } catch (const InputError&) {
      // Caught between two writes: look again.
    }
  }
  return false;
}

TEST(Resume, AfterKillsAtAnyMomentEveryDatasetIsTheSame) {
  const TemporaryFolder folder;
  // A limit that is passed again and again: what passed it is counted on after a kill.
  const Arguments scene = joined(kTippeTop, {"--end", "2", "--set", "limits.penetration=1e-6"});
  ASSERT_EQ(run_stickslip(joined(scene, {"-o", "whole.h5"}), folder.path()).status, 4);
  ASSERT_EQ(Trajectory(folder / "whole.h5").limits().size(), 1U);

  std::mt19937 random(7);
  int kills = 0;
  std::int64_t target = 0;
  Arguments arguments = joined(scene, {"-o", "killed.h5"});
  for (int attempt = 0; attempt < 8; ++attempt) {
    target += std::uniform_int_distribution<std::int64_t>(200, 4000)(random);
    Process process(joined({STICKSLIP_PROGRAM}, arguments), folder.path());
    if (!kill_after(process, folder / "killed.h5", target)) break;
    ++kills;
    ASSERT_NO_THROW(Trajectory(folder / "killed.h5").read("/q"));
    arguments = joined(scene, {"--resume", "killed.h5"});
  }
  EXPECT_GE(kills, 1);
  const Ended last = run_stickslip(joined(scene, {"--resume", "killed.h5"}), folder.path());
  ASSERT_EQ(last.status, 4) << last.err;
  expect_no_difference(folder, "whole.h5", "killed.h5");
}

TEST(Resume, AWallThatABallBreaksIsTheSameAfterAKill) {
  // Contact points that come and go, by detection: what their forces were is found again by their features.
  const TemporaryFolder folder;
  const Arguments scene = {
      "run", shipped_scene("wall_hit_by_ball.toml"), "--quiet", "--end", "0.2", "--checkpoint-every", "0.004"};
  ASSERT_EQ(run_stickslip(joined(scene, {"-o", "whole.h5"}), folder.path()).status, 0);
  Arguments arguments = joined(scene, {"-o", "killed.h5"});
  for (const std::int64_t row : {8, 25}) {  // of 50: before the ball strikes or as it does, and among falling bricks
    Process process(joined({STICKSLIP_PROGRAM}, arguments), folder.path());
    ASSERT_TRUE(kill_after(process, folder / "killed.h5", row));
    arguments = joined(scene, {"--resume", "killed.h5"});
  }
  const Ended last = run_stickslip(arguments, folder.path());
  ASSERT_EQ(last.status, 0) << last.err;
  expect_no_difference(folder, "whole.h5", "killed.h5");
}

TEST(Resume, AKilledResultIsClearedByInfo) {
  const TemporaryFolder folder;
  Process process(joined({STICKSLIP_PROGRAM}, joined(kTippeTop, {"--end", "50", "-o", "r.h5"})), folder.path());
  ASSERT_TRUE(kill_after(process, folder / "r.h5", 3000));
  EXPECT_TRUE(Hdf5File::is_marked(folder / "r.h5"));
  const std::int64_t rows = Trajectory(folder / "r.h5").rows();
  const Ended info = run_stickslip({"info", "r.h5"}, folder.path());
  EXPECT_EQ(info.status, 0);
  EXPECT_NE(info.out.find("killed"), std::string::npos) << info.out;
  EXPECT_FALSE(Hdf5File::is_marked(folder / "r.h5"));
  EXPECT_EQ(Trajectory(folder / "r.h5").rows(), rows);
}

TEST(Resume, CtrlCEndsInOrderAndCanGoOn) {
  const TemporaryFolder folder;
  const Arguments scene = joined(kTippeTop, {"--end", "1.5", "--csv"});
  ASSERT_EQ(run_stickslip(joined(scene, {"whole.csv", "-o", "whole.h5"}), folder.path()).status, 0);
  {
    Process process(joined({STICKSLIP_PROGRAM}, joined(scene, {"part.csv", "-o", "part.h5"})), folder.path());
    while (process.running() && !fs::exists(folder / "part.h5")) std::this_thread::yield();
    process.send(SIGINT);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_NE(process.err().find("--resume part.h5"), std::string::npos) << process.err();
  }
  EXPECT_FALSE(Hdf5File::is_marked(folder / "part.h5"));
  EXPECT_EQ(Trajectory(folder / "part.h5").text("outcome"), "interrupted");
  const Ended resumed =
      run_stickslip(joined(scene, {"copy.csv", "--resume", "part.h5", "-o", "copy.h5"}), folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Trajectory(folder / "part.h5").text("outcome"), "interrupted") << "-o leaves the original alone";
  expect_no_difference(folder, "whole.h5", "copy.h5");
  EXPECT_EQ(run_process({"cmp", "whole.csv", "copy.csv"}, folder.path()).status, 0);
}

TEST(Resume, ALaterEndContinuesAFinishedRun) {
  const TemporaryFolder folder;
  // Ends between two steps and between two rows.
  ASSERT_EQ(run_stickslip(joined(kTippeTop, {"--end", "0.30005", "-o", "r.h5"}), folder.path()).status, 0);
  ASSERT_EQ(run_stickslip(joined(kTippeTop, {"--end", "0.5", "--resume", "r.h5"}), folder.path()).status, 0);
  ASSERT_EQ(run_stickslip(joined(kTippeTop, {"--end", "0.5", "-o", "whole.h5"}), folder.path()).status, 0);
  expect_no_difference(folder, "whole.h5", "r.h5");
}

TEST(Resume, BodiesFromAFileAreInTheResultHoweverMany) {
  constexpr int kBodies = 32'000;  // [-] more text than a scene file may have: 9 MB
  const TemporaryFolder folder;
  {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> draw(0.1, 1.0);
    std::ofstream state(folder / "state.csv");
    std::ofstream(folder / "scene.toml") << "stickslip = 1\ntime = {end = 2e-3, step = 1e-3}\n"
                                         << "[[fill]]\nfile = \"state.csv\"\nbody = {density = 1000}\n";
    for (int i = 0; i < kBodies; ++i) {
      std::string line = fmt::format("{:.17g}", draw(random));
      for (int k = 1; k < 14; ++k) line += fmt::format(",{:.17g}", draw(random));
      state << line << '\n';
    }
  }
  const Arguments scene = {"run", "scene.toml", "--quiet"};
  ASSERT_EQ(run_stickslip(joined(scene, {"--end", "1e-3", "-o", "r.h5"}), folder.path()).status, 0);
  const Ended resumed = run_stickslip(joined(scene, {"--resume", "r.h5"}), folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_GT(Trajectory(folder / "r.h5").scene().size(), LoadOptions{}.max_bytes);
  ASSERT_EQ(run_stickslip(joined(scene, {"-o", "whole.h5"}), folder.path()).status, 0);
  expect_no_difference(folder, "whole.h5", "r.h5");
}

TEST(Resume, RefusesAnotherScene) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_stickslip(joined(kTippeTop, {"--end", "0.1", "-o", "r.h5"}), folder.path()).status, 0);
  for (const char* setting :
       {"bodies.top.mass=7e-3", "time.step=2e-4", "solver.tolerance=1e-9", "contacts.main.friction=.2"}) {
    const Ended other =
        run_stickslip(joined(kTippeTop, {"--end", "0.2", "--resume", "r.h5", "--set", setting}), folder.path());
    EXPECT_EQ(other.status, 2) << setting;
    EXPECT_NE(other.err.find("time.end and output only"), std::string::npos) << other.err;
  }
  const Ended earlier = run_stickslip(joined(kTippeTop, {"--end", "0.05", "--resume", "r.h5"}), folder.path());
  EXPECT_EQ(earlier.status, 2);
  EXPECT_NE(earlier.err.find("time.end"), std::string::npos) << earlier.err;
  const Ended coarser = run_stickslip(
      joined(kTippeTop, {"--end", "0.2", "--resume", "r.h5", "--set", "output.every=0.01"}), folder.path());
  EXPECT_EQ(coarser.status, 0) << coarser.err;
}

TEST(Resume, RefusesAResultThatIsBeingWritten) {
  const TemporaryFolder folder;
  const Arguments scene = joined(kTippeTop, {"--end", "1000"});
  Process process(joined({STICKSLIP_PROGRAM}, joined(scene, {"-o", "r.h5"})), folder.path());
  while (process.running() && !fs::exists(folder / "r.h5")) std::this_thread::yield();
  const TemporaryFolder elsewhere;
  for (const char* option : {"--resume", "-o"}) {
    const Ended other = run_stickslip(joined(scene, {option, (folder / "r.h5").string()}), elsewhere.path());
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("another run is writing it"), std::string::npos) << other.err;
  }
  const Ended info = run_stickslip({"info", (folder / "r.h5").string()}, elsewhere.path());
  EXPECT_EQ(info.status, 0);
  EXPECT_NE(info.out.find("(running)"), std::string::npos) << info.out;
  EXPECT_TRUE(Hdf5File::is_marked(folder / "r.h5")) << "a live file keeps its mark";
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 130);
}

TEST(BitIdentity, TheSameSceneTwiceGivesTheSameBits) {
  const TemporaryFolder folder;
  for (const char* scene : {"papers/capobianco/bouncing_ball_slip.toml", "box_incline_35.toml", "spring_slider.toml",
                            "papers/capobianco/ball_in_corner.toml"}) {
    for (const char* result : {"a.h5", "b.h5"}) {
      const Ended run =
          run_stickslip({"run", shipped_scene(scene), "-o", result, "--quiet", "--end", "0.4"}, folder.path());
      ASSERT_EQ(run.status, 0) << scene << run.err;
    }
    expect_no_difference(folder, "a.h5", "b.h5");
  }
}

TEST(BitIdentity, TheStoredSceneRunsToTheSameBits) {
  const TemporaryFolder folder;
  const std::string scene = shipped_scene("papers/capobianco/sliding_rod.toml");
  ASSERT_EQ(
      run_stickslip({"run", scene, "-o", "a.h5", "--quiet", "--set", "contacts.tip-ground.friction=.4"}, folder.path())
          .status,
      0);
  std::ofstream(folder / "again.toml") << Trajectory(folder / "a.h5").text("scene");
  ASSERT_EQ(run_stickslip({"run", "again.toml", "-o", "b.h5", "--quiet"}, folder.path()).status, 0);
  expect_no_difference(folder, "a.h5", "b.h5");
}

}  // namespace
}  // namespace stickslip::test
