// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/solid.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/overloaded.h"
#include "stickslip/collision/box_tree.h"
#include "stickslip/collision/exact_hull.h"
#include "stickslip/collision/line_manifold.h"
#include "stickslip/collision/triangle_surface.h"
#include "stickslip/geometry/convex_hull.h"

namespace stickslip {
namespace {

/// [-] Of the size of a hull: what lies nearer to a plane or line lies on it. Corners that were turned by a matrix of
/// doubles are off by some 1e-16; gaps are to be exact to 1e-12. Tried in this order until the faces close.
constexpr std::array kOnPlane = {1e-13, 2e-14, 5e-13, 4e-15};
/// So many times as much may a point be above a face that was made of triangles.
constexpr double kLeftOut = 2.0;

/// Hulls of more vertices are climbed; of fewer it is quicker to look at all. [-]
constexpr std::size_t kFewVertices = 48;

/// Sets what follows from vertices, faces and sides (vertex alone): edges, their faces and all that is derived. False
/// where an edge has not two faces.
bool connect(Solid& solid) {
  std::map<std::pair<int, int>, int> known;  // edge by its vertices
  solid.edges.clear();
  std::vector<int> n_faces;
  for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
    const Solid::Face& face = solid.faces[f];
    for (int s = face.begin; s < face.end; ++s) {
      const int from = solid.sides[s].vertex;
      const int to = solid.sides[s + 1 < face.end ? s + 1 : face.begin].vertex;
      const auto [entry, added] = known.try_emplace(std::minmax(from, to), static_cast<int>(solid.edges.size()));
      if (added) {
        Solid::Edge edge;
        edge.tail = from;
        edge.head = to;
        edge.left = f;
        solid.edges.push_back(edge);
        n_faces.push_back(1);
      } else {
        Solid::Edge& edge = solid.edges[entry->second];
        if (++n_faces[entry->second] > 2 || edge.tail != to) return false;
        edge.right = f;
      }
      solid.sides[s].edge = entry->second;
      const Vector3 direction = (solid.vertices[to] - solid.vertices[from]).normalized();
      solid.sides[s].outward = direction.cross(face.normal).normalized();
      solid.sides[s].offset =
          std::max(solid.sides[s].outward.dot(solid.vertices[from]), solid.sides[s].outward.dot(solid.vertices[to]));
    }
  }
  for (Solid::Edge& edge : solid.edges) {
    if (edge.right < 0) return false;
    const Vector3 along = solid.vertices[edge.head] - solid.vertices[edge.tail];
    edge.length = along.norm();
    if (!(edge.length > 0.0)) return false;
    edge.direction = along / edge.length;
    const Vector3& left = solid.faces[edge.left].normal;
    const Vector3& right = solid.faces[edge.right].normal;
    if (left.cross(right).dot(edge.direction) < 0.0) std::swap(edge.left, edge.right);
    // Of knife edges any large number serves: it is a bound.
    constexpr double kLeastCosine = 1e-6;  // [-]
    edge.spread = 1.0 / std::max(0.5 * (left + right).norm(), kLeastCosine);
  }
  // Euler's formula, so that nothing is left out.
  return solid.vertices.size() + solid.faces.size() == solid.edges.size() + 2;
}

/// Sets lists by vertex, centre (if it is not known) and sizes.
void finish(Solid& solid) {
  if (!solid.is_box) {
    solid.center.setZero();
    for (const Vector3& v : solid.vertices) solid.center += v / static_cast<double>(solid.vertices.size());
  }
  double reach = 0.0;
  for (const Vector3& v : solid.vertices) reach = std::max(reach, (v - solid.center).norm());
  solid.size = 2.0 * (reach + solid.radius);
  solid.inradius = solid.faces.empty() ? 0.0 : reach;
  for (const Solid::Face& face : solid.faces) {
    solid.inradius = std::max(0.0, std::min(solid.inradius, face.offset - face.normal.dot(solid.center)));
  }
  const int n = static_cast<int>(solid.vertices.size());
  solid.first_edge.assign(n + 1, 0);
  for (const Solid::Edge& edge : solid.edges) {
    ++solid.first_edge[edge.tail + 1];
    ++solid.first_edge[edge.head + 1];
  }
  for (int v = 0; v < n; ++v) solid.first_edge[v + 1] += solid.first_edge[v];
  solid.vertex_edges.resize(solid.first_edge.back());
  std::vector<int> next(solid.first_edge.begin(), solid.first_edge.end() - 1);
  for (int e = 0; e < static_cast<int>(solid.edges.size()); ++e) {
    solid.vertex_edges[next[solid.edges[e].tail]++] = e;
    solid.vertex_edges[next[solid.edges[e].head]++] = e;
  }
  if (solid.vertices.size() <= kFewVertices || solid.edges.empty()) return;
  solid.first_neighbour = solid.first_edge;
  for (int v = 0; v < n; ++v) {
    for (const int e : solid.edges_of(v)) {
      const Solid::Edge& edge = solid.edges[e];
      solid.neighbours.push_back(edge.tail == v ? edge.head : edge.tail);
    }
  }
}

/// A face through some vertices, which are put in order round `normal`; those on the line between others are left out.
/// Nothing where fewer than three are left.
std::optional<std::vector<int>> order_corners(const std::vector<Vector3>& points, std::vector<int> members,
                                              const Vector3& normal, double tolerance) {
  const Vector3 origin = points[members.front()];
  const Vector3 e1 = normal.unitOrthogonal();
  const Vector3 e2 = normal.cross(e1);
  const auto planar = [&](int k) { return Eigen::Vector2d(e1.dot(points[k] - origin), e2.dot(points[k] - origin)); };
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (const int k : members) middle += planar(k) / static_cast<double>(members.size());
  std::vector<std::pair<double, int>> by_angle;
  by_angle.reserve(members.size());
  for (const int k : members) {
    const Eigen::Vector2d d = planar(k) - middle;
    by_angle.emplace_back(std::atan2(d(1), d(0)), k);
  }
  std::sort(by_angle.begin(), by_angle.end());
  members.clear();
  for (const auto& [angle, k] : by_angle) members.push_back(k);
  for (std::size_t i = 0; i < members.size() && members.size() >= 3;) {
    const std::size_t n = members.size();
    const Eigen::Vector2d before = planar(members[(i + n - 1) % n]);
    const Eigen::Vector2d after = planar(members[(i + 1) % n]);
    const Eigen::Vector2d along = (after - before).normalized();
    const Eigen::Vector2d d = planar(members[i]) - before;
    if (along(0) * d(1) - along(1) * d(0) < -tolerance) {
      ++i;
    } else {
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
  }
  if (members.size() < 3) return std::nullopt;
  return members;
}

/// Adds a face with these corners, in order. Its normal is that of the whole polygon, which is known better than that
/// of one of its triangles.
void add_face(const std::vector<Vector3>& points, const std::vector<int>& corners, const Vector3& normal,
              Solid& solid) {
  Solid::Face face;
  face.normal = normal;
  face.offset = -std::numeric_limits<double>::infinity();
  for (const int k : corners) face.offset = std::max(face.offset, normal.dot(points[k]));
  face.begin = static_cast<int>(solid.sides.size());
  for (const int k : corners) {
    Solid::Side side;
    side.vertex = k;
    solid.sides.push_back(side);
  }
  face.end = static_cast<int>(solid.sides.size());
  solid.faces.push_back(face);
}

/// Keeps the points that are corners of faces as vertices, and connects.
bool close_faces(const std::vector<Vector3>& points, Solid& solid) {
  std::vector<int> place(points.size(), -1);
  for (const Solid::Side& side : solid.sides) place[side.vertex] = 0;
  solid.vertices.clear();
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (place[k] < 0) continue;
    place[k] = static_cast<int>(solid.vertices.size());
    solid.vertices.push_back(points[k]);
  }
  for (Solid::Side& side : solid.sides) side.vertex = place[side.vertex];
  return connect(solid);
}

/// Faces of the hull of `points` whose triangles are known: those in a plane together make one. False where they do not
/// fit together, or leave a point out.
bool merge_triangles(const std::vector<Vector3>& points, const std::vector<std::array<int, 3>>& triangles,
                     double tolerance, Solid& solid) {
  struct Triangle {
    double area;
    int index;
  };
  std::vector<Triangle> by_area;
  by_area.reserve(triangles.size());
  for (int k = 0; k < static_cast<int>(triangles.size()); ++k) {
    const auto& t = triangles[k];
    by_area.push_back({(points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).norm(), k});
  }
  // The largest first: their planes are known best, and slivers fall to them.
  std::sort(by_area.begin(), by_area.end(), [](const Triangle& a, const Triangle& b) {
    return a.area > b.area || (a.area == b.area && a.index < b.index);
  });
  std::vector<bool> taken(triangles.size(), false);
  std::vector<std::vector<int>> polygons;
  std::vector<int> n_faces(points.size(), 0);
  for (const Triangle& next : by_area) {
    if (taken[next.index]) continue;
    const std::array<int, 3>& corners = triangles[next.index];
    const Vector3& origin = points[corners[0]];
    const Vector3 normal = calc_exact_normal(origin, points[corners[1]], points[corners[2]]);
    const auto height = [&](int k) { return normal.dot(points[k] - origin); };
    std::vector<int> members;
    for (int k = 0; k < static_cast<int>(points.size()); ++k) {
      if (std::abs(height(k)) <= tolerance) members.push_back(k);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      bool within = true;
      for (const int k : triangles[t]) within &= std::abs(height(k)) <= tolerance;
      if (within) taken[t] = true;
    }
    const auto ordered = order_corners(points, members, normal, tolerance);
    if (!ordered) return false;
    for (const int k : *ordered) ++n_faces[k];
    polygons.push_back(*ordered);
  }
  solid.faces.clear();
  solid.sides.clear();
  for (std::vector<int>& polygon : polygons) {
    // What is a corner of one or two faces lies on an edge: round-off has bent it.
    std::erase_if(polygon, [&](int k) { return n_faces[k] < 3; });
    if (polygon.size() < 3) return false;
    Vector3 sum = Vector3::Zero();
    const Vector3& origin = points[polygon[0]];
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
      sum += (points[polygon[i]] - origin).cross(points[polygon[i + 1]] - origin);
    }
    if (!(sum.norm() > 0.0)) return false;
    add_face(points, polygon, sum.normalized(), solid);
  }
  if (!close_faces(points, solid)) return false;
  for (Solid::Face& face : solid.faces) {
    for (const Vector3& point : points) {
      const double beyond = face.normal.dot(point) - face.offset;
      if (beyond > kLeftOut * tolerance) return false;
    }
  }
  return true;
}

