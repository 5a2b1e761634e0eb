// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/square_factor.h"

namespace stickslip {
namespace {

/// Entries of a direction below this are no pivots; the scaled matrix has entries of one. Where M is singular, the
/// least pivot that is no round-off is not known beforehand: where the first gives no solution, the others are tried.
/// [-]
constexpr double kPivots[] = {1e-9, 1e-7, 1e-11};
/// Residual of the scaled problem, relative to q, at which its solution needs no other try. [-]
constexpr double kPivotSolved = 1e-11;
/// Ratios that differ by less than this share of the solution's size are ties. [-]
constexpr double kTie = 1e-12;
/// Pivots between two factorisations of the basis. [-]
constexpr int kPivotsPerFactor = 50;
/// Rounds of scaling, each of which halves the spread in the exponents. [-]
constexpr int kScalingRounds = 4;

/// Row and column factors that bring the largest entries of M towards one; q is scaled as a whole.
struct Scaling {
  Vector row;
  Vector column;
  double q = 1.0;
};

Scaling scale(SparseMatrix& m, Vector& q) {
  const Eigen::Index n = q.size();
  Scaling scaling{Vector::Ones(n), Vector::Ones(n)};
  for (int round = 0; round < kScalingRounds; ++round) {
    Vector row = Vector::Zero(n);
    Vector column = Vector::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (SparseMatrix::InnerIterator entry(m, i); entry; ++entry) {
        row[i] = std::max(row[i], std::abs(entry.value()));
        column[entry.col()] = std::max(column[entry.col()], std::abs(entry.value()));
      }
    }
    const auto root = [](double largest) { return largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0; };
    row = row.unaryExpr(root);
    column = column.unaryExpr(root);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (SparseMatrix::InnerIterator entry(m, i); entry; ++entry) entry.valueRef() *= row[i] * column[entry.col()];
    }
    scaling.row.array() *= row.array();
    scaling.column.array() *= column.array();
  }
  q.array() *= scaling.row.array();
  const double largest = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0;
  if (largest > 0.0) scaling.q = 1.0 / largest;
  q *= scaling.q;
  return scaling;
}

/// The inverse of the basis: LU factors, and the pivots since then in product form.
class BasisInverse {
 public:
  [[nodiscard]] bool factorise(const Eigen::SparseMatrix<double>& basis) {
    pivots_.clear();
    return factor_.factorise(basis);
  }
  int n_pivots() const { return static_cast<int>(pivots_.size()); }

  /// Column r of the basis has become the one whose direction is `direction` = B^-1 column.
  void replace(int r, const Vector& direction) { pivots_.push_back({r, direction}); }

  void solve(Vector& x) const {
    factor_.solve(x);
    for (const Pivot& pivot : pivots_) {
      const double value = x[pivot.row] / pivot.direction[pivot.row];
      x -= value * pivot.direction;
      x[pivot.row] = value;
    }
  }
  void solve_transposed(Vector& x) const {
    for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
      const double at = pivot->direction[pivot->row];
      x[pivot->row] -= (pivot->direction.dot(x) - x[pivot->row]) / at;
    }
    factor_.solve_transposed(x);
  }

 private:
  struct Pivot {
    int row;
    Vector direction;
  };
  SquareFactor factor_;
  std::vector<Pivot> pivots_;
};

/// The tableau w - M z - d z_0 = q with d = 1. Variables: w_i is i, z_i is n + i, the artificial z_0 is 2 n.
class Lemke {
 public:
  Lemke(const SparseMatrix& m, const Vector& q, double least_pivot)
      : m_(m), q_(q), least_pivot_(least_pivot), n_(static_cast<int>(q.size())), basic_(n_) {
    std::iota(basic_.begin(), basic_.end(), 0);
  }

  LcpResult run(int max_pivots, const Deadline& deadline) {
    LcpResult result;
    result.z = Vector::Zero(n_);
    if (n_ == 0 || q_.minCoeff() >= 0.0) return result;
    // The last of the least q_i leaves: the lexicographic minimum of the rows (q_i, e_i).
    int leaving = 0;
    for (int i = 1; i < n_; ++i) {
      if (q_[i] <= q_[leaving]) leaving = i;
    }
    int entering = leaving;  // w of the row that leaves
    basic_[leaving] = artificial();
    if (!refactor()) return fail(result, LcpOutcome::singular);
    entering = complement(entering);
    while (true) {
      if (result.iterations >= max_pivots || deadline.passed()) return fail(result, LcpOutcome::gave_up);
      ++result.iterations;
      direction_ = column(entering);
      inverse_.solve(direction_);
      const int row = find_leaving_row(deadline);
      if (row < 0) {
        result.ray = Vector::Zero(n_);
        for (int i = 0; i < n_; ++i) {
          if (is_z(basic_[i])) result.ray[basic_[i] - n_] = -direction_[i];
        }
        if (is_z(entering)) result.ray[entering - n_] = 1.0;
        return fail(result, LcpOutcome::ray);
      }
      const int leaving_variable = basic_[row];
      const double step = std::max(x_[row], 0.0) / direction_[row];
      x_ -= step * direction_;
      x_[row] = step;
      basic_[row] = entering;
      inverse_.replace(row, direction_);
      if (leaving_variable == artificial()) break;
      if (inverse_.n_pivots() >= kPivotsPerFactor && !refactor()) return fail(result, LcpOutcome::singular);
      entering = complement(leaving_variable);
    }
    if (!refactor()) result.outcome = LcpOutcome::singular;
    store(result.z);
    return result;
  }

