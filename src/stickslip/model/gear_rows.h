// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/attachment.h"
#include "stickslip/model/joint.h"

namespace stickslip {

class System;

/// The row of a gear between the coordinates x1 and x2 of two joints, in the units of x2:
///   g = (x2 - start2) - ratio (x1 - start1),   gamma = x2' - ratio x1'
/// so that a force lambda acts along x2 on the second joint and -ratio lambda along x1 on the first. Of the bodies that
/// it acts on no more than two move: they are the sides of its Joint. Used by the .cpp files of model/ only.
class GearRows {
 public:
  explicit GearRows(const Joint& joint) : joint_(&joint) {}

  const Joint& joint() const { return *joint_; }
  const Attachment& first() const { return joint_->first; }
  const Attachment& second() const { return joint_->second; }
  int dim() const { return 1; }

  // As those of PairRows.
  void calc_position(const System& system, double t, const Vector& q, JointVector& g) const;
  void calc_velocity(const System& system, double t, const Vector& q, const Vector* u, JointVector& gamma) const;
  void calc_jacobian(const System& system, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const;
  void calc_geometry(const System& system, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const;
  void calc_acceleration_bias(const System& system, double t, const Vector& q, const Vector& u,
                              JointVector& zeta) const;
  void calc_derivatives(const System& system, double t, const Vector& q, const Vector& u, const Vector* a,
                        const JointVector& lambda, JointDerivatives& derivatives) const;
  /// What lambda does to the second body of the second joint, about that joint's point.
  JointReaction calc_reaction(const System& system, double t, const Vector& q, const JointVector& lambda) const;

 private:
  const Joint* joint_;
};

}  // namespace stickslip
