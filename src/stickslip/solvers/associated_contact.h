// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

// One contact under the associated (relaxed) law, solved exactly:
//
//   minimise 1/2 p^T W p + b^T p   over   K = {|p_T| <= mu p_N},
//
// one ball-shaped friction block of dimension d = 1, 2 or 3, mu > 0. With z = (p_N, p_T / mu), A and g the scaled W
// and b, and R = diag(1, -I), K is z^T R z >= 0, z_N >= 0, and on its boundary A z + g = lambda R z, lambda >= 0. A and
// R are diagonalised together, V^T A V = I and V^T R V = diag(rho) with rho_0 > 0 > rho_i: z = V y gives, with
// gamma = V^T g, kappa_i = |rho_i| / rho_0 and tau = y_0 > 0 as the unknown in place of lambda,
//
//   lambda = (1 + gamma_0 / tau) / rho_0,   y_i = -gamma_i tau / D_i,   D_i = tau (1 + kappa_i) + gamma_0 kappa_i,
//   psi(tau) = sum_i |rho_i| gamma_i^2 / D_i^2 = rho_0.
//
// psi decreases for tau > tau_0 = max(0, -gamma_0), so the root is unique; psi(tau_0) <= rho_0 means takeoff (p = 0)
// where gamma_0 >= 0 and stick (p = -W^-1 b) where gamma_0 < 0. (In lambda the same equation has a pole between two
// branches; in tau it has not.) Newton steps on u = nu (mu^2 p_N, -p_T), |p_T| = mu p_N, nu = lambda / mu^2, polish the
// result where V is ill conditioned or W slightly asymmetric. Derived here; the simultaneous diagonalisation is that of
// [More1993].
class AssociatedContact {
 public:
  /// Takes d, mu and W (1 + d, 1 + d) row-major [1/kg]; V is that of its symmetric part.
  void prepare(int friction_dim, double mu, const double* w);

  /// Solves for b (1 + d) [m/s]; p (1 + d) [N s] is the solution.
  void solve(const double* b, double* p) const;

 private:
  using Rows = std::array<double, kMaxContactDim>;

  double calc_excess(const Rows& gamma, double tau, double* slope) const;
  double calc_defect(const double* b, const Rows& p) const;
  double polish_state(const double* b, bool slips, double nu, Rows& p) const;
  void polish(const double* b, double nu, Rows& p) const;

  int n_ = 1;
  double mu_ = 0.0;                                            // [-]
  double step_ = 0.0;                                          // [kg] n / trace(W)
  std::array<double, kMaxContactDim> rho_ = {};                // [kg] rho_0 > 0 first
  std::array<double, kMaxContactDim* kMaxContactDim> v_ = {};  // (1 + d, 1 + d) V, its rows scaled back to p
  std::array<double, kMaxContactDim* kMaxContactDim> w_ = {};  // (1 + d, 1 + d) [1/kg]
};

}  // namespace stickslip
