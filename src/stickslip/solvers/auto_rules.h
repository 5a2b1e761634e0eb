// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/solvers/free_rows.h"

// By what `auto` goes from one method to the next (auto_solver.h): numbers of rows, blocks, sweeps and turns, each with
// the experiment that set it. docs/solvers.md and docs/performance.md have the tables.
namespace stickslip::auto_rules {

// --- few rows

/// Up to these many rows nsgs, whose Newton steps are dense, is quicker than anything sparse.
inline constexpr int kFewRows = 16;
/// Its sweeps before something else is tried.
inline constexpr int kFewRowsSweeps = 200;

inline bool is_small(const ConeProblem& problem) {
  return problem.n_cones() == 1 || problem.size() <= kFewRows;
}

// --- sweeps

/// Sweeps at least, before their rate means anything, and how many more they may promise to need.
inline constexpr int kLeastSweeps = 3;
inline constexpr double kPromisedSweeps = 12.0;
/// The residual is computed once a sweep's change is below this many times the tolerance.
inline constexpr double kLooksConverged = 2.0;
/// Sweeps between proximal Newton steps that were stuck and new ones, and those of nsgs before these.
inline constexpr int kRestartSweeps = 50;

// --- blocks of W

/// Where W has fewer blocks than this, Newton steps go first: real problems that they solve in milliseconds have fewer.
inline constexpr double kManyBlocks = 2500.0;
/// Coupled to so many contacts on average alternating directions are tried, while they promise so many iterations.
inline constexpr double kManyNeighbors = 12.0;
inline constexpr double kPromisedDirections = 150.0;

// --- gradients first

/// Gradients go first where a Newton step costs as much as so many: in piles of 457, 510, 2265, 8502 contacts 24, 28,
/// 70, 283. With 25 the first takes 2 to 3 times the quickest under the associated law, with 20 at most 1.6.
inline constexpr double kDearStep = 20.0;
/// They have as long as the Newton steps that another method will take, and end where, falling as from the first on,
/// they will not be there by then. Under the associated law so many: of 540 planted and jammed problems 4 exceed 3
/// times the quickest + 10 ms, 5 with 60, and one more with 15, which it solves in 133 ms for 40.
inline constexpr int kConvexTurns = 30;
/// Under the exact one the root of so many times the number of contacts, as interior points take more the more there
/// are: 13 to 24 steps with 341 to 497 contacts of poured balls, 75 and more with 1800 settled ones, and none is there
/// after 150 with 8047. With 2 a pile of 368 contacts takes 78 ms at 1e-6 for 8.4, with 45 turns whatever the number
/// one of 1929 1.3 s for .28; with 60 those of 430 and 497 take 39 and 53 ms for 25 and 37.
inline constexpr double kTurnsOfTheExactLaw = 3.0;
/// From so many cones on so many turns of 12 iterations come before the analysis of W, which takes as long as 30: at
/// 1e-2 piles of 1827 and 8047 contacts take 80 and 120 from no percussions, warm ones 40.
inline constexpr int kManyCones = 1000;
inline constexpr int kTurnsBeforeAnalysis = 10;

// --- piles

/// Piles: contacts are coupled to fewer than so many, as in those of spheres (4.8 to 7.9 from 278 to 8502 contacts),
/// and friction has discs or is associated. Interior points come early there. In a planar problem of 7002 contacts
/// under the exact law they take 80 to 130 steps, and Newton steps by themselves fewer. Of 150 planted problems of 17
/// to 400 contacts coupled to so few 2 to 6 exceed 3 times the quickest + 10 ms in a run, 6 to 10 without.
inline constexpr double kPileNeighbors = 9.0;
/// Turns of gradients there under the associated law: interior points take 8 to 17 steps. With 20 at 1e-6 1827 contacts
/// take 213 ms for 186, 2231 408 for 329; with 30 295 and 534.
inline constexpr int kConvexPileTurns = 15;
/// Gradients come first there where W has so many blocks, though steps are not dear: at 1e-2 278 to 457 contacts take 3
/// to 15 times the quickest without; with fewer blocks, real problems of 1 to 3 ms 2 to 2.7 times.
inline constexpr double kSomeBlocks = 1000.0;

// --- turns of all

/// Newton steps from the best iterate go on until so many of their inner solves got stuck, then others get turns. The
/// time of 119 planted problems (621 to 900) is 1.15 times that with 4 with 2, of 211 others 1.05, 1.03, 1.02, 1.05
/// times with 1, 2, 3, 20; associated, .92 times with 2 (155), and 3, 1, 5 of 270 exceed 3 times + 10 ms with 1, 2, 4.
inline constexpr int kStuckSolves = 4;
inline constexpr int kStuckConvexSolves = 2;
/// And so many steps at most, as interior points: real problems take up to 55 Newton steps, interior points some ten,
/// and where there is no solution neither end by themselves. Newton's method on the linear complementarity problem of
/// 184 contacts with polygons goes on for more than a minute there.
inline constexpr int kMostSteps = 100;
/// Newton steps from where interior points end before these count as one of the others: jammed spheres take up to 48.
inline constexpr int kPolishSteps = 50;
/// What other methods cost than the likeliest to get there counts so many times. Of 211 planted and jammed problems
/// that need turns the time is 1.08, 1.03, 1, .99 with 9, 14, 20, 30; with 30 what others solve takes twice as long.
inline constexpr double kUnlikely = 20.0;
/// Where W has few blocks Fischer-Burmeister steps count once under the associated law, too, as gradients do, and
/// interior points so many times under the exact one: they solve most of what the likeliest method does not. And so
/// many steps count before a first turn of interior points, which is not cut: some thirty go nowhere there. Of 540
/// planted and jammed problems 22 exceed 3 times the quickest + 10 ms without these three, 8 with them.
inline constexpr double kInsideWeight = 5.0;
inline constexpr double kInsideTurn = 10.0;

// --- last resorts

/// Normal and free rows up to which a proof is looked for that there is no solution: dense, some seconds at most.
inline constexpr int kMaxProofRows = 400;
/// Rows up to which Lemke's method is tried in the end: some seconds at most.
inline constexpr int kMaxPivotRows = 2000;

// --- kinds of problems

/// One linear system; a single cone has its direct solve.
inline bool is_linear(const ConeProblem& problem) {
  return problem.n_cones() > 1 && FreeRows::are_all(problem);
}

inline bool has_friction(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.mu > 0.0; });
}

/// Whether some friction has discs, or what is made of them.
inline bool has_discs(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.dim > 1; });
}

/// Whether the law makes friction a convex program. Without friction both say the same, and the exact one's is quicker.
inline bool is_convex_friction(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated && has_friction(problem);
}

}  // namespace stickslip::auto_rules
