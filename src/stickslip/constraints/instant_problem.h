// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The laws of an Instant as one cone problem, for whoever looks at it as a whole: u = W p + b with p forces [N] and u
/// accelerations [m/s^2]. W is in full, and not symmetric where contacts slide.
struct InstantProblem {
  ConeProblem problem;
  std::vector<int> cones;    // (cones of the problem) of the Instant's constraints()
  std::vector<bool> slides;  // (cones of the problem) contacts whose friction is given by their normal force: one row
  Matrix of_problem;         // (n, n of the problem) [-] lambda = of_problem p + given, n the Instant's rows
  Vector given;              // (n) [N, N m] of dry friction that slides

  Vector calc_lambda(std::span<const double> p) const;  // (n) [N, N m]
};

/// The acceleration-level problem, gamma' against lambda (instant.h): CP1 of [Trinkle2003 eqs. 6, 17-24]. A contact
/// that slides with friction has its normal row alone, with what its friction -mu lambda_N n adds to all rows in its
/// column; on an edge of a polygon it has the row across, too, and a bound on its friction there; dry friction that
/// slides is in b. Contacts that separate, or were opened, are not in it.
InstantProblem make_acceleration_problem(const Instant& instant);

/// The problem of the relaxed laws [Kikuuwe2017 eq. 65], with zeta = `damping` [-] and delta [s]:
///
///   eta = gamma' + (2 zeta / delta) gamma + g / delta^2   in the place of gamma', for all contacts, joints and dry
///   friction alike; g are gaps and what joints are off by.
///
/// gamma' keeps what is centripetal (J' q'). With delta = h and zeta = 1/2 this is a step of the implicit Euler scheme
/// with these terms (70), whose percussions are h lambda; of a rod on its tip it is (114). Which contacts are closed is
/// the Instant's affair; their gaps and normal velocities, and what joints are off by, count as zero up to its
/// tolerances: of round-off divided by delta^2 nothing would follow. `at` and `points` are those of the Instant.
InstantProblem make_relaxed_problem(const Instant& instant, const BodySnapshot& at,
                                    const std::vector<ContactPoint>& points, double delta, double damping);

}  // namespace stickslip
