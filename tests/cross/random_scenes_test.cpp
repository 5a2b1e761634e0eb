// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of random scenes under the generalized-alpha scheme, each step judged by StepLaws, an independent reading
// of the paper's equations and laws on all three levels, the balance of momentum of each body among them. Fifty here,
// a thousand as a slow test; STICKSLIP_RANDOM_SCENES=first,count in the environment runs others and prints a line for
// each scene in which something happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/cross/step_laws.h"
#include "tests/support/random_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

constexpr int kRandomSteps = 400;

/// How the steps of one or of many scenes ended.
struct Ends {
  int steps = 0, inexact = 0, failed = 0;
  int wrong = 0;            // ok, and StepLaws says no
  int in_parts = 0;         // of all steps
  int unjudged = 0;         // of these, StepLaws::unjudged()
  int most_iterations = 0;  // in a step, of Newton's method and passes
  double slowest = 0.0;     // [s] of processor time; printed only
  std::string first_wrong;

  void add(const Ends& other) {
    steps += other.steps;
    inexact += other.inexact;
    failed += other.failed;
    wrong += other.wrong;
    in_parts += other.in_parts;
    unjudged += other.unjudged;
    most_iterations = std::max(most_iterations, other.most_iterations);
    slowest = std::max(slowest, other.slowest);
    if (first_wrong.empty()) first_wrong = other.first_wrong;
  }
  void print(const std::string& what) const {
    std::printf("%s: %d steps, %d inexact, %d failed, %d wrong, %d in parts, %d not judged; slowest %.1f ms%s%s\n",
                what.c_str(), steps, inexact, failed, wrong, in_parts, unjudged, 1e3 * slowest,
                first_wrong.empty() ? "" : "; ", first_wrong.c_str());
    std::fflush(stdout);
  }
};

SceneRun make_random_run(std::uint64_t seed) {
  const std::string scheme = "type = \"generalized-alpha\"\nrho_inf = 0.5\ntolerance = 1e-8\n";
  return scene_from_text(RandomScene(seed).text(scheme));
}

Ends run_random(std::uint64_t seed) {
  SceneRun run = make_random_run(seed);
  StepLaws laws(run, 0.5, 1e-8);
  Ends ends;
  for (int n = 0; n < kRandomSteps; ++n) {
    const State before = run.state;
    const std::clock_t start = std::clock();
    const Status status = run.step();
    ends.slowest = std::max(ends.slowest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    ++ends.steps;
    if (status == Status::failed) {
      ++ends.failed;
      break;
    }
    if (run.report.parts > 1) ++ends.in_parts;
    ends.most_iterations = std::max(ends.most_iterations, run.report.solve.iterations + run.report.fallbacks);
    const double missed = laws.check(before, run);
    if (status == Status::inexact) {
      ++ends.inexact;
    } else if (missed > 1.0) {
      ++ends.wrong;
      if (ends.first_wrong.empty()) {
        ends.first_wrong = run.scene.name + " at t = " + std::to_string(run.state.t) + ": " + laws.worst() + ", " +
                           std::to_string(missed) + " times what is allowed";
      }
    }
  }
  ends.unjudged = laws.unjudged();
  return ends;
}

Ends run_randoms(int first, int count, bool print) {
  Ends all;
  for (int seed = first; seed < first + count; ++seed) {
    const Ends ends = run_random(static_cast<std::uint64_t>(seed));
    all.add(ends);
    if (print && (ends.inexact + ends.failed + ends.wrong > 0 || ends.slowest > 0.02)) {
      ends.print("random-" + std::to_string(seed));
    }
  }
  all.print(std::to_string(count) + " scenes");
  return all;
}

void expect_true_words(const Ends& ends) {
  EXPECT_EQ(ends.failed, 0);
  EXPECT_EQ(ends.wrong, 0) << ends.first_wrong;
  EXPECT_LE(ends.inexact, 1e-3 * ends.steps);
  EXPECT_LE(ends.unjudged, 0.01 * ends.in_parts);
}

TEST(RandomScenes, EndEveryStepAndSayTheTruth) {
  const char* asked = std::getenv("STICKSLIP_RANDOM_SCENES");
  int first = 0;
  int count = 50;
  if (asked != nullptr) {
    ASSERT_EQ(std::sscanf(asked, "%d,%d", &first, &count), 2);
  }
  expect_true_words(run_randoms(first, count, asked != nullptr));
}

/// Forces of least norm are a large multiple of what a sliding contact had that bore next to nothing: they keep to its
/// cone, not to the direction of round-off.
TEST(RandomScenes, AContactThatHardlyBearsKeepsToItsCone) {
  expect_true_words(run_randoms(169, 1, false));
}

/// Forces of least norm among the corners of a box and a joint that move all bodies alike, but whose share in
/// dt/2 W_F Lambda_F asks for a kappa_hat below zero: they are not taken.
TEST(RandomScenes, ForcesOfLeastNormKeepTheLawOfPositions) {
  expect_true_words(run_randoms(1766, 1, false));
}

/// Two walls and friction that sticks leave the percussions on a ball undetermined, and a Newton step can make them so
/// large that their round-off moves it: no such step is ok.
TEST(RandomScenes, PercussionsThatCancelAreNotExcusedByTheirSize) {
  const Ends ends = run_randoms(5786, 1, false);
  EXPECT_EQ(ends.failed, 0);
  EXPECT_EQ(ends.wrong, 0) << ends.first_wrong;
  EXPECT_EQ(ends.unjudged, 0);
  EXPECT_LE(ends.inexact, 10);
}

/// A body that friction holds between two walls, whose percussions cancel: steps that no method solves leave it there,
/// and not with 1e9 N s at first, and ten steps on 1e84 m from where it was.
TEST(RandomScenes, ABodyThatFrictionJamsStaysWhereItIs) {
  SceneRun run = make_random_run(602);
  const double energy = run.report.kinetic_energy + run.report.potential_energy;
  int inexact = 0;
  for (int n = 1; n <= 239; ++n) {
    const Status status = run.step();
    ASSERT_NE(status, Status::failed) << n << ": " << run.report.message;
    inexact += status == Status::inexact ? 1 : 0;
    EXPECT_LE(run.report.kinetic_energy, 2.0 * std::abs(energy)) << n;
    for (const ContactReport& contact : run.report.contacts) {
      for (const double p : contact.percussion) EXPECT_LE(std::abs(p), 1e5) << n;
    }
  }
  EXPECT_GT(inexact, 0) << "nothing is jammed";
}

/// What a step may cost is bounded, and what one call may have of it: else steps without a solution take 191 and 181
/// iterations, or a call that cycles leaves nothing for what would solve them, and 32 and 29 end inexact.
TEST(RandomScenes, AStepCostsNoMoreThanItMay) {
  for (const int seed : {74, 97}) {
    const Ends ends = run_randoms(seed, 1, false);
    EXPECT_EQ(ends.failed, 0);
    EXPECT_EQ(ends.wrong, 0) << ends.first_wrong;
    EXPECT_LE(ends.most_iterations, 100) << seed;  // 31 and 67
    EXPECT_LE(ends.inexact, 12) << seed;           // 1 and 8
  }
}

TEST(SlowRandomScenes, EndEveryStepAndSayTheTruth) {
  expect_true_words(run_randoms(0, 1000, true));
}

}  // namespace
}  // namespace stickslip::test
