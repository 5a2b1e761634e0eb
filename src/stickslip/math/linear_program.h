// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// A small linear program, dense:
///
///   maximise c . x   over  a_i . x + g_i >= 0 for all rows i,   lower <= x <= upper,
///
/// whose bounds may be so wide that they stand for none. Method: the dual simplex method from the corner of the bounds
/// that c points to, with the most violated row entering; the inverse of the basis is kept and made anew every so many
/// pivots and at the end. After too many pivots that change nothing the lowest row enters and leaves [Bland1977], so
/// that it does not cycle. Rows may be added between calls of maximise(), which goes on from where it was.
///
/// What it says is checked by the caller, from multipliers(): y >= 0 with sum_i y_i a_i + (those of bounds) = -c, so
/// that c . x <= sum_i y_i g_i + (those of bounds) for all x that obey the rows.
class LinearProgram {
 public:
  enum class Outcome {
    solved,
    infeasible,  // multipliers() then have sum_i y_i a_i = 0 and sum_i y_i g_i < 0, those of bounds included
    gave_up,     // too many pivots, or a basis that is singular
  };
  struct Multiplier {
    int row = 0;
    double y = 0.0;  // >= 0
  };

  /// c, lower, upper (n), finite, lower <= upper.
  LinearProgram(const Vector& c, const Vector& lower, const Vector& upper);
  /// a (n). Returns its number, from 0.
  int add_row(const Vector& a, double g);
  Outcome maximise();

  const Vector& x() const { return x_; }  // (n) of the last basis
  /// Of rows that were added alone.
  std::vector<Multiplier> multipliers() const;

 private:
  Eigen::Index size() const { return c_.size(); }
  bool refactor();
  void update_x();

  Vector c_;
  Matrix rows_;             // (n, rows) bounds first: upper, lower
  Vector g_;                // (rows)
  Vector sizes_;            // (rows) |a_i|_1
  int n_rows_ = 0;          // of the columns of rows_
  std::vector<int> basis_;  // (n) rows
  Matrix inverse_;          // (n, n) of the columns of the basis
  Vector y_;                // (n) of the rows of the basis
  Vector x_;                // (n)
  int ray_row_ = -1;        // of an infeasible program: the row that none can leave for
  Vector ray_;              // (n) and its multipliers of the basis
  int pivots_since_ = 0;    // since the basis was factorised
};

}  // namespace stickslip
