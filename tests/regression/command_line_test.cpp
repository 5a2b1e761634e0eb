// SPDX-License-Identifier: BSD-3-Clause
// What the program answers: exit statuses, messages, and what it leaves behind.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "stickslip/io/result_reader.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

const std::string kBall = shipped_scene("papers/capobianco/bouncing_ball_zeno.toml");

/// Names of what a folder holds, but for the captured output.
std::vector<std::string> contents(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name != ".stdout" && name != ".stderr") names.push_back(name);
  }
  return names;
}

void expect_refused(const Ended& ended, const std::string& fragment) {
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_NE(ended.err.find(fragment), std::string::npos) << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_EQ(ended.out, "");
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string fragment;
};

TEST(CommandLine, BadUsageIsRefusedInOneMessageAndLeavesNothing) {
  const std::vector<Refusal> refusals = {{{"rnu", "x"}, "did you mean 'run'"},
                                         {{"compare", "x"}, "not available in this version"},
                                         {{"run"}, "scene"},
                                         {{"run", "nosuch.toml"}, "nosuch.toml"},
                                         {{"run", kBall, "--shceme", "moreau"}, "did you mean '--scheme'"},
                                         {{"run", kBall, "--scheme", "morau"}, "did you mean 'moreau'"},
                                         {{"run", kBall, "--solver", "ngs"}, "did you mean 'nsgs'"},
                                         {{"run", kBall, "--set", "bodies.ball.mas=2"}, "did you mean 'mass'"},
                                         {{"run", kBall, "--step", "0"}, "time.step"},
                                         {{"run", kBall, "--end", "x"}, "time.end"},
                                         {{"run", kBall, "--threads", "0"}, "--threads"},
                                         {{"run", kBall, "--checkpoint-every", "-1"}, "--checkpoint-every"},
                                         {{"run", kBall, "--vtk", "x"}, "not available in this version"},
                                         {{"run", kBall, "one", "more"}, "not expected"},
                                         {{"run", kBall, "-o", "none/r.h5"}, "folder none does not exist"},
                                         {{"run", kBall, "-o", "/dev/full"}, "is not a file"},
                                         {{"run", kBall, "-o", "."}, "is a folder"},
                                         {{"run", kBall, "-o", kBall}, "scene itself"},
                                         {{"run", kBall, "--csv", "none/r.csv"}, "folder none does not exist"},
                                         {{"run", kBall, "--csv", "/dev/full"}, "No space left"},
                                         {{"run", kBall, "-o", "r", "--csv", "r"}, "both"},
                                         {{"run", kBall, "--resume", "none.h5"}, "no such file"},
                                         {{"run", kBall, "-o", "r.h5", "--resume", kBall}, "not an HDF5 file"},
                                         {{"info", "none.h5"}, "no such file"},
                                         {{"info", kBall}, "not an HDF5 file"},
                                         {{"list", "schmes"}, "did you mean 'schemes'"},
                                         {{"gallery"}, "--output"},
                                         {{"gallery", "capobianko", "-o", "x"}, "did you mean 'capobianco'"}};
  const TemporaryFolder folder;
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.fragment);
    expect_refused(run_stickslip(refusal.arguments, folder.path()), refusal.fragment);
    EXPECT_TRUE(contents(folder).empty());
  }
}

TEST(CommandLine, EveryBadSceneIsRefusedInItsPlaceAndLeavesNothing) {
  const TemporaryFolder folder;
  const fs::path scenes = fs::path(STICKSLIP_TESTS_DIR) / "bad_scenes";
  std::ifstream manifest(scenes / "manifest.txt");
  int refused = 0;
  for (std::string line; std::getline(manifest, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string file = line.substr(0, line.find_first_of(" |"));
    SCOPED_TRACE(file);
    expect_refused(run_stickslip({"run", (scenes / file).string(), "-o", "r.h5"}, folder.path()), scenes.string());
    EXPECT_TRUE(contents(folder).empty());
    ++refused;
  }
  EXPECT_GE(refused, 40);
}

TEST(CommandLine, HelpVersionAndListsAreDone) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                                         {"--version"},
                                                                                         {"run", "--help"},
                                                                                         {"list", "schemes"},
                                                                                         {"list", "solvers"},
                                                                                         {"list", "scenes"},
                                                                                         {"list", "shapes"},
                                                                                         {"list", "joints"},
                                                                                         {"list", "laws"},
                                                                                         {"check", kBall}}) {
    const Ended ended = run_stickslip(arguments, folder.path());
    EXPECT_EQ(ended.status, 0) << arguments[0];
    EXPECT_FALSE(ended.out.empty()) << arguments[0];
    EXPECT_EQ(ended.err, "") << arguments[0];
  }
  EXPECT_EQ(run_stickslip({}, folder.path()).status, 2);
}

