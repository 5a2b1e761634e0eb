// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_accelerator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/dense_solve.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/natural_map.h"

namespace stickslip {
namespace {

/// Up to these many active rows the dense elimination is quicker than the sparse one with its bookkeeping.
constexpr int kMaxDenseRows = 30;

/// The least factor t > 0 with |p - t step| = radius - t shrink, for p inside; infinite where there is none. p, step
/// (dim). A polygon counts as the circle around it: its corners are reached, its sides are cut short by apply_step().
double factor_to_ball(int dim, const double* p, const double* step, double radius, double shrink) {
  double pp = 0.0;
  double ps = 0.0;
  double ss = 0.0;
  for (int i = 0; i < dim; ++i) {
    pp += p[i] * p[i];
    ps += p[i] * step[i];
    ss += step[i] * step[i];
  }
  // c - 2 h t - a t^2 = 0, c > 0 inside.
  const double c = radius * radius - pp;
  const double h = radius * shrink - ps;
  const double a = ss - shrink * shrink;
  const double discriminant = h * h + a * c;
  if (!(c > 0.0) || !(discriminant >= 0.0)) return HUGE_VAL;
  const double denominator = h + std::sqrt(discriminant);
  return denominator > 0.0 ? c / denominator : HUGE_VAL;
}

}  // namespace

/// Lists the active cones, with their part of the right-hand side p - Pi(p - rho u) and dPi/dx.
bool NewtonAccelerator::gather(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> u,
                               std::span<const double> p, int max_rows) {
  active_.clear();
  row_.clear();
  rho_.clear();
  derivative_.clear();
  derivative_begin_.clear();
  right_.clear();
  n_active_ = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const int dim = cone.dim;
    std::array<double, kMaxConeDim> rho = {};
    std::array<double, kMaxConeDim> x = {};
    std::array<double, kMaxConeDim> y = {};
    std::array<double, kMaxConeDim* kMaxConeDim> derivative = {};
    calc_step_sizes(problem.law, cone, problem.friction(cone), rows.diagonal(i), rho.data());
    bool open = cone.kind == ConeKind::contact;
    for (int r = 0; r < dim; ++r) {
      x[r] = p[cone.offset + r] - rho[r] * u[cone.offset + r];
      open = open && p[cone.offset + r] == 0.0;
    }
    project_cone(problem.law, cone, problem.friction(cone), x.data(), y.data(), derivative.data());
    if (open && y[0] == 0.0) continue;
    if (n_active_ + dim > max_rows) return false;
    active_.push_back(i);
    row_.push_back(n_active_);
    derivative_begin_.push_back(derivative_.size());
    rho_.insert(rho_.end(), rho.begin(), rho.begin() + dim);
    derivative_.insert(derivative_.end(), derivative.begin(), derivative.begin() + dim * dim);
    for (int r = 0; r < dim; ++r) right_.push_back(p[cone.offset + r] - y[r]);
    n_active_ += dim;
  }
  return true;
}

/// I - dPi/dx (I - rho (W + proximal term)).
void NewtonAccelerator::assemble(const ConeProblem& problem, const DelassusRows& rows, double proximal) {
  const auto n = static_cast<std::size_t>(n_active_);
  matrix_.assign(n * n, 0.0);
  std::array<double, kMaxConeDim * kMaxConeDim> w;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const int dim = problem.cones[active_[a]].dim;
    const double* derivative = derivative_.data() + derivative_begin_[a];
    const double* rho = rho_.data() + row_[a];
    for (std::size_t c = 0; c < active_.size(); ++c) {
      if (!rows.calc_block(active_[a], active_[c], w.data())) continue;
      const int dim_c = problem.cones[active_[c]].dim;
      for (int i = 0; i < dim; ++i) {
        double* out = matrix_.data() + (row_[a] + i) * n + row_[c];
        for (int k = 0; k < dim; ++k) {
          const double factor = derivative[i * dim + k] * rho[k];
          for (int j = 0; j < dim_c; ++j) out[j] += factor * w[k * dim_c + j];
        }
      }
    }
    const double term = proximal * rows.scale(active_[a]);
    for (int i = 0; i < dim; ++i) {
      double* out = matrix_.data() + (row_[a] + i) * n + row_[a];
      out[i] += 1.0;
      for (int j = 0; j < dim; ++j) out[j] -= derivative[i * dim + j] * (1.0 - rho[j] * term);
    }
  }
}

bool NewtonAccelerator::calc_step(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> p,
                                  std::span<const double> u, double proximal, int max_rows) {
  if (!gather(problem, rows, u, p, max_rows)) return false;
  if (n_active_ > kMaxDenseRows) return solve_sparse(problem, rows, proximal);
  assemble(problem, rows, proximal);
  return solve_dense(n_active_, matrix_.data(), right_.data());
}

