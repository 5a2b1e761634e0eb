// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/model/system.h"

namespace stickslip {

/// All that a step asks of one contact with a surface on a fixed body at (t, q, u): gap, gamma, zeta in
/// gamma' = W^T u' + zeta, and W^T over the velocities of the body that moves.
struct ContactRows {
  double gap = 0.0;                                          // [m]
  std::array<double, kMaxContactRows> gamma = {};            // (dim) [m/s]
  std::array<double, kMaxContactRows> zeta = {};             // (dim) [m/s^2]
  std::array<double, kMaxContactRows* kMaxSideDofs> W = {};  // (dim, n_u of that side)
};

/// Whether calc_contact_rows knows the contact point: a surface on a body of type `fixed`, and the ball on a body of a
/// planar system, or on a rigid one where the surface is a half-space; its rows are plain.
bool has_contact_rows(const System& system, const ContactPoint& point);

/// By hand, a fraction of the cost of the general kinematics, with the same results to round-off.
void calc_contact_rows(const System& system, const ContactPoint& point, const Vector& q, const Vector& u,
                       ContactRows& rows);

/// zeta (dim) [m/s^2] of these rows alone, in a spatial system, where the motion `ball` of the ball's body and the
/// normal and first tangent of the contact are known already.
void calc_contact_bias(const System& system, const ContactPoint& point, const BodyMotion& ball, const Vector3& normal,
                       const Vector3& tangent, double* zeta);

/// The derivatives of System::calc_contact_derivatives; by hand for beams as well.
void calc_contact_row_derivatives(const System& system, const ContactPoint& point, double t, const Vector& q,
                                  const Vector& u, const Vector& a, const ContactVector& lambda,
                                  ContactDerivatives& derivatives);

}  // namespace stickslip
