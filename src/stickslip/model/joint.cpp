// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/joint.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

Pair pair_of(const System& system, const Joint& joint) {
  return {system, joint.first, joint.second};
}

/// W lambda over the pair's local velocities (n_local_u).
template <class S>
void joint_force(const Pair& pair, const S* q, const PairFrames<S>& frames, const JointRow<S>* rows, int dim,
                 const double* lambda, S* result) {
  for (int i = 0; i < pair.n_local_u; ++i) result[i] = S(0.0);
  S part[kMaxLocalU];
  for (int i = 0; i < dim; ++i) {
    const Vec3<S> F = rows[i].direction * S(lambda[i]);
    const Vec3<S> T = rows[i].axis * S(lambda[i]);
    pair_force<S>(pair, q, frames, rows[i].on_first, rows[i].on_second, F, T, part);
    for (int j = 0; j < pair.n_local_u; ++j) result[j] += part[j];
  }
}

/// gamma' of all rows over S.
template <class S>
void joint_gamma_dot(const Joint& joint, const Pair& pair, double t, const S* q, const S* u, const double* a,
                     S* result) {
  using T = TimeJet<S>;
  const PairInMotion<S> moving(pair, t, q, u, a);
  const PairFrames<T> frames = pair_frames<T>(pair, moving.t, moving.q, moving.u);
  JointRow<T> rows[kMaxJointDim];
  joint_rows<T>(joint, moving.t, frames.first, frames.second, rows);
  for (int i = 0; i < joint.dim; ++i) {
    result[i] = joint_row_velocity<T>(rows[i], frames.first, frames.second).derivatives()(0);
  }
}

/// Rows of a joint at one instant, in double.
struct JointAtInstant {
  PairFrames<double> frames;
  JointRow<double> rows[kMaxJointDim];

  JointAtInstant(const System& system, const Joint& joint, double t, const Vector& q, const Vector* u) {
    const Pair pair = pair_of(system, joint);
    const PairCoordinates local(pair, q, u, nullptr);
    frames = pair_frames<double>(pair, t, local.q, local.u);
    joint_rows<double>(joint, t, frames.first, frames.second, rows);
  }
};

/// One derivative direction per local coordinate.
template <int N>
struct Derivatives {
  using Jet = Eigen::AutoDiffScalar<Eigen::Matrix<double, N, 1>>;

  static void over_q(const Joint& joint, const Pair& pair, double t, const PairCoordinates& at, const double* lambda,
                     JointDerivatives& out) {
    Jet q[kMaxLocalQ];
    Jet u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Jet(at.q[i], N, i);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Jet(at.u[i]);
    const PairFrames<Jet> frames = pair_frames<Jet>(pair, Jet(t), q, u);
    JointRow<Jet> rows[kMaxJointDim];
    joint_rows<Jet>(joint, Jet(t), frames.first, frames.second, rows);
    Jet gamma[kMaxJointDim];
    Jet rate[kMaxJointDim];
    Jet force[kMaxLocalU];
    for (int i = 0; i < joint.dim; ++i) gamma[i] = joint_row_velocity<Jet>(rows[i], frames.first, frames.second);
    joint_gamma_dot<Jet>(joint, pair, t, q, u, at.a, rate);
    joint_force<Jet>(pair, q, frames, rows, joint.dim, lambda, force);
    spread_over_q(
        pair, joint.dim, [&](int i, int j) { return rows[i].g.derivatives()(j); }, out.g_q);
    spread_over_q(
        pair, joint.dim, [&](int i, int j) { return gamma[i].derivatives()(j); }, out.gamma_q);
    spread_over_q(
        pair, joint.dim, [&](int i, int j) { return rate[i].derivatives()(j); }, out.gamma_dot_q);
    spread_force_over_q(
        pair, [&](int i, int j) { return force[i].derivatives()(j); }, out.force_q);
  }

  static void over_u(const Joint& joint, const Pair& pair, double t, const PairCoordinates& at, JointDerivatives& out) {
    Jet q[kMaxLocalQ];
    Jet u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Jet(at.q[i]);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Jet(at.u[i], N, i);
    Jet rate[kMaxJointDim];
    joint_gamma_dot<Jet>(joint, pair, t, q, u, at.a, rate);
    spread_over_u(
        pair, joint.dim, [&](int i, int j) { return rate[i].derivatives()(j); }, out.gamma_dot_u);
  }
};

/// The angle of a body of a planar system, whole turns counted where it has a coordinate for it.
double planar_angle(const Body& body, const Frame<double>& frame, double t, const Vector& q) {
  if (body.type == BodyType::planar) return q(body.q_offset + 2);
  const auto angle_of_matrix = [](const Matrix3& R) { return std::atan2(R(1, 0), R(0, 0)); };
  if (body.type != BodyType::moving) return angle_of_matrix(frame.R);
  return body.motion->angle.value(t) * body.motion->axis.z() + angle_of_matrix(body.motion->rotation0);
}

/// The coordinate that a motion asks for, relative to where the frames coincide; 0 without a motion.
double driven_angle(const Joint& joint, double t) {
  return joint.options.motion ? joint.options.motion->value(t) - joint.options.coordinate_origin : 0.0;
}