void make_hull(const Convex& convex, Solid& solid) {
  std::vector<Vector3> points;
  for (const int k : make_convex_hull(convex.points, false).vertices) points.push_back(convex.points[k]);
  double reach = 0.0;
  for (const Vector3& point : points) reach = std::max(reach, (point - points.front()).norm());
  // Of points in one place, to round-off, one is enough.
  const auto is_new = [&](std::size_t k) {
    for (std::size_t i = 0; i < k; ++i) {
      if ((points[k] - points[i]).squaredNorm() <= kOnPlane.front() * kOnPlane.front() * reach * reach) return false;
    }
    return true;
  };
  std::vector<Vector3> distinct;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (is_new(k)) distinct.push_back(points[k]);
  }
  const std::vector<std::array<int, 3>> triangles = make_exact_hull(distinct);
  if (triangles.empty()) throw InputError("convex: the points must span a volume");
  for (const double tolerance : kOnPlane) {
    if (merge_triangles(distinct, triangles, tolerance * reach, solid)) return;
  }
  // Planes that cannot be told from each other: every triangle is a face.
  solid.faces.clear();
  solid.sides.clear();
  for (const auto& t : triangles) {
    add_face(distinct, {t[0], t[1], t[2]}, calc_exact_normal(distinct[t[0]], distinct[t[1]], distinct[t[2]]), solid);
  }
  if (!close_faces(distinct, solid)) throw InputError("convex: some of the points are too nearly in one place");
}

