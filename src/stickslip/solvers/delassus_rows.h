// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The Delassus operator, row by row, as sweeps over cones need it. Where it is a product over bodies the velocities v
/// = M^-1 J^T p are kept beside p, so that a visit to one cone costs no more than its bodies.
class DelassusRows {
 public:
  /// Takes the problem, which must outlive the use; keeps the memory of earlier problems. Without `keeps_blocks` there
  /// is scale() and no diagonal(): 72 bytes a contact in space less.
  void bind(const ConeProblem& problem, bool keeps_blocks = true);
  /// Changes with each bind() to another W; while it stays, data that depend on W alone stay valid. A product over
  /// bodies beside free cones is compared with the last one, free cones included.
  std::uint64_t version() const { return version_; }
  /// Likewise, for the pattern of blocks of W. Not zero.
  std::uint64_t pattern() const { return pattern_; }

  /// W_ii, row-major (dim, dim). [1/kg]
  const double* diagonal(int i) const { return diagonals_.data() + diagonal_begin_[i]; }
  /// trace(W_ii) / dim. [1/kg]
  double scale(int i) const { return scales_[i]; }
  /// w, as in residual.h. [1/kg]
  double residual_scale() const { return problem_->residual_scale > 0.0 ? problem_->residual_scale : mean_diagonal_; }

  /// Makes v = M^-1 J^T p where it is kept. p (n).
  void start(std::span<const double> p);
  /// u = W_i. p + b_i for cone i; p (n) must be what start and add_change have been told. u (dim) [m/s]
  void calc_velocity(int i, std::span<const double> p, double* u) const;
  /// Cone i's percussion has changed by dp (dim) [N s].
  void add_change(int i, const double* dp);
  /// W_ij, row-major (dim_i, dim_j); returns false, and leaves it, where it is zero. [1/kg]
  bool calc_block(int i, int j, double* block) const;

 private:
  const ConeProblem* problem_ = nullptr;
  std::vector<std::size_t> diagonal_begin_;  // (n_cones)
  std::vector<double> diagonals_;            // [1/kg]
  std::vector<double> scales_;               // (n_cones) [1/kg]
  double mean_diagonal_ = 1.0;               // [1/kg] of all rows, by magnitude
  std::uint64_t version_ = 0;
  std::uint64_t pattern_ = 0;
  FactoredDelassus bound_;        // that of version_, where there are free cones
  std::vector<char> bound_free_;  // (n_cones) which of its cones are free
  SweepMemory memory_;
};

}  // namespace stickslip
