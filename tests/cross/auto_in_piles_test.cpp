// SPDX-License-Identifier: BSD-3-Clause
// How `auto` shares its work in piles at the size at which users meet them: one-step problems of balls at rest or
// nearly so (tests/data/piles), from percussions of zero.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

constexpr double kStep = 1e-3;  // [s]

/// The balls of a table in a box with its walls at -half and half and its floor at 0 [m], as they fall for a step: all
/// gaps below `near` [m] may close.
ConeProblem make_pile(const std::string& name, double half, double near, double mu, FrictionLaw law) {
  struct Ball {
    double radius;
    Vector3 center, velocity;
  };
  std::vector<Ball> balls;
  ConeProblem problem;
  problem.law = law;
  PackedDelassus w;
  for (const std::vector<double>& row : read_table("piles/" + name + ".csv")) {
    balls.push_back({row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6] - 9.81 * kStep}});
    const double mass = 1000.0 * 4.0 / 3.0 * M_PI * std::pow(row[0], 3);
    w.add_body(1.0 / mass, Matrix3::Identity() / (0.4 * mass * row[0] * row[0]));
  }
  const FrictionBlock block{2, mu, 0, 0.0};
  const auto add = [&](int first, int second, const Vector3& n) {
    const auto k = static_cast<std::size_t>(second);
    const Vector3 t = n.unitOrthogonal();
    const bool is_wall = first == PackedDelassus::kFixed;
    const double radius = is_wall ? 0.0 : balls[static_cast<std::size_t>(first)].radius;
    w.add_contact({n, t, radius * n, -balls[k].radius * n, first, second});
    const Vector3 v = balls[k].velocity - (is_wall ? Vector3::Zero() : balls[static_cast<std::size_t>(first)].velocity);
    const int row = problem.size();
    problem.add_contact({&block, 1});
    problem.b[row] = n.dot(v);
    problem.b[row + 1] = t.dot(v);
    problem.b[row + 2] = n.cross(t).dot(v);
  };
  for (int j = 0; j < static_cast<int>(balls.size()); ++j) {
    const Ball& b = balls[static_cast<std::size_t>(j)];
    for (int axis = 0; axis < 3; ++axis) {
      const double low = axis < 2 ? half : 0.0;
      if (b.center(axis) + low - b.radius < near) add(PackedDelassus::kFixed, j, Vector3::Unit(axis));
      if (axis < 2 && half - b.center(axis) - b.radius < near) add(PackedDelassus::kFixed, j, -Vector3::Unit(axis));
    }
    for (int i = 0; i < j; ++i) {
      const Ball& a = balls[static_cast<std::size_t>(i)];
      const Vector3 way = b.center - a.center;
      if (way.norm() - a.radius - b.radius < near) add(i, j, way.normalized());
    }
  }
  problem.delassus = w;
  return problem;
}

/// From `name` with the gaps below `near` [m] closed, to `tolerance`; solved.
SolveReport solve(const std::string& name, double near, FrictionLaw law, double tolerance, bool may_give_up = false) {
  const bool is_large = name == "settled_1000";
  const ConeProblem problem = make_pile(name, is_large ? 1.25 : 0.62, near, is_large ? 0.3 : 0.5, law);
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

/// Gradients have as long as interior points would take: 430 and 2231 contacts need them twice as long as the sixteen
/// turns with which linear systems had to be solved as well.
TEST(AutoInPiles, GradientsHaveAsLongAsInteriorPointsTake) {
  EXPECT_EQ(count_systems(solve("poured_457", 1e-6, FrictionLaw::coulomb, 1e-4)), 0);
  EXPECT_EQ(count_systems(solve("settled_1000", 1e-6, FrictionLaw::coulomb, 1e-3)), 0);
}

/// Which is half as long under the associated law, and they end as soon as they do not promise to be there by then.
TEST(AutoInPiles, GradientsThatPromiseTooLittleEnd) {
  const SolveReport few = solve("poured_457", 1e-6, FrictionLaw::associated, 1e-6);
  EXPECT_STREQ(few.method, "ipm");
  EXPECT_EQ(few.effort.newton_steps, 0);
  EXPECT_LE(few.effort.gradient_steps, 200);  // 250 with as long as under the exact law, 375 if they went on to the end
}

/// What a few gradients bring is not left to linear systems, however cheap these are; what they do not bring is.
TEST(AutoInPiles, AFewGradientsGoFirstWhereStepsAreCheap) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    EXPECT_EQ(count_systems(solve("poured_385", 1e-7, law, 1e-2)), 0);  // 9 with one turn, associated
    EXPECT_EQ(count_systems(solve("poured_385", 1e-6, law, 1e-2)), 0);  // 11
  }
  const SolveReport tight = solve("poured_385", 1e-6, FrictionLaw::associated, 1e-6);
  EXPECT_LE(tight.effort.gradient_steps, 50);  // 60 with ten turns
  EXPECT_GT(tight.effort.newton_steps, 0);
}

/// 423 contacts, of which a step costs as much as 23 gradients.
TEST(AutoInPiles, NoNewtonStepsAreTriedWhereStepsAreDear) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    const SolveReport report = solve("poured_385", 1e-5, law, 1e-4);
    EXPECT_STREQ(report.method, "ipm");
    EXPECT_EQ(report.effort.newton_steps, 0);  // 16 if a step were dear from 25 on
  }
}

/// Who asks for a solution and nothing in its place gets it from the methods that wait for interior points, too, where
/// these and the Newton steps that polish their answer do not find one: 368, 445 and 469 contacts.
TEST(AutoInPiles, TheOthersHaveTurnsBeforeItGivesUp) {
  for (const double near : {1e-6, 3e-5, 1e-4}) {
    const SolveReport report = solve("poured_385", near, FrictionLaw::coulomb, 1e-6, true);
    EXPECT_GT(report.effort.interior_point_steps, 0);
  }
}

}  // namespace
}  // namespace stickslip::test
