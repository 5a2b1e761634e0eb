// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/model/attachment.h"
#include "stickslip/model/force.h"
#include "stickslip/model/joint.h"

namespace stickslip {

class System;

/// Rows gamma = W^T u + tau between two attachments: what joints, their free directions and dry friction elements have
/// in common. A row is written once, in joint_kinematics.h; here are its values and exact derivatives. Used by the .cpp
/// files of model/ only.
class PairRows {
 public:
  /// The constraint itself.
  static PairRows constraint(const Joint& joint) { return {&joint, nullptr, joint.first, joint.second, joint.dim}; }
  /// The only free direction of a joint: one row, g where the frames' coincidence is 0 (an angle in (-pi, pi]), gamma
  /// its rate.
  static PairRows free_direction(const Joint& joint) { return free_directions(joint, 0, 1); }
  /// The free directions of a joint from `first` on.
  static PairRows free_directions(const Joint& joint, int first, int dim) {
    PairRows rows = {&joint, nullptr, joint.first, joint.second, dim};
    rows.first_free_ = first;
    return rows;
  }
  /// The relative velocity of two material points, g zero.
  static PairRows relative_velocity(const DryFriction& law, const Attachment& first, const Attachment& second,
                                    int dim) {
    return {nullptr, &law, first, second, dim};
  }

  const Attachment& first() const { return *first_; }
  const Attachment& second() const { return *second_; }
  const Attachment& side(Side s) const { return s == Side::first ? *first_ : *second_; }
  int dim() const { return dim_; }

  void calc_position(const System& system, double t, const Vector& q, JointVector& g) const;
  /// u null: velocities zero.
  void calc_velocity(const System& system, double t, const Vector& q, const Vector* u, JointVector& gamma) const;
  /// Rows of W^T for one side (dim, n_u of it); untouched where it has no velocities.
  void calc_jacobian(const System& system, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const;
  /// g, gamma (u null: as of velocities zero), W^T of both sides and reactions.
  void calc_geometry(const System& system, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const;
  /// zeta in gamma' = W^T u' + zeta.
  void calc_acceleration_bias(const System& system, double t, const Vector& q, const Vector& u,
                              JointVector& zeta) const;
  /// a null: accelerations zero.
  void calc_derivatives(const System& system, double t, const Vector& q, const Vector& u, const Vector* a,
                        const JointVector& lambda, JointDerivatives& derivatives) const;
  /// What lambda does to the second body.
  JointReaction calc_reaction(const System& system, double t, const Vector& q, const JointVector& lambda) const;

  const Joint* joint() const { return joint_; }
  const DryFriction* friction() const { return friction_; }
  /// The first free direction; -1: the constraint.
  int first_free() const { return first_free_; }

 private:
  PairRows(const Joint* joint, const DryFriction* friction, const Attachment& first, const Attachment& second, int dim)
      : joint_(joint), friction_(friction), first_(&first), second_(&second), dim_(dim) {}

  const Joint* joint_;
  const DryFriction* friction_;
  const Attachment* first_;
  const Attachment* second_;
  int dim_;
  int first_free_ = -1;
};

/// Violation of a joint's constraint at (t, q, u) (System::calc_joint_position) and its coordinates with their rates,
/// as System computes them, in one call.
struct JointPlace {
  JointVector g;
  std::array<JointCoordinate, kMaxJointCoordinates> coordinates;
};
void calc_joint_place(const System& system, int j, double t, const Vector& q, const Vector& u, JointPlace& place);

}  // namespace stickslip