/// Edge 4 i + 2 (sign of the next axis is +) + (sign of the one after is +) is along axis i; face 2 i is that of +axis
/// i, 2 i + 1 of the other. Vertices are in the order of balls_of().
void make_box(const Vector3& size, Solid& solid) {
  solid.is_box = true;
  solid.half = 0.5 * size;
  for (const double z : {-0.5, 0.5}) {
    for (const double x : {0.5, -0.5}) {
      for (const double y : {0.5, -0.5}) solid.vertices.emplace_back(x * size(0), y * size(1), z * size(2));
    }
  }
  const auto vertex = [](bool x, bool y, bool z) {
    return 4 * static_cast<int>(z) + 2 * static_cast<int>(!x) + static_cast<int>(!y);
  };
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    for (const bool outer : {true, false}) {
      Solid::Face face;
      face.normal(i) = outer ? 1.0 : -1.0;
      face.offset = solid.half(i);
      face.begin = static_cast<int>(solid.sides.size());
      for (int corner = 0; corner < 4; ++corner) {
        const int turn = outer ? corner : 3 - corner;
        std::array<bool, 3> sign = {};
        sign[i] = outer;
        sign[j] = turn == 1 || turn == 2;
        sign[k] = turn >= 2;
        Solid::Side side;
        side.vertex = vertex(sign[0], sign[1], sign[2]);
        solid.sides.push_back(side);
      }
      face.end = static_cast<int>(solid.sides.size());
      solid.faces.push_back(face);
    }
  }
  [[maybe_unused]] const bool closed = connect(solid);
  STICKSLIP_ASSERT(closed);
  // In the order that the signs of a point give.
  std::array<int, 12> order = {};
  for (int e = 0; e < 12; ++e) {
    const Solid::Edge& edge = solid.edges[e];
    const Vector3 middle = solid.vertices[edge.tail] + solid.vertices[edge.head];
    Eigen::Index i = 0;
    edge.direction.cwiseAbs().maxCoeff(&i);
    order[e] = 4 * static_cast<int>(i) + 2 * static_cast<int>(middle((i + 1) % 3) > 0.0) +
               static_cast<int>(middle((i + 2) % 3) > 0.0);
  }
  std::vector<Solid::Edge> edges(12);
  for (int e = 0; e < 12; ++e) edges[order[e]] = solid.edges[e];
  solid.edges = edges;
  for (Solid::Side& side : solid.sides) side.edge = order[side.edge];
}

