// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/start.h"

#include <algorithm>

#include "stickslip/constraints/element_derivatives.h"

namespace stickslip::generalized_alpha {
namespace {

/// Index of an element, in the order of Step::elements.
std::size_t find_element(const Step& step, ConstraintSet::Kind kind, int index) {
  const auto n_named = static_cast<std::size_t>(step.contacts.n_named());
  const auto k = static_cast<std::size_t>(index);
  switch (kind) {
    case ConstraintSet::Kind::contact:
      return k < n_named ? k : step.n_fixed + k - n_named;
    case ConstraintSet::Kind::servo:  // of schemes on velocities alone
    case ConstraintSet::Kind::dry_friction:
      return n_named + k;
    case ConstraintSet::Kind::joint:
      break;
  }
  return n_named + step.system.dry_frictions().size() + k;
}

/// x, and the index sets of contacts, as found.
void set_instant(Step& step, const Instant& instant) {
  step.x.a = instant.a();
  step.x.lambda.setZero();
  for (StepElement& e : step.elements) {
    e.evaluated = false;
    for (FrictionState& state : e.states) state.stretch = {};
    if (e.kind == ConstraintElement::Kind::contact) e.level = Level::open;
  }
  const ConstraintSet& set = instant.constraints();
  for (int i = 0; i < set.count(); ++i) {
    StepElement& e = step.elements[find_element(step, set.kind(i), set.index(i))];
    const InstantMode mode = instant.mode(i);
    if (mode == InstantMode::open || mode == InstantMode::separating) continue;
    if (e.kind == ConstraintElement::Kind::contact) e.level = Level::velocity;
    for (int s = 0; s < e.n_sets; ++s) e.states[s].stick = instant.sticks(i, s);
    std::copy_n(set.gamma().begin() + set.problem().cones[i].offset, e.dim, e.xi.begin());
    std::ranges::copy(instant.lambda(i), step.x.lambda.data() + e.offset);
  }
}

/// At the instant of the state, as exactly as the steps themselves are solved: forces that do not balance to their
/// tolerance open and close contacts that rest.
void take_instant(Step& step, const State& state, Instant& instant) {
  instant.set_joint_loads(state.joint_loads);
  instant.take(set_to_instant(step, state), step.contacts.points(), step.inputs,
               {.solve = step.options.tolerance, .has_stick_speed = true});
}

}  // namespace

bool solve_start(Step& step, const State& state, Instant& instant) {
  take_instant(step, state, instant);
  const bool found = instant.solve().status == Status::ok;
  if (!found) {
    instant.open_contacts();
    static_cast<void>(instant.solve());
  }
  set_instant(step, instant);
  return found;
}

bool settle_start(Step& step, const State& state, double h, Instant& instant) {
  take_instant(step, state, instant);
  if (!instant.hold_what_stops(state.memory.head(step.system.n_u()), h)) return false;
  if (instant.solve().status != Status::ok) return false;
  set_instant(step, instant);
  return true;
}

std::vector<int> find_unresolved(const Step& step, const State& state, double h) {
  std::vector<int> bodies;
  ElementDerivatives derivatives(step.system, step.rows);
  derivatives.set_forces({state.t, state.q, state.u, step.x.a, state.q, state.u}, state.inputs);
  for (std::size_t k = 0; k < step.rows.blocks().size(); ++k) {
    const int index = static_cast<int>(k);
    if (!derivatives.touched(index)) continue;
    const VelocityBlock& block = step.rows.blocks()[k];
    const auto of_block = [&](const double* x) { return Eigen::Map<const RowMatrix>(x, block.n_u, block.n_u); };
    const RowMatrix change = h * of_block(derivatives.dh_du(index)) + h * h * of_block(derivatives.dh_dv(index));
    for (int b = block.first_body; b < block.first_body + block.n_bodies; ++b) {
      const Body& body = step.system.bodies()[b];
      if (body.n_u == 0) continue;
      const int at = body.u_offset - block.u_offset;
      const Matrix response = step.system.inverse_mass(b) * change.block(at, at, body.n_u, body.n_u);
      if (response.diagonal().cwiseAbs().sum() > 1.0) bodies.push_back(b);  // a diagonal has no units
    }
  }
  return bodies;
}

void set_joints(Step& step, const State& state) {
  step.t_end = state.t;
  step.q = state.q;
  step.u = state.u;
  for (StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::joint) step.rows.calc_rates(e, state.t, state.q, state.u);
  }
}

}  // namespace stickslip::generalized_alpha
