// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/position_projection.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// Moreau's time-stepping scheme on velocities and percussions [Moreau1988, Jean1999], with
/// h1 = (1 - theta) h, h2 = theta h (theta = 1/2: Moreau's midpoint rule):
///
///   J u+ + tau = 0,  M (u+ - u) = J^T p over all joints              before the first step, see start_impact.h
///   t_m = t + h1,  q_m = q + h1 B u                                   predicted configuration
///   A = {contacts with gap(t_m, q_m) <= activation}                   active set
///   M (u' - u) = h h(t_m, q_m, u) + W(q_m) P                          balance of momentum
///   xi = gamma' + e gamma:  the contact law between xi_A and P_A,  P = 0 elsewhere   (Newton restitution)
///   gamma' = 0 for joints, P free
///   q' = q_m + h2 B u'                                                second half
///
/// Where we deviate: rotations move by the exponential map, so quaternions stay unit, and the
/// gyroscopic term is implicit in the free velocity so that free flight conserves angular momentum to
/// round-off (see free_rotation.h); the paper's gyroscopic term at q_m is first order.
/// With contacts the balance of angular momentum is first order: the percussions' torque is carried from the frame at
/// q_m to that at the end by the free rotation, not by the one with u'. tau, the velocity that prescribed motions give
/// a contact, is taken at t_m, where the contact's directions are. First order in general, and by itself it penetrates
/// by O(h), since constraints hold on velocities only: `projection` puts the positions right at the end of each step.
/// With it joints with a motion get, for theta > 0, the rate at the end that leads them to where it puts them.
/// Surfaces that turn as prescribed have the velocity of their finite motion from t_m on, over h, which is what leads
/// from one q_m to the next. Where linear forces are stiff they are implicit (implicit_forces.h), with theta = 1, and
/// bodies turn as under `ccp` (ccp.h).
///
/// A step's report has position, normal and tangent of the contacts in A where their percussions acted, at (t_m, q_m);
/// of the others at the end of the step, as all gaps are.
struct MoreauOptions {
  static constexpr SchemeTraits kTraits = {
      .name = "moreau",
      .meaning = "Moreau-Jean midpoint time stepping, impulses over the step (else default) [Moreau1988, Jean1999]",
      .order = 1,
      .holds_positions = false,
      .automatic_steps = false};

  double theta = 0.5;         // [-] in [0, 1]
  double activation = 1e-10;  // [m] finite: a contact is active when its predicted gap is at most this
  Projection projection = Projection::automatic;
  ForceChoice forces = ForceChoice::any;  // for whoever makes the solver
  bool operator==(const MoreauOptions&) const = default;
  void check() const;  // throws InputError
};

/// system and solver must outlive the stepper. eases: see VelocityStep. Throws InputError when the options do not
/// check.
std::unique_ptr<TimeStepper> make_moreau(const MoreauOptions& options, const System& system, ConeSolver& solver,
                                         StopToken stop = {}, bool eases = false);

}  // namespace stickslip
