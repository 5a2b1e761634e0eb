// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/infeasibility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stickslip/cone/condense.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/sparse_solver.h"
#include "stickslip/math/stoppable_product.h"

namespace stickslip {
namespace {

constexpr int kMaxSteps = 200;      // [-] Newton steps; a handful are usual
constexpr int kMaxHalvings = 40;    // [-]
constexpr double kArmijo = 1e-4;    // [-] share of the predicted decrease
constexpr double kDamping = 1e-13;  // [-] added to the diagonal, of its largest entry: the matrix may be singular
/// Steps by orthogonal factors, without damping, and the share that the last of them lowers the violation. [-]
constexpr int kMaxExactSteps = 20;
constexpr double kSettled = 1e-3;
/// A violation below this share of b is none. [-]
constexpr double kViolated = 1e-7;
/// Round-off in the entries of W, sums over bodies, as a multiple of the spacing of numbers and the rows. [-]
constexpr double kProofRoundOff = 16.0 * std::numeric_limits<double>::epsilon();

/// min 1/2 |y(p)|^2 over the rows that must hold; p_k >= 0 where is_bounded.
class LeastViolation {
 public:
  LeastViolation(Matrix w, Vector b, std::vector<bool> is_free, std::vector<bool> is_bounded, const StopToken& stop)
      : w_(std::move(w)),
        b_(std::move(b)),
        is_free_(std::move(is_free)),
        is_bounded_(std::move(is_bounded)),
        stop_(stop) {}

  /// To where no damped step lowers it.
  void minimize(const std::function<bool()>& is_late) {
    p_ = Vector::Zero(b_.size());
    update(p_, y_);
    for (int step = 0; step < kMaxSteps && is_violated() && !(is_late && is_late()); ++step) {
      if (!descend(false)) break;
    }
  }
  /// Further by steps without damping, which cannot tell a matrix that is nearly singular from one that is singular.
  void refine(const std::function<bool()>& is_late) {
    for (int step = 0; step < kMaxExactSteps && is_violated() && !(is_late && is_late()); ++step) {
      const double before = y_.norm();
      if (!descend(true) || y_.norm() > (1.0 - kSettled) * before) break;
    }
  }
  bool is_violated() const { return y_.norm() > kViolated * b_.norm(); }
  const Vector& p() const { return p_; }
  const Vector& y() const { return y_; }

 private:
  void update(const Vector& p, Vector& y) const {
    y = -(w_ * p + b_);
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      if (!is_free_[i]) y[i] = std::max(y[i], 0.0);
    }
  }

