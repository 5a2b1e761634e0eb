// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <numbers>

#include "stickslip/collision/gap.h"
#include "stickslip/math/jet.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/body.h"
#include "stickslip/model/contact.h"
#include "stickslip/model/frame.h"

namespace stickslip {

// The kinematics of bodies and contacts, written once over the scalar S: double for values,
// Jet for exact derivatives in time, q and u. Included by the .cpp files of model/ only; interfaces speak double.

/// Local coordinates of a beam's cross-section, (r, r').
inline constexpr int kBeamLocalDofs = 4;

/// First-order dual number in time: value and d/dt.
template <class S>
using TimeJet = Jet<S, 1>;

/// 3 pi / 16: the mean lever arm of drilling friction over a disc with parabolic pressure, in units
/// of its radius [Capobianco2021 eq. 157].
inline constexpr double kContensouFactor = 3.0 * std::numbers::pi / 16.0;

/// A prescribed frame near the instant t: exact in value and first time derivative.
template <class S>
Frame<S> moving_frame(const Motion& motion, const S& t) {
  const double t0 = plain_value(t);
  const S dt = t - S(t0);
  Frame<S> f;
  for (int i = 0; i < 3; ++i) {
    const double v = motion.velocity[i].value(t0);
    f.p(i) = S(motion.position[i].value(t0)) + v * dt;
    f.v(i) = S(v) + motion.acceleration[i].value(t0) * dt;
  }
  const double rate = motion.angle_rate.value(t0);
  const Vector3 w0 = rate * motion.axis;
  const Matrix3 R0 = axis_angle_matrix(motion.axis, motion.angle.value(t0)) * motion.rotation0;
  const Matrix3 R0_dot = skew<double>(w0) * R0;
  f.R = constant_matrix<S>(R0);
  const double rate_dot = motion.angle_acceleration.value(t0);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) f.R(i, j) += R0_dot(i, j) * dt;
    f.w(j) = S(w0(j)) + (rate_dot * motion.axis(j)) * dt;
  }
  return f;
}

/// The frame of a beam's cross-section from q = (r, r') and u = (r_dot, r_dot'), ' = d/dxi: its x axis is the tangent.
template <class S>
Frame<S> beam_frame(const S* q, const S* u) {
  using std::sqrt;
  const S zero(0.0);
  const S norm2 = q[2] * q[2] + q[3] * q[3];
  const S scale = S(1.0) / sqrt(norm2);
  const S c = q[2] * scale;
  const S s = q[3] * scale;
  Frame<S> f;
  f.p = Vec3<S>(q[0], q[1], zero);
  f.R << c, -s, zero, s, c, zero, zero, zero, S(1.0);
  f.v = Vec3<S>(u[0], u[1], zero);
  f.w = Vec3<S>(zero, zero, (q[2] * u[3] - q[3] * u[2]) / norm2);
  return f;
}

/// The frame of a body at its own coordinates q (n_q) and velocities u (n_u); of a beam's cross-section at the local
/// ones of beam_frame().
template <class S>
Frame<S> body_frame(const Body& body, const S& t, const S* q, const S* u) {
  Frame<S> f;
  switch (body.type) {
    case BodyType::fixed:
      f.p = constant_vector<S>(body.pose.p_WB);
      f.R = constant_matrix<S>(body.pose.R_WB);
      f.v = constant_vector<S>(Vector3::Zero());
      f.w = f.v;
      break;
    case BodyType::moving:
      f = moving_frame(*body.motion, t);
      break;
    case BodyType::rigid: {
      f.p = Vec3<S>(q[0], q[1], q[2]);
      f.R = rotation_matrix<S>(Vec4<S>(q[3], q[4], q[5], q[6]));
      f.v = Vec3<S>(u[0], u[1], u[2]);
      f.w = f.R * Vec3<S>(u[3], u[4], u[5]);
      break;
    }
    case BodyType::planar: {
      using std::cos;
      using std::sin;
      const S c = cos(q[2]);
      const S s = sin(q[2]);
      const S zero(0.0);
      f.p = Vec3<S>(q[0], q[1], zero);
      f.R << c, -s, zero, s, c, zero, zero, zero, S(1.0);
      f.v = Vec3<S>(u[0], u[1], zero);
      f.w = Vec3<S>(zero, zero, u[2]);
      break;
    }
    case BodyType::beam:
      f = beam_frame(q, u);
      break;
    case BodyType::point: {
      const S zero(0.0);
      f.p = Vec3<S>(q[0], q[1], body.n_q == 3 ? q[2] : zero);
      f.v = Vec3<S>(u[0], u[1], body.n_u == 3 ? u[2] : zero);
      f.R = constant_matrix<S>(Matrix3::Identity());
      f.w = constant_vector<S>(Vector3::Zero());
      break;
    }
  }
  return f;
}

