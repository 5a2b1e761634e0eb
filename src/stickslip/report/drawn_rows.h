// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/math/b_spline.h"
#include "stickslip/model/beam.h"
#include "stickslip/report/page_data.h"
#include "stickslip/report/result_contacts.h"

namespace stickslip {

/// The contact points of some rows, one behind the other, named and detected alike.
struct ContactList {
  std::vector<std::uint32_t> offsets = {0};  // (rows + 1) where the contacts of each row begin
  std::vector<float> point, normal, force;   // (contacts, 3)
  std::vector<float> gap, mu;                // (contacts)
  std::vector<std::uint8_t> status;          // (contacts)
  std::vector<std::int32_t> bodies;          // (contacts, 2)
  std::vector<std::int32_t> index;           // (contacts)

  /// One that is nowhere (not finite) is left out.
  void add(const ContactRecord& contact);
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
  /// The point at xi in [0, 1] of control points (n_q) [m], or its velocity of theirs [m/s].
  Eigen::Vector2d at(double xi, const double* control) const;
  /// Adds x and y [m] of each drawn point, of control points (n_q) [m].
  void sample(const double* control, std::vector<float>& curve) const;
  /// Where drawn points are, ascending. [-]
  std::vector<double> places() const;
  static double row_bytes(const BeamOptions& beam);

 private:
  BSpline spline_;
};

}  // namespace stickslip
