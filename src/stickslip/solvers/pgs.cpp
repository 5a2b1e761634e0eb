// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/pgs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/cone/de_saxce_shift.h"
#include "stickslip/math/cones.h"
#include "stickslip/math/symmetric_eigen.h"

namespace stickslip {
namespace {

/// The residual is computed whenever the changes of a sweep are below this many times the tolerance, and every so
/// many sweeps anyhow, for the best iterate.
constexpr double kPgsLooksConverged = 2.0;
constexpr int kPgsJudgeEvery = 10;

/// The largest eigenvalue of the symmetric part of w (dim, dim). [1/kg]
double calc_largest_eigenvalue(int dim, const double* w) {
  std::array<double, kMaxConeDim* kMaxConeDim> symmetric = {};
  std::array<double, kMaxConeDim* kMaxConeDim> vectors = {};
  std::array<double, kMaxConeDim> values = {};
  calc_symmetric_part(dim, w, symmetric.data());
  calc_symmetric_eigen(dim, symmetric.data(), values.data(), vectors.data());
  return *std::max_element(values.begin(), values.begin() + dim);
}

}  // namespace

void ProjectedGaussSeidel::prepare(const ConeProblem& problem, const DelassusRows& rows) {
  steps_.clear();
  free_.clear();
  for (int i = 0; i < problem.n_cones(); ++i) {
    options_.stop.check();
    const Cone& cone = problem.cones[i];
    const double largest = calc_largest_eigenvalue(cone.dim, rows.diagonal(i));
    steps_.push_back(largest > 0.0 ? options_.relaxation / largest : 0.0);
    if (cone.kind == ConeKind::free) free_.emplace_back().prepare(cone.dim, rows.diagonal(i));
  }
}

/// One projected gradient step of a contact or a ball. u (dim) [m/s], p (dim) [N s] is changed.
void ProjectedGaussSeidel::visit(const ConeProblem& problem, int i, const double* u, double* p) const {
  const Cone& cone = problem.cones[i];
  for (int r = 0; r < cone.dim; ++r) p[r] -= steps_[i] * u[r];
  if (cone.kind == ConeKind::ball) return project_on_ball(cone.dim, cone.radius, p, p);
  const auto friction = problem.friction(cone);
  if (problem.law == FrictionLaw::coulomb) p[0] -= steps_[i] * calc_de_saxce_shift(friction, u);
  project_on_contact_cone(friction, p, p);
}

/// One pass over all cones; returns the change it made, |L_i dp_i| in the 2-norm. [m/s]
double ProjectedGaussSeidel::sweep(const ConeProblem& problem, Iterate& iterate) {
  double squared = 0.0;
  auto free_cone = free_.begin();
  for (int i = 0; i < problem.n_cones(); ++i) {
    options_.stop.check();
    const Cone& cone = problem.cones[i];
    const double* old = iterate.p().data() + cone.offset;
    std::array<double, kMaxConeDim> p = {};
    std::array<double, kMaxConeDim> u = {};
    std::copy_n(old, cone.dim, p.begin());
    iterate.calc_velocity(i, u.data());
    if (cone.kind == ConeKind::free) {
      free_cone++->correct(u.data(), p.data());
    } else {
      visit(problem, i, u.data(), p.data());
    }
    for (int r = 0; r < cone.dim; ++r) {
      p[r] -= old[r];
      if (steps_[i] > 0.0) squared += (p[r] / steps_[i]) * (p[r] / steps_[i]);
    }
    iterate.change(i, p.data());
  }
  return std::sqrt(squared);
}

int ProjectedGaussSeidel::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                              const Deadline& deadline, Iterate& iterate) {
  prepare(problem, iterate.rows());
  int k = 0;
  while (!iterate.best().is_within(tolerance) && k < max_iterations && !deadline.passed()) {
    ++k;
    const double change = sweep(problem, iterate);
    const bool looks_converged = change <= kPgsLooksConverged * iterate.last().calc_asked(tolerance);
    if (looks_converged || k % kPgsJudgeEvery == 0 || k == max_iterations) iterate.judge();
  }
  return k;
}

}  // namespace stickslip
