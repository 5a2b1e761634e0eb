// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/index_sets.h"

#include <algorithm>
#include <limits>

#include "stickslip/math/langevin.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/generalized_alpha/equations.h"
#include "stickslip/stepping/generalized_alpha/painleve.h"

namespace stickslip::generalized_alpha {
namespace {

/// r = kProxFactor / G: of the interval (0, 2) in which the prox iteration of one contact contracts, the part in which
/// a slip velocity that changes sign is not overshot. With .3 and with 1 more steps are inexact.
constexpr double kProxFactor = 0.6;  // [-]

/// x (n) becomes x / |x|; returns |x|.
double normalise(double* x, int n) {
  const double size = norm(x, n);
  if (size > 0.0) {
    for (int i = 0; i < n; ++i) x[i] /= size;
  }
  return size;
}

/// Whether a contact closes without a slip beyond round-off. It has no percussion yet, so that (139) would let it slide
/// in a direction of round-off, and a box that falls flat would be struck at one corner alone, which is a solution,
/// too.
bool closes_straight(const Step& step, const StepElement& e, int set, double size) {
  constexpr double kRoundOff = 1e-9;  // [-] of the percussion that stops it
  if (e.kind != ConstraintElement::Kind::contact || step.P(e.offset) > 0.0) return false;
  return size < kRoundOff * friction_radius(step, e, set, -r_normal(step, e) * e.xi[0]);
}

/// D_st (139), and the direction in which a friction percussion acts in sliding (138).
void classify_friction(Step& step, StepElement& e, int set) {
  FrictionState& state = e.states[set];
  const int first = e.friction[set].first;
  const int n = e.friction[set].n;
  const double r = r_friction(step, e, set);
  double* direction = e.direction.data() + first;
  double* slip = e.slip.data() + first;
  std::copy_n(e.xi.data() + first, n, direction);
  state.stretch.apply(direction);
  for (int i = 0; i < n; ++i) direction[i] = r * direction[i] - step.P(e.offset + first + i);
  std::copy_n(direction, n, slip);
  state.stretch.apply_inverse(slip);
  state.size = normalise(direction, n);
  const double radius = friction_radius(step, e, set, step.P(e.offset));
  state.stick = (radius > 0.0 && state.size <= radius) || closes_straight(step, e, set, state.size);
  if (set == 0 && step.follows_branches && e.branch >= Branch::sliding) state.stick = e.branch == Branch::stopped;
  state.slip_size = normalise(slip, n);
}

void classify_friction(Step& step, StepElement& e) {
  for (int set = 0; set < e.n_sets; ++set) classify_friction(step, e, set);
}

/// E_st (141), and the direction in which a friction force acts in sliding (140), (142).
void classify_friction_acceleration(Step& step, StepElement& e, int set) {
  FrictionState& state = e.states[set];
  const int first = e.friction[set].first;
  const int n = e.friction[set].n;
  double* direction = e.direction_acceleration.data() + first;
  state.stick_acceleration = false;
  if (state.stick) {
    const double r = r_friction(step, e, set);
    for (int i = 0; i < n; ++i) direction[i] = r * e.gamma_dot[first + i] - step.x.lambda(e.offset + first + i);
  } else if (e.restitution(first) == 0.0) {
    std::copy_n(e.slip.data() + first, n, direction);
    state.size_acceleration = state.slip_size;
    return;
  } else {
    std::copy_n(e.gamma.data() + first, n, direction);
  }
  state.size_acceleration = normalise(direction, n);
  const double radius = friction_radius_acceleration(e, set, step.x.lambda(e.offset));
  state.stick_acceleration = state.stick && radius > 0.0 && state.size_acceleration <= radius;
}

void classify_friction_acceleration(Step& step, StepElement& e) {
  for (int set = 0; set < e.n_sets; ++set) classify_friction_acceleration(step, e, set);
}

void calc_rates(Step& step, StepElement& e) {
  step.rows.calc_rates(e, step.t_end, step.q, step.u);
  calc_xi(step, e);
}

void calc_accelerations(const Step& step, StepElement& e) {
  step.rows.calc_accelerations(e, step.t_end, step.q, step.u, step.x.a);
}

/// The index sets of a contact (130), (133), (136), (139), (141).
void classify_contact(Step& step, StepElement& e) {
  e.evaluated = false;
  for (FrictionState& state : e.states) state.stick = state.stick_acceleration = false;
  e.opened_by_choice = false;
  step.rows.calc_gap(e, step.t_end, step.q, step.u);
  const double kappa = step.kappa_hat(e.pos_offset);
  bool remembers = kappa != 0.0 || step.known_kappa(e.pos_offset) != 0.0;
  for (int k = e.offset; k < e.offset + e.dim; ++k) {
    remembers |= step.known_P(k) != 0.0 || step.x.Lambda(k) != 0.0 || step.x.lambda(k) != 0.0;
  }
  if (e.gap[0] > 0.0 && !remembers) {
    e.level = Level::open;
    return;
  }
  calc_rates(step, e);
  if (!is_closed(step, e)) return exclude_above(step, e, Level::open);  // not in A (130)
  calc_accelerations(step, e);
  const bool is_left_open = step.follows_branches && e.branch == Branch::open;
  if (is_left_open || r_normal(step, e) * e.xi[0] - step.P(e.offset) > 0.0) {
    return exclude_above(step, e, Level::position);  // not in B (133)
  }
  classify_friction(step, e);
  if (r_normal(step, e) * e.gamma_dot[0] - step.x.lambda(e.offset) > 0.0) {
    return exclude_above(step, e, Level::velocity);  // not in C (136)
  }
  e.level = Level::acceleration;
  classify_friction_acceleration(step, e);
}

/// Gap, rates and accelerations of a contact.
void calc_kinematics(Step& step, StepElement& e) {
  step.rows.calc_gap(e, step.t_end, step.q, step.u);
  calc_rates(step, e);
  calc_accelerations(step, e);
}

/// A joint or a dry friction element.
void evaluate_constraint(Step& step, StepElement& e) {
  calc_rates(step, e);
  calc_accelerations(step, e);
  if (e.kind == ConstraintElement::Kind::dry_friction) {
    classify_friction(step, e);
    classify_friction_acceleration(step, e);
  }
}

/// Motion, and all elements with their multipliers; of a contact what `evaluate_contact` makes of it.
template <class Function>
void evaluate_elements(Step& step, const Function& evaluate_contact) {
  calc_motion(step);
  for (StepElement& e : step.elements) {
    step.stop.check();
    calc_multipliers(step, e);
    if (e.kind == ConstraintElement::Kind::contact) {
      evaluate_contact(e);
    } else {
      evaluate_constraint(step, e);
    }
  }
}

/// The level up to which a contact bears something.
Level find_level_as_is(const Step& step, const StepElement& e) {
  if (step.P(e.offset) > 0.0) return step.x.lambda(e.offset) > 0.0 ? Level::acceleration : Level::velocity;
  return step.kappa_hat(e.pos_offset) > 0.0 ? Level::position : Level::open;
}

/// tau in S of second-order friction, by z = mu G dt lambda_N / |gamma_F| of the start of the step: what friction takes
/// off the slip in it, over that. A step with a constant force along and across then leaves exp(-z) of a small motion
/// across the slip, as the equations of motion do: tau = (1 - L) / (1 + L) with L = coth(z/2) - 2/z. [-]
double calc_stretch(double z) {
  const double L = langevin(0.5 * z);
  return (1.0 - L) / (1.0 + L);
}

}  // namespace

double r_normal(const Step& step, const StepElement& e) {
  return step.options.r ? *step.options.r : kProxFactor / e.diagonal[0];
}

double r_friction(const Step& step, const StepElement& e, int set) {
  if (step.options.r) return *step.options.r;
  const double norm = e.friction[set].norm;
  return norm > 0.0 ? kProxFactor / (norm * (1.0 + e.states[set].stretch.tau)) : 1.0;
}

/// A (130).
bool is_closed(const Step& step, const StepElement& e) {
  const double overlap = step.measure.negligible_gap(step, e);
  return !(r_normal(step, e) * (e.gap[0] + overlap) - step.kappa_hat(e.pos_offset) > 0.0);  // nor what is not finite
}

double friction_radius(const Step& step, const StepElement& e, int set, double normal_percussion) {
  return e.kind == ConstraintElement::Kind::contact ? e.friction_of(set) * normal_percussion : e.bound * step.h;
}

double friction_radius_acceleration(const StepElement& e, int set, double normal_force) {
  return e.kind == ConstraintElement::Kind::contact ? e.friction_of(set) * normal_force : e.bound;
}

double evaluate(Step& step) {
  evaluate_elements(step, [&](StepElement& e) { classify_contact(step, e); });
  for (StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::contact && e.level >= Level::velocity) open_by_choice(step, e);
  }
  calc_residuals(step);
  step.measure.update(step);
  return step.measure.error();
}

