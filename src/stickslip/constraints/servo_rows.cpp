// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/servo_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/constraints/step_report.h"

namespace stickslip {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

}  // namespace

bool ServoRows::Row::is_bounded() const {
  return std::isfinite(low) && std::isfinite(high);
}

double ServoRows::Row::calc_effort(double p, double h) const {
  return std::clamp(middle + scale * p / h, low, high) - middle;
}

double ServoRows::Row::calc_passive(double effort, double h) const {
  return is_spring ? effort : -passive * (wanted - effort / calc_gain(h));
}

ServoRows::ServoRows(const System& system) : system_(system) {
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    if (system.joints()[j].has_servos()) joints_.push_back(static_cast<int>(j));
    have_rows_ = have_rows_ || !system.joints()[j].options.servos.empty();
    if (system.joints()[j].options.spring) springs_.push_back(static_cast<int>(j));
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
    const bool is_sum = options.effort_limit && options.servos.size() > 1;
    members_.clear();
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
      if (is_sum) {
        members_.push_back({row});
        continue;
      }
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
    if (is_sum) {
      known += add_limited_sum(*options.effort_limit, effort, state, t_end - state.t);
    } else if (options.effort_limit && !has_row) {
      known += std::clamp(effort, options.effort_limit->low, options.effort_limit->high) - effort;
    }
    if (known != 0.0) known_.set_effort(system_, j, known);
  }
  return {};
}

void ServoRows::add_springs(double t, const Vector& q) {
  t_springs_ = t;
  q_springs_ = &q;
  for (const int j : springs_) {
    const Joint& joint = system_.joints()[j];
    Row row;
    row.joint = j;
    row.is_spring = true;
    row.stiffness = joint.n_driven() > 1 ? 0.0 : joint.options.spring->stiffness;
    row.damping = joint.options.spring->damping;
    row.target = joint.options.spring->rest;
    row.low = -kEver;
    row.high = kEver;
    if (row.stiffness == 0.0 && row.damping == 0.0) continue;
    const auto shares = [&](const Row& servo) {
      return servo.joint == j && servo.low == -kEver && servo.high == kEver;
    };
    const auto servo = row.stiffness > 0.0 ? rows_.end() : std::ranges::find_if(rows_, shares);
    if (servo != rows_.end()) {
      servo->passive = row.damping;
      continue;
    }
    for (row.direction = 0; row.direction < joint.n_driven(); ++row.direction) rows_.push_back(row);
  }
}

void ServoRows::keep_limits(StepReport& report) const {
  for (const int j : joints_) {
    const std::optional<EffortLimit>& limit = system_.joints()[j].options.effort_limit;
    double& effort = report.joints[j].effort;
    if (limit) effort = std::clamp(effort, limit->low, limit->high);
  }
}

double ServoRows::Member::calc_effort_at(double v, double x, double h) const {
  if (v <= from) return row.high;
  if (v >= to) return row.low;
  return row.stiffness * (row.target - x) + row.damping * row.rate - (h * row.stiffness + row.damping) * v;
}

double ServoRows::add_limited_sum(const EffortLimit& limit, double effort, const State& state, double h) {
  const int joint = members_.front().row.joint;
  const double x = system_.calc_joint_coordinate(joint, state.t, state.q);
  bends_.assign({-kEver, kEver});
  for (Member& m : members_) {
    // The effort falls with the rate, from row.high up to `from` to row.low from `to` on.
    const double gain = h * m.row.stiffness + m.row.damping;
    if (gain == 0.0) {  // always at row.low
      m.row.low = m.row.high = std::clamp(0.0, m.row.low, m.row.high);
      m.from = m.to = -kEver;
      continue;
    }
    const double at_rest = m.row.stiffness * (m.row.target - x) + m.row.damping * m.row.rate;
    m.from = std::isfinite(m.row.high) ? (at_rest - m.row.high) / gain : -kEver;
    m.to = std::isfinite(m.row.low) ? (at_rest - m.row.low) / gain : kEver;
    bends_.insert(bends_.end(), {m.from, m.to});
  }
  std::ranges::sort(bends_);
  const auto calc_sum = [&](double v) {
    double sum = effort;
    for (const Member& m : members_) sum += m.calc_effort_at(v, x, h);
    return std::clamp(sum, limit.low, limit.high);
  };
  double known = calc_sum(kEver) - effort;
  for (std::size_t i = 0; i + 1 < bends_.size(); ++i) {
    if (!(bends_[i] < bends_[i + 1])) continue;
    Row row;
    row.joint = joint;
    double beside = effort;  // of what does not change on this stretch
    for (const Member& m : members_) {
      if (m.from >= bends_[i + 1]) {
        beside += m.row.high;
      } else if (m.to <= bends_[i]) {
        beside += m.row.low;
      } else {
        row.stiffness += m.row.stiffness;
        row.damping += m.row.damping;
        row.target += m.row.stiffness * m.row.target;
        row.rate += m.row.damping * m.row.rate;
      }
    }
    const double most = calc_sum(bends_[i]);
    const double least = calc_sum(bends_[i + 1]);
    if (!(least < most)) continue;  // nobody is within its limits, or the joint is at its own
    if (row.stiffness > 0.0) row.target /= row.stiffness;
    if (row.damping > 0.0) row.rate /= row.damping;
    row.low = least - beside;
    row.high = most - beside;
    row.middle = 0.5 * (row.low + row.high);
    known += row.middle - row.low;
    rows_.push_back(row);
  }
  return known;
}

}  // namespace stickslip
