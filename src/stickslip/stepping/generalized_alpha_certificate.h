// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {

/// The laws between P and xi over the contacts, joints and dry frictions that are closed at the end of a step, by the
/// same yardstick as every other scheme's.
class GeneralizedAlphaCertificate {
 public:
  explicit GeneralizedAlphaCertificate(const GeneralizedAlphaStep& step);

  /// Sets the residual of the law that was solved, that of the exact law, and what misses most. Whether each of them,
  /// by that yardstick with its own Delassus diagonal, holds to its own tolerance.
  bool judge(const GeneralizedAlphaStep& step, StepReport& report);

 private:
  void set_problem(const GeneralizedAlphaStep& step);
  void set_free_velocities(const GeneralizedAlphaStep& step);
  bool holds_to_tolerances(const GeneralizedAlphaStep& step, double residual) const;
  void report_worst(const GeneralizedAlphaStep& step, StepReport& report) const;

  ConeProblem problem_;                           // without W, and with its stretches already in all velocities
  std::vector<Stretch> stretches_;                // of its rows
  std::vector<double> percussions_, velocities_;  // [N s], [m/s]
  double w_ = 0.0;                                // [1/kg] of the residual
  Vector response_;                               // (n_u) M^-1 W P
};

}  // namespace stickslip
