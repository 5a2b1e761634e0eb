// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/model/system.h"

namespace stickslip {

// Rows of a joint and all that a step needs of them, in one call. Joints are written out by hand, which costs a small
// part of System's general kinematics and gives the same to round-off; the knife-edge and, in space, a driven hinge, a
// screw and a rolling disc use the general kinematics.

/// One joint's rows and their rates: gamma' = W^T a + zeta. Of gears and couplings without W.
struct JointRows {
  JointVector g, gamma, zeta;  // (dim) [m, rad] and per s, s^2
  // W^T of first and second, each (dim, n_u of its side).
  std::array<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxJointDim, kMaxSideDofs>, 2> W;
};

/// All rows of joint j at (t, q, u).
void calc_joint_rows(const System& system, int j, double t, const Vector& q, const Vector& u, JointRows& rows);

/// The derivatives of System::calc_joint_derivatives; not of gears and couplings.
void calc_joint_row_derivatives(const System& system, int j, double t, const Vector& q, const Vector& u,
                                const Vector& a, const JointVector& lambda, JointDerivatives& derivatives);

}  // namespace stickslip
