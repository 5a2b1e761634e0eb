// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/position_projection.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// The half-implicit symplectic Euler scheme with a cone complementarity problem [Negrut2017], after [Anitescu2010,
/// Tasora2011]. With Phi the gaps and g the joints at (t, q), D and G their directions there:
///
///   M (u' - u) = h f(t, q, u) + D gamma + G lambda                     (5b), gamma and lambda impulses
///   d = Phi/h + D_N^T u',  D_T^T u':   K contains gamma, perpendicular to -d in the polar cone of K       (7)
///   g/h + G^T u' + g_t = 0                                              (5c)
///   q' = q + h L(q) u', quaternions normalised after it                 (5a): a turn of 2 atan(|omega| h / 2)
///
/// One cone problem with contacts and joints together, (10); as a quadratic program on cones, (11).
///
/// Departures from (5a) and (5b), docs/ccp.md: bodies that turn in space turn by the mean of their angular velocities
/// (free_rotation.h), surfaces that turn as prescribed have the velocity of their finite motion
/// (ConstraintSet::use_finite_motions()), and stiff linear forces are implicit (implicit_forces.h).
///
/// Law. `associated` is the paper's: what slides with speed s lifts off to a gap of mu h s. `coulomb`, the default, has
/// De Saxce's shift on d and does not.
///
/// Stabilisation. Phi/h and g/h bring overlaps and joints that are off back within the step; where that takes more than
/// a velocity of `correction_speed` it takes several steps: max(Phi/h, -correction_speed). A positive Phi/h is no
/// correction: it lets a contact close. With `projection` overlaps and what joints are off by leave the velocity
/// problem, so that no velocity comes of them, and positions are put right at the end (position_projection.h); g_t of a
/// motion is then the mean of its rate over the step, which leads there.
///
/// Envelope. A contact takes part where Phi is at most that. `auto`: where it may close in the step by the velocities
/// without percussions (associated: or bear what slides), and what then still overlaps at the end takes part in a
/// second solve.
///
/// Restitution. Newton's law u_N' = -e u_N, where a contact closes within the step by the velocities without
/// percussions, with its approach at the start of the step, so that it does not matter where in the step that is. A
/// contact that others close does so in the next step, as one impact after the other; it overlaps by at most what it
/// moves in one.
struct CcpOptions {
  static constexpr SchemeTraits kTraits = {.name = "ccp",
                                           .meaning =
                                               "half-implicit Euler with a cone complementarity problem, contacts and "
                                               "joints together (default with detected contacts) [Negrut2017]",
                                           .order = 1,
                                           .holds_positions = false,
                                           .automatic_steps = false};

  FrictionLaw law = FrictionLaw::coulomb;
  Projection projection = Projection::automatic;
  bool stabilisation = true;
  double correction_speed = kCorrectionSpeed;  // [m/s, rad/s] > 0; infinite: the paper's
  std::optional<double> envelope;              // [m] >= 0; none: auto
  ForceChoice forces = ForceChoice::any;       // for whoever makes the solver
  bool operator==(const CcpOptions&) const = default;
  void check() const;  // throws InputError
};

/// system and solver must outlive the stepper. eases: see VelocityStep. Throws InputError when the options do not
/// check, or when the solver cannot take what the law makes of contacts.
std::unique_ptr<TimeStepper> make_ccp(const CcpOptions& options, const System& system, ConeSolver& solver,
                                      StopToken stop = {}, bool eases = false);

}  // namespace stickslip
