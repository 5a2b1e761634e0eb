// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/cone/de_saxce_shift.h"
#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

constexpr double kFastest = 1e3;  // [-] |u| / |b| up to which |u| counts: what mass ratios of 1e6 make of kept energy

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

double calc_squared_norm(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

}  // namespace

Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::span<const double> u, double w) {
  if (!(w > 0.0)) w = 1.0;  // p would not be judged at all
  double sum = 0.0;
  double closing = 0.0;  // squared
  for (const Cone& cone : problem.cones) {
    const double* p_i = p.data() + cone.offset;
    const double* u_i = u.data() + cone.offset;
    switch (cone.kind) {
      case ConeKind::contact:
        sum += calc_contact_defect(problem.friction(cone), cone.dim, law == FrictionLaw::coulomb, w, p_i, u_i);
        if (u_i[0] < 0.0) closing += u_i[0] * u_i[0];
        break;
      case ConeKind::ball:
        sum += calc_ball_defect(cone.dim, cone.radius, w, p_i, u_i);
        break;
      case ConeKind::free:
        sum += calc_squared_norm({u_i, static_cast<std::size_t>(cone.dim)});
        break;
    }
  }
  Residual residual;
  residual.absolute = std::sqrt(sum);
  const double b = std::sqrt(calc_squared_norm(problem.b));
  const double speed = std::sqrt(calc_squared_norm(u));
  if (!std::isfinite(b + speed)) {  // an infinite velocity may well satisfy every law, but is no answer
    residual.absolute = residual.relative = residual.speed = std::numeric_limits<double>::infinity();
    return residual;
  }
  residual.speed = problem.velocity_scale > 0.0 ? problem.velocity_scale : std::max(b, speed);
  residual.relative = std::max(residual.absolute, 0.5 * std::sqrt(closing));
  const bool is_bounded = problem.velocity_scale > 0.0 || b == 0.0;
  const double scale = is_bounded ? residual.speed : std::min(residual.speed, kFastest * b);
  if (scale > 0.0) residual.relative /= scale;
  return residual;
}

Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::vector<double>& work) {
  // work: u (n), then the scratch of W p.
  const auto n = static_cast<std::size_t>(problem.size());
  work.resize(n + problem.delassus_work_size());
  const std::span<double> u(work.data(), n);
  problem.apply_delassus(p, u, std::span(work).subspan(n));
  for (std::size_t i = 0; i < n; ++i) u[i] += problem.b[i];
  return calc_residual(problem, law, p, u, problem.calc_residual_scale());
}

Residual calc_residual(const ConeProblem& problem, std::span<const double> p, std::vector<double>& work) {
  return calc_residual(problem, problem.law, p, work);
}

Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p) {
  std::vector<double> work;
  return calc_residual(problem, law, p, work);
}

Residual calc_residual(const ConeProblem& problem, std::span<const double> p) {
  return calc_residual(problem, problem.law, p);
}

}  // namespace stickslip
