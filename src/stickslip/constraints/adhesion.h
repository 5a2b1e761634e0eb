// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The attraction of pairs of shapes whose law has adhesion: constant while the gap of the pair, the least of its
/// points, is at most the range, in equal shares at the points within it, along their normals.
class Adhesion {
 public:
  explicit Adhesion(const System& system);

  /// Whether a law has any.
  bool exists() const { return reach_ > 0.0; }
  /// The largest range. [m]
  double reach() const { return reach_; }
  /// force (n_u) [N, N m] += what it does at `points`, of which those of two shapes follow each other.
  void add_forces(const BodySnapshot& at, const std::vector<ContactPoint>& points, Vector& force);

 private:
  struct Within {
    std::size_t point;
    ContactGeometry geometry;
  };
  void pull_together(const BodySnapshot& at, const std::vector<ContactPoint>& points, double adhesion, Vector& force);

  const System& system_;
  double reach_ = 0.0;          // [m]
  std::vector<Within> within_;  // points of two shapes within the range
};

}  // namespace stickslip
