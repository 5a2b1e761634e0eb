// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/body_snapshot.h"

namespace stickslip {

const BodySnapshot& BodySnapshot::take(double t, const Vector& q, const Vector* u) {
  t_ = t;
  q_ = q;
  if (u != nullptr) {
    u_ = *u;
  } else {
    u_.setZero(system_->n_u());
  }
  system_->calc_motions(t, q, u_, motions_);
  return *this;
}

void calc_contact(const BodySnapshot& at, const ContactPoint& point, ContactGeometry& geometry) {
  const System& system = at.system();
  if (point.joint >= 0) return system.calc_contact(point, at.t(), at.q(), geometry);
  BodyMotion first, second;
  system.calc_contact(point, at.at(system.side(point, Side::first), first),
                      at.at(system.side(point, Side::second), second), geometry);
}

ContactVector calc_contact_velocity(const BodySnapshot& at, const ContactPoint& point,
                                    const ContactGeometry& geometry) {
  const System& system = at.system();
  if (point.joint >= 0) {
    return system.calc_contact_velocity(point, geometry, at.t(), at.q(), at.u());
  }
  BodyMotion first, second;
  return system.calc_contact_velocity(point, geometry, at.at(system.side(point, Side::first), first),
                                      at.at(system.side(point, Side::second), second));
}

}  // namespace stickslip
