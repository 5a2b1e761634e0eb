// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/event_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/stepping/event_driven/directions.h"

namespace stickslip::event_driven {
namespace {

/// What is within this part of its scale is at zero where a phase begins: of gaps and velocities, and of forces. [-]
constexpr double kAtZero = 1e-12;
constexpr double kForceAtZero = 1e-9;
constexpr double kMayBeOff = 10.0;  // [-] what projections leave, in units of these
/// What reached zero together with the least one: within this. [-]
constexpr double kTogether = 1e-13;
/// Where a parabola says that a watch has fallen to this part of what it is at the looks, it is looked at. [-]
constexpr double kDoubt = 0.25;
constexpr double kTurned = 0.5;  // [-] cosine of the angle beyond which a direction is taken anew

}  // namespace

void EventSearch::calc_force_scale(const SmoothMotion& motion) {
  force_ = 0.0;
  for (const Body& body : system_.bodies()) {
    if (body.n_u > 0) force_ = std::max(force_, body.mass * transition_.scales().acceleration);
  }
  for (const double x : motion.lambda()) force_ = std::max(force_, std::abs(x));
  if (!(force_ > 0.0)) force_ = 1.0;  // there are none
}

bool EventSearch::begin(SmoothMotion& motion, const Inputs& inputs) {
  watches_.clear();
  calc_force_scale(motion);
  const Modes& modes = motion.modes();
  bool has_forces = false;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    const int k = static_cast<int>(i);
    const Mode& mode = modes.contacts[i];
    if (!mode.closed) {
      watches_.push_back({Kind::gap, true, k, 0.0});
      continue;
    }
    has_forces = true;
    if (motion.determined()) watches_.push_back({Kind::lift, true, k, 0.0});
    if (!motion.has_friction(k)) continue;
    if (!mode.sticks) watches_.push_back({Kind::stop, true, k, 0.0});
    if (!mode.sticks && motion.has_polygon(k) && !motion.on_edge(k)) {
      for (const double side : {1.0, -1.0}) watches_.push_back({Kind::turn, true, k, 0.0, false, side});
    }
    if (!mode.sticks && motion.determined()) watches_.push_back({Kind::yield, true, k, 0.0});
    if ((mode.sticks || motion.on_edge(k)) && motion.determined()) watches_.push_back({Kind::slip, true, k, 0.0});
  }
  for (std::size_t i = 0; i < modes.dry_frictions.size(); ++i) {
    const int k = static_cast<int>(i);
    if (!modes.dry_frictions[i].sticks) watches_.push_back({Kind::stop, false, k, 0.0});
    if (modes.dry_frictions[i].sticks && motion.determined()) watches_.push_back({Kind::slip, false, k, 0.0});
    has_forces |= modes.dry_frictions[i].sticks;
  }
  if (has_forces && !motion.determined()) watches_.push_back({Kind::laws, true, 0, 0.0});
  bool may = true;
  for (Watch& watch : watches_) {
    double value = calc(watch, motion, inputs);
    if (watch.kind == Kind::gap && value <= kAtZero) {
      watch.from_zero = true;
      value = calc(watch, motion, inputs);
      if (value > 0.0) continue;
    }
    const bool is_force = watch.kind == Kind::lift || watch.kind == Kind::slip;
    const double zero = is_force ? kForceAtZero : kAtZero;
    if (value > zero) continue;
    watch.offset = zero + std::max(0.0, -value);
    if (value < -kMayBeOff * zero) may = false;
  }
  look(motion, inputs, first_);
  return may;
}

void EventSearch::arm(SmoothMotion& motion, const Inputs& inputs) {
  for (Watch& watch : watches_) {
    const double left = watch.kind == Kind::laws ? 0.0 : watch.offset;
    if (watch.offset > 0.0 && calc(watch, motion, inputs) > left) watch.offset = 0.0;
    if (!watch.from_zero) continue;
    const double gap = calc_gap(motion.at(), system_.contact_points()[watch.index]);
    watch.from_zero = gap <= kAtZero * transition_.length(watch.index);
  }
  look(motion, inputs, first_);
}

