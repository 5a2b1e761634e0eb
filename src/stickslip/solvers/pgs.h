// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/free_cone.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Projected Gauss-Seidel: cone after cone takes one projected gradient step with the newest values of all others,
//
//   p_i <- P_K_i(p_i - (u_i + s_i) / L_i)                              [Tasora2011, eqs. 31-33], [Negrut2017, sec. 5]
//
// Under the associated law (s = 0) the problem is the convex programme min 1/2 p^T W p + b^T p over K ([Negrut2017,
// eq. 11]) and each step lowers its objective. Under the exact law s_i is De Saxce's shift of the present u_i, taken
// anew at each visit ([DeSaxce1998]); nothing then guarantees convergence, and the report says what was reached.
//
// Deviations: Tasora's step is omega / L_i with L_i the mean eigenvalue of W_ii and omega, a relaxation in time
// besides, chosen by the user; ours is the largest eigenvalue with omega = 1, which needs no choice and never
// overshoots; `relaxation` is another omega for those who want one (psor). Free cones are solved exactly. The cost of a
// visit is a projection, the convergence linear and slow where contacts are many or redundant: the result is then
// honestly `inexact`.
class ProjectedGaussSeidel {
 public:
  using Options = PgsOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the sweeps did not converge";
  explicit ProjectedGaussSeidel(const Options& options) : options_(options) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate);

 private:
  void prepare(const ConeProblem& problem, const DelassusRows& rows);
  void visit(const ConeProblem& problem, int i, const double* u, double* p) const;
  double sweep(const ConeProblem& problem, Iterate& iterate);

  const Options options_;
  std::vector<double> steps_;   // (n_cones) [kg] 1 / L_i
  std::vector<FreeCone> free_;  // of the free cones, in order
};

}  // namespace stickslip
