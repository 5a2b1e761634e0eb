// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/constraints/step_report.h"
#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/step.h"

/// What a solved step says of its contacts, joints and energy.
namespace stickslip::generalized_alpha {

/// Contacts at the end of a step, of which report_geometry() has set the places.
void report_contacts(const Step& step, StepReport& report);
/// Contacts at the instant of start.h.
void report_start_contacts(const Step& step, StepReport& report);
/// Reactions of joints and what dry friction and limits do in them, at (t_end, q, u) of the step.
void report_reactions(const Step& step, StepReport& report);
/// What changes the momenta in the step beside percussions, by the averages of the scheme:
///   M (u' - u) = impulse + W' P.                                        (n_u) [N s, N m s]
/// `change` (n_u) is workspace.
void calc_smooth_impulse(const Step& step, Vector& change, Vector& impulse);
/// Fills report.applied_impulse from it, after report_reactions().
void report_smooth_impulse(const Step& step, Vector& impulse, StepReport& report);

/// Adds up work and dissipation of a step from `before`, of second order; the scheme itself does not balance energy
/// exactly. With gamma = W^T u + tau, tau from prescribed motions, P . gamma is taken by contacts and dry friction and
/// P . tau is put in. While forces act smoothly gamma is that of the middle of the step, gamma' - dt/2 gamma_dot'; in
/// an impact, the mean of before and after it. nonconservative (n_u): workspace.
void account_energy(const Step& step, const State& before, Vector& nonconservative, EnergyLedger& ledger,
                    ContactWork& work);

}  // namespace stickslip::generalized_alpha
