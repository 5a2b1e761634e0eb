// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/pair_rows.h"

#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/row_derivatives.h"
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

}  // namespace

/// Rows over S, for calc_rows_gamma_dot() and calc_rows_derivatives().
template <class S>
struct PairRowsAt {
  PairFrames<S> frames;
  JointRow<S> rows[kMaxJointDim];

  PairRowsAt(const System& /*system*/, const PairRows& source, const Pair& pair, const S& t, const S* q, const S* u)
      : PairRowsAt(source, t, pair_frames<S>(pair, t, q, u)) {}
  PairRowsAt(const PairRows& source, const S& t, const PairFrames<S>& at) : frames(at) {
    make_rows<S>(source, t, frames, rows);
  }

  const S& g(int i) const { return rows[i].g; }
  S velocity(int i) const { return joint_row_velocity<S>(rows[i], frames.first, frames.second); }
  /// W lambda over the pair's local velocities (n_local_u).
  void get_force(const Pair& pair, const S* q, int dim, const double* lambda, S* result) const {
    for (int i = 0; i < pair.n_local_u; ++i) result[i] = S(0.0);
    S part[kMaxLocalU];
    for (int i = 0; i < dim; ++i) {
      const Vec3<S> F = rows[i].direction * S(lambda[i]);
      const Vec3<S> T = rows[i].axis * S(lambda[i]);
      pair_force<S>(pair, q, frames, rows[i].on_first, rows[i].on_second, F, T, part);
      for (int j = 0; j < pair.n_local_u; ++j) result[j] += part[j];
    }
  }
};

namespace {

/// The torque on second of a unit of a row, about the joint's point on it, where all joints but a rolling disc act.
Vector3 torque_of(const PairRows& source, const PairRowsAt<double>& at, int i) {
  const JointRow<double>& row = at.rows[i];
  if (source.joint() == nullptr || source.joint()->options.type != JointType::rolling) return row.axis;
  const Frame<double>& second = at.frames.second;
  return row.axis + (row.on_second - second.p - second.R * source.joint()->options.on_second.at).cross(row.direction);
}

/// Rows at one instant, in double.
PairRowsAt<double> rows_at(const System& system, const PairRows& source, double t, const Vector& q, const Vector* u) {
  return {source, t, frames_of(pair_of(system, source), t, q, u)};
}

/// Rows of W^T for a side that has velocities.
template <class Result>
void fill_jacobian(const System& system, const PairRows& source, const Vector& q, const PairRowsAt<double>& at, Side s,
                   Result& J) {
  const Attachment& attachment = source.side(s);
  const double sign = s == Side::first ? -1.0 : 1.0;
  const Frame<double>& frame = s == Side::first ? at.frames.first : at.frames.second;
  double force[kMaxSideDofs];
  for (int i = 0; i < source.dim(); ++i) {
    const JointRow<double>& row = at.rows[i];
    attachment_force(system.bodies()[attachment.body], attachment, q, frame,
                     s == Side::first ? row.on_first : row.on_second, sign * row.direction, sign * row.axis, force);
    for (int k = 0; k < attachment.n_u; ++k) J(i, k) = force[k];
  }
}

}  // namespace

void PairRows::calc_position(const System& system, double t, const Vector& q, JointVector& g) const {
  const PairRowsAt<double> at = rows_at(system, *this, t, q, nullptr);
  g.resize(dim_);
  for (int i = 0; i < dim_; ++i) g(i) = at.g(i);
}

void PairRows::calc_velocity(const System& system, double t, const Vector& q, const Vector* u,
                             JointVector& gamma) const {
  const PairRowsAt<double> at = rows_at(system, *this, t, q, u);
  gamma.resize(dim_);
  for (int i = 0; i < dim_; ++i) gamma(i) = at.velocity(i);
}

void PairRows::calc_jacobian(const System& system, double t, const Vector& q, Side s, Eigen::Ref<RowMatrix> J) const {
  if (side(s).n_u == 0) return;
  fill_jacobian(system, *this, q, rows_at(system, *this, t, q, nullptr), s, J);
}

void PairRows::calc_geometry(const System& system, double t, const Vector& q, const Vector* u,
                             PairGeometry& geometry) const {
  const PairRowsAt<double> at = rows_at(system, *this, t, q, u);
  geometry.g.resize(dim_);
  geometry.gamma.resize(dim_);
  for (int i = 0; i < dim_; ++i) {
    geometry.g(i) = at.g(i);
    geometry.gamma(i) = at.velocity(i);
    geometry.unit[i] = {at.rows[i].direction, torque_of(*this, at, i)};
  }
  for (const Side s : {Side::first, Side::second}) {
    auto& W = geometry.W[static_cast<std::size_t>(s)];
    W.resize(dim_, side(s).n_u);
    if (side(s).n_u > 0) fill_jacobian(system, *this, q, at, s, W);
  }
}

void PairRows::calc_acceleration_bias(const System& system, double t, const Vector& q, const Vector& u,
                                      JointVector& zeta) const {
  const Pair pair = pair_of(system, *this);
  const PairCoordinates at(pair, q, &u, nullptr);
  zeta.resize(dim_);
  calc_rows_gamma_dot<PairRowsAt, double>(system, *this, pair, t, at.q, at.u, at.a, zeta.data());
}

void PairRows::calc_derivatives(const System& system, double t, const Vector& q, const Vector& u, const Vector* a,
                                const JointVector& lambda, JointDerivatives& derivatives) const {
  calc_rows_derivatives<PairRowsAt>(system, *this, t, q, u, a, lambda, derivatives);
}

JointReaction PairRows::calc_reaction(const System& system, double t, const Vector& q,
                                      const JointVector& lambda) const {
  const PairRowsAt<double> at = rows_at(system, *this, t, q, nullptr);
  JointReaction reaction = {Vector3::Zero(), Vector3::Zero()};
  for (int i = 0; i < dim_; ++i) {
    reaction.force += lambda(i) * at.rows[i].direction;
    reaction.torque += lambda(i) * torque_of(*this, at, i);
  }
  return reaction;
}

void calc_joint_place(const System& system, int j, double t, const Vector& q, const Vector& u, JointPlace& place) {
  const Joint& joint = system.joints()[j];
  if (joint.is_coupling()) {
    system.calc_joint_position(j, t, q, place.g);
    return;
  }
  const Pair pair(system, joint.first, joint.second);
  const PairRowsAt<double> at(PairRows::constraint(joint), t, frames_of(pair, t, q, &u));
  place.g.resize(joint.dim);
  for (int i = 0; i < joint.dim; ++i) place.g(i) = at.g(i);
  for (int c = 0; c < joint.n_coordinates; ++c) {
    const JointRow<double> row = free_row<double>(joint, c, at.frames.first, at.frames.second);
    place.coordinates[c] = {coordinate_at(joint, c, t, q, pair, at.frames, row.g),
                            joint_row_velocity(row, at.frames.first, at.frames.second)};
  }
}

}  // namespace stickslip
