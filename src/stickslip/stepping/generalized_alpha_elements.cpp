// SPDX-License-Identifier: BSD-3-Clause
// The kinematics of GeneralizedAlphaStep's elements: by hand where the model has that, else through the system.
#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {

void GeneralizedAlphaStep::calc_directions(StepElement& e, double t, const Vector& coordinates) {
  for (int s = 0; s < 2; ++s) {
    const StepElement::SideRange& side = e.sides[s];
    if (side.touch < 0) continue;
    const StepElement::Touch& touch = e.touches[side.touch];
    const int n = blocks[touch.block].n_u;
    Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>> rows(W.data() + touch.values + side.u_offset, e.dim, side.n_u,
                                                        Eigen::OuterStride<>(n));
    if (e.kind == StepElement::Kind::contact) {
      system.calc_contact_jacobian(point(e), e.geometry, coordinates, static_cast<Side>(s), rows);
    } else {
      system.calc_dry_friction_jacobian(e.index, t, coordinates, static_cast<Side>(s), rows);
    }
  }
  calc_responses(e);
}

/// M^-1 W and what of W^T M^-1 W is needed.
void GeneralizedAlphaStep::calc_responses(StepElement& e) {
  std::array<double, kMaxElementDim * kMaxElementDim> G;  // (dim, dim) its upper half
  std::fill_n(G.begin(), e.dim * e.dim, 0.0);
  for (int k = 0; k < e.n_touches; ++k) {
    const StepElement::Touch& touch = e.touches[k];
    const VelocityBlock& block = blocks[touch.block];
    const double* w = W.data() + touch.values;
    double* y = MinvW.data() + touch.values;
    for (int b = 0; b < block.n_bodies; ++b) {
      const Body& body = system.bodies()[block.first_body + b];
      const int column = body.u_offset - block.u_offset;
      const double* inverse = system.inverse_mass(block.first_body + b).data();
      for (int i = 0; i < e.dim; ++i) {
        const int at = i * block.n_u + column;
        set_product(body.n_u, body.n_u, inverse, w + at, y + at);
      }
    }
    with_size(block.n_u, [&](auto n) {
      for (int i = 0; i < e.dim; ++i) {
        for (int j = i; j < e.dim; ++j) {
          for (int c = 0; c < n; ++c) G[i * e.dim + j] += w[i * n + c] * y[j * n + c];
        }
      }
    });
  }
  for (int i = 0; i < e.dim; ++i) e.diagonal[i] = G[i * e.dim + i];
  e.norm_friction = 0.0;
  for (int i = e.first_friction(); i < e.dim; ++i) {
    double sum = 0.0;
    for (int j = e.first_friction(); j < e.dim; ++j) sum += std::abs(G[std::min(i, j) * e.dim + std::max(i, j)]);
    e.norm_friction = std::max(e.norm_friction, sum);
  }
  if (e.kind != StepElement::Kind::contact) return;
  for (int i = 1; i < e.dim; ++i) e.coupling[i - 1] = G[i];
}

void GeneralizedAlphaStep::calc_velocity(const StepElement& e, double t, const Vector& coordinates,
                                         const Vector& velocity, double* gamma) const {
  if (e.kind == StepElement::Kind::contact) {
    const ContactVector g = system.calc_contact_velocity(point(e), e.geometry, t, coordinates, velocity);
    std::copy_n(g.data(), e.dim, gamma);
  } else {
    JointVector g;
    system.calc_dry_friction_velocity(e.index, t, coordinates, velocity, g);
    std::copy_n(g.data(), e.dim, gamma);
  }
}

void GeneralizedAlphaStep::calc_acceleration_bias(StepElement& e) {
  if (e.kind == StepElement::Kind::contact && !e.has_rows) {
    const ContactVector z = system.calc_contact_acceleration_bias(point(e), t_end, q, u);
    std::copy_n(z.data(), e.dim, e.zeta.begin());
  } else if (e.kind == StepElement::Kind::dry_friction) {
    JointVector z;
    system.calc_dry_friction_acceleration_bias(e.index, t_end, q, u, z);
    std::copy_n(z.data(), e.dim, e.zeta.begin());
  }
}

bool GeneralizedAlphaStep::calc_prescribed_velocity(const StepElement& e, double t, const Vector& coordinates,
                                                    double* tau) const {
  std::fill_n(tau, e.dim, 0.0);
  if (e.kind == StepElement::Kind::contact) {
    if (!system.has_prescribed_motion(point(e))) return false;
    ContactGeometry geometry;
    system.calc_contact(point(e), t, coordinates, geometry);
    const ContactVector g = system.calc_contact_velocity(point(e), geometry, t, coordinates, no_velocity_);
    std::copy_n(g.data(), e.dim, tau);
  } else if (e.kind == StepElement::Kind::joint) {
    if (!system.joint_has_prescribed_motion(e.index)) return false;
    JointVector g;
    system.calc_joint_velocity(e.index, t, coordinates, no_velocity_, g);
    std::copy_n(g.data(), e.dim, tau);
  } else {
    calc_velocity(e, t, coordinates, no_velocity_, tau);
  }
  return true;
}

