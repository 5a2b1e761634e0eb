// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/line_manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/box_tree.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/triangle_surface.h"

namespace stickslip {
namespace {

// As on surfaces of triangles (surface_manifold.cpp, surface_manifold.h).

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
/// [-] Of the sizes and places of a pair: round-off of lengths.
constexpr double kRoundOffOnLine = 1e-14;
/// [-] Of the smaller size: points that are nearer to each other, with the same normal, are one.
constexpr double kOnePlaceOnLine = 1e-10;
constexpr double kOneDirection = 1e-6;
/// [-] Of its depth: how near to a point of a corner another parts the same overlap.
constexpr double kNearDepth = 2.0;
/// [-] Sine of the angle up to which faces lie on each other.
constexpr double kLiesOnLine = 0.1;
/// [-] How far a normal may be outside those that a corner has: round-off of unit vectors, with a margin.
constexpr double kBeyondNormals = 1e-12;

double cross_of(const Vector3& a, const Vector3& b) {
  return a(0) * b(1) - a(1) * b(0);
}

}  // namespace

void LineManifold::calc(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at,
                        double within, std::vector<ManifoldPoint>& points) {
  points.clear();
  const bool line_is_second = first.kind != Solid::Kind::polyline;
  const Placement& line_at = line_is_second ? second_at : first_at;
  const Placement& core_at = line_is_second ? first_at : second_at;
  Pair pair{line_is_second ? second : first,
            line_is_second ? first : second,
            line_at.relative(core_at),
            line_is_second,
            within,
            0.0};
  const Vector3 middle = pair.at.apply(pair.core.center);
  pair.tie = kRoundOffOnLine *
             (pair.core.size + pair.line.center.norm() + pair.line.size + (middle - pair.line.center).norm());
  if (pair.within == kNoLimit) {
    find_nearest(pair.line, middle, pair.within);
    pair.within += pair.tie;
  }
  found_.clear();
  collect(pair);
  for (const Found& found : found_) append(points, to_manifold_point(found, line_at, line_is_second));
}

double LineManifold::calc_reach(const Solid& line, const Placement& line_at, const Solid& core,
                                const Placement& core_at, FeatureId feature) {
  const Vector3 middle = line_at.relative(core_at).apply(core.center);
  const int index = feature_index(feature);
  const Vector3& corner = line.vertices[index];
  const bool is_face = feature_kind(feature) == FeatureKind::face;
  return is_face ? calc_reach_over_patch(line.faces[index].normal, corner, core, middle) : (middle - corner).norm();
}

int LineManifold::face_before(const Solid& line, int corner) {
  if (corner > 0) return corner - 1;
  return is_closed(line) ? n_vertices(line) - 1 : -1;
}

int LineManifold::face_behind(const Solid& line, int corner) {
  return corner < static_cast<int>(line.faces.size()) ? corner : -1;
}

/// [rad] > 0 to the right, where the solid is: convex.
double LineManifold::turn_at(const Solid& line, int corner) {
  const Vector3& before = line.faces[face_before(line, corner)].normal;
  const Vector3& behind = line.faces[face_behind(line, corner)].normal;
  return std::atan2(-cross_of(before, behind), before.dot(behind));
}

LineManifold::Corner LineManifold::kind_of(const Solid& line, int corner) {
  if (face_before(line, corner) < 0 || face_behind(line, corner) < 0) return Corner::border;
  const double turn = turn_at(line, corner);
  if (std::abs(turn) <= kFlatAngle) return Corner::flat;
  return turn > 0.0 ? Corner::convex : Corner::concave;
}

std::vector<int> LineManifold::find_patches(const Solid& line) {
  const int n = static_cast<int>(line.faces.size());
  std::vector<int> patches(n);
  const auto goes_on = [&](int face, int first) {
    return kind_of(line, face) == Corner::flat &&
           (line.faces[face].normal - line.faces[first].normal).norm() <= kPatchAngle;
  };
  for (int k = 1; k < n; ++k) patches[k] = goes_on(k, patches[k - 1]) ? patches[k - 1] : k;
  if (const int last = patches.back(); is_closed(line) && goes_on(0, last)) std::ranges::replace(patches, last, 0);
  return patches;
}

/// Of a border or a convex corner: whether n is between the normals of its faces, up to `slack`.
bool LineManifold::has_normal(const Solid& line, int corner, const Vector3& n, double slack) {
  // A face runs along its normal turned to the right.
  const int before = face_before(line, corner);
  const int behind = face_behind(line, corner);
  if (before >= 0 && behind >= 0 && n.dot(line.faces[before].normal + line.faces[behind].normal) < 0.0) return false;
  return (before < 0 || -cross_of(n, line.faces[before].normal) <= slack) &&
         (behind < 0 || cross_of(n, line.faces[behind].normal) <= slack);
}

LineManifold::Foot LineManifold::find_foot(const Solid& line, int face, const Vector3& x) {
  const int head = (face + 1) % n_vertices(line);
  const Vector3& a = line.vertices[face];
  const Vector3 along = line.vertices[head] - a;
  const double share = along.dot(x - a) / along.squaredNorm();
  if (!(share > 0.0)) return {a, face};
  if (!(share < 1.0)) return {line.vertices[head], head};
  return {a + share * along, -1};
}

double LineManifold::height_over(const Pair& pair, int face, const Vector3& x) {
  return pair.line.faces[face].normal.dot(x - pair.line.vertices[face]);
}

/// Whether the foot of x is on a face; what is on a flat corner is on both faces.
bool LineManifold::is_on_face(const Pair& pair, int face, const Vector3& x, double height) {
  const Solid& line = pair.line;
  const Vector3& n = line.faces[face].normal;
  const int head = (face + 1) % n_vertices(line);
  // Along the face; beyond its head, before its tail.
  const auto reaches = [&](int corner, double beyond) {
    if (beyond <= pair.tie) return true;
    if (kind_of(line, corner) != Corner::flat) return false;
    return beyond <= pair.tie + 2.0 * std::abs(turn_at(line, corner) * height);
  };
  return reaches(head, cross_of(x - line.vertices[head], n)) && reaches(face, -cross_of(x - line.vertices[face], n));
}

int LineManifold::find_nearest(const Solid& line, const Vector3& x, double& distance) {
  const BoxTree::Nearest nearest =
      line.tree->find_nearest(x, [&](int face) { return (x - find_foot(line, face, x).at).norm(); });
  distance = nearest.distance;
  return nearest.index;
}

/// Whether x, whose nearest face is `nearest`, is in the solid. Beside a border there is nothing.
bool LineManifold::is_inside(const Solid& line, const Vector3& x, int nearest) {
  const Foot foot = find_foot(line, nearest, x);
  Vector3 outward = line.faces[nearest].normal;
  if (foot.corner >= 0) {
    const int before = face_before(line, foot.corner);
    const int behind = face_behind(line, foot.corner);
    if (before < 0 || behind < 0) return false;
    outward = line.faces[before].normal + line.faces[behind].normal;
  }
  return outward.dot(x - foot.at) < 0.0;
}

void LineManifold::collect(const Pair& pair) {
  const Solid& line = pair.line;
  BoundingBox box = calc_bounding_box(pair.core, pair.at);
  const double reach = std::max(pair.within, 0.0) + pair.tie;
  box.lower.array() -= reach;
  box.upper.array() += reach;
  line.tree->find(box, near_);
  place_core(pair);
  corners_.clear();
  if (near_.empty()) {
    // All of it is on one side.
    const Vector3 middle = pair.at.apply(pair.core.center);
    if ((middle - line.center).norm() > 0.5 * line.size + pair.core.size) return;
    double distance = 0.0;
    const int nearest = find_nearest(line, middle, distance);
    if (!is_inside(line, middle, nearest)) return;
    distance += pair.tie;
    line.tree->find({middle.array() - distance, middle.array() + distance}, near_);
  } else {
    for (const int face : near_) {
      for (const int corner : {face, (face + 1) % n_vertices(line)}) append(corners_, corner);
    }
    std::sort(corners_.begin(), corners_.end());
    corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
  }
  add_vertices(pair);
  for (const int corner : corners_) {
    const Vector3& x = line.vertices[corner];
    if (!box.overlaps({x, x})) continue;
    const Corner kind = kind_of(line, corner);
    if (kind == Corner::convex || kind == Corner::border) add_corner(pair, corner);
  }
  if (pair.core.kind != Solid::Kind::ball &&
      std::ranges::none_of(found_, [](const Found& found) { return found.gap < 0.0; })) {
    for (const int face : near_) {
      if (reaches_in(pair, face, -2.0 * pair.tie)) add_crossed(pair, face);
    }
  }
  merge(pair);
}

/// Sets vertices and faces of the core in the frame of the polyline.
void LineManifold::place_core(const Pair& pair) {
  vertices_.clear();
  core_normals_.clear();
  core_offsets_.clear();
  for (const Vector3& x : pair.core.vertices) append(vertices_, pair.at.apply(x));
  for (const Solid::Face& face : pair.core.faces) {
    append(core_normals_, Vector3(pair.at.R * face.normal));
    append(core_offsets_, face.offset + core_normals_.back().dot(pair.at.p));
  }
}

/// Whether a vertex of the core is the lowest along n, up to `slack`.
bool LineManifold::core_allows(const Pair& pair, int vertex, const Vector3& n, double slack) const {
  if (pair.core.kind == Solid::Kind::ball) return true;
  const int n_faces = static_cast<int>(core_normals_.size());
  // Counter-clockwise the normal of the face before the vertex, -n, and that of the face behind it.
  const Vector3& before = core_normals_[(vertex + n_faces - 1) % n_faces];
  const Vector3& behind = core_normals_[vertex];
  return n.dot(before + behind) < 0.0 && cross_of(before, -n) >= -slack && cross_of(-n, behind) >= -slack;
}

void LineManifold::add(const Pair& pair, const Found& found) {
  if (found.gap <= pair.within) append(found_, found);
}

void LineManifold::add_vertex_on_face(const Pair& pair, int face, int vertex, double way_out, bool may_be_void) {
  const double height = height_over(pair, face, vertices_[vertex]);
  Found found;
  found.of_surface = make_feature(FeatureKind::face, pair.line.patches[face]);
  found.of_core = make_feature(FeatureKind::vertex, vertex);
  found.surface.center = pair.line.vertices[face];
  found.surface.axis = pair.line.faces[face].normal;
  found.ball.center = pair.core.vertices[vertex];
  found.ball.radius = pair.core.radius;
  found.gap = height - pair.core.radius;
  found.normal = found.surface.axis;
  found.on_surface = vertices_[vertex] - height * found.normal;
  found.way_out = way_out;
  found.may_be_void = may_be_void;
  add(pair, found);
}

/// Whether a face has a part in the polygon, made larger by `slack` [m].
bool LineManifold::reaches_in(const Pair& pair, int face, double slack) const {
  const Vector3& tail = pair.line.vertices[face];
  const Vector3& head = pair.line.vertices[(face + 1) % n_vertices(pair.line)];
  double from = 0.0;
  double to = 1.0;
  for (std::size_t k = 0; k < core_normals_.size(); ++k) {
    const double at_tail = core_normals_[k].dot(tail) - core_offsets_[k] - slack;
    const double at_head = core_normals_[k].dot(head) - core_offsets_[k] - slack;
    if (at_tail > 0.0 && at_head > 0.0) return false;
    if (at_tail > 0.0) from = std::max(from, at_tail / (at_tail - at_head));
    if (at_head > 0.0) to = std::min(to, at_tail / (at_tail - at_head));
  }
  return from <= to;
}

/// Whether a face that is near reaches into the polygon, or all of this is inside the solid. What goes round the end of
/// an open line does neither, though some of it is behind a face.
bool LineManifold::may_be_inside(const Pair& pair) const {
  const Solid& line = pair.line;
  if (is_closed(line) || pair.core.kind == Solid::Kind::ball) return true;
  if (std::ranges::any_of(near_, [&](int face) { return reaches_in(pair, face, 2.0 * pair.tie); })) return true;
  return std::ranges::all_of(vertices_, [&](const Vector3& x) {
    double distance = 0.0;
    return is_inside(line, x, find_nearest(line, x, distance));
  });
}

/// The vertex of the core that is lowest over a face.
int LineManifold::find_lowest(const Pair& pair, int face) const {
  const auto height = [&](const Vector3& x) { return height_over(pair, face, x); };
  return static_cast<int>(std::ranges::min_element(vertices_, {}, height) - vertices_.begin());
}

/// Of a polygon and a face that cross where no feature of the one is inside the other, as corners do that pass each
/// other: what the least translation towards the free side parts.
void LineManifold::add_crossed(const Pair& pair, int face) {
  const Solid& line = pair.line;
  const Vector3& normal = line.faces[face].normal;
  const std::array<int, 2> ends = {face, (face + 1) % n_vertices(line)};
  const int vertex = find_lowest(pair, face);
  double most = height_over(pair, face, vertices_[vertex]);
  int best = -1;
  int end = -1;
  for (int f = 0; f < static_cast<int>(core_normals_.size()); ++f) {
    if (core_normals_[f].dot(normal) > 0.0) continue;
    const auto height = [&](int corner) { return core_normals_[f].dot(line.vertices[corner]) - core_offsets_[f]; };
    const int lower = height(ends[1]) < height(ends[0]) ? ends[1] : ends[0];
    if (height(lower) <= most) continue;
    most = height(lower);
    best = f;
    end = lower;
  }
  if (best < 0) return add_vertex_on_face(pair, face, vertex, -most, false);
  add(pair, make_corner_on_face(pair, end, best, most));
}

/// Of each vertex of the core the faces in front of which it is; behind them, those that it comes out of first.
void LineManifold::add_vertices(const Pair& pair) {
  std::optional<bool> can_be_inside;
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    const Vector3& x = vertices_[v];
    bool is_behind_face = false;
    for (const int face : near_) {
      const double height = height_over(pair, face, x);
      if (height - pair.core.radius > pair.within || !core_allows(pair, v, pair.line.faces[face].normal, kLiesOnLine)) {
        continue;
      }
      if (height < 0.0) {
        is_behind_face = true;
      } else if (is_on_face(pair, face, x, height)) {
        add_vertex_on_face(pair, face, v, -height, false);
      }
    }
    if (!is_behind_face) continue;
    if (!can_be_inside) can_be_inside = may_be_inside(pair);
    if (*can_be_inside) add_vertex_inside(pair, v);
  }
}