void make_polygon(std::vector<Vector3> points, Solid& solid) {
  double reach = 0.0;
  for (Vector3& point : points) {
    point(2) = 0.0;
    reach = std::max(reach, (point - points.front()).norm());
  }
  std::vector<int> members(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) members[k] = static_cast<int>(k);
  const auto ordered = order_corners(points, members, Vector3::UnitZ(), kOnPlane.front() * reach);
  if (!ordered) throw InputError("convex: the points must span an area");
  for (const int k : *ordered) solid.vertices.push_back(points[k]);
  const int n = static_cast<int>(solid.vertices.size());
  for (int k = 0; k < n; ++k) {
    const Vector3 along = solid.vertices[(k + 1) % n] - solid.vertices[k];
    Solid::Face face;
    face.normal = Vector3(along(1), -along(0), 0.0).normalized();
    face.offset = std::max(face.normal.dot(solid.vertices[k]), face.normal.dot(solid.vertices[(k + 1) % n]));
    solid.faces.push_back(face);
  }
}

/// The faces of a line whose vertices are in the frame of its body, and the tree over them.
void make_faces_of_line(bool closed, Solid& solid) {
  const std::size_t n = solid.vertices.size();
  std::vector<BoundingBox> boxes;
  for (std::size_t k = 0; k + (closed ? 0 : 1) < n; ++k) {
    const Vector3& tail = solid.vertices[k];
    const Vector3& head = solid.vertices[(k + 1) % n];
    Solid::Face face;
    face.normal = Vector3(tail(1) - head(1), head(0) - tail(0), 0.0).normalized();
    face.offset = face.normal.dot(tail);
    solid.faces.push_back(face);
    boxes.push_back({tail.cwiseMin(head), tail.cwiseMax(head)});
  }
  solid.patches = LineManifold::find_patches(solid);
  solid.tree = std::make_shared<const BoxTree>(std::move(boxes));
  const BoundingBox& box = solid.tree->box();
  solid.center = 0.5 * (box.lower + box.upper);
  solid.size = (box.upper - box.lower).norm();
}

/// Turns all that has a direction into the body's frame.
void place(const Shape& shape, Solid& solid) {
  const Placement at{shape.position, shape.rotation};
  for (Vector3& v : solid.vertices) v = Vector3(shape.position + shape.rotation * v);  // to the bit as balls_of()
  solid.center = at.apply(solid.center);
  solid.axes = at.R * solid.axes;
  for (Solid::Face& face : solid.faces) {
    face.normal = at.R * face.normal;
    face.offset += face.normal.dot(at.p);
  }
  for (Solid::Side& side : solid.sides) {
    side.outward = at.R * side.outward;
    side.offset += side.outward.dot(at.p);
  }
  for (Solid::Edge& edge : solid.edges) edge.direction = at.R * edge.direction;
}