void GeneralizedAlphaStep::multiply_transposed(const StepElement& e, const Vector& y, double* result) const {
  std::fill_n(result, e.dim, 0.0);
  for (int k = 0; k < e.n_touches; ++k) {
    const VelocityBlock& block = blocks[e.touches[k].block];
    with_size(block.n_u, [&](auto n) {
      add_product(e.dim, n, W.data() + e.touches[k].values, y.data() + block.u_offset, result);
    });
  }
}

void GeneralizedAlphaStep::add_force(const StepElement& e, const double* p, Vector& y) const {
  for (int k = 0; k < e.n_touches; ++k) {
    const VelocityBlock& block = blocks[e.touches[k].block];
    with_size(block.n_u, [&](auto n) {
      add_transposed_product(e.dim, n, W.data() + e.touches[k].values, p, y.data() + block.u_offset);
    });
  }
}

void GeneralizedAlphaStep::add_response(const StepElement& e, const double* p, Vector& y) const {
  for (int k = 0; k < e.n_touches; ++k) {
    const VelocityBlock& block = blocks[e.touches[k].block];
    add_transposed_product(e.dim, block.n_u, MinvW.data() + e.touches[k].values, p, y.data() + block.u_offset);
  }
}

void GeneralizedAlphaStep::calc_gap(StepElement& e) {
  if (e.has_rows) {
    calc_contact_rows(system, point(e), q, u, contact_rows_);
    e.gap[0] = contact_rows_.gap;
  } else {
    system.calc_contact(point(e), t_end, q, e.geometry);
    e.gap[0] = e.geometry.gap;
  }
}

/// W, what follows from it, and xi; of a contact right after calc_gap.
void GeneralizedAlphaStep::calc_rates(StepElement& e) {
  e.evaluated = true;
  if (e.kind == StepElement::Kind::joint) return calc_joint_rates(e);
  if (e.has_rows) return calc_contact_rates(e);
  calc_directions(e, t_end, q);
  calc_velocity(e, t_end, q, u, e.xi.data());
  for (int i = 0; i < e.dim; ++i) e.xi[i] += e.gamma_start[i];
}

void GeneralizedAlphaStep::calc_contact_rates(StepElement& e) {
  for (const StepElement::SideRange& side : e.sides) {
    if (side.touch < 0) continue;
    const StepElement::Touch& touch = e.touches[side.touch];
    const int n = blocks[touch.block].n_u;
    for (int i = 0; i < e.dim; ++i) {
      std::copy_n(contact_rows_.W.data() + i * side.n_u, side.n_u, W.data() + touch.values + i * n + side.u_offset);
    }
  }
  for (int i = 0; i < e.dim; ++i) e.xi[i] = contact_rows_.gamma[i] + e.gamma_start[i];
  std::copy_n(contact_rows_.zeta.begin(), e.dim, e.zeta.begin());
  calc_responses(e);
}

/// All of a joint but gamma_dot.
void GeneralizedAlphaStep::calc_joint_rates(StepElement& e) {
  calc_joint_rows(system, e.index, t_end, q, u, joint_rows_);
  for (int s = 0; s < 2; ++s) {
    const StepElement::SideRange& side = e.sides[s];
    if (side.touch < 0) continue;
    const StepElement::Touch& touch = e.touches[side.touch];
    const int n = blocks[touch.block].n_u;
    for (int i = 0; i < e.dim; ++i) {
      double* row = W.data() + touch.values + i * n + side.u_offset;
      for (int j = 0; j < side.n_u; ++j) row[j] = joint_rows_.W[s](i, j);
    }
  }
  std::copy_n(joint_rows_.gamma.data(), e.dim, e.xi.begin());
  std::copy_n(joint_rows_.zeta.data(), e.dim, e.zeta.begin());
  if (e.n_pos > 0) std::copy_n(joint_rows_.g.data(), e.dim, e.gap.begin());
  calc_responses(e);
}

void GeneralizedAlphaStep::calc_accelerations(StepElement& e) {
  multiply_transposed(e, x.a, e.gamma_dot.data());
  calc_acceleration_bias(e);
  for (int i = 0; i < e.dim; ++i) e.gamma_dot[i] += e.zeta[i];
}

}  // namespace stickslip
