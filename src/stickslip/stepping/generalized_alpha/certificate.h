// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// The laws between P and xi over the contacts, joints and dry frictions that are closed at the end of a step, by the
/// same yardstick as every other scheme's.
class Certificate {
 public:
  explicit Certificate(const Step& step);

  /// Sets the residual of the law that was solved, that of the exact law, and what misses most. Whether each of them,
  /// by that yardstick with its own Delassus diagonal, holds to its own tolerance. `response`: M^-1 W P
  /// (n_u) [m/s] as the step was solved, before free percussions were settled.
  bool judge(const Step& step, const Vector& response, StepReport& report);

 private:
  void set_problem(const Step& step);
  void set_free_velocities(const Step& step, const Vector& response);
  bool holds_to_tolerances(const Step& step, double residual) const;
  void report_worst(const Step& step, StepReport& report) const;

  ConeProblem problem_;                           // without W, and with its stretches already in all velocities
  std::vector<Stretch> stretches_;                // of its rows
  std::vector<double> percussions_, velocities_;  // [N s], [m/s]
  double w_ = 0.0;                                // [1/kg] of the residual
};

}  // namespace stickslip::generalized_alpha
