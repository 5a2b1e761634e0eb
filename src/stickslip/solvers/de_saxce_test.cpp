// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/de_saxce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stickslip/solvers/assembled_delassus.h"
#include "tests/support/hard_problems.h"

namespace stickslip {
namespace {

/// What a fixed point ends at that is cut after so many operations, again and again.
struct Course {
  int turns = 0;
  int iterations = 0;
  bool is_solved = false;
  std::vector<double> p;
};

template <class Until>
Course follow(const ConeProblem& problem, Until&& until, SharedDelassus* shared = nullptr) {
  constexpr Tolerance kTolerance = {.relative = 1e-8};
  constexpr int kMaxIterations = 2000;
  Course course;
  Iterate iterate;
  ConeSolution solution;
  solution.p.assign(problem.b.size(), 0.0);
  SolveReport report;
  if (!iterate.begin_solve(problem, solution, report)) return course;
  const Deadline deadline(HUGE_VAL, {});
  FixedShift fixed_shift({}, shared);
  fixed_shift.start(problem, iterate);
  for (int last = -1; last != 0 && !iterate.best().is_within(kTolerance); ++course.turns) {
    last = fixed_shift.advance(problem, kTolerance, kMaxIterations - course.iterations, until(fixed_shift.operations()),
                               deadline, iterate);
    course.iterations += last;
  }
  course.is_solved = iterate.best().is_within(kTolerance);
  iterate.return_to_best();
  course.p.assign(iterate.p().begin(), iterate.p().end());
  return course;
}

TEST(FixedShift, TakesTheSameStepsHoweverOftenItIsCut) {
  int solved = 0;
  int cut = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const ConeProblem problem = test::plant_any(seed);
    if (problem.law != FrictionLaw::coulomb || problem.n_cones() > 40) continue;
    const Course whole = follow(problem, [](double) { return HUGE_VAL; });
    const Course parts = follow(problem, [](double done) { return std::nextafter(done, HUGE_VAL); });
    // What is cut is judged more often: it may reach the tolerance within an inner problem, or, unsolved, have another
    // best.
    EXPECT_EQ(parts.is_solved, whole.is_solved) << seed;
    EXPECT_LE(parts.iterations, whole.iterations) << seed;
    if (whole.is_solved && parts.iterations == whole.iterations) {
      EXPECT_EQ(parts.p, whole.p) << seed;
    }
    solved += whole.is_solved ? 1 : 0;
    cut += parts.turns > whole.turns + 2 ? 1 : 0;
  }
  EXPECT_GT(solved, 10);
  EXPECT_GT(cut, 10);
}

/// W that other methods have assembled, of the problem without the shift, is the one it needs.
TEST(FixedShift, TakesTheSameStepsWithASharedOperator) {
  const auto until = [](double) { return HUGE_VAL; };
  int solved = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const ConeProblem problem = test::plant_any(seed);
    if (problem.law != FrictionLaw::coulomb || problem.n_cones() > 40) continue;
    SharedDelassus shared;
    shared.start();
    shared.get(problem);
    const Course own = follow(problem, until);
    const Course with_shared = follow(problem, until, &shared);
    EXPECT_EQ(with_shared.iterations, own.iterations) << seed;
    EXPECT_EQ(with_shared.p, own.p) << seed;
    solved += own.is_solved ? 1 : 0;
  }
  EXPECT_GT(solved, 3);
}

}  // namespace
}  // namespace stickslip
