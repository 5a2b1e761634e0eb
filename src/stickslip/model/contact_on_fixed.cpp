// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_on_fixed.h"

#include <cmath>

#include "stickslip/math/rotation.h"
#include "stickslip/model/kinematics.h"

namespace stickslip {
namespace {

using Vector2 = Eigen::Vector2d;

/// z x v in the plane.
Vector2 turn(const Vector2& v) {
  return {-v(1), v(0)};
}

/// The ball's centre c = p + R s, c_dot = v + omega z x R s. With the surface's curvature kappa at the ball's centre
/// (half-space 0, container -1 / |d|, outer circle +1 / |d|) and (n, t) its frame there,
///   dn = kappa t (t . dc),  dt = -kappa n (t . dc),  dkappa = -kappa^2 (n . dc),
///   gamma_N = n . c_dot,    gamma_T = t . c_dot + r omega,
///   gamma_N_dot = n . c_ddot + kappa (t . c_dot)^2,
///   gamma_T_dot = t . c_ddot + r omega_dot - kappa (n . c_dot) (t . c_dot).
void planar_derivatives(const ContactPoint& point, const Body& surface, const double* q, const double* u,
                        const double* a, const Vector4& lambda, ContactDerivatives& D) {
  const double cosine = std::cos(q[2]);
  const double sine = std::sin(q[2]);
  const Vector3& s = point.center_b;
  const Vector2 arm(cosine * s(0) - sine * s(1), sine * s(0) + cosine * s(1));
  const Vector2 across = turn(arm);
  const double omega = u[2];
  const Vector2 v = Vector2(u[0], u[1]) + omega * across;
  const Vector2 acc = Vector2(a[0], a[1]) + a[2] * across - omega * omega * arm;

  Vector2 n;
  double kappa = 0.0;
  if (point.kind == GapKind::half_space_ball) {
    n = (surface.pose.R_WB * point.axis_a).head<2>();
  } else {
    const Vector3 center = surface.pose.p_WB + surface.pose.R_WB * point.center_a;
    const Vector2 d = Vector2(q[0], q[1]) + arm - center.head<2>();
    const double distance = d.norm();
    const double side = point.kind == GapKind::ball_ball ? 1.0 : -1.0;
    n = (side / distance) * d;
    kappa = side / distance;
  }
  const Vector2 t(n(1), -n(0));
  const double vn = n.dot(v);
  const double vt = t.dot(v);
  const double an = n.dot(acc);
  const double at = t.dot(acc);
  const Vector2 force = lambda(0) * n + lambda(1) * t;

  // Over x, y, phi: the changes of c, c_dot, c_ddot.
  const Vector2 dc[3] = {Vector2::UnitX(), Vector2::UnitY(), across};
  const Vector2 dv[3] = {Vector2::Zero(), Vector2::Zero(), -omega * arm};
  const Vector2 da[3] = {Vector2::Zero(), Vector2::Zero(), -a[2] * arm - omega * omega * across};
  for (int j = 0; j < 3; ++j) {
    const double along = t.dot(dc[j]);
    const double out = n.dot(dc[j]);
    const double dvn = kappa * vt * along + n.dot(dv[j]);
    const double dvt = -kappa * vn * along + t.dot(dv[j]);
    D.gap_q(j) = out;
    D.gamma_q(0, j) = dvn;
    D.gamma_dot_q(0, j) = kappa * at * along + n.dot(da[j]) + 2.0 * kappa * vt * dvt - kappa * kappa * out * vt * vt;
    if (D.gamma_q.rows() > 1) {
      D.gamma_q(1, j) = dvt;
      D.gamma_dot_q(1, j) =
          -kappa * an * along + t.dot(da[j]) - kappa * (dvn * vt + vn * dvt) + kappa * kappa * out * vn * vt;
    }
    const Vector2 dforce = kappa * along * (lambda(0) * t - lambda(1) * n);
    D.force_q(0, j) = dforce(0);
    D.force_q(1, j) = dforce(1);
    D.force_q(2, j) = across.dot(dforce) - (j == 2 ? arm.dot(force) : 0.0);
  }
  // Over the velocities: c_dot changes as c does over the coordinates, c_ddot by -2 omega arm.
  for (int j = 0; j < 3; ++j) {
    const double dvn = n.dot(dc[j]);
    const double dvt = t.dot(dc[j]);
    const Vector2 dacc = j == 2 ? Vector2(-2.0 * omega * arm) : Vector2(Vector2::Zero());
    D.gamma_dot_u(0, j) = n.dot(dacc) + 2.0 * kappa * vt * dvt;
    if (D.gamma_dot_u.rows() > 1) D.gamma_dot_u(1, j) = t.dot(dacc) - kappa * (dvn * vt + vn * dvt);
  }
}

/// A ball of a rigid body on a half-space: (n, t1, t2) are constant, and a small rotation theta of the body turns with
/// it all that is fixed to it: d arm = theta x arm, d omega = theta x omega, and likewise c_dot - v and c_ddot - a.
///   gamma = (n . c_dot, t . (c_dot - r omega x n), k n . omega),  gamma_dot = (n . c_ddot, t . (c_ddot - r alpha x n),
///   k n . alpha).
void spatial_derivatives(const ContactPoint& point, const ContactPair& pair, const Body& surface, const double* q,
                         const double* u, const double* a, const Vector4& lambda, ContactDerivatives& D) {
  const Vector4 e(q[3], q[4], q[5], q[6]);
  const Matrix3 R = rotation_matrix<double>(e);
  const Vector3 arm = R * point.center_b;
  const Vector3 omega = R * Vector3(u[3], u[4], u[5]);
  const Vector3 alpha = R * Vector3(a[3], a[4], a[5]);
  const Vector3 v = omega.cross(arm);
  const Vector3 acc = alpha.cross(arm) + omega.cross(v);
  const double r = point.radius_b;
  const int dim = 1 + pair.friction_dim;
  const double k = kContensouFactor * pair.options.contensou_radius;
  ContactFrame<double> frame{};
  frame.normal = surface.pose.R_WB * point.axis_a;
  contact_tangents<double>(false, frame);
  const Vector3& n = frame.normal;
  const Vector3 direction[3] = {n, frame.t1, frame.t2};

  // d theta_W = R (2 / |e|^2) E^T de, with e_dot = 1/2 E omega.
  Eigen::Matrix<double, 3, 4> E;
  E << -e(1), e(0), e(3), -e(2), -e(2), -e(3), e(0), e(1), -e(3), e(2), -e(1), e(0);
  const Eigen::Matrix<double, 3, 4> theta_e = (2.0 / e.squaredNorm()) * (R * E);

  D.gap_q.head<3>() = n.transpose();
  D.gap_q.segment<4>(3) = arm.cross(n).transpose() * theta_e;
  for (int i = 0; i < dim; ++i) {
    Vector3 over_theta;       // d gamma / d theta_W
    Vector3 rate_over_theta;  // d gamma_dot / d theta_W
    Vector3 rate_over_omega;  // d gamma_dot / d omega_W at constant theta
    if (i < 3) {
      const Vector3& d = direction[i];
      over_theta = v.cross(d);
      rate_over_theta = acc.cross(d);
      // d c_ddot = d omega x (omega x arm) + omega x (d omega x arm)
      rate_over_omega = v.cross(d) + arm.cross(d.cross(omega));
      if (i > 0) {
        const Vector3 nd = n.cross(d);
        over_theta -= r * omega.cross(nd);
        rate_over_theta -= r * alpha.cross(nd);
      }
    } else {
      over_theta = k * omega.cross(n);
      rate_over_theta = k * alpha.cross(n);
      rate_over_omega.setZero();
    }
    D.gamma_q.row(i).head<3>().setZero();
    D.gamma_q.row(i).segment<4>(3) = over_theta.transpose() * theta_e;
    D.gamma_dot_q.row(i).head<3>().setZero();
    D.gamma_dot_q.row(i).segment<4>(3) = rate_over_theta.transpose() * theta_e;
    D.gamma_dot_u.row(i).head<3>().setZero();
    D.gamma_dot_u.row(i).segment<3>(3) = rate_over_omega.transpose() * R;
  }
  // W lambda: the force is constant, the torque in the body frame R^T tau, tau = (arm - r n) x F + k lambda_3 n.
  Vector3 F = lambda(0) * n;
  if (dim > 1) F += lambda(1) * frame.t1;
  if (dim > 2) F += lambda(2) * frame.t2;
  Vector3 tau = (arm - r * n).cross(F);
  if (dim > 3) tau += k * lambda(3) * n;
  // d (R^T tau) = R^T (d tau - theta x tau), d tau = (theta x arm) x F.
  const Matrix3 over_theta = -skew<double>(F) * -skew<double>(arm) + skew<double>(tau);
  D.force_q.setZero();
  D.force_q.block<3, 4>(3, 3) = R.transpose() * over_theta * theta_e;
}

}  // namespace

bool has_derivatives_on_fixed(const ContactPoint& point, const Body& surface, const Body& ball) {
  if (surface.type != BodyType::fixed) return false;
  if (ball.type == BodyType::planar) return point.kind != GapKind::container_cylinder_ball;
  return ball.type == BodyType::rigid && point.kind == GapKind::half_space_ball && !point.flipped;
}

void calc_derivatives_on_fixed(const ContactPoint& point, const ContactPair& pair, const Body& surface,
                               const Body& ball, const double* q, const double* u, const double* a,
                               const Vector4& lambda, ContactDerivatives& d) {
  if (ball.type == BodyType::planar) {
    planar_derivatives(point, surface, q, u, a, lambda, d);
  } else {
    spatial_derivatives(point, pair, surface, q, u, a, lambda, d);
  }
}

}  // namespace stickslip
