// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/delassus_rows.h"

namespace stickslip {

/// The linear system of a Newton step on equations f_i(p_i, u_i) = 0, one for each cone that takes part, u = W p + b:
///
///   df_i/dp_i x_i + df_i/du_i sum over j of W_ij x_j = r_i.
///
/// Dense where it has few rows, else in sparse blocks (BlockLu), analysed anew only when the set of cones has changed.
class NewtonSystem {
 public:
  /// One cone's part, to be filled at once: the next add() may move it. Row-major.
  struct Equation {
    double* by_p;   // (dim, dim) df/dp
    double* by_u;   // (dim, dim) df/du
    double* right;  // (dim) r
  };

  /// solve() asks `stop` and throws Interrupted where it is raised; start() comes next then. `shared`: W of all who
  /// work at the same problems; null: an own one.
  explicit NewtonSystem(StopToken stop = {}, SharedDelassus* shared = nullptr) : delassus_(stop, shared), lu_(stop) {}

  /// Forgets the last problem: to be called once before the systems of a new one.
  void start() {
    delassus_.start();
    is_analyzed_ = false;
    operations_ = 0.0;
  }
  /// Begins a system.
  void clear();
  /// Adds the equation of cone i, which has dim rows. In ascending order of cones.
  Equation add(int cone, int dim);
  /// Solves it; returns false where the matrix is singular or not finite.
  [[nodiscard]] bool solve(const ConeProblem& problem, const DelassusRows& rows);

  /// Cost of a step beside its factorisation, a row, in multiply-adds of a large factorisation (0.15 ns each): some
  /// 800 ns. [-] `auto` compares methods by it.
  static constexpr double kOperationsOfARow = 5300.0;
  /// Multiply-adds of all factorisations since start(), by their patterns alone, and the rest of the steps in such.
  double operations() const { return operations_; }
  int n_rows() const { return n_rows_; }
  int n_cones() const { return static_cast<int>(cones_.size()); }
  int cone(int a) const { return cones_[a]; }
  /// x of the cone that was added as number a, (dim). [N s]
  const double* solution(int a) const { return right_.data() + row_[a]; }

 private:
  void assemble_dense(const ConeProblem& problem, const DelassusRows& rows);
  void analyze(const ConeProblem& problem, const AssembledDelassus& w);
  bool solve_sparse(const ConeProblem& problem);

  int n_rows_ = 0;
  double operations_ = 0.0;
  std::vector<int> cones_;
  std::vector<int> row_;            // (n_cones) first rows
  std::vector<int> dims_;           // (n_cones)
  std::vector<std::size_t> begin_;  // (n_cones) first values in by_p_ and by_u_
  std::vector<double> by_p_;
  std::vector<double> by_u_;
  std::vector<double> right_;   // (n_rows) r, then x
  std::vector<double> matrix_;  // (n_rows, n_rows) row-major
  bool is_analyzed_ = false;
  SharedDelassus delassus_;
  BlockLu lu_;
  std::vector<int> analyzed_;   // cones of the pattern that lu_ knows
  std::vector<int> row_begin_;  // the pattern: its blocks ...
  std::vector<int> columns_;    // ... as numbers among cones_ ...
  std::vector<int> blocks_;     // ... and of blocks of W
  std::vector<int> position_;   // (all cones) number in cones_, or -1
};

}  // namespace stickslip
