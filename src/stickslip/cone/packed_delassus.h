// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/base/prefetch.h"
#include "stickslip/cone/cone.h"
#include "stickslip/cone/sweep_memory.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The Delassus operator W = J M^-1 J^T of contacts in three dimensions between rigid bodies, and between these and
/// fixed ones, from their directions and arms in the world frame: 104 bytes a contact and 56 a body, where the rows of
/// J alone take 288 bytes a contact. Block row i has the rows
///   u_i = (n . dv, t . dv, (n x t) . dv),   dv = v_2 + w_2 x r_2 - v_1 - w_1 x r_1,
/// r the arms from the centres of mass, or the first of them alone. A body's velocity unknowns are (v, w), six in a
/// row.
class PackedDelassus {
 public:
  static constexpr bool kSymmetricPattern = true;
  static constexpr int kDim = 3;
  static constexpr int kBodyRows = 6;
  static constexpr int kFixed = -1;

  struct Body {
    double inverse_mass;                    // [1/kg]
    std::array<double, 6> inverse_inertia;  // [1/(kg m^2)] about the centre of mass: xx, xy, xz, yy, yz, zz
  };
  struct Contact {
    Vector3 normal, tangent;        // (3) [-] from first to second
    Vector3 arm_first, arm_second;  // (3) [m] from the centres of mass
    int first, second;              // bodies, or kFixed
  };

  /// Forgets bodies and contacts; keeps the memory. dim: the rows of a contact from now on, kDim or 1.
  void clear(int dim = kDim);
  int dim() const { return dim_; }
  int add_body(double inverse_mass, const Matrix3& inverse_inertia);
  /// Appends block row i = number of rows so far. At least one of its bodies moves.
  void add_contact(const Contact& contact) {
    STICKSLIP_ASSERT(contact.first != contact.second && contact.first < n_bodies() && contact.second < n_bodies());
    append(contacts_, contact);
  }

  int n_bodies() const { return static_cast<int>(bodies_.size()); }
  const Contact& contact(int i) const { return contacts_[i]; }
  const Body& body(int k) const { return bodies_[k]; }
  /// The trace of the three rows' W_ii, from arms and inertias alone. [1/kg]
  double calc_trace(int i) const;

  /// u_i += J_i v; momentum += J_i^T p_i. u_i, p_i (dim); v, momentum (6 n_bodies).
  void add_relative_velocity(int i, const double* v, double* u) const;
  void add_momentum(int i, const double* p, double* momentum) const;

  /// In a loop over contacts, at the i-th: prefetches values of the second bodies of contacts some way ahead, of_bodies
  /// (6 n_bodies), which lie anywhere in memory; first bodies are in order.
  [[gnu::always_inline]] void prefetch_ahead(int i, const double* of_bodies) const {
    const int body = second_ahead(i);
    if (body != kFixed) prefetch(*reinterpret_cast<const std::array<double, kBodyRows>*>(of_bodies + kBodyRows * body));
  }
  /// The same of their masses.
  [[gnu::always_inline]] void prefetch_ahead(int i) const {
    const int body = second_ahead(i);
    if (body != kFixed) prefetch(bodies_[body]);
  }

  /// Row r of J_i over the velocities of a body, and the same times M^-1. (6) [-, m], [1/kg, 1/(kg m)]
  struct BodyRow {
    std::array<double, kBodyRows> momentum, velocity;
  };
  BodyRow row_of(int i, int body, int r) const;

  // --- DelassusKind
  int n_rows() const { return static_cast<int>(contacts_.size()); }
  std::size_t work_size() const { return kBodyRows * bodies_.size(); }
  void apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const;
  void calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const;
  void calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const;
  void prepare_row(std::span<const Cone> cones, int i, SweepMemory& memory, double* diagonal_block) const;
  void start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const;
  void add_relative_velocity(std::span<const Cone> cones, int i, const double* p, const SweepMemory& memory,
                             double* u) const;
  void add_velocity(std::span<const Cone> cones, int i, const double* dp, SweepMemory& memory) const;
  bool calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& memory, double* block) const;
  int n_keys() const { return n_bodies(); }
  template <class F>
  void for_each_left_key(int i, F&& f) const {
    if (contacts_[i].first != kFixed) f(contacts_[i].first);
    if (contacts_[i].second != kFixed) f(contacts_[i].second);
  }
  template <class F>
  void for_each_right_key(int i, F&& f) const {
    for_each_left_key(i, f);
  }
  template <class BlockOf>
  void fill_row(std::span<const Cone> /*cones*/, int i, std::span<const int> columns, std::vector<double>& /*scratch*/,
                BlockOf&& block_of) const {
    for (const int j : columns) calc_product(i, j, block_of(j));
  }

 private:
  int second_ahead(int i) const {
    const std::size_t ahead = static_cast<std::size_t>(i) + kPrefetchDistance;
    return ahead < contacts_.size() ? contacts_[ahead].second : kFixed;
  }
  void calc_velocities(std::span<const Cone> cones, const double* p, double* v) const;
  bool calc_product(int i, int j, double* block) const;

  int dim_ = kDim;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

}  // namespace stickslip
