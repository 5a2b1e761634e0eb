// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "stickslip/io/result_reader.h"
#include "stickslip/math/types.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The scene that a result holds.
Scene read_scene_of(const Trajectory& result);
/// How far contacts of a scheme act before shapes touch: up to a gap [m], and by a time [s].
std::pair<double, double> verified_reach(const SchemeOptions& scheme);

/// Rows of a result, some at a time. Datasets that the file lacks are empty.
class ResultRows {
 public:
  enum Column {
    time,
    q,
    u,
    position,
    orientation,
    velocity,
    angular_velocity,
    applied_impulse,
    input_impulse,
    gap,
    point,
    normal,
    tangent,
    normal_force,
    friction_force,
    force,
    normal_impulse,
    friction_impulse,
    impulse,
    normal_percussion,
    friction_percussion,
    percussion,
    moment,
    reaction_force,
    set_end,
    n_columns
  };
  enum SetColumn {
    set_body_a,
    set_body_b,
    set_pair,
    set_gap,
    set_point,
    set_normal,
    set_percussion,
    set_shape_a,
    set_shape_b,
    set_moment,
    n_set_columns
  };

  explicit ResultRows(const Trajectory& result);

  /// Path of a column in the file.
  static const char* path(Column column);
  bool has(Column column) const { return has_[column]; }
  /// Numbers in a row of the file.
  std::int64_t width(Column column) const { return widths_[column]; }
  bool has_sets() const { return has_sets_; }
  /// Whether detected contacts say which shapes touch.
  bool has_set_shapes() const { return has_set_shapes_; }
  /// Whether they have moments of rolling and spinning.
  bool has_set_moments() const { return has_set_moments_; }
  /// Whether the scheme finds events within a step.
  bool has_events() const { return has_events_; }
  /// Whether the scheme solves each step by iterations to a tolerance, which its balances hold to.
  bool is_iterated() const { return is_iterated_; }
  /// How many rows are worth reading at once.
  std::int64_t block() const { return block_; }
  /// Whether numbers of rows are of single precision.
  bool is_single() const { return is_single_; }

  /// Reads rows first, ..., first + n - 1, which the others are then counted from.
  void load(std::int64_t first, std::int64_t n);
  std::int64_t first() const { return first_; }
  std::int64_t count() const { return count_; }

  /// Row k of a column.
  const double* row(Column column, std::int64_t k) const { return data_[column].row(k).data(); }
  Vector3 triple(Column column, std::int64_t k, std::size_t item) const {
    return Eigen::Map<const Vector3>(row(column, k) + 3 * item);
  }
  /// Detected contacts of row k: [begin, end) of the set columns.
  std::int64_t set_begin(std::int64_t k) const;
  std::int64_t set_last(std::int64_t k) const;
  const double* set(SetColumn column, std::int64_t entry) const { return sets_[column].row(entry).data(); }
  Vector3 set_triple(SetColumn column, std::int64_t entry) const {
    return Eigen::Map<const Vector3>(set(column, entry));
  }

 private:
  const Trajectory& result_;
  std::array<bool, n_columns> has_ = {};
  std::array<std::int64_t, n_columns> widths_ = {};
  bool has_sets_ = false, has_set_shapes_ = false, has_set_moments_ = false;
  bool is_iterated_ = false;
  bool has_events_ = false;
  bool is_single_ = false;
  std::int64_t block_ = 1;
  std::int64_t first_ = 0, count_ = 0;
  std::int64_t set_origin_ = 0;  // of the first row's entries in the file
  std::array<RowMatrix, n_columns> data_;
  std::array<RowMatrix, n_set_columns> sets_;
};

}  // namespace stickslip
