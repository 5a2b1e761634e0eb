// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_traits.h"

#include <cmath>

namespace stickslip {

const SurfaceVelocity* System::surface_velocity(const ContactPoint& k, Side side) const {
  if (k.joint >= 0 || surface_velocities_.empty()) return nullptr;
  const bool has_ball = (side == Side::second) != k.flipped;
  const int index = surface_velocity_of_[has_ball ? ball(k).shape : surface(k).shape];
  return index >= 0 ? &surface_velocities_[index] : nullptr;
}

bool System::rows_are_plain(const ContactPoint& k) const {
  return k.joint >= 0 || !(has_surface_velocity(k) || pair(k).law().ellipse || pair(k).has_moments());
}

void System::add_surface_velocity(const ContactPoint& k, double t, const ContactGeometry& geometry,
                                  const BodyMotion& first, const BodyMotion& second, ContactVector& gamma) const {
  const ContactFrame<double> c = {geometry.gap,    geometry.position_first, geometry.position_second,
                                  geometry.normal, geometry.tangent1,       geometry.tangent2};
  stickslip::add_surface_velocity<double>(*this, k, t, c, first, second, gamma.data());
}

std::string System::find_non_finite_surface(double t) const {
  for (const Body& body : bodies_) {
    for (const SurfaceVelocity& surface : body.surface_velocities) {
      double sum = surface.rate.value(t);
      for (const Expression& component : surface.velocity) sum += component.value(t);
      if (!std::isfinite(sum)) return body.name + "/" + body.shapes[surface.shape].name;
    }
  }
  return {};
}

void SystemBuilder::set_rows(ContactPair& pair) {
  const ContactLaw& law = pair.law();
  ContactRowLayout& rows = pair.rows;
  rows.n_slide = system_.planar_ ? 1 : 2;
  rows.n_drill = law.contensou_radius > 0.0 || law.spinning > 0.0 ? 1 : 0;
  rows.n_roll = law.rolling > 0.0 ? (system_.planar_ ? 1 : 2) : 0;
  rows.drilling = law.contensou_radius > 0.0 ? kContensouFactor * law.contensou_radius : law.spinning;
  rows.rolling = law.rolling;
  pair.friction_dim = rows.n_slide + (law.contensou_radius > 0.0 ? 1 : 0);
  STICKSLIP_ASSERT(pair.friction_dim <= kMaxFrictionDim && pair.dim() <= kMaxContactRows);
  if (law.ellipse || pair.has_moments()) system_.has_plain_rows_ = false;
}

/// Those of the shapes of the body that was added last.
void SystemBuilder::add_surface_velocities(Body& body) {
  system_.surface_velocity_of_.resize(system_.shapes_.size(), -1);
  for (SurfaceVelocity& surface : body.surface_velocities) {
    surface.axis.normalize();
    for (int i = 0; i < 3; ++i) surface.acceleration[i] = surface.velocity[i].derivative();
    surface.rate_dot = surface.rate.derivative();
    system_.surface_velocity_of_[system_.first_shape_.back() + surface.shape] =
        static_cast<int>(system_.surface_velocities_.size());
    system_.surface_velocities_.push_back(surface);
    system_.has_plain_rows_ = false;
  }
}

}  // namespace stickslip
