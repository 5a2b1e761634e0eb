// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The required accuracy of an answer, see Residual::is_within().
struct Tolerance {
  double relative = 0.0;  // [-] of max(|b|, |u|); of |b| for `missed`
  double absolute = 0.0;  // [m/s] always allowed
  /// The caller has other means: a solver may end without its last resorts, as on a problem that has no solution.
  bool may_give_up = false;
  /// Limit of iterations for this solve, if it is less than the solver's own; a proof that there is no solution is
  /// looked for all the same. Obeyed by `auto`, which gives each island of a problem and the nearest solvable problem
  /// as many, and counts the pivots of its last resorts separately.
  int most_iterations = std::numeric_limits<int>::max();
};

/// How far percussions p are from solving a cone problem, in three numbers that every solver, step, test and benchmark
/// uses. Each can be computed by hand from p, W and b (scripts/residual does so). With
///
///   u  = W p + b, recomputed from p,        u^ = u + s(u), s De Saxce's shift (cone_problem.h),
///   r' = w p, w = ConeProblem::calc_residual_scale(), the mean of W's diagonal,
///
///   absolute = |r' - P_K'(r' - u^)|_2   [m/s]   the natural map in units of velocity,
///   relative = absolute / max(|b|_2, |u|_2),
///   missed   = |(max(0, -u_N) of contacts, u of free rows)|_2   [m/s]   remaining velocities that contacts and
///              bilateral rows must not have.
///
/// K' is w K: the cones of contacts as they are, balls with their radius [N s] times w. By kind of cone the natural map
/// is
///   contact       r' - P_K(r' - u - s(u)), s = 0 under the associated law; without friction it is min(r'_N, u_N),
///   ball          r' - P_B(r' - u), B the ball of radius w R,
///   free          u.
/// With stretches, S u and S b replace u and b everywhere, also in the norms. All numbers are infinite if b or u is not
/// finite.
///
/// The natural map is zero only at solutions, but it can hide violations: with large friction a normal velocity that
/// closes the gap counts only as u_N / sqrt(1 + mu^2), and percussions of a problem without a solution can grow until
/// |u| hides their violation. So `missed` is judged too, relative to |b| alone. One weakness remains: a high speed in
/// one place loosens the tolerance in all.
struct Residual {
  double absolute = 0.0;  // [m/s]
  double relative = 0.0;  // [-] 0 where `absolute` is
  double missed = 0.0;    // [m/s]
  double size = 0.0;      // [m/s] max(|b|_2, |u|_2)
  double given = 0.0;     // [m/s] |b|_2
  double floor = 0.0;     // [m/s] ConeProblem::floor
  int worst = -1;         // [-] the cone with the largest part of `absolute`, the first that is not finite; -1: none

  /// The largest accepted `absolute`, without the floor. [m/s]
  double calc_asked(Tolerance tolerance) const { return std::max(tolerance.relative * size, tolerance.absolute); }
  /// The same as a share of |b|, for use before u is known. [-]
  double calc_share(Tolerance tolerance) const {
    return given > 0.0 ? std::max(tolerance.relative, tolerance.absolute / given) : tolerance.relative;
  }
  /// The verdict: absolute <= max(tolerance.relative max(|b|, |u|), tolerance.absolute, floor) and
  /// missed <= max(tolerance.relative |b|, tolerance.absolute, floor).
  bool is_within(Tolerance tolerance) const {
    const double least = std::max(tolerance.absolute, floor);
    return absolute <= std::max(tolerance.relative * size, least) &&
           missed <= std::max(tolerance.relative * given, least);
  }
  /// The measure that compares iterates: their violation, not relative to speeds, which make no iterate better. [m/s]
  double defect() const { return std::max(absolute, missed); }
};

/// The residual of p under the problem's own law, or under `law`. `work` is scratch memory, resized
/// as needed (no allocation once it is large enough).
Residual calc_residual(const ConeProblem& problem, std::span<const double> p, std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, std::span<const double> p);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p);

/// The residual of p where u = W p + b (n) [m/s] and w > 0 [1/kg] are known already; the problem need not have W.
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::span<const double> u, double w);

}  // namespace stickslip
