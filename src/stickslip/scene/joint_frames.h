// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "stickslip/model/joint.h"

namespace stickslip {

/// Misfits up to this are round-off and not reported. [m, rad]
inline constexpr double kNoMisfit = 1e-12;

// Where joints in space sit on their bodies: of a place and axes in the world, or of two frames that the user gives.

/// The misfit of two frames of a joint.
struct JointMisfit {
  double length = 0.0;  // [m]
  double angle = 0.0;   // [rad]
};

/// Sets the frames of a joint at `at` (3) [m] with `axis` (3) [-] and, of a universal one, `axis2` (3) [-], world
/// frame, of any length but zero, on bodies with these poses: coordinates are 0 there.
void place_joint(const Pose& first, const Pose& second, const Vector3& at, const Vector3& axis,
                 const std::optional<Vector3>& axis2, JointOptions& joint);

/// The misfit of given frames.
JointMisfit calc_misfit(const Pose& first, const Pose& second, const JointOptions& joint);

/// Moves given frames in the joint's free directions to where its coordinates are 0 with these poses.
void reset_coordinates(const Pose& first, const Pose& second, JointOptions& joint);

/// Sets the frames of a knife-edge in space: at the second body's point `at` (3) [m], the blade along `direction`, the
/// plane in which it cuts across `normal` (3) [-], world frame, not along each other.
void place_knife_edge(const Pose& first, const Pose& second, const Vector3& at, const Vector3& direction,
                      const Vector3& normal, JointOptions& joint);

/// Sets the frames of a rolling disc of joint.radius: its centre `at` (3) [m], its axle `axis` and the normal of the
/// plane on which it rolls (3) [-], world frame, not along each other.
void place_disc(const Pose& first, const Pose& second, const Vector3& at, const Vector3& axis, const Vector3& normal,
                JointOptions& joint);

/// The coordinate of a revolute, screw or prismatic joint with these poses, relative to where its frames coincide.
/// [rad, m]
double calc_start_coordinate(const Pose& first, const Pose& second, const JointOptions& joint);

}  // namespace stickslip