/// The pattern of W between active cones, for lu_.
void NewtonAccelerator::analyze(const ConeProblem& problem) {
  if (!is_assembled_) {
    delassus_.assemble(problem);
  } else if (analyzed_ == active_) {
    return;
  }
  is_assembled_ = true;
  analyzed_ = active_;
  position_.assign(problem.n_cones(), -1);
  dims_.clear();
  for (std::size_t a = 0; a < active_.size(); ++a) {
    position_[active_[a]] = static_cast<int>(a);
    dims_.push_back(problem.cones[active_[a]].dim);
  }
  row_begin_.assign(1, 0);
  columns_.clear();
  blocks_.clear();
  for (const int i : active_) {
    for (int k = delassus_.row_begin()[i]; k < delassus_.row_begin()[i + 1]; ++k) {
      const int column = position_[delassus_.columns()[k]];
      if (column < 0) continue;
      columns_.push_back(column);
      blocks_.push_back(k);
    }
    row_begin_.push_back(static_cast<int>(columns_.size()));
  }
  lu_.analyze(dims_, row_begin_, columns_);
}

/// The step by the sparse matrix of assemble().
bool NewtonAccelerator::solve_sparse(const ConeProblem& problem, const DelassusRows& rows, double proximal) {
  analyze(problem);
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const int dim = dims_[a];
    const double* derivative = derivative_.data() + derivative_begin_[a];
    const double* rho = rho_.data() + row_[a];
    const double term = proximal * rows.scale(active_[a]);
    for (int k = row_begin_[a]; k < row_begin_[a + 1]; ++k) {
      const int dim_c = dims_[columns_[k]];
      const double* w = delassus_.block(blocks_[k]);
      std::fill_n(block.begin(), dim * dim_c, 0.0);
      for (int i = 0; i < dim; ++i) {
        for (int m = 0; m < dim; ++m) {
          const double factor = derivative[i * dim + m] * rho[m];
          if (factor == 0.0) continue;
          for (int j = 0; j < dim_c; ++j) block[i * dim_c + j] += factor * w[m * dim_c + j];
        }
      }
      if (columns_[k] == static_cast<int>(a)) {
        for (int i = 0; i < dim; ++i) {
          block[i * dim + i] += 1.0;
          for (int j = 0; j < dim; ++j) block[i * dim + j] -= derivative[i * dim + j] * (1.0 - rho[j] * term);
        }
      }
      lu_.add(k, block.data());
    }
  }
  if (lu_.factorize() < 0) return false;
  lu_.solve(right_);
  return true;
}

double NewtonAccelerator::calc_factor_to_surface(const ConeProblem& problem, std::span<const double> from) const {
  double least = 1.0;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Cone& cone = problem.cones[active_[a]];
    const double* p = from.data() + cone.offset;
    const double* step = right_.data() + row_[a];
    if (cone.kind == ConeKind::ball) {
      least = std::min(least, factor_to_ball(cone.dim, p, step, cone.radius, 0.0));
    } else if (cone.kind == ConeKind::contact) {
      int row = 1;
      for (const FrictionBlock& block : problem.friction(cone)) {
        least = std::min(least, factor_to_ball(block.dim, p + row, step + row, block.mu * p[0], block.mu * step[0]));
        row += block.dim;
      }
    }
  }
  return least;
}

void NewtonAccelerator::apply_step(const ConeProblem& problem, double factor, std::span<const double> from,
                                   std::span<double> p) const {
  std::copy(from.begin(), from.end(), p.begin());
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Cone& cone = problem.cones[active_[a]];
    for (int r = 0; r < cone.dim; ++r) p[cone.offset + r] -= factor * right_[row_[a] + r];
    project_on_cone(problem, cone, p.data() + cone.offset);
  }
}

void NewtonAccelerator::apply_free_step(const ConeProblem& problem, double factor, std::span<const double> from,
                                        std::span<double> p) const {
  std::copy(from.begin(), from.end(), p.begin());
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Cone& cone = problem.cones[active_[a]];
    for (int r = 0; r < cone.dim; ++r) p[cone.offset + r] -= factor * right_[row_[a] + r];
  }
}

double NewtonAccelerator::calc_defect(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> p,
                                      std::span<const double> u) const {
  double sum = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    std::array<double, kMaxConeDim> rho;
    std::array<double, kMaxConeDim> x;
    std::array<double, kMaxConeDim> y;
    std::array<double, kMaxConeDim * kMaxConeDim> derivative;
    calc_step_sizes(problem.law, cone, problem.friction(cone), rows.diagonal(i), rho.data());
    for (int r = 0; r < cone.dim; ++r) x[r] = p[cone.offset + r] - rho[r] * u[cone.offset + r];
    project_cone(problem.law, cone, problem.friction(cone), x.data(), y.data(), derivative.data());
    for (int r = 0; r < cone.dim; ++r) {
      const double defect = (p[cone.offset + r] - y[r]) / rho[r];
      sum += defect * defect;
    }
  }
  return std::sqrt(sum);
}

}  // namespace stickslip
