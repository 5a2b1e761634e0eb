// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/first_order.h"

namespace stickslip {

// The alternating direction method of multipliers ([Boyd2011]; for contacts [Acary2018], [Daviet2020]): with a copy z
// of p that alone has to lie in K,
//
//   p = (W + rho D)^-1 (rho D (z - y) - b),    z = P(p^ + y),    y += p^ - z,    p^ = a p + (1 - a) z,
//
// in the metric and with the projection of FirstOrder, a the over-relaxation; -rho D y are the velocities that belong
// to z. W + rho D is factorised once for each rho (BlockLu), which residual balancing changes by factors only when
// primal |p - z| and dual rho |z - z_before| are far apart. An iteration is one solve.
//
// Deviation: under the exact law, where [Acary2018] and [Daviet2020] take De Saxce's shift anew at each iteration, the
// laws are held by the projection alone. Takes all cones; under the exact law nothing guarantees convergence.
class AlternatingDirections {
 public:
  /// start() and run() ask `stop` and throw Interrupted where it is raised.
  explicit AlternatingDirections(StopToken stop = {}, SharedDelassus* shared = nullptr)
      : delassus_(stop, shared), lu_(stop) {}

  /// Assembles W; to be called before run(). Returns the mean number of blocks in a row of W, the diagonal one
  /// included: the more there are, the dearer is a factorisation beside a solve.
  double start(const ConeProblem& problem);

  /// Iterates from the present iterate until its best residual is within the tolerance, after max_iterations or
  /// the deadline, or where the rate of the last iterations promises to need more than max_promised further ones.
  /// Returns how many iterations it took.
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_promised,
          const Deadline& deadline, Iterate& iterate);

 private:
  void begin(const ConeProblem& problem, Iterate& iterate);
  bool factorize(const ConeProblem& problem);
  void iterate_once(const ConeProblem& problem);
  double calc_balanced_penalty();

  FirstOrder first_order_;
  SharedDelassus delassus_;
  BlockLu lu_;
  double rho_ = 1.0;  // [-] in the metric D
  std::vector<int> dims_;
  std::vector<double> p_, z_, before_, y_, right_;  // (n)
};

}  // namespace stickslip
