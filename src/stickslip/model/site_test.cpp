// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/site.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// A rigid, a planar or a point body that moves, and a moving one.
System make_sited_system(bool planar) {
  SystemBuilder builder(planar, Vector3::Zero());
  Body body;
  body.name = "body";
  body.type = planar ? BodyType::planar : BodyType::rigid;
  body.mass = 2.0;
  body.inertia = Vector3(1, 2, 3).asDiagonal();
  builder.add_body(body);
  Body point;
  point.name = "point";
  point.type = BodyType::point;
  point.mass = 1.0;
  builder.add_body(point);
  Body moving;
  moving.name = "moving";
  moving.type = BodyType::moving;
  moving.motion.emplace();
  moving.motion->position = {Expression::parse("t^2"), Expression::parse("sin(t)"),
                             Expression::parse(planar ? "0" : "t^3")};
  moving.motion->angle = Expression::parse("t^2");
  builder.add_body(moving);
  return builder.build();
}

/// Positions by advance() around a state with velocities u + s a give velocities and accelerations by differences.
void check_against_differences(const System& system, const Site& site, const Vector& q0, const Vector& u0,
                               const Vector& a) {
  const double t0 = 0.4;
  const auto at = [&](double s) {  // the state s after t0, to the second order in s
    Vector q = q0;
    const Vector u = u0 + 0.5 * s * a;
    system.advance(s, u, q);
    return std::pair<Vector, Vector>(q, u0 + s * a);
  };
  const double s = 1e-4;
  const auto [q_after, u_after] = at(s);
  const auto [q_before, u_before] = at(-s);
  const BodyMotion after = calc_site_motion(system, site, t0 + s, q_after, u_after);
  const BodyMotion before = calc_site_motion(system, site, t0 - s, q_before, u_before);
  const BodyMotion now = calc_site_motion(system, site, t0, q0, u0);
  EXPECT_LT(((after.p - before.p) / (2 * s) - now.v).norm(), 1e-6);
  EXPECT_LT(((after.R - before.R) / (2 * s) - skew<double>(now.w) * now.R).norm(), 1e-6);
  const SiteAcceleration acceleration = calc_site_acceleration(system, site, t0, q0, u0, a);
  EXPECT_LT(((after.v - before.v) / (2 * s) - acceleration.linear).norm(), 1e-5);
  EXPECT_LT(((after.w - before.w) / (2 * s) - acceleration.angular).norm(), 1e-5);
  const Matrix R = rotation_matrix(calc_site_quaternion(system, site, t0, q0));
  EXPECT_LT((R - now.R).norm(), 1e-14);
  if (system.bodies()[site.body].n_u == 0) return;
  const Vector velocity = calc_site_jacobian(system, site, t0, q0) * u0;
  EXPECT_LT((velocity.head(3) - now.v).norm() + (velocity.tail(3) - now.w).norm(), 1e-14);
}

void check_all_sites(bool planar) {
  const System system = make_sited_system(planar);
  Vector q = Vector::Zero(system.n_q());
  Vector u(system.n_u()), a(system.n_u());
  for (int i = 0; i < u.size(); ++i) {
    u(i) = std::sin(1.0 + i);
    a(i) = std::cos(2.0 + 3 * i);
  }
  for (int i = 0; i < q.size(); ++i) q(i) = 0.3 * std::cos(1.0 + i);
  if (!planar) q.segment<4>(3).normalize();
  for (int body = 0; body < 3; ++body) {
    SCOPED_TRACE(system.bodies()[body].name);
    Site site;
    site.body = body;
    site.position = planar ? Vector3(0.3, -0.2, 0) : Vector3(0.3, -0.2, 0.5);
    const double half = 0.35;
    site.quaternion = planar ? Vector4(std::cos(half), 0, 0, std::sin(half)) : Vector4(0.5, 0.5, -0.5, 0.5);
    check_against_differences(system, site, q, u, a);
  }
}

TEST(Site, InSpaceMovesAsDifferencesSay) {
  check_all_sites(false);
}

TEST(Site, InThePlaneMovesAsDifferencesSay) {
  check_all_sites(true);
}

}  // namespace
}  // namespace stickslip
