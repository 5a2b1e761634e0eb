// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/square_factor.h"

namespace stickslip {
namespace {

/// epsilon of the derivative as a share of the largest entry of M: least, largest, and its rise where the matrix is
/// singular or the step no descent. [-]
constexpr double kLeastEpsilon = 1e-12;
constexpr double kLargestEpsilon = 1e-2;
constexpr double kEpsilonRise = 1e3;
/// Armijo's rule: the share of the predicted decrease, and how often a step is halved. [-]
constexpr double kLcpArmijo = 1e-4;
constexpr int kLcpMaxHalvings = 30;
/// The merit function may rise above its last values, not above the largest of so many. [-] [DeLuca1996]
constexpr int kLcpMemory = 5;

class LcpNewton {
 public:
  LcpNewton(const SparseMatrix& m, const Vector& q, const StopToken& stop) : m_(m), q_(q), stop_(stop), n_(q.size()) {
    for (Eigen::Index i = 0; i < n_; ++i) {
      for (SparseMatrix::InnerIterator entry(m_, i); entry; ++entry) {
        largest_ = std::max(largest_, std::abs(entry.value()));
      }
    }
    if (largest_ == 0.0) largest_ = 1.0;
  }

  LcpResult run(const Vector& start, double tolerance, int max_iterations, const Deadline& deadline) {
    const double wanted = tolerance * q_.stableNorm();  // finite where q is: what overflows is not solved
    LcpResult result;
    result.outcome = LcpOutcome::gave_up;
    z_ = start.cwiseMax(0.0);
    best_ = z_;
    best_residual_ = calc_lcp_residual(m_, q_, z_);
    std::vector<double> merits;
    while (best_residual_ > wanted && result.iterations < max_iterations && !deadline.passed()) {
      ++result.iterations;
      w_ = m_ * z_ + q_;
      try_active_set();
      if (best_residual_ <= wanted) break;
      calc_phi();
      const double merit = 0.5 * phi_.squaredNorm();
      merits.push_back(merit);
      if (merits.size() > kLcpMemory) merits.erase(merits.begin());
      if (!step(*std::ranges::max_element(merits))) break;
      consider(z_.cwiseMax(0.0));
    }
    if (best_residual_ <= wanted) result.outcome = LcpOutcome::solved;
    result.z = best_;
    return result;
  }

 private:
  void consider(const Vector& z) {
    const double residual = calc_lcp_residual(m_, q_, z);
    if (!(residual < best_residual_)) return;
    best_residual_ = residual;
    best_ = z;
  }

  /// phi and its generalised derivative diag(a) + diag(b) M [DeLuca1996].
  void calc_phi() {
    phi_.resize(n_);
    a_.resize(n_);
    b_.resize(n_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double norm = std::hypot(z_[i], w_[i]);
      phi_[i] = norm - z_[i] - w_[i];
      // At the kink: the limit along (1, 1).
      a_[i] = (norm > 0.0 ? z_[i] / norm : std::sqrt(0.5)) - 1.0;
      b_[i] = (norm > 0.0 ? w_[i] / norm : std::sqrt(0.5)) - 1.0;
    }
  }

  bool calc_newton_direction(double epsilon) {
    stop_.check();
    entries_.clear();
    for (int i = 0; i < n_; ++i) {
      entries_.emplace_back(i, i, a_[i] + b_[i] * epsilon);
      for (SparseMatrix::InnerIterator entry(m_, i); entry; ++entry) {
        entries_.emplace_back(i, static_cast<int>(entry.col()), b_[i] * entry.value());
      }
    }
    matrix_.resize(n_, n_);
    matrix_.setFromTriplets(entries_.begin(), entries_.end());
    if (!factor_.factorise(matrix_)) return false;
    direction_ = -phi_;
    factor_.solve(direction_);
    return direction_.allFinite();
  }

  /// A step along Newton's direction, or else the negative gradient; false where neither lowers the merit function.
  bool step(double reference) {
    const Vector gradient =
        (a_.array() * phi_.array()).matrix() + m_.transpose() * (b_.array() * phi_.array()).matrix();
    for (double epsilon = kLeastEpsilon; epsilon <= kLargestEpsilon; epsilon *= kEpsilonRise) {
      if (!calc_newton_direction(epsilon * largest_)) continue;
      const double slope = gradient.dot(direction_);
      if (slope < 0.0 && search(slope, reference)) return true;
    }
    direction_ = -gradient;
    const double slope = -gradient.squaredNorm();
    return slope < 0.0 && search(slope, reference);
  }

  bool search(double slope, double reference) {
    const Vector base = z_;
    double factor = 1.0;
    for (int k = 0; k <= kLcpMaxHalvings; ++k, factor *= 0.5) {
      stop_.check();
      z_ = base + factor * direction_;
      const Vector w = m_ * z_ + q_;
      double merit = 0.0;
      for (Eigen::Index i = 0; i < n_; ++i) {
        const double phi = std::hypot(z_[i], w[i]) - z_[i] - w[i];
        merit += 0.5 * phi * phi;
      }
      if (merit <= reference + kLcpArmijo * factor * slope) return true;
    }
    z_ = base;
    return false;
  }

  /// Newton's step on min(z, w): z_i = 0 where z_i < w_i, w_i = 0 elsewhere.
  void try_active_set() {
    std::vector<int> place(n_, -1);
    std::vector<int> active;
    for (int i = 0; i < n_; ++i) {
      if (z_[i] < w_[i]) continue;
      place[i] = static_cast<int>(active.size());
      active.push_back(i);
    }
    entries_.clear();
    Vector x(static_cast<Eigen::Index>(active.size()));
    for (std::size_t k = 0; k < active.size(); ++k) {
      x[static_cast<Eigen::Index>(k)] = -q_[active[k]];
      for (SparseMatrix::InnerIterator entry(m_, active[k]); entry; ++entry) {
        if (place[entry.col()] >= 0) entries_.emplace_back(static_cast<int>(k), place[entry.col()], entry.value());
      }
    }
    matrix_.resize(x.size(), x.size());
    matrix_.setFromTriplets(entries_.begin(), entries_.end());
    if (!factor_.factorise(matrix_)) return;
    factor_.solve(x);
    if (!x.allFinite()) return;
    Vector z = Vector::Zero(n_);
    for (std::size_t k = 0; k < active.size(); ++k) z[active[k]] = std::max(x[static_cast<Eigen::Index>(k)], 0.0);
    consider(z);
  }

  const SparseMatrix& m_;
  const Vector& q_;
  StopToken stop_;
  Eigen::Index n_;
  double largest_ = 0.0;
  Vector z_;
  Vector w_;
  Vector phi_;
  Vector a_;
  Vector b_;
  Vector direction_;
  Vector best_;
  double best_residual_ = 0.0;
  SquareFactor factor_;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> matrix_;
};

}  // namespace

LcpResult solve_by_newton(const SparseMatrix& m, const Vector& q, const Vector& start, double tolerance,
                          int max_iterations, const Deadline& deadline) {
  return LcpNewton(m, q, deadline.stop()).run(start, tolerance, max_iterations, deadline);
}

}  // namespace stickslip
