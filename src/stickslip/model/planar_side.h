// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "stickslip/model/attachment.h"
#include "stickslip/model/body.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/pair_kinematics.h"

namespace stickslip {

// Planar kinematics by hand, for the derivatives of planar joints and contacts: a tenth of the cost of automatic
// differentiation. Included by the .cpp files of model/ only.
//
// Everything planar is a function of the frames z = (x, y, phi) of the two sides and of their rates, and each local
// coordinate of a side (pair_kinematics.h) moves one entry of z: those of a planar body are z, and the tangent
// w = dx/dxi + i dy/dxi of a beam's cross-section turns its frame by phi = Im log w,
//   omega = Im(w' / w),   alpha = Im(w'' / w - (w' / w)^2).

using Vector2 = Eigen::Vector2d;

/// z x v in the plane.
inline Vector2 turn(const Vector2& v) {
  return {-v(1), v(0)};
}

/// The frame of one side, how it moves, and the derivatives of its angle over its local coordinates.
struct PlanarSide {
  static constexpr int kMaxLocal = kBeamLocalDofs;

  Vector2 position, velocity, acceleration;  // (2) [m], [m/s], [m/s^2] of the frame's origin, world
  double cosine = 1.0, sine = 0.0;           // [-] of phi
  double omega = 0.0, alpha = 0.0;           // [rad/s], [rad/s^2]
  int n_local = 0;
  std::array<double, kMaxLocal> phi_q = {};       // d phi / dq = d omega / du = d alpha / da
  std::array<double, kMaxLocal> omega_q = {};     // d omega / dq = 1/2 d alpha / du
  std::array<double, kMaxLocal> alpha_q = {};     // d alpha / dq
  std::array<std::array<double, 2>, 2> phi_qq{};  // d^2 phi / dq^2 over the tangent of a beam

  /// q, u, a: local coordinates.
  PlanarSide(const Body& body, double t, const double* q, const double* u, const double* a) {
    switch (body.type) {
      case BodyType::fixed:
        set_frame(body.pose.p_WB, body.pose.R_WB);
        velocity.setZero();
        acceleration.setZero();
        return;
      case BodyType::moving: {
        const Frame<double> f = moving_frame<double>(*body.motion, t);
        set_frame(f.p, f.R);
        velocity = f.v.head<2>();
        acceleration = Vector2(body.motion->acceleration[0].value(t), body.motion->acceleration[1].value(t));
        omega = f.w(2);
        alpha = body.motion->angle_acceleration.value(t) * body.motion->axis(2);
        return;
      }
      case BodyType::rigid:  // not in a plane
      case BodyType::planar:
      case BodyType::point:
      case BodyType::beam:
        break;
    }
    position = Vector2(q[0], q[1]);
    velocity = Vector2(u[0], u[1]);
    acceleration = Vector2(a[0], a[1]);
    n_local = local_n_q(body);
    if (body.type == BodyType::planar) {
      cosine = std::cos(q[2]);
      sine = std::sin(q[2]);
      omega = u[2];
      alpha = a[2];
      phi_q[2] = 1.0;
    } else if (body.type == BodyType::beam) {
      turn_with_tangent(Vector2(q[2], q[3]), Vector2(u[2], u[3]), Vector2(a[2], a[3]));
    }
  }

  /// A vector of the body in the world.
  Vector2 to_world(const Vector3& x) const { return {cosine * x(0) - sine * x(1), sine * x(0) + cosine * x(1)}; }
  /// Which entry of z local coordinate i moves, and by how much.
  int z_of_local(int i) const { return i < 2 ? i : 2; }
  double z_by_local(int i) const { return i < 2 ? 1.0 : phi_q[i]; }
  double phi_qq_of(int i, int j) const { return i < 2 || j < 2 ? 0.0 : phi_qq[i - 2][j - 2]; }

 private:
  void set_frame(const Vector3& p, const Matrix3& R) {
    position = p.head<2>();
    cosine = R(0, 0);
    sine = R(1, 0);
  }

  /// Complex numbers as vectors: (a b) by times, 1 / w by the conjugate over the square.
  void turn_with_tangent(const Vector2& w, const Vector2& w1, const Vector2& w2) {
    const auto times = [](const Vector2& x, const Vector2& y) {
      return Vector2(x(0) * y(0) - x(1) * y(1), x(0) * y(1) + x(1) * y(0));
    };
    const double square = w.squaredNorm();
    const double length = std::sqrt(square);
    cosine = w(0) / length;
    sine = w(1) / length;
    const Vector2 inverse(w(0) / square, -w(1) / square);
    const Vector2 rate = times(w1, inverse);
    const Vector2 rate2 = times(rate, rate);
    const Vector2 second = times(w2, inverse);
    omega = rate(1);
    alpha = second(1) - rate2(1);
    const Vector2 by_omega = -times(rate, inverse);                             // d (w'/w) / dw
    const Vector2 by_alpha = times(Vector2(2.0 * rate2 - second), inverse);     // d (w''/w - (w'/w)^2) / dw
    const Vector2 by_phi = -times(inverse, inverse);                            // d^2 log w / dw^2
    const auto over = [](const Vector2& y) { return std::array{y(1), y(0)}; };  // Im(y dw) over dw = 1, i
    for (int i = 0; i < 2; ++i) {
      phi_q[2 + i] = over(inverse)[i];
      omega_q[2 + i] = over(by_omega)[i];
      alpha_q[2 + i] = over(by_alpha)[i];
    }
    phi_qq = {{{by_phi(1), by_phi(0)}, {by_phi(0), -by_phi(1)}}};
  }
};

}  // namespace stickslip
