// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/infeasibility.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "stickslip/cone/condense.h"

namespace stickslip {
namespace {

constexpr int kMaxSteps = 200;      // [-] Newton steps; a handful are usual
constexpr int kMaxHalvings = 40;    // [-]
constexpr double kArmijo = 1e-4;    // [-] share of the predicted decrease
constexpr double kDamping = 1e-13;  // [-] added to the diagonal, of its largest entry: the matrix may be singular
/// The proof's two conditions, relative to the sizes that enter them: W^T y = 0, and y not zero. [-]
constexpr double kOrthogonal = 1e-9;
constexpr double kViolated = 1e-7;

/// min 1/2 |y(p)|^2 over the rows that must hold; p_k >= 0 where is_bounded.
class LeastViolation {
 public:
  LeastViolation(Matrix w, Vector b, std::vector<bool> is_free, std::vector<bool> is_bounded)
      : w_(std::move(w)), b_(std::move(b)), is_free_(std::move(is_free)), is_bounded_(std::move(is_bounded)) {}

  const Vector& solve() {
    const Eigen::Index n = b_.size();
    p_ = Vector::Zero(n);
    update(p_, y_);
    for (int step = 0; step < kMaxSteps && y_.norm() > 0.0; ++step) {
      const Vector gradient = -w_.transpose() * y_;
      std::vector<Eigen::Index> moving;
      for (Eigen::Index k = 0; k < n; ++k) {
        if (!is_bounded_[k] || p_[k] > 0.0 || gradient[k] < 0.0) moving.push_back(k);
      }
      if (moving.empty() || !descend(gradient, moving)) break;
    }
    return y_;
  }
  /// Largest entry of W^T y that counts: below zero it is no matter where p is bounded.
  double calc_defect() const {
    const Vector product = w_.transpose() * y_;
    double largest = 0.0;
    for (Eigen::Index k = 0; k < product.size(); ++k) {
      largest = std::max(largest, is_bounded_[k] ? product[k] : std::abs(product[k]));
    }
    return largest;
  }

 private:
  void update(const Vector& p, Vector& y) const {
    y = -(w_ * p + b_);
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      if (!is_free_[i]) y[i] = std::max(y[i], 0.0);
    }
  }

  bool descend(const Vector& gradient, const std::vector<Eigen::Index>& moving) {
    std::vector<Eigen::Index> violated;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      if (y_[i] != 0.0) violated.push_back(i);
    }
    const Matrix rows = w_(violated, moving);
    Matrix hessian = rows.transpose() * rows;
    const double largest = hessian.diagonal().maxCoeff();
    if (!(largest > 0.0)) return false;
    hessian.diagonal().array() += kDamping * largest;
    const Eigen::LDLT<Matrix> factor(hessian);
    const Vector direction = factor.solve(Vector(-gradient(moving)));
    if (!direction.allFinite()) return false;
    const double before = 0.5 * y_.squaredNorm();
    Vector p = p_;
    Vector y;
    double factor_of_step = 1.0;
    for (int k = 0; k <= kMaxHalvings; ++k, factor_of_step *= 0.5) {
      double predicted = 0.0;
      for (std::size_t m = 0; m < moving.size(); ++m) {
        const Eigen::Index at = moving[m];
        p[at] = p_[at] + factor_of_step * direction[static_cast<Eigen::Index>(m)];
        if (is_bounded_[at]) p[at] = std::max(p[at], 0.0);
        predicted += gradient[at] * (p[at] - p_[at]);
      }
      update(p, y);
      if (predicted < 0.0 && 0.5 * y.squaredNorm() <= before + kArmijo * predicted) {
        p_ = p;
        y_ = y;
        return true;
      }
    }
    return false;
  }

  Matrix w_;
  Vector b_;
  std::vector<bool> is_free_;
  std::vector<bool> is_bounded_;
  Vector p_;
  Vector y_;
};

}  // namespace

std::optional<Infeasibility> find_infeasibility(const ConeProblem& problem, int max_rows) {
  std::vector<int> rows;
  std::vector<bool> is_free;
  std::vector<bool> is_bounded;
  const bool is_lcp = std::ranges::all_of(
      problem.cones, [](const Cone& cone) { return cone.kind == ConeKind::contact && cone.n_blocks == 0; });
  for (const Cone& cone : problem.cones) {
    const int n = cone.kind == ConeKind::contact ? 1 : cone.kind == ConeKind::free ? cone.dim : 0;
    for (int r = 0; r < n; ++r) {
      rows.push_back(cone.offset + r);
      is_free.push_back(cone.kind == ConeKind::free);
      is_bounded.push_back(is_lcp);
    }
  }
  if (rows.empty() || static_cast<int>(rows.size()) > max_rows) return std::nullopt;
  const SparseMatrix w = make_delassus_matrix(problem);
  std::vector<int> place(problem.size(), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) place[rows[k]] = static_cast<int>(k);
  const auto n = static_cast<Eigen::Index>(rows.size());
  Matrix dense = Matrix::Zero(n, n);
  Vector b(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    b[k] = problem.b[rows[k]];
    for (SparseMatrix::InnerIterator entry(w, rows[k]); entry; ++entry) {
      if (place[entry.col()] >= 0) dense(k, place[entry.col()]) = entry.value();
    }
  }
  if (!dense.allFinite() || !b.allFinite()) return std::nullopt;
  LeastViolation violation(dense, b, is_free, is_bounded);
  const Vector& y = violation.solve();
  const double size = y.norm();
  if (!(size > kViolated * b.norm())) return std::nullopt;
  // On all rows, friction's too, as far as they may move: W^T y = 0.
  Vector all = Vector::Zero(problem.size());
  for (Eigen::Index k = 0; k < n; ++k) all[rows[k]] = y[k];
  const double largest = w.coeffs().cwiseAbs().maxCoeff();
  const double defect = is_lcp ? violation.calc_defect() : Vector(w.transpose() * all).cwiseAbs().maxCoeff();
  if (!(defect <= kOrthogonal * largest * size) || !(b.dot(y) < 0.0)) return std::nullopt;
  Infeasibility found;
  found.y.assign(all.data(), all.data() + all.size());
  found.violation = size;
  return found;
}

}  // namespace stickslip