/// q' = B(q) u of one body, or of a beam's cross-section.
template <class S>
void body_coordinate_rates(const Body& body, const S* q, const S* u, S* q_dot) {
  if (!has_quaternion(body.type)) {
    const int n = body.type == BodyType::beam ? kBeamLocalDofs : body.n_q;
    for (int i = 0; i < n; ++i) q_dot[i] = u[i];
    return;
  }
  for (int i = 0; i < 3; ++i) q_dot[i] = u[i];
  const Vec4<S> e_dot = quaternion_rate<S>(Vec4<S>(q[3], q[4], q[5], q[6]), Vec3<S>(u[3], u[4], u[5]));
  for (int i = 0; i < 4; ++i) q_dot[3 + i] = e_dot(i);
}

/// ContactGeometry over the scalar S.
template <class S>
struct ContactFrame {
  S gap;
  Vec3<S> first, second;  // contact points on the pair's bodies
  Vec3<S> normal, t1, t2;
};

/// The axis of the world that the first tangent of a normal n is the projection of: e_x, or e_y where n is near it.
inline int tangent_axis(const Vector3& n) {
  constexpr double kSwitch = 0.9;  // [-] of |n_x|
  return std::abs(n(0)) > kSwitch ? 1 : 0;
}

/// The tangents that docs/scene-format.md states: planar t1 = (n_y, -n_x); spatial t1 = the projection of
/// e_x on the tangent plane (of e_y where |n_x| > 0.9), t2 = n x t1.
template <class S>
void contact_tangents(bool planar, ContactFrame<S>& c) {
  using std::sqrt;
  const Vec3<S>& n = c.normal;
  if (planar) {
    c.t1 = Vec3<S>(n(1), -n(0), S(0.0));
    c.t2 = constant_vector<S>(Vector3::Zero());
    return;
  }
  const int axis = tangent_axis(Vector3(plain_value(n(0)), plain_value(n(1)), plain_value(n(2))));
  // Not by an index into t1, which would go through memory.
  const S along = axis == 0 ? S(-n(0)) : S(-n(1));
  S x = n(0) * along;
  S y = n(1) * along;
  (axis == 0 ? x : y) += S(1.0);
  c.t1 = Vec3<S>(x, y, n(2) * along);
  c.t1 = c.t1 * (S(1.0) / sqrt(c.t1.dot(c.t1)));
  c.t2 = n.cross(c.t1);
}

/// Contact points, normal and tangents where the gap to a ball at `center` is known. `flipped`: the ball is on the
/// pair's first body.
template <class S>
ContactFrame<S> contact_frame(const Gap<S>& between, const Vec3<S>& center, double radius, bool flipped, bool planar) {
  const Vec3<S> on_b = center - between.normal * S(radius);
  const Vec3<S> on_a = on_b - between.normal * between.gap;
  ContactFrame<S> c;
  c.gap = between.gap;
  c.first = flipped ? on_b : on_a;
  c.second = flipped ? on_a : on_b;
  c.normal = flipped ? Vec3<S>(-between.normal) : between.normal;
  contact_tangents(planar, c);
  return c;
}

