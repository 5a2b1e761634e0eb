// SPDX-License-Identifier: BSD-3-Clause
// `report --svg`: plots as pictures, and what is said where they cannot be drawn.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/vtk_reader.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

TEST(Svg, PlotsAreDrawnAndForeignFilesStay) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  const LoadOptions load = {.overrides = {"name=\"a<b>&$c$\"", "time.end=0.5"}};
  run(load_scene(shipped_scene("papers/capobianco/bouncing_ball_zeno.toml"), load), options);
  const Arguments draw = {"report", "r.h5", "--svg", "plots"};

  const Ended drawn = run_stickslip(draw, folder.path());
  if (drawn.err.find("sudo apt-get install") != std::string::npos) GTEST_SKIP() << "no h5py or matplotlib";
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  for (const char* name : {"motion", "velocities", "gaps", "status", "percussions", "energies", "energy_balance",
                           "certificate", "iterations", "steps"}) {
    const std::string text = whole_text(folder / "plots" / (std::string(name) + ".svg"));
    EXPECT_NE(drawn.out.find(std::string("plots/") + name + ".svg\n"), std::string::npos) << drawn.out;
    EXPECT_NE(text.find("</svg>"), std::string::npos) << name;
    EXPECT_NE(text.find("t [s]"), std::string::npos) << name << ": text is text";
    EXPECT_NE(text.find("a&lt;b&gt;&amp;$c$"), std::string::npos) << name;
  }
  EXPECT_FALSE(fs::exists(folder / "plots/joints.svg"));
  std::ofstream(folder / "plots/steps.svg") << "mine";
  const Ended refused = run_stickslip(draw, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("plots/steps.svg: exists and is no plot of this program: --force"), std::string::npos);
  EXPECT_EQ(whole_text(folder / "plots/steps.svg"), "mine");
}

/// Python would import h5py.py of the folder in which the command runs.
TEST(Svg, FilesOfTheCurrentFolderAreNotRun) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  run(load_scene(shipped_scene("box_incline_20.toml"), {.overrides = {"time.end=0.01"}}), options);
  for (const char* name : {"h5py.py", "re.py", "numpy.py"}) {
    std::ofstream(folder / name) << "open('was_run', 'w')\nraise SystemExit(1)\n";
  }
  const Ended drawn = run_stickslip({"report", "r.h5", "--svg", "plots"}, folder.path());
  if (drawn.err.find("sudo apt-get install") != std::string::npos) GTEST_SKIP() << "no h5py or matplotlib";
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_FALSE(fs::exists(folder / "was_run"));
}

TEST(Svg, WhatPythonLacksIsSaidAndHowToInstallIt) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  run(load_scene(shipped_scene("box_incline_20.toml"), {.overrides = {"time.end=0.01"}}), options);
  const auto refusal_of = [&](const std::string& python) {
    ::setenv("STICKSLIP_PYTHON", python.c_str(), 1);
    const Ended refused = run_stickslip({"report", "r.h5", "--svg", "plots"}, folder.path());
    ::unsetenv("STICKSLIP_PYTHON");
    EXPECT_EQ(refused.status, 2);
    EXPECT_FALSE(fs::exists(folder / "plots"));
    return refused.err;
  };
  const auto make_python = [&](int status) {
    const fs::path path = folder / "python";
    std::ofstream(path) << "#!/bin/sh\nexit " << status << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  };
  const std::string none = refusal_of("/nowhere/python3");
  EXPECT_NE(none.find("needs Python 3 (/nowhere/python3 is not there) with h5py and matplotlib"), std::string::npos)
      << none;
  EXPECT_NE(none.find("sudo apt-get install python3 python3-h5py python3-matplotlib"), std::string::npos) << none;
  const std::string plain = refusal_of(make_python(71));
  EXPECT_NE(plain.find("/python lacks matplotlib; to install it: sudo apt-get install python3-matplotlib ("),
            std::string::npos)
      << plain;
  EXPECT_NE(refusal_of(make_python(70)).find("lacks h5py;"), std::string::npos);
  EXPECT_NE(refusal_of(make_python(69)).find("lacks h5py and matplotlib;"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::test
