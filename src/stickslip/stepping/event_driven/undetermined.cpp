// SPDX-License-Identifier: BSD-3-Clause
// Transition where CP1 does not settle what sticks and slides: slip that is slow, forces that are not determined.
#include <algorithm>
#include <bit>
#include <cmath>

#include "stickslip/stepping/event_driven/directions.h"
#include "stickslip/stepping/event_driven/transition.h"

namespace stickslip::event_driven {
namespace {

/// Forces below this part of the largest are none, where they are of least norm. [-]
constexpr double kZeroForce = 1e-9;
/// Contacts of which all sets are tried where CP1 is not settled, and turns of directions in which what sticks begins
/// to slide.
constexpr std::size_t kMaxTried = 8;
constexpr int kMaxSearches = 30;
/// Friction is at its limit within this part of it: ten times what accelerations are told from none by. [-]
constexpr double kAtLimit = 10.0 * kZeroAcceleration;
/// What slides from rest has at least this part of the accelerations in play: above the round-off of forces. [-]
constexpr double kCreeps = 1e-13;
constexpr double kSameDirection = 1.0 - 1e-9;  // [-] cosine of a direction with itself

}  // namespace

/// A contact that CP1 finds sticking at the limit of its friction may also slide, slower than CP1 can tell. It does if
/// forces that oppose such a slip fit, to round-off.
void Transition::allow_creep(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  Modes creeping = modes_;
  const ConstraintSet& set = instant_.constraints();
  std::vector<int> contacts;
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int k = set.index(i);
    Mode& mode = creeping.contacts[k];
    if (!mode.closed || !mode.sticks || motion.has_polygon(k)) continue;
    const double* lambda = instant_.lambda().data() + set.problem().cones[i].offset;
    const int dim = motion.friction_dim(k);
    const double bound = motion.friction_of(k) * lambda[0];
    if (!(bound > 0.0) || norm(lambda + 1, dim) < (1.0 - kAtLimit) * bound) continue;
    mode.sticks = false;
    mode.direction = direction_of(lambda + 1, dim);
    for (double& x : mode.direction) x = -x;
    contacts.push_back(k);
  }
  if (contacts.empty()) return;
  motion.set_modes(creeping, scales_.zero_slip);
  if (settles(now, inputs, contacts, motion)) modes_ = motion.modes();
}

/// Whether the modes of `motion` have directions, near to those of CP1, in which the contacts `slips` begin to slide.
bool Transition::settles(const Moment& now, const Inputs& inputs, const std::vector<int>& slips, SmoothMotion& motion) {
  if (!motion.solve(now.t, now.q, now.u, inputs)) return false;
  if (!motion.settle_directions(now.t, now.q, now.u, inputs, instant_.a()) || !obeys(motion)) return false;
  motion.calc_accelerations(rates_);
  for (const int k : slips) {
    const Mode& mode = motion.modes().contacts[k];
    const double* rates = rates_.data() + motion.constraints().problem().cones[motion.contact_cone(k)].offset + 1;
    double along = 0.0;
    for (int r = 0; r < motion.friction_dim(k); ++r) along += mode.direction[r] * rates[r];
    if (!(along > kCreeps * scales_.acceleration)) return false;
  }
  return true;
}

/// Where the shortest forces do not obey the laws in the modes that CP1 leaves, its own do: they are the loads then.
void Transition::take_loads(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  const ConstraintSet& set = instant_.constraints();
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    Mode& mode = modes_.contacts[set.index(i)];
    if (mode.closed) mode.load = std::max(instant_.lambda()[set.problem().cones[i].offset], 0.0);
  }
  motion.set_modes(modes_, scales_.zero_slip);
  if (motion.solve(now.t, now.q, now.u, inputs))
    (void)motion.settle_directions(now.t, now.q, now.u, inputs, instant_.a());
}

