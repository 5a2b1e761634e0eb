// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/undetermined_forces.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/start.h"

namespace stickslip::generalized_alpha {
namespace {

using Part = ShortestInCones::Part;
static_assert(kMaxElementDim <= ShortestInCones::kMostColumns);

double weight_of(double diagonal) {
  return diagonal > 0.0 && std::isfinite(diagonal) ? diagonal : 1.0;
}

/// (dim) The multipliers of a contact that slides over its normal one: by the law, as these may be no more than
/// round-off, which the shortest ones are a large multiple of. value: its multipliers, at the start, where nothing else
/// says which way it slides; else null.
void set_direction(const StepElement& e, const double* value, const double* direction, double* over_normal) {
  over_normal[0] = 1.0;
  double size = 0.0;
  for (int i = 1; i < e.dim && value != nullptr; ++i) size = std::hypot(size, value[i]);
  for (int i = 1; i < e.dim; ++i) {
    if (value == nullptr) {
      over_normal[i] = -e.mu * direction[i];
    } else {
      over_normal[i] = size > 0.0 ? e.mu * value[i] / size : 0.0;
    }
  }
}

/// A distance between limits has no rows of its own. Forces that more than two bodies exchange, of gears and couplings,
/// stay as they are, and so do those of contacts with moments, whose friction is no single cone.
bool is_candidate(const StepElement& e) {
  return e.n_touches > 0 && e.dim > 0 && e.n_sets < 2 && e.is_between_two();
}

}  // namespace

UndeterminedForces::UndeterminedForces(const Step& step, ForceChoice contacts)
    : all_(contacts == ForceChoice::least_norm), shortest_(step.stop) {
  joint_is_left_.assign(step.system.joints().size(), 0);
  node_of_body_.assign(step.system.bodies().size(), -1);
  // The memory for all that the scene names, closed.
  if (step.system.joints().empty() && !all_) return;
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (is_candidate(e)) candidates_.push_back(make_member(step, static_cast<int>(k)));
  }
  find_members(step);
  has_candidates_ = false;
}

/// An element with multipliers on all its rows.
UndeterminedForces::Member UndeterminedForces::make_member(const Step& step, int element) const {
  const StepElement& e = step.elements[element];
  const auto body = [&](int side) { return e.sides()[side].touch < 0 ? -1 : e.sides()[side].body; };
  Member member{element, e.dim, {body(0), body(1)}, false, -1};
  if (e.kind == ConstraintElement::Kind::joint) member.joint = e.index;
  if (e.kind == ConstraintElement::Kind::dry_friction) member.joint = step.system.dry_frictions()[e.index].joint;
  if (e.kind == ConstraintElement::Kind::contact) member.joint = step.rows.point(e).joint;
  member.is_own = e.kind != ConstraintElement::Kind::joint && member.joint >= 0;
  return member;
}

/// The elements that have multipliers of their own, by the index sets of the step.
void UndeterminedForces::find_candidates(const Step& step, Multiplier which) {
  candidates_.clear();
  const Vector& value = which == Multiplier::percussion ? step.P : step.x.lambda;
  double sum = 0.0;
  int n_contacts = 0;
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (!is_candidate(e)) continue;
    Member member = make_member(step, static_cast<int>(k));
    if (e.kind != ConstraintElement::Kind::joint && which == Multiplier::start && !all_)
      continue;  // directions are not known
    if (e.kind == ConstraintElement::Kind::dry_friction) {
      if (!(which == Multiplier::force ? e.states[0].stick_acceleration : e.sticks())) continue;
    } else if (e.kind == ConstraintElement::Kind::contact) {
      if (e.level < (which == Multiplier::force ? Level::acceleration : Level::velocity)) continue;
      const bool sticks =
          e.dim > 1 && e.mu > 0.0 && (which == Multiplier::force ? e.states[0].stick_acceleration : e.sticks());
      sum += e.diagonal[0];
      ++n_contacts;
      if (!sticks && !(value(e.offset) > 0.0)) continue;
      if (!sticks) member.n_columns = 1;
    }
    candidates_.push_back(member);
  }
  contact_weight_ = n_contacts > 0 ? weight_of(sum / n_contacts) : 1.0;
}

/// Takes away the edges of nodes that have but one.
void UndeterminedForces::strip_leaves(int n_nodes) {
  const auto node = [](int body) { return body + 1; };
  degree_.assign(n_nodes, 0);
  sum_.assign(n_nodes, 0);
  is_left_.assign(candidates_.size(), 0);
  const auto count = [&](int edge, int change) {
    for (const int body : candidates_[edge].bodies) {
      degree_[node(body)] += change;
      sum_[node(body)] += std::int64_t{change} * edge;
    }
  };
  const int n = static_cast<int>(candidates_.size());
  for (int edge = 0; edge < n; ++edge) {
    if (candidates_[edge].is_own) continue;
    is_left_[edge] = 1;
    count(edge, 1);
  }
  for (int first = 1; first < n_nodes; ++first) {
    for (int at = first; at > 0 && degree_[at] == 1;) {
      const auto edge = static_cast<int>(sum_[at]);
      is_left_[edge] = 0;
      count(edge, -1);
      at = node(candidates_[edge].bodies[0]) + node(candidates_[edge].bodies[1]) - at;
    }
  }
  std::ranges::fill(joint_is_left_, 0);
  for (int edge = 0; edge < n; ++edge) {
    const Member& member = candidates_[edge];
    if (is_left_[edge] != 0 && member.joint >= 0) joint_is_left_[member.joint] = 1;
  }
  for (int edge = 0; edge < n; ++edge) {
    const Member& member = candidates_[edge];
    if (member.is_own) is_left_[edge] = joint_is_left_[member.joint];
  }
}

