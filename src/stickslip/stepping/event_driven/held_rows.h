// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/constraints/constraint_set.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/model/system.h"

namespace stickslip::event_driven {

/// Some rows of a ConstraintSet that are held at a given rate, and what holds them: the linear problem
///
///   J_A v = 0,   v = v_0 + M^-1 sum_k x_k (w_k + friction that belongs to it),
///
/// for velocities, accelerations or displacements v. Dense: for systems with up to some hundred such rows. Where rows
/// depend on each other x is of least norm, rows scaled to a unit diagonal of J M^-1 J^T.
class HeldRows {
 public:
  explicit HeldRows(const System& system) : system_(system) {}

  /// Starts a list of rows of `set`, which must outlive the use.
  void clear(ConstraintSet& set);
  /// A row, and a unit along it.
  void add(int row) { add(row, 0, {}); }
  /// A row, and a unit along it together with friction (n) on the rows from `first` on.
  void add(int row, int first, std::span<const double> friction);
  /// A direction in the two rows from `first` on, and a unit along it.
  void add_along(int first, const std::array<double, 2>& direction);
  /// To be called after the last row.
  void factorise();
  int count() const { return static_cast<int>(rows_.size()); }
  /// Whether the rows are independent.
  bool determined() const { return determined_; }

  /// [1/kg, 1/(kg m^2)] What a unit along a row of the set does to its own rate, by itself; 0 of rows not held.
  double calc_response(int row) const;
  /// By how much a unit along the k-th row that was added moves it while the others hold, in units of what it does
  /// without friction and alone: [-] above 0 but where friction turns it round.
  double calc_yield(int k) const;
  /// Adds to p (n of the set) and to v (n_u) what takes away `rates` (n), those of v, from the rows that are held.
  /// Whether that can be: rows that depend on each other may contradict each other. least (n): what is added to p is
  /// at least that, where rows depend on each other and it can be; none: no bounds.
  bool hold(std::span<const double> rates, std::vector<double>& p, Vector& v, std::span<const double> least = {}) const;

 private:
  struct Friction {
    int row, first_row;  // of the set
    int first, count;    // into friction_
    int n = 1;           // rows from `row` on, which take part by
    std::array<double, 2> direction = {1.0, 0.0};
  };

  static double rate_of(const Friction& own, std::span<const double> rates);
  Vector solve_bounded(const Vector& target, std::span<const double> least) const;
  bool reaches(const Vector& x, const Vector& target) const;

  const System& system_;
  ConstraintSet* set_ = nullptr;
  std::vector<Friction> rows_;
  std::vector<double> friction_;
  std::vector<double> scale_;  // (rows) 1 / sqrt(J M^-1 J^T)
  Matrix response_;            // (n_u, rows) M^-1 w of a unit of each
  Matrix matrix_;              // (rows, rows) scaled
  std::optional<PivotedQr> factors_;
  bool determined_ = true;
};

}  // namespace stickslip::event_driven
