// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/shortest_in_cones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/math/cones.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

using Part = ShortestInCones::Part;

/// A y = A y_0 holds to round-off if the rest is at most this share of y_0.
constexpr double kSolvedShare = 4.0 * std::numeric_limits<double>::epsilon();  // [-]
/// A y that differs from y_0 by less than this share is y_0: the round-off of a system of full rank.
constexpr double kNothing = 1e-11;  // [-]
/// Largest share of A y_0 - A y that may remain where cones are active.
constexpr double kLeft = 1e-9;  // [-]
/// The same where none are. With a larger share y would lose a force that y_0 holds, as of two bars that sag by a few
/// 1e-5; with a smaller one round-off would count as a direction where a linkage is stretched out, with forces ten
/// times too large.
constexpr double kRank = 1e-5;  // [-]
/// Conjugate gradients end at this many times the least residual: round-off has grown in directions that A maps to
/// zero.
constexpr double kGone = 1e3;  // [-]
/// The last refinement is the first that removes less than this share.
constexpr double kWorthwhile = 0.5;  // [-]
constexpr int kMostSteps = 60;       // [-] each at least halves the residual, or is one of Newton's among few cones
constexpr int kMostHalvings = 20;    // [-]
constexpr double kDescent = 1e-4;    // [-] Armijo's

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// y = Pi(z) of one part, with its derivative (dim, dim).
void project_part(const Part& part, const double* z, double* y, double* derivative) {
  const int n = part.dim;
  std::fill_n(derivative, n * n, 0.0);
  if (part.kind == Part::Kind::whole) {
    std::copy_n(z, n, y);
    for (int i = 0; i < n; ++i) derivative[i * n + i] = 1.0;
    return;
  }
  std::array<double, ShortestInCones::kMostColumns> by_size;
  std::array<double, ShortestInCones::kMostColumns * ShortestInCones::kMostColumns> by_z;
  if (part.kind == Part::Kind::ball) {
    return project_on_friction_set({n, 1.0, 0, 0.0}, part.size, z, y, derivative, by_size.data());
  }
  const FrictionBlock block{n - 1, part.size, 0, 0.0};
  std::array<double, ShortestInCones::kMostColumns> gradient;
  const std::span<const FrictionBlock> blocks(&block, n > 1 ? std::size_t{1} : std::size_t{0});
  y[0] = calc_projected_normal(blocks, z, gradient.data());
  std::copy_n(gradient.data(), n, derivative);
  if (n == 1) return;
  project_on_friction_set(block, y[0], z + 1, y + 1, by_z.data(), by_size.data());
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      derivative[i * n + j] = by_size[i - 1] * gradient[j] + (j > 0 ? by_z[(i - 1) * (n - 1) + j - 1] : 0.0);
    }
  }
}

}  // namespace

void ShortestInCones::set_structure(std::span<const int> dims, std::span<const Part> parts) {
  dims_.assign(dims.begin(), dims.end());
  parts_.assign(parts.begin(), parts.end());
  first_row_.clear();
  int n_rows = 0;
  for (const int dim : dims_) {
    first_row_.push_back(n_rows);
    n_rows += dim;
  }
  first_column_.clear();
  first_derivative_.clear();
  first_value_.clear();
  int n_columns = 0;
  int n_derivatives = 0;
  std::size_t n_values = 0;
  for (const Part& part : parts_) {
    STICKSLIP_ASSERT(part.dim > 0 && part.dim <= kMostColumns);
    first_column_.push_back(n_columns);
    first_derivative_.push_back(n_derivatives);
    n_columns += part.dim;
    n_derivatives += part.dim * part.dim;
    std::array<std::size_t, 2>& first = first_value_.emplace_back();
    for (int s = 0; s < 2; ++s) {
      first[s] = n_values;
      if (part.nodes[s] >= 0) n_values += static_cast<std::size_t>(part.dim) * dims_[part.nodes[s]];
    }
  }
  values_.assign(n_values, 0.0);
  derivatives_.assign(n_derivatives, 0.0);
  for (std::vector<double>* y : {&y_, &y_0_, &z_}) y->assign(n_columns, 0.0);
  for (std::vector<double>* x : {&b_, &x_, &base_, &direction_, &last_, &best_, &r_, &diagonal_})
    x->assign(n_rows, 0.0);
  find_pattern();
}

