// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/cylinder_normal.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "stickslip/collision/curved_points.h"
#include "stickslip/collision/ellipsoid_gap.h"
#include "stickslip/collision/nearest_search.h"
#include "stickslip/collision/two_rims.h"

namespace stickslip {
namespace {

/// [-] Of the larger size, as of polytopes (manifold.cpp): separations that differ by less are the same.
constexpr double kSameSeparation = 4e-14;
/// [-] Sine of an angle below which an edge is along the axis: what is across both is round-off.
constexpr double kAlongAxis = 1e-14;
/// [-] Sine of an angle below which a cap or a side lies flat on a face: any of its points is nearest.
constexpr double kLiesFlat = 1e-9;
/// [-] By how much a normal across an edge may be outside those of its faces: the separation is measured anyway.
constexpr double kOutsideArc = 1e-9;
/// [-] The same at a vertex, of which it decides.
constexpr double kOutsideCone = 1e-14;

double across_z(const Vector3& m) {
  return std::hypot(m(0), m(1));
}

/// The normal of an ellipse with half axes a <= b along x and y at the point that is nearest to y, among those of the
/// half x >= 0: a maximum of n . y - |(a n_x, b n_y)| over unit vectors n. Whether there is one.
bool find_half_ellipse_normal(double a, double b, const Eigen::Vector2d& y, Eigen::Vector2d& n) {
  constexpr int kMaxTurns = 100;
  if (y(0) >= 0.0) {
    const double t = find_ellipsoid_foot({a, b, b}, {y(0), y(1), 0.0});
    const double beyond = t + a * a;
    if (beyond > 0.0 && y(0) > 0.0) {
      n = Eigen::Vector2d(y(0) / beyond, y(1) / (t + b * b)).normalized();
      return true;
    }
    if (!(b > a)) {
      n = y(1) == 0.0 ? Eigen::Vector2d::UnitX() : Eigen::Vector2d(0.0, y(1) < 0.0 ? -1.0 : 1.0);
      return true;
    }
    // On the long axis, inside, the nearest points are beside it; outside it is the end of this axis.
    const double m = y(1) / (b * b - a * a);
    const double rest = 1.0 - m * m * b * b;
    if (rest > 0.0) {
      n = Eigen::Vector2d(std::sqrt(rest), m * a).normalized();
    } else {
      n = Eigen::Vector2d(0.0, y(1) < 0.0 ? -1.0 : 1.0);
    }
    return true;
  }
  // Nothing of a disc seen from its edge is in the other half.
  if (!(a > kAlongAxis * b)) return false;
  // From the other half: the point x = (a^2 y_0 / (t + a^2), b^2 y_1 / (t + b^2)) with -b^2 < t < -a^2, of the two
  // roots of |x|_ellipse = 1 the larger. Newton's method goes down to it from where the first term alone is 1.
  double t = -a * a + a * y(0);
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    if (!(t > -b * b)) return false;
    const double first = t + a * a;
    const double second = t + b * b;
    const double part = a * y(0) / first;
    const double other = b * y(1) / second;
    const double sum = part * part + other * other - 1.0;
    if (!(sum > 0.0)) break;
    const double slope = -2.0 * (part * part / first + other * other / second);
    if (!(slope > 0.0)) return false;
    const double next = t - sum / slope;
    if (!(next < t)) break;
    t = next;
  }
  if (!(t > -b * b)) return false;
  n = Eigen::Vector2d(y(0) / (t + a * a), y(1) / (t + b * b)).normalized();
  return n.allFinite();
}

/// The largest n . c over the unit vectors with n . a >= 0. [m]
double most_along(const Vector3& c, const Vector3& a) {
  return c.dot(a) < 0.0 ? c.cross(a).norm() : c.norm();
}

/// [-] Sine of the angle from a rim's axis below which a direction is the axis, to round-off.
constexpr double kAlmostUp = 1e-12;

/// Of a tangent of a rim, the direction that parts it the most from the other solid, whose nearest point and feature.
struct TangentNormal {
  double separation = -std::numeric_limits<double>::infinity();  // [m]
  Vector3 n = Vector3::UnitZ();                                  // (3) [-]
  double place = 0.0;                                            // [m] of the nearest point along the tangent
  bool is_up = false;                                            // n is the rim's axis
};

/// Angles of a rim that are looked at first; its maxima are farther apart, and where solids are apart there is one.
constexpr int kRimAngles = 12;
/// [-] Of the angle between two of these: one that is nearer is not looked at.
constexpr double kSameAngle = 1e-3;

struct RimAngle {
  double angle = 0.0;  // [rad]
  TangentNormal normal;
  double slope = 0.0;  // [m] of the separation over the angle, but for a factor > 0; of no meaning where normal.is_up
};

/// The largest separation between two angles, of which `best` has more than both: by the method of false position for
/// the slope, and by halves where it has no meaning or does not lead on.
template <class Look>
TangentNormal climb_rim(const Look& look, double tie, RimAngle low, RimAngle best, RimAngle high) {
  constexpr int kMaxTurns = 80;  // ten are usual
  constexpr int kHalves = 4;     // so often false position is not used
  for (int turn = 0; turn < kMaxTurns && best.slope != 0.0; ++turn) {
    RimAngle& end = best.slope > 0.0 ? high : low;
    const bool halves = end.normal.is_up || end.slope * best.slope >= 0.0 || turn % kHalves == kHalves - 1;
    const double angle = halves ? 0.5 * (end.angle + best.angle)
                                : (end.angle * best.slope - best.angle * end.slope) / (best.slope - end.slope);
    if (!(angle > low.angle && angle < high.angle) || angle == best.angle) break;
    const RimAngle at = look(angle);
    // The separation tells until round-off hides it, then the slope.
    const double more = at.normal.separation - best.normal.separation;
    const bool same = std::abs(more) <= tie && !at.normal.is_up;
    if (same ? std::abs(at.slope) < std::abs(best.slope) : more > 0.0) {
      (at.angle > best.angle ? low : high) = best;
      best = at;
      end.slope *= 0.5;
    } else {
      end = at;
    }
  }
  return best.normal;
}

/// An ellipsoid in the frame of a pair's first.
class EllipsoidOther {
 public:
  explicit EllipsoidOther(const CylinderPair& pair)
      : center(pair.Q * pair.other.center + pair.q),
        half_axes_(pair.Q * pair.other.axes * pair.other.half.asDiagonal()) {}

