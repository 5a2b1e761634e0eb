// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/system.h"
#include "stickslip/stepping/generalized_alpha/step.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip::generalized_alpha {

/// The local error of the generalized-alpha method in smooth motion, from its accelerations.
///
/// With steps of equal length abar_n = a_n + c h a'_n + c (am - 1/2) h^2 a''_n + O(h^3), c = am - af, solves (71):
/// abar stands for the acceleration at t_n + c h [Arnold2007]. Put into (73) and (125), with gamma = 1/2 - c,
///   e_u = h^3 a'' (-1/12 + c (1/2 - af)),      e_q = h^3 a' (1/6 - c/2 - beta),
/// what the exact motion is ahead of the step by. For rigid bodies (125) moves the quaternion along a straight line and
/// normalises it; against the rotation vector of the exact motion,
///   h w + h^2/2 w' + h^3/6 w'' + h^3/12 w x w' (Magnus), it adds   h^3 (w x w' / 12 - |w|^2 w / 24)  to e_q.
/// a' and a'' are divided differences of a_n-1, a_n, a_n+1: not abar - a, which vanishes with c for rho_inf = 1.
/// Joints and closed contacts take the parts of e_q and e_u across them away, which is not used here.
///
/// Steps of other lengths: the offset c h of abar belongs to the length of the step that made it. Before a step of
/// length h' = r h the memory is moved to abar := a + r (abar - a), lambdabar likewise, which is again an acceleration
/// at t + c h' to O(h^2): enough for local errors of O(h^3) [Bruls2008]. M a = h + W lambda makes both consistent.
class Estimate {
 public:
  explicit Estimate(const System& system) : system_(system), y_(Vector::Zero(system.n_u())) {}

  /// `before`: the state that `step` set out from, with its memory as it was.
  void calc(const State& before, const Step& step, StepEstimate& estimate);

 private:
  void add_rotation_error(const Step& step);

  const System& system_;
  Vector y_;  // (n_u) workspace
};

}  // namespace stickslip::generalized_alpha
