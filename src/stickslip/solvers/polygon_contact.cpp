// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/polygon_contact.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// By what share of its terms an inequality may be missed: round-off of sums of a few products. [-]
constexpr double kPolygonRoundOff = 64.0 * kEpsilon;
/// Solutions that differ by less than this share of their size lie on the border of two kinds and are one. [-]
constexpr double kSameSolution = 1e-9;

}  // namespace

struct PolygonContact::Found {
  Rows guess = {};
  Rows best = {};
  double distance = 0.0;  // [N s] of the best from the guess
  int n = 0;
};

void PolygonContact::prepare(const FrictionBlock& block, const double* w) {
  block_ = block;
  support_ = block.mu * std::cos(std::numbers::pi / block.facets);
  std::copy_n(w, w_.size(), w_.begin());
}

PolygonContact::Direction PolygonContact::corner(int j) const {
  const double angle = block_.orientation + 2.0 * std::numbers::pi * (j % block_.facets) / block_.facets;
  return {std::cos(angle), std::sin(angle)};
}

int PolygonContact::solve(const double* b, double* p) const {
  Found found;
  std::copy_n(p, 3, found.guess.begin());
  if (b[0] >= 0.0) take(Rows{}, found);
  try_stick(b, found);
  Direction before = corner(block_.facets - 1);
  const Direction first = corner(0);
  Direction at = first;
  for (int j = 0; j < block_.facets; ++j) {
    const Direction next = j + 1 < block_.facets ? corner(j + 1) : first;
    try_corner(before, at, next, b, found);
    try_edge(at, next, b, found);
    before = at;
    at = next;
  }
  if (found.n > 0) std::copy_n(found.best.begin(), 3, p);
  return found.n;
}

void PolygonContact::try_stick(const double* b, Found& found) const {
  const double* w = w_.data();
  const double m[3] = {w[4] * w[8] - w[5] * w[7], w[2] * w[7] - w[1] * w[8], w[1] * w[5] - w[2] * w[4]};
  const double determinant = w[0] * m[0] + w[3] * m[1] + w[6] * m[2];
  const double size = w[0] * w[4] * w[8];
  if (!(std::abs(determinant) > kPolygonRoundOff * size)) return;
  Rows p;
  p[0] = -(m[0] * b[0] + m[1] * b[1] + m[2] * b[2]) / determinant;
  p[1] =
      -((w[5] * w[6] - w[3] * w[8]) * b[0] + (w[0] * w[8] - w[2] * w[6]) * b[1] + (w[2] * w[3] - w[0] * w[5]) * b[2]) /
      determinant;
  p[2] =
      -((w[3] * w[7] - w[4] * w[6]) * b[0] + (w[1] * w[6] - w[0] * w[7]) * b[1] + (w[0] * w[4] - w[1] * w[3]) * b[2]) /
      determinant;
  if (!(p[0] >= 0.0)) return;
  // p_T in p_N D: the farthest edge is that of the sector p_T is in.
  const double sector = 2.0 * std::numbers::pi / block_.facets;
  const double angle = std::atan2(p[2], p[1]) - block_.orientation;
  const double from_normal = angle - (std::floor(angle / sector) + 0.5) * sector;
  const double reach = std::hypot(p[1], p[2]) * std::cos(from_normal);
  if (reach <= support_ * p[0] * (1.0 + kPolygonRoundOff)) take(p, found);
}

/// `at` between its neighbours `before` and `next`.
void PolygonContact::try_corner(const Direction& before, const Direction& at, const Direction& next, const double* b,
                                Found& found) const {
  const double mu = block_.mu;
  const double of_normal = w_[0] + mu * (w_[1] * at[0] + w_[2] * at[1]);
  const double p_n = -b[0] / of_normal;
  if (!(p_n > 0.0) || !std::isfinite(p_n)) return;
  const Rows p = {p_n, mu * p_n * at[0], mu * p_n * at[1]};
  double u[2];
  double size = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double* row = w_.data() + 3 * (i + 1);
    u[i] = b[i + 1] + row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
    size += std::abs(b[i + 1]) + std::abs(row[0] * p[0]) + std::abs(row[1] * p[1]) + std::abs(row[2] * p[2]);
  }
  for (const Direction* other : {&before, &next}) {
    const double along = u[0] * (at[0] - (*other)[0]) + u[1] * (at[1] - (*other)[1]);
    if (along > kPolygonRoundOff * size) return;
  }
  take(p, found);
}

/// The edge from `from` to `to`: p_T = p_N a n + s t, n its outer normal, t along it.
void PolygonContact::try_edge(const Direction& from, const Direction& to, const double* b, Found& found) const {
  const double half = std::hypot(from[0] + to[0], from[1] + to[1]);
  const double n[2] = {(from[0] + to[0]) / half, (from[1] + to[1]) / half};
  const double t[2] = {-n[1], n[0]};
  const double a = support_;
  const double* w = w_.data();
  const double nn = w[0] + a * (w[1] * n[0] + w[2] * n[1]);
  const double nt = w[1] * t[0] + w[2] * t[1];
  const double tn = t[0] * (w[3] + a * (w[4] * n[0] + w[5] * n[1])) + t[1] * (w[6] + a * (w[7] * n[0] + w[8] * n[1]));
  const double tt = t[0] * (w[4] * t[0] + w[5] * t[1]) + t[1] * (w[7] * t[0] + w[8] * t[1]);
  const double b_t = t[0] * b[1] + t[1] * b[2];
  const double determinant = nn * tt - nt * tn;
  const double p_n = (nt * b_t - tt * b[0]) / determinant;
  const double s = (tn * b[0] - nn * b_t) / determinant;
  if (!(p_n > 0.0) || !std::isfinite(p_n)) return;
  const double half_edge = std::sqrt(std::max(block_.mu * block_.mu - a * a, 0.0));
  if (!(std::abs(s) <= half_edge * p_n * (1.0 + kPolygonRoundOff))) return;
  const Rows p = {p_n, p_n * a * n[0] + s * t[0], p_n * a * n[1] + s * t[1]};
  double u_n = 0.0;
  double size = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double* row = w + 3 * (i + 1);
    u_n += n[i] * (b[i + 1] + row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    size += std::abs(b[i + 1]) + std::abs(row[0] * p[0]) + std::abs(row[1] * p[1]) + std::abs(row[2] * p[2]);
  }
  if (u_n <= kPolygonRoundOff * size) take(p, found);
}

/// Counts a solution that is none of those on the border to the one before it, and keeps the nearest to the guess.
void PolygonContact::take(const Rows& p, Found& found) {
  const auto calc_distance = [](const Rows& x, const Rows& y) {
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
  };
  const double distance = calc_distance(p, found.guess);
  const bool is_first = found.n == 0;
  if (!is_first && calc_distance(p, found.best) <= kSameSolution * std::hypot(p[0], p[1], p[2])) return;
  ++found.n;
  if (!is_first && !(distance < found.distance)) return;
  found.best = p;
  found.distance = distance;
}

}  // namespace stickslip
