// SPDX-License-Identifier: BSD-3-Clause
// How `auto` shares its work in piles at the size at which users meet them: one-step problems of balls at rest or
// nearly so (tests/data/piles), from percussions of zero.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/pile_problems.h"

namespace stickslip::test {
namespace {

/// From `name` with the gaps below `near` [m] closed, to `tolerance`; solved.
SolveReport solve(const std::string& name, double near, FrictionLaw law, double tolerance, bool may_give_up = false) {
  const ConeProblem problem = make_pile(name, near, law);
  AutoOptions options;
  ConeSolution solution;
  solution.p.assign(problem.size(), 0.0);
  const Tolerance asked{.relative = tolerance, .may_give_up = may_give_up};
  const SolveReport report = make_solver(options)->solve(problem, asked, solution);
  EXPECT_EQ(report.status, Status::ok) << name;
  EXPECT_LE(calc_residual(problem, solution.p).relative, tolerance) << name;
  return report;
}

int count_systems(const SolveReport& report) {
  return report.effort.newton_steps + report.effort.interior_point_steps;
}

/// Gradients have as long as interior points would take, which is the longer the more contacts there are: 430, 2231 and
/// 1929 contacts need them for 25 to 55 turns.
TEST(AutoInPiles, GradientsHaveAsLongAsInteriorPointsTake) {
  EXPECT_EQ(count_systems(solve("poured_457", 1e-6, FrictionLaw::coulomb, 1e-4)), 0);
  EXPECT_EQ(count_systems(solve("settled_1000", 1e-6, FrictionLaw::coulomb, 1e-4)), 0);
  EXPECT_EQ(count_systems(solve("settled_1000", 1e-7, FrictionLaw::coulomb, 1e-6)), 0);
}

/// Which is not as long under the associated law, and they end as soon as they do not promise to be there by then.
TEST(AutoInPiles, GradientsThatPromiseTooLittleEnd) {
  const SolveReport few = solve("poured_457", 1e-6, FrictionLaw::associated, 1e-6);
  EXPECT_STREQ(few.method, "ipm");
  EXPECT_EQ(few.effort.newton_steps, 0);
  EXPECT_LE(few.effort.gradient_steps, 200);  // 150; 700, and no interior points, with twice as long
}

/// What a few gradients bring is not left to linear systems, however cheap these are; what they do not bring is.
TEST(AutoInPiles, AFewGradientsGoFirstWhereStepsAreCheap) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    EXPECT_EQ(count_systems(solve("poured_385", 1e-7, law, 1e-2)), 0);  // 9 with one turn, associated
    EXPECT_EQ(count_systems(solve("poured_385", 1e-6, law, 1e-2)), 0);  // 11
  }
  const SolveReport tight = solve("poured_385", 1e-6, FrictionLaw::associated, 1e-6);
  EXPECT_LE(tight.effort.gradient_steps, 200);  // 140; 480 with twice as long
  EXPECT_GT(tight.effort.newton_steps, 0);
}

/// 368 contacts jam, so that interior points end early and Newton steps take 216 iterations: spectral gradients bring
/// what is asked for, or nearly so.
TEST(AutoInPiles, GradientsSolveWhatIsJammed) {
  EXPECT_EQ(count_systems(solve("poured_385", 1e-6, FrictionLaw::coulomb, 1e-4)), 0);
  EXPECT_LE(count_systems(solve("poured_385", 1e-6, FrictionLaw::coulomb, 1e-6)), 20);  // 161 with two thirds as long
}

/// Accelerated sweeps do not solve 2420 contacts. Gradients, which begin at the guess, are judged by the residual
/// there, not by that of the best sweep, which is far lower.
TEST(AutoInPiles, GradientsSolveWhatSweepsDoNot) {
  const SolveReport report = solve("settled_1000", 1e-5, FrictionLaw::coulomb, 1e-4);
  EXPECT_EQ(count_systems(report), 0);  // many where gradients give up at once
  EXPECT_STREQ(report.method, "spg");
}

/// 423 contacts, of which a step costs as much as 23 gradients.
TEST(AutoInPiles, NoNewtonStepsAreTriedWhereStepsAreDear) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    const SolveReport report = solve("poured_385", 1e-5, law, 1e-6);
    EXPECT_STREQ(report.method, "ipm");
    EXPECT_EQ(report.effort.newton_steps, 0);  // 16 if a step were dear from 25 on
  }
}

/// Who asks for a solution and nothing in its place gets it from the methods that wait for interior points, too, where
/// these and the Newton steps that polish their answer do not find one: 445, 469 and 504 contacts.
TEST(AutoInPiles, TheOthersHaveTurnsBeforeItGivesUp) {
  for (const double near : {3e-5, 1e-4, 3e-4}) {
    const SolveReport report = solve("poured_385", near, FrictionLaw::coulomb, 1e-6, true);
    EXPECT_GT(report.effort.interior_point_steps, 0);
  }
}

}  // namespace
}  // namespace stickslip::test