/// Of a vertex inside, the face through which the way out is shortest, of those on which it can lie, and both where a
/// concave corner is nearest.
void LineManifold::add_vertex_inside(const Pair& pair, int vertex) {
  const Solid& line = pair.line;
  const Vector3& x = vertices_[vertex];
  double nearest = 0.0;
  const int of_nearest = find_nearest(line, x, nearest);
  if (!is_inside(line, x, of_nearest)) return;
  const auto may_lie_on = [&](int face) {
    return height_over(pair, face, x) < 0.0 && core_allows(pair, vertex, line.faces[face].normal, kLiesOnLine);
  };
  int best = may_lie_on(of_nearest) ? of_nearest : -1;
  double distance = best >= 0 ? nearest : kNoLimit;
  for (const int face : near_) {
    if (best == of_nearest || !may_lie_on(face)) continue;
    const double to_face = (x - find_foot(line, face, x).at).norm();
    if (!(to_face < distance)) continue;
    distance = to_face;
    best = face;
  }
  if (best < 0) return;
  const bool may_be_void = distance > nearest + pair.tie;
  add_vertex_on_face(pair, best, vertex, distance, may_be_void);
  const int corner = find_foot(line, best, x).corner;
  if (corner < 0 || kind_of(line, corner) != Corner::concave) return;
  const int before = face_before(line, corner);
  const int other = before == best ? face_behind(line, corner) : before;
  if (may_lie_on(other)) add_vertex_on_face(pair, other, vertex, distance, may_be_void);
}

