// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "stickslip/io/step_row.h"
#include "stickslip/model/state.h"
#include "stickslip/model/state_expression.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// An expression of t and of the state (model/state_expression.h), and of the columns of /steps by their names: for
/// observers of a run.
class RunExpression {
 public:
  /// Throws InputError, with the column, where the text is no such expression. The system must outlive this.
  RunExpression(std::string text, const System& system, const Expression::Parameters& parameters);

  const std::string& text() const { return text_; }
  double value(const State& state, const StepRow& row) const;

 private:
  std::string text_;
  const System* system_;
  StateExpression expression_;
};

}  // namespace stickslip