/// What no forces hold any more, where forces are not determined: it slips with the loads that held it longest, those
/// of CP1 under the associated law, so that forces do not jump and slip has the direction of the limit. Then modes_ are
/// these. What bears nothing slides as it moves, and what has less friction than its limit, as the centre of a turn,
/// sticks.
bool Transition::let_slip(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  if (!instant_.takes(FrictionLaw::associated)) return false;
  instant_.set_law(FrictionLaw::associated);
  const bool is_solved = solve_instant(at_, inputs).status == Status::ok;
  instant_.set_law(FrictionLaw::coulomb);
  if (!is_solved) return false;
  double largest = 0.0;
  for (const double x : instant_.lambda()) largest = std::max(largest, std::abs(x));
  Modes slipping = tentative_;
  std::vector<int> slips;
  const ConstraintSet& set = instant_.constraints();
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int k = set.index(i);
    Mode& mode = slipping.contacts[k];
    if (!mode.closed || held_[k] != 0) return false;
    const int offset = set.problem().cones[i].offset;
    const double* lambda = instant_.lambda().data() + offset;
    const bool bears = lambda[0] > kAtLimit * largest;
    mode.load = bears ? lambda[0] : 0.0;
    if (!mode.sticks) continue;
    if (motion.has_polygon(k)) return false;
    const int dim = motion.friction_dim(k);
    if (bears && norm(lambda + 1, dim) < (1.0 - kAtLimit) * motion.friction_of(k) * lambda[0]) continue;
    mode.sticks = false;
    mode.direction = direction_of(bears ? lambda + 1 : instant_.gamma_dot().data() + offset + 1, dim);
    if (!bears) continue;
    for (double& x : mode.direction) x = -x;
    slips.push_back(k);
  }
  if (slips.empty()) return false;
  motion.set_modes(slipping, scales_.zero_slip);
  if (!settles(now, inputs, slips, motion)) return false;
  modes_ = motion.modes();
  return true;
}

bool Transition::obeys(const SmoothMotion& motion) const {
  if (!motion.consistent()) return false;
  const ConstraintSet& set = motion.constraints();
  double largest = 0.0;
  for (const double x : motion.lambda()) largest = std::max(largest, std::abs(x));
  const double zero = kZeroForce * largest;
  for (int i = 0; i < set.count(); ++i) {
    if (set.kind(i) == ConstraintSet::Kind::joint) continue;
    const Cone& cone = set.problem().cones[i];
    const double* lambda = motion.lambda().data() + cone.offset;
    const int k = set.index(i);
    if (set.kind(i) == ConstraintSet::Kind::dry_friction) {
      if (!motion.modes().dry_frictions[k].sticks) continue;
      if (norm(lambda, cone.dim) > system_.dry_frictions()[k].bound + zero) return false;
      continue;
    }
    if (lambda[0] < -zero) return false;
    if (motion.on_edge(k)) {
      const auto& n = motion.modes().contacts[k].direction;
      const double bound = motion.polygon().half_edge() * motion.friction_of(k) * lambda[0];
      if (std::abs(n[0] * lambda[2] - n[1] * lambda[1]) > bound + zero) return false;
    }
    if (!motion.modes().contacts[k].sticks) continue;
    if (motion.friction_size(k, lambda + 1) > motion.friction_of(k) * lambda[0] + zero) return false;
  }
  return true;
}

void Transition::make_lawful(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  if (std::ranges::none_of(motion.modes().contacts, [](const Mode& mode) { return mode.closed; })) return;
  if (motion.determined() || obeys(motion) || !agrees(motion, inputs)) return;
  motion.begin_from(instant_.lambda());
  (void)motion.solve(now.t, now.q, now.u, inputs);
}

/// Where forces are not determined, which CP1 of contacts that slide may not settle: whether all that touches can go on
/// as it moves, by the forces that SmoothMotion takes. Then modes_ are these.
bool Transition::keep_all(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  const auto is_open = [this](std::size_t k) { return met_[k] != 0 && !tentative_.contacts[k].closed; };
  for (std::size_t k = 0; k < met_.size(); ++k) {
    if (held_[k] != 0 || is_open(k)) return false;
  }
  motion.set_modes(tentative_, scales_.zero_slip);
  if (!motion.solve(now.t, now.q, now.u, inputs) || motion.determined() || !obeys(motion)) return false;
  modes_ = tentative_;
  return true;
}