  const Matrix3& half_axes() const { return half_axes_; }
  /// How far it reaches from its centre against n. [m]
  double support(const Vector3& n) const { return (half_axes_.transpose() * n).norm(); }
  /// Its farthest point against n.
  Vector3 lowest(const Vector3& n) const {
    const Vector3 along = half_axes_.transpose() * n;
    return center - half_axes_ * along / along.norm();
  }
  /// Over the directions across `tangent` between `up` and `out`, of a line through x.
  TangentNormal find_normal(const Vector3& x, const Vector3& tangent, const Vector3& up, const Vector3& out) const {
    TangentNormal found;
    const auto offer = [&](const Vector3& n) {
      if (n.dot(up) < 0.0 || n.dot(out) < 0.0) return;
      const double separation = n.dot(center - x) - support(n);
      if (!(separation > found.separation)) return;
      found.separation = separation;
      found.n = n;
    };
    offer(find_normal_of_line(tangent, half_axes_, center - x));
    if (found.separation < 0.0) offer_both_halves(x, up, out, offer);
    offer(up);
    offer(out);
    found.is_up = found.n.dot(out) <= kAlmostUp;
    found.place = tangent.dot(lowest(found.n) - x);
    return found;
  }

  /// In overlap the nearest point of each half of the ellipse that is seen along `up` x `out`.
  template <class Offer>
  void offer_both_halves(const Vector3& x, const Vector3& up, const Vector3& out, const Offer& offer) const {
    const Vector3 along_up = half_axes_.transpose() * up;
    const Vector3 along_out = half_axes_.transpose() * out;
    const double turn =
        0.5 * std::atan2(2.0 * along_up.dot(along_out), along_up.squaredNorm() - along_out.squaredNorm());
    const Vector3 longer = std::cos(turn) * up + std::sin(turn) * out;
    const Vector3 shorter = std::cos(turn) * out - std::sin(turn) * up;
    const double a = (half_axes_.transpose() * shorter).norm();
    const double b = (half_axes_.transpose() * longer).norm();
    const Vector3 d = x - center;
    Eigen::Vector2d n;
    for (const double half : {-1.0, 1.0}) {
      if (!find_half_ellipse_normal(a, b, {half * shorter.dot(d), longer.dot(d)}, n)) continue;
      offer(Vector3(-half * n(0) * shorter - n(1) * longer));
    }
  }

