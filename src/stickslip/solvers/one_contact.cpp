// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/one_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "stickslip/base/assert.h"
#include "stickslip/math/cones.h"
#include "stickslip/math/dense_solve.h"
#include "stickslip/math/positive_roots.h"
#include "stickslip/math/round_off.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/math/symmetric_eigen.h"

namespace stickslip {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A slope below this times h is none. Far above the smallest number, whose product with h underflows, which takes
/// processors a hundred cycles.
constexpr double kFlattest = 1e-250;  // [kg]
/// Eigenvalues of S below this share of trace(W) are raised to it: an error of round-off in u that keeps massless
/// directions finite.
constexpr double kSmallestEigenvalue = kEpsilon / 2.0;
/// W counts as symmetric when its entries differ by no more than round-off, relative to trace(W).
constexpr double kSymmetric = 32.0 * kEpsilon;
/// Newton's method on the slip function takes about five steps; this bounds bisection over all exponents.
constexpr int kMaxSlipSteps = 200;
/// A root that could not be bracketed counts when the slip function is this many times its round-off there.
constexpr double kUnbracketedNoise = 64.0;
/// Full Newton steps on an asymmetric system; convergence is quadratic.
constexpr int kOneMaxPolishSteps = 6;
/// Square of the relative change after which the square of it is round-off.
constexpr double kQuadratic = kEpsilon;
/// Two roots nearer than this (relative) are one double root met twice.
constexpr double kSameRoot = 1e-9;

}  // namespace

/// h(lambda) = mu p_N / |p_T| - 1 for one b, with p_T = -Q y and y_i = beta_i / (s_i + lambda); beta = Q^T b~.
/// h < 0 outside the cone, h >= 0 inside it.
class OneContact::SlipFunction {
 public:
  struct Value {
    double lambda = 0.0;                         // [1/kg]
    std::array<double, kMaxFrictionDim> y = {};  // [N s] -p_T in the eigenbasis
    double norm = 0.0;                           // [N s] |p_T|
    double p_normal = 0.0;                       // [N s]
    double h = 0.0;                              // [-]
    double slope = 0.0;                          // [kg] dh / dlambda
    double noise = 0.0;                          // [-] round-off in h
  };

  SlipFunction(const OneContact& contact, const double* b) : contact_(contact), b_normal_(b[0]) {
    const int d = contact.d_;
    for (int k = 0; k < d; ++k) {
      double sum = -contact.col_[k] * b[0];
      for (int i = 0; i < d; ++i) sum += contact.q_[i * d + k] * b[i + 1];
      beta_[k] = sum;
    }
  }

  double b_normal() const { return b_normal_; }
  double beta(int i) const { return beta_[i]; }

  /// In place, in loops: a copy of what was just written number by number has to wait for it.
  void evaluate(double lambda, Value& value) const;
  Value evaluate(double lambda) const;
  double calc_sign_at_infinity() const;
  void find_root(Value& value, double high) const;
  Value polish_root(double lambda) const;
  Solution make_solution(const Value& value) const;

 private:
  void complete(Value& value, double squared, double coupling, double squared_slope, double coupling_slope) const;

  const OneContact& contact_;
  double b_normal_;                                // [m/s]
  std::array<double, kMaxFrictionDim> beta_ = {};  // [m/s]
};

OneContact::SlipFunction::Value OneContact::SlipFunction::evaluate(double lambda) const {
  Value value;
  evaluate(lambda, value);
  return value;
}

void OneContact::SlipFunction::evaluate(double lambda, Value& value) const {
  value.lambda = lambda;
  if (contact_.is_direct_) {
    // y = (S + lambda I)^-1 beta by Cramer's rule, and its derivative is -z = -(S + lambda I)^-1 y.
    const auto& s = contact_.direct_;
    const double a = s[0] + lambda;
    const double d = s[3] + lambda;
    const double inverse = 1.0 / (a * d - s[1] * s[2]);
    value.y[0] = (d * beta_[0] - s[1] * beta_[1]) * inverse;
    value.y[1] = (a * beta_[1] - s[2] * beta_[0]) * inverse;
    const std::array<double, 2> z = {(d * value.y[0] - s[1] * value.y[1]) * inverse,
                                     (a * value.y[1] - s[2] * value.y[0]) * inverse};
    complete(value, value.y[0] * value.y[0] + value.y[1] * value.y[1],
             contact_.row_[0] * value.y[0] + contact_.row_[1] * value.y[1], value.y[0] * z[0] + value.y[1] * z[1],
             contact_.row_[0] * z[0] + contact_.row_[1] * z[1]);
    return;
  }
  double squared = 0.0;         // |y|^2
  double coupling = 0.0;        // -W_NT p_T
  double squared_slope = 0.0;   // -1/2 d|y|^2 / dlambda
  double coupling_slope = 0.0;  // -d coupling / dlambda
  for (int i = 0; i < contact_.d_; ++i) {
    const double inverse = 1.0 / (contact_.s_[i] + lambda);
    const double y = beta_[i] * inverse;
    value.y[i] = y;
    squared += y * y;
    coupling += contact_.row_[i] * y;
    squared_slope += y * y * inverse;
    coupling_slope += contact_.row_[i] * y * inverse;
  }
  complete(value, squared, coupling, squared_slope, coupling_slope);
}

