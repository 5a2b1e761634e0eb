// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/gear_rows.h"

#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/row_derivatives.h"
#include "stickslip/model/system.h"

namespace stickslip {
/// The row of a gear over S: the rates of its two joints' coordinates and what makes one of both.
template <class S>
struct GearRowsAt {
  struct End {
    const Joint* joint;
    double factor;  // of its coordinate in g: -ratio and 1
    PairFrames<S> frames;
    JointRow<S> row;
  };
  std::array<End, 2> ends;
  S value;  // g but for what does not depend on S

  GearRowsAt(const System& system, const GearRows& source, const Pair& pair, const S& t, const S* q, const S* u)
      : value(0.0) {
    const JointGear& gear = *source.joint().options.gear;
    // The frame of a body: one of the pair's, or that of a body that moves as prescribed or not at all.
    const auto frame = [&](int body) {
      if (body == pair.first.body) return body_frame<S>(pair.first_body, t, q, u);
      if (body == pair.second.body)
        return body_frame<S>(pair.second_body, t, q + pair.first_local_q, u + pair.first_local_u);
      return body_frame<S>(system.bodies()[body], t, nullptr, nullptr);
    };
    for (std::size_t i = 0; i < ends.size(); ++i) {
      End& end = ends[i];
      end.joint = &system.joints()[gear.joints[i]];
      end.factor = i == 0 ? -gear.ratio : 1.0;
      end.frames = {frame(end.joint->first.body), frame(end.joint->second.body)};
      end.row = free_row<S>(*end.joint, 0, end.frames.first, end.frames.second);
      value += S(end.factor) * end.row.g;
    }
  }

  const S& g(int /*row*/) const { return value; }
  S velocity(int /*row*/) const {
    S sum(0.0);
    for (const End& end : ends) {
      sum += S(end.factor) * joint_row_velocity<S>(end.row, end.frames.first, end.frames.second);
    }
    return sum;
  }
  void get_force(const Pair& pair, const S* q, int /*dim*/, const double* lambda, S* result) const {
    for (int i = 0; i < pair.n_local_u; ++i) result[i] = S(0.0);
    for (const End& end : ends) {
      const S scale(lambda[0] * end.factor);
      const Vec3<S> F = end.row.direction * scale;
      const Vec3<S> T = end.row.axis * scale;
      add_force(pair, q, end.joint->first.body, end.frames.first, end.row.on_first, Vec3<S>(-F), Vec3<S>(-T), result);
      add_force(pair, q, end.joint->second.body, end.frames.second, end.row.on_second, F, T, result);
    }
  }

 private:
  /// A force and a torque on one of the pair's bodies; none on any other.
  static void add_force(const Pair& pair, const S* q, int body, const Frame<S>& frame, const Vec3<S>& x,
                        const Vec3<S>& F, const Vec3<S>& T, S* result) {
    const bool on_first = body == pair.first.body;
    if (!on_first && body != pair.second.body) return;
    const int n = on_first ? pair.first_local_u : pair.n_local_u - pair.first_local_u;
    S part[kMaxLocalSide];
    body_generalized_force<S>(on_first ? pair.first_body : pair.second_body, on_first ? q : q + pair.first_local_q,
                              frame, x, F, T, part);
    for (int i = 0; i < n; ++i) result[(on_first ? 0 : pair.first_local_u) + i] += part[i];
  }
};

namespace {

/// The row at one instant, in double.
struct GearAtInstant {
  Pair pair;
  PairCoordinates local;
  GearRowsAt<double> row;

  GearAtInstant(const System& system, const GearRows& source, double t, const Vector& q, const Vector* u)
      : pair(system, source.first(), source.second()),
        local(pair, q, u, nullptr),
        row(system, source, pair, t, local.q, local.u) {}
};

}  // namespace

void GearRows::calc_position(const System& system, double t, const Vector& q, JointVector& g) const {
  const JointGear& gear = *joint_->options.gear;
  const auto moved = [&](int i) { return system.calc_joint_coordinate(gear.joints[i], 0, t, q) - gear.start[i]; };
  g.setConstant(1, moved(1) - gear.ratio * moved(0));
}

void GearRows::calc_velocity(const System& system, double t, const Vector& q, const Vector* u,
                             JointVector& gamma) const {
  gamma.setConstant(1, GearAtInstant(system, *this, t, q, u).row.velocity(0));
}

void GearRows::calc_jacobian(const System& system, double t, const Vector& q, Side s, Eigen::Ref<RowMatrix> J) const {
  const Attachment& attachment = joint_->side(s);
  if (attachment.n_u == 0) return;
  const GearAtInstant at(system, *this, t, q, nullptr);
  const double one = 1.0;
  double force[kMaxLocalU];
  at.row.get_force(at.pair, at.local.q, 1, &one, force);
  for (int k = 0; k < attachment.n_u; ++k) J(0, k) = force[(s == Side::first ? 0 : at.pair.first_local_u) + k];
}

void GearRows::calc_geometry(const System& system, double t, const Vector& q, const Vector* u,
                             PairGeometry& geometry) const {
  calc_position(system, t, q, geometry.g);
  calc_velocity(system, t, q, u, geometry.gamma);
  for (const Side side : {Side::first, Side::second}) {
    auto& W = geometry.W[static_cast<std::size_t>(side)];
    W.resize(1, joint_->side(side).n_u);
    calc_jacobian(system, t, q, side, W);
  }
  geometry.unit[0] = calc_reaction(system, t, q, JointVector::Constant(1, 1.0));
}

void GearRows::calc_acceleration_bias(const System& system, double t, const Vector& q, const Vector& u,
                                      JointVector& zeta) const {
  const Pair pair(system, first(), second());
  const PairCoordinates at(pair, q, &u, nullptr);
  zeta.resize(1);
  calc_rows_gamma_dot<GearRowsAt, double>(system, *this, pair, t, at.q, at.u, at.a, zeta.data());
}

void GearRows::calc_derivatives(const System& system, double t, const Vector& q, const Vector& u, const Vector* a,
                                const JointVector& lambda, JointDerivatives& derivatives) const {
  calc_rows_derivatives<GearRowsAt>(system, *this, t, q, u, a, lambda, derivatives);
}

JointReaction GearRows::calc_reaction(const System& system, double t, const Vector& q,
                                      const JointVector& lambda) const {
  const GearAtInstant at(system, *this, t, q, nullptr);
  const JointRow<double>& row = at.row.ends[1].row;
  return {lambda(0) * row.direction, lambda(0) * row.axis};
}

}  // namespace stickslip
