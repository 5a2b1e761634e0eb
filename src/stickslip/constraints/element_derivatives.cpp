// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/element_derivatives.h"

#include <algorithm>

#include "stickslip/math/small_matrix.h"

namespace stickslip {

ElementDerivatives::ElementDerivatives(const System& system, const ElementRows& rows)
    : system_(system), rows_(rows), force_blocks_(system.make_force_blocks()) {
  std::size_t values = 0;
  for (const VelocityBlock& block : rows.blocks()) values += static_cast<std::size_t>(block.n_u) * block.n_u;
  for (auto* y : {&dh_du_, &dh_dv_}) y->assign(values, 0.0);
  touched_.assign(rows.blocks().size(), 0);
  damped_.assign(rows.blocks().size(), 0);
}

void ElementDerivatives::set_forces(const At& at, const Inputs& inputs) {
  std::fill(touched_.begin(), touched_.end(), 0);
  std::fill(damped_.begin(), damped_.end(), 0);
  std::fill(dh_du_.begin(), dh_du_.end(), 0.0);
  std::fill(dh_dv_.begin(), dh_dv_.end(), 0.0);
  if (gap_v_.size() < rows_.n_values()) {
    for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_}) y->resize(rows_.n_values());
  }
  if (!force_blocks_.empty()) system_.calc_force_derivatives(at.t, at.q, at.u, force_blocks_);
  for (const ForceBlock& part : force_blocks_) add_force_block(at, part, rows_.block_of(part.row.body));
  if (inputs.empty()) return;
  system_.calc_input_derivatives(inputs, at.t, at.q, at.u, input_blocks_);
  for (const ForceBlock& part : input_blocks_) {
    const int index = rows_.block_of(part.row.body);
    if (rows_.block_of(part.col.body) == index) add_force_block(at, part, index);
  }
}

void ElementDerivatives::add_force_block(const At& at, const ForceBlock& part, int index) {
  const VelocityBlock& block = rows_.blocks()[index];
  const std::size_t begin = block.matrix + static_cast<std::size_t>(part.row.u_offset - block.u_offset) * block.n_u +
                            part.col.u_offset - block.u_offset;
  touched_[index] = 1;
  if (part.over_u.size() > 0) damped_[index] = 1;
  for (int i = 0; i < part.over_u.rows(); ++i) {
    for (int j = 0; j < part.over_u.cols(); ++j) dh_du_[begin + i * block.n_u + j] += part.over_u(i, j);
  }
  if (part.over_q.size() > 0) {
    add_times_coordinate_map(at.q_base, part.col.body, part.over_q, dh_dv_.data() + begin, block.n_u);
  }
}

/// Y (rows, n_u; stride) += X B(q_base), X (rows, n_q of the body) an Eigen expression.
template <class X>
void ElementDerivatives::add_times_coordinate_map(const Vector& q_base, int index, const X& x, double* y,
                                                  int stride) const {
  const Body& body = system_.bodies()[index];
  // x may be of a part of a beam.
  const int straight = static_cast<int>(x.cols()) - (has_quaternion(body.type) ? 4 : 0);
  with_size(straight, [&](auto n) {
    for (int i = 0; i < x.rows(); ++i) {
      for (int j = 0; j < n; ++j) y[i * stride + j] += x(i, j);
    }
  });
  if (!has_quaternion(body.type)) return;
  for (int i = 0; i < x.rows(); ++i) {
    double* yi = y + i * stride;
    // d e' / d omega = 1/2 [-v^T; e0 I + v^]
    const double* e = q_base.data() + body.q_offset + 3;
    const double p[4] = {x(i, 3), x(i, 4), x(i, 5), x(i, 6)};
    yi[3] += 0.5 * (-e[1] * p[0] + e[0] * p[1] + e[3] * p[2] - e[2] * p[3]);
    yi[4] += 0.5 * (-e[2] * p[0] - e[3] * p[1] + e[0] * p[2] + e[1] * p[3]);
    yi[5] += 0.5 * (-e[3] * p[0] + e[2] * p[1] - e[1] * p[2] + e[0] * p[3]);
  }
}

