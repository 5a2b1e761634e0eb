// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/triangle_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

/// [-] Of the square of the longest edge: a smaller parallelogram is round-off.
constexpr double kNoArea = 1e-15;
/// [m] Largest coordinate: moments are products of five.
constexpr double kMaxMeshCoordinate = 1e30;

struct VertexHash {
  std::size_t operator()(const std::array<double, 3>& x) const {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const double c : x)
      hash = (hash ^ std::bit_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29U;
    return static_cast<std::size_t>(hash);
  }
};

bool has_area(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double longest = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
  return (b - a).cross(c - a).norm() > kNoArea * longest;
}

int count_border(const std::vector<std::array<int, 3>>& triangles) {
  struct Uses {
    int forth = 0, back = 0;
  };
  std::unordered_map<std::uint64_t, Uses> edges;
  edges.reserve(2 * triangles.size());
  for (const std::array<int, 3>& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = t[i];
      const int to = t[(i + 1) % 3];
      const auto [low, high] = std::minmax(from, to);
      Uses& uses = edges[static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint64_t>(high)];
      ++(from < to ? uses.forth : uses.back);
    }
  }
  return static_cast<int>(std::count_if(edges.begin(), edges.end(),
                                        [](const auto& e) { return e.second.forth != 1 || e.second.back != 1; }));
}

}  // namespace

SurfaceMoments calc_surface_moments(const Triangles& triangles) {
  SurfaceMoments result;
  if (triangles.empty()) return result;
  Vector3 origin = Vector3::Zero();
  for (const auto& t : triangles) origin += (t[0] + t[1] + t[2]) / 3.0;
  origin /= static_cast<double>(triangles.size());
  double volume = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const auto& t : triangles) {
    const Vector3 a = t[0] - origin;
    const Vector3 b = t[1] - origin;
    const Vector3 c = t[2] - origin;
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vector3 sum = a + b + c;
    volume += v;
    first += v * sum / 4.0;
    // The integral of x x^T over a tetrahedron with a corner at the origin.
    second += v / 20.0 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (volume == 0.0) return result;
  const Vector3 center = first / volume;
  result.volume = volume;
  result.centroid = origin + center;
  result.second = second - volume * center * center.transpose();
  return result;
}

std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Triangles& triangles, bool is_single) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->is_single = is_single;
  std::unordered_map<std::array<double, 3>, int, VertexHash> known;
  known.reserve(triangles.size());
  for (const std::array<Vector3, 3>& corners : triangles) {
    for (const Vector3& x : corners) {
      if (!(x.cwiseAbs().maxCoeff() <= kMaxMeshCoordinate)) {
        throw InputError("mesh: coordinates must be finite and at most 1e30 m");
      }
    }
    if (!has_area(corners[0], corners[1], corners[2])) {
      ++mesh->n_degenerate;
      continue;
    }
    std::array<int, 3> triangle = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 x = corners[i].array() + 0.0;  // -0 is 0
      const auto [entry, added] = known.try_emplace({x(0), x(1), x(2)}, static_cast<int>(mesh->vertices.size()));
      if (added) mesh->vertices.push_back(x);
      triangle[i] = entry->second;
    }
    mesh->triangles.push_back(triangle);
  }
  if (mesh->triangles.empty()) throw InputError("mesh: a file with triangles that have an area");
  mesh->n_border = count_border(mesh->triangles);
  if (mesh->is_closed() && calc_surface_moments(corners_of(*mesh)).volume < 0.0) {
    throw InputError(
        "mesh: a surface whose triangles run counterclockwise seen from outside; this closed one is turned inside out");
  }
  return mesh;
}

std::shared_ptr<const TriangleMesh> make_triangle_mesh(std::vector<Vector3> vertices,
                                                       std::vector<std::array<int, 3>> triangles, bool is_single) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->is_single = is_single;
  const int n = static_cast<int>(vertices.size());
  const auto is_finite = [](const Vector3& x) { return x.cwiseAbs().maxCoeff() <= kMaxMeshCoordinate; };
  const auto is_whole = [&](const std::array<int, 3>& t) {
    return std::ranges::all_of(t, [&](int v) { return v >= 0 && v < n; }) &&
           has_area(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
  };
  if (triangles.empty() || !std::ranges::all_of(vertices, is_finite) || !std::ranges::all_of(triangles, is_whole)) {
    throw InputError("mesh: triangles with an area, over vertices that there are");
  }
  mesh->vertices = std::move(vertices);
  mesh->triangles = std::move(triangles);
  mesh->n_border = count_border(mesh->triangles);
  return mesh;
}

Triangles corners_of(const TriangleMesh& mesh) {
  Triangles triangles;
  triangles.reserve(mesh.triangles.size());
  for (const std::array<int, 3>& t : mesh.triangles) {
    triangles.push_back({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  }
  return triangles;
}

std::uint64_t calc_checksum(const TriangleMesh& mesh) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&hash](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ (word & 0xffU)) * 0x100000001b3ULL;
      word >>= 8U;
    }
  };
  for (const Vector3& x : mesh.vertices) {
    for (int i = 0; i < 3; ++i) add(std::bit_cast<std::uint64_t>(x(i)));
  }
  for (const std::array<int, 3>& t : mesh.triangles) {
    for (const int v : t) add(static_cast<std::uint64_t>(v));
  }
  add(mesh.is_single ? 1 : 0);
  return hash;
}

}  // namespace stickslip
