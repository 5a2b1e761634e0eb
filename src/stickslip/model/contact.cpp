// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact.h"

#include "stickslip/base/assert.h"
#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {

void System::calc_contact(const ContactPoint& k, double t, const Vector& q, ContactGeometry& geometry) const {
  if (k.kind == GapKind::joint_limit) return calc_limit(k, t, q, geometry);
  calc_contact(k, calc_motion(k.first, t, q, nullptr), calc_motion(k.second, t, q, nullptr), geometry);
}

void System::calc_contact(const ContactPoint& k, const BodyMotion& first, const BodyMotion& second,
                          ContactGeometry& geometry) const {
  STICKSLIP_ASSERT(k.kind != GapKind::joint_limit);
  const ContactFrame<double> c =
      contact_frame<double>(k, planar_, k.flipped ? second : first, k.flipped ? first : second);
  geometry = {c.gap, c.first, c.second, c.normal, c.t1, c.t2};
}

void System::calc_limit(const ContactPoint& point, double t, const Vector& q, ContactGeometry& geometry) const {
  const Joint& joint = joints_[point.joint];
  const Pair pair(*this, joint.first, joint.second);
  const PairCoordinates local(pair, q, nullptr, nullptr);
  const PairFrames<double> frames = pair_frames<double>(pair, t, local.q, local.u);
  const JointPlacement<double> place = joint_placement(joint, frames.first, frames.second);
  geometry.gap = point.sign * (calc_joint_coordinate(point.joint, t, q) - point.limit);
  geometry.position_first = place.p_first;
  geometry.position_second = place.p_second;
  geometry.normal = point.sign * free_row(joint, frames.first, frames.second).direction;
  geometry.tangent1.setZero();
  geometry.tangent2.setZero();
}

double System::calc_gap(const ContactPoint& k, double t, const Vector& q) const {
  ContactGeometry geometry;
  calc_contact(k, t, q, geometry);
  return geometry.gap;
}

void System::calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q, Side side,
                                   Eigen::Ref<RowMatrix> J) const {
  const Attachment& at = k.side(side);
  if (at.n_u == 0) return;
  calc_contact_jacobian(k, geometry, q, calc_motion(at, 0.0, q, nullptr), side, J);
}

void System::calc_contact_jacobian(const ContactPoint& k, const ContactGeometry& geometry, const Vector& q,
                                   const BodyMotion& frame, Side side, Eigen::Ref<RowMatrix> J) const {
  const ContactPair& pair = law(k);
  const Attachment& at = k.side(side);
  if (at.n_u == 0) return;
  const Body& body = bodies_[at.body];
  const double sign = side == Side::first ? -1.0 : 1.0;
  const bool limit = k.kind == GapKind::joint_limit;  // its force acts on first where second's point is
  const Vector3& x = side == Side::first && !limit ? geometry.position_first : geometry.position_second;
  const Vector3 none = Vector3::Zero();
  const auto fill_row = [&](int row, const Vector3& direction, const Vector3& axis) {
    double f[kMaxSideDofs];
    attachment_force(body, at, q, frame, x, direction, axis, f);
    for (int i = 0; i < at.n_u; ++i) J(row, i) = f[i];
  };
  const Vector3 turn = limit && k.turns ? Vector3(sign * k.sign * Vector3::UnitZ()) : none;
  fill_row(0, sign * geometry.normal, turn);
  if (pair.friction_dim > 0) fill_row(1, sign * geometry.tangent1, none);
  if (pair.friction_dim > 1) fill_row(2, sign * geometry.tangent2, none);
  if (pair.friction_dim > 2) {
    const double arm = sign * kContensouFactor * pair.options.contensou_radius;
    fill_row(3, none, arm * geometry.normal);
  }
}

ContactVector System::calc_contact_velocity(const ContactPoint& k, const ContactGeometry& geometry, double t,
                                            const Vector& q, const Vector& u) const {
  if (k.kind == GapKind::joint_limit) {
    ContactVector gamma = ContactVector::Zero();
    gamma(0) = k.sign * calc_joint_rate(k.joint, t, q, u);
    return gamma;
  }
  return calc_contact_velocity(k, geometry, calc_motion(k.first, t, q, &u), calc_motion(k.second, t, q, &u));
}

ContactVector System::calc_contact_velocity(const ContactPoint& k, const ContactGeometry& geometry,
                                            const BodyMotion& first, const BodyMotion& second) const {
  STICKSLIP_ASSERT(k.kind != GapKind::joint_limit);
  const ContactPair& pair = law(k);
  const ContactFrame<double> c = {geometry.gap,    geometry.position_first, geometry.position_second,
                                  geometry.normal, geometry.tangent1,       geometry.tangent2};
  ContactVector gamma = ContactVector::Zero();
  contact_velocity<double>(c, 1 + pair.friction_dim, pair.options.contensou_radius, first, second, gamma.data());
  return gamma;
}

bool System::has_prescribed_motion(const ContactPoint& k) const {
  return bodies_[k.body_a].type == BodyType::moving || bodies_[k.body_b].type == BodyType::moving;
}

}  // namespace stickslip
