// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/general_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/solvers/one_contact.h"

namespace stickslip {
namespace {

/// Round-off of the solve, relative to the largest velocity that cancels.
constexpr double kExact = 1e-12;

struct Shape {
  std::vector<FrictionBlock> friction;
};

std::vector<Shape> make_shapes() {
  return {{{{2, 0.5, 0, 0.0}, {2, 0.05, 0, 0.0}, {1, 0.02, 0, 0.0}}},  // sliding, rolling, spinning
          {{{2, 0.7, 4, 0.3}}},
          {{{2, 1.5, 8, 0.0}, {1, 0.4, 0, 0.0}}},
          {{{3, 0.8, 0, 0.0}}}};
}

ConeProblem draw(const Shape& shape, FrictionLaw law, std::mt19937& random, std::vector<double>& w) {
  std::normal_distribution<double> normal;
  ConeProblem problem;
  problem.law = law;
  problem.add_contact(shape.friction);
  const int n = problem.size();
  Matrix root(n, n);
  for (double& value : root.reshaped()) value = normal(random);
  const RowMatrix dense = root * root.transpose() + 0.02 * Matrix::Identity(n, n);
  w.assign(dense.data(), dense.data() + n * n);
  StoredDelassus delassus;
  const int column = 0;
  delassus.add_row({&column, 1}, {&n, 1}, n, w);
  problem.delassus = delassus;
  for (double& value : problem.b) value = normal(random);
  return problem;
}

TEST(GeneralCone, RandomContacts) {
  std::mt19937 random(1);
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    for (const Shape& shape : make_shapes()) {
      for (int k = 0; k < 200; ++k) {
        std::vector<double> w;
        const ConeProblem problem = draw(shape, law, random, w);
        GeneralCone cone;
        cone.prepare(law, problem.cones[0], problem.friction(problem.cones[0]), w.data());
        std::vector<double> p(problem.size(), 0.0);
        EXPECT_TRUE(cone.solve(problem.b.data(), p.data())) << k;
        double size = 1.0;
        for (const double value : p) size = std::max(size, std::abs(value) * *std::max_element(w.begin(), w.end()));
        EXPECT_LE(calc_residual(problem, p).absolute, kExact * size) << k;
      }
    }
  }
}

TEST(GeneralCone, AgreesWithTheEnumeration) {
  std::mt19937 random(2);
  const Shape shape{{{2, 0.6, 0, 0.0}}};
  for (int k = 0; k < 500; ++k) {
    std::vector<double> w;
    const ConeProblem problem = draw(shape, FrictionLaw::coulomb, random, w);
    GeneralCone general;
    general.prepare(FrictionLaw::coulomb, problem.cones[0], problem.friction(problem.cones[0]), w.data());
    std::vector<double> p(3, 0.0);
    ASSERT_TRUE(general.solve(problem.b.data(), p.data()));
    OneContact contact;
    contact.prepare(2, 0.6, w.data());
    OneContact::Solutions solutions;
    const int n = contact.solve_all(problem.b.data(), solutions);
    double nearest = HUGE_VAL;
    for (int s = 0; s < n; ++s) {
      double distance = 0.0;
      for (int i = 0; i < 3; ++i) distance = std::max(distance, std::abs(solutions[s].p[i] - p[i]));
      nearest = std::min(nearest, distance);
    }
    EXPECT_LE(nearest, 1e-8) << k;  // round-off times condition numbers to 1e4
  }
}

/// A square of friction directions and a disc inscribed in it agree along the facets' normals.
TEST(GeneralCone, SlipAlongAFacetNormalIsThatOfTheInscribedDisc) {
  const double mu = 0.4;
  const std::vector<double> w = {1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 3.0};
  ConeProblem problem;
  const FrictionBlock square{2, mu * std::sqrt(2.0), 4, 0.25 * 3.14159265358979323846};
  problem.add_contact({&square, 1});
  GeneralCone cone;
  cone.prepare(FrictionLaw::coulomb, problem.cones[0], problem.friction(problem.cones[0]), w.data());
  const std::vector<double> b = {-1.0, 5.0, 0.0};
  std::vector<double> p(3, 0.0);
  EXPECT_TRUE(cone.solve(b.data(), p.data()));
  EXPECT_NEAR(p[0], 1.0, 1e-15);
  EXPECT_NEAR(p[1], -mu, 1e-15);
  EXPECT_NEAR(p[2], 0.0, 1e-15);
}

TEST(GeneralCone, BallOfFourDimensions) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    ConeProblem problem;
    problem.add_ball(4, 0.7);
    const Matrix root = Matrix::NullaryExpr(4, 4, [&] { return normal(random); });
    const RowMatrix dense = root * root.transpose() + 0.02 * Matrix::Identity(4, 4);
    StoredDelassus delassus;
    const int column = 0;
    const int n = 4;
    delassus.add_row({&column, 1}, {&n, 1}, n, {dense.data(), 16});
    problem.delassus = delassus;
    for (double& value : problem.b) value = normal(random);
    GeneralCone cone;
    cone.prepare(FrictionLaw::coulomb, problem.cones[0], {}, dense.data());
    std::vector<double> p(4, 0.0);
    EXPECT_TRUE(cone.solve(problem.b.data(), p.data()));
    EXPECT_LE(calc_residual(problem, p).absolute, kExact * dense.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace stickslip
