// SPDX-License-Identifier: BSD-3-Clause
// The instant a run starts from, in GeneralizedAlphaStep's terms.
#include <algorithm>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {

bool GeneralizedAlphaStep::solve_start(const State& state, Instant& instant) {
  take_instant(state, instant);
  const bool found = instant.solve().status == Status::ok;
  if (!found) {
    instant.open_contacts();
    static_cast<void>(instant.solve());
  }
  set_instant(instant);
  return found;
}

bool GeneralizedAlphaStep::settle_start(const State& state, double step, Instant& instant) {
  take_instant(state, instant);
  if (!instant.hold_what_stops(state.memory.head(system.n_u()), step)) return false;
  if (instant.solve().status != Status::ok) return false;
  set_instant(instant);
  return true;
}

/// The instant of a state instead of the end of a step, with the contacts there.
void GeneralizedAlphaStep::take_instant(const State& state, Instant& instant) {
  snapshot_.take(state.t, state.q, &state.u);
  contacts.find_touching(snapshot_);
  make_detected_elements();
  inputs = state.inputs;
  t_end = state.t;
  q = state.q;
  u = state.u;
  instant.take(snapshot_, contacts.points(), inputs);
}

/// x, and the index sets of contacts, as found.
void GeneralizedAlphaStep::set_instant(const Instant& instant) {
  x.a = instant.a();
  x.lambda.setZero();
  for (StepElement& e : elements) {
    e.evaluated = false;
    e.stretch = {};
    if (e.kind == StepElement::Kind::contact) e.level = ContactLevel::open;
  }
  const ConstraintSet& set = instant.constraints();
  for (int i = 0; i < set.count(); ++i) {
    StepElement& e = elements[find_element(set.kind(i), set.index(i))];
    const InstantMode mode = instant.mode(i);
    if (mode == InstantMode::open || mode == InstantMode::separating) continue;
    if (e.kind == StepElement::Kind::contact) e.level = ContactLevel::velocity;
    e.stick = mode == InstantMode::sticking;
    std::copy_n(set.gamma().begin() + set.problem().cones[i].offset, e.dim, e.xi.begin());
    std::ranges::copy(instant.lambda(i), x.lambda.data() + e.offset);
  }
}

/// Index of an element. They stand in the order named contacts, dry friction, joints, detected contacts.
std::size_t GeneralizedAlphaStep::find_element(ConstraintSet::Kind kind, int index) const {
  const auto n_named = static_cast<std::size_t>(contacts.n_named());
  const auto k = static_cast<std::size_t>(index);
  switch (kind) {
    case ConstraintSet::Kind::contact:
      return k < n_named ? k : n_fixed_elements_ + k - n_named;
    case ConstraintSet::Kind::dry_friction:
      return n_named + k;
    case ConstraintSet::Kind::joint:
      break;
  }
  return n_named + system.dry_frictions().size() + k;
}

}  // namespace stickslip
