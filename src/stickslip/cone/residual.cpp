// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "stickslip/cone/cone_defect.h"

namespace stickslip {
namespace {

/// Round-off in W p as a multiple of the spacing of numbers. [-]
constexpr double kRoundOff = 16.0 * std::numeric_limits<double>::epsilon();
constexpr double kReachable = 1e6;  // [-] |u| / |b| beyond which round-off excuses nothing: no mechanism gets so fast
constexpr double kFastest = 1e3;    // [-] |u| / |b| up to which |u| counts: what mass ratios of 1e6 make of kept energy

double calc_squared_norm(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

/// |w_i p_i|_2, w_i the mean diagonal of a cone's block: the velocities that percussions make before anything cancels.
/// [m/s]
double calc_stopped(const ConeProblem& problem, std::span<const double> p, double w) {
  const bool has_w =
      std::visit([&](const auto& delassus) { return delassus.n_rows() >= problem.n_cones(); }, problem.delassus);
  std::array<double, kMaxConeDim> diagonal = {};
  diagonal.fill(w);
  double sum = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    if (has_w) problem.calc_diagonal(i, diagonal.data());
    double trace = 0.0;
    for (int r = 0; r < cone.dim; ++r) trace += std::abs(diagonal[r]);
    const double mean = trace / cone.dim;
    for (int r = 0; r < cone.dim; ++r) sum += mean * p[cone.offset + r] * mean * p[cone.offset + r];
  }
  return std::sqrt(sum);
}

/// |m|_2, m what contacts close and bilateral rows move by more than round-off lets them. In a row i of W p that is of
/// sum_j |W_ij| |p_j| <= sqrt(W_ii) sum_j sqrt(W_jj) |p_j|, W positive semidefinite. Where the problem has no W, only
/// the velocities that it led to, its diagonal is w. [m/s]
double calc_missed(const ConeProblem& problem, std::span<const double> p, std::span<const double> u, double w) {
  const bool has_w =
      std::visit([&](const auto& delassus) { return delassus.n_rows() >= problem.n_cones(); }, problem.delassus);
  std::array<double, kMaxConeDim> diagonal = {};
  diagonal.fill(w);
  double total = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    if (has_w) problem.calc_diagonal(i, diagonal.data());
    for (int r = 0; r < cone.dim; ++r) total += std::sqrt(std::abs(diagonal[r])) * std::abs(p[cone.offset + r]);
  }
  double sum = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    if (cone.kind == ConeKind::ball || (cone.kind == ConeKind::contact && u[cone.offset] >= 0.0)) continue;
    if (has_w) problem.calc_diagonal(i, diagonal.data());
    const int n = cone.kind == ConeKind::contact ? 1 : cone.dim;
    for (int r = 0; r < n; ++r) {
      const double allowed = std::sqrt(std::abs(diagonal[r])) * total + std::abs(problem.b[cone.offset + r]);
      const double missed = std::max(0.0, std::abs(u[cone.offset + r]) - kRoundOff * allowed);
      sum += missed * missed;
    }
  }
  return std::sqrt(sum);
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
  if (!(w > 0.0)) w = 1.0;  // p would not be judged at all
  double sum = 0.0;
  double closing = 0.0;  // squared
  double held = 0.0;     // squared, of free rows
  double most = 0.0;     // squared, of one cone
  Residual residual;
  for (const Cone& cone : problem.cones) {
    const double* p_i = p.data() + cone.offset;
    const double* u_i = u.data() + cone.offset;
    const double squared = calc_squared_defect(problem, law, cone, w, p_i, u_i);
    sum += squared;
    if (cone.kind == ConeKind::contact && u_i[0] < 0.0) closing += u_i[0] * u_i[0];
    if (cone.kind == ConeKind::free) held += squared;
    if (squared > most) {
      most = squared;
      residual.worst = static_cast<int>(&cone - problem.cones.data());
    }
  }
  residual.absolute = std::sqrt(sum);
  residual.missed = std::sqrt(closing + held);
  const double b = std::sqrt(calc_squared_norm(free));
  const double speed = std::sqrt(calc_squared_norm(u));
  if (!std::isfinite(b + speed)) {  // an infinite velocity may well satisfy every law, but is no answer
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {kInfinity, kInfinity, kInfinity, kInfinity, kInfinity, find_not_finite(problem, u)};
  }
  residual.speed = problem.velocity_scale > 0.0 ? problem.velocity_scale : std::max(b, speed);
  const bool is_bounded = problem.velocity_scale > 0.0 || b == 0.0;
  const double scale = is_bounded ? residual.speed : std::min(residual.speed, kFastest * b);
  residual.unfloored = std::max(residual.absolute, 0.5 * std::sqrt(closing));
  if (scale > 0.0) residual.unfloored /= scale;
  double missed = residual.missed;
  if (!is_bounded && 0.5 * missed > residual.unfloored * b) {
    if (speed <= kReachable * b) missed = calc_missed(problem, p, u, w);
    residual.unfloored = std::max(residual.unfloored, 0.5 * missed / b);
  }
  // Percussions of round-off's inverse: of b nothing is left in W p + b.
  constexpr double kSpacing = std::numeric_limits<double>::epsilon();
  double lost = kSpacing * w * std::sqrt(calc_squared_norm(p));
  if (b > 0.0 && lost > std::max(b, problem.floor)) lost = kSpacing * calc_stopped(problem, p, w);
  const bool is_lost = b > 0.0 && lost > std::max(b, problem.floor);
  if (is_lost) residual.unfloored = std::max(residual.unfloored, lost / b);
  const bool is_above = residual.absolute > problem.floor || residual.missed > problem.floor || is_lost;
  residual.relative = is_above ? residual.unfloored : 0.0;
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
