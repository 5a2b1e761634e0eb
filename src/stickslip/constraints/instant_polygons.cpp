// SPDX-License-Identifier: BSD-3-Clause
// Instant with polygons of friction.
#include <algorithm>

#include "stickslip/constraints/instant.h"

namespace stickslip {

bool Instant::has_polygon(int cone) const {
  return polygon_.exists() && set_.kind(cone) == ConstraintSet::Kind::contact && members_[cone].n_friction == 2;
}

FrictionBlock Instant::friction_block(int cone) const {
  const Member& member = members_[cone];
  if (on_edge(cone)) return {1, member.mu * polygon_.half_edge(), 0, 0.0};
  FrictionBlock block{member.n_friction, member.mu, 0, 0.0};
  if (has_polygon(cone)) polygon_.shape(block);
  return block;
}

/// Makes the direction of a member that slides one that its polygon opposes: of an edge where it is so up to `zero`
/// [-].
void Instant::slide_on_polygon(Member& member, double zero) const {
  const FrictionPolygon::Slip slip = polygon_.find_slip(member.direction.data(), zero);
  std::ranges::copy(slip.direction, member.direction.begin());
  member.on_edge = slip.on_edge && member.mu > 0.0;
}

/// What of the rows of a cone is in the problem; on an edge the second is the one across.
void Instant::reduce(const Rows& rows, const double* of_cone, double* reduced) const {
  for (int r = 0; r < rows.n; ++r) reduced[r] = of_cone[rows.row[r]];
  if (!on_edge(rows.cone)) return;
  const auto& n = members_[rows.cone].direction;
  reduced[1] = -n[1] * of_cone[1] + n[0] * of_cone[2];
}

}  // namespace stickslip