/// Of what is left, the parts in which there is a joint. Forces are exchanged through bodies that move.
void UndeterminedForces::keep_with_joints(int n_nodes) {
  components_.reset(static_cast<std::size_t>(n_nodes));
  has_joint_.assign(n_nodes, 0);
  const auto part = [&](const Member& member) {
    return components_.find(1 + std::max(member.bodies[0], member.bodies[1]));
  };
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const auto [a, b] = candidates_[k].bodies;
    if (is_left_[k] != 0 && a >= 0 && b >= 0) components_.join(a + 1, b + 1);
  }
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (is_left_[k] != 0 && candidates_[k].joint >= 0) has_joint_[part(candidates_[k])] = 1;
  }
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (is_left_[k] != 0 && has_joint_[part(candidates_[k])] == 0) is_left_[k] = 0;
  }
}

void UndeterminedForces::find_members(const Step& step) {
  if (has_candidates_ && candidates_ == last_) return;
  has_candidates_ = false;  // until the structure is whole: it may be interrupted
  const int n_nodes = static_cast<int>(step.system.bodies().size()) + 1;
  strip_leaves(n_nodes);
  if (!all_) keep_with_joints(n_nodes);
  members_.clear();
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (is_left_[k] != 0) members_.push_back(candidates_[k]);
  }
  set_structure(step);
  last_ = candidates_;
  has_candidates_ = true;
}

void UndeterminedForces::set_structure(const Step& step) {
  std::ranges::fill(node_of_body_, -1);
  dims_.clear();
  parts_.clear();
  for (const Member& member : members_) {
    Part part;
    part.dim = member.n_columns;
    for (int s = 0; s < 2; ++s) {
      const int body = member.bodies[s];
      if (body < 0) continue;
      if (node_of_body_[body] < 0) {
        node_of_body_[body] = static_cast<int>(dims_.size());
        dims_.push_back(step.system.bodies()[body].n_u);
      }
      part.nodes[s] = node_of_body_[body];
    }
    const StepElement& e = step.elements[member.element];
    if (e.kind == ConstraintElement::Kind::contact) part.kind = Part::Kind::cone;
    if (e.kind == ConstraintElement::Kind::dry_friction) part.kind = Part::Kind::ball;
    parts_.push_back(part);
  }
  weights_.resize(members_.size());
  directions_.resize(members_.size());
  if (!members_.empty()) shortest_.set_structure(dims_, parts_);
}

/// m by row; of contacts that slide the direction of their forces.
void UndeterminedForces::set_weights(const Step& step, Multiplier which) {
  const Vector& value = which == Multiplier::percussion ? step.P : step.x.lambda;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const StepElement& e = step.elements[members_[k].element];
    std::array<double, kMaxElementDim>& m = weights_[k];
    switch (e.kind) {
      case ConstraintElement::Kind::joint:
        for (int i = 0; i < e.dim; ++i) m[i] = weight_of(e.diagonal[i]);
        break;
      case ConstraintElement::Kind::dry_friction: {
        double sum = 0.0;
        for (int i = 0; i < e.dim; ++i) sum += e.diagonal[i];
        m.fill(weight_of(sum / e.dim));
        shortest_.part(k).size =
            std::sqrt(m[0]) * (which == Multiplier::percussion ? friction_radius(step, e, 0, 0.0) : e.bound);
        break;
      }
      case ConstraintElement::Kind::contact:
        m.fill(contact_weight_);
        shortest_.part(k).size = e.mu;
        if (members_[k].n_columns > 1) break;
        set_direction(e, which == Multiplier::start ? value.data() + e.offset : nullptr,
                      which == Multiplier::force ? e.direction_acceleration.data() : e.direction.data(),
                      directions_[k].data());
        break;
    }
  }
}

