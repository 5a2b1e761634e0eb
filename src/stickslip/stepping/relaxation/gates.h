// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/relaxation/relaxation.h"

namespace stickslip {

/// Gaps up to this part of the smaller body are closed where the contact is approaching: what is left of the search for
/// the instant at which they are zero; at the start of a run of positions of scenes, which are rounded. [-]
inline constexpr double kClosedGap = 1e-13;
inline constexpr double kClosedAtStart = 1e-9;

/// The contacts of a step, and which of them take part: by their gates, or, as printed, by how near they are.
class RelaxationGates {
 public:
  /// The system must outlive this.
  RelaxationGates(const RelaxationOptions& options, const System& system, StopToken stop);

  ContactFinder& contacts() { return contacts_; }
  const std::vector<ContactPoint>& points() const { return contacts_.points(); }
  std::size_t count() const { return count_; }  // of the points of the step
  const BodySizes& sizes() const { return sizes_; }

  /// What touches at the start of a run; nothing takes part yet.
  void find_touching(const BodySnapshot& start);
  /// The points of a step. `on`: those whose gates are on, sorted; none of them where there are no gates.
  void find(const BodySnapshot& start, double t_end, std::span<const ElementId> on);
  /// Switches on what is closed there; whether there was something.
  bool meet(const BodySnapshot& at, double closed, bool approaching);
  void switch_on(std::size_t point) { takes_part_[point] = 1; }
  void switch_off(std::size_t point) { takes_part_[point] = 0; }
  /// [m] The gap up to which a point is closed.
  double touching(std::size_t point) const;
  bool takes_part(std::size_t point) const { return takes_part_[point] != 0; }
  /// Sets activations by the law as printed, for a step of length h from `start`.
  void set_reaches(const BodySnapshot& start, double h);

  /// Activations by the gates: gaps are no matter where one is on, so that rows are the same in all of a part.
  void open();
  std::span<const double> activations() const { return activations_; }  // (points) [m]
  /// [m] Of what takes no part; infinite where there is none.
  double calc_least_gap(const BodySnapshot& at) const;

 private:
  const RelaxationOptions options_;
  const System& system_;
  StopToken stop_;
  ContactFinder contacts_;
  BodySizes sizes_;
  double attraction_;  // [m] up to which contacts attract, beside those that touch
  std::size_t count_ = 0;
  std::vector<char> takes_part_;     // (points)
  std::vector<double> activations_;  // (points) [m]
};

}  // namespace stickslip
