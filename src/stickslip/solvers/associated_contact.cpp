// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/associated_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/math/cones.h"
#include "stickslip/math/dense_solve.h"
#include "stickslip/math/round_off.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/math/symmetric_eigen.h"

namespace stickslip {
namespace {

/// Share of trace(A) added to its diagonal, so that a singular A has a Cholesky factor: an error of round-off in u.
constexpr double kRegularisation = 4.0 * kEpsilon;
/// Newton's method takes about five steps; this bounds bisection over all exponents.
constexpr int kAssociatedMaxSteps = 200;

/// Newton steps that polish; convergence is quadratic from an error that is small already.
constexpr int kAssociatedMaxPolishSteps = 3;
/// A defect below this share of |p| needs no polish.
constexpr double kAssociatedPolished = 2.0 * kEpsilon;
/// A defect above this share of |p| is not what Newton's method leaves where contact is in the state it is taken to be.
constexpr double kAssociatedSolved = 1e-12;

/// Lower Cholesky factor in place, A (n, n) row-major.
void factorise(int n, double* a) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    // Round-off may leave a tiny negative pivot of a singular matrix.
    a[j * n + j] = std::sqrt(std::max(a[j * n + j], std::numeric_limits<double>::min()));
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
}

}  // namespace

void AssociatedContact::prepare(int friction_dim, double mu, const double* w) {
  STICKSLIP_ASSERT(friction_dim >= 1 && friction_dim <= kMaxFrictionDim && mu > 0.0);
  n_ = 1 + friction_dim;
  mu_ = mu;
  constexpr int kSize = kMaxContactDim * kMaxContactDim;
  std::array<double, kSize> factor = {};  // A, then its Cholesky factor L
  std::copy_n(w, n_ * n_, w_.data());
  double diagonal = 0.0;
  for (int i = 0; i < n_; ++i) diagonal += w[i * n_ + i];
  step_ = diagonal > 0.0 ? n_ / diagonal : 1.0;
  const auto scale = [mu](int i) { return i == 0 ? 1.0 : mu; };
  double trace = 0.0;
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < n_; ++j) factor[i * n_ + j] = 0.5 * scale(i) * scale(j) * (w[i * n_ + j] + w[j * n_ + i]);
    trace += factor[i * n_ + i];
  }
  for (int i = 0; i < n_; ++i) factor[i * n_ + i] += kRegularisation * trace + std::numeric_limits<double>::min();
  factorise(n_, factor.data());

  // C = L^-1 R L^-T = X X^T with signs, X = L^-1 column by column; then V = L^-T U.
  std::array<double, kSize> inverse = {};  // L^-1
  for (int j = 0; j < n_; ++j) {
    for (int i = j; i < n_; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) sum -= factor[i * n_ + k] * inverse[k * n_ + j];
      inverse[i * n_ + j] = sum / factor[i * n_ + i];
    }
  }
  std::array<double, kSize> c = {};
  std::array<double, kSize> u = {};
  for (int i = 0; i < n_; ++i) {
    for (int j = i; j < n_; ++j) {
      for (int k = 0; k <= i; ++k) c[i * n_ + j] += (k == 0 ? 1.0 : -1.0) * inverse[i * n_ + k] * inverse[j * n_ + k];
    }
  }
  calc_symmetric_eigen(n_, c.data(), rho_.data(), u.data());
  const int positive = static_cast<int>(std::max_element(rho_.begin(), rho_.begin() + n_) - rho_.begin());
  std::swap(rho_[0], rho_[positive]);
  for (int i = 0; i < n_; ++i) std::swap(u[i * n_], u[i * n_ + positive]);
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < n_; ++j) {
      double sum = 0.0;
      for (int k = i; k < n_; ++k) sum += inverse[k * n_ + i] * u[k * n_ + j];
      v_[i * n_ + j] = scale(i) * sum;
    }
  }
  if (v_[0] < 0.0) {
    for (int i = 0; i < n_; ++i) v_[i * n_] = -v_[i * n_];
  }
}

/// sqrt(rho_0 / psi(tau)) - 1, which increases with tau and is nearly linear, and its derivative.
double AssociatedContact::calc_excess(const Rows& gamma, double tau, double* slope) const {
  double psi = 0.0;
  double psi_slope = 0.0;  // -1/2 dpsi/dtau
  for (int i = 1; i < n_; ++i) {
    const double kappa = -rho_[i] / rho_[0];
    const double d = tau * (1.0 + kappa) + gamma[0] * kappa;
    const double ratio = gamma[i] / d;
    psi += -rho_[i] * ratio * ratio;
    psi_slope += -rho_[i] * ratio * ratio * (1.0 + kappa) / d;
  }
  const double root = std::sqrt(rho_[0] / psi);
  *slope = root * psi_slope / psi;
  return root - 1.0;
}

/// The natural map |p - P_K(p - step u)|. [N s]
double AssociatedContact::calc_defect(const double* b, const Rows& p) const {
  Rows x = {};
  std::copy_n(b, n_, x.begin());
  add_product(n_, n_, w_.data(), p.data(), x.data());
  for (int i = 0; i < n_; ++i) x[i] = p[i] - step_ * x[i];
  const FrictionBlock block{n_ - 1, mu_, 0, 0.0};
  project_on_contact_cone({&block, 1}, x.data(), x.data());
  double sum = 0.0;
  for (int i = 0; i < n_; ++i) sum += (p[i] - x[i]) * (p[i] - x[i]);
  return std::sqrt(sum);
}