 private:
  int artificial() const { return 2 * n_; }
  bool is_z(int variable) const { return variable >= n_ && variable < 2 * n_; }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  Vector column(int variable) const {
    Vector values = Vector::Zero(n_);
    if (variable < n_) {
      values[variable] = 1.0;
    } else if (variable == artificial()) {
      values.setConstant(-1.0);
    } else {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(m_, variable - n_); entry; ++entry) {
        values[entry.row()] = -entry.value();
      }
    }
    return values;
  }

  bool refactor() {
    entries_.clear();
    for (int k = 0; k < n_; ++k) {
      const int variable = basic_[k];
      if (variable < n_) {
        entries_.emplace_back(variable, k, 1.0);
      } else if (variable == artificial()) {
        for (int i = 0; i < n_; ++i) entries_.emplace_back(i, k, -1.0);
      } else {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(m_, variable - n_); entry; ++entry) {
          entries_.emplace_back(static_cast<int>(entry.row()), k, -entry.value());
        }
      }
    }
    basis_.resize(n_, n_);
    basis_.setFromTriplets(entries_.begin(), entries_.end());
    if (!inverse_.factorise(basis_)) return false;
    x_ = q_;
    inverse_.solve(x_);
    return x_.allFinite();
  }

  /// The row whose basic variable reaches zero first, lexicographically; -1 where none does.
  int find_leaving_row(const Deadline& deadline) {
    const double size = std::max(x_.cwiseAbs().maxCoeff(), 1.0);
    double least = HUGE_VAL;
    for (int i = 0; i < n_; ++i) {
      if (direction_[i] > least_pivot_) least = std::min(least, std::max(x_[i], 0.0) / direction_[i]);
    }
    ties_.clear();
    for (int i = 0; i < n_; ++i) {
      if (direction_[i] <= least_pivot_ || std::max(x_[i], 0.0) / direction_[i] > least + kTie * size) continue;
      if (basic_[i] == artificial()) return i;
      ties_.push_back(i);
    }
    if (ties_.empty()) return -1;
    int best = ties_.front();
    if (ties_.size() == 1) return best;
    Vector best_row = inverse_row(best);
    for (std::size_t k = 1; k < ties_.size(); ++k) {
      deadline.stop().check();
      const Vector row = inverse_row(ties_[k]);
      if (is_lexicographically_less(row, best_row)) {
        best = ties_[k];
        best_row = row;
      }
    }
    return best;
  }

  /// Row i of B^-1 over the direction's entry.
  Vector inverse_row(int i) const {
    Vector row = Vector::Unit(n_, i);
    inverse_.solve_transposed(row);
    return row / direction_[i];
  }

  static bool is_lexicographically_less(const Vector& a, const Vector& b) {
    const double size = std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), 1.0});
    for (Eigen::Index k = 0; k < a.size(); ++k) {
      if (std::abs(a[k] - b[k]) > kTie * size) return a[k] < b[k];
    }
    return false;
  }

  void store(Vector& z) const {
    z.setZero(n_);
    for (int i = 0; i < n_; ++i) {
      if (is_z(basic_[i])) z[basic_[i] - n_] = std::max(x_[i], 0.0);
    }
  }
  LcpResult& fail(LcpResult& result, LcpOutcome outcome) const {
    result.outcome = outcome;
    if (x_.size() == n_ && x_.allFinite()) store(result.z);
    return result;
  }

  Eigen::SparseMatrix<double> m_;  // by columns
  const Vector& q_;
  double least_pivot_;
  int n_;
  std::vector<int> basic_;  // (n) variable of each row
  BasisInverse inverse_;
  Vector x_;          // (n) values of the basic variables
  Vector direction_;  // (n) B^-1 times the entering column
  std::vector<int> ties_;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> basis_;
};

}  // namespace

LcpResult solve_by_lemke(const SparseMatrix& m, const Vector& q, int max_pivots, const Deadline& deadline) {
  SparseMatrix scaled = m;
  Vector scaled_q = q;
  const Scaling scaling = scale(scaled, scaled_q);
  LcpResult result;
  double residual = HUGE_VAL;
  int pivots = 0;
  for (const double least_pivot : kPivots) {
    LcpResult found = Lemke(scaled, scaled_q, least_pivot).run(max_pivots - pivots, deadline);
    pivots += found.iterations;
    const double found_residual = calc_lcp_residual(scaled, scaled_q, found.z);
    if (result.z.size() == 0 || found_residual < residual) {  // the first in any case, be it not finite
      residual = found_residual;
      result = std::move(found);
    }
    if (residual <= kPivotSolved * scaled_q.norm() || pivots >= max_pivots || deadline.passed()) break;
  }
  result.iterations = pivots;
  result.z = result.z.cwiseProduct(scaling.column) / scaling.q;
  if (result.ray.size() > 0) result.ray = result.ray.cwiseProduct(scaling.column);
  return result;
}

double calc_lcp_residual(const SparseMatrix& m, const Vector& q, const Vector& z) {
  return (m * z + q).cwiseMin(z).norm();
}

}  // namespace stickslip
