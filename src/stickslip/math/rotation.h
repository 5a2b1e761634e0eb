// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace stickslip {

// Quaternions are stored (w, x, y, z) and rotate body-frame vectors into the world frame:
// x_W = R(e) x_B. Angular velocities are in the body frame. Templates over the scalar, so that
// exact derivatives come from the same lines as the values.

template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;  // (3)
template <class S>
using Vec4 = Eigen::Matrix<S, 4, 1>;  // (4)
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;  // (3, 3)

/// Numbers as a scalar.
template <class S>
Vec3<S> constant_vector(const Vec3<double>& x) {
  return Vec3<S>(S(x(0)), S(x(1)), S(x(2)));
}

template <class S>
Mat3<S> constant_matrix(const Mat3<double>& x) {
  Mat3<S> r;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) r(i, j) = S(x(i, j));
  }
  return r;
}

/// The matrix of v x, shape (3, 3).
template <class S>
Mat3<S> skew(const Vec3<S>& v) {
  Mat3<S> m;
  m << S(0.0), -v(2), v(1), v(2), S(0.0), -v(0), -v(1), v(0), S(0.0);
  return m;
}

/// R(e) of any quaternion but zero; its length cancels: R = I + 2 (e0 e~ + e~ e~) / |e|^2
/// (the normalised form of the textbook formula).
template <class S>
Mat3<S> rotation_matrix(const Vec4<S>& e) {
  const S norm2 = e(0) * e(0) + e(1) * e(1) + e(2) * e(2) + e(3) * e(3);
  const S s = S(2.0) / norm2;
  const S xx = s * e(1) * e(1), yy = s * e(2) * e(2), zz = s * e(3) * e(3);
  const S xy = s * e(1) * e(2), xz = s * e(1) * e(3), yz = s * e(2) * e(3);
  const S wx = s * e(0) * e(1), wy = s * e(0) * e(2), wz = s * e(0) * e(3);
  Mat3<S> r;
  r << S(1.0) - yy - zz, xy - wz, xz + wy,  //
      xy + wz, S(1.0) - xx - zz, yz - wx,   //
      xz - wy, yz + wx, S(1.0) - xx - yy;
  return r;
}

/// Quaternion product a o b.
template <class S>
Vec4<S> quaternion_product(const Vec4<S>& a, const Vec4<S>& b) {
  Vec4<S> c;
  c(0) = a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3);
  c(1) = a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2);
  c(2) = a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1);
  c(3) = a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0);
  return c;
}

/// e' = 1/2 e o (0, omega), omega [rad/s] in the body frame [Negrut2017, section 1].
template <class S>
Vec4<S> quaternion_rate(const Vec4<S>& e, const Vec3<S>& omega) {
  Vec4<S> w;
  w << S(0.0), omega(0), omega(1), omega(2);
  return S(0.5) * quaternion_product(e, w);
}

/// The unit quaternion of a rotation vector phi [rad] (axis times angle).
inline Eigen::Vector4d quaternion_exp(const Eigen::Vector3d& phi) {
  const double angle = phi.norm();
  // sin(x/2)/x by its series where the quotient loses digits: the next term is angle^4 / 3840.
  constexpr double kSeriesBelow = 1e-4;  // [rad]: series error 3e-20 relative, below round-off
  const double half_sinc = angle < kSeriesBelow ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), half_sinc * phi(0), half_sinc * phi(1), half_sinc * phi(2)};
}

/// exp(phi^T skew) v: v turned by the rotation vector phi [rad].
inline Eigen::Vector3d rotate(const Eigen::Vector3d& phi, const Eigen::Vector3d& v) {
  return rotation_matrix<double>(quaternion_exp(phi)) * v;
}

/// The rotation vector-matrix pair of an axis and an angle: R = exp(angle axis^), axis a unit vector.
inline Eigen::Matrix3d axis_angle_matrix(const Eigen::Vector3d& axis, double angle) {
  return rotation_matrix<double>(quaternion_exp(angle * axis));
}

}  // namespace stickslip