/// The next mode of a contact with a polygon: where its friction is beyond `bound` [N] it slides through the edge, or
/// leaves the edge on which it slides; where what began here moves beyond the edge beside its corner, it is on that
/// edge. Whether it changed.
bool Transition::turn_on_polygon(const SmoothMotion& motion, int point, double bound, const double* friction,
                                 const double* slips, double zero, Mode& mode) const {
  const FrictionPolygon::Pair n = {mode.direction[0], mode.direction[1]};
  const auto take = [&mode](const FrictionPolygon::Pair& next) {
    mode.sticks = false;
    std::ranges::copy(next, mode.direction.begin());
    return true;
  };
  if (mode.sticks) {
    return motion.friction_size(point, friction) > bound && take(polygon_.find_slip_against(friction).direction);
  }
  if (motion.on_edge(point)) {
    const double held = n[0] * friction[1] - n[1] * friction[0];
    return std::abs(held) > polygon_.half_edge() * bound && take(polygon_.turn(n, held > 0.0 ? -1.0 : 1.0));
  }
  const Mode& began = tentative_.contacts[point];
  for (const double side : {1.0, -1.0}) {
    const FrictionPolygon::Pair edge = polygon_.turn(n, side);
    const bool was_there = began.sticks || edge[0] * began.direction[0] + edge[1] * began.direction[1] > kSameDirection;
    if (was_there && polygon_.calc_distance(n, side, slips) < -zero) return take(edge);
  }
  return false;
}

/// Modes of which those contacts of `closed` are open that have a bit in `opened`: whether they obey the laws, what
/// sticks and cannot slides against the friction that it has. Then modes_ are these.
bool Transition::try_set(unsigned opened, std::span<const int> closed, const Moment& now, const Inputs& inputs,
                         SmoothMotion& motion) {
  modes_ = tentative_;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if ((opened >> i & 1u) != 0) modes_.contacts[closed[i]] = {};
  }
  for (int turn = 0; turn < kMaxSearches; ++turn) {
    motion.set_modes(modes_, scales_.zero_slip);
    if (!motion.solve(now.t, now.q, now.u, inputs)) return false;
    const ConstraintSet& set = motion.constraints();
    const double zero = kZeroAcceleration * std::max(scales_.acceleration, motion.a().lpNorm<Eigen::Infinity>());
    motion.calc_accelerations(rates_);
    // What begins to slide here goes on against its friction, into the direction in which it accelerates.
    bool changed = false;
    bool holds = true;
    for (int i = 0; i < set.count(); ++i) {
      if (set.kind(i) == ConstraintSet::Kind::joint) continue;
      const bool is_contact = set.kind(i) == ConstraintSet::Kind::contact;
      const Cone& cone = set.problem().cones[i];
      const int first = is_contact ? 1 : 0;
      const int dim = cone.dim - first;
      const int k = set.index(i);
      const double* lambda = motion.lambda().data() + cone.offset;
      Mode& mode = (is_contact ? modes_.contacts : modes_.dry_frictions)[k];
      const bool stuck = (is_contact ? tentative_.contacts : tentative_.dry_frictions)[k].sticks;
      const double bound =
          is_contact ? motion.friction_of(k) * std::max(lambda[0], 0.0) : system_.dry_frictions()[k].bound;
      const double* slips = rates_.data() + cone.offset + first;
      double along = 0.0;
      for (int r = 0; r < dim; ++r) along += slips[r] * mode.direction[r];
      if (is_contact && motion.has_polygon(k)) {
        changed |= turn_on_polygon(motion, k, bound * (1.0 + kZeroForce), lambda + 1, slips, zero, mode);
        holds &= mode.sticks || !stuck || along >= -zero;
      } else if (mode.sticks && norm(lambda + first, dim) > bound * (1.0 + kZeroForce)) {
        mode.sticks = false;
        mode.direction = direction_of(lambda + first, dim);
        for (double& x : mode.direction) x = -x;
        changed = true;
      } else if (!mode.sticks && stuck) {
        holds &= along >= -zero;
        if (norm(slips, dim) - along > zero) {
          mode.direction = direction_of(slips, dim);
          changed = true;
        }
      }
    }
    if (changed) continue;
    if (!holds || !obeys(motion)) return false;
    Modes all = modes_;
    for (const int k : closed) all.contacts[k].closed = true;
    motion.set_modes(all, scales_.zero_slip);
    motion.gather(now.t, now.q, now.u);
    motion.calc_accelerations(rates_);
    for (const int k : closed) {
      if (rates_[motion.constraints().problem().cones[motion.contact_cone(k)].offset] < -zero) return false;
    }
    return true;
  }
  return false;
}

