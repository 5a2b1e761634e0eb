// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// De Saxce's fixed point ([DeSaxce1998], [Cadoux2009], [Acary2011]): the exact law is the associated one for b + s(u),
//
//   p+ solves the associated problem of W, b + s(u(p)),   u(p) = W p + b,
//
// so that a convex solver, here ProximalNewton, is called until the shift s no longer changes. Where it converges, it
// does so linearly, the slower the larger friction is (by mu^2 / (1 + mu^2) where W is a multiple of the identity);
// existence of a fixed point is the existence of a solution. The inner problems are solved to a share of the residual
// of the outer one, in m/s. Under the associated law s is zero: the same problem, in steps. Takes all cones; an
// iteration is one of the inner Newton steps.
class FixedShift {
 public:
  /// Steps ask `stop` and throw Interrupted where it is raised; start() comes next then.
  explicit FixedShift(StopToken stop = {}, SharedDelassus* shared = nullptr) : newton_(stop, shared), inner_(stop) {}

  /// Begins at the present iterate, which must have been judged.
  void start(const ConeProblem& problem, const Iterate& iterate);
  /// Goes on from where it was, until the best residual is within the tolerance or it has ended, after max_iterations
  /// Newton steps or the deadline, or where operations() has come to max_operations. Returns how many Newton steps.
  int advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
              const Deadline& deadline, Iterate& iterate);
  /// Whether the shift changes no more: the inner problem is solved to begin with.
  bool has_ended() const { return has_ended_; }
  /// Whether the last inner problem was not solved, and what it was left at is no nearer to the exact law.
  bool is_stuck() const { return is_stuck_; }
  /// Multiply-adds of all factorisations since start().
  double operations() const { return newton_.operations(); }

 private:
  void take(const Iterate& iterate);

  ProximalNewton newton_;
  ConeProblem convex_;  // the associated problem with the shift in its b
  ConeSolution guess_;
  Iterate inner_;
  std::vector<double> p_, u_;  // (n) [N s], [m/s] at the last fixed shift
  double residual_ = 0.0;      // [m/s] there, of the exact law
  bool is_inside_ = false;     // an inner problem is not done with
  bool has_ended_ = false, is_stuck_ = false;
};

}  // namespace stickslip
