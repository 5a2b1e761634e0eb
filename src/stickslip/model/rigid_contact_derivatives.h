// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/system.h"

namespace stickslip {

/// Whether calc_rigid_contact_derivatives knows a surface with a ball: not where lines cross, nor of solid cylinders
/// and ellipsoids.
bool has_rigid_contact_derivatives(const SurfaceFeature& surface, const BallFeature& ball);

/// The derivatives of calc_contact_derivatives by hand where no side is a beam. d must have its shape. Where a ball is
/// in the centre of a sphere or on the axis of a cylinder, those of the normal are left out.
void calc_rigid_contact_derivatives(const System& system, const ContactPoint& point, double t, const Vector& q,
                                    const Vector& u, const Vector& a, const ContactVector& lambda,
                                    ContactDerivatives& d);

/// Those of calc_joint_derivatives of a distance joint, which is a contact of its two points that holds both ways.
void calc_rigid_distance_derivatives(const System& system, const Joint& joint, double t, const Vector& q,
                                     const Vector& u, const Vector& a, double lambda, JointDerivatives& d);

}  // namespace stickslip
