// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/contact_packs.h"
#include "stickslip/solvers/free_rows.h"

// The rules by which `auto` goes from one method to the next (auto_solver.h): numbers of rows, blocks, sweeps and
// turns. Counts and shares, without units. docs/solvers.md describes the order; scripts/tabulate_auto compares `auto`
// with its members on planted and jammed problems and on piles, which is how these numbers are chosen
// (bench/results/auto.md).
namespace stickslip::auto_rules {

// --- few rows

/// Up to this number of rows nsgs, whose Newton steps are dense, is quicker than sparse methods.
inline constexpr int kFewRows = 16;
/// Its sweeps before another method is tried.
inline constexpr int kFewRowsSweeps = 200;

inline bool is_small(const ConeProblem& problem) {
  return problem.n_cones() == 1 || problem.size() <= kFewRows;
}

// --- heaps

/// From so many cones between bodies on, and so loose a tolerance, accelerated sweeps go first (ags.h). Below 1e-4
/// sweeps take as many as the methods that follow, or do not get there. To looser tolerances fewer cones are enough,
/// and with fewer still Newton steps take as long.
inline constexpr int kHeapCones = 500;
inline constexpr double kHeapTolerance = 1e-4;
inline constexpr int kSmallHeapCones = 100;
/// They end after this number: piles with every tenth body a hundred times heavier take up to 2300 to 1e-3. In the time
/// of one gradient step there are five.
inline constexpr int kHeapSweeps = 2500;
/// So many of them count as one iteration.
inline constexpr int kSweepsOfAnIteration = 100;

// --- sweeps

/// Sweeps before their rate is meaningful, and the number that they may still need by that rate.
inline constexpr int kLeastSweeps = 3;
inline constexpr double kPromisedSweeps = 12.0;
/// The residual is computed once a sweep's change is below this many times the tolerance.
inline constexpr double kLooksConverged = 2.0;
/// Sweeps between proximal Newton steps that were stuck and new ones, and those of nsgs before these.
inline constexpr int kRestartSweeps = 50;

// --- blocks of W

/// With fewer blocks of W than this, Newton steps go first from any guess: where they do not get there, sweeps would
/// have saved little.
inline constexpr double kFewBlocks = 300.0;
/// With fewer blocks of W than this, Newton steps go first from the percussions of the step before: they solve such
/// problems in milliseconds.
inline constexpr double kManyBlocks = 2500.0;
/// Contacts coupled to this many others on average are tried by alternating directions, while these promise to need at
/// most that many iterations.
inline constexpr double kManyNeighbors = 12.0;
inline constexpr double kPromisedDirections = 150.0;

// --- gradients first

/// Gradients go first if a Newton step costs as much as this number of gradient steps. In piles the ratio grows from 24
/// with some 450 contacts to 280 with 8500: a larger number makes the small piles slow, a smaller one lets gradients
/// go first where Newton steps are quicker.
inline constexpr double kDearStep = 20.0;
/// Gradients get the cost of the Newton steps that another method will need, and end earlier if their mean rate will
/// not reach the tolerance in that cost. Under the associated law this number of Newton steps; with half of it
/// gradients are given up too early, with twice as many too late.
inline constexpr int kConvexTurns = 30;
/// Under the exact law the root of this number times that of contacts, since interior points need more steps with more
/// contacts. A smaller number gives up gradients in piles of some hundred contacts that they solve; a fixed number of
/// steps is too small for piles of thousands or too large for those of hundreds.
inline constexpr double kTurnsOfTheExactLaw = 3.0;
/// From this number of cones on, that many turns of gradients come before the analysis of W, which takes as long as
/// some of them: loose tolerances and warm starts need no analysis.
inline constexpr int kManyCones = 1000;
inline constexpr int kTurnsBeforeAnalysis = 10;

// --- piles

/// Piles: contacts are coupled to fewer than this number of others (piles of spheres to 5 to 8), and friction has discs
/// or is associated. Interior points come early there. Planar problems under the exact law are no piles: interior
/// points need more steps there than Newton's method.
inline constexpr double kPileNeighbors = 9.0;
/// The number of Newton steps whose cost gradients get there under the associated law, about as many as interior points
/// need; more is lost where these have to follow.
inline constexpr int kConvexPileTurns = 15;
/// Gradients come first in piles with this number of blocks, though Newton steps are cheap there: they are much quicker
/// at loose tolerances. With fewer blocks Newton steps are quicker.
inline constexpr double kSomeBlocks = 1000.0;

// --- turns of all

/// Newton steps from the best iterate continue until this number of their inner solves got stuck, then others get
/// turns. Under the exact law fewer leave solvable problems to slower methods; under the associated one more cost time.
inline constexpr int kStuckSolves = 4;
inline constexpr int kStuckConvexSolves = 2;
/// Steps of Newton's method and of interior points at most: about twice what solved problems need, and without a
/// solution neither ends by itself.
inline constexpr int kMostSteps = 100;
/// Newton steps from the last interior point before these count like the other methods.
inline constexpr int kPolishSteps = 50;
/// The cost of methods other than the most likely one counts this many times. A smaller number slows down problems that
/// the most likely method solves, a larger one those that only others solve.
inline constexpr double kUnlikely = 20.0;
/// With few blocks of W Fischer-Burmeister steps count once under the associated law, as gradients do, and interior
/// points kInsideWeight times under the exact one: they solve most problems that the most likely method does not.
/// kInsideTurn steps are counted before the first turn of interior points, which is not cut and may lead nowhere.
inline constexpr double kInsideWeight = 5.0;
inline constexpr double kInsideTurn = 10.0;

/// After this number of steps, more than most solved problems take, the most likely method counts kSlow times if it is
/// Newton's, whose steps still speed up in the end; gradients, whose steps do not, and all others count kUnlikely
/// times. A smaller kSlow leaves the others too few of all iterations, a larger one slows down problems that Newton
/// steps solve.
inline constexpr int kManySteps = 200;
inline constexpr double kSlow = 3.0;

// --- last resorts

/// Normal and free rows up to which a proof that there is no solution is looked for: dense, some seconds at most.
inline constexpr int kMaxProofRows = 400;
/// Rows up to which Lemke's method is tried at the end: some seconds at most.
inline constexpr int kMaxPivotRows = 2000;

// --- kinds of problems

/// Many contacts between bodies, to a loose tolerance.
inline bool is_heap(const ConeProblem& problem, Tolerance tolerance) {
  const int least = tolerance.relative > kHeapTolerance ? kSmallHeapCones : kHeapCones;
  return problem.n_cones() >= least && tolerance.relative >= kHeapTolerance && ContactPacks::may_build(problem);
}

/// One linear system; a single cone has its direct solve.
inline bool is_linear(const ConeProblem& problem) {
  return problem.n_cones() > 1 && FreeRows::are_all(problem);
}

inline bool has_friction(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.mu > 0.0; });
}

/// Whether some friction has discs, or polygons in their place.
inline bool has_discs(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.dim > 1; });
}

/// Whether the law makes friction a convex program. Without friction both laws agree, and the exact one's way is
/// quicker.
inline bool is_convex_friction(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated && has_friction(problem);
}

}  // namespace stickslip::auto_rules
