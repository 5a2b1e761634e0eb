// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/pair_rows.h"

#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

Pair pair_of(const System& system, const PairRows& rows) {
  return {system, rows.first(), rows.second()};
}

template <class S>
void make_rows(const PairRows& source, const S& t, const PairFrames<S>& frames, JointRow<S>* rows) {
  if (source.friction() != nullptr) {
    friction_rows<S>(*source.friction(), source.dim(), frames.first, frames.second, rows);
  } else if (source.first_free() >= 0) {
    for (int i = 0; i < source.dim(); ++i) {
      rows[i] = free_row<S>(*source.joint(), source.first_free() + i, frames.first, frames.second);
    }
  } else {
    joint_rows<S>(*source.joint(), t, frames.first, frames.second, rows);
  }
}

/// W lambda over the pair's local velocities (n_local_u).
template <class S>
void row_force(const Pair& pair, const S* q, const PairFrames<S>& frames, const JointRow<S>* rows, int dim,
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
void rows_gamma_dot(const PairRows& source, const Pair& pair, double t, const S* q, const S* u, const double* a,
                    S* result) {
  using T = TimeJet<S>;
  const PairInMotion<S> moving(pair, t, q, u, a);
  const PairFrames<T> frames = pair_frames<T>(pair, moving.t, moving.q, moving.u);
  JointRow<T> rows[kMaxJointDim];
  make_rows<T>(source, moving.t, frames, rows);
  for (int i = 0; i < source.dim(); ++i) {
    result[i] = joint_row_velocity<T>(rows[i], frames.first, frames.second).derivative(0);
  }
}

/// Rows at one instant, in double.
struct RowsAtInstant {
  PairFrames<double> frames;
  JointRow<double> rows[kMaxJointDim];

  RowsAtInstant(const System& system, const PairRows& source, double t, const Vector& q, const Vector* u) {
    const Pair pair = pair_of(system, source);
    const PairCoordinates local(pair, q, u, nullptr);
    frames = pair_frames<double>(pair, t, local.q, local.u);
    make_rows<double>(source, t, frames, rows);
  }
};

/// One derivative direction per local coordinate.
template <int N>
struct PairDerivatives {
  using Dual = Jet<double, N>;

  static void over_q(const PairRows& source, const Pair& pair, double t, const PairCoordinates& at,
                     const double* lambda, JointDerivatives& out) {
    Dual q[kMaxLocalQ];
    Dual u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual::variable(at.q[i], i);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual(at.u[i]);
    const PairFrames<Dual> frames = pair_frames<Dual>(pair, Dual(t), q, u);
    JointRow<Dual> rows[kMaxJointDim];
    make_rows<Dual>(source, Dual(t), frames, rows);
    Dual gamma[kMaxJointDim];
    Dual rate[kMaxJointDim];
    Dual force[kMaxLocalU];
    for (int i = 0; i < source.dim(); ++i) gamma[i] = joint_row_velocity<Dual>(rows[i], frames.first, frames.second);
    rows_gamma_dot<Dual>(source, pair, t, q, u, at.a, rate);
    row_force<Dual>(pair, q, frames, rows, source.dim(), lambda, force);
    spread_over_q(
        pair, source.dim(), [&](int i, int j) { return rows[i].g.derivative(j); }, out.g_q);
    spread_over_q(
        pair, source.dim(), [&](int i, int j) { return gamma[i].derivative(j); }, out.gamma_q);
    spread_over_q(
        pair, source.dim(), [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_q);
    spread_force_over_q(
        pair, [&](int i, int j) { return force[i].derivative(j); }, out.force_q);
  }

  static void over_u(const PairRows& source, const Pair& pair, double t, const PairCoordinates& at,
                     JointDerivatives& out) {
    Dual q[kMaxLocalQ];
    Dual u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual(at.q[i]);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual::variable(at.u[i], i);
    Dual rate[kMaxJointDim];
    rows_gamma_dot<Dual>(source, pair, t, q, u, at.a, rate);
    spread_over_u(
        pair, source.dim(), [&](int i, int j) { return rate[i].derivative(j); }, out.gamma_dot_u);
  }
};

}  // namespace

void PairRows::calc_position(const System& system, double t, const Vector& q, JointVector& g) const {
  const RowsAtInstant at(system, *this, t, q, nullptr);
  g.resize(dim_);
  for (int i = 0; i < dim_; ++i) g(i) = at.rows[i].g;
}

void PairRows::calc_velocity(const System& system, double t, const Vector& q, const Vector* u,
                             JointVector& gamma) const {
  const RowsAtInstant at(system, *this, t, q, u);
  gamma.resize(dim_);
  for (int i = 0; i < dim_; ++i) {
    gamma(i) = joint_row_velocity<double>(at.rows[i], at.frames.first, at.frames.second);
  }
}

void PairRows::calc_jacobian(const System& system, double t, const Vector& q, Side s, Eigen::Ref<RowMatrix> J) const {
  const Attachment& attachment = side(s);
  if (attachment.n_u == 0) return;
  const RowsAtInstant at(system, *this, t, q, nullptr);
  const double sign = s == Side::first ? -1.0 : 1.0;
  const Frame<double>& frame = s == Side::first ? at.frames.first : at.frames.second;
  double force[kMaxSideDofs];
  for (int i = 0; i < dim_; ++i) {
    const JointRow<double>& row = at.rows[i];
    attachment_force(system.bodies()[attachment.body], attachment, q, frame,
                     s == Side::first ? row.on_first : row.on_second, sign * row.direction, sign * row.axis, force);
    for (int k = 0; k < attachment.n_u; ++k) J(i, k) = force[k];
  }
}

void PairRows::calc_acceleration_bias(const System& system, double t, const Vector& q, const Vector& u,
                                      JointVector& zeta) const {
  const Pair pair = pair_of(system, *this);
  const PairCoordinates at(pair, q, &u, nullptr);
  zeta.resize(dim_);
  rows_gamma_dot<double>(*this, pair, t, at.q, at.u, at.a, zeta.data());
}

void PairRows::calc_derivatives(const System& system, double t, const Vector& q, const Vector& u, const Vector* a,
                                const JointVector& lambda, JointDerivatives& derivatives) const {
  const Pair pair = pair_of(system, *this);
  const PairCoordinates at(pair, q, &u, a);
  derivatives.g_q.setZero(dim_, pair.n_q());
  derivatives.gamma_q.setZero(dim_, pair.n_q());
  derivatives.gamma_dot_q.setZero(dim_, pair.n_q());
  derivatives.gamma_dot_u.setZero(dim_, pair.n_u());
  derivatives.force_q.setZero(pair.n_u(), pair.n_q());
  with_capacity(pair, [&](auto capacity) {
    PairDerivatives<decltype(capacity)::value>::over_q(*this, pair, t, at, lambda.data(), derivatives);
    PairDerivatives<decltype(capacity)::value>::over_u(*this, pair, t, at, derivatives);
  });
}

JointReaction PairRows::calc_reaction(const System& system, double t, const Vector& q,
                                      const JointVector& lambda) const {
  const RowsAtInstant at(system, *this, t, q, nullptr);
  JointReaction reaction = {Vector3::Zero(), Vector3::Zero()};
  for (int i = 0; i < dim_; ++i) {  // every row of a joint acts on second at the joint's point
    reaction.force += lambda(i) * at.rows[i].direction;
    reaction.torque += lambda(i) * at.rows[i].axis;
  }
  return reaction;
}

}  // namespace stickslip