/// Newton steps on u = nu (mu^2 p_N, -p_T) with |p_T| = mu p_N where it slips, or on u = 0 where it sticks, while the
/// defect falls; returns that. [N s]
double AssociatedContact::polish_state(const double* b, bool slips, double nu, Rows& p) const {
  constexpr int kSize = kMaxContactDim + 1;
  const int size = slips ? n_ + 1 : n_;
  double defect = calc_defect(b, p);
  for (int step = 0; step < kAssociatedMaxPolishSteps && defect > kAssociatedPolished * p[0]; ++step) {
    std::array<double, kSize* kSize> jacobian = {};
    std::array<double, kSize> f = {};
    std::copy_n(b, n_, f.begin());
    add_product(n_, n_, w_.data(), p.data(), f.data());
    // |p_T|^2 = mu^2 p_N^2 in the units of the other rows [m/s], so that pivots do not depend on units.
    const double cone_scale = 1.0 / (step_ * p[0]);
    for (int i = 0; i < n_; ++i) {
      const double weight = i == 0 ? -mu_ * mu_ : 1.0;
      for (int j = 0; j < n_; ++j) jacobian[i * size + j] = w_[i * n_ + j];
      if (size == n_) continue;
      f[i] += nu * weight * p[i];
      f[n_] -= 0.5 * cone_scale * weight * p[i] * p[i];
      jacobian[i * size + i] += nu * weight;
      jacobian[i * size + n_] = weight * p[i];
      jacobian[n_ * size + i] = -cone_scale * weight * p[i];
    }
    if (!solve_dense(size, jacobian.data(), f.data())) return defect;
    Rows next = p;
    for (int i = 0; i < n_; ++i) next[i] -= f[i];
    const double next_defect = calc_defect(b, next);
    if (!(next_defect < defect)) return defect;
    p = next;
    defect = next_defect;
    if (slips) nu -= f[n_];
  }
  return defect;
}

/// Polishes p as what it is, and where that leaves a defect (the asymmetry of W has moved the bound between stick and
/// slip past b) as the other.
void AssociatedContact::polish(const double* b, double nu, Rows& p) const {
  const Rows start = p;
  const double defect = polish_state(b, nu > 0.0, nu, p);
  if (defect <= kAssociatedSolved * p[0]) return;
  Rows other = start;
  if (polish_state(b, !(nu > 0.0), 0.0, other) < defect) p = other;
}

void AssociatedContact::solve(const double* b, double* p) const {
  Rows gamma = {};
  for (int i = 0; i < n_; ++i) {
    for (int k = 0; k < n_; ++k) gamma[i] += v_[k * n_ + i] * b[k];
  }
  double in_dual = gamma[0] * gamma[0] / rho_[0];  // gamma^T diag(rho)^-1 gamma >= 0: b in K*, where gamma_0 >= 0
  double in_cone = rho_[0] * gamma[0] * gamma[0];  // gamma^T diag(rho) gamma >= 0: -W^-1 b in K, where gamma_0 < 0
  double squared = 0.0;                            // rho_0 tau^2 for gamma_0 = 0
  for (int i = 1; i < n_; ++i) {
    in_dual += gamma[i] * gamma[i] / rho_[i];
    in_cone += rho_[i] * gamma[i] * gamma[i];
    const double part = gamma[i] / (1.0 - rho_[i] / rho_[0]);
    squared -= rho_[i] * part * part;
  }
  Rows y = {};
  double lambda = 0.0;
  if (gamma[0] < 0.0 && in_cone >= 0.0) {
    for (int i = 0; i < n_; ++i) y[i] = -gamma[i];
  } else if (gamma[0] < 0.0 || in_dual < 0.0) {
    // The root for gamma_0 = 0 bounds the root from above where gamma_0 >= 0 and from below elsewhere.
    const double bound = std::sqrt(squared / rho_[0]);
    double low = gamma[0] < 0.0 ? std::max(-gamma[0], bound) : 0.0;
    double high = gamma[0] < 0.0 ? std::numeric_limits<double>::infinity() : bound;
    double tau = gamma[0] < 0.0 ? low : bound;
    double slope = 0.0;
    double excess = calc_excess(gamma, tau, &slope);
    for (int step = 0; step < kAssociatedMaxSteps && std::abs(excess) > 4.0 * kEpsilon; ++step) {
      double next = tau - excess / slope;
      if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * low;
      if (!(std::abs(next - tau) > kEpsilon * tau)) break;
      tau = next;
      excess = calc_excess(gamma, tau, &slope);
      (excess < 0.0 ? low : high) = tau;
    }
    lambda = (1.0 + gamma[0] / tau) / rho_[0];
    y[0] = tau;
    for (int i = 1; i < n_; ++i) {
      const double kappa = -rho_[i] / rho_[0];
      y[i] = -gamma[i] * tau / (tau * (1.0 + kappa) + gamma[0] * kappa);
    }
  }
  Rows solution = {};
  add_product(n_, n_, v_.data(), y.data(), solution.data());
  // With p = S z, S = diag(1, mu): S u = lambda R z, so u = lambda S^-1 R S^-1 p = nu (mu^2 p_N, -p_T), nu = lambda /
  // mu^2.
  if (y[0] > 0.0) polish(b, lambda / (mu_ * mu_), solution);
  std::copy_n(solution.data(), n_, p);
}

}  // namespace stickslip
