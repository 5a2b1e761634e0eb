// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/constraints/constraint_set.h"

namespace stickslip {

/// The second phase of impacts that have two. By Poisson's law [Pfeiffer1996] a compression, with velocities
/// zero along the normals at its end, gives the percussions p_c; in the expansion that follows
///
///   p_N >= e p_c,N,   complementary to u_N >= 0,   friction against the slip at its end, |p_F| <= mu p_N.
///
/// By the energetic law an impact of one contact follows its path (constraints/energetic_impact.h); of several at once
/// it is Poisson's. Where contacts would make energy, all e of the impact fall by one factor, the largest with which
/// they do not. Contacts that share no moving body are separate impacts.
class PhasedImpact {
 public:
  PhasedImpact(const System& system, ConeSolver& solver, StopToken stop)
      : system_(system), solver_(solver), stop_(stop) {}

  /// From the solution of the compression, p and u = W p + b, to that after both phases. e (cones) [-] of contacts
  /// whose impact has two phases, below 0 of others: by the energetic law a path has another end than the compression
  /// also where e = 0. added (n) [m/s] in b, or none. The velocities before the impact are those of the set's instant;
  /// balls have radius 0.
  Status expand(const ConstraintSet& set, const std::vector<ContactPoint>& points, std::span<const double> e,
                std::span<const double> added, double tolerance, ConeSolution& solution);

 private:
  /// An impact: its cones, and what they know of it, row by row.
  struct Island {
    std::vector<int> cones;
    std::vector<int> rows;  // in the problem of all
    Matrix W;               // (m, m) [1/kg]
    Vector e;               // (m) [-] of normal rows
    Vector before;          // (m) [m/s]
    Vector added;           // (m) [m/s]
    Vector p, u;            // (m) after the compression, then after both phases
  };

  void find_islands(const ConstraintSet& set, const std::vector<ContactPoint>& points);
  void take(const ConstraintSet& set, std::span<const double> e, std::span<const double> added,
            const ConeSolution& solution, Island& island) const;
  bool follows_path(const ConstraintSet& set, const std::vector<ContactPoint>& points,
                    const std::vector<int>& cones) const;
  static bool follow_path(const ConstraintSet& set, Island& island);
  Status expand(const ConstraintSet& set, double tolerance, Island& island);
  Status expand(const ConstraintSet& set, double factor, double tolerance, const Island& island, Vector& p, Vector& u);
  double calc_made(const ConstraintSet& set, const Island& island, const Vector& p, const Vector& u) const;

  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  DisjointSets bodies_{0};
  std::vector<std::vector<int>> cones_of_;  // (bodies) of the first body of an island
};

}  // namespace stickslip