/// The blocks of A A^T: those of nodes that a part couples, and all on the diagonal.
void ShortestInCones::find_pattern() {
  pairs_.clear();
  const int n_nodes = static_cast<int>(dims_.size());
  for (int i = 0; i < n_nodes; ++i) pairs_.emplace_back(i, i);
  for (const Part& part : parts_) {
    const auto [i, j] = part.nodes;
    if (i < 0 || j < 0) continue;
    pairs_.emplace_back(i, j);
    pairs_.emplace_back(j, i);
  }
  std::ranges::sort(pairs_);
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  row_begin_.assign(1, 0);
  columns_.clear();
  for (const auto& [i, j] : pairs_) {
    while (static_cast<int>(row_begin_.size()) <= i) row_begin_.push_back(static_cast<int>(columns_.size()));
    columns_.push_back(j);
  }
  while (static_cast<int>(row_begin_.size()) <= n_nodes) row_begin_.push_back(static_cast<int>(columns_.size()));
  lu_.analyze(dims_, row_begin_, columns_);
  const auto place = [&](int i, int j) {
    return static_cast<std::size_t>(std::ranges::lower_bound(pairs_, std::pair(i, j)) - pairs_.begin());
  };
  places_.clear();
  for (const Part& part : parts_) {
    std::array<std::size_t, 4>& of_part = places_.emplace_back();
    for (int s = 0; s < 2; ++s) {
      for (int t = 0; t < 2; ++t) {
        if (part.nodes[s] >= 0 && part.nodes[t] >= 0) of_part[2 * s + t] = place(part.nodes[s], part.nodes[t]);
      }
    }
  }
  diagonal_places_.clear();
  int widest = 0;
  for (int i = 0; i < n_nodes; ++i) {
    diagonal_places_.push_back(place(i, i));
    widest = std::max(widest, dims_[i]);
  }
  product_.assign(static_cast<std::size_t>(widest) * widest, 0.0);
  scratch_.assign(static_cast<std::size_t>(widest) * kMostColumns, 0.0);
}

/// A Pi' A^T + kRegular diag(A A^T).
bool ShortestInCones::factorise() {
  lu_.clear_values();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const double* derivative = derivatives_.data() + first_derivative_[k];
    for (int t = 0; t < 2; ++t) {
      if (part.nodes[t] < 0) continue;
      const int n_t = dims_[part.nodes[t]];
      const double* turned = block(k, t);  // Pi' A_t^T
      if (part.kind != Part::Kind::whole) {
        std::fill_n(scratch_.begin(), part.dim * n_t, 0.0);
        for (int i = 0; i < part.dim; ++i) {
          add_transposed_product(part.dim, n_t, turned, derivative + i * part.dim, scratch_.data() + i * n_t);
        }
        turned = scratch_.data();
      }
      for (int s = 0; s < 2; ++s) {
        if (part.nodes[s] < 0) continue;
        const int n_s = dims_[part.nodes[s]];
        const double* a = block(k, s);
        std::fill_n(product_.begin(), n_s * n_t, 0.0);
        for (int c = 0; c < part.dim; ++c) {
          for (int i = 0; i < n_s; ++i) {
            const double factor = a[c * n_s + i];
            if (factor == 0.0) continue;
            for (int j = 0; j < n_t; ++j) product_[i * n_t + j] += factor * turned[c * n_t + j];
          }
        }
        lu_.add(places_[k][2 * s + t], product_.data());
      }
    }
  }
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    const int n = dims_[i];
    std::fill_n(product_.begin(), n * n, 0.0);
    for (int j = 0; j < n; ++j) product_[j * n + j] = kRegular * diagonal_[first_row_[i] + j];
    lu_.add(diagonal_places_[i], product_.data());
  }
  return lu_.factorize() >= 0;
}

void ShortestInCones::multiply(const std::vector<double>& y, std::vector<double>& x) const {
  std::ranges::fill(x, 0.0);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (int s = 0; s < 2; ++s) {
      const int node = parts_[k].nodes[s];
      if (node < 0) continue;
      add_transposed_product(parts_[k].dim, dims_[node], values_.data() + first_value_[k][s],
                             y.data() + first_column_[k], x.data() + first_row_[node]);
    }
  }
}

void ShortestInCones::multiply_transposed(const std::vector<double>& x, std::vector<double>& z) const {
  std::ranges::fill(z, 0.0);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (int s = 0; s < 2; ++s) {
      const int node = parts_[k].nodes[s];
      if (node < 0) continue;
      add_product(parts_[k].dim, dims_[node], values_.data() + first_value_[k][s], x.data() + first_row_[node],
                  z.data() + first_column_[k]);
    }
  }
}

/// z, y and Pi' at x.
void ShortestInCones::project(bool holds) {
  multiply_transposed(x_, z_);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const int at = first_column_[k];
    double* derivative = derivatives_.data() + first_derivative_[k];
    if (holds && part.kind != Part::Kind::whole) {
      std::copy_n(y_0_.data() + at, part.dim, y_.data() + at);
      std::fill_n(derivative, part.dim * part.dim, 0.0);
    } else {
      project_part(part, z_.data() + at, y_.data() + at, derivative);
    }
  }
}

double ShortestInCones::calc_dual() const {
  return dot(z_, y_) - 0.5 * dot(y_, y_) - dot(b_, x_);
}

/// r = A y_0 - A y, and its length where each row of A A^T is scaled to a unit diagonal.
double ShortestInCones::calc_residual() {
  multiply(y_, r_);
  double sum = 0.0;
  for (std::size_t i = 0; i < r_.size(); ++i) {
    r_[i] = b_[i] - r_[i];
    sum += r_[i] * r_[i] / diagonal_[i];
  }
  return std::sqrt(sum);
}

