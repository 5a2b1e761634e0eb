// SPDX-License-Identifier: BSD-3-Clause
// The laws of friction in Newton's system.
#include <algorithm>
#include <array>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/newton_system.h"

namespace stickslip::generalized_alpha {
/// Turns rows of friction in sliding into their law (138), (142), and scales all rows to lengths.
void NewtonSystem::apply_laws(const Step& step, const Group& group, const StepElement& e) {
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  const double h = step.h;
  for (int set = 0; set < e.n_sets; ++set) slide_set(step, group, e, set);
  const auto scale_row = [&](int i, double factor) {
    for (int j = 0; j < group.width; ++j) row(i)[j] *= factor;
    rhs_[i] *= factor;
  };
  std::array<double, kMaxElementDim> by_velocity;  // [-], or [1/kg] where the row is that of a multiplier
  std::array<double, kMaxElementDim> by_acceleration;
  by_velocity.fill(1.0);
  by_acceleration.fill(1.0);
  for (int set = 0; set < e.n_sets; ++set) {
    const FrictionSet& rows = e.friction[set];
    for (int i = rows.first; i < rows.first + rows.n; ++i) {
      if (!e.states[set].stick) by_velocity[i] = e.diagonal[i];
      if (!e.states[set].stick_acceleration) by_acceleration[i] = e.diagonal[i];
    }
  }
  for (int i = 0; i < group.n_vel; ++i) scale_row(vel + i, h * by_velocity[i]);
  for (int i = 0; i < group.n_acc; ++i) scale_row(acc + i, h * h * by_acceleration[i]);
}

/// The laws of one friction set of an element where it slides: on E_sl and D_sl (142), then on D_sl (138).
void NewtonSystem::slide_set(const Step& step, const Group& group, const StepElement& e, int set) {
  const FrictionState& state = e.states[set];
  const int n = e.friction[set].n;
  const int first = e.friction[set].first;
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  const bool has_normal = e.kind == ConstraintElement::Kind::contact;
  if (group.n_acc > 0 && !state.stick_acceleration) {
    const bool has_restitution = e.restitution(first) != 0.0;
    Sliding s;
    s.radius = friction_radius_acceleration(e, set, has_normal ? step.x.lambda(e.offset) : 0.0);
    s.target = acc + first;
    s.normal = has_normal ? acc : -1;
    s.multiplier = step.x.lambda.data() + e.offset + first;
    s.direction = e.direction_acceleration.data() + first;
    s.size = state.size_acceleration;
    if (state.stick) {
      s.source = acc + first;
      s.in_argument = acc + first;
      s.r = r_friction(step, e, set);
      s.value = e.gamma_dot.data() + first;
    } else {
      s.source = vel + first;
      s.in_argument = has_restitution ? -1 : vel + first;
      s.r = has_restitution ? 1.0 : r_friction(step, e, set);
      s.value = e.xi.data() + first;
    }
    if (!state.stick && s.in_argument >= 0) s.argument_stretch = &state.stretch;
    slide(group, n, e.friction_of(set), s);
  }
  if (group.n_vel > 0 && !state.stick) {
    Sliding s;
    s.radius = friction_radius(step, e, set, has_normal ? step.P(e.offset) : 0.0);
    s.target = vel + first;
    s.source = vel + first;
    s.in_argument = vel + first;
    s.normal = has_normal ? vel : -1;
    s.multiplier = step.P.data() + e.offset + first;
    s.direction = e.direction.data() + first;
    s.size = state.size;
    s.r = r_friction(step, e, set);
    s.value = e.xi.data() + first;
    s.value_stretch = &state.stretch;
    slide(group, n, e.friction_of(set), s);
  }
}

/// Linearises p + radius n = 0 with n = y / |y|, y = r A x - C z: x the quantity whose rows start at `source`, z the
/// multiplier in the argument, A and C the stretches or 1, radius = mu p_N (or a constant), T = I - n n^T:
///   dp + mu n dp_N + c T (r A dx - C dz) = -(p + radius n),   c = max(radius, 0) / |y|.
void NewtonSystem::slide(const Group& group, int n, double mu, const Sliding& s) {
  const int width = group.width;
  const int own = group.own - group.row;  // from a column to its place in the rows
  const double c = n > 1 && s.size > 0.0 ? std::max(s.radius, 0.0) / s.size : 0.0;
  for (int i = 0; i < n; ++i) {
    double* out = sliding_.data() + static_cast<std::size_t>(i) * width;
    std::fill_n(out, width, 0.0);
    double right = -(s.multiplier[i] + s.radius * s.direction[i]);
    if (c > 0.0) {
      std::array<double, kMaxElementDim> by_value;  // row i of c T A, and of c T C
      std::array<double, kMaxElementDim> by_argument;
      for (int j = 0; j < n; ++j) {
        by_value[j] = by_argument[j] = c * ((i == j ? 1.0 : 0.0) - s.direction[i] * s.direction[j]);
      }
      if (s.value_stretch != nullptr) s.value_stretch->apply(by_value.data());
      if (s.argument_stretch != nullptr) s.argument_stretch->apply_inverse(by_argument.data());
      for (int j = 0; j < n; ++j) {
        const double* x = row(s.source + j);
        for (int k = 0; k < width; ++k) out[k] += by_value[j] * s.r * x[k];
        right += by_value[j] * s.r * (rhs_[s.source + j] + s.value[j]);
        if (s.in_argument >= 0) out[own + s.in_argument + j] -= by_argument[j] * scale_[s.in_argument + j];
      }
    }
    out[own + s.target + i] += scale_[s.target + i];
    if (s.normal >= 0) out[own + s.normal] += mu * s.direction[i] * scale_[s.normal];
    sliding_rhs_[i] = right;
  }
  for (int i = 0; i < n; ++i) {
    std::copy_n(sliding_.data() + static_cast<std::size_t>(i) * width, width, row(s.target + i));
    rhs_[s.target + i] = sliding_rhs_[i];
  }
}

}  // namespace stickslip::generalized_alpha
