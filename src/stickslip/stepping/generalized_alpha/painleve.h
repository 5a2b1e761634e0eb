// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/newton.h"
#include "stickslip/stepping/generalized_alpha/step.h"

/// Where the laws leave a choice [Capobianco2021, section 10.4]: a sliding contact whose normal force makes its own
/// acceleration negative, A = W_N^T M^-1 (W_N - mu W_F n) <= 0 with joints and other closed contacts holding.
namespace stickslip::generalized_alpha {

/// Such a contact would be held by a force where it opens without one: both 0 and -b / A solve the laws; ours is 0.
void open_by_choice(Step& step, StepElement& e);

/// Contacts for which the laws left a choice.
int count_choices(const Step& step);

/// Which solution of a step is taken where a contact that slid before it leaves several: it opens; if that is no
/// solution, it slides on; only if that is none either, it stops by an impact. Of several such contacts one after the
/// other. Which of them Newton's method finds is else a matter of its start values and prox parameters.
class Painleve {
 public:
  explicit Painleve(const Step& step) : x_(step.x), elements_(step.elements) {}

  /// step.x is what came of `solve`; becomes the chosen solution, if there is one.
  void choose(Step& step, const State& state, Newton& newton, StepSolve& solve);

 private:
  void keep(const Step& step);
  void restore(Step& step) const;
  static bool solve_branch(Step& step, const State& state, Newton& newton, StepSolve& solve);

  Unknowns x_;                         // the solution so far
  std::vector<StepElement> elements_;  // with x_
};

}  // namespace stickslip::generalized_alpha