/// The rest of `value` from the sums of evaluate().
void OneContact::SlipFunction::complete(Value& value, double squared, double coupling, double squared_slope,
                                        double coupling_slope) const {
  const double numerator = coupling - b_normal_;
  value.norm = std::sqrt(squared);
  value.p_normal = numerator / contact_.w_nn_;
  if (value.norm == 0.0) {  // on the axis: inside the cone where p_N >= 0, whatever lambda is
    value.h = value.p_normal >= 0.0 ? 1.0 : -1.0;
    value.slope = 0.0;
    value.noise = 0.0;
    return;
  }
  const double factor = contact_.mu_ / (contact_.w_nn_ * value.norm);
  value.h = factor * numerator - 1.0;
  value.slope = factor * (numerator * squared_slope / squared - coupling_slope);
  value.noise = 4.0 * kEpsilon * (1.0 + factor * (std::abs(coupling) + std::abs(b_normal_)));
}

/// The sign of h(lambda) for lambda -> infinity, where p_T -> -beta / lambda in the eigenbasis.
double OneContact::SlipFunction::calc_sign_at_infinity() const {
  if (b_normal_ != 0.0) return b_normal_ < 0.0 ? 1.0 : -1.0;
  double coupling = 0.0;
  double squared = 0.0;
  for (int i = 0; i < contact_.d_; ++i) {
    coupling += contact_.row_[i] * beta_[i];
    squared += beta_[i] * beta_[i];
  }
  return contact_.mu_ * coupling < contact_.w_nn_ * std::sqrt(squared) ? -1.0 : 1.0;
}

/// From `value` to the root of h between it and `high` (which may be infinite), where h has different signs: Newton's
/// method inside a bracket that shrinks.
void OneContact::SlipFunction::find_root(Value& value, double high) const {
  const bool rising = value.h < 0.0;
  const double s_min = *std::min_element(contact_.s_.begin(), contact_.s_.begin() + contact_.d_);
  double bracket_low = value.lambda;
  double bracket_high = high;
  for (int step = 0; step < kMaxSlipSteps && std::abs(value.h) > value.noise; ++step) {
    double next = bracket_low;  // no step of Newton's method where there is no slope, as where |y|^2 underflows
    if (std::abs(value.slope) > kFlattest * std::abs(value.h)) next = value.lambda - value.h / value.slope;
    if (!(next > bracket_low && next < bracket_high)) {
      next = std::isfinite(bracket_high) ? 0.5 * (bracket_low + bracket_high) : 2.0 * bracket_low + s_min;
    }
    if (!(std::abs(next - value.lambda) > kEpsilon * (value.lambda + s_min))) break;
    evaluate(next, value);
    ((value.h < 0.0) == rising ? bracket_low : bracket_high) = next;
  }
}

/// A few steps of Newton's method from a root that has no bracket; the best of them.
OneContact::SlipFunction::Value OneContact::SlipFunction::polish_root(double lambda) const {
  Value best = evaluate(lambda);
  for (int step = 0; step < kOneMaxPolishSteps; ++step) {
    const Value next = evaluate(best.lambda - best.h / best.slope);
    if (!(next.lambda > 0.0 && std::abs(next.h) < std::abs(best.h))) break;
    best = next;
  }
  return best;
}

/// p for one lambda, put exactly on the cone's boundary where it slips.
OneContact::Solution OneContact::SlipFunction::make_solution(const Value& value) const {
  Solution solution;
  solution.kind = value.lambda > 0.0 ? Kind::slip : Kind::stick;
  solution.lambda = value.lambda;
  solution.p[0] = std::max(value.p_normal, 0.0);
  const double bound = contact_.mu_ * solution.p[0];
  const bool on_boundary = (value.lambda > 0.0 || value.norm > bound) && value.norm > 0.0;
  const double factor = on_boundary ? bound / value.norm : 1.0;
  for (int i = 0; i < contact_.d_; ++i) {
    double sum = 0.0;
    for (int k = 0; k < contact_.d_; ++k) sum -= contact_.q_[i * contact_.d_ + k] * value.y[k];
    solution.p[i + 1] = factor * sum;
  }
  return solution;
}