TEST(CommandLine, EveryListedSchemeAndSolverExists) {
  const TemporaryFolder folder;
  for (const auto& [what, key] : {std::pair("schemes", "scheme.type="), std::pair("solvers", "solver.type=")}) {
    std::istringstream lines(run_stickslip({"list", what}, folder.path()).out);
    for (std::string line; std::getline(lines, line);) {
      const std::string name = line.substr(0, line.find(' '));
      EXPECT_EQ(run_stickslip({"check", kBall, "--set", key + name}, folder.path()).status, 0) << name;
    }
  }
}

TEST(CommandLine, ResultTakesTheScenesNameWhereNoneIsGiven) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      run_stickslip({"run", "--set", "bodies.ball.mass=2", "time.end=0.1", kBall, "--quiet"}, folder.path()).status, 0);
  EXPECT_EQ(contents(folder), std::vector<std::string>{"bouncing-ball-zeno.h5"});
  EXPECT_NE(Trajectory(folder / "bouncing-ball-zeno.h5").text("scene").find("mass = 2"), std::string::npos);
}

TEST(CommandLine, InexactStepsAreCountedAndSaid) {
  const TemporaryFolder folder;
  const Ended ended = run_stickslip({"run", shipped_scene("papers/negrut/bowling_ball.toml"), "-o", "r.h5", "--set",
                                     "solver.tolerance=1e-300", "solver.max_iterations=3"},
                                    folder.path());
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.err.find("of 60 steps stayed above the tolerance"), std::string::npos) << ended.err;
  const Trajectory result(folder / "r.h5");
  EXPECT_TRUE(result.finished());
  EXPECT_EQ(result.steps(), 61);
}

TEST(CommandLine, AFailedStepLeavesAllUpToIt) {
  const TemporaryFolder folder;
  // Spins up until it turns too far in one step.
  std::ofstream(folder / "scene.toml") << R"(stickslip = 1
name = "spinner"
gravity = [0, 0, 0]
time = {end = 100, step = 0.1}
[bodies.top]
mass = 1
inertia = [1, 2, 2.5]
angular_velocity = [0.1, 0.1, 0]
[forces.motor]
type = "load"
body = "top"
torque = ["5*t", "3*t", "t"]
frame = "body"
)";
  const Ended ended = run_stickslip({"run", "scene.toml", "-o", "r.h5"}, folder.path());
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_NE(ended.err.find("'top'"), std::string::npos) << ended.err;
  const Trajectory result(folder / "r.h5");
  EXPECT_FALSE(result.finished());
  EXPECT_EQ(result.text("outcome"), "failed");
  EXPECT_NE(result.text("message").find("'top'"), std::string::npos);
  ASSERT_GT(result.rows(), 1);
  EXPECT_EQ(result.steps(), result.rows() + 1);  // the failed one too
  EXPECT_EQ(result.read_steps(result.steps() - 1, 1)[0].status, 2);
  EXPECT_TRUE(result.read("/q").allFinite());
  const Ended info = run_stickslip({"info", "r.h5"}, folder.path());
  EXPECT_NE(info.out.find("then one failed"), std::string::npos) << info.out;
}

TEST(CommandLine, AFolderWithoutPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryFolder folder;
  fs::create_directory(folder / "closed");
  ::chmod((folder / "closed").c_str(), 0500);
  expect_refused(run_stickslip({"run", kBall, "-o", "closed/r.h5"}, folder.path()), "Permission denied");
}

TEST(FullDisk, AtTheStartLeavesNothingAndKeepsWhatWasThere) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_stickslip({"run", kBall, "-o", "r.h5", "--quiet", "--end", "0.1"}, folder.path()).status, 0);
  const auto size = fs::file_size(folder / "r.h5");
  expect_refused(run_stickslip({"run", kBall, "-o", "r.h5"}, folder.path(), 100000), "File too large");
  EXPECT_EQ(contents(folder), std::vector<std::string>{"r.h5"});
  EXPECT_EQ(fs::file_size(folder / "r.h5"), size);
  EXPECT_TRUE(Trajectory(folder / "r.h5").finished());
}

TEST(FullDisk, InTheMiddleLeavesAResultThatReadsAndResumes) {
  const TemporaryFolder folder;
  expect_refused(
      run_stickslip({"run", kBall, "-o", "r.h5", "--end", "20", "--checkpoint-every", "0.5"}, folder.path(), 3000000),
      "File too large");
  EXPECT_EQ(contents(folder), std::vector<std::string>{"r.h5"});
  {
    const Trajectory result(folder / "r.h5");
    EXPECT_GT(result.rows(), 1000);
    const RowMatrix time = result.read("/time");
    for (Eigen::Index i = 1; i < time.rows(); ++i) ASSERT_NEAR(time(i, 0), 2e-3 * static_cast<double>(i), 1e-9);
    EXPECT_TRUE(result.read("/q").allFinite());
  }
  EXPECT_EQ(run_stickslip({"run", kBall, "--quiet", "--end", "20", "--resume", "r.h5"}, folder.path()).status, 0);
}

}  // namespace
}  // namespace stickslip::test
