// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// How far percussions p are from solving a cone problem: the one yardstick for every solver, test
/// and benchmark. With r' = w p, w = ConeProblem::calc_residual_scale(), u = W p + b recomputed from p and
/// u^ = u + s(u):
///   absolute = |r' - P_K'(r' - u^)|_2  [m/s], the natural map in velocity units (K' is K with
///              ball radii scaled by w; cones are not changed by scaling),
///   relative = max(absolute, c / 2) / max(|b|_2, min(|u|_2, 1e3 |b|_2)), c = |max(0, -u_N)|_2 over the contacts, but
///              at least |m|_2 / (2 |b|_2), m = max(0, -u_N) of contacts and |u| of free rows, each less its round-off
///              16 eps (sqrt(W_ii) sum_j sqrt(W_jj) |p_j| + |b_i|) (nothing less above |u| = 1e6 |b|)
///              (divided by |u|_2 where b = 0, undivided where u = 0, too; by ConeProblem::velocity_scale where that
///              is set, and then by nothing else).
///              at least eps |w_i p_i|_2 / |b|_2, w_i the mean of the diagonal of W_ii, where that is above 1 (and
///              above ConeProblem::floor over |b|_2), zero where neither absolute nor missed is above
///              ConeProblem::floor.
///   missed   = |(max(0, -u_N) of contacts, u of free rows)|_2  [m/s], what percussions leave of the velocities that
///              contacts and bilateral rows must not have, round-off included.
/// Where the problem has stretches, S u and S b stand for u and b throughout. All are infinite where b or u is not
/// finite. The worst cone is that with the largest part of `absolute`; of the first that is not finite where one is
/// not.
///
/// The natural map is zero at solutions alone, but where a contact slides under the exact law it sees a normal velocity
/// that closes the gap only as c / sqrt(1 + sum of mu_b^2): u^ - (r' - P_K'(r' - u^)) is in K* (Moreau's
/// decomposition), to which u^ has at least that distance. So c / 2 counts for itself; it is below `absolute` as long
/// as mu <= sqrt(3). And percussions of a problem without a solution may grow without bound until |u| hides what is
/// violated, hence the bound by |b|. It is no law: a body squeezed out of a wedge of angle e is 2 / e times as fast as
/// what closes, and below e = 2e-3 is judged more strictly than by its own speed. What must not be missed at all, by
/// contacts that close and bilateral rows, is judged by |b| alone, as far as round-off in W p lets it be seen. Where
/// that is all of b, nothing is seen, and percussions without bound pass for a solution by chance. And b
/// itself may be all round-off: of two bodies that fly together at 1 m/s, held by one joint more than they need, it is
/// 1e-16 m/s, and percussions that solve for it to ten digits mean nothing and need not exist.
struct Residual {
  double absolute = 0.0;   // [m/s]
  double relative = 0.0;   // [-]
  double unfloored = 0.0;  // [-] `relative` as if there were no floor: by what iterates compare
  double speed = 0.0;      // [m/s] max(|b|_2, |u|_2), or ConeProblem::velocity_scale
  double missed = 0.0;     // [m/s]
  int worst = -1;          // [-] index of the worst cone; -1 where `absolute` is zero
};

/// The residual of p under the problem's own law, or under `law`. `work` is scratch memory, resized
/// as needed (no allocation once it is large enough).
Residual calc_residual(const ConeProblem& problem, std::span<const double> p, std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::vector<double>& work);
Residual calc_residual(const ConeProblem& problem, std::span<const double> p);
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p);

/// The residual of p where u = W p + b (n) [m/s] and w [1/kg] are known already; the problem need not have W.
Residual calc_residual(const ConeProblem& problem, FrictionLaw law, std::span<const double> p,
                       std::span<const double> u, double w);

}  // namespace stickslip
