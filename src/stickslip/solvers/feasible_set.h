// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/math/linear_program.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The points of an affine space that obey inequalities, linear ones and those of circular cones:
///
///   x = x_0 + N z,   a_i . x + c_i >= 0,   s_j(x) >= |v_j(x)|, s_j and v_j affine.
///
/// Method: maximise the margin t of z in all of them at once, a linear program (math/linear_program.h) in which
/// planes that touch stand for the cones, each found where the program left its cone [Kelley1960]. That nothing obeys
/// them is said with a certificate alone: y >= 0 with sum_i y_i N^T a_i = 0 and sum_i y_i (a_i . x_0 + c_i) < 0
/// (Farkas), both beyond what round-off in them is, which shows that there is nothing up to kFar times the size of x_0.
class FeasibleSet {
 public:
  static constexpr double kFar = 1e6;  // [-]
  enum class Verdict : std::uint8_t { none, found, unknown };

  /// x_0 (m), what it may be wrong by (m), N (m, k) with orthonormal columns, and the size of what is looked for, > 0.
  FeasibleSet(Vector x_0, Vector error, Matrix N, double size);

  /// a . x + c >= 0, a (m).
  void add_row(const Vector& a, double c);
  /// s(x) >= |v(x)|, s = A_0 . x + c_0 and v of the rows below. A (1 + d, m), c (1 + d).
  void add_cone(const Matrix& A, const Vector& c);

  /// Looks for a point; where there is room, one well inside and of moderate size. Where there is none, what is found
  /// may violate the inequalities by 1e-10 of their values.
  Verdict find(Vector& x);
  /// The largest c . x of the set, c (m), from a point in it; the cones hold to round-off. False where that is not
  /// found. Bounded by kRange times the size.
  bool maximise(const Vector& c, Vector& x);

 private:
  static constexpr double kRange = 1e4;  // [-]

  struct Row {
    Vector a;  // (k) N^T a
    double g = 0.0, error = 0.0;
  };
  struct Round {
    Matrix A;  // (1 + d, k)
    Vector g;  // (1 + d)
    double error = 0.0;
  };
  void add_cut(const Round& cone, const Vector& direction, std::vector<Row>& rows) const;
  void cut_along_axes();
  bool cut_off(const Vector& z, std::vector<Row>& cuts, double allowed = 0.0) const;
  bool obeys(const Vector& z, double allowed = 0.0) const;
  bool is_separated(std::span<const LinearProgram::Multiplier> multipliers) const;
  Verdict find_within(double reach, Vector& z);
  void draw_near(Vector& z) const;
  Vector at(const Vector& z) const { return x_0_ + N_ * z; }

  Vector x_0_, error_;
  Matrix N_;
  double size_;
  bool contradicts_ = false;
  std::vector<Row> rows_;  // linear ones, and planes that touch cones
  std::vector<Round> cones_;
  double scale_ = 0.0;  // of values of rows
};

}  // namespace stickslip
