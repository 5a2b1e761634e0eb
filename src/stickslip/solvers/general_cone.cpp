// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/general_cone.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/cones.h"
#include "stickslip/math/dense_solve.h"
#include "stickslip/math/round_off.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/solvers/natural_map.h"

namespace stickslip {
namespace {

/// The defect, relative to |p| and |rho b|, that counts as solved; Newton's method goes on below it while it gains.
constexpr double kConeSolved = 256.0 * kEpsilon;
constexpr int kConeMaxNewtonSteps = 30;
constexpr int kConeMaxHalvings = 10;
/// Proximal term, as a share of W's diagonal: makes W invertible where it is singular, and costs a Newton step or two.
constexpr double kProximal = 1e-10;
/// Projected gradient steps: enough for Newton's method to take over at condition numbers up to about 1e4.
constexpr int kMaxGradientSteps = 2000;
/// Where the gradient steps change p relatively by less than this, Newton's method takes over.
constexpr double kGradientAccuracy = 1e-11;
/// Halvings of the bracket of p_N, down to round-off.
constexpr int kMaxBisections = 60;
/// Doublings in search of a p_N with u_N > 0; p_N = |b_N| / W_NN is the scale.
constexpr int kMaxDoublings = 200;

}  // namespace

void GeneralCone::prepare(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* w) {
  law_ = law;
  cone_ = cone;
  friction_ = friction;
  std::copy_n(w, cone.dim * cone.dim, w_.data());
  calc_step_sizes(law, cone, friction, w, rho_.data());
  double squared = 0.0;  // Frobenius norm, a bound on the largest eigenvalue
  for (int k = 0; k < cone.dim * cone.dim; ++k) squared += w[k] * w[k];
  gradient_step_ = squared > 0.0 ? 1.0 / std::sqrt(squared) : 1.0;
}

/// |p - Pi(p - rho u)|, and where asked for the map's value f and I - dPi/dx (I - rho W).
double GeneralCone::calc_defect(const double* b, const Rows& p, Rows* f, Block* derivative) const {
  const int n = cone_.dim;
  Rows x = {};
  Rows y = {};
  Block d = {};
  std::copy_n(b, n, x.begin());
  add_product(n, n, w_.data(), p.data(), x.data());
  for (int i = 0; i < n; ++i) x[i] = p[i] - rho_[i] * x[i];
  project_cone(law_, cone_, friction_, x.data(), y.data(), d.data());
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (p[i] - y[i]) * (p[i] - y[i]);
  if (f == nullptr) return std::sqrt(sum);
  for (int i = 0; i < n; ++i) {
    (*f)[i] = p[i] - y[i];
    for (int j = 0; j < n; ++j) {
      double entry = (i == j ? 1.0 : 0.0) - d[i * n + j] * (1.0 - kProximal);
      for (int k = 0; k < n; ++k) entry += d[i * n + k] * rho_[k] * w_[k * n + j];
      (*derivative)[i * n + j] = entry;
    }
  }
  return std::sqrt(sum);
}

/// Newton steps with halvings while the defect falls; returns the last one.
double GeneralCone::improve_by_newton(const double* b, Rows& p) const {
  const int n = cone_.dim;
  Rows f = {};
  Block derivative = {};
  double defect = calc_defect(b, p, &f, &derivative);
  for (int step = 0; step < kConeMaxNewtonSteps && defect > 0.0; ++step) {
    if (!solve_dense(n, derivative.data(), f.data())) break;
    bool accepted = false;
    double factor = 1.0;
    for (int k = 0; k < kConeMaxHalvings && !accepted; ++k, factor *= 0.5) {
      Rows next = p;
      for (int i = 0; i < n; ++i) next[i] -= factor * f[i];
      const double next_defect = calc_defect(b, next, nullptr, nullptr);
      if (!(next_defect < defect)) continue;
      p = next;
      accepted = true;
    }
    if (!accepted) break;
    defect = calc_defect(b, p, &f, &derivative);
  }
  return defect;
}

/// The nearest point of the set that p is sought in: the friction sets of a Coulomb contact with p_N = s, else the
/// cone.
void GeneralCone::project(double s, Rows& p) const {
  if (cone_.kind == ConeKind::ball) return project_on_ball(cone_.dim, cone_.radius, p.data(), p.data());
  if (law_ == FrictionLaw::associated) return project_on_contact_cone(friction_, p.data(), p.data());
  p[0] = s;
  int row = 1;
  for (const FrictionBlock& block : friction_) {
    project_on_friction_set(block, s, p.data() + row, p.data() + row);
    row += block.dim;
  }
}

/// 1/2 p^T W p + b^T p over that set, by the accelerated projected gradient method; momentum is dropped whenever it
/// points uphill [ODonoghue2015].
void GeneralCone::minimise(const double* b, double s, Rows& p) const {
  const int n = cone_.dim;
  project(s, p);
  Rows y = p;
  double t = 1.0;
  for (int step = 0; step < kMaxGradientSteps; ++step) {
    Rows next = {};
    std::copy_n(b, n, next.begin());
    add_product(n, n, w_.data(), y.data(), next.data());
    for (int i = 0; i < n; ++i) next[i] = y[i] - gradient_step_ * next[i];
    project(s, next);
    double uphill = 0.0;
    double change = 0.0;
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
      uphill += (y[i] - next[i]) * (next[i] - p[i]);
      change = std::max(change, std::abs(next[i] - y[i]));
      size = std::max(size, std::abs(next[i]));
    }
    const double t_next = uphill > 0.0 ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    const double momentum = uphill > 0.0 ? 0.0 : (t - 1.0) / t_next;
    for (int i = 0; i < n; ++i) y[i] = next[i] + momentum * (next[i] - p[i]);
    p = next;
    t = t_next;
    if (change <= kGradientAccuracy * size) break;
  }
}

