// SPDX-License-Identifier: BSD-3-Clause
// The derivatives that GeneralizedAlphaNewton needs, over velocities: of forces by block, of elements by row.
#include <algorithm>

#include "stickslip/stepping/generalized_alpha_newton.h"

namespace stickslip {
namespace {

/// Y (rows, n_u; stride) += X B(q_start), X (rows, n_q of the body) an Eigen expression.
template <class X>
void add_times_coordinate_map(const GeneralizedAlphaStep& step, int index, const X& x, double* y, int stride) {
  const Body& body = step.system.bodies()[index];
  // x may be of a part of a beam.
  const int straight = static_cast<int>(x.cols()) - (has_quaternion(body.type) ? 4 : 0);
  for (int i = 0; i < x.rows(); ++i) {
    double* yi = y + i * stride;
    for (int j = 0; j < straight; ++j) yi[j] += x(i, j);
    if (!has_quaternion(body.type)) continue;
    // d e' / d omega = 1/2 [-v^T; e0 I + v^]
    const double* e = step.q_start().data() + body.q_offset + 3;
    const double p[4] = {x(i, 3), x(i, 4), x(i, 5), x(i, 6)};
    yi[3] += 0.5 * (-e[1] * p[0] + e[0] * p[1] + e[3] * p[2] - e[2] * p[3]);
    yi[4] += 0.5 * (-e[2] * p[0] - e[3] * p[1] + e[0] * p[2] + e[1] * p[3]);
    yi[5] += 0.5 * (-e[3] * p[0] + e[2] * p[1] - e[1] * p[2] + e[0] * p[3]);
  }
}

}  // namespace

void GeneralizedAlphaNewton::calc_derivatives(const GeneralizedAlphaStep& step) {
  std::fill(touched_.begin(), touched_.end(), 0);
  std::fill(damped_.begin(), damped_.end(), 0);
  std::fill(H_u_.begin(), H_u_.end(), 0.0);
  std::fill(K_.begin(), K_.end(), 0.0);
  add_force_derivatives(step);
  for (const Group& group : groups_) {
    step.stop.check();
    add_element_derivatives(step, step.elements[group.element]);
  }
}

void GeneralizedAlphaNewton::add_force_derivatives(const GeneralizedAlphaStep& step) {
  if (!force_blocks_.empty()) step.system.calc_force_derivatives(step.t_end, step.q, step.u, force_blocks_);
  for (std::size_t k = 0; k < force_blocks_.size(); ++k) {
    add_force_block(step, force_blocks_[k], force_block_owner_[k]);
  }
  if (step.inputs.empty()) return;
  step.system.calc_input_derivatives(step.inputs, step.t_end, step.q, step.u, input_blocks_);
  for (const ForceBlock& part : input_blocks_) {
    // What couples two blocks is left out, as of elements.
    const int index = step.block_of(part.row.body);
    if (step.block_of(part.col.body) == index) add_force_block(step, part, index);
  }
}

void GeneralizedAlphaNewton::add_force_block(const GeneralizedAlphaStep& step, const ForceBlock& part, int index) {
  const VelocityBlock& block = step.blocks[index];
  const std::size_t at = block.matrix + static_cast<std::size_t>(part.row.u_offset - block.u_offset) * block.n_u +
                         part.col.u_offset - block.u_offset;
  touched_[index] = 1;
  if (part.over_u.size() > 0) damped_[index] = 1;
  for (int i = 0; i < part.over_u.rows(); ++i) {
    for (int j = 0; j < part.over_u.cols(); ++j) H_u_[at + i * block.n_u + j] += part.over_u(i, j);
  }
  if (part.over_q.size() > 0) add_times_coordinate_map(step, part.col.body, part.over_q, K_.data() + at, block.n_u);
}

/// Puts the derivatives of one contact or joint, over the coordinates of its two sides, in their places.
template <class GapQ, class Derivatives>
void GeneralizedAlphaNewton::spread(const GeneralizedAlphaStep& step, const StepElement& e, const GapQ& gap_q,
                                    const Derivatives& d) {
  int q_begin = 0;
  int u_begin = 0;
  for (const StepElement::SideRange& side : e.sides) {
    if (side.touch >= 0) {
      const StepElement::Touch& touch = e.touches[side.touch];
      const VelocityBlock& block = step.blocks[touch.block];
      const int n = block.n_u;
      const std::size_t at = touch.values + side.u_offset;
      add_times_coordinate_map(step, side.body, gap_q.middleCols(q_begin, side.n_q), gap_v_.data() + at, n);
      add_times_coordinate_map(step, side.body, d.gamma_q.middleCols(q_begin, side.n_q), xi_v_.data() + at, n);
      add_times_coordinate_map(step, side.body, d.gamma_dot_q.middleCols(q_begin, side.n_q), gamma_dot_v_.data() + at,
                               n);
      for (int i = 0; i < e.dim; ++i) {
        for (int j = 0; j < side.n_u; ++j) gamma_dot_u_[at + i * n + j] += d.gamma_dot_u(i, u_begin + j);
      }
      // Rows of the sides in the same block; what couples two blocks is left out: O(dt^2 lambda / (m rho)).
      int row_begin = 0;
      for (const StepElement::SideRange& other : e.sides) {
        if (other.touch == side.touch) {
          const auto part = d.force_q.block(row_begin, q_begin, other.n_u, side.n_q);
          if (!part.isZero(0.0)) {
            touched_[touch.block] = 1;
            add_times_coordinate_map(step, side.body, part,
                                     K_.data() + block.matrix + other.u_offset * n + side.u_offset, n);
          }
        }
        row_begin += other.n_u;
      }
    }
    q_begin += side.n_q;
    u_begin += side.n_u;
  }
}

void GeneralizedAlphaNewton::add_element_derivatives(const GeneralizedAlphaStep& step, const StepElement& e) {
  for (int t = 0; t < e.n_touches; ++t) {
    const std::size_t begin = e.touches[t].values;
    const std::size_t size = static_cast<std::size_t>(e.dim) * step.blocks[e.touches[t].block].n_u;
    for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_}) std::fill_n(y->begin() + begin, size, 0.0);
  }
  const auto force = [&](int i) { return (step.P(e.offset + i) - step.known_P(e.offset + i)) / step.gamma_step(); };
  if (e.kind == StepElement::Kind::contact) {
    ContactVector lambda = ContactVector::Zero();
    for (int i = 0; i < e.dim; ++i) lambda(i) = force(i);
    calc_contact_row_derivatives(step.system, step.point(e), step.t_end, step.q, step.u, step.x.a, lambda,
                                 derivatives_);
    spread(step, e, derivatives_.gap_q, derivatives_);
  } else {
    JointVector lambda(e.dim);
    for (int i = 0; i < e.dim; ++i) lambda(i) = force(i);
    if (e.kind == StepElement::Kind::joint) {
      calc_joint_row_derivatives(step.system, e.index, step.t_end, step.q, step.u, step.x.a, lambda,
                                 joint_derivatives_);
    } else {
      step.system.calc_dry_friction_derivatives(e.index, step.t_end, step.q, step.u, step.x.a, lambda,
                                                joint_derivatives_);
    }
    spread(step, e, joint_derivatives_.g_q.topRows(e.n_pos), joint_derivatives_);
  }
}

}  // namespace stickslip