double evaluate_smooth(Step& step) {
  evaluate_elements(step, [&](StepElement& e) {
    e.level = Level::open;
    calc_kinematics(step, e);
  });
  calc_residuals(step);
  step.measure.update_smooth(step);
  return step.measure.error();
}

double evaluate_as_is(Step& step) {
  evaluate_elements(step, [&](StepElement& e) {
    calc_kinematics(step, e);
    e.level = find_level_as_is(step, e);
    e.opened_by_choice = false;
    classify_friction(step, e);
    classify_friction_acceleration(step, e);
  });
  calc_residuals(step);
  step.measure.update(step);
  return step.measure.error();
}

bool SetHistory::add(std::uint64_t sets) {
  // Sets that come back a third time cycle: without a bound more steps are inexact.
  constexpr int kMaxVisits = 3;  // [-]
  stand_ = !sets_.empty() && sets_.back() == sets;
  const bool may_settle = stand_ || std::count(sets_.begin(), sets_.end(), sets) < kMaxVisits;
  sets_.push_back(sets);
  return may_settle;
}

void classify_percussion(Step& step, StepElement& e, const double* xi, const double* percussion) {
  if (e.kind == ConstraintElement::Kind::joint) return;
  if (e.kind == ConstraintElement::Kind::contact) {
    const bool closed = r_normal(step, e) * xi[0] - percussion[0] <= 0.0;
    e.level = closed ? Level::velocity : Level::position;
    if (!closed) return;
  }
  std::copy_n(xi, e.dim, e.xi.begin());
  std::copy_n(percussion, e.dim, step.P.data() + e.offset);
  classify_friction(step, e);
}

