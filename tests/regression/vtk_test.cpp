// SPDX-License-Identifier: BSD-3-Clause
// `run --vtk`: a run that was killed and resumed leaves the frames of one that was not.
#include <gtest/gtest.h>

#include <map>

#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/draw_result.h"
#include "stickslip/sim/run.h"
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

struct KilledRun {
  const char* scene;
  Arguments settings;
  double checkpoint_every;  // [s]
  std::int64_t step;        // [-] before which it is killed
};

RunOptions options_of(const KilledRun& run, const TemporaryFolder& folder, const std::string& name) {
  RunOptions options;
  options.output = folder / (name + ".h5");
  options.vtk = folder / name;
  options.checkpoint_every = run.checkpoint_every;
  return options;
}

TEST(VtkRun, AKilledRunGoesOnInItsFolder) {
  // Detected contacts under Moreau's scheme; beams; joints and named contacts under generalized-alpha.
  const std::vector<KilledRun> runs = {{"dominoes.toml", {"time.end=0.1"}, 0.02, 55},
                                       {"chain_beams.toml", {"time.end=0.02", "output.every=1e-3"}, 0.004, 100},
                                       {"gripper.toml", {"time.end=0.03", "output.every=1e-3"}, 0.01, 25}};
  for (const KilledRun& run : runs) {
    SCOPED_TRACE(run.scene);
    const TemporaryFolder folder;
    const Scene scene = load_scene(shipped_scene(run.scene), {.overrides = run.settings});
    RunOptions options = options_of(run, folder, "whole");
    // What is on the disk between two steps is what a kill leaves there.
    options.control = [&](const System&, const State& state, Inputs&) {
      if (state.step != run.step) return;
      for (const char* name : {"killed", "copy"}) fs::copy(folder / "whole.h5", folder / (std::string(name) + ".h5"));
      fs::copy(folder / "whole", folder / "killed", fs::copy_options::recursive);
    };
    ASSERT_EQ(stickslip::run(scene, options).outcome, Outcome::done);
    const auto whole = frames_in(folder / "whole");
    const std::size_t ready = read_pvd(folder / "killed/bodies.pvd").size();
    ASSERT_GT(ready, 5U);
    ASSERT_LT(ready, read_pvd(folder / "whole/bodies.pvd").size());
    for (const auto& [name, text] : whole) {
      if (name.ends_with(".vtp")) {
        EXPECT_NO_THROW(VtpFile(folder / "whole" / name)) << name;
      }
    }
    draw_result(folder / "whole.h5", folder / "drawn", {});
    EXPECT_TRUE(frames_in(folder / "drawn") == whole) << "of the finished result";
    // On in the folder; and into a new one, where the rows before the checkpoint are drawn from the result.
    for (const char* name : {"killed", "copy"}) {
      options = options_of(run, folder, name);
      options.resume = options.output;
      ASSERT_EQ(stickslip::run(scene, options).outcome, Outcome::done);
      EXPECT_TRUE(frames_in(folder / name) == whole) << name;
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