  Vector3 center;  // (3) [m]

 private:
  Matrix3 half_axes_;  // (3, 3) [m]
};

}  // namespace

CylinderPair::CylinderPair(const Solid& first, const Placement& first_at, const Solid& second,
                           const Placement& second_at)
    : cylinder(first), other(second), radius(first.half(0)), half(first.half(2)) {
  const Placement at = first_at.relative(second_at);
  Q = cylinder.axes.transpose() * at.R;
  q = cylinder.axes.transpose() * (at.p - cylinder.center);
  const double larger = std::max(first.size, second.size);
  tie = kSameSeparation * larger;
  round_off = kOnFeature * larger;
}

double CylinderPair::support(const Vector3& m) const {
  return radius * across_z(m) + half * std::abs(m(2));
}

bool find_normal_of_rim(const Vector3& along, const Vector3& axis, double sign, double r, const Vector3& y,
                        Vector3& m) {
  // Seen along the line the rim is an ellipse: its long half axis r is across line and axis, u; the short one w.
  const double cosine = along.dot(axis);
  Vector3 u = axis.cross(along);
  const double sine = u.norm();
  if (sine > kAlongAxis) {
    u /= sine;
    u -= u.dot(along) * along;
    u.normalize();
  } else {
    u = along.unitOrthogonal();
  }
  Vector3 w = along.cross(u);
  // Where the line is along the axis one half of the circle each.
  if ((w.dot(axis) < 0.0) == (sign > 0.0)) w = -w;
  Eigen::Vector2d n;
  if (!find_half_ellipse_normal(std::min(1.0, std::abs(cosine)) * r, r, {w.dot(y), u.dot(y)}, n)) return false;
  m = n(0) * w + n(1) * u;
  return true;
}

void CylinderNormalSearch::offer(const CylinderNormal& candidate) {
  const double beyond = candidate.gap - best_.gap;
  // Nothing has been offered where the best gap is -inf.
  if (!(best_.gap > -std::numeric_limits<double>::infinity())) {
    best_ = candidate;
    return;
  }
  if (beyond > tie_ || (beyond >= -tie_ && candidate.holds && !best_.holds)) best_ = candidate;
}

CylinderNormal CylinderNormalSearch::find(const CylinderPair& pair) {
  best_ = {};
  tie_ = pair.tie;
  if (pair.other.kind == Solid::Kind::cylinder) {
    offer_cylinder(pair);
  } else if (pair.other.kind == Solid::Kind::ellipsoid) {
    offer_ellipsoid(pair);
  } else {
    offer_polytope(pair);
  }
  return best_;
}

void CylinderNormalSearch::offer_polytope(const CylinderPair& pair) {
  const Solid& other = pair.other;
  offer_faces(pair);
  // The caps.
  for (const double sign : {-1.0, 1.0}) {
    double least = std::numeric_limits<double>::infinity();
    int nearest = 0;
    bool above = false;
    for (int v = 0; v < static_cast<int>(other.vertices.size()); ++v) {
      const Vector3 x = pair.place(other.vertices[v]);
      const double height = sign * x(2);
      const bool is_above = across_z(x) <= pair.radius;
      if (height < least - pair.tie || (height <= least + pair.tie && is_above && !above)) {
        nearest = v;
        above = is_above;
      }
      least = std::min(least, height);
    }
    CylinderNormal cap;
    cap.gap = least - pair.half;
    cap.m = Vector3(0.0, 0.0, sign);
    cap.of_cylinder = face_id(end_along(sign));
    cap.of_other = vertex_id(nearest);
    cap.holds = above;
    offer(cap);
  }
  for (int e = 0; e < static_cast<int>(other.edges.size()); ++e) offer_edge(pair, e);
  for (int v = 0; v < static_cast<int>(other.vertices.size()); ++v) offer_vertex(pair, v);
}

