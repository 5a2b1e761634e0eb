// SPDX-License-Identifier: BSD-3-Clause
// The command `sweep`: what a plan, the number of threads, kills and other files do to the table.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

void write_plan(const TemporaryFolder& folder, const std::string& scene, const std::string& rest) {
  std::ofstream(folder / "plan.toml") << "sweep = 1\nscene = \"" << shipped_scene(scene) << "\"\n" << rest;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t rows_done(const fs::path& path) {
  if (!fs::exists(path)) return 0;
  const std::vector<std::int64_t> status = Hdf5File::open(path).read_integers("/status");
  return std::ranges::count_if(status, [](std::int64_t s) { return s >= 0; });
}

/// 24 tippe tops, some of them no scene.
constexpr const char* kTops = R"toml(
set = {"time.end" = 0.1}
samples = 6
[parameters]
mass = {key = "bodies.top.mass", list = [6e-3, -1]}
mu = {key = "contacts.main.friction", grid = [0.1, 0.5, 2]}
tilt = {uniform = [0.01, 0.3]}
[quantities]
height = "z(top)"
spin = {value = "omega_z(top)", at = [0.05, 0.1]}
bounces = {value = "t", when = "vz(top)", count = 2}
)toml";

TEST(SweepCommand, KilledAndResumedItHasTheBytesOfOneThatWasNot) {
  const TemporaryFolder folder;
  write_plan(folder, "papers/capobianco/tippe_top.toml", kTops);
  const Ended whole = run_stickslip({"sweep", "plan.toml", "-j", "1", "--quiet"}, folder.path());
  EXPECT_EQ(whole.status, 4) << whole.err;
  EXPECT_EQ(whole.out, "");
  std::mt19937 random(3);
  std::int64_t target = 0;
  int kills = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    target += std::uniform_int_distribution<std::int64_t>(1, 4)(random);
    Process process({STICKSLIP_PROGRAM, "sweep", "plan.toml", "-j", attempt % 2 == 0 ? "1" : "2", "-o", "killed.h5"},
                    folder.path());
    while (process.running() && rows_done(folder / "killed.h5") < target) {
    }
    if (!process.running()) break;
    process.send(SIGKILL);
    process.wait();
    ++kills;
  }
  EXPECT_GE(kills, 1);
  const Ended last = run_stickslip({"sweep", "plan.toml", "-o", "killed.h5"}, folder.path());
  EXPECT_EQ(last.status, 4) << last.err;
  EXPECT_EQ(last.out, "24 rows, 12 of them with status 0; table: killed.h5\n");
  EXPECT_EQ(bytes_of(folder / "killed.h5"), bytes_of(folder / "plan.h5"));
  // One that is whole already is left as it is, and can still be had as text.
  const Ended again =
      run_stickslip({"sweep", "plan.toml", "-o", "killed.h5", "--csv", "t.csv", "--quiet"}, folder.path());
  EXPECT_EQ(again.status, 4) << again.err;
  const std::string csv = bytes_of(folder / "t.csv");
  EXPECT_TRUE(csv.starts_with("row,mass,mu,tilt,height,spin.1,spin.2,bounces.1,bounces.2,status,message\n0,")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 25);
  EXPECT_NE(csv.find("bodies.top.mass: -1"), std::string::npos);
  EXPECT_EQ(bytes_of(folder / "killed.h5"), bytes_of(folder / "plan.h5"));
}

TEST(SweepCommand, CtrlCKeepsTheRowsThatAreDone) {
  const TemporaryFolder folder;
  write_plan(folder, "papers/capobianco/tippe_top.toml",
             "set = {\"time.end\" = 2}\nsamples = 1000\nparameters = {tilt = {uniform = [0.01, 0.3]}}\n");
  Process process({STICKSLIP_PROGRAM, "sweep", "plan.toml", "--csv", "t.csv"}, folder.path());
  while (process.running() && rows_done(folder / "plan.h5") < 2) {
  }
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_NE(process.err().find("of 1000 rows are in plan.h5; the same command goes on"), std::string::npos);
  EXPECT_GE(rows_done(folder / "plan.h5"), 2);
  EXPECT_FALSE(fs::exists(folder / "t.csv"));
}