/// `angle`, moved by whole turns as near to `near` as it gets: a beam's tangent does not count its turns.
double wrap_to(double near, double angle) {
  return near + std::remainder(angle - near, 2.0 * std::numbers::pi);
}

}  // namespace

std::string_view joint_type_name(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::weld:
      return "weld";
    case JointType::distance:
      return "distance";
    case JointType::knife_edge:
      return "knife-edge";
  }
  return "";
}

void System::calc_joint_position(int j, double t, const Vector& q, JointVector& g) const {
  const Joint& joint = joints_[j];
  const JointAtInstant at(*this, joint, t, q, nullptr);
  g.resize(joint.dim);
  for (int i = 0; i < joint.dim; ++i) g(i) = at.rows[i].g;
}

void System::calc_joint_velocity(int j, double t, const Vector& q, const Vector& u, JointVector& gamma) const {
  const Joint& joint = joints_[j];
  const JointAtInstant at(*this, joint, t, q, &u);
  gamma.resize(joint.dim);
  for (int i = 0; i < joint.dim; ++i) {
    gamma(i) = joint_row_velocity<double>(at.rows[i], at.frames.first, at.frames.second);
  }
}

void System::calc_joint_jacobian(int j, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const {
  const Joint& joint = joints_[j];
  const Attachment& attachment = joint.side(side);
  if (attachment.n_u == 0) return;
  const JointAtInstant at(*this, joint, t, q, nullptr);
  const double sign = side == Side::first ? -1.0 : 1.0;
  const Frame<double>& frame = side == Side::first ? at.frames.first : at.frames.second;
  double force[kMaxSideDofs];
  for (int i = 0; i < joint.dim; ++i) {
    const JointRow<double>& row = at.rows[i];
    attachment_force(bodies_[attachment.body], attachment, q, frame, side == Side::first ? row.on_first : row.on_second,
                     sign * row.direction, sign * row.axis, force);
    for (int k = 0; k < attachment.n_u; ++k) J(i, k) = force[k];
  }
}

JointCoordinate System::calc_joint_coordinate(int j, double t, const Vector& q, const Vector& u) const {
  const Joint& joint = joints_[j];
  const JointOptions& o = joint.options;
  const Pair pair = pair_of(*this, joint);
  const PairCoordinates local(pair, q, &u, nullptr);
  const PairFrames<double> frames = pair_frames<double>(pair, t, local.q, local.u);
  const JointPlacement<double> place = joint_placement(joint, frames.first, frames.second);
  const JointTarget<double> origin = {0.0, 0.0};
  if (o.type == JointType::revolute) {
    double turned = planar_angle(pair.second_body, frames.second, t, q) -
                    planar_angle(pair.first_body, frames.first, t, q) - o.relative_angle;
    if (pair.first.n_control > 0 || pair.second.n_control > 0) turned = wrap_to(driven_angle(joint, t), turned);
    return {turned + o.coordinate_origin, frames.second.w(2) - frames.first.w(2)};
  }
  if (o.type == JointType::prismatic) {
    const JointRow<double> row = slide_row(place, 0, origin);
    return {row.g + o.coordinate_origin, joint_row_velocity(row, frames.first, frames.second)};
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {kNone, kNone};
}

JointReaction System::calc_joint_reaction(int j, double t, const Vector& q, const JointVector& lambda) const {
  const Joint& joint = joints_[j];
  const JointAtInstant at(*this, joint, t, q, nullptr);
  JointReaction reaction = {Vector3::Zero(), Vector3::Zero()};
  for (int i = 0; i < joint.dim; ++i) {  // every row acts on second at the joint's point
    reaction.force += lambda(i) * at.rows[i].direction;
    reaction.torque += lambda(i) * at.rows[i].axis;
  }
  return reaction;
}

bool System::joint_has_prescribed_motion(int j) const {
  const Joint& joint = joints_[j];
  return joint.options.motion.has_value() || bodies_[joint.first.body].type == BodyType::moving ||
         bodies_[joint.second.body].type == BodyType::moving;
}

void System::calc_joint_acceleration_bias(int j, double t, const Vector& q, const Vector& u, JointVector& zeta) const {
  const Joint& joint = joints_[j];
  const Pair pair = pair_of(*this, joint);
  const PairCoordinates at(pair, q, &u, nullptr);
  zeta.resize(joint.dim);
  joint_gamma_dot<double>(joint, pair, t, at.q, at.u, at.a, zeta.data());
}

void System::calc_joint_derivatives(int j, double t, const Vector& q, const Vector& u, const Vector& a,
                                    const JointVector& lambda, JointDerivatives& derivatives) const {
  const Joint& joint = joints_[j];
  const Pair pair = pair_of(*this, joint);
  const PairCoordinates at(pair, q, &u, &a);
  derivatives.g_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_dot_q.setZero(joint.dim, pair.n_q());
  derivatives.gamma_dot_u.setZero(joint.dim, pair.n_u());
  derivatives.force_q.setZero(pair.n_u(), pair.n_q());
  with_capacity(pair, [&](auto capacity) {
    Derivatives<decltype(capacity)::value>::over_q(joint, pair, t, at, lambda.data(), derivatives);
    Derivatives<decltype(capacity)::value>::over_u(joint, pair, t, at, derivatives);
  });
}

}  // namespace stickslip
