// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <variant>

#include "stickslip/constraints/step_report.h"

namespace stickslip {

/// A row of /steps: the certificate of one step.
struct StepRow {
  double time = 0.0;                                              // [s] the end of the step
  double step = 0.0;                                              // [s] its length
  std::int64_t status = 0;                                        // [-] Status
  std::int64_t iterations = 0;                                    // [-]
  double tolerance = 0.0;                                         // [-]
  double residual = 0.0;                                          // [m/s]
  double relative_residual = 0.0;                                 // [-]
  double coulomb_residual = 0.0;                                  // [m/s]
  double missed = 0.0;                                            // [m/s]
  std::int64_t worst_kind = 0;                                    // [-]
  std::int64_t worst = -1;                                        // [-]
  std::int64_t worst_a = -1;                                      // [-]
  std::int64_t worst_b = -1;                                      // [-]
  double penetration = 0.0;                                       // [m]
  double drift_position = 0.0;                                    // [m]
  double drift_angle = 0.0;                                       // [rad]
  double kinetic_energy = 0.0;                                    // [J]
  double potential_energy = 0.0;                                  // [J]
  double work = 0.0;                                              // [J]
  double dissipated = 0.0;                                        // [J]
  double projection_energy = 0.0;                                 // [J]
  double energy_error = 0.0;                                      // [J]
  std::int64_t contacts = 0;                                      // [-]
  std::int64_t choices = 0;                                       // [-]
  std::int64_t fallbacks = 0;                                     // [-]
  std::int64_t parts = 1;                                         // [-]
  std::int64_t rejected = 0;                                      // [-] automatic steps: tries before it
  double local_error = std::numeric_limits<double>::quiet_NaN();  // [-] automatic steps
};

StepRow make_step_row(const StepReport& report);
/// The row of a step that failed: what it would have reached is unknown (NaN).
StepRow make_failed_step_row(const StepReport& report, double t_end, double h);

/// One column of /steps.
struct StepColumn {
  const char* name;
  const char* unit;
  const char* meaning;
  std::variant<double StepRow::*, std::int64_t StepRow::*> member;
  bool of_automatic_steps = false;  // absent, StepRow's default, where steps are fixed
  bool may_lack = false;            // so in results of versions up to 0.2
};
std::span<const StepColumn> step_columns();

}  // namespace stickslip