/// Bisection on p_N = s for u_N(s) = 0, see the header.
void GeneralCone::find_by_bisection(const double* b, Rows& p) const {
  const int n = cone_.dim;
  if (b[0] >= 0.0 || !(w_[0] > 0.0)) {
    p.fill(0.0);
    return;
  }
  const auto calc_normal_velocity = [&](double s) {
    minimise(b, s, p);
    double u = b[0];
    for (int j = 0; j < n; ++j) u += w_[j] * p[j];
    return u;
  };
  double low = 0.0;
  double high = -b[0] / w_[0];
  for (int k = 0; k < kMaxDoublings && calc_normal_velocity(high) < 0.0; ++k) {
    low = high;
    high *= 2.0;
  }
  for (int k = 0; k < kMaxBisections; ++k) {
    const double middle = 0.5 * (low + high);
    (calc_normal_velocity(middle) < 0.0 ? low : high) = middle;
  }
}

bool GeneralCone::solve(const double* b, double* p) const {
  const int n = cone_.dim;
  double free_size = 0.0;
  for (int i = 0; i < n; ++i) free_size = std::max(free_size, std::abs(rho_[i] * b[i]));
  const auto is_solved = [&](double defect, const Rows& candidate) {
    double size = free_size;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(candidate[i]));
    return defect <= kConeSolved * size;
  };
  Rows best = {};
  std::copy_n(p, n, best.begin());
  double defect = improve_by_newton(b, best);
  if (!is_solved(defect, best)) {
    Rows other = {};
    std::copy_n(p, n, other.begin());
    if (cone_.kind == ConeKind::contact && law_ == FrictionLaw::coulomb) {
      find_by_bisection(b, other);
    } else {
      minimise(b, 0.0, other);
    }
    const double other_defect = improve_by_newton(b, other);
    if (other_defect < defect) {
      best = other;
      defect = other_defect;
    }
  }
  const bool solved = is_solved(defect, best);
  if (cone_.kind == ConeKind::ball) {
    project_on_ball(n, cone_.radius, best.data(), best.data());
  } else {
    project_on_contact_cone(friction_, best.data(), best.data());
  }
  std::copy_n(best.data(), n, p);
  return solved;
}

}  // namespace stickslip
