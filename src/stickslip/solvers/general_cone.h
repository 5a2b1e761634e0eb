// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

// One cone of any kind, for those that have no closed solution: contacts with several friction blocks or polygons,
// under either law, and balls of more than three dimensions.
//
//   find p, u:  u = W p + b and the laws of the cone.
//
// Method: semismooth Newton on the equations of natural_map.h, with a line search on their norm, from the starting
// guess. It may stall where W couples friction and normal strongly; then
//
//   coulomb:    for given p_N = s, friction minimises 1/2 p_T^T W_TT p_T + (b_T + W_TN s)^T p_T over the product of
//               the s D_b; u_N(s) is continuous, b_N at s = 0 and positive for large s, so bisection on s finds a
//               solution (if b_N >= 0: p = 0);
//   otherwise:  p minimises 1/2 p^T W p + b^T p over the convex set.
//
// Both minimisations run by the accelerated projected gradient method with restarts ([Nesterov2004, section 2.2],
// [ODonoghue2015]), and Newton's method polishes the result.
class GeneralCone {
 public:
  /// Takes the cone, its friction blocks (referred to, not copied) and W (dim, dim) row-major [1/kg].
  void prepare(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* w);

  /// Solves for b (dim) [m/s]. p (dim) [N s]: on entry the starting guess, on exit the solution. Returns whether it
  /// holds to working accuracy.
  bool solve(const double* b, double* p) const;

 private:
  using Rows = std::array<double, kMaxConeDim>;
  using Block = std::array<double, kMaxConeDim * kMaxConeDim>;

  double calc_defect(const double* b, const Rows& p, Rows* f, Block* derivative) const;
  double improve_by_newton(const double* b, Rows& p) const;
  void minimise(const double* b, double s, Rows& p) const;
  void find_by_bisection(const double* b, Rows& p) const;
  void project(double s, Rows& p) const;

  FrictionLaw law_ = FrictionLaw::coulomb;
  Cone cone_;
  std::span<const FrictionBlock> friction_;
  Rows rho_ = {};               // [kg]
  double gradient_step_ = 0.0;  // [kg] 1 / a bound on the largest eigenvalue of W
  Block w_ = {};                // (dim, dim) [1/kg]
};

}  // namespace stickslip