void CylinderNormalSearch::offer_faces(const CylinderPair& pair) {
  const Solid& other = pair.other;
  for (int f = 0; f < static_cast<int>(other.faces.size()); ++f) {
    const Solid::Face& face = other.faces[f];
    CylinderNormal at;
    at.m = -(pair.Q * face.normal);
    at.gap = at.m.dot(pair.q) - face.offset - pair.support(at.m);
    if (at.gap < best_.gap - pair.tie) continue;
    const double across = across_z(at.m);
    const bool flat = across < kLiesFlat || std::abs(at.m(2)) < kLiesFlat;
    at.of_cylinder = across < kLiesFlat ? face_id(end_along(at.m(2))) : edge_id(end_along(at.m(2)));
    at.of_other = face_id(f);
    at.holds = true;
    if (!flat) {
      const double out = pair.radius / across;
      const Vector3 x = pair.in_other({out * at.m(0), out * at.m(1), std::copysign(pair.half, at.m(2))});
      for (const Solid::Side& side : other.sides_of(f)) {
        at.holds &= side.outward.dot(x - other.vertices[side.vertex]) <= pair.round_off;
      }
    }
    offer(at);
  }
}

/// A direction across an edge or at a vertex that is among the normals there, to round-off.
void CylinderNormalSearch::offer_along(const CylinderPair& pair, const Vector3& m, FeatureId of_cylinder,
                                       FeatureId of_other, bool holds) {
  const Solid& other = pair.other;
  const int index = feature_index(of_other);
  const int start = feature_kind(of_other) == FeatureKind::vertex ? index : other.edges[index].tail;
  const double reach = pair.support(m);
  const double at_start = m.dot(pair.place(other.vertices[start]));
  if (at_start - reach < best_.gap - pair.tie) return;
  const int lowest = find_support(other, pair.Q.transpose() * -m, start);
  offer({std::min(m.dot(pair.place(other.vertices[lowest])), at_start) - reach, m, of_cylinder, of_other, holds});
}

void CylinderNormalSearch::offer_edge(const CylinderPair& pair, int index) {
  const Solid& other = pair.other;
  const Solid::Edge& edge = other.edges[index];
  const Vector3 along = pair.Q * edge.direction;
  const Vector3 tail = pair.place(other.vertices[edge.tail]);
  const bool is_free = edge.left < 0;
  const Vector3 left = is_free ? Vector3(Vector3::Zero()) : Vector3(pair.Q * other.faces[edge.left].normal);
  const Vector3 right = is_free ? Vector3(Vector3::Zero()) : Vector3(pair.Q * other.faces[edge.right].normal);
  const auto is_allowed = [&](const Vector3& m) {
    return is_free || (m.cross(left).dot(along) >= -kOutsideArc && right.cross(m).dot(along) >= -kOutsideArc);
  };
  const double sine = across_z(along);
  if (sine > kAlongAxis) {
    Vector3 m(-along(1) / sine, along(0) / sine, 0.0);
    if (m.dot(tail) < 0.0) m = -m;
    for (const double sign : {1.0, -1.0}) {
      const Vector3 way = sign * m;
      if (way.dot(tail) - pair.radius < best_.gap - pair.tie || !is_allowed(way)) continue;
      const LineCrossing lines = cross_lines(tail, along, Vector3::Zero(), Vector3::UnitZ());
      const bool holds = std::abs(lines.on_second) <= pair.half + pair.round_off && lines.on_first >= -pair.round_off &&
                         lines.on_first <= edge.length + pair.round_off;
      offer_along(pair, way, face_id(kSideFace), edge_id(index), holds);
    }
  }
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 center(0.0, 0.0, sign * pair.half);
    Vector3 m;
    if (!find_normal_of_rim(along, Vector3::UnitZ(), sign, pair.radius, tail - center, m) || !is_allowed(m)) continue;
    const double across = across_z(m);
    if (!(across > 0.0)) continue;
    const double out = pair.radius / across;
    const double foot = along.dot(center + Vector3(out * m(0), out * m(1), 0.0) - tail);
    const bool holds = foot >= -pair.round_off && foot <= edge.length + pair.round_off;
    offer_along(pair, m, edge_id(end_along(sign)), edge_id(index), holds);
  }
}

void CylinderNormalSearch::offer_vertex(const CylinderPair& pair, int index) {
  const Vector3 x = pair.place(pair.other.vertices[index]);
  const double across = across_z(x);
  if (!(across > 0.0)) return;
  const double above = std::abs(x(2)) - pair.half;
  Vector3 m(x(0) / across, x(1) / across, 0.0);
  FeatureId of_cylinder = face_id(kSideFace);
  if (above > 0.0) {
    if (!(across > pair.radius)) return;
    m = Vector3((across - pair.radius) * m(0), (across - pair.radius) * m(1), std::copysign(above, x(2))).normalized();
    of_cylinder = edge_id(end_along(x(2)));
  }
  const Vector3 local = pair.Q.transpose() * m;
  for (const int e : pair.other.edges_of(index)) {
    const Solid::Edge& edge = pair.other.edges[e];
    const double away = edge.tail == index ? local.dot(edge.direction) : -local.dot(edge.direction);
    if (away < -kOutsideCone) return;
  }
  offer_along(pair, m, of_cylinder, vertex_id(index), true);
}

