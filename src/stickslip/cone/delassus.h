// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "stickslip/cone/cone.h"
#include "stickslip/cone/factored_delassus.h"
#include "stickslip/cone/packed_delassus.h"
#include "stickslip/cone/sparse_delassus.h"
#include "stickslip/cone/stored_delassus.h"
#include "stickslip/cone/sweep_memory.h"

namespace stickslip {

/// The interface of every kind of Delassus operator: u = W p + b in block rows and columns, one for
/// each of the problem's cones. Blocks are row-major (dim_i, dim_j) [1/kg]; p, u (n) unless they belong to one cone.
template <class W>
concept DelassusKind = requires(const W& w, std::span<const Cone> cones, int i, int j, const double* p, double* out,
                                std::span<double> work, SweepMemory& memory, const SweepMemory& kept,
                                std::span<const int> columns, std::vector<double>& scratch, void (*visit)(int),
                                double* (*block_of)(int)) {
  { w.n_rows() } -> std::same_as<int>;
  // out = W p, with scratch memory of the caller (work_size()).
  { w.work_size() } -> std::same_as<std::size_t>;
  { w.apply(cones, p, out, work) } -> std::same_as<void>;
  // W_ii, and its diagonal alone.
  { w.calc_diagonal_block(cones, i, out) } -> std::same_as<void>;
  { w.calc_diagonal(cones, i, out) } -> std::same_as<void>;
  // Sweeps: prepare_row() for each row in order, which gives W_ii, too; start() with percussions p; then
  // out (dim_i) += W_i. p, and the velocity that cone i's change dp (dim_i) gives; W_ij, or false where it is zero.
  { w.prepare_row(cones, i, memory, out) } -> std::same_as<void>;
  { w.start(cones, p, memory) } -> std::same_as<void>;
  { w.add_relative_velocity(cones, i, p, kept, out) } -> std::same_as<void>;
  { w.add_velocity(cones, i, p, memory) } -> std::same_as<void>;
  { w.calc_block(cones, i, j, kept, out) } -> std::same_as<bool>;
  // The pattern: W_ij is zero unless a left key of i is a right key of j, keys in [0, n_keys()).
  { w.n_keys() } -> std::same_as<int>;
  { W::kSymmetricPattern } -> std::convertible_to<bool>;
  { w.for_each_left_key(i, visit) } -> std::same_as<void>;
  { w.for_each_right_key(i, visit) } -> std::same_as<void>;
  // Row i: adds W_ij to block_of(j), zero before, for all j in columns.
  { w.fill_row(cones, i, columns, scratch, block_of) } -> std::same_as<void>;
};

static_assert(DelassusKind<FactoredDelassus> && DelassusKind<StoredDelassus> && DelassusKind<SparseDelassus> &&
              DelassusKind<PackedDelassus>);

using Delassus = std::variant<FactoredDelassus, StoredDelassus, SparseDelassus, PackedDelassus>;

}  // namespace stickslip
