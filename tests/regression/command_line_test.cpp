// SPDX-License-Identifier: BSD-3-Clause
// What the program answers: exit statuses, messages, and what it leaves behind.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "stickslip/base/thread_team.h"
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
                                         {{"report", "nosuch.h5"}, "nosuch.h5"},
                                         {{"report", kBall}, "ball"},
                                         {{"report", "x.h5", "--max-size", "0"}, "--max-size"},
                                         {{"report", "nosuch.h5", "-o", kBall}, "exists: --force"},
                                         {{"run"}, "scene"},
                                         {{"run", "nosuch.toml"}, "nosuch.toml"},
                                         {{"run", kBall, "--shceme", "moreau"}, "did you mean '--scheme'"},
                                         {{"run", kBall, "--scheme", "morau"}, "did you mean 'moreau'"},
                                         {{"run", kBall, "--solver", "ngs"}, "did you mean 'nsgs'"},
                                         {{"run", kBall, "--set", "bodies.ball.mas=2"}, "did you mean 'mass'"},
                                         {{"run", kBall, "--step", "0"}, "time.step"},
                                         {{"run", kBall, "--end", "x"}, "time.end"},
                                         {{"run", kBall, "--threads", "0"}, "--threads"},
                                         {{"run", kBall, "--timing", kBall}, "is the scene, the result or the CSV"},
                                         {{"run", kBall, "--checkpoint-every", "-1"}, "--checkpoint-every"},
                                         {{"run", kBall, "--vtk", kBall}, "is not a folder"},
                                         {{"run", kBall, "--vtk", "none/x"}, "folder none does not exist"},
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
                                         {{"compare"}, "scene"},
                                         {{"compare", kBall, "--schemes", "moreau,morau"}, "did you mean 'moreau'"},
                                         {{"compare", kBall, "--steps", "1e-3,0"}, "--steps"},
                                         {{"compare", kBall, "-o", "table.txt"}, "a file *.md or *.html"},
                                         {{"compare", kBall, "--json", kBall}, "scene itself"},
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

TEST(CommandLine, ComparesSchemesInATableAndInJson) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {"compare",   kBall,       "--schemes", "all",      "--steps",
                                              "4e-3,2e-3", "--threads", "2",         "--set",    "time.end=0.2",
                                              "-o",        "table.md",  "--json",    "rows.json"};
  const Ended ended = run_stickslip(arguments, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("generalized-alpha"), std::string::npos);
  std::ifstream table(folder / "table.md");
  const std::string text(std::istreambuf_iterator<char>(table), {});
  const auto lines = std::ranges::count(text, '\n');
  std::istringstream schemes(run_stickslip({"list", "schemes"}, folder.path()).out);
  const auto n_schemes = std::count(std::istreambuf_iterator<char>(schemes), {}, '\n');
  EXPECT_GE(lines, 2 + 2 * n_schemes);
  // JSON that another reader takes (a relaxation takes no restitution), a row a scheme and step, and no file of the
  // runs themselves.
  const Ended read = run_process({"/usr/bin/python3", "-c",
                                  "import json; d = json.load(open('rows.json')); print(len(d['rows']), "
                                  "sorted(d['rows'][0]), "
                                  "all(r['exit'] == 0 or r['scheme'] == 'relaxation' for r in d['rows']))"},
                                 folder.path());
  EXPECT_EQ(read.out, std::to_string(2 * n_schemes) +
                          " ['cost_seconds', 'drift', 'energy_error', 'error', 'exit', 'message', 'order', "
                          "'penetration', 'residual', 'scheme', 'solver', 'step', 'steps'] True\n");
  EXPECT_EQ(contents(folder).size(), 2U);
  EXPECT_EQ(run_stickslip(arguments, folder.path()).status, 2);  // the files are there
}