/// Semismooth Newton steps on the dual from x = 0. Returns what is left, not a number where it ends early.
double ShortestInCones::descend(double size, double left) {
  double dual = calc_dual();
  for (int step = 0; step < kMostSteps && left > kSolvedShare * size; ++step) {
    stop_.check();
    if (step > 0 && !factorise()) return std::numeric_limits<double>::quiet_NaN();
    direction_ = r_;
    lu_.solve(direction_);
    const double slope = dot(r_, direction_);
    const double before = left;
    const double dual_before = dual;
    base_ = x_;
    bool is_nearer = false;
    double factor = 1.0;
    for (int k = 0; k <= kMostHalvings && !is_nearer; ++k, factor *= 0.5) {
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = base_[i] + factor * direction_[i];
      project(false);
      left = calc_residual();
      dual = calc_dual();
      is_nearer = (factor == 1.0 && left < kWorthwhile * before) ||
                  (dual < dual_before && dual <= dual_before - kDescent * factor * slope);
    }
    if (is_nearer) continue;
    if (!(left < before)) {
      x_ = base_;
      project(false);
      left = calc_residual();
    }
    break;
  }
  return left;
}

/// Of parts that are whole spaces, others being held, from x = 0: A A^T x = A y_0 refined with the regularised matrix.
/// Where more is left than may be by conjugate gradients with that matrix for preconditioner: each direction that A
/// shortens much takes one step, in which little else happens. Returns what is left.
double ShortestInCones::solve_linear(bool holds, double size, double left) {
  const auto go_to = [&](double factor) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = base_[i] + factor * direction_[i];
    project(holds);
    return calc_residual();
  };
  for (double before = std::numeric_limits<double>::infinity();
       left > kSolvedShare * size && left < kWorthwhile * before;) {
    stop_.check();
    before = left;
    base_ = x_;
    direction_ = r_;
    lu_.solve(direction_);
    left = go_to(1.0);
    if (!(left < before)) left = go_to(0.0);
  }
  if (!(left > kRank * size)) return left;
  double best = left;
  best_ = x_;
  double slope_before = 0.0;
  for (int step = 0; step < kMostSteps && best > kLeft * size && left < kGone * best; ++step) {
    stop_.check();
    direction_ = r_;
    lu_.solve(direction_);
    const double slope = dot(r_, direction_);
    if (step > 0) {
      for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] += slope / slope_before * last_[i];
    }
    slope_before = slope;
    last_ = direction_;
    multiply_transposed(direction_, z_);
    double curvature = 0.0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].kind != Part::Kind::whole && holds) continue;
      const double* z = z_.data() + first_column_[k];
      for (int i = 0; i < parts_[k].dim; ++i) curvature += z[i] * z[i];
    }
    base_ = x_;
    left = go_to(slope / curvature);
    if (left < best) {
      best = left;
      best_ = x_;
    }
  }
  if (left == best) return left;
  x_ = best_;
  project(holds);
  return calc_residual();
}

bool ShortestInCones::solve(bool holds) {
  has_changed_ = false;
  const double size = std::sqrt(dot(y_, y_));
  if (!(size > 0.0) || !std::isfinite(size)) return size == 0.0;
  y_0_ = y_;
  multiply(y_0_, b_);
  std::ranges::fill(diagonal_, 0.0);
  bool has_cones = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    has_cones |= part.kind != Part::Kind::whole;
    for (int s = 0; s < 2; ++s) {
      if (part.nodes[s] < 0) continue;
      const int n = dims_[part.nodes[s]];
      const double* a = block(k, s);
      for (int c = 0; c < part.dim; ++c) {
        for (int i = 0; i < n; ++i) diagonal_[first_row_[part.nodes[s]] + i] += a[c * n + i] * a[c * n + i];
      }
    }
    // First as if no cone stood in the way.
    double* derivative = derivatives_.data() + first_derivative_[k];
    const bool is_held = holds && part.kind != Part::Kind::whole;
    for (int i = 0; i < part.dim * part.dim; ++i) derivative[i] = !is_held && i % (part.dim + 1) == 0 ? 1.0 : 0.0;
  }
  for (double& d : diagonal_) d = d > 0.0 ? d : 1.0;  // nothing acts there
  has_cones &= !holds;
  std::ranges::fill(x_, 0.0);
  const bool is_factorised = factorise();
  project(holds);
  double left = calc_residual();
  if (is_factorised) left = has_cones ? descend(size, left) : solve_linear(holds, size, left);
  if (!is_factorised || !(left <= (has_cones ? kLeft : kRank) * size)) {
    y_ = y_0_;
    return false;
  }
  double changed = 0.0;
  for (std::size_t i = 0; i < y_.size(); ++i) changed += (y_[i] - y_0_[i]) * (y_[i] - y_0_[i]);
  has_changed_ = std::sqrt(changed) > kNothing * size;
  return true;
}

}  // namespace stickslip
