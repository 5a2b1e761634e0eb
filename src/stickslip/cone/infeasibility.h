// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The proof that a cone problem has no solution, under either law.
///
/// Problem: do percussions p exist, whatever their sign and friction, with u = W p + b, u_N >= 0 on contacts and u = 0
/// on free rows? Every solution has such velocities. Method: minimise 1/2 |y|^2, y the violation, y_N = max(0, -u_N)
/// and y = -u on free rows (least squares; projected Newton steps [Bertsekas1982]), unless W p = -b has a solution on
/// these rows, which a sparse solve shows sooner. At the minimum W^T y = 0, and if y
/// is not zero then y . u = y . (W p + b) = y . b = -|y|^2 < 0 for every p, while a solution has y . u >= 0: Farkas'
/// lemma. Half lines without friction (an LCP w = M z + q) keep z >= 0, and then M^T y <= 0 proves the same; the matrix
/// need not be symmetric.
///
/// In floating point W^T y = g, not zero. Then y . u = g . p + y . b, and a solution must have |p| >= -y . b / |g|: the
/// proof holds for smaller percussions only. So least squares end with rank-revealing orthogonal factors in place of
/// normal equations, y is projected on the null space of W^T, and each entry of g must be as small as the round-off in
/// its column of W. Percussions that miss by less than the proof allows refute it.
struct Infeasibility {
  std::vector<double> y;   // (n) [m/s] the certificate, and the least shift of b that makes the velocities possible
  double violation = 0.0;  // [m/s] |y|_2: by so much every p misses, at least
  /// [N s] No p with |p|_2 < bound is a solution, nor of any problem whose W differs by round-off. Beyond it round-off
  /// decides.
  double bound = 0.0;
};

/// Looks for the proof. Returns nothing if there is none to working accuracy, if more than `max_rows` normal and free
/// rows would need a dense solve, or once `is_late` returns true. Nothing found proves nothing: a problem whose
/// velocities are possible may still have no solution under the exact law. Checks `stop` between factorisations, and
/// throws Interrupted.
std::optional<Infeasibility> find_infeasibility(const ConeProblem& problem, int max_rows = 1000,
                                                const std::function<bool()>& is_late = {}, const StopToken& stop = {});

/// Whether percussions p (n) [N s] with velocities u (n) [m/s] are below the proof's bound and miss by less than it
/// says of all: then the proof is wrong by round-off. It says nothing of larger percussions, whose velocities have
/// round-off as large as what they miss.
bool is_contradicted(const Infeasibility& proof, const ConeProblem& problem, std::span<const double> p,
                     std::span<const double> u);

/// b + y (n) [m/s]: the velocities of the nearest problem that may have a solution. Round-off of the sum is set to
/// zero, so that it is not all that is left to solve for.
void shift_velocities(const Infeasibility& proof, std::span<double> b);

}  // namespace stickslip
