// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/sparse_solver.h"

namespace stickslip {

void SparseSolver::clear(int n) {
  n_ = n;
  values_.clear();
}

void SparseSolver::add(int row, int column, double value) {
  if (value != 0.0 || row == column) values_.emplace_back(row, column, value);
}

bool SparseSolver::solve(double regular, const double* b, double* x) {
  constexpr int kRefinements = 2;  // [-] each leaves epsilon over the least pivot that matters
  matrix_.resize(n_, n_);
  matrix_.setFromTriplets(values_.begin(), values_.end());
  regular_ = matrix_;
  if (regular > 0.0) {
    for (int i = 0; i < n_; ++i) regular_.coeffRef(i, i) += regular;
  }
  if (!lu_.factorise(regular_)) return false;
  right_ = ConstVectorView(b, n_);
  VectorView solution(x, n_);
  solution = lu_.solve(right_);
  for (int i = 0; regular > 0.0 && i < kRefinements; ++i) {
    change_ = right_ - matrix_ * solution;
    solution += lu_.solve(change_);
  }
  return solution.allFinite();
}

}  // namespace stickslip
