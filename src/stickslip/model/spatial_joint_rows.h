// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/joint_rows.h"

namespace stickslip {

/// Whether the following know a joint: those in space but distances, knife edges, screws, rolling discs, and revolute
/// ones that are driven.
bool has_spatial_rows(const Joint& joint);

/// calc_joint_rows() of such a joint, by hand; the W of `rows` have their shape and are zero.
void calc_spatial_joint_rows(const System& system, const Joint& joint, double t, const Vector& q, const Vector& u,
                             JointRows& rows);

/// calc_joint_row_derivatives() likewise; d has its shape and is zero.
void calc_spatial_joint_derivatives(const System& system, const Joint& joint, double t, const Vector& q,
                                    const Vector& u, const Vector& a, const JointVector& lambda, JointDerivatives& d);

}  // namespace stickslip
