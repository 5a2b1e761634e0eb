// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/one_step_problem.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/cone/condense.h"
#include "stickslip/cone/residual.h"

namespace stickslip {
namespace {

constexpr double kRecordRoundOff = 1e-12;

SparseMatrix sparse(const Matrix& dense) {
  SparseMatrix matrix = dense.sparseView();
  return matrix;
}

/// Two contacts and one bilateral row on unknowns in three components of M: 50 coupled in a chain, more than are
/// inverted densely; 3 coupled with one another; 2 alone. M is not symmetric.
GlobalForm make_global(int dim) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  constexpr int kChain = 50;
  constexpr int kUnknowns = kChain + 5;
  Matrix m = Matrix::Zero(kUnknowns, kUnknowns);
  for (int i = 0; i < kChain; ++i) {
    m(i, i) = 3.0;
    if (i > 0) m(i, i - 1) = -1.0;
    if (i + 1 < kChain) m(i, i + 1) = -1.002;
  }
  m.block(kChain, kChain, 3, 3) << 2.0, 0.5, 0.1, 0.4, 3.0, 0.2, 0.1, 0.3, 4.0;
  m(kChain + 3, kChain + 3) = 5.0;
  m(kChain + 4, kChain + 4) = 0.1;
  Matrix h = Matrix::Zero(kUnknowns, 2 * dim);
  for (int c = 0; c < dim; ++c) {
    for (const int unknown : {3, 17, kChain, kChain + 2}) h(unknown, c) = normal(random);
    for (const int unknown : {kChain + 1, kChain + 4}) h(unknown, dim + c) = normal(random);
  }
  Matrix g = Matrix::Zero(kUnknowns, 1);
  g(kChain + 3, 0) = 1.0;
  g(40, 0) = -1.0;
  GlobalForm form;
  form.dim = dim;
  form.m = sparse(m);
  form.h = sparse(h);
  form.g = sparse(g);
  form.f = Vector::NullaryExpr(kUnknowns, [&] { return normal(random); });
  form.w = Vector::NullaryExpr(2 * dim, [&] { return normal(random); });
  form.b = Vector::Constant(1, 0.25);
  form.mu = Vector::Constant(2, 0.4);
  return form;
}

class GlobalProblem : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, GlobalProblem, testing::Values(2, 3));

TEST_P(GlobalProblem, IsTheCondensedOne) {
  const GlobalForm form = make_global(GetParam());
  const Matrix inverse = Matrix(form.m).inverse();
  const int n = static_cast<int>(form.w.size());
  Matrix both(form.f.size(), n + 1);
  both << Matrix(form.h), Matrix(form.g);
  const Matrix w = both.transpose() * inverse * both;
  Vector b(n + 1);
  b << form.w, form.b;
  b += both.transpose() * inverse * form.f;

  const OneStepProblem problem = make_one_step_problem(form, "file");
  const ConeProblem& cones = problem.cones;
  ASSERT_EQ(cones.size(), n + 1);
  EXPECT_EQ(problem.n_contacts(), 2);
  EXPECT_LT((ConstVectorView(cones.b.data(), n + 1) - b).norm(), kRecordRoundOff);
  std::vector<double> p(n + 1);
  for (int i = 0; i <= n; ++i) p[i] = std::sin(1.0 + i);
  std::vector<double> u(n + 1);
  cones.apply_delassus(p, u);
  const ConstVectorView p_view(p.data(), n + 1);
  EXPECT_LT((ConstVectorView(u.data(), n + 1) - w * p_view).norm(), kRecordRoundOff);
  EXPECT_NEAR(cones.calc_residual_scale(), w.trace() / (n + 1), kRecordRoundOff);
  std::vector<double> block(GetParam() * GetParam());
  cones.calc_diagonal_block(1, block);
  EXPECT_LT((ConstRowMatrixView(block.data(), GetParam(), GetParam()) -
             w.block(GetParam(), GetParam(), GetParam(), GetParam()))
                .norm(),
            kRecordRoundOff);
  EXPECT_LT((Matrix(make_delassus_matrix(cones)) - w).norm(), kRecordRoundOff);
  const Vector v = inverse * (both * p_view + form.f);
  EXPECT_LT((calc_generalized_velocity(problem, p) - v).norm(), kRecordRoundOff);
}

TEST(SingularMass, IsRefused) {
  GlobalForm form = make_global(3);
  form.m.coeffRef(54, 54) = 0.0;
  EXPECT_THROW(make_one_step_problem(form, "file"), InputError);
  form = make_global(3);
  for (int c = 0; c < 50; ++c) form.m.coeffRef(20, c) = 0.0;
  EXPECT_THROW(make_one_step_problem(form, "file"), InputError);
}