struct MakeCore {
  const Shape& shape;
  bool planar;
  Solid& solid;

  void operator()(const Sphere& s) const {
    solid.radius = s.radius;
    solid.vertices = {Vector3::Zero()};
  }
  void operator()(const PointShape&) const { solid.vertices = {Vector3::Zero()}; }
  void operator()(const HalfSpace& h) const {
    solid.kind = Solid::Kind::half_space;
    solid.center = h.offset * h.normal;
    Solid::Face face;
    face.normal = h.normal;
    face.offset = h.offset;
    solid.faces = {face};
  }
  void operator()(const Cylinder& c) const {
    STICKSLIP_ASSERT(!c.inside && !planar);
    solid.kind = Solid::Kind::cylinder;
    solid.half = Vector3(c.radius, c.radius, 0.5 * *c.length);
    solid.size = 2.0 * std::hypot(c.radius, 0.5 * *c.length);
    solid.inradius = std::min(c.radius, 0.5 * *c.length);
    for (const double end : {-1.0, 1.0}) {
      for (int k = 0; k < kRimPoints; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / kRimPoints;
        solid.vertices.emplace_back(c.radius * std::cos(angle), c.radius * std::sin(angle), end * solid.half(2));
      }
    }
    solid.edges.resize(2);
    solid.faces.resize(3);
  }
  void operator()(const Ellipsoid& e) const {
    STICKSLIP_ASSERT(!planar);
    solid.kind = Solid::Kind::ellipsoid;
    solid.half = e.radii;
    solid.size = 2.0 * e.radii.maxCoeff();
    solid.inradius = e.radii.minCoeff();
    solid.faces.resize(1);
  }
  void operator()(const Mesh& m) const {
    STICKSLIP_ASSERT(!planar);
    solid.kind = Solid::Kind::surface;
    solid.surface = m.field ? make_field_surface(m.surface, *m.field, shape.position, shape.rotation)
                            : make_mesh_surface(*m.surface, shape.position, shape.rotation);
  }
  void operator()(const Polyline& line) const {
    STICKSLIP_ASSERT(planar);
    solid.kind = Solid::Kind::polyline;
    solid.vertices = *line.points;
  }
  void operator()(const Box& b) const {
    solid.kind = Solid::Kind::polytope;
    if (!planar) return make_box(b.size, solid);
    const double x = 0.5 * b.size(0);
    const double y = 0.5 * b.size(1);
    make_polygon({{x, y, 0}, {-x, y, 0}, {-x, -y, 0}, {x, -y, 0}}, solid);
  }
  void operator()(const Capsule& c) const {
    STICKSLIP_ASSERT(!planar);
    solid.radius = c.radius;
    solid.vertices = {Vector3(0.0, 0.0, -0.5 * c.length)};
    if (c.length <= 0.0) return;  // a ball
    solid.kind = Solid::Kind::segment;
    solid.vertices.emplace_back(0.0, 0.0, 0.5 * c.length);
    Solid::Edge edge;
    edge.head = 1;
    edge.direction = Vector3::UnitZ();
    edge.length = c.length;
    solid.edges = {edge};
  }
  void operator()(const Convex& c) const {
    solid.kind = Solid::Kind::polytope;
    if (!planar) return make_hull(c, solid);
    std::vector<Vector3> corners;
    for (const int k : make_convex_hull(c.points, true).vertices) corners.push_back(c.points[k]);
    make_polygon(corners, solid);
  }
};

}  // namespace

Solid make_solid(const Shape& shape, bool planar) {
  Solid solid;
  solid.planar = planar;
  std::visit(MakeCore{shape, planar, solid}, shape.geometry);
  if (solid.surface) {
    solid.center = solid.surface->center();
    solid.size = 2.0 * solid.surface->radius();
    return solid;
  }
  place(shape, solid);
  if (const auto* line = std::get_if<Polyline>(&shape.geometry)) {
    make_faces_of_line(line->closed, solid);
    return solid;
  }
  if (!is_curved(solid.kind) && solid.kind != Solid::Kind::half_space) finish(solid);
  return solid;
}

bool has_solid(const Shape& shape, bool planar) {
  return std::visit(Overloaded{[](const Sphere& s) { return !s.inside; }, [](const PointShape&) { return true; },
                               [](const HalfSpace&) { return false; }, [](const Box&) { return true; },
                               [planar](const Capsule&) { return !planar; },
                               [planar](const Cylinder& c) { return !planar && !c.inside; },
                               [](const Convex&) { return true; }, [planar](const Ellipsoid&) { return !planar; },
                               [planar](const Mesh&) { return !planar; }, [planar](const Polyline&) { return planar; }},
                    shape.geometry);
}