  bool descend(bool is_exact) {
    stop_.check();
    const Vector gradient = -w_.transpose() * y_;
    std::vector<Eigen::Index> moving;
    for (Eigen::Index k = 0; k < b_.size(); ++k) {
      if (!is_bounded_[k] || p_[k] > 0.0 || gradient[k] < 0.0) moving.push_back(k);
    }
    if (moving.empty()) return false;
    std::vector<Eigen::Index> violated;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      if (y_[i] != 0.0) violated.push_back(i);
    }
    const Matrix rows = w_(violated, moving);
    Vector direction;
    if (is_exact) {
      direction = solve_least_norm(rows, y_(violated));
    } else {
      Matrix hessian = multiply_transposed_stoppably(rows, rows, stop_);
      const double largest = hessian.diagonal().maxCoeff();
      if (!(largest > 0.0)) return false;
      hessian.diagonal().array() += kDamping * largest;
      direction = solve_symmetric(hessian, -gradient(moving));
    }
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
  StopToken stop_;
  Vector p_;
  Vector y_;
};

double round_off_of_rank(const Matrix& w) {
  return kProofRoundOff * static_cast<double>(std::max(w.rows(), w.cols()));
}

/// y (rows of w) = the nearest to it that w^T maps to zero, w (rows, columns).
Vector project_on_kernel(const Matrix& w, const Vector& y) {
  return w.cols() == 0 ? y : PivotedQr(w, round_off_of_rank(w)).project_off_columns(y);
}

/// y (rows of w) = what w^T maps to zero, w (rows, columns), changed as little as can be in shares of the entries of y,
/// so that what factors leave in a column is round-off of the column's own terms, of `sizes` (rows, columns), and of no
/// other's. No entry of y is zero.
Vector project_in_shares(Matrix w, const Matrix& sizes, const Vector& y) {
  if (w.cols() == 0) return y;
  const Vector terms = sizes.transpose() * y.cwiseAbs();
  w.array().colwise() *= y.array();
  for (Eigen::Index k = 0; k < w.cols(); ++k) {
    if (terms[k] > 0.0) w.col(k) /= terms[k];
  }
  return y.cwiseProduct(project_on_kernel(w, Vector::Ones(y.size())));
}

/// What the rows of a problem say of percussions, whatever their sign and friction.
struct Rows {
  std::vector<int> of_problem;  // (n) normal and free rows
  std::vector<bool> is_free;    // (n)
  bool is_lcp = false;          // p >= 0
};

/// The proof near y (n) [m/s], the violation of p (n) [N s], if there is one. b (n) [m/s].
std::optional<Infeasibility> prove(const SparseMatrix& w, const Vector& b, const Rows& rows, const Vector& p,
                                   const Vector& y) {
  // The rows that are violated, and the columns of all percussions that may move either way, friction's too.
  std::vector<int> violated;
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    if (y[k] != 0.0) violated.push_back(static_cast<int>(k));
  }
  Matrix columns = Matrix::Zero(static_cast<Eigen::Index>(violated.size()), w.rows());
  Vector part(columns.rows());
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    part[i] = y[violated[i]];
    for (SparseMatrix::InnerIterator entry(w, rows.of_problem[violated[i]]); entry; ++entry) {
      columns(i, entry.col()) = entry.value();
    }
  }
  // What is left of a sum that cancels does not tell how large its terms were, as where a tangent meets a normal:
  // |W_ij| <= sqrt(W_ii W_jj) does, W positive semidefinite. The entries of an LCP may be no such sums.
  Matrix sizes = columns.cwiseAbs();
  const Vector diagonal = w.diagonal();
  for (Eigen::Index i = 0; i < columns.rows() && !rows.is_lcp; ++i) {
    const double own = diagonal[rows.of_problem[violated[i]]];
    for (Eigen::Index k = 0; k < w.rows(); ++k) {
      if (columns(i, k) != 0.0) sizes(i, k) = std::max(sizes(i, k), std::sqrt(std::abs(own * diagonal[k])));
    }
  }
  Vector p_all = Vector::Zero(w.rows());
  for (Eigen::Index k = 0; k < p.size(); ++k) p_all[rows.of_problem[k]] = p[k];
  std::vector<Eigen::Index> moving;
  for (Eigen::Index k = 0; k < w.rows(); ++k) {
    if (!rows.is_lcp || p_all[k] > 0.0) moving.push_back(k);
  }
  // Of contacts that jam, those that push with nothing but round-off, or pull, have no part in it. Joints alone are
  // left as they are: near a dead point J J^T is singular to round-off where J is not, and large percussions solve it.
  const bool has_contacts = std::ranges::any_of(violated, [&](int k) { return !rows.is_free[k]; });
  if (!has_contacts) part = project_on_kernel(columns(Eigen::all, moving), part);
  std::vector<Eigen::Index> taking(has_contacts ? violated.size() : 0);
  std::iota(taking.begin(), taking.end(), 0);
  for (std::size_t before = 0; taking.size() != before && !taking.empty();) {
    before = taking.size();
    const Vector given = part(taking);
    const Vector projected = project_in_shares(columns(taking, moving), sizes(taking, moving), given);
    part.setZero();
    std::vector<Eigen::Index> left;
    for (std::size_t i = 0; i < before; ++i) {
      const double share = projected[i] / given[i];
      const bool is_free = rows.is_free[violated[taking[i]]];
      if ((is_free ? std::abs(share) : share) <= kProofRoundOff * static_cast<double>(before)) continue;
      part[taking[i]] = projected[i];
      left.push_back(taking[i]);
    }
    taking = std::move(left);
  }
  // The proof stands on y alone, whatever was done to find it.
  double work = 0.0;  // y . b
  for (Eigen::Index i = 0; i < columns.rows(); ++i) work += part[i] * b[violated[i]];
  const double size = part.norm();
  if (!(size > 0.0) || !(-work > kViolated * b.norm() * size)) return std::nullopt;
  Vector product = columns.transpose() * part;
  if (rows.is_lcp) product = product.cwiseMax(0.0);  // where p >= 0, what is below zero is no matter
  // Column by column, so that large entries elsewhere excuse nothing.
  const Vector round_off = kProofRoundOff * (sizes.transpose() * part.cwiseAbs());
  if ((product.array().abs() > round_off.array()).any()) return std::nullopt;
  Infeasibility found;
  found.violation = -work / size;
  found.y.assign(w.rows(), 0.0);
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    found.y[rows.of_problem[violated[i]]] = part[i] * found.violation / size;
  }
  found.bound = -work / (product.norm() + round_off.norm());
  return found;
}