/// Multipliers outside their index sets are zero: kappa_hat (129), P (131), (137), lambda (134), (140).
void exclude_above(Step& step, StepElement& e, Level level) {
  e.level = level;
  if (level == Level::acceleration) return;
  for (int k = e.offset; k < e.offset + e.dim; ++k) {
    step.x.lambda(k) = 0.0;
    if (level < Level::velocity) step.P(k) = 0.0;
  }
  if (level < Level::position) step.kappa_hat(e.pos_offset) = 0.0;
  set_percussions(step, e, step.P.data() + e.offset, step.kappa_hat.data() + e.pos_offset);
}

std::uint64_t signature(const Step& step) {
  SetHash hash;
  for (const StepElement& e : step.elements) hash.add(e.signature());
  return hash.value();
}

void set_stretch(Step& step, StepElement& e, const State& state) {
  for (FrictionState& friction : e.states) friction.stretch = {};
  if (step.options.friction != GeneralizedAlphaFriction::second_order) return;
  const auto turns = [](const FrictionSet& set) { return set.n > 1; };
  if (std::none_of(e.friction.begin(), e.friction.begin() + e.n_sets, turns)) return;
  const double normal = step.start_lambda(e.offset);  // [N] of a contact
  if (e.kind == ConstraintElement::Kind::contact && !(normal > 0.0)) return;
  ConstraintElement start = static_cast<const ConstraintElement&>(e);
  if (e.kind == ConstraintElement::Kind::contact) step.rows.calc_gap(start, state.t, state.q, state.u);
  step.rows.calc_rates(start, state.t, state.q, state.u);
  for (int set = 0; set < e.n_sets; ++set) {
    const int first = e.friction[set].first;
    const int n = e.friction[set].n;
    const double radius = friction_radius_acceleration(e, set, normal);  // [N]
    if (n < 2 || !(radius > 0.0)) continue;
    double mean = 0.0;  // [1/kg]
    for (int i = 0; i < n; ++i) mean += start.diagonal[first + i] / n;
    const double loss = mean * step.h * radius;  // [m/s]
    const double speed = norm(start.gamma.data() + first, n);
    if (!(speed > std::numeric_limits<double>::epsilon() * loss)) continue;  // at rest S is 1 within round-off
    const double e_tangent = e.restitution(first);
    Stretch& stretch = e.states[set].stretch;
    stretch.dim = n;
    stretch.tau = calc_stretch(loss / speed) * (1.0 - e_tangent) / (1.0 + e_tangent);
    for (int i = 0; i < n; ++i) stretch.along[i] = start.gamma[first + i] / speed;
  }
}

bool drop_stretches(Step& step) {
  bool dropped = false;
  for (StepElement& e : step.elements) {
    const auto stretches = [](const FrictionState& state) { return state.stretch.tau != 0.0; };
    if (e.kind != ConstraintElement::Kind::contact || std::ranges::none_of(e.states, stretches)) continue;
    if (!(step.x.Lambda(e.offset) > step.h * step.start_lambda(e.offset))) continue;
    for (FrictionState& state : e.states) state.stretch = {};
    dropped = true;
  }
  return dropped;
}

}  // namespace stickslip::generalized_alpha
