// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/separating_axis.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/collision/closest_features.h"

namespace stickslip {
namespace {

/// The separation along the faces of a solid from another, `at` in its frame.
void try_faces(const Solid& solid, const Solid& other, const Placement& at, double limit,
               SeparatingAxis::FaceAxis& best) {
  const Vector3 center = at.apply(other.center);
  const int n = static_cast<int>(solid.faces.size());
  // First the face that looks at the other most: others then soon are passed over.
  int lead = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < n; ++f) {
    const double beyond = solid.faces[f].normal.dot(center) - solid.faces[f].offset;
    if (beyond > most) {
      most = beyond;
      lead = f;
    }
  }
  int vertex = 0;
  for (int k = -1; k < n && best.separation <= limit; ++k) {
    const int f = k < 0 ? lead : k;
    if (k == lead) continue;
    const Solid::Face& face = solid.faces[f];
    if (face.normal.dot(center) - face.offset - other.inradius <= best.separation) continue;
    vertex = find_support(other, at.R.transpose() * -face.normal, vertex);
    const double separation = face.normal.dot(at.apply(other.vertices[vertex])) - face.offset;
    if (separation > best.separation) best = {separation, f, vertex};
  }
}

/// An upper bound of the separation along any direction between the normals of an edge's faces from a solid with a
/// ball of `inradius` at `to_center` (3) [m] from the edge.
double bound_edge(const Solid& solid, const Solid::Edge& edge, const Vector3& to_center, double inradius) {
  const double along =
      std::max(solid.faces[edge.left].normal.dot(to_center), solid.faces[edge.right].normal.dot(to_center));
  return (along > 0.0 ? along * edge.spread : along) - inradius;
}

}  // namespace

bool SeparatingAxis::find(const Solid& first, const Solid& second, const Placement& at, double limit, double tie) {
  of_first_ = {};
  of_second_ = {};
  of_edges_ = {};
  if (first.is_box && second.is_box) return find_boxes(first, second, at, limit, tie);
  try_faces(first, second, at, limit, of_first_);
  if (of_first_.separation > limit) return false;
  if (!second.faces.empty()) {
    try_faces(second, first, at.relative({}), limit, of_second_);
    if (of_second_.separation > limit) return false;
  }
  if (!first.planar) try_edges(first, second, at, tie);
  return of_edges_.separation <= limit;
}

double SeparatingAxis::enough(double tie) const {
  const double faces = std::max(of_first_.separation, of_second_.separation);
  return faces > tie ? faces - tie : faces + tie;
}

void SeparatingAxis::try_edges(const Solid& first, const Solid& second, const Placement& at, double tie) {
  const double faces = enough(tie);
  const Vector3 center_of_first = at.apply_inverse(first.center);
  const Vector3 center_of_second = at.apply(second.center);
  others_.clear();
  for (int e = 0; e < static_cast<int>(second.edges.size()); ++e) {
    const Solid::Edge& edge = second.edges[e];
    const Vector3& tail = second.vertices[edge.tail];
    if (edge.left < 0) {
      others_.push_back({e, at.apply(tail), at.R * edge.direction, Vector3::Zero(), Vector3::Zero()});
    } else if (bound_edge(second, edge, center_of_first - tail, first.inradius) > faces) {
      others_.push_back({e, at.apply(tail), at.R * edge.direction, at.R * second.faces[edge.left].normal,
                         at.R * second.faces[edge.right].normal});
    }
  }
  if (others_.empty()) return;
  for (int i = 0; i < static_cast<int>(first.edges.size()); ++i) {
    const Solid::Edge& edge = first.edges[i];
    const double enough = std::max(faces, of_edges_.separation);
    if (bound_edge(first, edge, center_of_second - first.vertices[edge.tail], second.inradius) <= enough) continue;
    for (const EdgeInFirst& other : others_) {
      // The arc of the first edge from normal to normal, and that of the other turned round, cross [Gregorius2013].
      const double left = first.faces[edge.left].normal.dot(other.direction);
      const double right = first.faces[edge.right].normal.dot(other.direction);
      if (left * right >= 0.0) continue;
      if (second.edges[other.edge].left >= 0) {
        const double other_left = other.left.dot(edge.direction);
        const double other_right = other.right.dot(edge.direction);
        if (other_left * other_right >= 0.0 || other_left * right >= 0.0) continue;
      }
      try_pair(first, second, at, i, other, std::max(faces, of_edges_.separation));
    }
  }
}

