// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/expression.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

struct MotionError;

/// A scene's `reference`: the exact motion of bodies.
class KnownMotion {
 public:
  explicit KnownMotion(const Scene& scene);

  using Functions = std::array<Expression, 3>;
  struct Entry {
    std::string body;
    std::optional<Functions> position, velocity;  // [m], [m/s]
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// Where points of all bodies were, and how fast, at the rows of a run: centres of mass, control points of beams.
class Track {
 public:
  Track() = default;
  explicit Track(const System& system);

  /// The next row.
  void add(const State& state);
  /// From a known motion, over its bodies and all rows.
  MotionError calc_error(const KnownMotion& known) const;
  /// From a run of the same scene, over all points and the rows of both that are within `tolerance` [s] of each other.
  MotionError calc_error(const Track& other, double tolerance) const;

 private:
  struct Point {
    std::string body;
    std::size_t index;  // into System::bodies()
    int dim, q_offset, u_offset;
  };
  const double* row(const std::vector<double>& values, std::size_t k) const { return values.data() + k * width_; }

  /// Whether a point's body takes part in row k.
  bool is_there(std::size_t k, std::size_t point) const { return is_there_[k * points_.size() + point] != 0; }

  std::vector<Point> points_;
  std::size_t width_ = 0;          // [-] numbers a row
  std::vector<double> times_;      // (rows) [s]
  std::vector<char> is_there_;     // (rows, points)
  std::vector<double> positions_;  // (rows, width) [m]
  std::vector<double> speeds_;     // (rows, width) [m/s]
};

}  // namespace stickslip
