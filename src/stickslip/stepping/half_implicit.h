// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/position_projection.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// What `ccp` (ccp.h) and `stewart-trinkle` (stewart_trinkle.h) share: the half-implicit symplectic Euler scheme in
/// which forces and directions are those of the start of a step and positions follow the velocity at its end. They
/// differ in the law between percussions and velocities, and in what is done where it cannot be met.
struct HalfImplicitOptions {
  std::string_view name;  // of the scheme, in scene files
  FrictionLaw law = FrictionLaw::coulomb;
  int facets = 0;            // [-] 0: discs; n >= 3: friction in space has polygons with so many corners in their place
  double orientation = 0.0;  // [rad] angle of the first corner from the first tangent
  Projection projection = Projection::automatic;
  bool stabilisation = true;
  bool retries = false;                        // without stabilisation where the problem is not solved with it
  double correction_speed = kCorrectionSpeed;  // [m/s, rad/s] > 0
  std::optional<double> envelope;              // [m] >= 0; none: auto
  bool eases = false;                          // see VelocityStep
};

/// system and solver must outlive the stepper. The options have been checked.
std::unique_ptr<TimeStepper> make_half_implicit(const HalfImplicitOptions& options, const System& system,
                                                ConeSolver& solver, StopToken stop);

}  // namespace stickslip
