// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/generalized_alpha/newton_system.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// What rounding leaves in the residuals of a step, by the derivatives at its iterate: a stiff spring's force is known
/// to its stiffness times the round-off of its ends, the balance of a light body under a heavy one to the round-off of
/// the forces that nearly cancel on it. No iterate can be better than that.
class RoundOffBounds {
 public:
  explicit RoundOffBounds(int n_u) {
    for (Vector* y : {&force_, &percussion_, &speed_, &acceleration_, &turn_}) y->setZero(n_u);
  }
  /// Sets the round-off of bodies and elements, of those elements that the system has derivatives of.
  void set(Step& step, const NewtonSystem& system);

 private:
  void calc_motions(const Step& step);
  void calc(const Step& step, const NewtonSystem& system);
  void set_body(Step& step, int index) const;
  void set_row(Step& step, const ElementDerivatives& derivatives, StepElement& e) const;

  Vector force_, percussion_;    // (n_u) [N, N m], [N s, N m s] bounds of what each is off by, by component
  Vector speed_, acceleration_;  // (n_u) sizes of the parts that velocities and accelerations of rows are sums of
  Vector turn_;                  // (n_u) [rad/s] of the body of each
};

}  // namespace stickslip::generalized_alpha
