// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/cone_defect.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/cone/de_saxce_shift.h"
#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

/// Squared norm of r' - P_K(r' - u^) for one contact. p, u (dim).
double calc_contact_defect(std::span<const FrictionBlock> friction, int dim, bool shifted, double w, const double* p,
                           const double* u) {
  STICKSLIP_ASSERT(dim <= kMaxConeDim);
  if (dim == 1) {  // the same without the round-off of a large p
    const double smaller = std::min(w * p[0], u[0]);
    return smaller * smaller;
  }
  if (shifted && u[0] >= 0.0 && std::all_of(p, p + dim, [](double value) { return value == 0.0; })) {
    return 0.0;  // open and not closing: u^ is in K* whatever u_T is
  }
  std::array<double, kMaxConeDim> x = {};
  for (int i = 0; i < dim; ++i) x[i] = w * p[i] - u[i];
  if (shifted) x[0] -= calc_de_saxce_shift(friction, u);
  project_on_contact_cone(friction, x.data(), x.data());
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum += (w * p[i] - x[i]) * (w * p[i] - x[i]);
  return sum;
}

/// The same for a ball of constant radius [N s], which the scale w turns into w radius [m/s].
double calc_ball_defect(int dim, double radius, double w, const double* p, const double* u) {
  double squared = 0.0;
  for (int i = 0; i < dim; ++i) squared += (w * p[i] - u[i]) * (w * p[i] - u[i]);
  const double norm = std::sqrt(squared);
  const double factor = norm > w * radius ? w * radius / norm : 1.0;
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) {
    const double defect = w * p[i] - factor * (w * p[i] - u[i]);
    sum += defect * defect;
  }
  return sum;
}

}  // namespace

double calc_squared_defect(const ConeProblem& problem, FrictionLaw law, const Cone& cone, double w, const double* p,
                           const double* u) {
  switch (cone.kind) {
    case ConeKind::contact:
      return calc_contact_defect(problem.friction(cone), cone.dim, law == FrictionLaw::coulomb, w, p, u);
    case ConeKind::ball:
      return calc_ball_defect(cone.dim, cone.radius, w, p, u);
    case ConeKind::free:
      break;
  }
  double sum = 0.0;
  for (int i = 0; i < cone.dim; ++i) sum += u[i] * u[i];
  return sum;
}

}  // namespace stickslip