TEST(LocalProblem, BilateralRowsFollow) {
  // u = W r + V l + q, 0 = V^T r + R l + s with W = 2 I, V = (1, 0, 0)^T, R = 3.
  LocalForm form;
  form.w = sparse(2.0 * Matrix::Identity(3, 3));
  form.v = sparse(Matrix(Vector3(1.0, 0.0, 0.0)));
  form.r = sparse(Matrix::Constant(1, 1, 3.0));
  form.q = Vector3(0.1, 0.2, 0.3);
  form.s = Vector::Constant(1, 0.4);
  form.mu = Vector::Constant(1, 0.5);
  const OneStepProblem problem = make_one_step_problem(form);
  std::vector<double> u(4);
  problem.cones.apply_delassus(std::vector{1.0, 2.0, 3.0, 4.0}, u);
  EXPECT_EQ(u, (std::vector{6.0, 4.0, 6.0, 13.0}));
  EXPECT_EQ(problem.cones.b, (std::vector{0.1, 0.2, 0.3, 0.4}));
}

/// A joint before two contacts, one of them frictionless, on two bodies.
ConeProblem make_mixed() {
  ConeProblem problem;
  const FrictionBlock block{2, 0.3, 0, 0.0};
  problem.add_free(2);
  problem.add_contact({&block, 1});
  problem.add_contact({});
  auto& w = problem.delassus.emplace<FactoredDelassus>();
  for (int k = 0; k < 2; ++k) w.add_body((k + 1.0) * Matrix::Identity(3, 3));
  w.begin_row(2);
  w.add_block(1) << 1.0, 2.0, 0.0, 0.0, 1.0, 1.0;  // bodies in falling order
  w.add_block(0) << 0.5, 0.0, 1.0, 1.0, 0.0, 0.0;
  w.begin_row(3);
  w.add_block(0) = Matrix::Identity(3, 3);
  w.begin_row(1);
  w.add_block(1) << 0.0, 1.0, 1.0;
  problem.b = {0.1, 0.2, -1.0, 0.3, 0.4, -0.5};
  return problem;
}

TEST(ExchangeProblem, SaysTheSame) {
  const ConeProblem problem = make_mixed();
  std::vector<int> row_of;
  const OneStepProblem made = make_exchange_problem(problem, &row_of);
  ASSERT_TRUE(std::holds_alternative<LocalForm>(made.form));
  ASSERT_EQ(made.cones.size(), 8);  // the frictionless contact got two rows
  EXPECT_EQ(row_of, (std::vector{6, 7, 0, 1, 2, 3}));
  std::vector<double> p(6);
  std::vector<double> q(8, 0.0);
  for (int i = 0; i < 6; ++i) q[row_of[i]] = p[i] = 1.0 + i;
  std::vector<double> u(6);
  std::vector<double> made_u(8);
  problem.apply_delassus(p, u);
  made.cones.apply_delassus(q, made_u);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(made_u[row_of[i]] + made.cones.b[row_of[i]], u[i] + problem.b[i], kRecordRoundOff);
  EXPECT_NEAR(made.cones.calc_residual_scale(), problem.calc_residual_scale(), kRecordRoundOff);
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    EXPECT_NEAR(calc_residual(made.cones, law, q).relative, calc_residual(problem, law, p).relative, kRecordRoundOff);
  }
}

/// A local form has V^T where W may have anything.
TEST(ExchangeProblem, AsymmetricCouplingIsKept) {
  const FrictionBlock block{2, 0.3, 0, 0.0};
  ConeProblem cones;
  cones.add_contact({&block, 1});
  cones.add_free(1);
  cones.b = {-1.0, 0.2, 0.1, 0.7};
  Matrix w = 2.0 * Matrix::Identity(4, 4);
  w(0, 3) = 0.5;
  w(3, 0) = 0.2;
  const std::vector<double> p = {1.0, 0.1, 0.2, -0.3};
  const ConeProblem problem = make_one_step_problem(ConeForm{sparse(w)}, cones).cones;
  const OneStepProblem made = make_exchange_problem(problem);
  EXPECT_TRUE(std::holds_alternative<ConeForm>(made.form));
  EXPECT_EQ(calc_residual(made.cones, p).absolute, calc_residual(problem, p).absolute);
  w(3, 0) = 0.5;
  const ConeProblem symmetric = make_one_step_problem(ConeForm{sparse(w)}, cones).cones;
  EXPECT_TRUE(std::holds_alternative<LocalForm>(make_exchange_problem(symmetric).form));
}

