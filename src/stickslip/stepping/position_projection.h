// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/velocity_step.h"

namespace stickslip {

/// Whether a scheme on velocities puts positions right at the end of each step; automatic: where joints hold positions,
/// contacts are detected or their points vary.
enum class Projection : int { automatic = 0, off = 1, on = 2 };

/// The cap on the velocity at which overlaps, and joints that are off, are corrected where nothing else is said. [m/s,
/// rad/s]
inline constexpr double kCorrectionSpeed = 1.0;

/// Whether it does in this system.
bool is_on(Projection projection, const System& system);

/// The cap for a contact point: its pair's, else that of detected contacts, else `of_scheme`. [m/s]
double correction_speed_of(const System& system, const ContactPoint& point, double of_scheme);

/// Puts positions right that a scheme on velocities leaves off by O(h^2) in each step: the nearest ones, in the metric
/// of the masses, at which joints hold and nothing overlaps,
///
///   q+ = q + B(q) d,   M d = J^T p,   g + J d = 0 of joints,   0 <= p_N perpendicular to gap + J_N d >= 0,
///
/// repeated until they do: Newton's method, each step a cone problem without friction in the same Delassus operator.
/// Prescribed motions are met as they are at that time. Velocities stay as they are. What is off by more than
/// the cap on the correction velocity times the step is put right in several time steps.
class PositionProjection {
 public:
  /// system and solver must outlive this. correction_speed [m/s, rad/s]: that of the scheme.
  PositionProjection(const System& system, ConeSolver& solver, double correction_speed, StopToken stop);

  /// Of coordinates q, where a step of length h ended with the bodies `at`, which follow. Works with the constraints
  /// and the solution of the step, which are done with. Contacts that overlap and were not gathered in it are about to
  /// collide, and those that part fast enough to be right after another step have bounced: they come no nearer.
  /// Positions that cannot be put right, as those of a body that is squeezed, stay as they are. Returns the potential
  /// energy that this puts in. [J]
  ///
  /// Where the step admits overlaps (VelocityStep::admitted_overlap()) nothing is done while none is deeper; those that
  /// are held then become half of that, and the problem is solved to the tolerance of the step.
  double project(double h, VelocityStep& step, Vector& q, BodySnapshot& at);

 private:
  void correct(double off, double h, VelocityStep& step, Vector& q, BodySnapshot& at);
  /// Largest violation of positions over its tolerance; up to 1 they are right. Notes which overlaps are stuck.
  double calc_off(const BodySnapshot& at, const std::vector<ContactPoint>& points);
  bool give_up_stuck();
  double calc_tolerance(const BodySnapshot& at, int body_a, int body_b) const;
  bool set_targets(ConstraintSet& constraints, const std::vector<ContactPoint>& points, double h) const;
  double calc_left(const ContactPoint& point) const;

  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  double correction_speed_;  // [m/s, rad/s]
  BodySizes sizes_;
  enum class Held : char { no, yes, stuck };
  std::vector<char> moves_;        // (bodies)
  std::vector<Held> held_;         // (points) whether its overlap is put right; stuck: the last step did not halve it
  std::vector<double> gaps_;       // (points) [m] of those held
  double admitted_ = 0.0;          // [-] overlap that the step admits, of the smaller body's size
  double linear_tolerance_ = 0.0;  // [-] relative to what is off
  double deepest_ = 0.0;           // [m, rad] the largest violation that calc_off() saw
  double finest_ = 0.0;            // [m, rad] the least tolerance that calc_off() judged by
  Vector force_, displacement_;    // (n_u)
  Vector q_before_;                // (n_q)
};

}  // namespace stickslip
