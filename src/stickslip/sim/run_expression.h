// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "stickslip/io/sensors.h"
#include "stickslip/io/step_row.h"
#include "stickslip/model/state.h"
#include "stickslip/model/state_expression.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// An expression of t and of the state (model/state_expression.h), of the columns of /steps by their names, and of
/// sensors: sensor(NAME, i) is the i-th number that one reads, from 1 on, sensor(NAME) the first. For observers of a
/// run.
class RunExpression {
 public:
  /// Throws InputError, with the column, where the text is no such expression. The system must outlive this.
  RunExpression(std::string text, const System& system, const Expression::Parameters& parameters,
                const Sensors& sensors);

  const std::string& text() const { return text_; }
  bool reads_sensors() const { return reads_sensors_; }
  /// `sensors`: what all sensors read, where it reads any.
  double value(const State& state, const StepRow& row, std::span<const double> sensors) const;

 private:
  std::string text_;
  const System* system_;
  StateExpression expression_;
  bool reads_sensors_ = false;
};

}  // namespace stickslip
