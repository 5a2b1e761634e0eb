// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/enumeration.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
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
    if (recipe.friction_dim == 2) {
      ASSERT_EQ(solver->solve(planted.problem, answer).status, Status::ok);
    }
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

/// A body of 1 kg and `inertia` that points in space or in a plane touch: rows of J, normal before tangents.
struct TouchedBody {
  Matrix J;             // (contacts (1 + d), dofs)
  Vector inverse_mass;  // (dofs)

  Matrix W() const { return J * inverse_mass.asDiagonal() * J.transpose(); }
  std::vector<double> b(const Vector& velocity) const {
    const Vector b = J * velocity;
    return {b.data(), b.data() + b.size()};
  }
};

TouchedBody planar_body(const std::vector<std::array<double, 2>>& points, const std::vector<double>& angles,
                        double inertia) {
  TouchedBody body{Matrix(2 * static_cast<Eigen::Index>(points.size()), 3), Vector3(1.0, 1.0, 1.0 / inertia)};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto [x, y] = points[k];
    const double c = std::cos(angles[k]);
    const double s = std::sin(angles[k]);
    body.J.row(2 * static_cast<Eigen::Index>(k)) << c, s, x * s - y * c;
    body.J.row(2 * static_cast<Eigen::Index>(k) + 1) << s, -c, -x * c - y * s;
  }
  return body;
}

ConeProblem planar_contacts(const std::vector<double>& mu) {
  ConeProblem cones;
  for (const double one : mu) {
    const FrictionBlock block{1, one, 0, 0.0};
    cones.add_contact({&block, 1});
  }
  return cones;
}

bool rests(const EnumeratedSolution& solution) {
  return std::ranges::all_of(solution.u, [](double u) { return std::abs(u) < kEnumerated; });
}

/// A disc of radius .1 m under its weight, which two walls hold by any friction: in a groove of .4 rad and .1 rad, in a
/// corner of twice 45 degrees, and so in space with facets, where it is a ball.
TEST(Enumeration, ADiscInAGrooveRestsHoweverSlippery) {
  const double pi = std::numbers::pi;
  for (const auto& [left, right] : {std::array{0.4, pi - 0.1}, std::array{pi / 4.0, 3.0 * pi / 4.0}}) {
    const double r = 0.1;
    const TouchedBody disc =
        planar_body({{-r * std::cos(left), -r * std::sin(left)}, {-r * std::cos(right), -r * std::sin(right)}},
                    {left, right}, 0.005);
    for (const double mu : {1e-3, 0.01, 0.05, 0.1, 0.3, 1.0}) {
      const Enumeration found =
          enumerate_solutions(with_operator(planar_contacts({mu, mu}), disc.W(), disc.b(Vector3(0.0, -0.1, 0.0))));
      EXPECT_TRUE(found.complete) << mu;
      ASSERT_EQ(found.solutions.size(), 1U) << mu;
      EXPECT_TRUE(rests(found.solutions[0])) << mu;
      TouchedBody ball{Matrix::Zero(6, 6), Vector(6)};
      ball.inverse_mass << 1.0, 1.0, 1.0, 200.0, 200.0, 200.0;
      int row = 0;
      for (const double angle : {left, right}) {
        const Vector3 n(std::cos(angle), std::sin(angle), 0.0);
        const Vector3 along(std::sin(angle), -std::cos(angle), 0.0);
        for (const Vector3& t : {n, along, Vector3(0.0, 0.0, 1.0)}) {
          ball.J.row(row++) << t.transpose(), (-r * n).cross(t).transpose();
        }
      }
      ConeProblem facets;
      const FrictionBlock block{2, mu, 4, 0.0};
      for (int k = 0; k < 2; ++k) facets.add_contact({&block, 1});
      const Enumeration in_space =
          enumerate_solutions(with_operator(facets, ball.W(), ball.b(-0.1 * Vector::Unit(6, 1))));
      EXPECT_TRUE(in_space.complete) << mu;
      ASSERT_EQ(in_space.solutions.size(), 1U) << mu;
      EXPECT_TRUE(rests(in_space.solutions[0])) << mu;
    }
  }
}