void CylinderNormalSearch::offer_ellipsoid(const CylinderPair& pair) {
  const EllipsoidOther other(pair);
  const auto offer_way = [&](const Vector3& m, FeatureId of_cylinder, bool holds) {
    offer({m.dot(other.center) - other.support(m) - pair.support(m), m, of_cylinder, face_id(0), holds});
  };
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 m(0.0, 0.0, sign);
    offer_way(m, face_id(end_along(sign)), across_z(other.lowest(m)) <= pair.radius + pair.round_off);
  }
  Vector3 m = find_normal_of_line(Vector3::UnitZ(), other.half_axes(), other.center);
  m(2) = 0.0;
  m.normalize();
  offer_way(m, face_id(kSideFace), std::abs(other.lowest(m)(2)) <= pair.half + pair.round_off);
  if (!best_.holds || best_.gap <= pair.tie) offer_rims(pair);
}

void CylinderNormalSearch::offer_cylinder(const CylinderPair& pair) {
  const Solid& other = pair.other;
  const Matrix3 axes = pair.Q * other.axes;
  const Vector3 g = axes.col(2);
  const Vector3 c = pair.Q * other.center + pair.q;
  const double r = other.half(0);
  const double l = other.half(2);
  const Vector3 z = Vector3::UnitZ();
  // By what is nearest of either: where the points are, on which side of it, is told by the caller.
  const auto offer_way = [&](const Vector3& m, FeatureId of_cylinder, FeatureId of_other, bool holds) {
    const double along = m.dot(g);
    const double reach = r * (m - along * g).norm() + l * std::abs(along);
    offer({m.dot(c) - reach - pair.support(m), m, of_cylinder, of_other, holds});
  };
  // The lowest point of the other along m, and the farthest of the first.
  const auto lowest = [&](const Vector3& m) {
    const double along = m.dot(g);
    const Vector3 across = m - along * g;
    const double norm = across.norm();
    return Vector3(c - std::copysign(l, along) * g - (norm > 0.0 ? Vector3(r / norm * across) : Vector3::Zero()));
  };
  const auto farthest = [&](const Vector3& m) {
    const double norm = across_z(m);
    return norm > 0.0 ? Vector3(pair.radius / norm * m(0), pair.radius / norm * m(1), std::copysign(pair.half, m(2)))
                      : Vector3(0.0, 0.0, std::copysign(pair.half, m(2)));
  };
  const double sine = across_z(g);
  const bool is_flat = sine < kLiesFlat || std::abs(g(2)) < kLiesFlat;
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 m(0.0, 0.0, sign);
    offer_way(m, face_id(end_along(sign)), edge_id(end_along(-sign * g(2))),
              is_flat || across_z(lowest(m)) <= pair.radius + pair.round_off);
  }
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 m = -sign * g;
    const Vector3 x = farthest(m) - c;
    offer_way(m, edge_id(end_along(m(2))), face_id(end_along(sign)),
              is_flat || (x - x.dot(g) * g).norm() <= r + pair.round_off);
  }
  if (sine > kAlongAxis) {
    const Vector3 u(-g(1) / sine, g(0) / sine, 0.0);
    const LineCrossing lines = cross_lines(Vector3::Zero(), z, c, g);
    const bool holds =
        std::abs(lines.on_first) <= pair.half + pair.round_off && std::abs(lines.on_second) <= l + pair.round_off;
    for (const double sign : {u.dot(c) < 0.0 ? -1.0 : 1.0, u.dot(c) < 0.0 ? 1.0 : -1.0}) {
      offer_way(sign * u, face_id(kSideFace), face_id(kSideFace), holds);
    }
  }
  for (const double sign : {-1.0, 1.0}) {
    Vector3 m;
    // The side of the first and a rim of the other.
    const Vector3 end = c + sign * l * g;
    const double beside = across_z(c);
    // Of parallel axes each half of the circle has a border, where round-off may leave out both.
    const bool has_normal = find_normal_of_rim(z, g, sign, r, -end, m);
    if (has_normal || (sine < kLiesFlat && beside > 0.0)) {
      m = has_normal ? Vector3(-Vector3(m(0), m(1), 0.0).normalized()) : Vector3(c(0) / beside, c(1) / beside, 0.0);
      const bool holds = std::abs(lowest(m)(2)) <= pair.half + pair.round_off;
      offer_way(m, face_id(kSideFace), edge_id(end_along(sign)), holds);
    }
    // A rim of the first and the side of the other.
    const Vector3 own_end = sign * pair.half * z;
    if (find_normal_of_rim(g, z, sign, pair.radius, c - own_end, m)) {
      const bool holds = std::abs(g.dot(farthest(m) - c)) <= l + pair.round_off;
      offer_way(m, edge_id(end_along(sign)), face_id(kSideFace), holds);
    }
  }
  if (!is_flat && best_.holds && best_.gap > pair.tie) return;
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 up(0.0, 0.0, sign);
    if (most_along(c, up) - pair.cylinder.inradius - other.inradius < best_.gap - pair.tie) continue;
    for (const double other_sign : {-1.0, 1.0}) {
      const TwoRims rims = {pair.radius, r, pair.half * up, c + other_sign * l * g, g};
      for_nearest_on_rims(rims, [&](const TwoRims::At& at) {
        Vector3 m;
        if (!find_normal_of_rim(at.tangent, g, other_sign, r, at.x - rims.other, m)) return;
        m = -m;
        if (m.dot(up) < 0.0 || m.dot(at.out) < 0.0) return;
        offer_way(m, edge_id(end_along(sign)), edge_id(end_along(other_sign)), true);
      });
    }
  }
}

