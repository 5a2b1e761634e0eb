// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/friction_bounds.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/verify/contact_bounds.h"

namespace stickslip {
namespace {

/// Speeds between which a law is looked at. [-]
constexpr int kSamples = 32;

}  // namespace

/// What the surface of a shape does by itself at a point. [m/s]
Vector3 FrictionBounds::surface_velocity(int shape, const Vector3& x, const End& at) const {
  const ShapeFeatures& of = system_.shapes()[shape];
  for (const SurfaceVelocity& surface : system_.bodies()[of.body].surface_velocities) {
    if (surface.shape != of.shape) continue;
    const Placement& body = (*at.bodies)[of.body];
    const Vector3 arm = body.R.transpose() * (x - body.p) - surface.at;
    const Vector3 along(surface.velocity[0].value(at.t), surface.velocity[1].value(at.t),
                        surface.velocity[2].value(at.t));
    return body.R * (along + surface.rate.value(at.t) * surface.axis.cross(arm));
  }
  return Vector3::Zero();
}

/// Of the second body relative to the first, along the tangent plane. [m/s]
Vector3 FrictionBounds::calc_slip(const Contact& contact, const End& at) const {
  const auto velocity = [&](int shape) {
    const int body = system_.shapes()[shape].body;
    const Twist twist = system_.calc_twist(body, at.t, *at.q, *at.u);
    return Vector3(twist.v_WB + twist.w_WB.cross(Vector3(contact.point - (*at.bodies)[body].p)) +
                   surface_velocity(shape, contact.point, at));
  };
  const Vector3 relative = velocity(contact.shape_b) - velocity(contact.shape_a);
  return relative - contact.normal * contact.normal.dot(relative);
}

/// [m/s] By how much what is prescribed changes the slip in a step.
double FrictionBounds::calc_driven(const Contact& contact, const End& start, const End& end) const {
  double change = 0.0;
  for (const int shape : {contact.shape_a, contact.shape_b}) {
    const int body = system_.shapes()[shape].body;
    change += (surface_velocity(shape, contact.point, end) - surface_velocity(shape, contact.point, start)).norm();
    if (system_.bodies()[body].n_u > 0) continue;
    const Twist first = system_.calc_twist(body, start.t, *start.q, *start.u);
    const Twist last = system_.calc_twist(body, end.t, *end.q, *end.u);
    const double arm = (contact.point - (*end.bodies)[body].p).norm();
    change += (last.v_WB - first.v_WB).norm() + (last.w_WB - first.w_WB).norm() * arm;
  }
  return change;
}

/// [m/s^2] By which the slip may change in a step because bodies turn: their rates times their speeds.
double FrictionBounds::calc_turning(const Contact& contact, const End& at) const {
  double rate = 0.0;
  double speed = 0.0;
  for (const int shape : {contact.shape_a, contact.shape_b}) {
    const int body = system_.shapes()[shape].body;
    const Twist twist = system_.calc_twist(body, at.t, *at.q, *at.u);
    rate += twist.w_WB.norm();
    speed += twist.v_WB.norm() + twist.w_WB.norm() * (contact.point - (*at.bodies)[body].p).norm();
  }
  return rate * speed;
}

/// [m/s^2] By which forces but those of contacts may change the slip.
double FrictionBounds::calc_free_acceleration(const Contact& contact, const End& at) const {
  Vector force = Vector::Zero(system_.n_u());
  Vector a(system_.n_u());
  system_.calc_applied_forces(at.t, *at.q, *at.u, force);
  system_.add_gyroscopic_forces(*at.u, force);
  system_.solve_mass(force, a);
  double sum = 0.0;
  for (const int shape : {contact.shape_a, contact.shape_b}) {
    const int body = system_.shapes()[shape].body;
    if (system_.bodies()[body].n_u == 0) continue;
    const Twist rates = system_.calc_twist(body, at.t, *at.q, a);  // linear in what it is given
    sum += (rates.v_WB + rates.w_WB.cross(Vector3(contact.point - (*at.bodies)[body].p))).norm();
  }
  return sum;
}

double FrictionBounds::find_most(const ContactLaw& law, const Contact& contact, const End& start, const End& end,
                                 bool at_instants) const {
  const Vector3 first = calc_slip(contact, start);
  const Vector3 last = calc_slip(contact, end);
  const double off = (end.t - start.t) * (calc_turning(contact, start) + calc_turning(contact, end)) +
                     calc_driven(contact, start, end);
  if (law.kinetic) {
    const double slowest = first.norm() - off;
    const bool goes_on = first.dot(last) > off * (first.norm() + last.norm());
    return !at_instants && slowest > law.kinetic->stick_speed && goes_on ? law.kinetic->friction : law.friction;
  }
  double least = first.norm() - off;
  double most = first.norm() + off;
  if (at_instants) {
    least = std::min(least, first.dot(last) > 0.0 ? last.norm() - off : 0.0);
    // An impact within the step takes away what the slip had grown to by then.
    most = std::max(most, last.norm() + off);
    most += (end.t - start.t) * std::max(calc_free_acceleration(contact, start), calc_free_acceleration(contact, end));
  }
  double mu = 0.0;
  for (int i = 0; i <= kSamples; ++i) {
    const double speed = std::max(least, 0.0) + (most - std::max(least, 0.0)) * i / kSamples;
    mu = std::max(mu, law.calc_sliding_friction(speed));
  }
  return mu;
}

FrictionBounds::Contact FrictionBounds::make_contact(const ContactPoint& point, const Vector3& position,
                                                     const Vector3& normal) const {
  const int of_surface = system_.surface(point).shape;
  const int of_ball = system_.ball(point).shape;
  return {point.flipped ? of_ball : of_surface, point.flipped ? of_surface : of_ball, position, normal};
}

ContactLaw FrictionBounds::find_law(int named, int body_a, int body_b, const Contact& contact) const {
  if (named >= 0 && named < static_cast<int>(system_.contacts().size())) return system_.contacts()[named].law();
  ContactLaw law;
  if (!system_.detection()) return law;
  const auto n_shapes = static_cast<int>(system_.shapes().size());
  const auto is_shape = [&](int shape) { return shape >= 0 && shape < n_shapes; };
  if (is_shape(contact.shape_a) && is_shape(contact.shape_b) &&
      system_.has_detected_law(contact.shape_a, contact.shape_b)) {
    const ContactLaw& of_shapes = system_.detected_law(contact.shape_a, contact.shape_b);
    if (!is_plain(of_shapes)) return of_shapes;
  }
  law.friction = find_largest_bounds(system_, body_a, body_b).friction;
  return law;
}

double FrictionBounds::measure(const ContactLaw& law, const Contact& contact, const Vector3& friction,
                               const std::vector<Placement>& start, const std::vector<Placement>& end) const {
  if (!law.ellipse) return friction.norm();
  constexpr double kAlongNormal = 1e-6;  // [rad]
  const int shape = law.ellipse->is_of_second ? contact.shape_b : contact.shape_a;
  const int body = system_.shapes()[shape].body;
  const double shape_ratio = law.friction / law.ellipse->across;
  const Vector3& n = contact.normal;
  double size = friction.norm() * std::max(1.0, shape_ratio);
  for (const std::vector<Placement>* bodies : {&start, &end}) {
    const Matrix3& R = (*bodies)[body].R;
    Vector3 along = R * law.ellipse->direction.normalized();
    along -= n * n.dot(along);
    if (!(along.norm() > kAlongNormal)) along = R.col(1) - n * n.dot(R.col(1));
    along.normalize();
    size = std::min(size, std::hypot(friction.dot(along), shape_ratio * friction.dot(n.cross(along))));
  }
  const double turned = (end[body].R - start[body].R).norm();
  return std::max(0.0, size - turned * friction.norm() * std::max(1.0, shape_ratio));
}

}  // namespace stickslip