void LineManifold::add_corner(const Pair& pair, int corner) {
  const Vector3& w = pair.line.vertices[corner];
  Found found;
  found.of_surface = make_feature(FeatureKind::vertex, corner);
  found.on_surface = w;
  found.ball.center = w;
  found.surface_on_core = true;
  found.may_be_void = true;
  add_corner_on_faces(pair, corner);
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    const Vector3 d = vertices_[v] - w;
    const double distance = d.norm();
    if (distance - pair.core.radius > pair.within || !(distance > pair.tie)) continue;
    const Vector3 n = d / distance;
    if (!has_normal(pair.line, corner, n, pair.tie / distance) || !core_allows(pair, v, n, kBeyondNormals)) continue;
    found.of_core = make_feature(FeatureKind::vertex, v);
    found.surface = {SurfaceKind::sphere, pair.core.vertices[v]};
    found.surface.radius = pair.core.radius;
    found.gap = distance - pair.core.radius;
    found.normal = n;
    add(pair, found);
  }
}

/// In front of a face of the core, or inside behind the one that it comes out of first, of those on which it can lie.
void LineManifold::add_corner_on_faces(const Pair& pair, int corner) {
  const Vector3& w = pair.line.vertices[corner];
  const int n_faces = static_cast<int>(core_normals_.size());
  if (n_faces == 0) return;
  int best = -1;
  double most = -kNoLimit;
  double of_all = -kNoLimit;
  for (int f = 0; f < n_faces; ++f) {
    const double height = core_normals_[f].dot(w) - core_offsets_[f];
    of_all = std::max(of_all, height);
    if (height <= most || !has_normal(pair.line, corner, -core_normals_[f], kLiesOnLine)) continue;
    most = height;
    best = f;
  }
  // In front of one face it is not behind another.
  if (best < 0 || of_all > pair.within || (most < 0.0 && of_all >= 0.0)) return;
  const Vector3 n = -core_normals_[best];
  const double to_tail = cross_of(core_normals_[best], w - vertices_[best]);
  const double to_head = -cross_of(core_normals_[best], w - vertices_[(best + 1) % n_faces]);
  if (to_tail < -pair.tie || to_head < -pair.tie) return;
  // A face beside it may part the two by a shorter way.
  for (const int beside : {face_before(pair.line, corner), face_behind(pair.line, corner)}) {
    if (most >= 0.0 || beside < 0) continue;
    const int lowest = find_lowest(pair, beside);
    const double height = height_over(pair, beside, vertices_[lowest]);
    if (height > most + pair.tie && height < 0.0) return add_vertex_on_face(pair, beside, lowest, -height, true);
  }
  Found found = make_corner_on_face(pair, corner, best, most);
  found.may_be_void = true;
  add(pair, found);
}