/// Two contacts of a planar body: whether it may rest, from the interval of the one force that presses them against
/// each other. Forces q with J^T q = -f are q_0 + s n, n of unit length, and each mu q_N - |q_T| >= 0 bounds s.
TEST(Enumeration, TwoPlanarContactsRestWhereAnIntervalSaysSo) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int rest = 0;
  int several = 0;
  for (int k = 0; k < 400; ++k) {
    const TouchedBody body = planar_body(
        {{uniform(random), uniform(random)}, {uniform(random), uniform(random)}},
        {0.5 * std::numbers::pi + 1.5 * uniform(random), 0.5 * std::numbers::pi + 1.5 * uniform(random)}, 0.1);
    const std::vector<double> mu = {1.2 + uniform(random), 1.2 + uniform(random)};
    const Vector3 v(5.0 * uniform(random), 5.0 * uniform(random) - 4.0, 30.0 * uniform(random));
    const Vector3 f = v.cwiseQuotient(Vector3(body.inverse_mass));
    // n by Cramer's rule, and q_0 from the normal equations of J^T.
    Vector n(4);
    for (int r = 0; r < 4; ++r) {
      Matrix3 others;
      for (int i = 0, j = 0; i < 4; ++i) {
        if (i != r) others.col(j++) = body.J.row(i).transpose();
      }
      n(r) = (r % 2 == 0 ? 1.0 : -1.0) * others.determinant();
    }
    n.normalize();
    const Matrix3 normal = body.J.transpose() * body.J;
    const Vector q_0 = -(body.J * normal.inverse() * f);
    double low = -HUGE_VAL;
    double high = HUGE_VAL;
    for (int i = 0; i < 2; ++i) {
      for (const double side : {1.0, -1.0}) {
        const double slope = mu[i] * n(2 * i) - side * n(2 * i + 1);
        const double at_zero = mu[i] * q_0(2 * i) - side * q_0(2 * i + 1);
        (slope > 0.0 ? low : high) = slope > 0.0 ? std::max(low, -at_zero / slope) : std::min(high, -at_zero / slope);
      }
    }
    if (std::abs(high - low) < 1e-9) continue;
    const Enumeration found = enumerate_solutions(with_operator(planar_contacts(mu), body.W(), body.b(v)));
    EXPECT_TRUE(found.complete) << k;
    EXPECT_EQ(std::ranges::any_of(found.solutions, rests), low < high) << k;
    EXPECT_FALSE(found.solutions.empty()) << k;
    rest += low < high ? 1 : 0;
    several += found.solutions.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(rest, 50);
  EXPECT_GT(several, 20);
}

/// Three and four contacts of a planar body, W of rank three. Where -J^T p of p in the cones is what moves it, it may
/// rest; where all contacts leave the cones of a motion w as it moves with it, w . f > 0, no force holds it.
TEST(Enumeration, APlanarBodyOnManyPointsRestsOrCannot) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int held = 0;
  int moved = 0;
  for (int k = 0; k < 60; ++k) {
    const int contacts = 3 + k % 2;
    std::vector<std::array<double, 2>> points;
    std::vector<double> angles;
    std::vector<double> mu;
    for (int i = 0; i < contacts; ++i) {
      points.push_back({uniform(random), uniform(random)});
      angles.push_back(0.5 * std::numbers::pi + uniform(random));
      mu.push_back(0.3 + 0.25 * uniform(random));
    }
    const TouchedBody body = planar_body(points, angles, 0.2);
    const Vector3 mass = body.inverse_mass.cwiseInverse();
    Vector p(2 * contacts);
    for (int i = 0; i < contacts; ++i) {
      p(2 * i) = 0.5 + 0.5 * uniform(random);
      // Every third time at the bound, where nothing is to spare.
      p(2 * i + 1) = mu[i] * p(2 * i) * (k % 3 == 0 ? (uniform(random) < 0.0 ? -1.0 : 1.0) : uniform(random));
    }
    const Vector3 v = -(body.inverse_mass.asDiagonal() * (body.J.transpose() * p));
    const Enumeration rest = enumerate_solutions(with_operator(planar_contacts(mu), body.W(), body.b(v)));
    EXPECT_TRUE(rest.complete) << k;
    EXPECT_TRUE(std::ranges::any_of(rest.solutions, rests)) << k;
    ++held;
    const Vector3 w(0.2 * uniform(random), 1.0, 0.2 * uniform(random));
    const Vector leaving = body.J * w;
    bool all = true;
    for (int i = 0; i < contacts; ++i) all &= leaving(2 * i) > mu[i] * std::abs(leaving(2 * i + 1));
    if (!all) continue;
    ++moved;
    Vector3 away(uniform(random), uniform(random), uniform(random));
    const Vector3 along = mass.asDiagonal() * w;
    away += w * ((k % 2 == 0 ? 1e-6 : 0.3) - along.dot(away)) / along.dot(w);
    const Enumeration found = enumerate_solutions(with_operator(planar_contacts(mu), body.W(), body.b(away)));
    EXPECT_TRUE(found.complete) << k;
    EXPECT_FALSE(std::ranges::any_of(found.solutions, rests)) << k;
  }
  EXPECT_EQ(held, 60);
  EXPECT_GT(moved, 5);
}