void OneContact::prepare(int friction_dim, double mu, const double* w) {
  STICKSLIP_ASSERT(friction_dim >= 0 && friction_dim <= kMaxFrictionDim && mu >= 0.0);
  d_ = friction_dim;
  mu_ = mu;
  const int n = dim();
  std::copy_n(w, n * n, w_.data());
  w_nn_ = w[0];
  unique_ = true;
  asymmetric_ = false;
  is_direct_ = false;
  if (is_frictionless()) return;
  // Contacts in space: loops whose length is known take half as long.
  if (d_ == 2) return decompose(std::integral_constant<int, 2>(), w);
  decompose(d_, w);
}

/// S in its eigenbasis, and whether solutions are unique. d is d_, or an std::integral_constant.
template <class Size>
void OneContact::decompose(Size d, const double* w) {
  const int n = 1 + d;
  double trace = w_nn_;
  std::array<double, kMaxFrictionDim* kMaxFrictionDim> schur = {};
  for (int i = 0; i < d; ++i) {
    trace += w[(i + 1) * n + i + 1];
    for (int j = i; j < d; ++j) {
      const double upper = w[(i + 1) * n + j + 1] - w[(i + 1) * n] * w[j + 1] / w_nn_;
      const double lower = w[(j + 1) * n + i + 1] - w[(j + 1) * n] * w[i + 1] / w_nn_;
      schur[i * d + j] = 0.5 * (upper + lower);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) asymmetric_ |= std::abs(w[i * n + j] - w[j * n + i]) > kSymmetric * trace;
  }
  calc_symmetric_eigen(d, schur.data(), s_.data(), q_.data());
  double squared_row = 0.0;
  double s_min = kInfinity;
  double s_max = 0.0;
  for (int k = 0; k < d; ++k) {
    s_[k] = std::max(s_[k], kSmallestEigenvalue * trace);
    s_min = std::min(s_min, s_[k]);
    s_max = std::max(s_max, s_[k]);
    row_[k] = col_[k] = 0.0;
    for (int i = 0; i < d; ++i) {
      row_[k] += q_[i * d + k] * w[i + 1];
      col_[k] += q_[i * d + k] * w[(i + 1) * n] / w_nn_;
    }
    squared_row += row_[k] * row_[k];
  }
  const double condition = s_max / s_min;
  unique_ = mu_ * std::sqrt(squared_row) * (1.0 + condition) < 2.0 * std::sqrt(condition) * w_nn_;
  is_direct_ = asymmetric_ && unique_ && d == 2 && s_min > kSmallestEigenvalue * trace;
  if (!is_direct_) return;
  q_ = {1.0, 0.0, 0.0, 1.0};
  for (int i = 0; i < 2; ++i) {
    row_[i] = w[i + 1];
    col_[i] = w[(i + 1) * n] / w_nn_;
    for (int j = 0; j < 2; ++j) direct_[2 * i + j] = w[(i + 1) * n + j + 1] - col_[i] * w[j + 1];
  }
}

int OneContact::solve_frictionless(double b_normal, Solution& solution) const {
  solution = {};
  if (b_normal >= 0.0) return 1;
  if (!(w_nn_ > 0.0)) return 0;
  solution.kind = d_ > 0 ? Kind::slip : Kind::stick;
  solution.p[0] = -b_normal / w_nn_;
  return 1;
}

OneContact::Solution OneContact::solve_unique(const double* b) const {
  if (b[0] >= 0.0) return {};
  const SlipFunction function(*this, b);
  SlipFunction::Value value = function.evaluate(0.0);
  if (value.h < 0.0) function.find_root(value, kInfinity);
  Solution solution = function.make_solution(value);
  if (asymmetric_ && !is_direct_ && d_ > 1) polish(b, solution);
  return solution;
}

