// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/enumeration.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/polygon_contact.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

constexpr double kEnumerated =
    1e-9;  // [-] of percussions and velocities about 1, a few roots refined by Newton's method

ConeProblem with_operator(ConeProblem cones, const Matrix& W, const std::vector<double>& b) {
  cones.b = b;
  return make_one_step_problem(ConeForm{SparseMatrix(W.sparseView())}, cones).cones;
}

ConeProblem normals(const Matrix& W, const std::vector<double>& b) {
  ConeProblem cones;
  for (std::size_t k = 0; k < b.size(); ++k) cones.add_contact({});
  return with_operator(cones, W, b);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

TEST(Enumeration, SaysThatASqueezedBodyHasNoSolution) {
  Matrix W(2, 2);
  W << 1.0, -1.0, -1.0, 1.0;
  const Enumeration none = enumerate_solutions(normals(W, {-1.0, -1.0}));
  EXPECT_TRUE(none.complete);
  EXPECT_TRUE(none.solutions.empty());
  EXPECT_EQ(none.cases, 4);
}

TEST(Enumeration, CountsSolutionsOfAnOperatorOfNoMechanicalSystem) {
  // u = b - p: of b > 0 both p = 0 and p = b, of b < 0 none.
  const Matrix W = Matrix::Constant(1, 1, -1.0);
  const Enumeration two = enumerate_solutions(normals(W, {2.0}));
  ASSERT_EQ(two.solutions.size(), 2U);
  EXPECT_EQ(two.solutions[0].states[0], ContactState::open);
  EXPECT_NEAR(two.solutions[1].p[0], 2.0, kEnumerated);
  EXPECT_TRUE(enumerate_solutions(normals(W, {-2.0})).solutions.empty());
}

TEST(Enumeration, OneMotionWithManyForcesIsOneSolution) {
  const Matrix W = Matrix::Ones(2, 2);
  const Enumeration found = enumerate_solutions(normals(W, {-1.0, -1.0}));
  EXPECT_TRUE(found.complete);
  ASSERT_EQ(found.solutions.size(), 1U);
  EXPECT_FALSE(found.solutions[0].unique_percussions);
  EXPECT_EQ(found.solutions[0].states, (std::vector(2, ContactState::slip)));
  EXPECT_NEAR(found.solutions[0].p[0] + found.solutions[0].p[1], 1.0, kEnumerated);
}

TEST(Enumeration, ABallSlidesAgainstItsLoadOrHolds) {
  for (const double load : {2.0, 4.0}) {
    ConeProblem cones;
    cones.add_ball(2, 1.5);
    const Enumeration found =
        enumerate_solutions(with_operator(cones, 2.0 * Matrix::Identity(2, 2), {0.6 * load, -0.8 * load}));
    EXPECT_TRUE(found.complete);
    ASSERT_EQ(found.solutions.size(), 1U);
    const double p = std::min(0.5 * load, 1.5);
    EXPECT_LE(distance(found.solutions[0].p, {-0.6 * p, 0.8 * p}), kEnumerated);
    EXPECT_EQ(found.solutions[0].states[0], load < 3.0 ? ContactState::stick : ContactState::slip);
  }
}

/// A contact beside bilateral rows: 1 kg that a row holds along x, pushed down and sideways.
TEST(Enumeration, EliminatesBilateralRowsAndSeesThatTheyContradict) {
  ConeProblem cones;
  const FrictionBlock friction{1, 0.5, 0, 0.0};
  cones.add_contact({&friction, 1});
  cones.add_free(1);
  Matrix W(3, 3);
  W << 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0;
  const Enumeration held = enumerate_solutions(with_operator(cones, W, {-1.0, 3.0, 3.0}));
  ASSERT_EQ(held.solutions.size(), 1U);
  EXPECT_NEAR(held.solutions[0].p[1] + held.solutions[0].p[2], -3.0, kEnumerated);
  EXPECT_FALSE(held.solutions[0].unique_percussions);
  ConeProblem two;
  two.add_free(2);
  EXPECT_TRUE(enumerate_solutions(with_operator(two, Matrix::Ones(2, 2), {1.0, -1.0})).solutions.empty());
}

TEST(Enumeration, OfAPolygonTheSameAsByTryingItsCandidates) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int several = 0;
  for (int k = 0; k < 300; ++k) {
    const Matrix a = Matrix::NullaryExpr(3, 3, [&] { return normal(random); });
    const Matrix W = a * a.transpose() + 0.02 * Matrix::Identity(3, 3);
    const FrictionBlock block{2, 0.05 + 0.02 * (k % 100), 3 + k % 6, 0.1 * k};
    ConeProblem cones;
    cones.add_contact({&block, 1});
    const std::vector<double> b = {normal(random), normal(random), normal(random)};
    const Enumeration found = enumerate_solutions(with_operator(cones, W, b));
    EXPECT_TRUE(found.complete);
    PolygonContact contact;
    std::vector<double> w(W.data(), W.data() + 9);
    contact.prepare(block, w.data());
    std::array<double, 3> p = {};
    EXPECT_EQ(static_cast<int>(found.solutions.size()), contact.solve(b.data(), p.data())) << k;
    several += found.solutions.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 0);
}