/// Each row is the run that the program makes with its values.
TEST(SweepCommand, ARowIsARunOfTheProgram) {
  const TemporaryFolder folder;
  write_plan(folder, "belt.toml",
             "set = {\"time.end\" = 0.5}\n[parameters]\nv = {grid = [0.1, 0.4, 2]}\n[quantities]\nx = \"x(block)\"\n"
             "v_end = \"vx(block)\"\n");
  EXPECT_EQ(run_stickslip({"sweep", "plan.toml", "-o", "t.h5", "--quiet"}, folder.path()).status, 0);
  const Hdf5File table = Hdf5File::open(folder / "t.h5");
  for (int row = 0; row < 2; ++row) {
    const Ended run = run_stickslip({"run", shipped_scene("belt.toml"), "--end", "0.5", "--set",
                                     row == 0 ? "parameters.v=0.1" : "parameters.v=0.4", "-o", "r.h5", "--quiet"},
                                    folder.path());
    ASSERT_EQ(run.status, 0) << run.err;
    const Hdf5File result = Hdf5File::open(folder / "r.h5");
    const Hdf5Dataset q = result.open_dataset("/q"), u = result.open_dataset("/u");
    std::vector<double> last_q(2), last_u(2);
    q.read(q.rows() - 1, last_q);
    u.read(u.rows() - 1, last_u);
    const auto k = static_cast<std::size_t>(row);
    EXPECT_EQ(table.read_numbers("/quantities/x")[k], last_q[0]);
    EXPECT_EQ(table.read_numbers("/quantities/v_end")[k], last_u[0]);
    EXPECT_EQ(table.read_integers("/steps")[k], 500);
  }
  EXPECT_EQ(table.read_integer("/", "sweep"), 1);
  EXPECT_EQ(table.read_text("/", "plan"), bytes_of(folder / "plan.toml"));
}

/// How far the block of the shipped plan gets: d + min(v/w, d).
TEST(SlowSweepCommand, TheShippedBeltsReachWhatTheClosedFormSays) {
  const TemporaryFolder folder;
  const std::string plan = (fs::path(STICKSLIP_SCENES_DIR).parent_path() / "plans/belt.toml").string();
  ASSERT_EQ(run_stickslip({"sweep", plan, "--quiet"}, folder.path()).status, 0);
  const Hdf5File table = Hdf5File::open(folder / "belt.h5");
  const std::vector<double> v = table.read_numbers("/parameters/v"), reach = table.read_numbers("/quantities/reach");
  ASSERT_EQ(v.size(), 200U);
  const double d = 0.3 * 9.81 / 100.0, w = 10.0;
  constexpr double kMissed = 2e-6;  // [m] the scheme is of second order, and a turn may lie between two steps
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(reach[i], d + std::min(v[i] / w, d), kMissed) << v[i];
}

TEST(SweepCommand, BadPlansAndOtherFilesLeaveNothing) {
  const TemporaryFolder folder;
  const auto expect_refused = [&](const Arguments& more, const std::string& message) {
    const Ended ended = run_stickslip(joined({"sweep", "plan.toml"}, more), folder.path());
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find(message), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(fs::exists(folder / "plan.h5"));
  };
  expect_refused({}, "plan.toml: cannot be opened");
  write_plan(folder, "belt.toml", "parameters = {v = {grid = [0, 1]}}\n");
  expect_refused({}, "plan.toml:3:27: parameters.v.grid: [0, 1]: [first, last, number]");
  write_plan(folder, "belt.toml", "parameters = {vv = {list = [1]}}\n");
  expect_refused({}, "plan.toml:3:15: parameters.vv: the scene has no parameter 'vv'");
  write_plan(folder, "belt.toml", "quantities = {x = \"x(blok)\"}\n");
  expect_refused({}, "plan.toml:3:19: quantities.x: \"x(blok)\": column 3: no body 'blok'; did you mean 'block'?");
  write_plan(folder, "none.toml", "");
  expect_refused({}, "plan.toml:2:9: scene: ");
  write_plan(folder, "belt.toml", "parameters = {v = {list = [0.1]}}\nset = {\"time.end\" = 0.01}\n");
  expect_refused({"-o", "plan.toml", "--force"}, "plan.toml: is the plan itself");
  expect_refused({"--csv", "plan.h5"}, "cannot be both the table and the CSV");
  expect_refused({"-j", "0"}, "");
  std::ofstream(folder / "notes") << "mine";
  expect_refused({"-o", "notes"}, "notes: exists and is no table that can be read");
  expect_refused({"--csv", "notes"}, "notes: exists: --force writes over it");
  EXPECT_EQ(bytes_of(folder / "notes"), "mine");
  EXPECT_EQ(run_stickslip({"sweep", "plan.toml", "-o", "notes", "--force", "--quiet"}, folder.path()).status, 0);
  EXPECT_EQ(rows_done(folder / "notes"), 1);
}

}  // namespace
}  // namespace stickslip::test
