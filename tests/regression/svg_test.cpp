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
  for (const char* name : {"motion", "angles", "velocities", "gaps", "status", "forces", "percussions", "energies",
                           "energy_balance", "certificate", "iterations", "steps"}) {
    const std::string text = whole_text(folder / "plots" / (std::string(name) + ".svg"));
    EXPECT_NE(drawn.out.find(std::string("plots/") + name + ".svg\n"), std::string::npos) << drawn.out;
    EXPECT_NE(text.find("</svg>"), std::string::npos) << name;
    EXPECT_NE(text.find("t [s]"), std::string::npos) << name << ": text is text";
    EXPECT_NE(text.find("a&lt;b&gt;&amp;$c$"), std::string::npos) << name;
  }
  EXPECT_FALSE(fs::exists(folder / "plots/joints.svg"));
  EXPECT_FALSE(fs::exists(folder / "plots/limits.svg"));
  std::ofstream(folder / "plots/steps.svg") << "mine";
  const Ended refused = run_stickslip(draw, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("plots/steps.svg: exists and is no plot of this program: --force"), std::string::npos);
  EXPECT_EQ(whole_text(folder / "plots/steps.svg"), "mine");
}

/// Of a pendulum with stops: gaps to them are angles. Plots are chosen by their names, datasets by their paths.
TEST(Svg, SignalsAreChosenAndLimitsOfJointsAreAngles) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  run(parse_scene(R"(stickslip = 1
name = "stopped"
gravity = [0, -9.81]
time = {end = 0.3, step = 1e-2}
bodies.post = {type = "fixed"}
bodies.arm = {type = "planar", mass = 1, inertia = 0.1, position = [1, 0]}
joints.pivot = {type = "revolute", between = ["post", "arm"], at = [0, 0], limits = [-0.2, 0.2]}
)",
                  "stopped.toml"),
      options);
  const Ended all = run_stickslip({"report", "r.h5", "--svg", "plots", "--quiet"}, folder.path());
  if (all.err.find("sudo apt-get install") != std::string::npos) GTEST_SKIP() << "no h5py or matplotlib";
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_NE(whole_text(folder / "plots/limits.svg").find("rad]"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "plots/gaps.svg"));

  const Ended chosen = run_stickslip(
      {"report", "r.h5", "--pdf", "pdf", "--signals", "energies,/steps/iterations,/bodies/position/arm/1,/q/2"},
      folder.path());
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_EQ(chosen.out, "pdf/energies.pdf\npdf/steps_iterations.pdf\npdf/bodies_position_arm_1.pdf\npdf/q_2.pdf\n");
  EXPECT_EQ(whole_text(folder / "pdf/q_2.pdf").rfind("%PDF-", 0), 0U);
  for (const char* signal : {"nosuch", "/steps/nosuch", "/bodies/position/leg", "/checkpoint/state", "/bodies/name"}) {
    const Ended refused = run_stickslip({"report", "r.h5", "--svg", "no", "--signals", signal}, folder.path());
    EXPECT_EQ(refused.status, 2) << signal;
    EXPECT_NE(refused.err.find(signal), std::string::npos) << refused.err;
  }
}

TEST(Svg, NoModuleOfTheCurrentFolderIsRun) {
  const TemporaryFolder folder;
  RunOptions options;
  options.output = folder / "r.h5";
  run(load_scene(shipped_scene("box_incline_20.toml"), {.overrides = {"time.end=0.01"}}), options);
  for (const char* module : {"h5py.py", "matplotlib.py", "numpy.py", "re.py", "io.py"}) {
    std::ofstream(folder / module) << "open('obeyed', 'w')\nraise SystemExit(0)\n";
  }
  run_stickslip({"report", "r.h5", "--svg", "plots"}, folder.path());
  EXPECT_FALSE(fs::exists(folder / "obeyed"));
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
