// SPDX-License-Identifier: BSD-3-Clause
// The laws of friction in Newton's system.
#include <algorithm>
#include <array>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/newton_system.h"

namespace stickslip::generalized_alpha {
/// Turns rows of friction in sliding into their law, and scales all rows to lengths.
void NewtonSystem::apply_laws(const Step& step, const Group& group, const StepElement& e) {
  const int n = e.n_friction();
  const int first = e.first_friction();
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  const double h = step.h;
  const bool friction = e.kind != ConstraintElement::Kind::joint;
  const int has_normal = e.kind == ConstraintElement::Kind::contact ? 1 : 0;
  if (friction && group.n_acc > 0 && !e.stick_acceleration) {
    Sliding s;
    const double normal_force = has_normal ? step.x.lambda(e.offset) : 0.0;
    s.radius = friction_radius_acceleration(e, normal_force);
    s.target = acc + first;
    s.normal = has_normal ? acc : -1;
    s.multiplier = step.x.lambda.data() + e.offset + first;
    s.direction = e.direction_acceleration.data();
    s.size = e.friction_size_acceleration;
    if (e.stick) {
      s.source = acc + first;
      s.in_argument = acc + first;
      s.r = r_friction(step, e);
      s.value = e.gamma_dot.data() + first;
    } else {
      s.source = vel + first;
      s.in_argument = e.e_tangent == 0.0 ? vel + first : -1;
      s.r = e.e_tangent == 0.0 ? r_friction(step, e) : 1.0;
      s.value = e.xi.data() + first;
    }
    if (!e.stick && s.in_argument >= 0) s.argument_stretch = &e.stretch;
    slide(group, n, e.mu, s);
  }
  if (friction && group.n_vel > 0 && !e.stick) {
    Sliding s;
    s.radius = friction_radius(step, e, has_normal ? step.P(e.offset) : 0.0);
    s.target = vel + first;
    s.source = vel + first;
    s.in_argument = vel + first;
    s.normal = has_normal ? vel : -1;
    s.multiplier = step.P.data() + e.offset + first;
    s.direction = e.direction.data();
    s.size = e.friction_size;
    s.r = r_friction(step, e);
    s.value = e.xi.data() + first;
    s.value_stretch = &e.stretch;
    slide(group, n, e.mu, s);
  }
  const auto scale_row = [&](int i, double factor) {
    for (int j = 0; j < group.width; ++j) row(i)[j] *= factor;
    rhs_[i] *= factor;
  };
  for (int i = 0; i < group.n_vel; ++i) {
    scale_row(vel + i, friction && i >= first && !e.stick ? h * e.diagonal[i] : h);
  }
  for (int i = 0; i < group.n_acc; ++i) {
    scale_row(acc + i, friction && i >= first && !e.stick_acceleration ? h * h * e.diagonal[i] : h * h);
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
