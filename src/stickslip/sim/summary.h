// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stickslip/io/step_row.h"
#include "stickslip/stepping/limits.h"

namespace stickslip {

/// The largest absolute value that a quantity had, and when.
struct Worst {
  double value = 0.0;                                      // in the quantity's unit
  double time = std::numeric_limits<double>::quiet_NaN();  // [s]
  void add(double x, double t);
};

/// How well the laws held over a run: the worst of every column of its certificate.
struct Summary {
  std::int64_t steps = 0;                                            // [-] done
  std::int64_t inexact = 0;                                          // [-] of them above the tolerance
  std::int64_t failed = 0;                                           // [-] beside them
  std::int64_t choices = 0;                                          // [-] sum
  std::int64_t fallbacks = 0;                                        // [-] steps that needed them
  std::int64_t in_parts = 0;                                         // [-] steps
  std::int64_t iterations = 0;                                       // [-] sum
  std::int64_t most_contacts = 0;                                    // [-]
  double first_inexact = std::numeric_limits<double>::quiet_NaN();   // [s]
  double shortest = std::numeric_limits<double>::infinity();         // [s] step
  double longest = 0.0;                                              // [s] step
  double duration = 0.0;                                             // [s] of all steps
  std::int64_t rejected = 0;                                         // [-] sum: tries that automatic steps took back
  bool automatic = false;                                            // some step has an estimated error
  double least_tolerance = std::numeric_limits<double>::infinity();  // [-]
  double most_tolerance = 0.0;                                       // [-]
  Worst allowed;                                                     // [m/s] residual
  Worst residual;                                                    // [m/s]
  Worst relative_residual;                                           // [-]
  Worst coulomb_residual;                                            // [m/s]
  Worst penetration;                                                 // [m]
  Worst drift_position;                                              // [m]
  Worst drift_angle;                                                 // [rad]
  Worst energy_error;                                                // [J]
  std::vector<LimitEntry> limits;                                    // what passed a limit of the scene

  /// The rows of steps, not the initial one.
  void add(const StepRow& row);
  void add(std::span<const StepRow> rows);

 private:
  void add_tolerance(const StepRow& row);
};

/// The summary in words, a line a figure.
std::string describe(const Summary& summary);

/// What passed limits in words: a line for each of the worst, those that are farthest beyond first, at most `most` of
/// them, and how many more there are. Empty where nothing passed.
std::string describe_limits(std::span<const LimitEntry> entries, std::size_t most = 8);

}  // namespace stickslip
