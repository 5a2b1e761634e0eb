// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The proof that a cone problem has no solution, under either law.
///
/// Problem: do percussions p exist, whatever their sign and friction, with u = W p + b, u_N >= 0 on contacts and u = 0
/// on free rows? Every solution has such velocities. Method: minimise 1/2 |y|^2, y the violation, y_N = max(0, -u_N)
/// and y = -u on free rows (least squares; projected Newton steps [Bertsekas1982]). At the minimum W^T y = 0, and if y
/// is not zero then y . u = y . (W p + b) = y . b = -|y|^2 < 0 for every p, while a solution has y . u >= 0: Farkas'
/// lemma. Half lines without friction (an LCP w = M z + q) keep z >= 0, and then M^T y <= 0 proves the same; the matrix
/// need not be symmetric.
struct Infeasibility {
  std::vector<double> y;   // (n) [m/s] the certificate, and the least shift of b that makes the velocities possible
  double violation = 0.0;  // [m/s] |y|_2
};

/// Looks for the proof; nothing where there is none to working accuracy, or where more than `max_rows` normal and free
/// rows would have to be solved with densely. Nothing found says nothing: a problem whose velocities are possible may
/// still have no solution under the exact law.
std::optional<Infeasibility> find_infeasibility(const ConeProblem& problem, int max_rows = 1000);

}  // namespace stickslip