int OneContact::solve(const double* b, double* p) const {
  if (is_frictionless()) {
    Solution solution;
    const int n = solve_frictionless(b[0], solution);
    std::copy_n(solution.p.data(), dim(), p);
    return n;
  }
  if (unique_) {
    const Solution solution = solve_unique(b);
    std::copy_n(solution.p.data(), dim(), p);
    return 1;
  }
  Solutions solutions;
  const int n = solve_all(b, solutions);
  if (n == 0) {
    find_least_defect(b, p);
    return 0;
  }
  int chosen = 0;
  double least = kInfinity;
  for (int k = 0; k < n; ++k) {
    double distance = 0.0;
    for (int i = 0; i < dim(); ++i) distance += (solutions[k].p[i] - p[i]) * (solutions[k].p[i] - p[i]);
    if (distance < least) {
      least = distance;
      chosen = k;
    }
  }
  std::copy_n(solutions[chosen].p.data(), dim(), p);
  return n;
}

int OneContact::solve_all(const double* b, Solutions& solutions) const {
  if (is_frictionless()) return solve_frictionless(b[0], solutions[0]);
  if (is_direct_) {
    solutions[0] = solve_unique(b);
    return 1;
  }
  int n = 0;
  if (b[0] >= 0.0) solutions[n++] = {};
  const SlipFunction function(*this, b);
  const auto at_stick = function.evaluate(0.0);
  if (at_stick.h >= 0.0 && at_stick.p_normal > 0.0) solutions[n++] = function.make_solution(at_stick);
  n += find_slips(function, solutions.data() + n);
  if (asymmetric_) {
    for (int k = 0; k < n; ++k) polish(b, solutions[k]);
  }
  return n;
}

/// All slip solutions, by increasing lambda; returns how many. In t = lambda / s_max, with A_i = s_i / s_max + t, the
/// polynomial (up to a positive factor) is
///   mu^2 (-b_N s_max prod A_j + sum_i c_i beta_i prod_{j != i} A_j)^2 - W_NN^2 sum_i (beta_i prod_{j != i} A_j)^2,
/// c the row W_NT in the eigenbasis. Its roots with p_N < 0 are no solutions.
int OneContact::find_slips(const SlipFunction& function, Solution* slips) const {
  constexpr int kSize = kMaxFrictionDim + 1;
  const double s_max = *std::max_element(s_.begin(), s_.begin() + d_);
  std::array<double, 2 * kMaxFrictionDim + 1> polynomial = {};
  std::array<double, kSize> normal = {};  // coefficients of the first bracket
  for (int i = 0; i <= d_; ++i) {         // i = d_ stands for the full product
    std::array<double, kSize> product = {1.0};
    for (int j = 0, degree = 0; j < d_; ++j) {
      if (j == i) continue;
      const double a = s_[j] / s_max;
      ++degree;
      for (int k = degree; k > 0; --k) product[k] = a * product[k] + product[k - 1];
      product[0] *= a;
    }
    const double factor = i < d_ ? row_[i] * function.beta(i) : -function.b_normal() * s_max;
    for (int k = 0; k <= d_; ++k) normal[k] += mu_ * factor * product[k];
    for (int k = 0; i < d_ && k < d_; ++k) {
      for (int l = 0; l < d_; ++l) {
        const double tangent = w_nn_ * function.beta(i);
        polynomial[k + l] -= (tangent * product[k]) * (tangent * product[l]);
      }
    }
  }
  for (int k = 0; k <= d_; ++k) {
    for (int l = 0; l <= d_; ++l) polynomial[k + l] += normal[k] * normal[l];
  }

  std::array<RootInterval, kMaxPolynomialDegree> intervals;
  const int n_intervals = isolate_positive_roots(2 * d_, polynomial.data(), intervals);
  int n = 0;
  for (int k = 0; k < n_intervals; ++k) {
    const double high = s_max * intervals[k].high;
    auto value = function.evaluate(s_max * intervals[k].low);
    if (intervals[k].low == intervals[k].high) {
      value = function.polish_root(high);
      if (!(std::abs(value.h) <= kUnbracketedNoise * value.noise)) continue;
    } else {
      const double sign_high = std::isfinite(high) ? function.evaluate(high).h : function.calc_sign_at_infinity();
      if ((value.h < 0.0) == (sign_high < 0.0)) continue;  // a root with p_N < 0
      function.find_root(value, high);
    }
    if (!(value.lambda > 0.0 && value.norm > 0.0)) continue;
    if (n > 0 && value.lambda - slips[n - 1].lambda <= kSameRoot * value.lambda) continue;
    slips[n++] = function.make_solution(value);
  }
  return n;
}

