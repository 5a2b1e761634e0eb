// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "stickslip/collision/clip_face.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/features.h"
#include "stickslip/collision/manifold_point.h"
#include "stickslip/collision/separating_axis.h"
#include "stickslip/collision/solid.h"

namespace stickslip {

class LineManifold;
class SurfaceManifold;

/// The points in which two solids touch or may touch, from their shapes and placements alone: docs/collision.md.
///
/// The pair's gap is the distance of the solids where they are apart and minus the length of the least translation that
/// parts them where they overlap, and is continuous through 0. One of the points has that gap and its normal, and none
/// has less. Where two faces, a face and an edge, or two edges are within kSameContact of parallel, the other points
/// are the corners of what they have in common. An object of this class is workspace: its answers do not depend on what
/// it was asked before.
class NarrowPhase {
 public:
  NarrowPhase();
  NarrowPhase(NarrowPhase&&) noexcept;
  NarrowPhase& operator=(NarrowPhase&&) noexcept;
  ~NarrowPhase();

  /// Whether calc_manifold() knows solids of these kinds, in either order.
  static bool has_manifold(Solid::Kind first, Solid::Kind second);

  /// Replaces `points` by all whose gap is at most `within` [m], in an order that is always the same.
  void calc_manifold(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at,
                     double within, std::vector<ManifoldPoint>& points);

  /// One point again by its features, with the bits that calc_manifold() gives it; nothing where they make no point at
  /// these placements, however far apart. `as_before`: the solids and their placements are those of the last call.
  std::optional<ManifoldPoint> calc_point(const Solid& first, const Placement& first_at, const Solid& second,
                                          const Placement& second_at, FeatureId feature_first, FeatureId feature_second,
                                          bool as_before = false);

 private:
  /// A point between the cores of the pair in the order that it is worked on, in the first's frame.
  struct Item {
    SurfaceKind kind = SurfaceKind::half_space;
    bool surface_on_second = false;
    Vector3 surface_center, surface_axis;  // (3) surface's body
    Vector3 ball_center;                   // (3) ball's body
    Vector3 ball_axis;                     // (3) of a crossing
    FeatureId first = 0, second = 0;
    double gap = 0.0;      // [m] of the cores
    Vector3 normal;        // (3) [-]
    Vector3 on_first;      // (3) [m] on the core
    double outside = 0.0;  // [m] how far outside the face that it is said to be on
    double tilt = 0.0;     // [-] angle of that face from what it is on of the other solid
  };

  /// Two solids in the order that they are worked on: polytopes before segments before balls.
  struct Pair {
    const Solid& first;
    const Solid& second;
    Placement at;   // the second in the first's frame
    double size;    // [m] the larger
    double tie;     // [m] gaps that differ by less are the same
    double nearby;  // [m] corners that are nearer are the same
  };

  std::optional<Nearest> find_nearest(const Pair& pair, double limit);
  void add_neighbours(const Pair& pair, const Nearest& nearest);
  bool add_face(const Pair& pair, bool face_on_second, int face, int incident_face);
  bool add_edge(const Pair& pair, const Nearest& nearest, bool face_on_second, int face);
  void add_corners(const Pair& pair, bool face_on_second, int face, double tilt);
  void add_parallel_edges(const Pair& pair, const Nearest& nearest);
  bool holds(const Pair& pair, const Nearest& nearest) const;
  static Nearest nearest_edges(const Pair& pair, const SeparatingAxis::EdgeAxis& axis);
  void settle(const Pair& pair, const Nearest& nearest);
  static Item make_item(const Pair& pair, const Nearest& nearest);

  SeparatingAxis axes_;
  FaceClipper clipper_;
  std::unique_ptr<SurfaceManifold> of_surface_;  // once there are surfaces of triangles
  std::unique_ptr<LineManifold> of_line_;        // once there are polylines
  std::vector<Item> items_;
  std::vector<ManifoldPoint> all_;  // of calc_point()
};

}  // namespace stickslip
