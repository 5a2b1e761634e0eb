// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Cone problems by way of a linear complementarity problem, as methods of an IterativeSolver: facet_lcp.h states it,
// lcp.h solves it. What has planar friction, polygons, boxes, half lines and bilateral rows alone is solved exactly;
// friction discs become polygons, and the residual of the problem itself then says how far off that is. Both allocate
// in each solve: their matrices change size with the problem and its pivots.
template <class OptionsOf>
class LcpMethod {
 public:
  using Options = OptionsOf;
  static constexpr bool kKeepsBlocks = true;
  explicit LcpMethod(const Options& options) : stop_(options.stop), lcp_(options.facets) {}
  static const char* find_reason_to_refuse(const ConeProblem& problem) {
    return FacetLcp::find_reason_to_refuse(problem);
  }
  const char* describe_failure() const;
  /// An iteration is a pivot of Lemke's method, or a Newton step on the Fischer-Burmeister function.
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate);

 private:
  StopToken stop_;
  FacetLcp lcp_;
  LcpOutcome outcome_ = LcpOutcome::solved;
};
extern template class LcpMethod<LemkeOptions>;
extern template class LcpMethod<LcpNewtonOptions>;

}  // namespace stickslip