/// A and y_0: sqrt(m) lambda by row, along the direction of a contact that slides its length in that norm.
void UndeterminedForces::set_values(const Step& step, Multiplier which) {
  const Vector& value = which == Multiplier::percussion ? step.P : step.x.lambda;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& member = members_[k];
    const StepElement& e = step.elements[member.element];
    const bool is_along = e.kind == ConstraintElement::Kind::contact && member.n_columns == 1;
    double length = 0.0;  // [1/kg^1/2] of the direction
    if (is_along) {
      for (int i = 0; i < e.dim; ++i) length += weights_[k][i] * directions_[k][i] * directions_[k][i];
      length = std::sqrt(length);
      shortest_.value(k)[0] = length * value(e.offset);
    } else {
      for (int i = 0; i < e.dim; ++i) shortest_.value(k)[i] = std::sqrt(weights_[k][i]) * value(e.offset + i);
    }
    for (int s = 0; s < 2; ++s) {
      const int of_body = member.bodies[s];
      if (of_body < 0) continue;
      const ConstraintElement::SideRange& side = e.sides()[s];
      const ConstraintElement::Touch& touch = e.touches()[side.touch];
      const VelocityBlock& block = step.rows.blocks()[touch.block];
      const Body& body = step.system.bodies()[of_body];
      const int shift = block.u_offset + side.u_offset - body.u_offset;
      double* rows = shortest_.block(k, s);
      std::fill_n(rows, member.n_columns * body.n_u, 0.0);
      for (int i = 0; i < e.dim; ++i) {
        const double* w = step.rows.W() + touch.values + static_cast<std::size_t>(i) * block.n_u + side.u_offset;
        const double factor = is_along ? directions_[k][i] / length : 1.0 / std::sqrt(weights_[k][i]);
        double* row = rows + (is_along ? 0 : i * body.n_u) + shift;
        for (int c = 0; c < side.n_u; ++c) row[c] += factor * w[c];
      }
    }
  }
}

/// Whether contacts keep kappa_hat >= 0 (129). Lambda moves by dLambda with W dLambda = 0, so R3 of (127), which has
/// dt/2 W_F Lambda_F, is balanced by dkappa = dt/2 dLambda_N (others may do, too): where forces change, dLambda = -dt
/// gamma' dlambda,
///   dkappa_hat = dt^2 (beta' - gamma' / 2) dlambda_N,
/// and where percussions do, dt/2 dP_N. To the tolerance of positions.
bool UndeterminedForces::keeps_position_law(const Step& step, Multiplier which) {
  if (which == Multiplier::start) return true;
  const bool of_forces = which == Multiplier::force;
  const double factor = of_forces ? step.beta_step() - 0.5 * step.h * step.gamma_step() : 0.5 * step.h;
  const Vector& value = of_forces ? step.x.lambda : step.P;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const StepElement& e = step.elements[members_[k].element];
    if (e.kind != ConstraintElement::Kind::contact || e.n_pos == 0) continue;
    const double kappa_hat = step.kappa_hat(e.pos_offset) + factor * (get_found(step, k, 0) - value(e.offset));
    if (-kappa_hat * e.diagonal[0] > step.measure.tolerance_position(step, e)) return false;
  }
  return true;
}

/// What was found for row i of a member, lambda or P.
double UndeterminedForces::get_found(const Step& step, std::size_t k, int i) {
  const StepElement& e = step.elements[members_[k].element];
  if (e.kind != ConstraintElement::Kind::contact || members_[k].n_columns > 1) {
    return shortest_.value(k)[i] / std::sqrt(weights_[k][i]);
  }
  double length = 0.0;
  for (int r = 0; r < e.dim; ++r) length += weights_[k][r] * directions_[k][r] * directions_[k][r];
  return shortest_.value(k)[0] / std::sqrt(length) * directions_[k][i];
}

void UndeterminedForces::write_back(Step& step, Multiplier which) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const StepElement& e = step.elements[members_[k].element];
    for (int i = 0; i < e.dim; ++i) {
      const double y = get_found(step, k, i);
      const int row = e.offset + i;
      if (which == Multiplier::percussion) {
        step.x.Lambda(row) += y - step.P(row);
        step.P(row) = y;
      } else {
        // P stays what it is.
        if (which == Multiplier::force) step.x.Lambda(row) += step.gamma_step() * (step.x.lambda(row) - y);
        step.x.lambda(row) = y;
      }
    }
  }
}

bool UndeterminedForces::settle(Step& step, Multiplier which) {
  if (step.system.joints().empty() && !all_) return true;
  find_candidates(step, which);
  find_members(step);
  if (members_.empty()) return true;
  set_weights(step, which);
  set_values(step, which);
  bool found = shortest_.solve();
  if (found && shortest_.has_changed() && !keeps_position_law(step, which)) {
    found = false;
    set_values(step, which);
  }
  if (!found && !shortest_.solve(true)) return false;
  if (shortest_.has_changed()) write_back(step, which);
  return found;
}

bool UndeterminedForces::settle_forces(Step& step) {
  return settle(step, Multiplier::force);
}

void UndeterminedForces::settle_percussions(Step& step) {
  if (all_) static_cast<void>(settle(step, Multiplier::percussion));
}

void UndeterminedForces::settle_start(Step& step, const State& state) {
  set_joints(step, state);
  for (StepElement& e : step.elements) {
    if (!all_ || e.kind == ConstraintElement::Kind::joint) continue;
    if (e.kind == ConstraintElement::Kind::contact) {
      if (e.level < Level::velocity) continue;
      step.rows.calc_gap(e, state.t, state.q, state.u);
    }
    step.rows.calc_rates(e, state.t, state.q, state.u);
  }
  static_cast<void>(settle(step, Multiplier::start));
}

}  // namespace stickslip::generalized_alpha
