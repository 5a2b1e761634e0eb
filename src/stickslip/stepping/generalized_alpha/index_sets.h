// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/step.h"

/// The laws of contact and friction in the form of index sets [Capobianco2021 eqs. 129-142], at an iterate.
namespace stickslip::generalized_alpha {

/// Parameters of the prox functions. [kg]
double r_normal(const Step& step, const StepElement& e);
double r_friction(const Step& step, const StepElement& e, int set);
/// Whether a contact is in A (130). An overlap that counts as none (Measure) closes nothing: contacts that close
/// together differ by round-off, and where it makes one gap negative and one positive, one would bear the impact alone.
bool is_closed(const Step& step, const StepElement& e);
/// Radius of a friction set on velocity level [N s] and on acceleration level [N].
double friction_radius(const Step& step, const StepElement& e, int set, double normal_percussion);
double friction_radius_acceleration(const StepElement& e, int set, double normal_force);

/// Everything at step.x: motion, multipliers, kinematics, index sets, residuals, measure. Multipliers that the sets
/// exclude become zero in x. Returns measure.error().
double evaluate(Step& step);
/// The smooth equations alone, at x with the contacts' multipliers held as they are: kinematics, R1 to R3, joints.
/// Contacts are marked open, so that no method moves their multipliers. Returns the error of these equations.
double evaluate_smooth(Step& step);
/// Everything at x and its multipliers as they are, contacts closed where they bear something. Returns the error.
double evaluate_as_is(Step& step);

/// Whether a contact of A is in B and whether it sticks, by the outcome (xi, P) (dim) of a velocity level.
void classify_percussion(Step& step, StepElement& e, const double* xi, const double* percussion);
/// Makes an element closed up to a level: multipliers above are excluded, in x as well.
void exclude_above(Step& step, StepElement& e, Level level);
/// A hash of all index sets.
std::uint64_t signature(const Step& step);

/// The index sets of the iterates of a method, by their signatures.
class SetHistory {
 public:
  SetHistory() { sets_.reserve(64); }  // Newton's method has fewer iterations: steps take no memory
  void clear() { sets_.clear(); }
  /// Adds the sets of the next iterate. False: they have come back so often that they cycle.
  bool add(std::uint64_t sets);
  /// Whether the last two iterates have the same sets.
  bool stand() const { return stand_; }

 private:
  std::vector<std::uint64_t> sets_;
  bool stand_ = false;
};

/// Sets S of second-order friction, for contacts that slide before the step.
void set_stretch(Step& step, StepElement& e, const State& state);
/// Friction in an impact opposes the slip at its end, as published: drops the stretches of contacts whose impulse
/// Lambda_N is above what the normal force of the start of the step gives in it. Whether there were some.
bool drop_stretches(Step& step);

}  // namespace stickslip::generalized_alpha
