// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/true_gap.h"

#include <algorithm>

#include "stickslip/base/assert.h"
#include "stickslip/collision/gap.h"
#include "stickslip/collision/triangle_surface.h"

namespace stickslip {
namespace {

/// The normal points from the wall to the solid.
TrueGap find_on_wall(const SurfaceFeature& wall, const Placement& wall_at, const Solid& solid,
                     const Placement& solid_at) {
  TrueGap least;
  least.gap = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vector3& corner) {
    const Vector3 center = place_point<double>(solid_at.p, solid_at.R, corner);
    const Gap<double> at = calc_gap<double>(wall, wall_at.p, wall_at.R, center, solid.radius);
    if (!(at.gap < least.gap)) return;
    least.gap = at.gap;
    least.normal = at.normal;
    least.on_second = center - solid.radius * at.normal;
  };
  if (const TriangleSurface* surface = solid.surface.get()) {
    for (int v = 0; v < surface->n_vertices(); ++v) offer(surface->vertex(v));
  } else if (is_curved(solid.kind)) {
    STICKSLIP_ASSERT(wall.kind == SurfaceKind::half_space);
    offer(find_farthest(solid, solid_at.R.transpose() * -(wall_at.R * wall.axis)));
  } else if (wall.kind == SurfaceKind::half_space) {
    const Vector3 down = solid_at.R.transpose() * -(wall_at.R * wall.axis);
    offer(solid.vertices[find_support(solid, down)]);
  } else {
    // The farthest point of a convex solid from a centre or an axis is a corner.
    for (const Vector3& corner : solid.vertices) offer(corner);
  }
  least.on_first = least.on_second - least.gap * least.normal;
  return least;
}

bool has_gap(const GapSide& first, const GapSide& second) {
  if (first.solid != nullptr && second.solid != nullptr) {
    return NarrowPhase::has_manifold(first.solid->kind, second.solid->kind);
  }
  const GapSide& wall = first.wall != nullptr ? first : second;
  const GapSide& other = first.wall != nullptr ? second : first;
  if (other.wall != nullptr) return false;
  if (other.solid->kind == Solid::Kind::polyline) return false;
  return wall.wall->kind == SurfaceKind::half_space || !(is_curved(other.solid->kind) || other.solid->surface);
}

TrueGap exchange(const TrueGap& gap) {
  return {gap.gap, -gap.normal, gap.on_second, gap.on_first};
}

}  // namespace

std::optional<TrueGap> TrueGapFinder::find(const GapSide& first, const Placement& first_at, const GapSide& second,
                                           const Placement& second_at, double within) {
  STICKSLIP_ASSERT((first.solid == nullptr) != (first.wall == nullptr));
  STICKSLIP_ASSERT((second.solid == nullptr) != (second.wall == nullptr));
  if (!has_gap(first, second)) return std::nullopt;
  if (first.wall != nullptr || second.wall != nullptr) {
    const TrueGap found = first.wall != nullptr
                              ? find_on_wall(*first.wall, first_at, *second.solid, second_at)
                              : exchange(find_on_wall(*second.wall, second_at, *first.solid, first_at));
    if (found.gap > within) return std::nullopt;
    return found;
  }
  narrow_.calc_manifold(*first.solid, first_at, *second.solid, second_at, within, points_);
  const auto nearest = std::ranges::min_element(points_, {}, &ManifoldPoint::gap);
  if (nearest == points_.end()) return std::nullopt;
  return TrueGap{nearest->gap, nearest->normal, nearest->on_first, nearest->on_second};
}

}  // namespace stickslip
