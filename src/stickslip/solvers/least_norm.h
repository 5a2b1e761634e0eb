// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/math/sparse.h"
#include "stickslip/math/types.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Of all percussions that give the velocities u of a solution, those of least norm: where contacts are redundant (a box
// on its four corners) the laws leave forces open, and what a solver returns then depends on its start and on the order
// of contacts. These do not.
//
// Problem: with u^ = u + s(u), minimise 1/2 sum_i m_i |p_i|^2 over p in K with W p = u - b and p perpendicular to u^.
// Under the associated law, W symmetric, u is unique, and the set is that of all solutions; under the exact law it is
// that of all solutions with this u. It is convex: u^ tells the face of each cone, for a contact
//   open, u^ inside K*:  p = 0;
//   a block b that slips, u_b /= 0:  p_b = -mu_b p_N u_b / |u_b|;   one that sticks, u_b = 0:  p_b in p_N D_b,
// for a ball p = -R u / |u| or |p| <= R, and nothing for free rows. So p = p_f + E y with y in smaller cones of the
// same kinds, and E such that the norm to minimise is |y|_2.
//
// The metric: m_i = 1 on contacts, whose percussions are all in N s; on balls and free rows, which may be torques, the
// mean diagonal of W_ii over that of contacts, so that the order does not matter and neither do
// units of mass and time. The length does, where a cone of joint rows mixes forces and torques, or there is no contact.
//
// Method: W E y = c says V^T y = V^T y_0 with y_0 of the solution at hand and V an orthonormal basis of the row
// space, by Householder QR with column pivoting [Golub2013]. If V has as many columns as y has rows, the forces are
// determined. Else the projection of 0 on an affine space within a cone is found from its dual, smooth and
// unconstrained,
//   minimise over l:  x . Pi(x) - 1/2 |Pi(x)|^2 - (V^T y_0) . l,   x = V l,   y = Pi(x), Pi the projection on the
//   cones,
// by semismooth Newton steps with V^T Pi'(x) V and Armijo's rule, as in [Qi2006].
//
// Deviations: the faces are taken at a threshold, a share of the tolerance; the problem must therefore have been solved
// somewhat more exactly. Matrices are dense, and allocated in each call.
class LeastNormForces {
 public:
  /// Why forces cannot be selected: polygons, whose faces are many.
  static const char* find_reason_to_refuse(const ConeProblem& problem);

  /// p (n) = the least-norm percussions with the velocities u (n) of p, whose residual is `reached`; they hold to the
  /// relative `tolerance`. Returns why it left p alone, or null; fills determinacy.
  const char* select(const ConeProblem& problem, double tolerance, const Residual& reached, std::span<const double> u,
                     std::span<double> p, Determinacy& determinacy);

 private:
  /// A column of E: p(first_row + k) gets value k times its y.
  struct Column {
    int first_row;
    int begin;  // in values_
    int dim;
  };

  void find_faces(const ConeProblem& problem, const SparseMatrix& w, std::span<const double> p,
                  std::span<const double> u, double threshold);
  void add_contact(const ConeProblem& problem, const Cone& cone, const double* u, const double* x, double threshold);
  void add_column(int first_row, std::span<const double> column, double weight);
  Matrix find_row_space(const SparseMatrix& w, std::span<const int> columns) const;
  bool project();
  double calc_dual(const Vector& multipliers);
  bool is_open_inside(const SparseMatrix& w) const;

  ConeProblem reduced_;          // the cones of y; no operator
  std::vector<Column> columns_;  // of E
  std::vector<double> values_;   // [-]
  std::vector<double> fixed_;    // (n) [N s] p_f
  Vector y_;                     // (n_columns) [N s] of the solution at hand, then Pi(x)
  Vector x_;                     // (n_columns) [N s] V l
  Matrix row_space_;             // (n_columns, rank) V
  Vector target_;                // (rank) [N s] V^T y_0
  Matrix derivative_;            // (n_columns, dim) Pi'(x), the rows of each cone's block
};

/// A solver, and the forces of least norm among its solutions. Solves more exactly than asked, because the faces need
/// it; an answer within the tolerance stays what it was where no forces of least norm are found, and the report says
/// so.
class LeastNormSolver final : public ConeSolver {
 public:
  explicit LeastNormSolver(const SolverOptions& options);

  std::string_view name() const override { return solver_->name(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, ConeSolution& solution) override;

 private:
  double tolerance_;
  std::unique_ptr<ConeSolver> solver_;
  LeastNormForces forces_;
};

}  // namespace stickslip