double EventSearch::calc_slip(const Watch& watch, const SmoothMotion& motion) const {
  const int cone = watch.is_contact ? motion.contact_cone(watch.index) : motion.dry_friction_cone(watch.index);
  const Cone& rows = motion.constraints().problem().cones[cone];
  const double* lambda = motion.lambda().data() + rows.offset;
  if (!watch.is_contact) return (system_.dry_frictions()[watch.index].bound - norm(lambda, rows.dim)) / force_;
  const double bound = motion.friction_of(watch.index) * lambda[0];
  if (!motion.on_edge(watch.index)) return (bound - motion.friction_size(watch.index, lambda + 1)) / force_;
  const auto& n = motion.modes().contacts[watch.index].direction;
  return (motion.polygon().half_edge() * bound - std::abs(n[0] * lambda[2] - n[1] * lambda[1])) / force_;
}

/// How far the velocity of a corner of a polygon is from the edge beside it.
double EventSearch::calc_turn(const Watch& watch, const SmoothMotion& motion) const {
  const Cone& rows = motion.constraints().problem().cones[motion.contact_cone(watch.index)];
  const auto& n = motion.modes().contacts[watch.index].direction;
  const double* gamma = motion.constraints().gamma().data() + rows.offset + 1;
  return motion.polygon().calc_distance({n[0], n[1]}, watch.side, gamma) / transition_.scales().speed;
}

/// gamma_F . n of the direction in which the phase began; of directions in a plane or in space it is to be taken anew
/// where it has turned, too.
double EventSearch::calc_stop(const Watch& watch, const SmoothMotion& motion) const {
  const int cone = watch.is_contact ? motion.contact_cone(watch.index) : motion.dry_friction_cone(watch.index);
  const Cone& rows = motion.constraints().problem().cones[cone];
  const Mode& mode = (watch.is_contact ? motion.modes().contacts
                                       : motion.modes().dry_frictions)[static_cast<std::size_t>(watch.index)];
  const int first = watch.is_contact ? 1 : 0;
  const int dim = rows.dim - first;
  double along = 0.0;
  double squared = 0.0;
  for (int i = 0; i < dim; ++i) {
    const double gamma = motion.constraints().gamma()[rows.offset + first + i];
    along += gamma * mode.direction[i];
    squared += gamma * gamma;
  }
  const double speed = transition_.scales().speed;
  const bool is_fixed = dim == 1 || (watch.is_contact && motion.has_polygon(watch.index));
  return (is_fixed ? along : along - kTurned * std::sqrt(squared)) / speed;
}

double EventSearch::calc(const Watch& watch, SmoothMotion& motion, const Inputs& inputs) const {
  switch (watch.kind) {
    case Kind::gap: {
      const ContactPoint& point = system_.contact_points()[watch.index];
      const double length = transition_.length(watch.index);
      if (!watch.from_zero) return calc_gap(motion.at(), point) / length;
      // It starts at a gap of nothing, perhaps a little below: what closes has a negative rate, too.
      ContactGeometry geometry;
      ContactVector gamma;
      calc_contact_within(motion.at(), point, std::numeric_limits<double>::infinity(), geometry, gamma);
      return std::max(geometry.gap / length, gamma(0) / transition_.scales().speed);
    }
    case Kind::lift:
      return motion.lambda()[motion.constraints().problem().cones[motion.contact_cone(watch.index)].offset] / force_;
    case Kind::slip:
      return calc_slip(watch, motion);
    case Kind::stop:
      return calc_stop(watch, motion);
    case Kind::turn:
      return calc_turn(watch, motion);
    case Kind::yield:
      return motion.calc_yield(watch.index);
    case Kind::laws:
      break;
  }
  // Forces of least norm that obey the laws are enough; else CP1 says whether others do.
  return transition_.obeys(motion) || transition_.agrees(motion, inputs) ? 1.0 : -1.0;
}

double EventSearch::calc_least(SmoothMotion& motion, const Inputs& inputs) {
  double least = 1.0;
  for (const Watch& watch : watches_) least = std::min(least, calc(watch, motion, inputs) + watch.offset);
  return least;
}