/// A pile of one body on the other, with contacts at three points each; the inertias are of no axes.
ConeProblem make_pile() {
  constexpr int kBodies = 30;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3(normal(random), normal(random), normal(random)); };
  ConeProblem problem;
  auto& w = problem.delassus.emplace<PackedDelassus>();
  for (int k = 0; k < kBodies; ++k) {
    const Matrix3 root = Matrix3::NullaryExpr([&] { return normal(random); });
    w.add_body(1.0 + k, root * root.transpose() + Matrix3::Identity());
    for (int point = 0; point < 3; ++point) {
      const Vector3 n = vector().normalized();
      const FrictionBlock block{2, 0.1 * point, 0, 0.0};
      w.add_contact({n, n.unitOrthogonal(), vector(), vector(), k == 0 ? PackedDelassus::kFixed : k - 1, k});
      problem.add_contact({&block, 1});
    }
  }
  for (double& b : problem.b) b = normal(random);
  return problem;
}

/// The same rows of bodies, and a bilateral one before them.
ConeProblem make_tied_pile() {
  const ConeProblem pile = make_pile();
  const auto& packed = std::get<PackedDelassus>(pile.delassus);
  ConeProblem problem;
  FactoredDelassus w;
  for (int k = 0; k < packed.n_bodies(); ++k) {
    const auto& [inverse_mass, a] = packed.body(k);
    Matrix inverse = inverse_mass * Matrix::Identity(6, 6);
    inverse.bottomRightCorner<3, 3>() << a[0], a[1], a[2], a[1], a[3], a[4], a[2], a[4], a[5];
    w.add_body(inverse);
  }
  problem.add_free(1);
  w.begin_row(1);
  w.add_block(3) << 1.0, 0.0, 0.5, 0.0, 0.0, -1.0;
  w.add_block(8) << -1.0, 0.0, 0.0, 2.0, 0.0, 1.0;
  for (int i = 0; i < pile.n_cones(); ++i) {
    problem.add_contact(pile.friction(pile.cones[i]));
    w.begin_row(3);
    packed.for_each_left_key(i, [&](int body) {
      RowMatrixView J = w.add_block(body);
      for (int r = 0; r < 3; ++r) J.row(r) = ConstVectorView(packed.row_of(i, body, r).momentum.data(), 6);
    });
  }
  problem.delassus = std::move(w);
  problem.b = pile.b;
  problem.b.insert(problem.b.begin(), 0.3);
  return problem;
}

TEST(ExchangeProblem, PilesKeepTheirBodies) {
  for (const ConeProblem& problem : {make_pile(), make_tied_pile()}) {
    std::vector<int> row_of;
    const OneStepProblem made = make_exchange_problem(problem, &row_of);
    ASSERT_TRUE(std::holds_alternative<GlobalForm>(made.form));
    EXPECT_TRUE(std::holds_alternative<FactoredDelassus>(made.cones.delassus));
    const Matrix before = make_delassus_matrix(problem);
    const Matrix after = make_delassus_matrix(made.cones);
    std::vector<double> p(problem.size());
    std::vector<double> q(problem.size());
    for (int i = 0; i < problem.size(); ++i) q[row_of[i]] = p[i] = std::sin(i);
    for (int i = 0; i < problem.size(); ++i) {
      EXPECT_EQ(made.cones.b[row_of[i]], problem.b[i]);
      for (int j = 0; j < problem.size(); ++j) {
        EXPECT_NEAR(after(row_of[i], row_of[j]), before(i, j), kRecordRoundOff * before.maxCoeff());
      }
    }
    EXPECT_NEAR(calc_residual(made.cones, q).relative, calc_residual(problem, p).relative, kRecordRoundOff);
  }
}

TEST(ExchangeProblem, OtherConesStayAsTheyAre) {
  ConeProblem problem = make_mixed();
  problem.blocks[0].facets = 5;
  const OneStepProblem made = make_exchange_problem(problem);
  ASSERT_TRUE(std::holds_alternative<ConeForm>(made.form));
  const std::vector<double> p = {0.1, 0.2, 1.0, 0.1, -0.2, 0.5};
  EXPECT_NEAR(calc_residual(made.cones, p).absolute, calc_residual(problem, p).absolute, kRecordRoundOff);
}

}  // namespace
}  // namespace stickslip
