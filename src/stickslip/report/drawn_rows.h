// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/math/b_spline.h"
#include "stickslip/model/beam.h"
#include "stickslip/report/page_data.h"

namespace stickslip {

/// A contact as it is drawn.
struct DrawnContact {
  const double* point;   // (3) [m] world frame
  const double* normal;  // (3) from the first to the second body
  const double* force;   // (3) on the second body, times force_factor [N]
  double force_factor = 1.0;
  double gap = 0.0;                       // [m]
  double mu = 0.0;                        // [-] NaN: not known, no cone is drawn
  std::int64_t status = 0;                // [-] ContactStatus
  std::int64_t body_a = -1, body_b = -1;  // [-] indices of bodies
  std::int64_t index = -1;                // [-] of a named contact point; -1: detected
};

/// The contact points of some rows, one behind the other, named and detected alike.
struct ContactList {
  std::vector<std::uint32_t> offsets = {0};  // (rows + 1) where the contacts of each row begin
  std::vector<float> point, normal, force;   // (contacts, 3)
  std::vector<float> gap, mu;                // (contacts)
  std::vector<std::uint8_t> status;          // (contacts)
  std::vector<std::int32_t> bodies;          // (contacts, 2)
  std::vector<std::int32_t> index;           // (contacts)

  /// One that is nowhere (not finite) is left out.
  void add(const DrawnContact& contact);
  void end_row() { offsets.push_back(static_cast<std::uint32_t>(index.size())); }
  /// Adds contact_offset, contact_point, and so on.
  void write(PageData& data) const;
};

/// A beam as it is drawn: a few points of its centre line an element.
class BeamCurve {
 public:
  explicit BeamCurve(const BeamOptions& beam) : spline_(beam.degree, beam.elements) {}
  /// Numbers of control coordinates. [-]
  int n_q() const { return 2 * spline_.n_functions(); }
  /// Adds x and y [m] of each point, of control points (n_q) [m].
  void sample(const double* control, std::vector<float>& curve) const;
  static double row_bytes(const BeamOptions& beam);

 private:
  BSpline spline_;
};

}  // namespace stickslip
