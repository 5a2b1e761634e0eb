// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/delassus_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "stickslip/cone/condense.h"
#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-12;

/// A global problem whose M couples all unknowns of the first component and is not symmetric.
ConeProblem make_global() {
  GlobalForm form;
  Matrix m = Matrix(Vector::LinSpaced(8, 1.0, 3.0).asDiagonal());
  m(0, 1) = 0.2;
  m(1, 2) = -0.1;
  m(2, 0) = 0.3;
  Matrix h = Matrix::Zero(8, 9);
  for (int i = 0; i < 9; ++i) {
    h(i % 8, i) = 1.0 + 0.1 * i;
    h((3 * i + 1) % 8, i) = -0.7;
  }
  form.m = SparseMatrix(m.sparseView());
  form.h = SparseMatrix(h.sparseView());
  form.g = SparseMatrix(8, 0);
  form.f = Vector::LinSpaced(8, -1.0, 1.0);
  form.w = Vector::LinSpaced(9, -2.0, 1.0);
  form.mu = Vector::Constant(3, 0.5);
  return make_one_step_problem(form, "memory").cones;
}

/// The same contacts without friction, in their normal rows alone.
ConeProblem normal_rows_of(const ConeProblem& problem) {
  const auto& from = std::get<PackedDelassus>(problem.delassus);
  PackedDelassus packed;
  packed.clear(1);
  for (int k = 0; k < from.n_bodies(); ++k) {
    const auto& [xx, xy, xz, yy, yz, zz] = from.body(k).inverse_inertia;
    Matrix3 inverse_inertia;
    inverse_inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    packed.add_body(from.body(k).inverse_mass, inverse_inertia);
  }
  ConeProblem normal;
  for (int i = 0; i < problem.n_cones(); ++i) {
    normal.add_contact({});
    normal.b[i] = problem.b[problem.cones[i].offset];
    packed.add_contact(from.contact(i));
  }
  normal.delassus = packed;
  return normal;
}

/// What the sweeps read and write, against W itself, for every form of the operator.
class Rows : public testing::TestWithParam<int> {
 protected:
  ConeProblem problem() const {
    if (GetParam() == 0) return make_global();
    if (GetParam() >= 3) {
      const ConeProblem packed = test::plant({.n_contacts = 12, .packed = true}, FrictionLaw::coulomb, 3).problem;
      return GetParam() == 3 ? packed : normal_rows_of(packed);
    }
    ConeProblem made = test::plant({.n_contacts = 4, .n_joints = 1}, FrictionLaw::coulomb, 3).problem;
    if (GetParam() == 2) made.delassus = condense(made);
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(, Rows, testing::Values(0, 1, 2, 3, 4));

TEST_P(Rows, AreThoseOfTheMatrix) {
  const ConeProblem made = problem();
  const Matrix w(make_delassus_matrix(made));
  const int n = made.size();
  DelassusRows rows;
  rows.bind(made);
  EXPECT_NEAR(rows.residual_scale(), w.trace() / n, kRoundOff);
  std::vector<double> p(n);
  for (int i = 0; i < n; ++i) p[i] = std::cos(1.0 + i);
  rows.start(p);
  // Cone 1 changes: all velocities follow.
  const std::array<double, 3> change = {0.3, -0.2, 0.1};
  rows.add_change(1, change.data());
  for (int r = 0; r < made.cones[1].dim; ++r) p[made.cones[1].offset + r] += change[r];
  const Vector expected = w * ConstVectorView(p.data(), n) + ConstVectorView(made.b.data(), n);
  std::array<double, kMaxConeDim* kMaxConeDim> block = {};
  for (int i = 0; i < made.n_cones(); ++i) {
    const Cone& cone = made.cones[i];
    std::array<double, kMaxConeDim> u = {};
    rows.calc_velocity(i, p, u.data());
    EXPECT_LT((ConstVectorView(u.data(), cone.dim) - expected.segment(cone.offset, cone.dim)).norm(), kRoundOff);
    for (int j = 0; j < made.n_cones(); ++j) {
      const Cone& other = made.cones[j];
      const Matrix of_w = w.block(cone.offset, other.offset, cone.dim, other.dim);
      if (rows.calc_block(i, j, block.data())) {
        EXPECT_LT((ConstRowMatrixView(block.data(), cone.dim, other.dim) - of_w).norm(), kRoundOff);
      } else {
        EXPECT_EQ(of_w.norm(), 0.0);
      }
    }
    EXPECT_LT((ConstRowMatrixView(rows.diagonal(i), cone.dim, cone.dim) -
               w.block(cone.offset, cone.offset, cone.dim, cone.dim))
                  .norm(),
              kRoundOff);
  }
}

/// One body or all, equal bodies and others: the packed operator is the factored one.
TEST(PackedDelassus, IsTheFactoredOperator) {
  for (const int n_bodies : {1, 2, 7}) {
    for (const double mass_ratio : {1.0, 1e3}) {
      test::PlantedRecipe recipe = {.n_bodies = n_bodies, .n_contacts = 20, .mass_ratio = mass_ratio, .rigid = true};
      const ConeProblem factored = test::plant(recipe, FrictionLaw::coulomb, 5).problem;
      recipe.packed = true;
      const ConeProblem packed = test::plant(recipe, FrictionLaw::coulomb, 5).problem;
      const Matrix w(make_delassus_matrix(factored));
      const double allowed = kRoundOff * w.norm();
      EXPECT_GT(w.norm(), 1.0);
      EXPECT_LT((Matrix(make_delassus_matrix(packed)) - w).norm(), allowed);
      std::vector<double> p(packed.b.size());
      std::vector<double> u(p.size());
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::sin(1.0 + static_cast<double>(i));
      packed.apply_delassus(p, u);
      const auto n = static_cast<Eigen::Index>(p.size());
      EXPECT_LT((ConstVectorView(u.data(), n) - w * ConstVectorView(p.data(), n)).norm(), allowed * std::sqrt(n));
      AssembledDelassus assembled;
      assembled.assemble(packed);
      std::vector<double> v(p.size());
      assembled.apply(packed, p, v);
      EXPECT_LT((ConstVectorView(u.data(), n) - ConstVectorView(v.data(), n)).norm(), allowed * std::sqrt(n));
      std::array<double, 9> block = {};
      std::array<double, 3> diagonal = {};
      for (int i = 0; i < packed.n_cones(); ++i) {
        packed.calc_diagonal_block(i, block);
        packed.calc_diagonal(i, diagonal.data());
        EXPECT_LT((ConstRowMatrixView(block.data(), 3, 3) - w.block<3, 3>(3 * i, 3 * i)).norm(), allowed);
        for (int r = 0; r < 3; ++r) EXPECT_NEAR(diagonal[r], block[4 * r], allowed);
        EXPECT_NEAR(std::get<PackedDelassus>(packed.delassus).calc_trace(i), block[0] + block[4] + block[8], allowed);
      }
      const ConeProblem normal = normal_rows_of(packed);
      const Matrix w_normal(make_delassus_matrix(normal));
      for (int i = 0; i < normal.n_cones(); ++i) {
        for (int j = 0; j < normal.n_cones(); ++j) EXPECT_NEAR(w_normal(i, j), w(3 * i, 3 * j), allowed);
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
