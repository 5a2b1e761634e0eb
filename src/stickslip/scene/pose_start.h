// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Where a body of a scene hangs, as drawn.
struct DrawnBody {
  int parent = -1;     // index into System::bodies(), -1: the world
  Pose relative;       // of the body's own frame in the parent's
  double angle = 0.0;  // [rad] planar: against the parent's, whole turns included
};

/// What a scene says of a joint's coordinates at the start; empty where it says nothing. A spherical joint's are a
/// quaternion w, x, y, z that turns the second body in its own frame from how it is drawn, its rates an angular
/// velocity in that frame [rad/s]. Others have [m], [rad] and their rates, in the order of
/// System::calc_joint_coordinate().
struct StartCoordinates {
  std::vector<double> start;
  std::vector<double> rate;
  bool absolute = false;  // coordinates are not those of joint frames that coincide as drawn
};

/// How far a joint is from closed.
struct JointGap {
  int joint = -1;       // index into System::joints(), -1: all are closed
  double length = 0.0;  // [m]
  double angle = 0.0;   // [rad]
};

/// Poses and velocities of all bodies at the start, from how they are drawn (`bodies`, one a body of the system) and
/// what is said of joints (one a joint). Bodies with a parent follow from it by the first joint between both; without
/// one they keep their place on it. Then the other joints are closed: unknowns are the coordinates that no start says,
/// and the places of bodies that hang on no joint. They move by as little as it takes, in the sum of squares [rad, m]:
/// Newton's method by least norm until the rows vanish, then its projections back to where the unknowns began, whose
/// fixed points are the nearest solutions (x - x0 in the range of J^T, g(x) = 0). Velocities likewise, by one linear
/// solve; where they cannot fit, they are left as near as it gets. Returns the joint that stays open by most.
JointGap pose_start(const System& system, const std::vector<DrawnBody>& bodies,
                    const std::vector<StartCoordinates>& joints, State& state, const StopToken& stop = {});

}  // namespace stickslip
