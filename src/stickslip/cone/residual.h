// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// How far percussions p are from solving a cone problem: the one yardstick for every solver, test
/// and benchmark. With r' = w p, w = mean(diag W) (1 where that is not positive, as in some LCPs), u = W p + b
/// recomputed from p and u^ = u + s(u):
///   absolute = |r' - P_K'(r' - u^)|_2  [m/s], the natural map in velocity units (K' is K with
///              ball radii scaled by w; cones are not changed by scaling),
///   relative = absolute / max(|b|_2, |u|_2)  (0 when both are zero), or / ConeProblem::velocity_scale where it is set.
/// Both are infinite where b or u is not finite.
struct Residual {
  double absolute = 0.0;  // [m/s]
  double relative = 0.0;  // [-]
};

/// The residual of p under the problem's own law, or under `law`. `work` is scratch memory, resized
/// as needed (no allocation once it is large enough).
Residual calc_residual(const ConeProblem& problem, std::span<const double> p, std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, std::span<const double> p);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p);

/// The residual of p where u = W p + b (n) [m/s] and w = mean(diag W) [1/kg] are known already.
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::span<const double> u, double w);

}  // namespace stickslip