void SeparatingAxis::try_pair(const Solid& first, const Solid& second, const Placement& at, int i, const EdgeInFirst& b,
                              double enough) {
  const Solid::Edge& a = first.edges[i];
  Vector3 n = a.direction.cross(b.direction);
  const double sine = n.norm();
  if (sine <= kParallelLines) return;
  n /= sine;
  n -= a.direction * a.direction.dot(n);
  n.normalize();
  if (n.dot(first.faces[a.left].normal + first.faces[a.right].normal) < 0.0) n = -n;
  const double between = n.dot(b.tail - first.vertices[a.tail]);
  if (between <= enough) return;
  const int top = find_support(first, n, a.tail);
  const int bottom = find_support(second, at.R.transpose() * -n, second.edges[b.edge].tail);
  const double separation = std::min(between, n.dot(at.apply(second.vertices[bottom])) - n.dot(first.vertices[top]));
  if (separation > enough) of_edges_ = {separation, i, b.edge, n};
}

bool SeparatingAxis::find_boxes(const Solid& first, const Solid& second, const Placement& at, double limit,
                                double tie) {
  const Matrix3 R = first.axes.transpose() * at.R * second.axes;
  const Vector3 t = first.axes.transpose() * (at.apply(second.center) - first.center);
  const Vector3& a = first.half;
  const Vector3& b = second.half;
  const Matrix3 abs_R = R.cwiseAbs();
  // Corners by the signs of a direction, in the order of make_solid.
  const auto corner = [](const Vector3& d) {
    return 4 * static_cast<int>(d(2) > 0.0) + 2 * static_cast<int>(!(d(0) > 0.0)) + static_cast<int>(!(d(1) > 0.0));
  };
  for (int i = 0; i < 3; ++i) {
    const double separation = std::abs(t(i)) - (a(i) + abs_R.row(i).dot(b));
    if (separation > limit) return false;
    if (separation <= of_first_.separation) continue;
    of_first_.separation = separation;
    of_first_.face = 2 * i + static_cast<int>(t(i) < 0.0);
  }
  const Vector3 u = R.transpose() * t;
  for (int j = 0; j < 3; ++j) {
    const double separation = std::abs(u(j)) - (b(j) + abs_R.col(j).dot(a));
    if (separation > limit) return false;
    if (separation <= of_second_.separation) continue;
    of_second_.separation = separation;
    of_second_.face = 2 * j + static_cast<int>(u(j) > 0.0);
  }
  const auto along = [](int face) { return face % 2 == 0 ? 1.0 : -1.0; };
  of_first_.vertex = corner(R.row(of_first_.face / 2).transpose() * -along(of_first_.face));
  of_second_.vertex = corner(R.col(of_second_.face / 2) * -along(of_second_.face));

  const double faces = enough(tie);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      const double sine2 = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      // Along a normal of a face there is nothing new.
      if (abs_R(i1, j) <= kParallelLines || abs_R(i2, j) <= kParallelLines || abs_R(i, j1) <= kParallelLines ||
          abs_R(i, j2) <= kParallelLines) {
        continue;
      }
      const double across = t(i2) * R(i1, j) - t(i1) * R(i2, j);
      const double reach = a(i1) * abs_R(i2, j) + a(i2) * abs_R(i1, j) + b(j1) * abs_R(i, j2) + b(j2) * abs_R(i, j1);
      // `across` and `reach` may be off by a thousandth of `tie`: first roughly, then exactly.
      const double rough = std::abs(across) - reach + tie;
      const double enough = std::max(faces, of_edges_.separation);
      if (enough <= 0.0 ? rough <= 0.0 && rough * rough >= enough * enough * sine2
                        : rough <= 0.0 || rough * rough <= enough * enough * sine2) {
        continue;
      }
      const double sine = std::sqrt(sine2);
      Vector3 n = Vector3::Zero();
      n(i1) = (across < 0.0 ? R(i2, j) : -R(i2, j)) / sine;
      n(i2) = (across < 0.0 ? -R(i1, j) : R(i1, j)) / sine;
      const Vector3 m = R.transpose() * n;
      const double separation = n.dot(t) - (a(i1) * std::abs(n(i1)) + a(i2) * std::abs(n(i2)) +
                                            b(j1) * std::abs(m(j1)) + b(j2) * std::abs(m(j2)));
      if (separation <= enough) continue;
      if (separation > limit) return false;
      const auto edge = [](int axis, bool next, bool after) {
        return 4 * axis + 2 * static_cast<int>(next) + static_cast<int>(after);
      };
      of_edges_ = {separation, edge(i, n(i1) > 0.0, n(i2) > 0.0), edge(j, m(j1) < 0.0, m(j2) < 0.0), first.axes * n};
    }
  }
  return true;
}

}  // namespace stickslip
