// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/sparse.h"
#include "stickslip/math/types.h"
#include "stickslip/solvers/deadline.h"

namespace stickslip {

/// How the solution of a linear complementarity problem ended.
enum class LcpOutcome {
  solved,
  ray,       // Lemke's method went off along a ray: it says nothing about solutions, unless M is copositive-plus
  gave_up,   // iterations or time were up
  singular,  // a matrix that has to be solved with was singular to working accuracy
};

/// Both methods ask the deadline at least once a pivot or factorisation, and let its Interrupted through.
struct LcpResult {
  LcpOutcome outcome = LcpOutcome::solved;
  int iterations = 0;
  Vector z;    // (n) >= 0
  Vector ray;  // (n) where outcome is ray: z + t ray, t >= 0 are complementary with the artificial variable kept
};

/// Finds z of w = M z + q, 0 <= w perpendicular to z >= 0. Problem: [Cottle2009]. Method: Lemke's
/// complementary pivoting [Cottle2009, ch. 4] with the lexicographic ratio test against cycling, needed because facet
/// problems are degenerate by construction. Rows and columns are scaled first. The basis is kept as LU factors, dense
/// up to 200 unknowns and sparse above (SquareFactor), with the pivots since then in product form; ties of the ratio
/// test fetch the rows of the basis' inverse that they need, and no others. Deviations: ties are taken at a tolerance,
/// and where the artificial variable is among them, it leaves; a run that solves nothing is repeated with another least
/// pivot, and the best answer of all is returned.
LcpResult solve_by_lemke(const SparseMatrix& m, const Vector& q, int max_pivots, const Deadline& deadline);

/// The same problem by semismooth Newton on the Fischer-Burmeister function, phi(z_i, w_i) = sqrt(z_i^2 + w_i^2) - z_i
/// - w_i = 0 [DeLuca1996], from z >= 0, with the gradient of the merit function 1/2 |phi|^2 where Newton's direction
/// does not descend. Deviations: M + epsilon I stands for M in the derivative, so that it is regular where M is
/// positive semidefinite; each iterate is also tried as a guess of the active set, as Newton's method on min(z, w)
/// takes it ([DeLuca1996]), which ends exactly. Ends where |min(z, w)| is at most `tolerance` times |q|.
LcpResult solve_by_newton(const SparseMatrix& m, const Vector& q, const Vector& start, double tolerance,
                          int max_iterations, const Deadline& deadline);

/// |min(z, M z + q)|_2.
double calc_lcp_residual(const SparseMatrix& m, const Vector& q, const Vector& z);

}  // namespace stickslip
