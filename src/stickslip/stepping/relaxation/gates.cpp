// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/relaxation/gates.h"

#include <algorithm>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/constraints/adhesion.h"

namespace stickslip {
namespace {

/// As printed, contacts take part up to the gap at which one that approaches with so many times the largest relative
/// velocity, and is accelerated to it within delta, would bear a force. [-]
constexpr double kReach = 4.0;

}  // namespace

RelaxationGates::RelaxationGates(const RelaxationOptions& options, const System& system, StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      contacts_(system, stop),
      sizes_(system),
      attraction_(Adhesion(system).reach()) {
  contacts_.set_envelope(attraction_);
}

void RelaxationGates::find_touching(const BodySnapshot& start) {
  contacts_.find_touching(start, attraction_);
  count_ = contacts_.points().size();
  takes_part_.assign(count_, 0);
}

void RelaxationGates::find(const BodySnapshot& start, double t_end, std::span<const ElementId> on) {
  contacts_.find(start, t_end, on);
  const std::vector<ContactPoint>& points = contacts_.points();
  count_ = points.size();
  make_room(takes_part_, count_);
  takes_part_.assign(count_, 0);
  const bool is_gated = options_.gate && options_.form == RelaxationForm::ode;
  for (std::size_t i = 0; i < count_ && is_gated; ++i) {
    takes_part_[i] = std::ranges::binary_search(on, points[i].id) ? 1 : 0;
  }
}

double RelaxationGates::touching(std::size_t point) const {
  const ContactPoint& p = contacts_.points()[point];
  return kClosedGap * sizes_.of_pair(system_.body(p, Side::first), system_.body(p, Side::second));
}

bool RelaxationGates::meet(const BodySnapshot& at, double closed, bool approaching) {
  const std::vector<ContactPoint>& points = contacts_.points();
  bool met = false;
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < takes_part_.size(); ++i) {
    stop_.check();
    if (takes_part_[i] != 0 || points[i].apart) continue;
    const double touches =
        closed * sizes_.of_pair(system_.body(points[i], Side::first), system_.body(points[i], Side::second));
    if (approaching) {
      if (!calc_contact_within(at, points[i], touches, geometry, gamma)) continue;
      if (geometry.gap > 0.0 && gamma(0) > 0.0) continue;
    } else if (!(calc_gap(at, points[i]) <= touches)) {
      continue;
    }
    takes_part_[i] = 1;
    met = true;
  }
  return met;
}

/// A force on a contact accelerates others by about speed/delta at most: see kReach.
void RelaxationGates::set_reaches(const BodySnapshot& start, double h) {
  const std::vector<ContactPoint>& points = contacts_.points();
  double fastest = 0.0;
  ContactGeometry geometry;
  ContactVector gamma;
  make_room(activations_, points.size());
  activations_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    calc_contact_within(start, points[i], std::numeric_limits<double>::infinity(), geometry, gamma);
    fastest = std::max(fastest, gamma.norm());
    activations_[i] = geometry.gap;
  }
  const bool implicit = options_.form == RelaxationForm::implicit;
  const double delta = implicit ? h : options_.delta;
  const double zeta = implicit ? 0.5 : options_.zeta;
  const double fall = (delta + h) * (delta + h) * system_.gravity().norm();
  const double time =
      options_.model == RelaxationModel::penalty ? options_.damping / options_.stiffness : (2.0 * zeta + 1.0) * delta;
  const double reach = kReach * ((time + h) * fastest + fall);
  for (std::size_t i = 0; i < points.size(); ++i) takes_part_[i] = activations_[i] <= reach ? 1 : 0;
}

void RelaxationGates::open() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  make_room(activations_, takes_part_.size());
  activations_.resize(takes_part_.size());
  std::ranges::transform(takes_part_, activations_.begin(), [](char on) { return on != 0 ? kInfinity : -kInfinity; });
}

double RelaxationGates::calc_least_gap(const BodySnapshot& at) const {
  const std::vector<ContactPoint>& points = contacts_.points();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count_; ++i) {
    stop_.check();
    if (takes_part_[i] == 0 && !points[i].apart) least = std::min(least, calc_gap(at, points[i]));
  }
  return least;
}

}  // namespace stickslip
