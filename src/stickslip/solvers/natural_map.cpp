// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/natural_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

/// rho of rows first .. first + n - 1 of W_ii: 1 where the rows are massless.
void set_step_size(const Cone& cone, const double* w, int first, int n, double* rho) {
  double trace = 0.0;
  for (int i = first; i < first + n; ++i) trace += w[i * cone.dim + i];
  std::fill_n(rho + first, n, trace > 0.0 ? n / trace : 1.0);
}

void project_contact(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* x,
                     double* y, double* derivative) {
  std::array<double, kMaxConeDim> normal_gradient = {};
  if (law == FrictionLaw::associated) {
    y[0] = calc_projected_normal(friction, x, normal_gradient.data());
  } else {
    y[0] = std::max(x[0], 0.0);
    normal_gradient[0] = x[0] > 0.0 ? 1.0 : 0.0;
  }
  if (!(y[0] > 0.0)) return std::fill_n(y, cone.dim, 0.0), void();
  for (int j = 0; j < cone.dim; ++j) derivative[j] = normal_gradient[j];
  int row = 1;
  for (const FrictionBlock& block : friction) {
    std::array<double, kMaxFrictionDim * kMaxFrictionDim> dy_dx;
    std::array<double, kMaxFrictionDim> dy_ds;
    project_on_friction_set(block, y[0], x + row, y + row, dy_dx.data(), dy_ds.data());
    for (int i = 0; i < block.dim; ++i) {
      double* out = derivative + (row + i) * cone.dim;
      for (int j = 0; j < cone.dim; ++j) out[j] = dy_ds[i] * normal_gradient[j];
      for (int j = 0; j < block.dim; ++j) out[row + j] += dy_dx[i * block.dim + j];
    }
    row += block.dim;
  }
}

void project_constant_ball(const Cone& cone, const double* x, double* y, double* derivative) {
  const int dim = cone.dim;
  double squared = 0.0;
  for (int i = 0; i < dim; ++i) squared += x[i] * x[i];
  const double norm = std::sqrt(squared);
  const bool inside = norm <= cone.radius;
  const double factor = inside ? 1.0 : cone.radius / norm;
  for (int i = 0; i < dim; ++i) {
    y[i] = factor * x[i];
    derivative[i * dim + i] = factor;
    for (int j = 0; j < dim && !inside; ++j) derivative[i * dim + j] -= factor * (x[i] / norm) * (x[j] / norm);
  }
}

}  // namespace

void calc_step_sizes(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* w,
                     double* rho) {
  if (cone.kind != ConeKind::contact || law == FrictionLaw::associated) {
    return set_step_size(cone, w, 0, cone.dim, rho);
  }
  set_step_size(cone, w, 0, 1, rho);
  int row = 1;
  for (const FrictionBlock& block : friction) {
    set_step_size(cone, w, row, block.dim, rho);
    row += block.dim;
  }
}

void project_cone(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* x,
                  double* y, double* derivative) {
  std::fill_n(derivative, cone.dim * cone.dim, 0.0);
  switch (cone.kind) {
    case ConeKind::contact:
      return project_contact(law, cone, friction, x, y, derivative);
    case ConeKind::ball:
      return project_constant_ball(cone, x, y, derivative);
    case ConeKind::free:
      std::copy_n(x, cone.dim, y);
      for (int i = 0; i < cone.dim; ++i) derivative[i * cone.dim + i] = 1.0;
  }
}

}  // namespace stickslip
