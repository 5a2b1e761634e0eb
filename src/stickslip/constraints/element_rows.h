// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone.h"
#include "stickslip/constraints/contact_blocks.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/model/contact_rows.h"
#include "stickslip/model/joint_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Rows of one element at most: those of a contact or of a joint.
inline constexpr int kMaxElementDim = std::max(kMaxContactRows, kMaxJointDim);
static_assert(kMaxElementDim <= kMaxConeDim);

/// The bodies whose velocities are eliminated together: a contiguous range of bodies with a dense iteration matrix.
/// One body in general; bodies that springs couple, and small mechanisms, share a block.
struct VelocityBlock {
  int first_body = 0, n_bodies = 0;
  int u_offset = 0, n_u = 0;
  int q_offset = 0, n_q = 0;
  std::size_t matrix = 0;  // first value of its (n_u, n_u) matrices
};

/// One friction set of an element: its rows `first` to first + n - 1, and how their multipliers are bounded.
struct FrictionSet {
  int first = 0, n = 0;
  bool turns = false;  // spinning or rolling: by the normal force itself, as their rows have the lever
  double norm = 0.0;   // [1/kg] bound of the largest eigenvalue of G over its rows
};

/// One contact, joint or dry friction: `dim` rows of W^T on velocity and acceleration level, the first n_pos of them
/// also on position level (the normal; those of a joint that hold positions; none of a dry friction).
struct ConstraintElement {
  enum class Kind : unsigned char { contact, dry_friction, joint };
  Kind kind = Kind::contact;
  int index = 0;                           // point of the ContactFinder, dry friction or joint of the System
  int dim = 0;                             // rows
  int n_pos = 0;                           // rows on position level
  int offset = 0;                          // first row on velocity level
  int pos_offset = 0;                      // first row on position level
  int n_angle_rows = 0;                    // the last rows: of joints, their limits and friction
  double mass = 0.0;                       // [kg] of the lighter body
  double mu = 0.0;                         // [-] contact, of its sliding
  double mu_turning = 1.0;                 // [-] contact, of spinning and rolling in their rows
  double bound = 0.0;                      // [N] dry friction
  double e_normal = 0.0, e_tangent = 0.0;  // [-] restitution

  /// The velocity blocks it acts on, one or two but for gears and couplings, and the sides (first, second) in them.
  struct Touch {
    int block = 0;
    std::size_t values = 0;  // first value of the (dim, n_u of the block) arrays: W^T and M^-1 W
  };
  std::array<Touch, 2> own_touches;
  std::span<const Touch> all_touches;  // where these are more
  int n_touches = 0;
  std::span<const Touch> touches() const {
    return all_touches.empty() ? std::span(own_touches).first(n_touches) : all_touches;
  }
  struct SideRange {
    int touch = -1;             // index into touches(); -1: does not move
    int u_offset = 0, n_u = 0;  // columns, in the block
    int n_q = 0;
    int body = 0;
  };
  std::array<SideRange, 2> own_sides;
  std::span<const SideRange> all_sides;  // those of a gear or a coupling: those that move first
  std::span<const SideRange> sides() const { return all_sides.empty() ? std::span(own_sides) : all_sides; }

  /// Sliding (of a contact always, even of no rows), spinning and rolling; all of a dry friction; none of a joint.
  std::array<FrictionSet, kMaxFrictionSets> friction;
  int n_sets = 0;

  // Where it was evaluated last.
  bool evaluated = false;                             // W and what follows are up to date
  std::array<double, kMaxElementDim> gap = {};        // (n_pos) [m]
  std::array<double, kMaxElementDim> gamma = {};      // (dim) [m/s]
  std::array<double, kMaxElementDim> gamma_dot = {};  // (dim) [m/s^2] = W^T a + zeta
  std::array<double, kMaxElementDim> zeta = {};       // (dim) [m/s^2]
  std::array<double, kMaxElementDim> diagonal = {};   // (dim) [1/kg] of G = W^T M^-1 W
  std::array<double, kMaxElementDim> coupling = {};   // (dim) [1/kg] of a contact: G_NF, by row
  ContactGeometry geometry;                           // contacts

  /// Angle rows become lengths by the lever 1 / sqrt(G m). [m, 1]
  double lever(int row) const {
    const bool known = diagonal[row] > 0.0;  // not yet where it is open
    return row < dim - n_angle_rows || !known ? 1.0 : 1.0 / std::sqrt(diagonal[row] * mass);
  }
  /// Whether the bodies of two sides, the same or two, are all that it moves.
  bool is_between_two() const { return all_sides.size() < 3 || all_sides[2].touch < 0; }
  /// Joins the bodies that it moves.
  void join(DisjointSets& bodies) const {
    const SideRange* before = nullptr;
    for (const SideRange& side : sides()) {
      if (side.touch < 0) continue;
      if (before != nullptr) bodies.join(before->body, side.body);
      before = &side;
    }
  }
  /// Of a row of a contact: e_T of sliding, none of turning. [-]
  double restitution(int row) const {
    if (row == 0) return e_normal;
    return row < friction[0].first + friction[0].n ? e_tangent : 0.0;
  }
  bool has_restitution() const { return e_normal != 0.0 || e_tangent != 0.0; }
  /// Radius of a friction set of a contact over the normal force. [-]
  double friction_of(int set) const { return friction[set].turns ? mu_turning : mu; }
  double sum_of_friction() const {
    double sum = mu;
    for (int s = 1; s < n_sets; ++s) sum += friction_of(s);
    return sum;
  }
  /// Rows of spinning and rolling, the last ones.
  int n_turning() const {
    int n = 0;
    for (int s = 1; s < n_sets; ++s) n += friction[s].n;
    return n;
  }
  void drop_friction() { mu = mu_turning = bound = 0.0; }
  /// The friction sets as a cone problem has them; of a contact. (n, at most kMaxFrictionSets)
  std::size_t get_blocks(std::array<FrictionBlock, kMaxFrictionSets>& blocks) const {
    std::size_t n = 0;
    for (int s = 0; s < n_sets; ++s) {
      if (friction[s].n > 0) blocks[n++] = {friction[s].n, friction_of(s), 0, 0.0};
    }
    return n;
  }
};