SurfaceFeature surface_of(const Solid& solid) {
  if (solid.kind == Solid::Kind::half_space) {
    return {SurfaceKind::half_space, solid.center, solid.faces.front().normal};
  }
  SurfaceFeature surface{SurfaceKind::cylinder, solid.center, solid.axes.col(2), solid.half(0), solid.half(2)};
  if (solid.kind == Solid::Kind::cylinder) return surface;
  surface.kind = SurfaceKind::ellipsoid;
  surface.half_axes = solid.axes * solid.half.asDiagonal();
  return surface;
}

Vector3 find_farthest(const Solid& solid, const Vector3& direction) {
  const Vector3 along = solid.axes.transpose() * direction;
  Vector3 x = solid.half.cwiseProduct(along);
  if (solid.kind == Solid::Kind::cylinder) {
    const double across = std::hypot(x(0), x(1));
    x.head<2>() *= across > 0.0 ? solid.half(0) / across : 0.0;
    x(2) = std::copysign(solid.half(2), along(2));
  } else if (const double norm = x.norm(); norm > 0.0) {
    x = solid.half.cwiseProduct(x) / norm;
  }
  return solid.center + solid.axes * x;
}

int find_support(const Solid& solid, const Vector3& direction, int start) {
  int best = 0;
  if (solid.first_neighbour.empty()) {
    double farthest = direction.dot(solid.vertices[0]);
    for (int k = 1; k < static_cast<int>(solid.vertices.size()); ++k) {
      const double along = direction.dot(solid.vertices[k]);
      if (along > farthest) {
        farthest = along;
        best = k;
      }
    }
    return best;
  }
  best = start;
  double farthest = direction.dot(solid.vertices[best]);
  for (;;) {
    int next = best;
    for (int i = solid.first_neighbour[best]; i < solid.first_neighbour[best + 1]; ++i) {
      const double along = direction.dot(solid.vertices[solid.neighbours[i]]);
      if (along > farthest) {
        farthest = along;
        next = solid.neighbours[i];
      }
    }
    if (next == best) return best;
    best = next;
  }
}

BoundingBox calc_bounding_box(const Solid& solid, const Placement& placement) {
  BoundingBox box;
  if (is_surface(solid.kind)) {
    // Round the box along the body's axes.
    const BoundingBox& own = solid.surface ? solid.surface->box() : solid.tree->box();
    const Vector3 center = placement.apply(0.5 * (own.lower + own.upper));
    const Vector3 reach = placement.R.cwiseAbs() * (0.5 * (own.upper - own.lower));
    box = {center - reach, center + reach};
  } else if (solid.is_box) {
    const Vector3 center = placement.apply(solid.center);
    const Vector3 reach = (placement.R * solid.axes).cwiseAbs() * solid.half;
    box = {center - reach, center + reach};
  } else if (is_curved(solid.kind)) {
    const Vector3 center = placement.apply(solid.center);
    const Matrix3 half_axes = placement.R * solid.axes * solid.half.asDiagonal();
    Vector3 reach = half_axes.rowwise().norm();
    if (solid.kind == Solid::Kind::cylinder) {
      reach = half_axes.leftCols<2>().rowwise().norm() + half_axes.col(2).cwiseAbs();
    }
    box = {center - reach, center + reach};
  } else if (!solid.first_neighbour.empty()) {
    for (int i = 0; i < 3; ++i) {
      const Vector3 along = placement.R.row(i);
      box.lower(i) = placement.apply(solid.vertices[find_support(solid, -along)])(i);
      box.upper(i) = placement.apply(solid.vertices[find_support(solid, along)])(i);
    }
  } else {
    box.lower = box.upper = placement.apply(solid.vertices.front());
    for (const Vector3& vertex : solid.vertices) {
      const Vector3 x = placement.apply(vertex);
      box.lower = box.lower.cwiseMin(x);
      box.upper = box.upper.cwiseMax(x);
    }
  }
  box.lower.array() -= solid.radius;
  box.upper.array() += solid.radius;
  if (solid.planar) box.lower(2) = box.upper(2) = 0.0;
  return box;
}

}  // namespace stickslip
