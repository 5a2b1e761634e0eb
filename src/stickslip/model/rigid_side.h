// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/math/rotation.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/pair_kinematics.h"

namespace stickslip {

// What derivatives by hand of rigid contacts and of joints in space share. Included by the .cpp files of model/ only.

using RotationRates = Eigen::Matrix<double, 3, 4>;

/// A body that is no beam, with what its contact or joint needs; a_all may be null: accelerations of bodies with
/// velocities are zero.
struct RigidSide {
  const Body& body;
  Vector3 p, v, a;              // (3) [m], [m/s], [m/s^2] its origin
  Matrix3 R;                    // (3, 3) body to world
  Vector3 omega, alpha;         // (3) [rad/s], [rad/s^2] world
  Vector3 arm, arm_v, arm_a;    // (3) from the origin to the centre of its feature, and its rates by omega and alpha
  bool has_arm = false;         // the arm is not zero, as it is of a ball around the origin
  bool has_quaternion = false;  // it has four coordinates and three velocities of rotation

  RigidSide(const Body& of, const Attachment& at, const Vector3& center, double t, const Vector& q_all,
            const Vector& u_all, const Vector* a_all)
      : body(of) {
    const double* q = q_all.data() + at.q_offset;
    const double* u = u_all.data() + at.u_offset;
    static constexpr double kNone[kMaxLocalSide] = {};
    const double* u_dot = a_all == nullptr ? kNone : a_all->data() + at.u_offset;
    v.setZero();
    a.setZero();
    omega.setZero();
    alpha.setZero();
    switch (body.type) {
      case BodyType::fixed:
        p = body.pose.p_WB;
        R = body.pose.R_WB;
        break;
      case BodyType::moving: {
        TimeJet<double> now(t);
        now.set_derivative(0, 1.0);
        const Frame<TimeJet<double>> f = moving_frame(*body.motion, now);
        for (int i = 0; i < 3; ++i) {
          p(i) = f.p(i).value();
          v(i) = f.v(i).value();
          a(i) = f.v(i).derivative(0);
          omega(i) = f.w(i).value();
          alpha(i) = f.w(i).derivative(0);
          for (int j = 0; j < 3; ++j) R(i, j) = f.R(i, j).value();
        }
        break;
      }
      case BodyType::rigid:
        has_quaternion = true;
        p << q[0], q[1], q[2];
        v << u[0], u[1], u[2];
        a << u_dot[0], u_dot[1], u_dot[2];
        R = rotation_matrix<double>(Vector4(q[3], q[4], q[5], q[6]));
        omega = R * Vector3(u[3], u[4], u[5]);
        alpha = R * Vector3(u_dot[3], u_dot[4], u_dot[5]);
        break;
      case BodyType::planar:
        p << q[0], q[1], 0.0;
        v << u[0], u[1], 0.0;
        a << u_dot[0], u_dot[1], 0.0;
        R << std::cos(q[2]), -std::sin(q[2]), 0.0, std::sin(q[2]), std::cos(q[2]), 0.0, 0.0, 0.0, 1.0;
        omega(2) = u[2];
        alpha(2) = u_dot[2];
        break;
      case BodyType::point:
      case BodyType::beam:  // not here
        p << q[0], q[1], body.n_q == 3 ? q[2] : 0.0;
        v << u[0], u[1], body.n_u == 3 ? u[2] : 0.0;
        a << u_dot[0], u_dot[1], body.n_u == 3 ? u_dot[2] : 0.0;
        R.setIdentity();
        break;
    }
    has_arm = !center.isZero(0.0);
    arm = R * center;
    arm_v = omega.cross(arm);
    arm_a = alpha.cross(arm) + omega.cross(arm_v);
  }

  /// d theta = rotation_rates(e) de, as e' = 1/2 E^T omega.
  RotationRates rotation_rates(const double* e) const {
    RotationRates E;
    E << -e[1], e[0], e[3], -e[2], -e[2], -e[3], e[0], e[1], -e[3], e[2], -e[1], e[0];
    return (2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])) * (R * E);
  }
};

/// Writes gradients over displacements dp and small rotations theta of a body into its columns, as it has them.
class RigidColumns {
 public:
  RigidColumns(const RigidSide& side, const Attachment& at, const double* q, int first_q, int first_u)
      : side_(side), n_q_(at.n_q), n_u_(at.n_u), q_(first_q), u_(first_u) {
    if (side.has_quaternion) rates_ = side.rotation_rates(q + at.q_offset + 3);
  }
  bool empty() const { return n_u_ == 0; }
  int u() const { return u_; }
  int n_translations() const { return side_.body.type == BodyType::planar ? 2 : std::min(n_u_, 3); }

  template <class Row>
  void over_q(const Vector3& over_p, const Vector3& over_theta, Row&& row) const {
    for (int i = 0; i < std::min(n_q_, 3); ++i) row(q_ + i) = over_p(i);
    if (side_.has_quaternion) {
      const Eigen::RowVector4d over_e = over_theta.transpose() * rates_;
      for (int i = 0; i < 4; ++i) row(q_ + 3 + i) = over_e(i);
    } else if (side_.body.type == BodyType::planar) {
      row(q_ + 2) = over_theta(2);
    }
  }
  template <class Row>
  void over_u(const Vector3& over_v, const Vector3& over_omega, Row&& row) const {
    for (int i = 0; i < std::min(n_u_, 3); ++i) row(u_ + i) = over_v(i);
    if (side_.has_quaternion) {
      const Vector3 over_body = side_.R.transpose() * over_omega;
      for (int i = 0; i < 3; ++i) row(u_ + 3 + i) = over_body(i);
    } else if (side_.body.type == BodyType::planar) {
      row(u_ + 2) = over_omega(2);
    }
  }

 private:
  const RigidSide& side_;
  int n_q_, n_u_, q_, u_;
  RotationRates rates_;
};

}  // namespace stickslip
