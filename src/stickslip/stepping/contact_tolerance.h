// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace stickslip {

// The tolerance of a step's contact problem where a scene leaves it open and its contacts are detected: tight where
// bodies in contact are few, as in mechanisms and small structures, and what is affordable in heaps.
//
// With n pairs of bodies in contact it is min(1e-2, 1e-10 max(1, n / 32)^8). At a looser one than 1e-2 heaps of spheres
// have another kinetic energy; at a tighter one first-order methods take many times as long, for motions that are the
// same. The power is the largest of which numbers of contacts that are 5 % apart have tolerances within a factor
// of 1.5: 1.05^8 = 1.48.

inline constexpr double kTightestTolerance = 1e-10;  // [-] up to kFewPairs
inline constexpr double kLoosestTolerance = 1e-2;    // [-]
/// With more, heaps of some hundred bodies would have tolerances for which first-order methods take too long; with
/// fewer, walls of some dozen blocks would creep. [-]
inline constexpr double kFewPairs = 32.0;
inline constexpr double kTolerancePower = 8.0;  // [-]

/// With this number of pairs of bodies in contact. [-]
inline double calc_contact_tolerance(int pairs) {
  const double more = std::max(1.0, pairs / kFewPairs);
  return std::min(kLoosestTolerance, kTightestTolerance * std::pow(more, kTolerancePower));
}

/// The overlap of positions that such a tolerance admits, of the smaller body's size: none with the tightest, 1e-5
/// with the loosest. What a settled pile of spheres sinks in a step of 1 ms at 1e-2 is of that order: lifting it each
/// time by less costs as much as the velocities do, and by more would be seen. [-]
inline double calc_admitted_overlap(double tolerance) {
  constexpr double kLeast = 1e-10, kPower = 5.0 / 8.0;
  return kLeast * (std::pow(tolerance / kTightestTolerance, kPower) - 1.0);
}

}  // namespace stickslip
