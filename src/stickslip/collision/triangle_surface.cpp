// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/triangle_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace stickslip {

void TriangleSurface::find_patches() {
  patches_.assign(n_triangles(), -1);
  std::vector<int> open;
  for (int first = 0; first < n_triangles(); ++first) {
    if (patches_[first] >= 0) continue;
    const Vector3 normal = normal_of(first);
    patches_[first] = first;
    open.assign(1, first);
    while (!open.empty()) {
      const int triangle = open.back();
      open.pop_back();
      for (const int e : edges_of(triangle)) {
        if (kind_of(e) != EdgeKind::flat) continue;
        const Edge edge = this->edge(e);
        const int other = edge.left == triangle ? edge.right : edge.left;
        if (patches_[other] >= 0 || (normal_of(other) - normal).norm() > kPatchAngle) continue;
        patches_[other] = first;
        open.push_back(other);
      }
    }
  }
}

// The regions of a triangle [Ericson2005, 5.1.5].
TriangleFoot find_foot(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const Vector3 ax = x - a;
  const double d1 = ab.dot(ax);
  const double d2 = ac.dot(ax);
  if (d1 <= 0.0 && d2 <= 0.0) return {a, 4};
  const Vector3 bx = x - b;
  const double d3 = ab.dot(bx);
  const double d4 = ac.dot(bx);
  if (d3 >= 0.0 && d4 <= d3) return {b, 5};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return {a + d1 / (d1 - d3) * ab, 1};
  const Vector3 cx = x - c;
  const double d5 = ab.dot(cx);
  const double d6 = ac.dot(cx);
  if (d6 >= 0.0 && d5 <= d6) return {c, 6};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {a + d2 / (d2 - d6) * ac, 3};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), 2};
  const double sum = va + vb + vc;
  return {a + vb / sum * ab + vc / sum * ac, 0};
}

bool is_behind(const TriangleSurface& surface, int triangle, const TriangleFoot& foot, const Vector3& x,
               std::vector<int>& edges) {
  const Vector3 d = x - foot.foot;
  if (foot.feature == 0) return d.dot(surface.normal_of(triangle)) < 0.0;
  if (foot.feature < 4) {
    const TriangleSurface::Edge e = surface.edge(surface.edges_of(triangle)[foot.feature - 1]);
    return e.right >= 0 && d.dot(surface.normal_of(e.left) + surface.normal_of(e.right)) < 0.0;
  }
  const int vertex = surface.corners_of(triangle)[foot.feature - 4];
  const Vector3 at = surface.vertex(vertex);
  const auto weighted_normal = [&](int face) {
    const std::array<int, 3> corners = surface.corners_of(face);
    const auto i = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
    const Vector3 u = surface.vertex(corners[(i + 1) % 3]) - at;
    const Vector3 v = surface.vertex(corners[(i + 2) % 3]) - at;
    return Vector3(std::atan2(u.cross(v).norm(), u.dot(v)) * surface.normal_of(face));
  };
  surface.find_edges_at(vertex, edges);
  Vector3 normal = Vector3::Zero();
  for (const int k : edges) {
    const TriangleSurface::Edge e = surface.edge(k);
    if (e.right < 0) return false;
    normal += weighted_normal(e.left) + weighted_normal(e.right);  // each face is beside two of the edges
  }
  return d.dot(normal) < 0.0;
}

TriangleSurface::EdgeKind classify_edge(const Vector3& n, const Vector3& m, const Vector3& opposite,
                                        double flat_angle) {
  const double angle = std::atan2(n.cross(m).norm(), n.dot(m));
  if (angle <= flat_angle) return TriangleSurface::EdgeKind::flat;
  return n.dot(opposite) <= 0.0 ? TriangleSurface::EdgeKind::convex : TriangleSurface::EdgeKind::concave;
}

}  // namespace stickslip