/// Rows and kinematics of constraints one by one, for schemes that evaluate them at many iterates of a step and mostly
/// need some of them only; ConstraintSet gathers all at once, at one instant. Vectors of the system are (n_u), (n_q).
class ElementRows {
 public:
  /// Finds the velocity blocks. Both must outlive this; elements that are contacts are points of `contacts`.
  ElementRows(const System& system, const ContactFinder& contacts, StopToken stop = {});

  const std::vector<VelocityBlock>& blocks() const { return blocks_; }
  /// Index of the velocity block of a body, -1 where it does not move.
  int block_of(int body) const { return block_of_body_[body]; }
  /// Where a body's range has its columns in the rows of an element that acts on it.
  ConstraintElement::SideRange side_of(const ConstraintElement& e, const DofRange& range) const;

  // --- layout: elements are numbered as they are added
  ConstraintElement add_contact(int index);
  ConstraintElement add_dry_friction(int index);
  ConstraintElement add_joint(int index);
  /// drop_others() drops all elements added after keep_added().
  void keep_added();
  void drop_others();
  int n_rows() const { return n_rows_; }
  int n_pos() const { return n_pos_; }
  int n_kept_rows() const { return kept_rows_; }

  // --- kinematics at (t, q, u)
  const ContactPoint& point(const ConstraintElement& contact) const { return contacts_.points()[contact.index]; }
  /// The gap of a contact.
  void calc_gap(ConstraintElement& e, double t, const Vector& q, const Vector& u);
  /// W, M^-1 W, what follows from them, and gamma; of a contact right after calc_gap.
  void calc_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u);
  /// zeta, and gamma_dot with accelerations a; right after calc_rates.
  void calc_accelerations(ConstraintElement& e, double t, const Vector& q, const Vector& u, const Vector& a) const;
  /// gamma (dim) of a contact, alone: leaves e and its rows as they are.
  void calc_velocity(const ConstraintElement& e, double t, const Vector& q, const Vector& u, double* gamma);
  /// tau (dim) in gamma = W^T u + tau; false, and zero, where a contact or joint has no prescribed motion on either
  /// side.
  bool calc_prescribed_velocity(const ConstraintElement& e, double t, const Vector& q, double* tau) const;

  // --- products
  /// W^T and M^-1 W of all elements: rows (dim, n_u of the block) from Touch::values on, zero but for the bodies of
  /// the element.
  const double* W() const { return W_.data(); }
  const double* MinvW() const { return MinvW_.data(); }
  std::size_t n_values() const { return W_.size(); }
  /// W^T y. result (dim)
  void multiply_transposed(const ConstraintElement& e, const Vector& y, double* result) const;
  /// y += W p. p (dim)
  void add_force(const ConstraintElement& e, const double* p, Vector& y) const;
  /// y += M^-1 W p.
  void add_response(const ConstraintElement& e, const double* p, Vector& y) const;
  /// W_e^T M^-1 W_f of one row of each. [1/kg]
  double calc_coupling(const ConstraintElement& e, int row_e, const ConstraintElement& f, int row_f) const;

 private:
  void make_blocks();
  /// Whether ContactRows serve, and not the geometry of the contact: by what touches there now.
  bool has_rows(const ConstraintElement& contact) const { return has_contact_rows(system_, point(contact)); }
  ConstraintElement place(ConstraintElement e, const DofRange& first, const DofRange& second);
  ConstraintElement place_coupling(ConstraintElement e, const Joint& joint);
  void begin_place(ConstraintElement& e) const;
  void end_place(const ConstraintElement& e);
  std::size_t add_values(const ConstraintElement& e, int block);
  void calc_contact_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u);
  void calc_dry_friction_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u);
  void calc_joint_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u);
  template <class FillJacobian>
  void set_directions(const ConstraintElement& e, FillJacobian&& fill);
  /// The columns of a body in the rows of an element.
  struct BodyColumns {
    int body;
    std::size_t values;  // of the first row, in W_ and MinvW_
    int stride;          // to the next row
    int n;               // n_u of the body
    int u_offset;        // of the body, in vectors of the system
  };
  template <class Function>
  void for_bodies(const ConstraintElement& e, const Function& function) const;
  void add_transposed(const ConstraintElement& e, const std::vector<double>& rows, const double* p, Vector& y) const;
  void calc_responses(ConstraintElement& e);

  const System& system_;
  const ContactFinder& contacts_;
  StopToken stop_;
  std::vector<VelocityBlock> blocks_;
  std::vector<int> block_of_body_;  // (n bodies)
  int n_rows_ = 0, n_pos_ = 0;
  int kept_rows_ = 0, kept_pos_ = 0;
  std::size_t kept_values_ = 0;
  std::vector<double> W_;      // W^T, rows (dim, n_u of the block) of each touch
  std::vector<double> MinvW_;  // M^-1 W, likewise
  ContactRows contact_rows_;   // of the contact that calc_gap was last asked for, where it has such rows
  JointRows joint_rows_;
  std::deque<std::vector<ConstraintElement::Touch>> touches_;    // of gears and couplings
  std::deque<std::vector<ConstraintElement::SideRange>> sides_;  // likewise
  Vector rest_;                                                  // (n_u) zero
};

}  // namespace stickslip
