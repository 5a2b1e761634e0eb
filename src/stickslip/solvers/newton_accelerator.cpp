// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_accelerator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/natural_map.h"

namespace stickslip {
namespace {

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

/// The equations of the active cones, p - Pi(p - rho u) = 0, linearised:
/// (I - dPi/dx (I - rho (W + proximal term))) step = p - Pi(p - rho u).
bool NewtonAccelerator::gather(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> u,
                               std::span<const double> p, double proximal, int max_rows) {
  system_.clear();
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
    if (system_.n_rows() + dim > max_rows) return false;
    const NewtonSystem::Equation equation = system_.add(i, dim);
    const double term = proximal * rows.scale(i);
    for (int r = 0; r < dim; ++r) {
      for (int c = 0; c < dim; ++c) {
        const double slope = derivative[r * dim + c];
        equation.by_p[r * dim + c] = (r == c ? 1.0 : 0.0) - slope * (1.0 - rho[c] * term);
        equation.by_u[r * dim + c] = slope * rho[c];
      }
      equation.right[r] = p[cone.offset + r] - y[r];
    }
  }
  return true;
}

bool NewtonAccelerator::calc_step(const ConeProblem& problem, const DelassusRows& rows, std::span<const double> p,
                                  std::span<const double> u, double proximal, int max_rows) {
  return gather(problem, rows, u, p, proximal, max_rows) && system_.solve(problem, rows);
}

double NewtonAccelerator::calc_factor_to_surface(const ConeProblem& problem, std::span<const double> from) const {
  double least = 1.0;
  for (int a = 0; a < system_.n_cones(); ++a) {
    const Cone& cone = problem.cones[system_.cone(a)];
    const double* p = from.data() + cone.offset;
    const double* step = system_.solution(a);
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
  for (int a = 0; a < system_.n_cones(); ++a) {
    const Cone& cone = problem.cones[system_.cone(a)];
    const double* step = system_.solution(a);
    for (int r = 0; r < cone.dim; ++r) p[cone.offset + r] -= factor * step[r];
    project_on_cone(problem, cone, p.data() + cone.offset);
  }
}

void NewtonAccelerator::apply_free_step(const ConeProblem& problem, double factor, std::span<const double> from,
                                        std::span<double> p) const {
  std::copy(from.begin(), from.end(), p.begin());
  for (int a = 0; a < system_.n_cones(); ++a) {
    const Cone& cone = problem.cones[system_.cone(a)];
    const double* step = system_.solution(a);
    for (int r = 0; r < cone.dim; ++r) p[cone.offset + r] -= factor * step[r];
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
