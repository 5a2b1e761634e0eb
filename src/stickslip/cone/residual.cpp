// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/cone/cone_defect.h"
#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// The most that the round-off of percussions may excuse, of the free velocities: six digits are an answer, and
/// percussions that grow without bounds where there is none do not excuse themselves. With 1e-9 bodies of 1e6 kg on one
/// of 1 kg are asked for more than round-off allows; with 1e-3 percussions of 1e9 times what stops the bodies pass. [-]
constexpr double kLargestRoundOff = 1e-6;

double calc_squared_norm(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

/// The first cone whose velocities are not finite.
int find_not_finite(const ConeProblem& problem, std::span<const double> u) {
  const auto is_finite = [&](const Cone& cone) {
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto rows = u.subspan(cone.offset, cone.dim);
    return std::all_of(rows.begin(), rows.end(), finite) &&
           std::all_of(problem.b.begin() + cone.offset, problem.b.begin() + cone.offset + cone.dim, finite);
  };
  const auto found = std::find_if_not(problem.cones.begin(), problem.cones.end(), is_finite);
  return found == problem.cones.end() ? -1 : static_cast<int>(found - problem.cones.begin());
}

/// The residual, all velocities stretched already.
Residual judge(const ConeProblem& problem, FrictionLaw law, std::span<const double> p, std::span<const double> free,
               std::span<const double> u, double w) {
  Residual residual;
  residual.given = std::sqrt(calc_squared_norm(free));
  const double speed = std::sqrt(calc_squared_norm(u));
  if (!std::isfinite(residual.given + speed)) {  // an infinite velocity may well satisfy every law, but is no answer
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {.absolute = kInfinity, .relative = kInfinity, .missed = kInfinity, .worst = find_not_finite(problem, u)};
  }
  double sum = 0.0;
  double missed = 0.0;    // squared
  double most = 0.0;      // squared, of one cone
  double momentum = 0.0;  // [N s] squared, |p|^2
  for (const Cone& cone : problem.cones) {
    const double* p_i = p.data() + cone.offset;
    const double* u_i = u.data() + cone.offset;
    const double squared = calc_squared_defect(problem, law, cone, w, p_i, u_i);
    sum += squared;
    for (int i = 0; i < cone.dim; ++i) momentum += p_i[i] * p_i[i];
    if (cone.kind == ConeKind::contact && u_i[0] < 0.0) missed += u_i[0] * u_i[0];
    if (cone.kind == ConeKind::free) missed += squared;
    if (squared > most) {
      most = squared;
      residual.worst = static_cast<int>(&cone - problem.cones.data());
    }
  }
  residual.absolute = std::sqrt(sum);
  residual.missed = std::sqrt(missed);
  residual.size = std::max(residual.given, speed);
  const double round_off = std::min(kSumRoundOff * w * std::sqrt(momentum), kLargestRoundOff * residual.given);
  residual.floor = std::max(problem.floor, round_off);
  if (residual.absolute > 0.0) residual.relative = residual.absolute / residual.size;
  return residual;
}

}  // namespace

Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::span<const double> u, double w) {
  if (problem.stretches.empty()) return judge(problem, law, p, problem.b, u, w);
  std::vector<double> free = problem.b;
  std::vector<double> stretched(u.begin(), u.end());
  for (const Stretch& s : problem.stretches) {
    s.apply(free.data() + s.row);
    s.apply(stretched.data() + s.row);
  }
  return judge(problem, law, p, free, stretched, w);
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
