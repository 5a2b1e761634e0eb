// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/time_course.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "stickslip/math/round_off.h"

namespace stickslip::event_driven {
namespace {

/// The longest distance of two looks [s], the least number of looks in a step, and the most.
constexpr double kLook = 1e-3;
constexpr int kLeastLooks = 10;
constexpr int kMostLooks = 100000;
/// Up to where steps are halved. [s]
constexpr double kShortest = 1e-4;
/// By how much of its range an expression may differ from the parabola: half a period of a sine is still too long. [-]
constexpr double kOff = 0.05;
/// Looks are moved by up to this part of their distance, so that no period hides between them, by a sequence that never
/// repeats: multiples of the golden ratio. [-]
constexpr double kMoved = 0.4;
constexpr double kGolden = 0.6180339887498949;

/// Whether a function of time follows the parabola through its values at t, t + h / 2 and t + h.
template <class Value>
bool follows(const Value& value_at, double t, double h) {
  const double first = value_at(t);
  const double middle = value_at(t + 0.5 * h);
  const double last = value_at(t + h);
  const double slope = last - first;
  const double bend = 2.0 * (first + last) - 4.0 * middle;
  const int looks = static_cast<int>(std::clamp(std::ceil(h / kLook), 1.0 * kLeastLooks, 1.0 * kMostLooks));
  double off = 0.0;
  double least = std::min({first, middle, last});
  double most = std::max({first, middle, last});
  for (int i = 1; i < looks; ++i) {
    const double moved = i * kGolden - std::floor(i * kGolden) - 0.5;
    const double s = (i + kMoved * moved) / looks;
    const double value = value_at(t + s * h);
    least = std::min(least, value);
    most = std::max(most, value);
    off = std::max(off, std::abs(value - (first + s * slope - s * (1.0 - s) * bend)));
  }
  const double round_off = kSumRoundOff * std::max(std::abs(least), std::abs(most));
  return off <= kOff * (most - least) + round_off;
}

}  // namespace

TimeCourse::TimeCourse(const System& system) : system_(system) {
  for (const Body& body : system.bodies()) {
    if (!body.motion) continue;
    for (const Expression& x : body.motion->position) add(x);
    for (const Expression& x : body.motion->velocity) add(x);
    for (const Expression& x : body.motion->acceleration) add(x);
    add(body.motion->angle);
    add(body.motion->angle_rate);
    add(body.motion->angle_acceleration);
    rates_.push_back(&body.motion->angle_rate);
  }
  for (const Joint& joint : system.joints()) {
    if (joint.options.motion) {
      add(*joint.options.motion);
      add(joint.motion_rate);
      add(joint.motion_acceleration);
    }
    if (joint.options.force) add(*joint.options.force);
  }
  for (const Force& force : system.forces()) {
    const auto* load = std::get_if<Load>(&force.law);
    if (load == nullptr) continue;
    for (const StateExpression& x : load->force) add(x);
    for (const StateExpression& x : load->torque) add(x);
  }
}

void TimeCourse::add(const Expression& expression) {
  if (!expression.is_constant()) expressions_.push_back(&expression);
}

void TimeCourse::add(const StateExpression& expression) {
  if (!expression.depends_on_state()) return add(expression.expression());
  of_state_.push_back(&expression);
}

double TimeCourse::bound(double t, const Vector& y, double h) const {
  for (const Expression* expression : expressions_) {
    while (h > kShortest && !follows([expression](double at) { return expression->value(at); }, t, h)) h *= 0.5;
  }
  if (of_state_.empty()) return h;
  const Vector q = y.head(system_.n_q());
  const Vector u = y.segment(system_.n_q(), system_.n_u());
  for (const StateExpression* expression : of_state_) {
    StateExpression::Arguments arguments(*expression, system_, t, q, u);
    const auto value_at = [&](double at) {
      arguments.set_time(at);
      return expression->value(arguments);
    };
    while (h > kShortest && !follows(value_at, t, h)) h *= 0.5;
  }
  return h;
}

double TimeCourse::calc_angular_speed(double t) const {
  double speed = 0.0;
  for (const Expression* rate : rates_) speed = std::max(speed, std::abs(rate->value(t)));
  return speed;
}

}  // namespace stickslip::event_driven