std::vector<Trigger> EventSearch::find_triggers(SmoothMotion& motion, const Inputs& inputs) {
  const double most = calc_least(motion, inputs) + kTogether;
  std::vector<Trigger> triggers;
  for (const Watch& watch : watches_) {
    if (calc(watch, motion, inputs) + watch.offset > most) continue;
    constexpr Trigger::Kind kKinds[] = {Trigger::Kind::closes, Trigger::Kind::lifts, Trigger::Kind::slips,
                                        Trigger::Kind::stops,  Trigger::Kind::turns, Trigger::Kind::laws,
                                        Trigger::Kind::laws};
    Trigger trigger{kKinds[static_cast<int>(watch.kind)], watch.is_contact, watch.index, {}};
    if (watch.kind == Kind::slip) find_slip(watch, motion, trigger);
    triggers.push_back(trigger);
  }
  return triggers;
}

/// What cannot be held begins to slide against its friction; under a polygon through the edge that this is at, and from
/// an edge on which it slides already against the corner.
void EventSearch::find_slip(const Watch& watch, const SmoothMotion& motion, Trigger& trigger) const {
  const int cone = watch.is_contact ? motion.contact_cone(watch.index) : motion.dry_friction_cone(watch.index);
  const Cone& rows = motion.constraints().problem().cones[cone];
  const int first = watch.is_contact ? 1 : 0;
  const double* lambda = motion.lambda().data() + rows.offset + first;
  if (watch.is_contact && motion.has_polygon(watch.index)) {
    const FrictionPolygon& polygon = motion.polygon();
    const auto& n = motion.modes().contacts[watch.index].direction;
    const FrictionPolygon::Pair from = {n[0], n[1]};
    const double held = n[0] * lambda[1] - n[1] * lambda[0];
    const FrictionPolygon::Pair against = motion.on_edge(watch.index) ? polygon.turn(from, held > 0.0 ? -1.0 : 1.0)
                                                                      : polygon.find_slip_against(lambda).direction;
    std::ranges::copy(against, trigger.direction.begin());
    return;
  }
  trigger.direction = direction_of(lambda, rows.dim - first);
  for (double& x : trigger.direction) x = -x;
}

void EventSearch::look(SmoothMotion& motion, const Inputs& inputs, Look& look) {
  look.values.assign(watches_.size(), 0.0);
  look.least = 1.0;
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    const Watch& watch = watches_[i];
    const double value = calc(watch, motion, inputs) + watch.offset;
    look.least = std::min(look.least, value);
    look.values[i] = watch.kind == Kind::gap ? calc_gap(motion.at(), system_.contact_points()[watch.index]) : value;
  }
}

void EventSearch::look_at_gaps(const BodySnapshot& at, GapCourse::Sample& gaps) const {
  gaps.values.clear();
  gaps.rates.clear();
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    const Watch& watch = watches_[i];
    if (watch.kind != Kind::gap) continue;
    calc_contact_within(at, system_.contact_points()[watch.index], std::numeric_limits<double>::infinity(), geometry,
                        gamma);
    const double at_zero = kAtZero * transition_.length(watch.index) + std::max(0.0, -first_.values[i]);
    gaps.values.push_back(geometry.gap + at_zero);
    gaps.rates.push_back(gamma(0));
  }
}

double EventSearch::find_low(const Look& a, const Look& middle, const Look& b) const {
  double found = 0.0;
  double lowest = 0.0;
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    if (watches_[i].kind == Kind::gap || watches_[i].kind == Kind::laws) continue;
    const double slope = 4.0 * middle.values[i] - 3.0 * a.values[i] - b.values[i];
    const double bend = 2.0 * (a.values[i] + b.values[i]) - 4.0 * middle.values[i];
    const double theta = -0.5 * slope / bend;
    if (!(bend > 0.0) || !(theta > 0.0) || !(theta < 1.0)) continue;
    const double least = std::min({a.values[i], middle.values[i], b.values[i]});
    const double low = a.values[i] + 0.5 * theta * slope - kDoubt * least;
    if (!(low < lowest)) continue;
    lowest = low;
    found = theta;
  }
  return found;
}

}  // namespace stickslip::event_driven