/// Under the relaxed law u is unique, and with a regular W p is: the one that is planted [Negrut2017 eq. 11]. Planar
/// ones by their cases, discs from the answer of a solver.
TEST(Enumeration, OfTheRelaxedLawThePlantedSolutionAlone) {
  const auto solver = make_solver(AutoOptions{});
  for (unsigned seed = 0; seed < 20; ++seed) {
    test::PlantedRecipe recipe;
    recipe.n_bodies = 2;
    recipe.n_contacts = 2;
    recipe.n_joints = seed % 4 == 0 ? 0 : 1;
    recipe.friction_dim = 1 + static_cast<int>(seed % 2);
    const test::PlantedProblem planted = test::Planter(recipe, FrictionLaw::associated, seed).make();
    ConeSolution answer{std::vector<double>(planted.problem.size(), 0.0), {}};
    if (recipe.friction_dim == 2) ASSERT_EQ(solver->solve(planted.problem, answer).status, Status::ok);
    const std::vector<double> candidate = recipe.friction_dim == 2 ? answer.p : std::vector<double>();
    const Enumeration found = enumerate_solutions(planted.problem, candidate);
    EXPECT_TRUE(found.complete) << seed;
    ASSERT_EQ(found.solutions.size(), 1U) << seed;
    EXPECT_LE(distance(found.solutions[0].p, planted.p), 1e-7) << seed;
  }
}

/// Under Coulomb's law it is one of them, and there is an odd number of them where W is regular, but for coincidences.
TEST(Enumeration, OfSeveralDiscsThePlantedSolutionAmongAnOddNumber) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    test::PlantedRecipe recipe;
    recipe.n_bodies = 3;
    recipe.n_contacts = 2 + static_cast<int>(seed % 2);
    recipe.mu = 0.9;
    recipe.stretched = seed % 3 == 0;
    const test::PlantedProblem planted = test::Planter(recipe, FrictionLaw::coulomb, seed).make();
    const Enumeration found = enumerate_solutions(planted.problem);
    EXPECT_TRUE(found.complete) << seed;
    EXPECT_EQ(found.solutions.size() % 2, 1U) << seed;
    double nearest = HUGE_VAL;
    for (const EnumeratedSolution& solution : found.solutions) {
      nearest = std::min(nearest, distance(solution.p, planted.p));
      EXPECT_TRUE(solution.residual.is_within({.relative = kEnumerated})) << seed;
    }
    EXPECT_LE(nearest, 1e-7) << seed;
  }
}

TEST(Enumeration, RefusesWhatIsTooLarge) {
  ConeProblem many;
  for (int k = 0; k < 9; ++k) many.add_contact({});
  EXPECT_NE(refuses_enumeration(many)->find("9 contacts"), std::string::npos);
  ConeProblem facets;
  const FrictionBlock fine{2, 0.5, 64, 0.0};
  for (int k = 0; k < 3; ++k) facets.add_contact({&fine, 1});
  EXPECT_NE(refuses_enumeration(facets)->find("combinations"), std::string::npos);
  ConeProblem blocks;
  const std::array<FrictionBlock, 2> two = {FrictionBlock{2, 0.5, 0, 0.0}, FrictionBlock{1, 0.1, 0, 0.0}};
  blocks.add_contact(two);
  EXPECT_TRUE(refuses_enumeration(blocks).has_value());
  many.cones.pop_back();
  EXPECT_FALSE(refuses_enumeration(many).has_value());
}

}  // namespace
}  // namespace stickslip