/// Five discs that slide are not searched, so that the answer of a solver is what there is, and it is said that there
/// may be more.
TEST(Enumeration, ListsTheAnswerOfASolverThatNoCaseGives) {
  constexpr int kDiscs = 5;
  ConeProblem cones;
  const FrictionBlock block{2, 0.5, 0, 0.0};
  std::vector<double> b;
  std::vector<double> answer;
  for (int k = 0; k < kDiscs; ++k) {
    cones.add_contact({&block, 1});
    b.insert(b.end(), {-1.0, 3.0, 4.0});
    answer.insert(answer.end(), {1.0, -0.3, -0.4});
  }
  const ConeProblem problem = with_operator(cones, Matrix::Identity(3 * kDiscs, 3 * kDiscs), b);
  const Enumeration nothing = enumerate_solutions(problem);
  EXPECT_FALSE(nothing.complete);
  EXPECT_TRUE(nothing.solutions.empty());
  const Enumeration found = enumerate_solutions(problem, answer);
  EXPECT_FALSE(found.complete);
  ASSERT_EQ(found.solutions.size(), 1U);
  EXPECT_EQ(found.solutions[0].p, answer);
  EXPECT_EQ(found.solutions[0].states, (std::vector(kDiscs, ContactState::slip)));
}

/// An operator of no mechanical system: u_1 = p_2 + b_1, u_2 = b_2. Where b_2 = 0, p_2 and with it u_1 may be anything.
TEST(Enumeration, SaysThatThereAreInfinitelyManyMotions) {
  Matrix W(2, 2);
  W << 0.0, 1.0, 0.0, 0.0;
  const Enumeration found = enumerate_solutions(normals(W, {1.0, 0.0}));
  EXPECT_FALSE(found.complete);
  EXPECT_GT(found.solutions.size(), 1U);
  const Enumeration one = enumerate_solutions(normals(W, {1.0, 1.0}));
  EXPECT_TRUE(one.complete);
  EXPECT_EQ(one.solutions.size(), 1U);
}

/// Bilateral rows of a light body beside a heavy one have a solution, those that contradict each other have none.
TEST(Enumeration, TellsSmallSingularValuesFromContradictions) {
  const auto enumerate = [](const Matrix& W, const std::vector<double>& b) {
    ConeProblem cones;
    for (std::size_t k = 0; k < b.size(); ++k) cones.add_free(1);
    return enumerate_solutions(with_operator(cones, W, b));
  };
  Matrix W(2, 2);
  W << 1.0, 0.0, 0.0, 1e-12;
  const Enumeration one = enumerate(W, {-1.0, -1.0});
  EXPECT_TRUE(one.complete);
  ASSERT_EQ(one.solutions.size(), 1U);
  EXPECT_NEAR(one.solutions[0].p[0], 1.0, kEnumerated);
  EXPECT_NEAR(one.solutions[0].p[1], 1e12, 1e12 * kEnumerated);
  W << 1.0, 1.0, 1.0, 1.0;
  const Enumeration none = enumerate(W, {1.0, -1.0});
  EXPECT_TRUE(none.complete);
  EXPECT_TRUE(none.solutions.empty());
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
