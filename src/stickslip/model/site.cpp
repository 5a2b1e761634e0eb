// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/site.h"

#include <Eigen/Geometry>
#include <cmath>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

/// Of a body's origin and of its turning, world frame.
SiteAcceleration calc_body_acceleration(const Body& body, double t, const Matrix3& R_WB, const Vector& a) {
  switch (body.type) {
    case BodyType::rigid:
      // The derivative of R_WB w_B is R_WB w_B'.
      return {a.segment<3>(body.u_offset), R_WB * a.segment<3>(body.u_offset + 3)};
    case BodyType::planar:
      return {Vector3(a(body.u_offset), a(body.u_offset + 1), 0.0), Vector3(0.0, 0.0, a(body.u_offset + 2))};
    case BodyType::point: {
      SiteAcceleration of_body;
      of_body.linear.head(body.n_u) = a.segment(body.u_offset, body.n_u);
      return of_body;
    }
    case BodyType::moving: {
      const Motion& motion = *body.motion;
      SiteAcceleration of_body;
      for (int i = 0; i < 3; ++i) of_body.linear(i) = motion.acceleration[static_cast<std::size_t>(i)].value(t);
      of_body.angular = motion.axis * motion.angle_acceleration.value(t);
      return of_body;
    }
    case BodyType::beam:
    case BodyType::fixed:
      break;
  }
  return {};
}

}  // namespace

Vector4 calc_body_orientation(const Body& body, const Pose& pose, const Vector& q) {
  if (body.type == BodyType::rigid) return q.segment<4>(body.q_offset + 3);
  if (body.type == BodyType::planar) {
    const double half = 0.5 * q(body.q_offset + 2);
    return {std::cos(half), 0.0, 0.0, std::sin(half)};
  }
  if (body.type == BodyType::point) return Vector4::UnitX();
  const Eigen::Quaterniond e(pose.R_WB);
  const Vector4 wxyz(e.w(), e.x(), e.y(), e.z());
  return wxyz(0) < 0.0 ? Vector4(-wxyz) : wxyz;  // of the two that mean the same, always the same one
}

BodyMotion calc_site_motion(const System& system, const Site& site, double t, const Vector& q, const Vector& u) {
  BodyMotion motion = system.calc_motion(system.attach(site.body), t, q, &u);
  const Vector3 arm = motion.R * site.position;
  motion.p += arm;
  motion.v += motion.w.cross(arm);
  motion.R = motion.R * rotation_matrix(site.quaternion);
  return motion;
}

Vector4 calc_site_quaternion(const System& system, const Site& site, double t, const Vector& q) {
  const Vector4 of_body = calc_body_orientation(system.bodies()[site.body], system.calc_pose(site.body, t, q), q);
  return quaternion_product<double>(of_body, site.quaternion);
}

SiteAcceleration calc_site_acceleration(const System& system, const Site& site, double t, const Vector& q,
                                        const Vector& u, const Vector& a) {
  const BodyMotion body = system.calc_motion(system.attach(site.body), t, q, &u);
  SiteAcceleration at = calc_body_acceleration(system.bodies()[site.body], t, body.R, a);
  const Vector3 arm = body.R * site.position;
  at.linear += at.angular.cross(arm) + body.w.cross(body.w.cross(arm));
  return at;
}

Matrix calc_site_jacobian(const System& system, const Site& site, double t, const Vector& q) {
  const Body& body = system.bodies()[site.body];
  Matrix jacobian = Matrix::Zero(6, system.n_u());
  const Pose pose = system.calc_pose(site.body, t, q);
  const Vector3 arm = pose.R_WB * site.position;
  const int first = body.u_offset;
  switch (body.type) {
    case BodyType::rigid:
      jacobian.block<3, 3>(0, first).setIdentity();
      jacobian.block<3, 3>(0, first + 3) = -skew<double>(arm) * pose.R_WB;
      jacobian.block<3, 3>(3, first + 3) = pose.R_WB;
      break;
    case BodyType::planar:
      jacobian.block<2, 2>(0, first).setIdentity();
      jacobian.block<2, 1>(0, first + 2) << -arm.y(), arm.x();
      jacobian(5, first + 2) = 1.0;
      break;
    case BodyType::point:
      jacobian.block(0, first, body.n_u, body.n_u).setIdentity();
      break;
    case BodyType::beam:
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
  return jacobian;
}

}  // namespace stickslip
