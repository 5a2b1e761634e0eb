// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_on_fixed.h"

#include <array>
#include <cmath>

#include "stickslip/math/rotation.h"
#include "stickslip/model/kinematics.h"
#include "stickslip/model/planar_gap.h"
#include "stickslip/model/planar_side.h"

namespace stickslip {
namespace {

/// The ball's centre c = p + R s, c_dot = v + omega z x R s. With the surface's curvature kappa at the ball's centre
/// (half-space 0, container -1 / |d|, outer circle +1 / |d|) and (n, t) its frame there,
///   dn = kappa t (t . dc),  dt = -kappa n (t . dc),  dkappa = -kappa^2 (n . dc),
///   gamma_N = n . c_dot,    gamma_T = t . c_dot + r omega,
///   gamma_N_dot = n . c_ddot + kappa (t . c_dot)^2,
///   gamma_T_dot = t . c_ddot + r omega_dot - kappa (n . c_dot) (t . c_dot).
/// These over the frame z = (x, y, phi) of the ball's side and its rates, then over its local coordinates.
void planar_derivatives(const SurfaceFeature& surface, const Body& fixed, const BallFeature& of_ball, const Body& ball,
                        const Attachment& at_ball, const double* q, const double* u, const double* a,
                        const ContactVector& lambda, ContactDerivatives& D) {
  std::array<double, kMaxLocalSide> q_local;
  std::array<double, kMaxLocalSide> u_local;
  std::array<double, kMaxLocalSide> a_local;
  to_local(at_ball, q, at_ball.n_q, q_local.data());
  to_local(at_ball, u, at_ball.n_u, u_local.data());
  to_local(at_ball, a, at_ball.n_u, a_local.data());
  // Nothing depends on the angle of a ball around its body's origin.
  if (of_ball.center.isZero(0.0) && ball.type == BodyType::planar) q_local[2] = 0.0;
  const PlanarSide side(ball, 0.0, q_local.data(), u_local.data(), a_local.data());
  const Vector2 arm = side.to_world(of_ball.center);
  const Vector2 across = turn(arm);
  const double omega = side.omega;
  const double alpha = side.alpha;
  const Vector2 v = side.velocity + omega * across;
  const Vector2 acc = side.acceleration + alpha * across - omega * omega * arm;

  const PlanarGap at_center = planar_gap(surface, fixed, side.position + arm, of_ball.radius);
  const Vector2& n = at_center.normal;
  const double kappa = at_center.curvature;
  const Vector2 t(n(1), -n(0));
  const double vn = n.dot(v);
  const double vt = t.dot(v);
  const double an = n.dot(acc);
  const double at = t.dot(acc);
  const Vector2 force = lambda(0) * n + lambda(1) * t;

  // Over x, y, phi: the changes of c, c_dot, c_ddot; over the velocities c_dot changes as c does over the coordinates,
  // c_ddot by -2 omega arm.
  const Vector2 dc[3] = {Vector2::UnitX(), Vector2::UnitY(), across};
  const Vector2 dv[3] = {Vector2::Zero(), Vector2::Zero(), -omega * arm};
  const Vector2 da[3] = {Vector2::Zero(), Vector2::Zero(), -alpha * arm - omega * omega * across};
  using OverZ = std::array<double, 3>;
  OverZ gap;
  std::array<OverZ, 2> gamma;
  std::array<OverZ, 2> rate;
  std::array<OverZ, 2> rate_u;
  std::array<OverZ, 3> over_force;
  for (int j = 0; j < 3; ++j) {
    const double along = t.dot(dc[j]);
    const double out = n.dot(dc[j]);
    const double dvn = kappa * vt * along + n.dot(dv[j]);
    const double dvt = -kappa * vn * along + t.dot(dv[j]);
    gap[j] = out;
    gamma[0][j] = dvn;
    gamma[1][j] = dvt;
    rate[0][j] = kappa * at * along + n.dot(da[j]) + 2.0 * kappa * vt * dvt - kappa * kappa * out * vt * vt;
    rate[1][j] = -kappa * an * along + t.dot(da[j]) - kappa * (dvn * vt + vn * dvt) + kappa * kappa * out * vn * vt;
    rate_u[0][j] = 2.0 * n.dot(dv[j]) + 2.0 * kappa * vt * along;
    rate_u[1][j] = 2.0 * t.dot(dv[j]) - kappa * (out * vt + vn * along);
    const Vector2 dforce = kappa * along * (lambda(0) * t - lambda(1) * n);
    over_force[0][j] = dforce(0);
    over_force[1][j] = dforce(1);
    over_force[2][j] = across.dot(dforce) - (j == 2 ? arm.dot(force) : 0.0);
  }
  const std::array<double, 2> lever = {n.dot(across), t.dot(across) + of_ball.radius};  // [m] of W on phi
  const double torque = lambda(0) * lever[0] + lambda(1) * lever[1];

  const int dim = static_cast<int>(D.gamma_q.rows());
  for (int j = 0; j < side.n_local; ++j) {
    const int z = side.z_of_local(j);
    const double f = side.z_by_local(j);
    for_each_of_local(at_ball, j, [&](int column, double weight) {
      D.gap_q(column) += weight * f * gap[z];
      for (int i = 0; i < dim; ++i) {
        D.gamma_q(i, column) += weight * (f * gamma[i][z] + lever[i] * side.omega_q[j]);
        D.gamma_dot_q(i, column) +=
            weight * (f * rate[i][z] + rate_u[i][2] * side.omega_q[j] + lever[i] * side.alpha_q[j]);
        D.gamma_dot_u(i, column) += weight * (f * rate_u[i][z] + 2.0 * lever[i] * side.omega_q[j]);
      }
      for (int i = 0; i < side.n_local; ++i) {
        const double over = side.z_by_local(i) * f * over_force[side.z_of_local(i)][z] + torque * side.phi_qq_of(i, j);
        for_each_of_local(at_ball, i, [&](int row, double w) { D.force_q(row, column) += w * weight * over; });
      }
    });
  }
}

/// A ball of a rigid body on a half-space: (n, t1, t2) are constant, and a small rotation theta of the body turns with
/// it all that is fixed to it: d arm = theta x arm, d omega = theta x omega, and likewise c_dot - v and c_ddot - a.
///   gamma = (n . c_dot, t . (c_dot - r omega x n), k n . omega),  gamma_dot = (n . c_ddot, t . (c_ddot - r alpha x n),
///   k n . alpha).
void spatial_derivatives(const SurfaceFeature& surface, const Body& fixed, const BallFeature& ball,
                         const ContactPair& pair, const double* q, const double* u, const double* a,
                         const ContactVector& lambda, ContactDerivatives& D) {
  const Vector4 e(q[3], q[4], q[5], q[6]);
  const Matrix3 R = rotation_matrix<double>(e);
  const Vector3 arm = R * ball.center;
  const Vector3 omega = R * Vector3(u[3], u[4], u[5]);
  const Vector3 alpha = R * Vector3(a[3], a[4], a[5]);
  const Vector3 v = omega.cross(arm);
  const Vector3 acc = alpha.cross(arm) + omega.cross(v);
  const double r = ball.radius;
  const int dim = pair.dim();
  const double k = pair.rows.drilling;
  ContactFrame<double> frame{};
  frame.normal = fixed.pose.R_WB * surface.axis;
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

bool has_derivatives_on_fixed(const System& system, const ContactPoint& point) {
  if (!system.has_plain_rows(point)) return false;
  const SurfaceFeature& surface = system.surface(point);
  if (system.bodies()[system.surface(point).body].type != BodyType::fixed) return false;
  const BodyType ball = system.bodies()[system.ball(point).body].type;
  if (ball == BodyType::planar) return has_planar_gap(surface.kind);
  return ball == BodyType::rigid && surface.kind == SurfaceKind::half_space && !point.flipped &&
         !system.ball(point).is_ellipsoid;
}

void calc_derivatives_on_fixed(const System& system, const ContactPoint& point, const Vector& q, const Vector& u,
                               const Vector& a, const ContactVector& lambda, ContactDerivatives& d) {
  const ShapeSurface& surface = system.surface(point);
  const ShapeBall& ball = system.ball(point);
  const Body& fixed = system.bodies()[surface.body];
  const Body& body = system.bodies()[ball.body];
  const Attachment& at = system.place(ball.place);
  const double* const of_q = q.data() + at.q_offset;
  const double* const of_u = u.data() + at.u_offset;
  const double* const of_a = a.data() + at.u_offset;
  if (system.planar()) {
    planar_derivatives(surface, fixed, ball, body, at, of_q, of_u, of_a, lambda, d);
  } else {
    spatial_derivatives(surface, fixed, ball, system.pair(point), of_q, of_u, of_a, lambda, d);
  }
}

}  // namespace stickslip