/// The local natural map |r' - P_K(r' - u^)| of residual.h, for comparing candidates. [m/s]
double OneContact::calc_defect(const double* b, const double* p) const {
  const int n = dim();
  std::array<double, kMaxContactDim> u = {};
  std::array<double, kMaxContactDim> x = {};
  std::copy_n(b, n, u.begin());
  add_product(n, n, w_.data(), p, u.data());
  double trace = 0.0;
  double squared_slip = 0.0;
  for (int i = 0; i < n; ++i) trace += w_[i * n + i];
  for (int i = 1; i < n; ++i) squared_slip += u[i] * u[i];
  for (int i = 0; i < n; ++i) x[i] = trace / n * p[i] - u[i];
  x[0] -= mu_ * std::sqrt(squared_slip);
  const FrictionBlock block{std::max(d_, 1), mu_, 0, 0.0};
  project_on_contact_cone({&block, d_ > 0 ? 1U : 0U}, x.data(), x.data());
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (trace / n * p[i] - x[i]) * (trace / n * p[i] - x[i]);
  return std::sqrt(sum);
}

/// Newton's method on stick (W p = -b) or slip (u_N = 0, u_T + lambda p_T = 0, |p_T|^2 = mu^2 p_N^2) with the full,
/// asymmetric W, as long as the defect falls.
void OneContact::polish(const double* b, Solution& solution) const {
  if (solution.kind == Kind::takeoff || !(solution.p[0] > 0.0)) return;
  const int n = dim();
  const int size = solution.kind == Kind::slip ? n + 1 : n;
  double defect = calc_defect(b, solution.p.data());
  for (int step = 0; step < kOneMaxPolishSteps; ++step) {
    std::array<double, (kMaxContactDim + 1) * (kMaxContactDim + 1)> jacobian;
    std::array<double, kMaxContactDim + 1> change;  // first f, then J^-1 f
    std::copy_n(b, n, change.data());
    add_product(n, n, w_.data(), solution.p.data(), change.data());
    for (int i = 0; i < n; ++i) std::copy_n(w_.data() + i * n, n, jacobian.data() + i * size);
    if (solution.kind == Kind::slip) {
      // |p_T|^2 = mu^2 p_N^2 in the units of the other rows [m/s], so that pivots do not depend on units.
      const double cone_scale = w_nn_ / solution.p[0];
      jacobian[n] = jacobian[n * size + n] = 0.0;
      jacobian[n * size] = cone_scale * mu_ * mu_ * solution.p[0];
      change[n] = 0.5 * cone_scale * mu_ * mu_ * solution.p[0] * solution.p[0];
      for (int i = 1; i < n; ++i) {
        change[i] += solution.lambda * solution.p[i];
        change[n] -= 0.5 * cone_scale * solution.p[i] * solution.p[i];
        jacobian[i * size + i] += solution.lambda;
        jacobian[i * size + n] = solution.p[i];
        jacobian[n * size + i] = -cone_scale * solution.p[i];
      }
    }
    if (!solve_dense(size, jacobian.data(), change.data())) return;
    Solution next = solution;
    double squared_change = 0.0;
    double squared = 0.0;
    for (int i = 0; i < n; ++i) {
      next.p[i] -= change[i];
      squared_change += change[i] * change[i];
      squared += next.p[i] * next.p[i];
    }
    if (size > n) next.lambda -= change[n];
    const double next_defect = calc_defect(b, next.p.data());
    if (!(next_defect < defect)) return;
    solution = next;
    defect = next_defect;
    if (squared_change <= kQuadratic * squared) return;  // the next change would be round-off
  }
}

/// Where round-off or a singular W leaves no candidate: of p = 0, the clamped stick and slip along the clamped
/// direction with u_N = 0, the one with the least defect.
void OneContact::find_least_defect(const double* b, double* p) const {
  const SlipFunction function(*this, b);
  const auto at_stick = function.evaluate(0.0);
  std::array<Solution, 3> candidates;
  candidates[1] = function.make_solution(at_stick);
  if (at_stick.norm > 0.0) {
    double coupling = 0.0;  // -W_NT e for the direction e of p_T
    for (int i = 0; i < d_; ++i) coupling += row_[i] * at_stick.y[i] / at_stick.norm;
    auto along = at_stick;
    along.p_normal = -function.b_normal() / (w_nn_ - mu_ * coupling);
    along.lambda = 1.0;  // only the sign counts: p_T is scaled to the boundary
    candidates[2] = function.make_solution(along);
  }
  double least = kInfinity;
  for (const Solution& candidate : candidates) {
    const double defect = calc_defect(b, candidate.p.data());
    if (!(defect < least)) continue;
    least = defect;
    std::copy_n(candidate.p.data(), dim(), p);
  }
}

}  // namespace stickslip
