// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/math/sparse.h"
#include "stickslip/math/types.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Of all percussions that give the velocities u of a solution, those of least norm: where contacts are redundant (a box
// on its four corners) the laws leave forces open, and what a solver returns then depends on its start and on the order
// of contacts. These do not.
//
// Problem: with u^ = u + s(u), minimise 1/2 sum_r m_r p_r^2 over p in K with W p = u - b and p perpendicular to u^.
// Under the associated law, W symmetric, u is unique, and the set is that of all solutions; under the exact law it is
// that of all solutions with this u. It is convex: u^ tells the face of each cone, for a contact
//   open, u^ inside K*:  p = 0;
//   a block b that slips, u_b /= 0:  p_b = -mu_b p_N u_b / |u_b|;   one that sticks, u_b = 0:  p_b in p_N D_b,
// for a ball p = -R u / |u| or |p| <= R, and nothing for free rows. So p = p_f + E y with y in smaller cones of the
// same kinds, and E such that the norm to minimise is |y|_2.
//
// The metric, an energy, so that all units drop out of the choice, of length, mass and time:
//   contacts, normal and first block (sliding):  m_r = the mean of W_NN over all contacts. All are weighted alike, as
//     springs of one stiffness would share a load;
//   further blocks of contacts (which roll or spin), balls:  the mean of W_rr over the rows of the block, since only
//     that does not turn with the directions that are chosen in it;
//   free rows:  W_rr, whichever rows make up one cone. Rows may be forces or torques, so their directions count.
// m_r only grows by s^2 where row r is scaled by s and p_r with it by 1 / s. Where W_rr is not above zero: the scale of
// the residual.
//
// Method: W E y = c says V^T y = V^T y_0 with y_0 of the solution at hand and V an orthonormal basis of the row
// space (math/orthonormal_basis.h). If V has as many columns as y has rows, the forces are
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

  /// p (n) = the least-norm percussions with the velocities u (n) of p, whose residual is `reached`; they hold to
  /// `tolerance`. Returns why it left p alone, or null; fills determinacy. Looks at the deadline before each
  /// column of a factorisation and each Newton step.
  const char* select(const ConeProblem& problem, Tolerance tolerance, const Residual& reached,
                     std::span<const double> u, const Deadline& deadline, std::span<double> p,
                     Determinacy& determinacy);

 private:
  /// A column of E: p(first_row + k) gets value k times its y.
  struct Column {
    int first_row;
    int begin;  // in values_
    int dim;
  };

  void find_metric(const ConeProblem& problem, const SparseMatrix& w);
  void find_faces(const ConeProblem& problem, std::span<const double> p, std::span<const double> u, double threshold,
                  double error);
  void add_contact(const ConeProblem& problem, const Cone& cone, const double* u, const double* x, double threshold,
                   double error);
  void add_column(int first_row, std::span<const double> column);
  std::optional<Matrix> find_row_space(const SparseMatrix& w, std::span<const int> columns,
                                       const Deadline& deadline) const;
  bool project(const Deadline& deadline);
  double calc_dual(const Vector& multipliers);
  bool is_open_inside(const SparseMatrix& w, const Deadline& deadline) const;

  ConeProblem reduced_;           // the cones of y; no operator
  std::vector<Column> columns_;   // of E
  std::vector<double> values_;    // [kg^1/2 and like], of unit length in the metric
  std::vector<double> metric_;    // (n) [1/kg and like] m
  std::vector<double> fixed_;     // (n) [N s] p_f
  double direction_error_ = 0.0;  // [-] of the slip directions in E, at most
  Vector y_;                      // (n_columns) [J^1/2] of the solution at hand, then Pi(x)
  Vector x_;                      // (n_columns) [J^1/2] V l
  Matrix row_space_;              // (n_columns, rank) V
  Vector target_;                 // (rank) [J^1/2] V^T y_0
  Matrix derivative_;             // (n_columns, dim) Pi'(x), the rows of each cone's block
};

/// A solver, and the forces of least norm among its solutions. Solves more exactly than asked, because the faces need
/// it; an answer within the tolerance stays what it was where no forces of least norm are found, or not in time, and
/// the report says so.
class LeastNormSolver final : public ConeSolver {
 public:
  explicit LeastNormSolver(const SolverOptions& options);

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;

  double time_limit_;  // [s] of both
  StopToken stop_;
  std::unique_ptr<ConeSolver> solver_;
  LeastNormForces forces_;
  std::vector<double> start_;  // (n) [N s] the starting guess
};

}  // namespace stickslip
