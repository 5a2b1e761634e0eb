// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/body_snapshot.h"

#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"

namespace stickslip {
namespace {

/// Bodies of a block that threads share, and from how many on they do: 50 us in all. [-]
constexpr std::size_t kMotionsOfABlock = 256;
constexpr std::size_t kManyMotions = 2048;

}  // namespace

void BodySnapshot::prepare() {
  const System& system = *system_;
  const std::size_t n = system.bodies().size();
  std::vector<bool> touches(n, system.has_varying_contacts());
  for (const ContactPoint& point : system.contact_points()) {
    for (const Side side : {Side::first, Side::second}) touches[system.body(point, side)] = true;
  }
  std::vector<bool> turns(n, false);  // whether a contact tells how the body has turned
  for (const ShapeSurface& surface : system.surfaces()) {
    if (surface.kind != SurfaceKind::sphere || !surface.center.isZero(0.0)) turns[surface.body] = true;
  }
  for (const ShapeBall& ball : system.balls()) {
    if (!ball.center.isZero(0.0)) turns[ball.body] = true;
  }
  for (const ShapeFeatures& shape : system.shapes()) {
    if (shape.solid >= 0 && is_surface(system.solids()[shape.solid].kind)) turns[shape.body] = true;
  }
  motions_.assign(n, {Vector3::Zero(), Matrix3::Identity(), Vector3::Zero(), Vector3::Zero()});
  for (std::size_t i = 0; i < n; ++i) {
    const int body = static_cast<int>(i);
    switch (system.bodies()[i].type) {
      case BodyType::fixed:
        motions_[i] = system.calc_motion(system.place(body), t_, q_, nullptr);
        break;
      case BodyType::planar:
        if (touches[i]) append(turns[i] ? moving_ : unturned_, body);
        break;
      case BodyType::point:
      case BodyType::beam:
        if (touches[i]) append(moving_, body);
        break;
      case BodyType::rigid:
      case BodyType::moving:
        append(moving_, body);
        break;
    }
  }
}

const BodySnapshot& BodySnapshot::take(double t, const Vector& q, const Vector* u) {
  t_ = t;
  q_ = q;
  if (u != nullptr) {
    u_ = *u;
  } else {
    u_.setZero(system_->n_u());
  }
  if (motions_.empty()) prepare();
  const auto move = [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t k = begin; k < end; ++k) {
      motions_[moving_[k]] = system_->calc_motion(system_->place(moving_[k]), t, q_, &u_);
    }
  };
  for_blocks(moving_.size() >= kManyMotions, moving_.size(), kMotionsOfABlock, move);
  for (const int body : unturned_) {
    const Attachment& place = system_->place(body);
    motions_[body].p.head<2>() = q_.segment<2>(place.q_offset);
    motions_[body].v.head<2>() = u_.segment<2>(place.u_offset);
    motions_[body].w(2) = u_(place.u_offset + 2);
  }
  return *this;
}

namespace {

const BodyMotion& motion_of(const BodySnapshot& at, const ContactPoint& point, Side side, BodyMotion& scratch) {
  return at.at(at.system().place_number(point, side), scratch);
}

}  // namespace

void calc_contact(const BodySnapshot& at, const ContactPoint& point, ContactGeometry& geometry) {
  const System& system = at.system();
  if (point.joint >= 0) return system.calc_contact(point, at.t(), at.q(), geometry);
  BodyMotion first, second;
  system.calc_contact(point, motion_of(at, point, Side::first, first), motion_of(at, point, Side::second, second),
                      geometry);
}

double calc_gap(const BodySnapshot& at, const ContactPoint& point) {
  const System& system = at.system();
  if (point.joint >= 0) return system.calc_gap(point, at.t(), at.q());
  BodyMotion first, second;
  return system.calc_gap(point, motion_of(at, point, Side::first, first), motion_of(at, point, Side::second, second));
}

bool calc_contact_within(const BodySnapshot& at, const ContactPoint& point, double most, ContactGeometry& geometry,
                         ContactVector& gamma) {
  const System& system = at.system();
  if (point.joint >= 0) {
    const bool may_be_open = most < std::numeric_limits<double>::infinity();
    if (may_be_open && !(system.calc_gap(point, at.t(), at.q()) <= most)) return false;
    system.calc_contact(point, at.t(), at.q(), geometry);
    gamma = system.calc_contact_velocity(point, geometry, at.t(), at.q(), at.u());
    return true;
  }
  BodyMotion scratch_first, scratch_second;
  const BodyMotion& first = motion_of(at, point, Side::first, scratch_first);
  const BodyMotion& second = motion_of(at, point, Side::second, scratch_second);
  if (!system.calc_contact_within(point, first, second, most, geometry, gamma)) return false;
  if (system.has_surface_velocity(point)) system.add_surface_velocity(point, at.t(), geometry, first, second, gamma);
  return true;
}

}  // namespace stickslip
