// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/gauss_seidel.h"

#include <array>
#include <cmath>

namespace stickslip {
namespace {

/// Whether p = 0 is the solution that the local solver would choose: the guess itself where that is one. Under the
/// associated law the velocity would have to be in the dual cone, which is left to the solver.
bool stays_open(const ConeProblem& problem, const Cone& cone, const double* p, const double* u) {
  if (cone.kind != ConeKind::contact || problem.law != FrictionLaw::coulomb || !(u[0] >= 0.0)) return false;
  for (int r = 0; r < cone.dim; ++r) {
    if (p[r] != 0.0) return false;
  }
  return true;
}

}  // namespace

double sweep_exactly(const ConeProblem& problem, LocalSolver& local, double relaxation, Iterate& iterate) {
  double squared = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    iterate.stop().check();
    const Cone& cone = problem.cones[i];
    const double* w = iterate.rows().diagonal(i);
    const double* old = iterate.p().data() + cone.offset;
    std::array<double, kMaxConeDim> p = {};
    std::array<double, kMaxConeDim> b = {};  // velocity without p_i
    iterate.calc_velocity(i, b.data());
    if (stays_open(problem, cone, old, b.data())) continue;
    for (int r = 0; r < cone.dim; ++r) {
      p[r] = old[r];
      for (int c = 0; c < cone.dim; ++c) b[r] -= w[r * cone.dim + c] * old[c];
    }
    local.solve(i, b.data(), p.data());
    const double scale = iterate.rows().scale(i);
    for (int r = 0; r < cone.dim; ++r) {
      const double change = p[r] - old[r];
      squared += (scale * change) * (scale * change);
      p[r] = relaxation * change;
    }
    if (relaxation > 1.0) {
      for (int r = 0; r < cone.dim; ++r) p[r] += old[r];
      project_on_cone(problem, cone, p.data());
      for (int r = 0; r < cone.dim; ++r) p[r] -= old[r];
    }
    iterate.change(i, p.data());
  }
  return std::sqrt(squared);
}

}  // namespace stickslip