void ElementDerivatives::add_element(const At& at, const ConstraintElement& e, const double* force) {
  for (const ConstraintElement::Touch& touch : e.touches()) {
    const std::size_t begin = touch.values;
    const std::size_t size = static_cast<std::size_t>(e.dim) * rows_.blocks()[touch.block].n_u;
    for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_}) std::fill_n(y->begin() + begin, size, 0.0);
  }
  if (e.kind == ConstraintElement::Kind::contact) {
    ContactVector lambda = ContactVector::Zero();
    std::copy_n(force, e.dim, lambda.data());
    calc_contact_row_derivatives(system_, rows_.point(e), at.t, at.q, at.u, at.a, lambda, contact_);
    if (e.has_restitution()) {
      calc_contact_row_derivatives(system_, rows_.point(e), at.t, at.q, at.u_start, at.a, lambda, contact_at_start_);
      for (int i = 0; i < e.dim; ++i) contact_.gamma_q.row(i) += e.restitution(i) * contact_at_start_.gamma_q.row(i);
    }
    return spread(at, e, e.own_sides, contact_.gap_q, contact_);
  }
  const JointVector lambda = Eigen::Map<const Vector>(force, e.dim);
  if (e.kind == ConstraintElement::Kind::joint && system_.joints()[e.index].is_coupling()) {
    for (const JointTerm& term : system_.joints()[e.index].options.terms) {
      const Joint& joint = system_.joints()[term.joint];
      system_.calc_term_derivatives(term, at.t, at.q, at.u, at.a, lambda, joint_);
      spread(at, e, {rows_.side_of(e, joint.first), rows_.side_of(e, joint.second)}, joint_.g_q.topRows(e.n_pos),
             joint_);
    }
    return;
  }
  if (e.kind == ConstraintElement::Kind::joint) {
    calc_joint_row_derivatives(system_, e.index, at.t, at.q, at.u, at.a, lambda, joint_);
  } else {
    system_.calc_dry_friction_derivatives(e.index, at.t, at.q, at.u, at.a, lambda, joint_);
  }
  spread(at, e, e.own_sides, joint_.g_q.topRows(e.n_pos), joint_);
}

/// Adds derivatives of the rows of one element, over the coordinates of two sides, in their places.
template <class GapQ, class Derivatives>
void ElementDerivatives::spread(const At& at, const ConstraintElement& e, const Sides& sides, const GapQ& gap_q,
                                const Derivatives& d) {
  int q_begin = 0;
  int u_begin = 0;
  for (const ConstraintElement::SideRange& side : sides) {
    if (side.touch >= 0) {
      const ConstraintElement::Touch& touch = e.touches()[side.touch];
      const VelocityBlock& block = rows_.blocks()[touch.block];
      const int n = block.n_u;
      const std::size_t begin = touch.values + side.u_offset;
      const auto put = [&](const auto& x, std::vector<double>& y) {
        add_times_coordinate_map(at.q_base, side.body, x.middleCols(q_begin, side.n_q), y.data() + begin, n);
      };
      put(gap_q, gap_v_);
      put(d.gamma_q, xi_v_);
      put(d.gamma_dot_q, gamma_dot_v_);
      for (int i = 0; i < e.dim; ++i) {
        for (int j = 0; j < side.n_u; ++j) gamma_dot_u_[begin + i * n + j] += d.gamma_dot_u(i, u_begin + j);
      }
      int row_begin = 0;
      for (const ConstraintElement::SideRange& other : sides) {
        if (other.touch == side.touch) {
          const auto part = d.force_q.block(row_begin, q_begin, other.n_u, side.n_q);
          if (!part.isZero(0.0)) {
            touched_[touch.block] = 1;
            add_times_coordinate_map(at.q_base, side.body, part,
                                     dh_dv_.data() + block.matrix + other.u_offset * n + side.u_offset, n);
          }
        }
        row_begin += other.n_u;
      }
    }
    q_begin += side.n_q;
    u_begin += side.n_u;
  }
}

}  // namespace stickslip