TEST(CommandLine, EveryListedSchemeAndSolverExists) {
  const TemporaryFolder folder;
  for (const auto& [what, key] : {std::pair("schemes", "scheme.type="), std::pair("solvers", "solver.type=")}) {
    std::istringstream lines(run_stickslip({"list", what}, folder.path()).out);
    for (std::string line; std::getline(lines, line);) {
      const std::string name = line.substr(0, line.find(' '));
      // A scene that all of them take: without restitution, and with a step that is short enough.
      const std::string scene = shipped_scene("papers/negrut/bowling_ball.toml");
      const Ended ended = run_stickslip({"check", scene, "--set", key + name, "time.step=1e-4"}, folder.path());
      EXPECT_EQ(ended.status, 0) << name << ended.err;
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

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CommandLine, WhatIsNoResultOfOursIsWrittenOverWithForceOnly) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  const std::string mine = "my notes";
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", kBall, "--quiet", "--end", "0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  write(folder / "lcp.txt", "2\n2 1\n1 2\n-5 -6\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {run({"-o", "notes.txt"}), "notes.txt"},
      {run({}), "bouncing-ball-zeno.h5"},
      {run({"-o", "r.h5", "--csv", "notes.csv"}), "notes.csv"},
      {{"solve", "lcp.txt", "--json", "r.json"}, "r.json"},
      {{"solve", "lcp.txt", "--output", "out"}, "out/lcp.txt"},
      {{"gallery", "capobianco", "-o", "."}, "capobianco/figure_7.csv"},
      {{"gallery", "capobianco", "-o", "."}, "capobianco/table.md"}};
  fs::create_directory(folder / "capobianco");
  for (const auto& [arguments, file] : cases) {
    SCOPED_TRACE(file);
    write(folder / file, mine);
    const auto before = contents(folder);
    const Ended refused = run_stickslip(arguments, folder.path());
    expect_refused(refused, "--force");
    EXPECT_NE(refused.err.find(fs::path(file).filename().string()), std::string::npos) << refused.err;
    EXPECT_EQ(read(folder / file), mine);
    EXPECT_EQ(contents(folder), before);
    if (arguments[0] != "gallery") {
      std::vector<std::string> forced = arguments;
      forced.push_back("--force");
      EXPECT_EQ(run_stickslip(forced, folder.path()).status, 0);
      EXPECT_NE(read(folder / file), mine);
    }
    fs::remove(folder / file);
  }
  // Results are ours to write over, whatever state they are in.
  ASSERT_EQ(run_stickslip(run({"-o", "r.h5"}), folder.path()).status, 0);
  EXPECT_EQ(run_stickslip(run({"-o", "r.h5"}), folder.path()).status, 0);
}

TEST(CommandLine, ContactProblemsBesideAResultWriteOverNothingElse) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {
      "run",    STICKSLIP_TESTS_DIR "/limit_scenes/rest.toml", "-o", "r.h5", "--end", "0.01", "--problems-every", "5",
      "--quiet"};
  write(folder / "r-step-000005.hdf5", "my notes");
  write(folder / "other-step-000005.hdf5", "my notes");
  expect_refused(run_stickslip(arguments, folder.path()), "r-step-000005.hdf5");
  EXPECT_EQ(read(folder / "r-step-000005.hdf5"), "my notes");
  std::vector<std::string> forced = arguments;
  forced.push_back("--force");
  EXPECT_EQ(run_stickslip(forced, folder.path()).status, 0);
  EXPECT_NE(read(folder / "r-step-000005.hdf5"), "my notes");
  EXPECT_EQ(run_stickslip(arguments, folder.path()).status, 0) << "problems are ours to write over";
}

TEST(CommandLine, ContactProblemsOfJointsAloneAreWrittenOverAsOthers) {
  const TemporaryFolder folder;
  const Arguments run = {"run",     shipped_scene("four_bar.toml"),
                         "--quiet", "--scheme",
                         "moreau",  "--end",
                         "0.002",   "-o",
                         "r.h5",    "--problems-every",
                         "1"};
  EXPECT_EQ(run_stickslip(run, folder.path()).status, 0);
  ASSERT_TRUE(fs::exists(folder / "r-step-000001.hdf5"));
  const Ended again = run_stickslip(run, folder.path());
  EXPECT_EQ(again.status, 0) << again.err;
}

TEST(CommandLine, AResultSaysHowManyThreadsThereWere) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"run", kBall, "-o", "r.h5", "--end", "0.1", "--quiet"};
  EXPECT_EQ(run_stickslip(arguments, folder.path()).status, 0);
  const auto n_threads = [&] { return Hdf5File::open(folder / "r.h5").read_integer("/", "threads"); };
  EXPECT_EQ(n_threads(), ThreadTeam::count(0));
  arguments.insert(arguments.end(), {"--threads", "8"});
  EXPECT_EQ(run_stickslip(arguments, folder.path()).err, "");
  EXPECT_EQ(n_threads(), 8);
  for (const char* wrong : {"0", "1025", "-1", "two"}) {
    arguments.back() = wrong;
    expect_refused(run_stickslip(arguments, folder.path()), "--threads");
  }
}

