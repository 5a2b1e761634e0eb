// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/collision/nearest_search.h"

namespace stickslip {
namespace {

/// The vertices of a solid that reach within `slack` of the farthest along n.
template <class Visit>
void visit_top(const Solid& solid, const Vector3& n, double slack, const Visit& visit) {
  const double top = n.dot(solid.vertices[find_support(solid, n)]);
  for (int k = 0; k < static_cast<int>(solid.vertices.size()); ++k) {
    if (n.dot(solid.vertices[k]) >= top - slack) visit(k);
  }
}

/// The point of the hull of up to four points that is nearest to the origin, by the one of all its faces that is
/// nearest; keeps of the points those that carry it.
class Simplex {
 public:
  struct Corner {
    Vector3 w;  // (3) [m] second minus first
    int first, second;
  };

  int size() const { return n_; }
  bool has(int first, int second) const {
    for (int k = 0; k < n_; ++k) {
      if (corners_[k].first == first && corners_[k].second == second) return true;
    }
    return false;
  }
  void add(const Corner& corner) { corners_[n_++] = corner; }

  Vector3 reduce() {
    Vector3 nearest = corners_[0].w;
    unsigned carriers = 1;
    double least = std::numeric_limits<double>::infinity();
    for (unsigned choice = 1; choice < 1U << static_cast<unsigned>(n_); ++choice) {
      Vector3 point;
      if (!foot(choice, point)) continue;
      const double norm2 = point.squaredNorm();
      if (norm2 < least) {
        least = norm2;
        nearest = point;
        carriers = choice;
      }
    }
    int kept = 0;
    for (int k = 0; k < n_; ++k) {
      if ((carriers >> static_cast<unsigned>(k) & 1U) != 0) corners_[kept++] = corners_[k];
    }
    n_ = kept;
    return nearest;
  }

 private:
  /// The foot of the origin on what the chosen corners span, if it lies within them.
  bool foot(unsigned choice, Vector3& point) const {
    std::array<Vector3, 4> w;
    int n = 0;
    for (int k = 0; k < n_; ++k) {
      if ((choice >> static_cast<unsigned>(k) & 1U) != 0) w[n++] = corners_[k].w;
    }
    switch (n) {
      case 1:
        point = w[0];
        return true;
      case 2: {
        const Vector3 d = w[1] - w[0];
        const double fraction = -d.dot(w[0]);
        const double norm2 = d.squaredNorm();
        if (fraction <= 0.0 || fraction >= norm2) return false;
        point = w[0] + d * (fraction / norm2);
        return true;
      }
      case 3: {
        const Vector3 normal = (w[1] - w[0]).cross(w[2] - w[0]);
        const double norm2 = normal.squaredNorm();
        if (!(norm2 > 0.0)) return false;
        for (int k = 0; k < 3; ++k) {
          if (w[k].cross(w[(k + 1) % 3]).dot(normal) <= 0.0) return false;
        }
        point = normal * (normal.dot(w[0]) / norm2);
        return true;
      }
      default:
        return false;  // apart: the origin is outside
    }
  }

  std::array<Corner, 4> corners_;
  int n_ = 0;
};

/// The direction between two polytopes that are apart, by the algorithm of Gilbert, Johnson and Keerthi
/// [Gilbert1988], started along `v` (3) [-], and their distance [m], which is too large rather than too small.
double refine_direction(const Solid& first, const Solid& second, const Placement& at, Vector3& v) {
  constexpr int kMostSteps = 100;  // some ten are usual; where round-off goes round in circles, no more is to be had
  constexpr double kNoProgress = 1e-14;  // [-] of the square of the distance
  Simplex simplex;
  double least = std::numeric_limits<double>::infinity();
  int a = 0;
  int b = 0;
  Vector3 direction = v;
  for (int step = 0; step < kMostSteps; ++step) {
    a = find_support(first, direction, a);
    b = find_support(second, at.R.transpose() * -direction, b);
    const Vector3 w = at.apply(second.vertices[b]) - first.vertices[a];
    if (simplex.has(a, b) || simplex.size() == 4) break;
    if (step > 0 && least - direction.dot(w) <= kNoProgress * least) break;
    simplex.add({w, a, b});
    const Vector3 nearest = simplex.reduce();
    const double norm2 = nearest.squaredNorm();
    if (norm2 >= least || norm2 == 0.0) break;
    least = norm2;
    direction = nearest;
  }
  const double distance = std::sqrt(least);
  if (distance > 0.0 && std::isfinite(distance)) v = direction.normalized();
  return distance;
}

}  // namespace

double calc_reach(const Solid& first, const Solid& second, const Placement& at, const Vector3& n) {
  return n.dot(at.apply(second.vertices[find_support(second, at.R.transpose() * -n)])) -
         n.dot(first.vertices[find_support(first, n)]);
}

Nearest find_nearest_hulls(const Solid& first, const Solid& second, const Placement& at, const Vector3& start) {
  const double size = std::max(first.size, second.size);
  Vector3 n = start;
  const double distance = refine_direction(first, second, at, n);
  const double reach = calc_reach(first, second, at, n);
  // How far below the farthest vertices those of the nearest features may be: n is off by round-off / distance, and by
  // the root of kNoProgress.
  constexpr double kAlways = 1e-6;  // [-] of the size
  const double slack = 4.0 * std::max(0.0, distance - reach) +
                       size * (kAlways + kNearestRoundOff * size / (distance + kNearestRoundOff * size));
  NearestSearch best;
  visit_top(second, at.R.transpose() * -n, slack, [&](int k) {
    const Vector3 point = at.apply(second.vertices[k]);
    visit_top(first, n, slack, [&](int v) {
      best.offer(vertex_id(v), first.vertices[v], vertex_id(k), point);
      for (const int e : first.edges_of(v)) {
        best.offer_edge_of_first(e, segment_of(first, e, {}), k, point);
        for (const int f : {first.edges[e].left, first.edges[e].right}) {
          if (f >= 0) best.offer_face_of_first(first, f, k, point);
        }
      }
      for (const int e : second.edges_of(k)) {
        const Segment segment = segment_of(second, e, at);
        best.offer_edge_of_second(v, first.vertices[v], e, segment);
        for (const int f : {second.edges[e].left, second.edges[e].right}) {
          if (f >= 0) best.offer_face_of_second(v, first.vertices[v], second, f, at);
        }
        for (const int f : first.edges_of(v)) best.offer_edges(f, segment_of(first, f, {}), e, segment);
      }
    });
  });
  return best.finish(n, size);
}

}  // namespace stickslip
