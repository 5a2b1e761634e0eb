// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_rows.h"

#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/contact_on_fixed.h"
#include "stickslip/model/planar_gap.h"
#include "stickslip/model/planar_side.h"

namespace stickslip {
namespace {

/// The equations of planar_derivatives in contact_on_fixed.cpp: with c the ball's centre and kappa the curvature there,
///   gamma = (n . c_dot, t . c_dot + r omega),   zeta = (n . c_ddot + kappa (t . c_dot)^2, t . c_ddot + r alpha -
///   kappa (n . c_dot) (t . c_dot)) at u' = 0.
void planar_rows(const SurfaceFeature& surface, const Body& fixed, const BallFeature& of_ball, const Body& ball,
                 const Attachment& at, int dim, const double* q, const double* u, ContactRows& rows) {
  static constexpr double kStill[kMaxLocalSide] = {};
  double q_local[kMaxLocalSide];
  double u_local[kMaxLocalSide];
  to_local(at, q, at.n_q, q_local);
  to_local(at, u, at.n_u, u_local);
  const bool central = of_ball.center.isZero(0.0) && ball.type == BodyType::planar;
  // Nothing depends on the angle of a ball around its body's origin.
  if (central) q_local[2] = 0.0;
  const PlanarSide side(ball, 0.0, q_local, u_local, kStill);
  const Vector2 arm = side.to_world(of_ball.center);
  const Vector2 across = turn(arm);
  const Vector2 v = side.velocity + side.omega * across;
  const Vector2 a = side.alpha * across - side.omega * side.omega * arm;

  const PlanarGap at_center = planar_gap(surface, fixed, side.position + arm, of_ball.radius);
  const Vector2& n = at_center.normal;
  const double kappa = at_center.curvature;
  rows.gap = at_center.gap;
  const Vector2 t(n(1), -n(0));
  const double r = of_ball.radius;
  const double vn = n.dot(v);
  const double vt = t.dot(v);
  rows.gamma = {vn, vt + r * side.omega};
  rows.zeta = {n.dot(a) + kappa * vt * vt, t.dot(a) + r * side.alpha - kappa * vn * vt};
  std::fill_n(rows.W.begin(), dim * at.n_u, 0.0);
  for (int i = 0; i < dim; ++i) {
    const Vector2& direction = i == 0 ? n : t;
    const double lever = direction.dot(across) + (i == 0 ? 0.0 : r);
    double* row = rows.W.data() + i * at.n_u;
    for (int j = 0; j < side.n_local; ++j) {
      const double over = j < 2 ? direction(j) : lever * side.phi_q[j];
      for_each_of_local(at, j, [&](int column, double weight) { row[column] += weight * over; });
    }
  }
}

/// The equations of spatial_derivatives in contact_on_fixed.cpp.
void spatial_rows(const SurfaceFeature& surface, const Body& fixed, const BallFeature& ball, int dim, double k,
                  const double* q, const double* u, ContactRows& rows) {
  const Matrix3 R = rotation_matrix<double>(Vector4(q[3], q[4], q[5], q[6]));
  const Vector3 arm = R * ball.center;
  const Vector3 omega = R * Vector3(u[3], u[4], u[5]);
  const Vector3 velocity(u[0], u[1], u[2]);
  ContactFrame<double> frame{};
  const Gap<double> between =
      calc_gap<double>(surface, fixed.pose.p_WB, fixed.pose.R_WB, Vector3(q[0], q[1], q[2]) + arm, ball.radius);
  frame.normal = between.normal;
  contact_tangents<double>(false, frame);
  const Vector3& n = frame.normal;
  const Vector3 direction[3] = {n, frame.t1, frame.t2};
  const double r = ball.radius;
  rows.gap = between.gap;
  const Vector3 lever = arm - r * n;
  const Vector3 point_velocity = velocity + omega.cross(lever);
  const Vector3 bias = omega.cross(omega.cross(arm));
  for (int i = 0; i < std::min(dim, 3); ++i) {
    const Vector3& e = direction[i];
    rows.gamma[i] = e.dot(point_velocity);
    rows.zeta[i] = e.dot(bias);
    const Vector3 turning = R.transpose() * lever.cross(e);
    double* row = rows.W.data() + 6 * i;
    for (int c = 0; c < 3; ++c) {
      row[c] = e(c);
      row[3 + c] = turning(c);
    }
  }
  if (dim < 4) return;
  const Vector3 drilling = k * (R.transpose() * n);
  rows.gamma[3] = k * n.dot(omega);
  rows.zeta[3] = 0.0;
  for (int c = 0; c < 3; ++c) {
    rows.W[18 + c] = 0.0;
    rows.W[21 + c] = drilling(c);
  }
}

}  // namespace

bool has_contact_rows(const System& system, const ContactPoint& point) {
  if (point.joint >= 0 || !system.has_plain_rows(point)) return false;
  const ShapeSurface& surface = system.surface(point);
  if (system.bodies()[surface.body].type != BodyType::fixed) return false;
  const BodyType ball = system.bodies()[system.ball(point).body].type;
  if (system.planar()) {
    const bool moves = ball == BodyType::planar || ball == BodyType::beam || ball == BodyType::point;
    return moves && has_planar_gap(surface.kind);
  }
  return ball == BodyType::rigid && surface.kind == SurfaceKind::half_space && !point.flipped &&
         !system.ball(point).is_ellipsoid;
}

void calc_contact_rows(const System& system, const ContactPoint& point, const Vector& q, const Vector& u,
                       ContactRows& rows) {
  const ShapeSurface& surface = system.surface(point);
  const ShapeBall& ball = system.ball(point);
  const Body& fixed = system.bodies()[surface.body];
  const Attachment& at = system.place(ball.place);
  const ContactPair& pair = system.pair(point);
  const int dim = pair.dim();
  const double* const of_q = q.data() + at.q_offset;
  const double* const of_u = u.data() + at.u_offset;
  if (system.planar()) return planar_rows(surface, fixed, ball, system.bodies()[ball.body], at, dim, of_q, of_u, rows);
  spatial_rows(surface, fixed, ball, dim, pair.rows.drilling, of_q, of_u, rows);
}

void calc_contact_bias(const System& system, const ContactPoint& point, const BodyMotion& ball, const Vector3& normal,
                       const Vector3& tangent, double* zeta) {
  STICKSLIP_ASSERT(!system.planar() && has_contact_rows(system, point));
  const int dim = system.pair(point).dim();
  const Vector3 arm = ball.R * system.ball(point).center;
  const Vector3 bias = ball.w.cross(ball.w.cross(arm));  // of spatial_rows()
  zeta[0] = normal.dot(bias);
  if (dim > 1) zeta[1] = tangent.dot(bias);
  if (dim > 2) zeta[2] = normal.cross(tangent).dot(bias);
  if (dim > 3) zeta[3] = 0.0;
}

void calc_contact_row_derivatives(const System& system, const ContactPoint& point, double t, const Vector& q,
                                  const Vector& u, const Vector& a, const ContactVector& lambda,
                                  ContactDerivatives& derivatives) {
  if (!has_contact_rows(system, point) ||
      !(has_derivatives_on_fixed(system, point) || system.bodies()[system.ball(point).body].type == BodyType::beam)) {
    return system.calc_contact_derivatives(point, t, q, u, a, lambda, derivatives);
  }
  const Attachment& at = system.place(system.ball(point).place);
  const int dim = system.pair(point).dim();
  derivatives.gap_q.setZero(at.n_q);
  derivatives.gamma_q.setZero(dim, at.n_q);
  derivatives.gamma_dot_q.setZero(dim, at.n_q);
  derivatives.gamma_dot_u.setZero(dim, at.n_u);
  derivatives.force_q.setZero(at.n_u, at.n_q);
  calc_derivatives_on_fixed(system, point, q, u, a, lambda, derivatives);
}

}  // namespace stickslip