LineManifold::Found LineManifold::make_corner_on_face(const Pair& pair, int corner, int core_face, double gap) const {
  Found found;
  found.of_surface = make_feature(FeatureKind::vertex, corner);
  found.of_core = make_feature(FeatureKind::face, core_face);
  found.surface.center = pair.core.vertices[core_face];
  found.surface.axis = pair.core.faces[core_face].normal;
  found.surface_on_core = true;
  found.ball.center = found.on_surface = pair.line.vertices[corner];
  found.gap = gap;
  found.normal = -core_normals_[core_face];
  return found;
}

/// Of points in one place with one normal the first: where the border of one feature is, others begin; likewise of a
/// vertex over a flat corner, which is on the faces beside it.
void LineManifold::merge(const Pair& pair) {
  const double smaller = std::min(pair.core.size > 0.0 ? pair.core.size : kNoLimit, pair.line.size);
  const double nearby = std::max(kOnePlaceOnLine * smaller, 4.0 * pair.tie);
  // An overlap that another point parts by a shorter way has none of a corner. What has passed a border from beside has
  // that alone, not what of it is behind faces.
  const auto is_of_border = [&](const Found& found) {
    return feature_kind(found.of_surface) == FeatureKind::vertex &&
           kind_of(pair.line, feature_index(found.of_surface)) == Corner::border;
  };
  for (Found& found : found_) {
    if (found.gap >= 0.0) continue;
    found.is_void = std::ranges::any_of(found_, [&](const Found& other) {
      return other.gap > found.gap && other.gap < 0.0 && (found.may_be_void || is_of_border(other)) &&
             (other.on_surface - found.on_surface).norm() < kNearDepth * std::max(found.way_out, -found.gap);
    });
  }
  std::erase_if(found_, [](const Found& found) { return found.is_void; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Found& found = found_[i];
    bool is_known = false;
    for (std::size_t k = 0; k < kept && !is_known; ++k) {
      is_known = (found_[k].of_surface == found.of_surface && found_[k].of_core == found.of_core) ||
                 ((found_[k].normal - found.normal).norm() <= kOneDirection &&
                  (found_[k].on_surface - found.on_surface).norm() <= nearby);
    }
    if (is_known) continue;
    if (kept != i) found_[kept] = found_[i];
    ++kept;
  }
  found_.resize(kept);
}

}  // namespace stickslip
