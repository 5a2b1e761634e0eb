// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// Whether the momentum of each body changes in a step by what acts on it: an independent check, from the state before
/// the step and the velocities, percussions and forces at its end. It does not use the unknowns U and Lambda.
///
/// Exact: (71), (73), (95) and M U = W Lambda of (127) leave
///
///   M (u' - u) = dt M [(1 - gamma) abar + gamma abar'] + W' (P - dt [(1 - gamma) lambdabar + gamma lambdabar']),
///
/// to the tolerance of velocities, and the round-off of what acts:
///
///   dt |h'|, dt |M a|, dt |M a'| and |W_e P_e| of each contact, joint and dry friction,
///   with |y| = sqrt(y^T M^-1 y / m).
///
/// Forces and averages beyond that allow nothing more: they may have grown without bound.
///
/// Gross: with M a = h + W lambda at both ends the averages of a and lambda belong together, and what is left of them
/// is the mean force,
///
///   M (u' - u) - dt h' - W' P = dt [(1 - gamma) (M abar - W' lambdabar) + gamma (M abar' - W' lambdabar') - h'].
///
/// It is as small as forces and directions change little in a step; averages of directions that are no more are an
/// impulse that nothing made. So what of it the averages of elements can have made, at most their
/// sum_e dt |W_e [(1 - gamma) lambdabar_e + gamma lambdabar_e']|, is no more than what acts, the tolerance of
/// velocities and a thousandth of the speed of the body; without impulses that sum is part of what acts. Without
/// elements abar is the average of a as published, which fades over some steps where a load ends.
class MomentumBalance {
 public:
  explicit MomentumBalance(const System& system);

  struct Worst {
    int body = -1;
    double off = 0.0;  // [-] over what is allowed
  };

  /// The body that is off most of those that are not balanced, -1 where all are. `start`: the state that the step set
  /// out from, with its memory as the step took it.
  int find_unbalanced(const Step& step, const State& start);
  /// The body whose exact balance is off most, the first whose is not a number.
  Worst find_exact(const Step& step, const State& start);
  /// The body whose gross balance is off most, right after find_exact() or find_unbalanced(), which asks for it only
  /// where averages are larger than what is allowed.
  Worst find_gross(const Step& step, const State& start);
  /// Whether the kinetic energy at the end and what elastic energy has gained are more than ten times what the step can
  /// have made of: both at its start, the energy of the accelerations and of gravity over the step, the work of what
  /// acts from outside [J], what bodies of prescribed motion do to springs, and the tolerance of velocities. All
  /// equations of a step hold there, too, where a step that does not resolve the motion of something stiff has several
  /// solutions. Over all bodies: one that has much energy excuses others. Right after find_unbalanced().
  bool gains_energy(const Step& step, const State& start, double work);
  /// Whether springs and dampers make energy that the step does not resolve: the energy at the end, `end`, is more than
  /// that before it and what acts from outside and contacts put in, by a thousandth of what moves and is stretched; or
  /// the ledger says that dampers take a hundredth of it more than is lost. Right after find_unbalanced().
  bool makes_elastic_energy(const Step& step, const State& start, const EnergyLedger& end) const;
  /// M^-1 W' P of the step, likewise. (n_u) [m/s]
  const Vector& response() const { return response_; }

 private:
  void add_elements(const Step& step);

  Vector free_;                   // (n_u) [m/s^2] M^-1 h', or a
  Vector off_, response_;         // (n_u) [m/s]
  std::vector<double> acts_;      // (n bodies) [m/s]
  std::vector<double> averages_;  // (n bodies) [m/s] of elements
  std::vector<double> allowed_;   // (n bodies) [m/s] of the gross balance
  double mass_ = 0.0;             // [kg] of all that moves
  double slack_ = 0.0;            // [J] of the tolerance of velocities
};

}  // namespace stickslip::generalized_alpha
