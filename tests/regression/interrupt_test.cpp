// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C in the middle of work that would go on for hours: the program ends, in order, and a run goes on from there to
// the same bits. How long it takes is not asked here (scripts/measure_interrupts does).
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>
#include <thread>

#include "stickslip/base/input_error.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/heap_scene.h"
#include "tests/support/planted_problem.h"
#include "tests/support/process.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;
const char* const kSettings = "[output]\nevery = 1e-3\n[solver]\ntolerance = 1e-8\n";

/// What no solver reaches: it goes on until it is stopped.
const Arguments kForever = {"--set", "solver.tolerance=1e-300", "solver.max_iterations=2000000000"};

Arguments program(const Arguments& arguments) {
  return joined({STICKSLIP_PROGRAM}, arguments);
}

/// Steps in a result that is being written; 0 where there is none yet.
std::int64_t count_steps(const fs::path& result) {
  try {
    return fs::exists(result) ? Trajectory(result).steps() : 0;
  } catch (const InputError&) {
    return 0;  // caught between two writes
  }
}

void wait_for(Process& process, const fs::path& result, std::int64_t steps) {
  while (process.running() && count_steps(result) < steps) std::this_thread::yield();
}

TEST(Interrupt, AHeapGoesOnToTheSameBits) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    const TemporaryFolder folder;
    std::ofstream(folder / "heap.toml") << heap_scene(8, kSettings);
    const Arguments scene = {"run", "heap.toml", "--quiet", "--scheme", scheme};
    ASSERT_EQ(run_stickslip(joined(scene, {"-o", "whole.h5"}), folder.path()).status, 0);
    std::mt19937 random(3);
    Arguments arguments = joined(scene, {"-o", "part.h5"});
    for (const std::int64_t steps : {40, 90, 160}) {
      // Steps of its own: one that has just begun does not listen yet.
      const std::int64_t done = count_steps(folder / "part.h5");
      Process process(program(arguments), folder.path());
      wait_for(process, folder / "part.h5", std::max(steps, done + 10));
      process.send(random() % 2 == 0 ? SIGINT : SIGTERM);
      const int status = process.wait();
      if (status == 0) break;  // it had ended
      ASSERT_EQ(status, 130) << process.err();
      // Where it had not begun to write, it had nothing to say.
      if (steps == 40) {
        EXPECT_NE(process.err().find("--resume part.h5"), std::string::npos) << process.err();
      }
      const Trajectory part(folder / "part.h5");
      EXPECT_EQ(part.text("outcome"), "interrupted");
      EXPECT_EQ(part.read_steps(part.steps() - 1, 1)[0].status, 0) << "no row of the step that was dropped";
      arguments = joined(scene, {"--resume", "part.h5"});
    }
    const Ended last = run_stickslip(joined(scene, {"--resume", "part.h5"}), folder.path());
    ASSERT_EQ(last.status, 0) << last.err;
    EXPECT_TRUE(same_result(folder / "whole.h5", folder / "part.h5")) << scheme;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
      EXPECT_EQ(entry.path().string().find("-step-"), std::string::npos) << "a problem that was not failed";
    }
  }
}

TEST(Interrupt, AStepThatWouldNeverEndIsDropped) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    const TemporaryFolder folder;
    std::ofstream(folder / "heap.toml") << heap_scene(8, kSettings);
    const Arguments scene = joined({"run", "heap.toml", "-o", "r.h5", "--scheme", scheme}, kForever);
    Process process(program(joined(scene, {"solver.type=pgs"})), folder.path());
    wait_for(process, folder / "r.h5", 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // so that it is in a solve, as a rule
    process.send(SIGINT);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_EQ(Trajectory(folder / "r.h5").text("outcome"), "interrupted");
  }
}

// `timeout` signals the program and then its group, to which the program belongs.
TEST(Interrupt, ASignalThatComesTwiceAtOnceIsOne) {
  for (const int microseconds : {50, 100, 200, 300, 400, 600, 800, 1000}) {
    const TemporaryFolder folder;
    std::ofstream(folder / "heap.toml") << heap_scene(8, kSettings);
    Process process(program(joined({"run", "heap.toml", "-o", "r.h5"}, kForever)), folder.path());
    wait_for(process, folder / "r.h5", 1);
    process.send(SIGTERM);
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));  // or the kernel makes them one
    process.send(SIGTERM);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_EQ(Trajectory(folder / "r.h5").text("outcome"), "interrupted");
  }
}

TEST(Interrupt, SolveEndsUnderEverySolver) {
  const TemporaryFolder folder;
  const OneStepProblem problem = make_exchange_problem(
      plant({.n_bodies = 60, .n_contacts = 90, .duplicate = true}, FrictionLaw::coulomb, 1).problem, nullptr);
  const std::vector<double> zero(problem.cones.size(), 0.0);
  write_solved_problem(folder.path(), "many", problem, {zero, zero});
  for (const std::string_view solver : solver_names()) {
    Process process(program({"solve", "many.hdf5", "--solver", std::string(solver), "--tolerance", "1e-300",
                             "--max-iterations", "2000000000", "--json", "r.json", "--force"}),
                    folder.path());
    while (process.running() && process.out().find("problem") == std::string::npos) std::this_thread::yield();
    process.send(SIGINT);
    const int status = process.wait();
    // Some give up by themselves, and soon, where no digit is left to gain.
    EXPECT_TRUE(status == 130 || status == 4) << solver << status << process.err();
    if (status == 130) {
      // 1 of 1: one that had just given up.
      EXPECT_NE(process.err().find("interrupted: "), std::string::npos) << process.err();
      EXPECT_NE(process.err().find(" of 1 solves done"), std::string::npos) << process.err();
    }
  }
}

TEST(Interrupt, ReadingEndsAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "scene.toml").c_str(), 0600), 0);  // nobody ever writes to it
  for (const Arguments& arguments : {Arguments{"check", "scene.toml"}, Arguments{"run", "scene.toml", "-o", "r.h5"}}) {
    Process process(program(arguments), folder.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // past the start of the program, as a rule
    process.send(SIGINT);
    EXPECT_EQ(process.wait(), 130);
    EXPECT_FALSE(fs::exists(folder / "r.h5"));
  }
}

}  // namespace
}  // namespace stickslip::test
