// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The inclusion (65) by the rule of Nakaoka and others [Kikuuwe2017 eq. 80], which leaves A out of the metric:
///
///   x = -A^-1 b,   lambda_N = max(x_N, 0),   lambda_F = P(x_F) on the friction set of lambda_N,   contact by contact,
///
/// and P on the ball of dry friction likewise. Per axis, |lambda_F| <= mu lambda_N in each direction by itself (a
/// pyramid whose corners reach beyond the disc). One factorisation and no iteration; exact for one contact that sticks
/// or is open, and where A is diagonal and the friction set binds no more than one contact. Where A is singular x has
/// least norm. Deviation: joints are then solved once more under the clipped forces, which (80) leaves as they are in
/// x, so that they hold.
class ClipInclusion {
 public:
  /// solution.p and .u, of the problem's rows. False where numbers are not finite, solution.p is then zero.
  bool solve(const ConeProblem& problem, bool per_axis, ConeSolution& solution);
  /// Forces in the rows of joints of solution.p such that these hold under those in the other rows, which stay; and
  /// solution.u. Likewise false where they are not finite.
  bool hold_joints(const ConeProblem& problem, ConeSolution& solution);
  /// Takes out of b of the rows of joints what forces in them cannot change and rows contradict each other by, where
  /// some depend on others: the problem has a solution then, with the forces of least squares.
  void drop_contradictions(ConeProblem& problem);

 private:
  void assemble(const ConeProblem& problem);
  void calc_velocities(const ConeProblem& problem, ConeSolution& solution);
  static void clip(const ConeProblem& problem, const Cone& cone, bool per_axis, double* p);
  bool solve_dense(int n);
  bool solve_joints(const ConeProblem& problem, std::vector<double>& p);

  std::vector<double> a_, unit_, column_;  // (n n), (n), (n)
  std::vector<double> work_;               // of products with A
  std::vector<double> copy_, rhs_, x_;     // of a system of equations
  std::vector<double> others_;             // (n)
  std::vector<int> joints_;                // rows of free cones
};

}  // namespace stickslip