/// Of the first's rims with an ellipsoid. At the angle phi of a rim, its point x and tangent t, the largest
/// separation F of the tangent over directions n across it, between axis and radius; where n is not the axis, dF/dphi
/// is t . (y - x) (n . radius), y being the other's nearest point. Each maximum is between two neighbours of an angle
/// with a larger F than these.
void CylinderNormalSearch::offer_rims(const CylinderPair& pair) {
  const EllipsoidOther other(pair);
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 up(0.0, 0.0, sign);
    if (most_along(other.center, up) - pair.cylinder.inradius - pair.other.inradius < best_.gap - pair.tie) continue;
    const auto look = [&](double angle) {
      const Vector3 out(std::cos(angle), std::sin(angle), 0.0);
      const Vector3 tangent(-out(1), out(0), 0.0);
      RimAngle at;
      at.angle = angle;
      at.normal = other.find_normal(pair.radius * out + pair.half * up, tangent, up, out);
      at.slope = at.normal.place;
      return at;
    };
    // At equal angles from where the axis would touch the other, and towards its middle where no other is near.
    std::array<RimAngle, kRimAngles + 1> looks;
    const Vector3 above = other.lowest(up);
    const double start = std::atan2(above(1), above(0));
    constexpr double kTurn = 2.0 * std::numbers::pi;
    for (int k = 0; k < kRimAngles; ++k) looks[k] = look(start + kTurn * k / kRimAngles);
    double towards = std::atan2(other.center(1), other.center(0));
    if (towards < start) towards += kTurn;
    const double share = (towards - start) / kTurn * kRimAngles;
    const bool is_apart = std::abs(share - std::round(share)) > kSameAngle;
    if (is_apart) looks[kRimAngles] = look(towards);
    const std::span<RimAngle> at(looks.data(), is_apart ? kRimAngles + 1 : kRimAngles);
    std::ranges::sort(at, {}, &RimAngle::angle);
    const int n = static_cast<int>(at.size());
    for (int k = 0; k < n; ++k) {
      RimAngle low = at[(k + n - 1) % n];
      RimAngle high = at[(k + 1) % n];
      if (k == 0) low.angle -= 2.0 * std::numbers::pi;
      if (k == n - 1) high.angle += 2.0 * std::numbers::pi;
      const double value = at[k].normal.separation;
      if (value < low.normal.separation || value < high.normal.separation || at[k].normal.is_up) continue;
      const TangentNormal found = climb_rim(look, pair.tie, low, at[k], high);
      const double gap = found.n.dot(other.center) - other.support(found.n) - pair.support(found.n);
      offer({gap, found.n, edge_id(end_along(sign)), face_id(0), true});
    }
  }
}

}  // namespace stickslip
