// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact.h"

#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {

void System::calc_contact(const ContactPoint& k, double t, const Vector& q, ContactGeometry& geometry) const {
  if (k.kind == GapKind::joint_limit) return calc_limit(k, t, q, geometry);
  const Attachment& a = k.flipped ? k.second : k.first;
  const Attachment& b = k.flipped ? k.first : k.second;
  const Body& ball = bodies_[b.body];
  Frame<double> ball_frame;
  if (ball.type == BodyType::planar && k.center_b.isZero(0.0)) {  // how far it has turned, a sine, plays no part
    ball_frame.p = Vector3(q(ball.q_offset), q(ball.q_offset + 1), 0.0);
    ball_frame.R.setIdentity();
  } else {
    ball_frame = frame_at(ball, b, t, q, nullptr);
  }
  const ContactFrame<double> c =
      contact_frame<double>(k, planar_, frame_at(bodies_[a.body], a, t, q, nullptr), ball_frame);
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
  const ContactPair& pair = law(k);
  const Attachment& at = k.side(side);
  if (at.n_u == 0) return;
  const Body& body = bodies_[at.body];
  const double sign = side == Side::first ? -1.0 : 1.0;
  const bool limit = k.kind == GapKind::joint_limit;  // its force acts on first where second's point is
  const Vector3& x = side == Side::first && !limit ? geometry.position_first : geometry.position_second;
  const Frame<double> frame = frame_at(body, at, 0.0, q, nullptr);
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
  const ContactPair& pair = law(k);
  const ContactFrame<double> c = {geometry.gap,    geometry.position_first, geometry.position_second,
                                  geometry.normal, geometry.tangent1,       geometry.tangent2};
  ContactVector gamma = ContactVector::Zero();
  if (k.kind == GapKind::joint_limit) {
    gamma(0) = k.sign * calc_joint_rate(k.joint, t, q, u);
    return gamma;
  }
  const Attachment& first = k.first;
  const Attachment& second = k.second;
  contact_velocity<double>(c, 1 + pair.friction_dim, pair.options.contensou_radius,
                           frame_at(bodies_[first.body], first, t, q, &u),
                           frame_at(bodies_[second.body], second, t, q, &u), gamma.data());
  return gamma;
}

bool System::has_prescribed_motion(const ContactPoint& k) const {
  return bodies_[k.body_a].type == BodyType::moving || bodies_[k.body_b].type == BodyType::moving;
}

}  // namespace stickslip