/// Whether percussions stop all rows at once, W p = -b, found sparsely: then there is no proof to look for. Dense least
/// squares, n^3 / 3 multiply-adds a step, can take many times as long as the solve did.
bool can_stop_all(const SparseMatrix& w, const Vector& b, const Rows& rows, const std::vector<int>& place) {
  const auto n = static_cast<int>(b.size());
  const Vector diagonal = w.diagonal();
  Vector scale(n);
  for (int k = 0; k < n; ++k) {
    const double d = diagonal[rows.of_problem[k]];
    if (!(d > 0.0)) return false;
    scale[k] = 1.0 / std::sqrt(d);
  }
  SparseSolver solver;
  solver.clear(n);
  const auto visit = [&](const auto& take) {
    for (int k = 0; k < n; ++k) {
      for (SparseMatrix::InnerIterator entry(w, rows.of_problem[k]); entry; ++entry) {
        const int column = place[entry.col()];
        if (column >= 0) take(k, column, entry.value());
      }
    }
  };
  visit([&](int row, int column, double value) { solver.add(row, column, scale[row] * value * scale[column]); });
  Vector p = -b.cwiseProduct(scale);
  if (!solver.solve(SparseSolver::kRegular, p.data(), p.data())) return false;
  Vector u = b;
  visit([&](int row, int column, double value) { u[row] += value * scale[column] * p[column]; });
  return u.norm() <= kViolated * b.norm();
}

}  // namespace

std::optional<Infeasibility> find_infeasibility(const ConeProblem& problem, int max_rows,
                                                const std::function<bool()>& is_late, const StopToken& stop) {
  Rows rows;
  rows.is_lcp = std::ranges::all_of(
      problem.cones, [](const Cone& cone) { return cone.kind == ConeKind::contact && cone.n_blocks == 0; });
  for (const Cone& cone : problem.cones) {
    const int n = cone.kind == ConeKind::contact ? 1 : cone.kind == ConeKind::free ? cone.dim : 0;
    for (int r = 0; r < n; ++r) {
      rows.of_problem.push_back(cone.offset + r);
      rows.is_free.push_back(cone.kind == ConeKind::free);
    }
  }
  const auto size = static_cast<int>(rows.of_problem.size());
  if (size == 0 || size > max_rows || (is_late && is_late())) return std::nullopt;
  const SparseMatrix w = make_delassus_matrix(problem, stop);
  std::vector<int> place(problem.size(), -1);
  for (std::size_t k = 0; k < rows.of_problem.size(); ++k) place[rows.of_problem[k]] = static_cast<int>(k);
  const auto n = static_cast<Eigen::Index>(rows.of_problem.size());
  Matrix dense = Matrix::Zero(n, n);
  Vector b(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    b[k] = problem.b[rows.of_problem[k]];
    for (SparseMatrix::InnerIterator entry(w, rows.of_problem[k]); entry; ++entry) {
      if (place[entry.col()] >= 0) dense(k, place[entry.col()]) = entry.value();
    }
  }
  if (!dense.allFinite() || !b.allFinite()) return std::nullopt;
  if (!rows.is_lcp && can_stop_all(w, b, rows, place)) return std::nullopt;
  LeastViolation violation(dense, b, rows.is_free, std::vector<bool>(rows.is_free.size(), rows.is_lcp), stop);
  violation.minimize(is_late);
  const auto look = [&]() -> std::optional<Infeasibility> {
    stop.check();
    if (!violation.is_violated() || (is_late && is_late())) return std::nullopt;
    return prove(w, b, rows, violation.p(), violation.y());
  };
  if (auto found = look()) return found;
  violation.refine(is_late);
  return look();
}

bool is_contradicted(const Infeasibility& proof, const ConeProblem& problem, std::span<const double> p,
                     std::span<const double> u) {
  double percussions = 0.0;
  for (const double value : p) percussions += value * value;
  if (std::sqrt(percussions) >= proof.bound) return false;
  double squared = 0.0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::contact) squared += std::pow(std::min(u[cone.offset], 0.0), 2);
    for (int r = 0; cone.kind == ConeKind::free && r < cone.dim; ++r) squared += std::pow(u[cone.offset + r], 2);
  }
  constexpr double kLess = 0.99;  // [-] round-off is far smaller
  return std::sqrt(squared) < kLess * proof.violation;
}

void shift_velocities(const Infeasibility& proof, std::span<double> b) {
  const double round_off = kProofRoundOff * static_cast<double>(b.size()) * proof.violation;
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] += proof.y[i];
    if (proof.y[i] != 0.0 && std::abs(b[i]) <= round_off) b[i] = 0.0;
  }
}

}  // namespace stickslip
