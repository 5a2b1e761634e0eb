// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/polyline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

constexpr double kMostOfLine = 1e30;       // [m] as of coordinates of meshes
constexpr double kOnePointOfLine = 1e-15;  // [-] of the largest coordinate: round-off

}  // namespace

Polyline make_polyline(const std::vector<Vector3>& points, bool closed) {
  double largest = 0.0;
  for (const Vector3& x : points) {
    for (int i = 0; i < 2; ++i) {
      if (!(std::abs(x(i)) <= kMostOfLine))
        throw InputError(fmt::format("finite coordinates up to {:g} m", kMostOfLine));
      largest = std::max(largest, std::abs(x(i)));
    }
  }
  const auto is_one = [&](const Vector3& a, const Vector3& b) {
    return (a - b).cwiseAbs().maxCoeff() <= kOnePointOfLine * largest;
  };
  std::vector<Vector3> kept;
  kept.reserve(points.size());
  for (const Vector3& x : points) {
    if (kept.empty() || !is_one(kept.back(), x)) kept.emplace_back(x(0), x(1), 0.0);
  }
  while (closed && kept.size() > 1 && is_one(kept.back(), kept.front())) kept.pop_back();
  if (kept.size() < (closed ? 3 : 2)) {
    throw InputError(closed ? "a closed line: at least 3 points in different places"
                            : "at least 2 points in different places");
  }
  // Round-off of a sum of as many products of lengths.
  const double no_area = static_cast<double>(kept.size()) * std::numeric_limits<double>::epsilon() * largest * largest;
  if (closed && std::abs(calc_clockwise_area(kept)) <= no_area) {
    throw InputError("a closed line: one that encloses an area");
  }
  Polyline line;
  line.closed = closed;
  line.n_repeated = static_cast<int>(points.size() - kept.size());
  line.points = std::make_shared<const std::vector<Vector3>>(std::move(kept));
  return line;
}

double calc_clockwise_area(const std::vector<Vector3>& points) {
  double twice = 0.0;
  const Vector3& origin = points.front();
  for (std::size_t k = 1; k + 1 < points.size(); ++k) {
    const Vector3 a = points[k] - origin;
    const Vector3 b = points[k + 1] - origin;
    twice += a(1) * b(0) - a(0) * b(1);
  }
  return 0.5 * twice;
}

std::uint64_t calc_checksum(const std::vector<Vector3>& points) {
  return calc_checksum(TriangleMesh{points, {}});
}

}  // namespace stickslip
