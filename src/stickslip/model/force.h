// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>

#include "stickslip/math/types.h"
#include "stickslip/model/attachment.h"
#include "stickslip/model/state_expression.h"

namespace stickslip {

/// A linear spring and damper along the line between two points: force on `second` =
/// -(stiffness (length - rest) + damping length') along the unit vector from first to second.
struct Spring {
  int first = 0, second = 0;            // bodies
  Vector3 at_first = Vector3::Zero();   // (3) [m] body frame
  Vector3 at_second = Vector3::Zero();  // (3) [m] body frame
  double parameter_first = 0.0;         // [-] on a beam: xi of the cross-section that has the frame
  double parameter_second = 0.0;        // [-]
  double stiffness = 0.0;               // [N/m] >= 0
  double damping = 0.0;                 // [N s/m] >= 0
  double rest = 0.0;                    // [m] >= 0
};

/// A force of constant bound against the relative velocity of two material points:
/// lambda in -bound Sgn(gamma), |lambda| <= bound. Along an axis (one direction), or isotropic
/// in space (in the plane of a planar system).
struct DryFriction {
  int first = 0, second = 0;            // bodies
  Vector3 at_first = Vector3::Zero();   // (3) [m] body frame of first: the material point
  Vector3 at_second = Vector3::Zero();  // (3) [m] body frame of second
  double parameter_first = 0.0;         // [-] on a beam: xi of the cross-section that has the frame
  double parameter_second = 0.0;        // [-]
  double bound = 0.0;                   // [N] >= 0
  std::optional<Vector3> axis;          // (3) [-] unit, fixed in first
};

/// A force at a point and a torque on a body, which may depend on the state.
struct Load {
  int body = 0;
  Vector3 at = Vector3::Zero();           // (3) [m] body frame
  double parameter = 0.0;                 // [-] on a beam: xi of the cross-section that has the frame
  std::array<StateExpression, 3> force;   // [N]
  std::array<StateExpression, 3> torque;  // [N m]
  bool body_frame = false;                // components in the body frame instead of the world frame

  /// 0 to 2 of the force, 3 to 5 of the torque.
  const StateExpression& component(int i) const { return i < 3 ? force[i] : torque[i - 3]; }
  StateExpression& component(int i) { return i < 3 ? force[i] : torque[i - 3]; }
};

struct Force {
  std::string name;
  std::variant<Spring, DryFriction, Load> law;
  Attachment first = {}, second = {};  // set by SystemBuilder; a load acts on second

  const Attachment& side(Side s) const { return s == Side::first ? first : second; }
};

/// Exact derivatives of the forces on one range of velocities over one range of coordinates and velocities. Blocks are
/// to be summed: several may name the same ranges.
struct ForceBlock {
  using Values = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxSideDofs, kMaxSideDofs>;
  DofRange row, col;
  Values over_q;  // (row.n_u, col.n_q) dh/dq; empty where it always vanishes
  Values over_u;  // (row.n_u, col.n_u) dh/du; empty where it always vanishes
};

/// Dry friction where it acts: of a force, or in a joint's free direction.
struct DryFrictionElement {
  int force = -1, joint = -1;  // index into System::forces() or joints(), the other -1
  int dim = 0;                 // 1 along an axis, else the system's dimension; of a joint's free directions
  bool turns = false;          // whether its rows are angles'
  double bound = 0.0;          // [N, N m]
  double of_load = 0.0;        // [-, m] of a joint's load in the step before, added to the bound
  Attachment first, second;
  int first_free = 0;  // in a joint: the first of its free directions

  const Attachment& side(Side s) const { return s == Side::first ? first : second; }
};

}  // namespace stickslip