/// Where CP1 was not settled: the modes with the fewest contacts let go that obey the laws, among all where they are
/// few.
bool Transition::try_sets(const Moment& now, const Inputs& inputs, SmoothMotion& motion) {
  std::vector<int> closed;
  for (std::size_t k = 0; k < tentative_.contacts.size(); ++k) {
    if (tentative_.contacts[k].closed) closed.push_back(static_cast<int>(k));
  }
  if (closed.size() > kMaxTried) return false;
  for (int opened = 0; opened <= static_cast<int>(closed.size()); ++opened) {
    for (unsigned set = 0; set < 1u << closed.size(); ++set) {
      stop_.check();
      if (std::popcount(set) == opened && try_set(set, closed, now, inputs, motion)) return true;
    }
  }
  return false;
}

/// Whether the accelerations of the instant solved last leave closed what is closed, and at rest what sticks.
bool Transition::holds_all() const {
  const double zero = kZeroAcceleration * std::max(scales_.acceleration, instant_.a().lpNorm<Eigen::Infinity>());
  for (int i = 0; i < instant_.constraints().count(); ++i) {
    const Cone& cone = instant_.constraints().problem().cones[i];
    const double* rates = instant_.gamma_dot().data() + cone.offset;
    if (instant_.constraints().kind(i) == ConstraintSet::Kind::joint) continue;
    const bool is_contact = instant_.constraints().kind(i) == ConstraintSet::Kind::contact;
    if (is_contact && rates[0] > zero) return false;
    if (is_contact && instant_.on_edge(i)) {
      const auto n = instant_.slip_direction(i);
      if (std::abs(n[0] * rates[2] - n[1] * rates[1]) > zero) return false;
    }
    if (instant_.mode(i) != InstantMode::sticking) continue;
    if (norm(rates + (is_contact ? 1 : 0), cone.dim - (is_contact ? 1 : 0)) > zero) return false;
  }
  return true;
}

/// Whether there are forces that obey the laws and hold the tentative modes, where they are not determined and CP1, of
/// which a motion is a solution as well, need not find them. Under the associated law what sticks stays at rest
/// wherever any forces hold it.
bool Transition::any_forces_hold(const BodySnapshot& at, const Inputs& inputs) {
  if (!instant_.takes(FrictionLaw::associated)) return false;
  instant_.set_law(FrictionLaw::associated);
  const bool holds = solve_instant(at, inputs).status == Status::ok && holds_all();
  instant_.set_law(FrictionLaw::coulomb);
  return holds;
}

/// Whether modes_ lets go what tentative_ holds.
bool Transition::lets_go() const {
  const auto goes = [](const std::vector<Mode>& held, const std::vector<Mode>& next) {
    for (std::size_t k = 0; k < held.size(); ++k) {
      if ((held[k].closed && !next[k].closed) || (held[k].sticks && !next[k].sticks)) return true;
    }
    return false;
  };
  return goes(tentative_.contacts, modes_.contacts) || goes(tentative_.dry_frictions, modes_.dry_frictions);
}

}  // namespace stickslip::event_driven