TEST(CommandLine, ARunShowsTheWarningsThatCheckHas) {
  const TemporaryFolder folder;
  std::string scene = "stickslip = 1\ntime = {end = 0.01, step = 1e-3}\n";
  for (int k = 0; k < 20; ++k) {
    scene += "[bodies.b" + std::to_string(k) +
             "]\nmass = 1\ninertia = [1, 1, 1]\nshapes.s = {type = \"sphere\", "
             "radius = 0.1}\n";
  }
  write(folder / "scene.toml", scene);
  const Ended check = run_stickslip({"check", "scene.toml"}, folder.path());
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(std::ranges::count(check.out, '\n') > 20, true);
  const Ended run = run_stickslip({"run", "scene.toml", "-o", "r.h5"}, folder.path());
  EXPECT_EQ(run.status, 0);
  const std::string first = check.out.substr(0, check.out.find('\n'));
  EXPECT_NE(run.err.find(first), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("and 12 more warnings"), std::string::npos) << run.err;
  EXPECT_EQ(run_stickslip({"run", "scene.toml", "-o", "r.h5", "--quiet"}, folder.path()).err, "");
}

TEST(CommandLine, ARunThatNeedsMoreRoomThanThereIsIsRefused) {
  const TemporaryFolder folder;
  const Ended ended = run_stickslip(
      {"run", kBall, "-o", "r.h5", "--end", "1e5", "--step", "1e-6", "--set", "output.every=1e-6"}, folder.path());
  expect_refused(ended, "r.h5: needs about ");
  EXPECT_NE(ended.err.find("are free on its disk"), std::string::npos) << ended.err;
  EXPECT_TRUE(contents(folder).empty());
}

TEST(CommandLine, InexactStepsAreCountedAndSaid) {
  const TemporaryFolder folder;
  const Ended ended = run_stickslip({"run", shipped_scene("papers/negrut/bowling_ball.toml"), "-o", "r.h5", "--set",
                                     "solver.type=pgs", "solver.max_iterations=1"},
                                    folder.path());
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.err.find("of 60 steps stayed above the tolerance"), std::string::npos) << ended.err;
  const Trajectory result(folder / "r.h5");
  EXPECT_TRUE(result.finished());
  EXPECT_EQ(result.steps(), 61);
}

TEST(CommandLine, TimingHasEachPhase) {
  const TemporaryFolder folder;
  const Ended ended = run_stickslip({"run", kBall, "--end", "0.2", "--timing", "t.json"}, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("processor time"), std::string::npos) << ended.out;
  std::ostringstream text;
  text << std::ifstream(folder / "t.json").rdbuf();
  for (const char* phase : {"load", "detection", "gather", "solve", "projection", "motion", "report", "output"}) {
    EXPECT_NE(text.str().find("\"" + std::string(phase) + "\": "), std::string::npos) << phase;
  }
  EXPECT_EQ(text.str().rfind("{\"phases\": {", 0), 0U);
}

TEST(CommandLine, AForceThatIsNotFiniteIsNoTorque) {
  const TemporaryFolder folder;
  for (const std::string what : {"force", "torque"}) {
    std::ofstream(folder / "scene.toml") << R"(stickslip = 1
name = "top"
time = {end = 0.1, step = 0.01}
scheme = {type = "moreau"}
[bodies.top]
mass = 1
inertia = [1, 2, 2.5]
angular_velocity = [0.1, 0.1, 0]
[forces.push]
type = "load"
body = "top"
)" << what << " = [0, 0, \"sqrt(0.05 - t)\"]\n";
    const Ended ended = run_stickslip({"run", "scene.toml", "-o", what + ".h5"}, folder.path());
    EXPECT_EQ(ended.status, 3) << ended.err;
    EXPECT_NE(ended.err.find("body 'top': a " + what + " on it is not finite"), std::string::npos) << ended.err;
  }
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
  constexpr int kRoom = 6000000;  // [B] more than the first chunk of each table takes, less than all of them
  const TemporaryFolder folder;
  expect_refused(
      run_stickslip({"run", kBall, "-o", "r.h5", "--end", "20", "--checkpoint-every", "0.5"}, folder.path(), kRoom),
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
