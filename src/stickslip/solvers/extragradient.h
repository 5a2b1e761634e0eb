// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/first_order.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// The extra-gradient method [Korpelevich1976] for the variational inequality that the associated law is,
// u(p)^T (q - p) >= 0 for all q in K, in the metric and with the projection of FirstOrder, with the step chosen as in
// [Khobotov1987]:
//
//   q = P(p - alpha D^-1 u(p)),    p+ = P(p - alpha D^-1 u(q)),
//
// alpha cut until alpha |u(p) - u(q)| <= kSafe |p - q|, and raised where that holds with room to spare. Unlike a
// gradient method it needs no objective ([Acary2018, section 4.2]); convergence is proven for monotone operators, that
// is for the associated law. An iteration is two products with W. Takes all cones.
//
// Deviation: under the exact law the sets of friction are those of the percussions (FirstOrder), where [Acary2018] has
// De Saxce's shift in the operator, and nothing guarantees convergence.
class Extragradient {
 public:
  using Options = ExtragradientOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the extra-gradient steps did not converge";
  explicit Extragradient(const Options& /*options*/) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate);

 private:
  FirstOrder first_order_;
  std::vector<double> p_, q_, wp_, at_p_, at_q_, difference_;  // (n)
};

}  // namespace stickslip