/// Gap, normal and contact points between a surface and a ball on bodies with the frames `a` and `b`.
template <class S>
ContactFrame<S> contact_frame(const SurfaceFeature& surface, const BallFeature& ball, bool flipped, bool planar,
                              const Frame<S>& a, const Frame<S>& b) {
  Vec3<S> center;
  const Gap<S> between = calc_gap<S>(surface, a.p, a.R, ball, b.p, b.R, center);
  return contact_frame<S>(between, center, ball.radius, flipped, planar);
}

/// gamma = (n . dv, t1 . dv, t2 . dv, drilling n . dw, rolling t1 . dw, rolling t2 . dw), those of them that there are;
/// dv and dw of second relative to first, of the material points at the contact. Planar: rolling dw.
template <class S>
void contact_velocity(const ContactFrame<S>& c, const ContactRowLayout& rows, const Frame<S>& first,
                      const Frame<S>& second, S* gamma) {
  const Vec3<S> v_second = second.v + second.w.cross(Vec3<S>(c.second - second.p));
  const Vec3<S> v_first = first.v + first.w.cross(Vec3<S>(c.first - first.p));
  const Vec3<S> dv = v_second - v_first;
  gamma[0] = c.normal.dot(dv);
  if (rows.n_slide > 0) gamma[1] = c.t1.dot(dv);
  if (rows.n_slide > 1) gamma[2] = c.t2.dot(dv);
  if (rows.n_drill + rows.n_roll == 0) return;
  const Vec3<S> dw = second.w - first.w;
  if (rows.n_drill > 0) gamma[rows.drill_row()] = c.normal.dot(dw) * S(rows.drilling);
  if (rows.n_roll == 1) gamma[rows.roll_row()] = dw(2) * S(rows.rolling);
  if (rows.n_roll < 2) return;
  gamma[rows.roll_row()] = c.t1.dot(dw) * S(rows.rolling);
  gamma[rows.roll_row() + 1] = c.t2.dot(dw) * S(rows.rolling);
}

/// The moment on second of multipliers of the rows of turning.
template <class S>
Vec3<S> contact_moment(const ContactFrame<S>& c, const ContactRowLayout& rows, const double* lambda) {
  Vec3<S> moment = constant_vector<S>(Vector3::Zero());
  if (rows.n_drill > 0) moment = c.normal * S(lambda[rows.drill_row()] * rows.drilling);
  if (rows.n_roll == 1) moment(2) = moment(2) + S(lambda[rows.roll_row()] * rows.rolling);
  if (rows.n_roll > 1) {
    moment += c.t1 * S(lambda[rows.roll_row()] * rows.rolling);
    moment += c.t2 * S(lambda[rows.roll_row() + 1] * rows.rolling);
  }
  return moment;
}

/// The generalised force (n_u) on a body of a world force F at x and a world torque T; on a beam over the local
/// velocities (r_dot, r_dot') of the cross-section with coordinates q.
template <class S>
void body_generalized_force(const Body& body, const S* q, const Frame<S>& frame, const Vec3<S>& x, const Vec3<S>& F,
                            const Vec3<S>& T, S* result) {
  if (body.type == BodyType::beam) {
    const S torque = Vec3<S>(Vec3<S>(x - frame.p).cross(F) + T)(2) / (q[2] * q[2] + q[3] * q[3]);
    result[0] = F(0);
    result[1] = F(1);
    result[2] = -q[3] * torque;
    result[3] = q[2] * torque;
    return;
  }
  for (int i = 0; i < std::min(body.n_u, 3); ++i) result[i] = F(i);
  switch (body.type) {
    case BodyType::rigid: {
      const Vec3<S> torque = Vec3<S>(x - frame.p).cross(F) + T;
      const Vec3<S> in_body = frame.R.transpose() * torque;
      for (int i = 0; i < 3; ++i) result[3 + i] = in_body(i);
      break;
    }
    case BodyType::planar: {
      const Vec3<S> torque = Vec3<S>(x - frame.p).cross(F) + T;
      result[2] = torque(2);
      break;
    }
    case BodyType::point:
    case BodyType::beam:
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
}

}  // namespace stickslip
