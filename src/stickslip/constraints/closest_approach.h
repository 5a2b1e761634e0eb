// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Shapes that are this part of the smaller body apart do not touch, whatever a gap says that was taken along another
/// normal or to features that were nearest before. A tenth of that would take longer to tell for bodies that nearly
/// touch; ten times as much would let bodies be hit that visibly pass each other. [-]
inline constexpr double kApart = 1e-3;

/// How near the two sides of a contact point come to each other on their way from one instant to another. In between
/// origins move in straight lines and bodies turn about fixed axes, both steadily.
///
/// Of a manifold the gap is that of the two shapes, else that of the surface and the ball. Conservative advancement
/// [Mirtich1996]: along its normal a gap between convex sides falls no faster than their origins approach in that
/// direction and their farthest points turn, so the way can be taken in steps that the gap allows.
class ClosestApproach {
 public:
  explicit ClosestApproach(const System& system);

  /// Whether the gap stays above half of `distance` > 0 [m] all the way. True where it stays above `distance`, but for
  /// ways that turn so much that this is not found out in kMaxLooks gaps. Not of a joint's limit.
  bool stays_apart(const BodySnapshot& from, const BodySnapshot& to, const ContactPoint& point, double distance);
  /// The gap at one instant. [m]
  double calc_gap(const BodySnapshot& at, const ContactPoint& point);

 private:
  /// How one side moves.
  struct Way {
    Vector3 start;       // (3) [m] of the body's origin
    Vector3 step;        // (3) [m]
    Matrix3 R;           // (3, 3) at the start
    Vector3 axis;        // (3) [-] body frame
    double angle = 0.0;  // [rad] of the whole turn
    double arm = 0.0;    // [m] from the origin to the farthest point that turns
  };
  struct Look {
    double gap;      // [m]
    Vector3 normal;  // (3) [-] from first to second
  };

  Way make_way(const BodySnapshot& from, const BodySnapshot& to, const ContactPoint& point, Side side) const;
  bool is_on_surface(const ContactPoint& point) const;
  double calc_arm(const ContactPoint& point, Side side) const;
  Look look(const ContactPoint& point, const BodyMotion& first, const BodyMotion& second);

  const System& system_;
  std::vector<double> radius_;  // (shapes) [m] largest distance of a solid from its body's origin
  NarrowPhase narrow_;          // workspace
  std::vector<ManifoldPoint> manifold_;
};

}  // namespace stickslip
