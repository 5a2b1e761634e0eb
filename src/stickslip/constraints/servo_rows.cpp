// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/servo_rows.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

bool ServoRows::Row::is_bounded() const {
  return std::isfinite(low) && std::isfinite(high);
}

double ServoRows::Row::calc_effort(double p, double h) const {
  return std::clamp(middle + scale * p / h, low, high) - middle;
}

ServoRows::ServoRows(const System& system) : system_(system) {
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    if (system.joints()[j].has_servos()) joints_.push_back(static_cast<int>(j));
  }
}

std::string ServoRows::begin(const State& state, double t_end) {
  rows_.clear();
  known_.clear();
  const double t_middle = 0.5 * (state.t + t_end);
  for (const int j : joints_) {
    const JointOptions& options = system_.joints()[j].options;
    const auto calc = [&](const Signal& signal, double t) {
      return system_.calc_signal(signal, state.inputs, t, state.q, state.u);
    };
    double known = 0.0;  // what is added to a caller's effort
    for (const Signal& force : options.forces) known += calc(force, t_middle);
    double effort = known;
    for (const JointInput& input : state.inputs.joints()) {
      if (input.joint == j) effort += input.effort;
    }
    bool is_finite = std::isfinite(effort);
    bool has_row = false;
    for (const JointServo& servo : options.servos) {
      Row row;
      row.joint = j;
      row.stiffness = servo.stiffness;
      row.damping = servo.damping;
      row.target = calc(servo.target, t_end);
      row.rate = calc(servo.rate, t_end);
      row.low = servo.low;
      row.high = servo.high;
      is_finite = is_finite && std::isfinite(row.target) && std::isfinite(row.rate);
      if (options.effort_limit) {  // also where it leaves nothing of the servo's own
        row.low = std::clamp(servo.low, options.effort_limit->low - effort, options.effort_limit->high - effort);
        row.high = std::clamp(servo.high, options.effort_limit->low - effort, options.effort_limit->high - effort);
      }
      if (servo.stiffness == 0.0 && servo.damping == 0.0) {
        known += std::clamp(0.0, row.low, row.high);
        has_row = true;
        continue;
      }
      if (row.is_bounded()) row.middle = 0.5 * (row.low + row.high);
      known += row.middle;
      has_row = true;
      rows_.push_back(row);
    }
    if (!is_finite) return "joint '" + options.name + "': what its servos and forces follow is not finite";
    if (options.effort_limit && !has_row) {
      known += std::clamp(effort, options.effort_limit->low, options.effort_limit->high) - effort;
    }
    if (known != 0.0) known_.set_effort(system_, j, known);
  }
  return {};
}

}  // namespace stickslip
