// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/model/kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {

// What laws and shapes change in the kinematics of a contact: the tangents of an ellipse of friction, and surfaces that
// move over their shapes. Included by the .cpp files of model/ only.

/// A function of time near t: exact in value and first derivative.
template <class S>
S value_near(const Expression& function, const Expression& derivative, const S& t) {
  const double t0 = plain_value(t);
  return S(function.value(t0)) + (t - S(t0)) * S(derivative.value(t0));
}

/// Within this angle of the normal the direction of an ellipse is the body's y axis. [rad]
inline constexpr double kAlongNormal = 1e-6;

/// The tangents of an ellipse: the first one is the projection of its direction, the second one is scaled.
template <class S>
void turn_to_ellipse(const ContactLaw& law, const Frame<S>& first, const Frame<S>& second, ContactFrame<S>& c) {
  using std::sqrt;
  const FrictionEllipse& ellipse = *law.ellipse;
  const Mat3<S>& R = ellipse.is_of_second ? second.R : first.R;
  const auto project = [&](const Vector3& direction) {
    const Vec3<S> x = R * constant_vector<S>(direction);
    return Vec3<S>(x - c.normal * c.normal.dot(x));
  };
  const auto length2 = [](const Vec3<S>& x) { return plain_value(S(x.dot(x))); };
  Vec3<S> t = project(ellipse.direction.normalized());
  if (!(length2(t) > kAlongNormal * kAlongNormal)) t = project(Vector3::UnitY());
  c.t1 = t * (S(1.0) / sqrt(t.dot(t)));
  c.t2 = c.normal.cross(c.t1) * S(ellipse.across / law.friction);
}

/// gamma += what the surfaces of both sides do by themselves, along the tangents; with Contensou also by how fast they
/// turn about the normal.
template <class S>
void add_surface_velocity(const System& system, const ContactPoint& point, const S& t, const ContactFrame<S>& c,
                          const Frame<S>& first, const Frame<S>& second, S* gamma) {
  const ContactPair& pair = system.pair(point);
  for (const Side side : {Side::first, Side::second}) {
    const SurfaceVelocity* surface = system.surface_velocity(point, side);
    if (surface == nullptr) continue;
    const Frame<S>& body = side == Side::first ? first : second;
    const Vec3<S> arm = body.R.transpose() * Vec3<S>((side == Side::first ? c.first : c.second) - body.p);
    const S sign(side == Side::first ? -1.0 : 1.0);
    const Vec3<S> omega = constant_vector<S>(surface->axis) * (sign * value_near(surface->rate, surface->rate_dot, t));
    Vec3<S> v = omega.cross(Vec3<S>(arm - constant_vector<S>(surface->at)));
    for (int i = 0; i < 3; ++i) v(i) += sign * value_near(surface->velocity[i], surface->acceleration[i], t);
    const Vec3<S> in_world = body.R * v;
    if (pair.friction_dim > 0) gamma[1] += c.t1.dot(in_world);
    if (pair.friction_dim > 1) gamma[2] += c.t2.dot(in_world);
    const ContactRowLayout& rows = pair.rows;
    if (rows.n_drill + rows.n_roll == 0) continue;
    const Vec3<S> turn = body.R * omega;
    if (rows.n_drill > 0) gamma[rows.drill_row()] += c.normal.dot(turn) * S(rows.drilling);
    if (rows.n_roll == 1) gamma[rows.roll_row()] += turn(2) * S(rows.rolling);
    if (rows.n_roll < 2) continue;
    gamma[rows.roll_row()] += c.t1.dot(turn) * S(rows.rolling);
    gamma[rows.roll_row() + 1] += c.t2.dot(turn) * S(rows.rolling);
  }
}

}  // namespace stickslip
