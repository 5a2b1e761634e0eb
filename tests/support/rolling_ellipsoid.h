// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace stickslip::test {

/// An ellipsoid that rolls on a plane without sliding, its centre of mass in its middle: Newton's and Euler's equations
/// about it with the rolling velocity put in, in the body's frame, stepped by the method of Runge and Kutta of order 4.
/// The state is the upward direction and the angular velocity; nothing else of the program is in it.
class RollingEllipsoid {
 public:
  using V = Eigen::Vector3d;
  using M = Eigen::Matrix3d;

  RollingEllipsoid(const V& radii, const M& inertia, double mass, double gravity, const V& up, const V& omega)
      : D_(radii.cwiseAbs2().asDiagonal()), I_(inertia), m_(mass), g_(gravity), up_(up), omega_(omega) {}

  double spin() const { return omega_.dot(up_); }
  const V& up() const { return up_; }
  const V& omega() const { return omega_; }
  double energy() const {
    const V r = arm(up_);
    return 0.5 * m_ * r.cross(omega_).squaredNorm() + 0.5 * omega_.dot(I_ * omega_) - m_ * g_ * r.dot(up_);
  }
  double least_normal_force() const { return least_force_; }  // [-] over m g
  double most_friction() const { return most_friction_; }     // [-] over the normal force

  void step(double h) {
    const Rates k1 = rates(up_, omega_);
    least_force_ = std::min(least_force_, k1.normal / (m_ * g_));
    most_friction_ = std::max(most_friction_, k1.tangential / k1.normal);
    const Rates k2 = rates(up_ + 0.5 * h * k1.up, omega_ + 0.5 * h * k1.omega);
    const Rates k3 = rates(up_ + 0.5 * h * k2.up, omega_ + 0.5 * h * k2.omega);
    const Rates k4 = rates(up_ + h * k3.up, omega_ + h * k3.omega);
    up_ += h / 6.0 * (k1.up + 2.0 * k2.up + 2.0 * k3.up + k4.up);
    omega_ += h / 6.0 * (k1.omega + 2.0 * k2.omega + 2.0 * k3.omega + k4.omega);
  }

 private:
  struct Rates {
    V up, omega;
    double normal, tangential;  // [N]
  };
  /// Of the contact point from the centre.
  V arm(const V& up) const { return -D_ * up / std::sqrt(up.dot(D_ * up)); }
  Rates rates(const V& up, const V& w) const {
    const V up_dot = up.cross(w);
    const double s = std::sqrt(up.dot(D_ * up));
    const V r = -D_ * up / s;
    const V r_dot = -D_ * up_dot / s + D_ * up * (up.dot(D_ * up_dot)) / (s * s * s);
    const V v = r.cross(w);
    // F = m (v' + w x v) + m g up, v' = r' x w + r x w', I w' + w x I w = r x F.
    const V known = m_ * (r_dot.cross(w) + w.cross(v)) + m_ * g_ * up;
    M cross;
    cross << 0.0, -r(2), r(1), r(2), 0.0, -r(0), -r(1), r(0), 0.0;
    const V w_dot = M(I_ - m_ * cross * cross).ldlt().solve(V(r.cross(known) - w.cross(V(I_ * w))));
    const V F = known + m_ * r.cross(w_dot);
    const double normal = F.dot(up);
    return {up_dot, w_dot, normal, (F - normal * up).norm()};
  }

  M D_, I_;
  double m_, g_;
  V up_, omega_;
  double least_force_ = 1e300, most_friction_ = 0.0;
};

}  // namespace stickslip::test
