// SPDX-License-Identifier: BSD-3-Clause
// One-step problems of runs, recorded by the program (tests/data/README.md says which steps): every solver on each, and
// the three numbers of the yardstick by a formula that shares nothing with calc_residual().
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/cone/condense.h"
#include "stickslip/cone/residual.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/contact_laws.h"

namespace stickslip {
namespace {

using Names = std::set<std::string_view>;

struct Recorded {
  const char* name;
  Names not_solved_by;   // to kTolerance with default options
  const char* why = "";  // they do not
};

constexpr Tolerance kTolerance = {.relative = 1e-8};
constexpr const char* kSlow = "they run out of 1000 iterations";

const Names& all_solvers() {
  static const Names names(solver_names().begin(), solver_names().end());
  return names;
}

std::vector<Recorded> recorded_problems() {
  return {{"ball_in_corner", {}},
          {"box_on_incline", {}},
          {"four_bar", {}},
          {"hanging_beams", {}},
          {"hanging_chain", {}},
          {"index_sets", all_solvers(), "mu = 1.5, and nobody has found a solution, nor a proof that there is none"},
          {"pile", {"pgs", "extragradient"}, kSlow},
          {"pinched_disc", {}},
          {"points_on_discs", {}},
          {"sliding_rod", {}},
          {"spring_slider", {}},
          {"squeezed_box", all_solvers(), "walls close on it, but for 4e-8 of the velocities"},
          {"squeezed_disc", all_solvers(), "walls close on it: there is no solution"},
          {"tippe_top", {"lemke", "lcp-newton"}, "they refuse Coulomb-Contensou friction"},
          {"two_hinges", {}},
          {"woodpecker", {"extragradient"}, kSlow}};
}

ConeProblem read(const std::string& name) {
  return read_problem(std::string(STICKSLIP_TEST_DATA_DIR "/problems/") + name + ".hdf5").cones;
}

TEST(RecordedProblems, AreSolvedByEverySolverButThese) {
  for (const Recorded& recorded : recorded_problems()) {
    const ConeProblem problem = read(recorded.name);
    for (const std::string_view name : solver_names()) {
      const auto solver = make_solver(make_solver_options(name));
      const bool is_solved = !recorded.not_solved_by.contains(name);
      ConeSolution solution;
      solution.p.assign(problem.size(), 0.0);
      if (solver->refuses(problem)) {
        EXPECT_FALSE(is_solved) << recorded.name << " " << name;
        continue;
      }
      const SolveReport report = solver->solve(problem, kTolerance, solution);
      EXPECT_EQ(report.status == Status::ok, is_solved) << recorded.name << " " << name << " " << recorded.why;
      const Residual residual = calc_residual(problem, solution.p);
      if (report.status == Status::ok) {
        EXPECT_TRUE(residual.is_within(kTolerance)) << recorded.name << " " << name;
        EXPECT_TRUE(test::obeys_laws(problem, solution.p, kTolerance.relative)) << recorded.name << " " << name;
      }
    }
  }
}

/// residual, relative_residual and missed by hand: from p, W as a table and b, cone by cone. The projection on the
/// friction cone is a choice of three here, and x / |x| where the library is careful.
std::array<double, 3> judge_by_hand(const ConeProblem& problem, FrictionLaw law, const Vector& p) {
  const Matrix w_table(make_delassus_matrix(problem));
  const ConstVectorView b(problem.b.data(), problem.size());
  const Vector u = w_table * p + b;
  const double w = w_table.diagonal().mean();
  double off = 0.0;
  double missed = 0.0;
  for (const Cone& cone : problem.cones) {
    const Vector r = w * p.segment(cone.offset, cone.dim);
    const Vector u_i = u.segment(cone.offset, cone.dim);
    Vector x = r - u_i;
    Vector nearest = x;
    if (cone.kind == ConeKind::contact) {
      const double mu = cone.n_blocks > 0 ? problem.friction(cone)[0].mu : 0.0;
      if (law == FrictionLaw::coulomb) x[0] -= mu * u_i.tail(cone.dim - 1).norm();
      const double t = x.tail(cone.dim - 1).norm();
      nearest = x;
      if (t > mu * x[0] && mu * t <= -x[0]) {
        nearest.setZero();
      } else if (t > mu * x[0]) {
        nearest[0] = (x[0] + mu * t) / (1.0 + mu * mu);
        nearest.tail(cone.dim - 1) *= mu * nearest[0] / t;
      } else if (x[0] < 0.0) {
        nearest.setZero();
      }
      missed += std::pow(std::min(0.0, u_i[0]), 2);
    } else if (cone.kind == ConeKind::ball) {
      if (x.norm() > w * cone.radius) nearest *= w * cone.radius / x.norm();
    } else {
      missed += u_i.squaredNorm();
    }
    off += (r - nearest).squaredNorm();
  }
  return {std::sqrt(off), std::sqrt(off) / std::max(b.norm(), u.norm()), std::sqrt(missed)};
}

TEST(RecordedProblems, HaveTheResidualsThatAFormulaGives) {
  constexpr double kRoundOff = 1e-13;  // [-] of the velocities that add up to u, and of W's diagonal times p
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const Recorded& recorded : recorded_problems()) {
    const ConeProblem problem = read(recorded.name);
    ConeSolution solution;
    solution.p.assign(problem.size(), 0.0);
    (void)make_solver(AutoOptions{})->solve(problem, {.relative = 1e-3}, solution);
    const Vector answer = ConstVectorView(solution.p.data(), problem.size());
    Vector drawn(problem.size());
    for (double& value : drawn) value = normal(random);
    for (const Vector& p : {Vector(0.0 * answer), answer, Vector(0.5 * answer), drawn}) {
      for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
        const auto [absolute, relative, missed] = judge_by_hand(problem, law, p);
        const Residual residual = calc_residual(problem, law, {p.data(), solution.p.size()});
        const double size = residual.size + problem.calc_residual_scale() * p.norm();
        EXPECT_NEAR(residual.absolute, absolute, kRoundOff * size) << recorded.name;
        EXPECT_NEAR(residual.relative, relative, kRoundOff * size / residual.size) << recorded.name;
        EXPECT_NEAR(residual.missed, missed, kRoundOff * size) << recorded.name;
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
