// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace stickslip {

// The tolerance of a step's contact problem where a scene leaves it open and its contacts are detected: tight where
// bodies in contact are few, as in mechanisms and small structures, and what is affordable in heaps.
//
// With n pairs of bodies in contact it is min(1e-2, 1e-10 max(1, n / 32)^8). A heap of spheres solved to 1e-2 has the
// kinetic energy of one solved to 1e-3, at 1e-1 no more; first-order methods take from three to a hundred times as long
// to 1e-4. The power is the largest of which numbers of contacts that are 5 % apart have tolerances within a factor of
// 1.5: 1.05^8 = 1.48.

inline constexpr double kTightestTolerance = 1e-10;  // [-] up to kFewPairs
inline constexpr double kLoosestTolerance = 1e-2;    // [-]
/// With more, columns of 250 spheres, with 200 to 300 pairs, would be solved to 1e-5 and less, where first-order
/// methods take too long and Newton's ten times as long; with fewer, walls of some thirty blocks would creep. [-]
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
