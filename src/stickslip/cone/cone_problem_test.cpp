// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/cone_problem.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/cone/residual.h"

namespace stickslip {
namespace {

constexpr FrictionBlock kSpatial{2, 0.5, 0, 0.0};

Matrix draw(int rows, int columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix a(rows, columns);
  for (double& value : a.reshaped()) value = normal(random);
  return a;
}

/// Three bodies of sizes 3, 6, 2; a contact on bodies 0 and 1, a joint on 1 and 2, a ball on 2 alone.
struct Example {
  ConeProblem factored;
  ConeProblem stored;
  Matrix w;  // (7, 7) dense reference

  Example() {
    std::mt19937 random(1);
    const int sizes[] = {3, 6, 2};
    Matrix inverse_mass = Matrix::Zero(11, 11);
    FactoredDelassus delassus;
    for (int k = 0, offset = 0; k < 3; offset += sizes[k++]) {
      const Matrix root = draw(sizes[k], sizes[k], random);
      inverse_mass.block(offset, offset, sizes[k], sizes[k]) = root * root.transpose();
      EXPECT_EQ(delassus.add_body(root * root.transpose()), k);
    }
    for (ConeProblem* problem : {&factored, &stored}) {
      EXPECT_EQ(problem->add_contact({&kSpatial, 1}), 0);
      EXPECT_EQ(problem->add_free(2), 1);
      EXPECT_EQ(problem->add_ball(2, 0.5), 2);
      EXPECT_EQ(problem->size(), 7);
    }
    Matrix j = Matrix::Zero(7, 11);
    const auto add = [&](int row, int dim, int body, int offset) {
      const Matrix block = draw(dim, sizes[body], random);
      j.block(row, offset, dim, sizes[body]) = block;
      delassus.add_block(body) = block;
    };
    delassus.begin_row(3);
    add(0, 3, 0, 0);
    add(0, 3, 1, 3);
    delassus.begin_row(2);
    add(3, 2, 1, 3);
    add(3, 2, 2, 9);
    delassus.begin_row(2);
    add(5, 2, 2, 9);
    w = j * inverse_mass * j.transpose();
    factored.delassus = delassus;

    StoredDelassus rows;
    const auto store = [&](const std::vector<int>& columns, const Cone& row) {
      std::vector<int> dims;
      std::vector<double> values;
      for (const int c : columns) {
        const Cone& column = stored.cones[c];
        dims.push_back(column.dim);
        for (int r = 0; r < row.dim; ++r) {
          for (int k = 0; k < column.dim; ++k) values.push_back(w(row.offset + r, column.offset + k));
        }
      }
      rows.add_row(columns, dims, row.dim, values);
    };
    store({0, 1}, stored.cones[0]);
    store({0, 1, 2}, stored.cones[1]);
    store({1, 2}, stored.cones[2]);
    stored.delassus = rows;
  }
};

TEST(ConeProblem, BothOperatorsAreTheDenseOne) {
  const Example example;
  std::mt19937 random(2);
  const Matrix p = draw(7, 1, random);
  const Matrix expected = example.w * p;
  for (const ConeProblem* problem : {&example.factored, &example.stored}) {
    std::vector<double> result(7);
    problem->apply_delassus({p.data(), 7}, result);
    for (int i = 0; i < 7; ++i) EXPECT_NEAR(result[i], expected(i), 1e-12);
    EXPECT_NEAR(problem->calc_residual_scale(), example.w.diagonal().mean(), 1e-12);
    for (int c = 0; c < 3; ++c) {
      const Cone& cone = problem->cones[c];
      std::vector<double> block(cone.dim * cone.dim);
      problem->calc_diagonal_block(c, block);
      for (int i = 0; i < cone.dim; ++i) {
        for (int j = 0; j < cone.dim; ++j) {
          EXPECT_NEAR(block[i * cone.dim + j], example.w(cone.offset + i, cone.offset + j), 1e-12);
        }
      }
    }
  }
}

TEST(ConeProblem, ContactsAlikeShareTheirFriction) {
  constexpr FrictionBlock kRough{2, 0.8, 0, 0.0};
  ConeProblem problem;
  for (const FrictionBlock& block : {kSpatial, kSpatial, kRough, kRough, kSpatial}) problem.add_contact({&block, 1});
  const std::array both = {kRough, kSpatial};
  problem.add_contact(both);
  problem.add_contact({});
  EXPECT_EQ(problem.blocks.size(), 3u);
  const std::array mu = {0.5, 0.5, 0.8, 0.8, 0.5, 0.8};
  for (std::size_t i = 0; i < mu.size(); ++i) EXPECT_EQ(problem.friction(problem.cones[i]).front().mu, mu[i]);
  EXPECT_EQ(problem.friction(problem.cones[5]).size(), 2u);
  EXPECT_TRUE(problem.friction(problem.cones[6]).empty());
}

TEST(ConeProblem, ClearedConesKeepTheOperator) {
  Example example;
  example.factored.clear_cones();
  EXPECT_EQ(example.factored.size(), 0);
  EXPECT_EQ(example.factored.n_cones(), 0);
  EXPECT_EQ(std::get<FactoredDelassus>(example.factored.delassus).n_bodies(), 3);
  std::get<FactoredDelassus>(example.factored.delassus).clear_rows();
  EXPECT_EQ(std::get<FactoredDelassus>(example.factored.delassus).n_rows(), 0);
}

/// W diagonal, one cone.
ConeProblem make_diagonal(const std::vector<double>& diagonal) {
  ConeProblem problem;
  const int n = static_cast<int>(diagonal.size());
  std::vector<double> block(n * n, 0.0);
  for (int i = 0; i < n; ++i) block[i * n + i] = diagonal[i];
  StoredDelassus w;
  const int column = 0;
  w.add_row({&column, 1}, {&n, 1}, n, block);
  problem.delassus = w;
  return problem;
}

TEST(Residual, ContactByHand) {
  // W = diag(1, 2, 3), w = 2; p = (1, .5, 0) on the cone's boundary; u = W p + b = (0, -.25, 0): slip.
  ConeProblem problem = make_diagonal({1.0, 2.0, 3.0});
  problem.add_contact({&kSpatial, 1});
  problem.b = {-1.0, -1.25, 0.0};
  const std::vector<double> p = {1.0, 0.5, 0.0};
  EXPECT_NEAR(calc_residual(problem, p).absolute, 0.0, 1e-15);
  // Associated: r' - u = (2, 1.25, 0) has the projection a (1, mu), a = (2 + .625) / 1.25 = 2.1: defect (-.1, -.05).
  const Residual relaxed = calc_residual(problem, FrictionLaw::associated, p);
  EXPECT_NEAR(relaxed.absolute, std::hypot(0.1, 0.05), 1e-15);
  EXPECT_NEAR(relaxed.relative, std::hypot(0.1, 0.05) / std::hypot(1.0, 1.25), 1e-15);
}

TEST(Residual, BallRadiusIsScaled) {
  // w = 4: r' = 4 p, radius 2: p = .5 on the ball's boundary with u < 0 solves, with u > 0 is off by u.
  ConeProblem problem = make_diagonal({4.0});
  problem.add_ball(1, 0.5);
  problem.b = {-3.0};
  EXPECT_EQ(calc_residual(problem, std::vector{0.5}).absolute, 0.0);
  problem.b = {-1.0};
  EXPECT_EQ(calc_residual(problem, std::vector{0.5}).absolute, 1.0);
  EXPECT_EQ(calc_residual(problem, std::vector{0.25}).absolute, 0.0);
}

TEST(Residual, FreeRowsCountTheirVelocity) {
  ConeProblem problem = make_diagonal({2.0, 2.0});
  problem.add_free(2);
  problem.b = {-2.0, 3.0};
  const Residual residual = calc_residual(problem, std::vector{1.0, 0.0});
  EXPECT_EQ(residual.absolute, 3.0);
  EXPECT_EQ(residual.relative, 3.0 / std::hypot(2.0, 3.0));
}

TEST(Residual, InfiniteVelocityIsNoAnswer) {
  ConeProblem problem = make_diagonal({1.0});
  problem.add_contact({});
  for (const double b : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    problem.b = {b};
    EXPECT_FALSE(std::isfinite(calc_residual(problem, std::vector{0.0}).absolute));
    EXPECT_FALSE(std::isfinite(calc_residual(problem, std::vector{0.0}).relative));
  }
}

/// However large mu is, a contact that goes on closing is not solved, and one that opens is.
TEST(Residual, ClosingCountsAtAnyFriction) {
  for (const double mu : {0.3, 1.0, 1e3, 1e9}) {
    const FrictionBlock disc = {2, mu};
    ConeProblem problem = make_diagonal({1.0, 1.0, 1.0});
    problem.add_contact({&disc, 1});
    problem.b = {-0.1, 2.0, 0.0};
    const Residual closing = calc_residual(problem, std::vector{0.0, 0.0, 0.0});
    EXPECT_EQ(closing.missed, 0.1) << mu;
    EXPECT_FALSE(closing.is_within({.relative = 0.99 * 0.1 / std::hypot(0.1, 2.0)})) << mu;
    EXPECT_GE(closing.absolute, (1.0 - 1e-6) * 0.1 / std::hypot(1.0, mu)) << mu;  // the bound of residual.h
    EXPECT_EQ(closing.relative, closing.absolute / std::hypot(0.1, 2.0)) << mu;
    problem.b = {0.1, 2.0, 0.0};
    EXPECT_TRUE(calc_residual(problem, std::vector{0.0, 0.0, 0.0}).is_within({})) << mu;
  }
}

/// What has no positive diagonal, as a linear complementarity problem may, has a scale nevertheless.
TEST(Residual, SeesThroughDiagonalsWithoutASign) {
  // z = (1, 1) solves M = [0 -1; 1 0], q = (1, -1): w = 0. And z = (.6, .8) M = [-1 2; 3 -1], q = (-1, -1).
  struct Case {
    std::vector<double> m, q, z;
    double scale;
  };
  for (const Case& c : {Case{{0, -1, 1, 0}, {1, -1}, {1, 1}, 1.0}, Case{{-1, 2, 3, -1}, {-1, -1}, {0.6, 0.8}, 1.0},
                        Case{{-3, 2, 3, -1}, {-1, -1}, {1.0, 2.0}, 2.0}}) {
    ConeProblem problem;
    for (int i = 0; i < 2; ++i) problem.add_contact({});
    problem.b = c.q;
    StoredDelassus w;
    const std::array<int, 2> columns = {0, 1};
    const std::array<int, 2> sizes = {1, 1};
    for (int i = 0; i < 2; ++i) w.add_row(columns, sizes, 1, std::vector(c.m.begin() + 2 * i, c.m.begin() + 2 * i + 2));
    problem.delassus = w;
    EXPECT_EQ(problem.calc_residual_scale(), c.scale);
    EXPECT_NEAR(calc_residual(problem, c.z).absolute, 0.0, 1e-15);
    for (const std::vector<double>& wrong : {std::vector{18.4, 0.5}, std::vector{3e12, 3e12}, std::vector{0.0, 0.0}}) {
      EXPECT_GT(calc_residual(problem, wrong).absolute, 0.1);
    }
  }
  // Without any W, percussions outside their cone are seen.
  ConeProblem none = make_diagonal({0.0, 0.0, 0.0});
  none.add_contact({&kSpatial, 1});
  none.b = {1.0, 0.0, 0.0};
  EXPECT_GT(calc_residual(none, std::vector{-5.0, 3.0, 2.0}).relative, 1.0);
  EXPECT_EQ(calc_residual(none, std::vector{0.0, 0.0, 0.0}).relative, 0.0);
}

/// The first row of M = [0 0; 1 1], q = (-1e-3, -1) stays violated by 1e-3, however fast the second is made; a joint's
/// likewise.
TEST(Residual, SpeedDoesNotHideWhatIsViolated) {
  ConeProblem problem;
  for (int i = 0; i < 2; ++i) problem.add_contact({});
  ConeProblem with_joint;
  with_joint.add_free(1);
  with_joint.add_contact({});
  problem.b = with_joint.b = {-1e-3, -1.0};
  StoredDelassus w;
  const std::array<int, 2> columns = {0, 1};
  const std::array<int, 2> sizes = {1, 1};
  w.add_row(columns, sizes, 1, std::vector{0.0, 0.0});
  w.add_row(columns, sizes, 1, std::vector{1.0, 1.0});
  problem.delassus = with_joint.delassus = w;
  for (const ConeProblem* each : {&problem, &with_joint}) {
    for (const double p : {1.0, 1e2, 1e3, 1e4, 1e6, 1e9, 1e11, 1e15}) {
      const Residual residual = calc_residual(*each, std::vector{p, 0.0});
      EXPECT_GE(residual.absolute, 1e-3);
      EXPECT_GE(residual.missed, 1e-3) << p;
      EXPECT_FALSE(residual.is_within({.relative = 0.99e-3})) << p;
    }
  }
}

/// A body squeezed out of a wedge of angle e between two planes: percussions of 2 / e^2 give it a speed of 2 / e, and
/// the last digit of one of these percussions leaves a gap closing by 8e-8 m/s. What rounding makes of the velocities
/// is excused.
TEST(Residual, RoundOffOfLargePercussionsIsExcused) {
  constexpr double kAngle = 1e-4;
  const double s = std::sin(kAngle);
  const double c = std::cos(kAngle);
  const FrictionBlock line{1, 0.0, 0, 0.0};
  ConeProblem problem;
  FactoredDelassus w;
  w.add_body(Matrix::Identity(2, 2));
  for (int i = 0; i < 2; ++i) {
    problem.add_contact({&line, 1});
    w.begin_row(2);
    w.add_block(0) << (i == 0 ? 0 : s), (i == 0 ? 1 : -c), (i == 0 ? 1 : c), (i == 0 ? 0 : s);
    problem.b[2 * i] = -1.0;
  }
  problem.delassus = w;
  const double p = 1.0 / (2.0 * std::pow(std::sin(0.5 * kAngle), 2));
  const double below = p - 4e-16 * p;
  ASSERT_LT(below, p);
  const std::vector<double> answer = {below, 0.0, p, 0.0};
  EXPECT_LE(calc_residual(problem, answer).relative, 1e-10);
  EXPECT_GT(calc_residual(problem, answer).missed, 1e-8);
  EXPECT_TRUE(calc_residual(problem, answer).is_within({.relative = 1e-10}));
  // Ten thousand times as much is more.
  EXPECT_FALSE(calc_residual(problem, std::vector{p - 4e-12 * p, 0.0, p, 0.0}).is_within({.relative = 1e-4}));
}

/// A contact that closes, whatever heavy and light bodies elsewhere do: 1e8 kg on a long lever, which makes something
/// fast, and 1 g.
TEST(Residual, SpeedOfOthersIsNoExcuse) {
  ConeProblem problem;
  for (int i = 0; i < 4; ++i) problem.add_contact({});
  problem.b = {-1e-5, -1.0, 0.0, 0.5};
  StoredDelassus w;
  const std::array<int, 4> columns = {0, 1, 2, 3};
  const std::array<int, 4> sizes = {1, 1, 1, 1};
  w.add_row(columns, sizes, 1, std::vector{0.0, 0.0, 0.0, 0.0});
  w.add_row(columns, sizes, 1, std::vector{0.0, 1e-8, 3e-5, 0.0});
  w.add_row(columns, sizes, 1, std::vector{0.0, 3e-5, 0.09, 0.0});
  w.add_row(columns, sizes, 1, std::vector{0.0, 0.0, 0.0, 1000.0});
  problem.delassus = w;
  const Residual residual = calc_residual(problem, std::vector{0.0, 1e8, 0.0, 0.0});
  EXPECT_NEAR(residual.absolute, 1e-5, 1e-9);
  EXPECT_FALSE(residual.is_within({.relative = 0.99 * 1e-5 / std::sqrt(1.25)}));
  // The same of velocities that are known, without W.
  problem.delassus = StoredDelassus();
  const std::vector<double> p = {0.0, 1e8, 0.0, 0.0};
  EXPECT_FALSE(calc_residual(problem, problem.law, p, std::vector{-1e-5, 0.0, 3000.0, 0.5}, 1e-8)
                   .is_within({.relative = 0.99 * 1e-5 / std::sqrt(1.25)}));
}

TEST(Residual, NothingIsSolved) {
  ConeProblem problem;
  EXPECT_EQ(calc_residual(problem, std::vector<double>{}).absolute, 0.0);
  EXPECT_EQ(calc_residual(problem, std::vector<double>{}).relative, 0.0);
  problem = make_diagonal({1.0, 1.0, 1.0});
  problem.add_contact({&kSpatial, 1});
  EXPECT_EQ(calc_residual(problem, std::vector{0.0, 0.0, 0.0}).relative, 0.0);
}

}  // namespace
}  // namespace stickslip
