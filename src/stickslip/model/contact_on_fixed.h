// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/system.h"

namespace stickslip {

// Contacts of a ball (or a point) on a moving body with a surface on a fixed body, by hand: these are the contacts of
// most benchmarks, and written out they cost a tenth of what automatic differentiation does. Same results as the
// general kinematics to round-off.

/// Whether calc_derivatives_on_fixed knows this contact: a surface on a body of type `fixed`, and the ball on a planar
/// body, or on a rigid one where the surface is a half-space; its rows are plain.
bool has_derivatives_on_fixed(const System& system, const ContactPoint& point);

/// The derivatives of calc_contact_derivatives, of balls on beams, too. d must have its shape.
void calc_derivatives_on_fixed(const System& system, const ContactPoint& point, const Vector& q, const Vector& u,
                               const Vector& a, const ContactVector& lambda, ContactDerivatives& d);

}  // namespace stickslip
