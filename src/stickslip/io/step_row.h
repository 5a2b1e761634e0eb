// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <variant>

#include "stickslip/constraints/step_report.h"

namespace stickslip {

/// A row of /steps: the certificate of one step.
struct StepRow : StepFigures {
  int status = 0;                  // [-] Status
  int iterations = 0;              // [-] of its solve
  double residual = 0.0;           // [m/s] of its solve
  double relative_residual = 0.0;  // [-] of its solve
};

StepRow make_step_row(const StepReport& report);
/// The row of a step that failed: what it would have reached is unknown (NaN).
StepRow make_failed_step_row(const StepReport& report, double t_end, double h);

/// One column of /steps.
struct StepColumn {
  const char* name;
  const char* unit;
  const char* meaning;
  std::variant<double StepRow::*, int StepRow::*> member;
  bool of_automatic_steps = false;  // absent, StepRow's default, where steps are fixed
  bool may_lack = false;            // so in results of versions up to 0.2
};
std::span<const StepColumn> step_columns();

}  // namespace stickslip
