// SPDX-License-Identifier: BSD-3-Clause
// `run --vtk`: at its end a run leaves the frames that `report --vtk` makes of its result.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vtk_reader.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> frames_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all[fs::relative(entry.path(), folder).string()] = whole_text(entry.path());
  }
  return all;
}

TEST(VtkRun, ARunWritesAtItsEndWhatReportWrites) {
  const TemporaryFolder folder;
  // Detected contacts; beams; joints and named contacts under generalized-alpha.
  const std::vector<Arguments> runs = {{shipped_scene("dominoes.toml"), "--end", "0.01"},
                                       {shipped_scene("chain_beams.toml"), "--end", "0.002"},
                                       {shipped_scene("gripper.toml"), "--end", "0.003"}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    SCOPED_TRACE(runs[k].front());
    const std::string n = std::to_string(k), result = "r" + n + ".h5", of_run = "run" + n, of_report = "report" + n;
    const Ended ran =
        run_stickslip(joined(joined({"run"}, runs[k]), {"--quiet", "-o", result, "--vtk", of_run}), folder.path());
    ASSERT_EQ(ran.status, 0) << ran.err;
    ASSERT_EQ(run_stickslip({"report", result, "--quiet", "--vtk", of_report}, folder.path()).status, 0);
    const auto frames = frames_in(folder / of_run);
    EXPECT_TRUE(frames_in(folder / of_report) == frames);
    EXPECT_GT(read_pvd(folder / of_run / "bodies.pvd").size(), 1U);
    for (const auto& [name, text] : frames) {
      if (name.ends_with(".vtp")) {
        EXPECT_NO_THROW(VtpFile(folder / of_run / name)) << name;
      }
    }
  }
}

TEST(VtkRun, ForeignFilesAreWrittenOverByForceOnly) {
  const TemporaryFolder folder;
  const Arguments run = {
      "run", shipped_scene("papers/capobianco/bouncing_ball_zeno.toml"), "--quiet", "--end", "0.01", "--vtk", "."};
  std::ofstream(folder / "bodies.pvd") << "mine";
  const Ended refused = run_stickslip(run, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("bodies.pvd: exists and is no list of frames of this program: --force"), std::string::npos)
      << refused.err;
  EXPECT_EQ(whole_text(folder / "bodies.pvd"), "mine");
  EXPECT_EQ(run_stickslip(joined(run, {"--force"}), folder.path()).status, 0);
  EXPECT_FALSE(read_pvd(folder / "bodies.pvd").empty());
  EXPECT_EQ(run_stickslip(run, folder.path()).status, 0) << "its own are written over as results are";
}

}  // namespace
}  // namespace stickslip::test
