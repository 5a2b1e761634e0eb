// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stickslip/constraints/element_rows.h"
#include "stickslip/model/inputs.h"

namespace stickslip {

/// Derivatives of forces and constraint rows at (t, q, u) over velocities u and over motions v, by which coordinates
/// follow as q = q_known + B(q_base) v. What couples two velocity blocks is left out, of forces W lambda:
/// O(dt^2 lambda / (m rho)) in an iteration matrix.
class ElementDerivatives {
 public:
  /// Where they are taken. All must outlive the calls.
  struct At {
    double t;
    const Vector& q;        // (n_q)
    const Vector& u;        // (n_u)
    const Vector& a;        // (n_u) accelerations, in gamma_dot
    const Vector& q_base;   // (n_q) of B
    const Vector& u_start;  // (n_u) velocities that restitution acts on
  };

  ElementDerivatives(const System& system, const ElementRows& rows);

  /// Begins anew, with those of applied forces and of inputs.
  void set_forces(const At& at, const Inputs& inputs);
  /// Those of an element's rows, and of W force. force (dim) [N]
  void add_element(const At& at, const ConstraintElement& e, const double* force);

  // --- by velocity block, (n_u, n_u) row-major
  bool touched(int block) const { return touched_[block] != 0; }  // whether any is not zero
  bool damped(int block) const { return damped_[block] != 0; }    // whether dh/du is not zero
  const double* dh_du(int block) const { return dh_du_.data() + rows_.blocks()[block].matrix; }
  const double* dh_dv(int block) const { return dh_dv_.data() + rows_.blocks()[block].matrix; }  // of h + W force

  // --- in the layout of ElementRows::W
  const double* gap_v() const { return gap_v_.data(); }              // dg/dq B, rows < n_pos
  const double* xi_v() const { return xi_v_.data(); }                // d xi/dq B, xi = gamma + e gamma(t, q, u_start)
  const double* gamma_dot_u() const { return gamma_dot_u_.data(); }  // d gamma_dot/du
  const double* gamma_dot_v() const { return gamma_dot_v_.data(); }  // d gamma_dot/dq B

 private:
  void add_force_block(const At& at, const ForceBlock& part, int index);
  template <class X>
  void add_times_coordinate_map(const Vector& q_base, int body, const X& x, double* y, int stride) const;
  using Sides = std::array<ConstraintElement::SideRange, 2>;
  template <class GapQ, class Derivatives>
  void spread(const At& at, const ConstraintElement& e, const Sides& sides, const GapQ& gap_q, const Derivatives& d);

  const System& system_;
  const ElementRows& rows_;
  std::vector<char> touched_, damped_;  // (blocks)
  std::vector<double> dh_du_, dh_dv_;
  std::vector<double> gap_v_, xi_v_, gamma_dot_u_, gamma_dot_v_;
  ContactDerivatives contact_, contact_at_start_;  // at u and at u_start
  JointDerivatives joint_;
  std::vector<ForceBlock> force_blocks_, input_blocks_;
};

}  // namespace stickslip
