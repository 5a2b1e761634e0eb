// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/exact_hull.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

namespace stickslip {
namespace {

/// A number as the sum of two doubles, some 32 digits: sums and products by error-free transformations.
struct Twofold {
  double high = 0.0;
  double low = 0.0;

  static Twofold sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
  }
  static Twofold product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
  }
  Twofold operator+(const Twofold& b) const {
    const Twofold s = sum(high, b.high);
    const Twofold t = sum(low, b.low);
    const Twofold u = sum(s.high, s.low + t.high);
    return sum(u.high, u.low + t.low);
  }
  Twofold operator-() const { return {-high, -low}; }
  Twofold operator-(const Twofold& b) const { return *this + -b; }
  Twofold operator*(const Twofold& b) const {
    const Twofold p = product(high, b.high);
    return sum(p.high, p.low + (high * b.low + low * b.high));
  }
};

using Twofold3 = std::array<Twofold, 3>;

Twofold3 difference(const Vector3& a, const Vector3& b) {
  return {Twofold::sum(a(0), -b(0)), Twofold::sum(a(1), -b(1)), Twofold::sum(a(2), -b(2))};
}

Twofold3 cross(const Twofold3& a, const Twofold3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Six times the volume of a tetrahedron: > 0 where d is on the side of a, b, c from which they are counterclockwise.
double calc_volume(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const Vector3 u = b - a;
  const Vector3 v = c - a;
  const Vector3 w = d - a;
  const double volume = u.cross(v).dot(w);
  // The sum of the sizes of its six products bounds what round-off does to it.
  const Vector3 sizes(std::abs(u(1) * v(2)) + std::abs(u(2) * v(1)), std::abs(u(2) * v(0)) + std::abs(u(0) * v(2)),
                      std::abs(u(0) * v(1)) + std::abs(u(1) * v(0)));
  constexpr double kRoundOff = 2e-15;  // [-] ten roundings of 1.1e-16, and as much again
  const double size = sizes.dot(w.cwiseAbs());
  if (std::abs(volume) > kRoundOff * size) return volume;
  const Twofold3 normal = cross(difference(b, a), difference(c, a));
  const Twofold3 to = difference(d, a);
  const double exact = (normal[0] * to[0] + normal[1] * to[1] + normal[2] * to[2]).high;
  constexpr double kTwofoldRoundOff = 1e-30;  // [-]
  return std::abs(exact) > kTwofoldRoundOff * size ? exact : 0.0;
}

/// Four points that span a volume; false where there are none.
bool find_tetrahedron(std::span<const Vector3> points, std::array<int, 4>& corners) {
  corners = {0, 0, 0, 0};
  const auto find_most = [&](int corner, const auto& measure) {
    double most = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double value = std::abs(measure(points[k]));
      if (value <= most) continue;
      most = value;
      corners[corner] = static_cast<int>(k);
    }
    return most > 0.0;
  };
  const Vector3& a = points[0];
  if (!find_most(1, [&](const Vector3& x) { return (x - a).squaredNorm(); })) return false;
  const Vector3& b = points[corners[1]];
  if (!find_most(2, [&](const Vector3& x) { return (b - a).cross(x - a).squaredNorm(); })) return false;
  const Vector3& c = points[corners[2]];
  return find_most(3, [&](const Vector3& x) { return calc_volume(a, b, c, x); });
}

}  // namespace

std::vector<std::array<int, 3>> make_exact_hull(std::span<const Vector3> points) {
  std::vector<std::array<int, 3>> triangles;
  std::array<int, 4> first = {};
  if (points.size() < 4 || !find_tetrahedron(points, first)) return triangles;
  if (calc_volume(points[first[0]], points[first[1]], points[first[2]], points[first[3]]) > 0.0) {
    std::swap(first[1], first[2]);
  }
  // Now the fourth is below the first three.
  triangles = {{first[0], first[1], first[2]},
               {first[0], first[3], first[1]},
               {first[1], first[3], first[2]},
               {first[2], first[3], first[0]}};
  std::set<std::pair<int, int>> sides;  // of triangles that are replaced
  std::vector<std::array<int, 3>> kept;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    sides.clear();
    kept.clear();
    for (const auto& t : triangles) {
      if (calc_volume(points[t[0]], points[t[1]], points[t[2]], points[p]) > 0.0) {
        for (int k = 0; k < 3; ++k) sides.emplace(t[k], t[(k + 1) % 3]);
      } else {
        kept.push_back(t);
      }
    }
    if (sides.empty()) continue;
    for (const auto& [from, to] : sides) {
      if (sides.count({to, from}) == 0) kept.push_back({from, to, p});
    }
    triangles.swap(kept);
  }
  return triangles;
}

Vector3 calc_exact_normal(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Twofold3 normal = cross(difference(b, a), difference(c, a));
  const Vector3 n(normal[0].high, normal[1].high, normal[2].high);
  const double scale = n.cwiseAbs().maxCoeff();
  return scale > 0.0 ? Vector3((n / scale).normalized()) : Vector3::Zero();
}

}  // namespace stickslip
