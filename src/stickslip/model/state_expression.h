// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"

namespace stickslip {

class System;

/// A number of the state of a system that expressions read.
struct StateVariable {
  enum class Quantity {
    position,          // x(B) y(B) z(B): of the centre of mass of body B, world frame [m]
    velocity,          // vx(B) vy(B) vz(B): likewise [m/s]
    angle,             // phi(B): of a planar body [rad]
    angular_velocity,  // omega(B): of a planar body; omega_x(B) omega_y(B) omega_z(B): of one in space, body frame
                       // [rad/s]
    coordinate,        // coordinate(J) coordinate(J, 2): of joint J, the first or that one [rad, m]
    rate,              // rate(J) rate(J, 2): likewise [rad/s, m/s]
    given              // what is no number of the state: whoever asks for a value gives it
  };
  Quantity quantity = Quantity::position;
  int index = 0;      // of the body, the joint, or among the given
  int component = 0;  // of vectors and of joints
  bool operator==(const StateVariable&) const = default;

  bool is_of_joint() const { return quantity == Quantity::coordinate || quantity == Quantity::rate; }
  bool is_velocity() const {
    return quantity == Quantity::velocity || quantity == Quantity::angular_velocity || quantity == Quantity::rate;
  }
};

/// An expression (math/expression.h) of t and of the state of a system. The system is an argument of what needs it, so
/// that it may hold such expressions itself.
class StateExpression {
 public:
  static constexpr int kMaxVariables = 64;  // [-] different ones

  /// An expression of t alone. Implicit: it can stand for any expression of state.
  StateExpression(Expression expression = Expression()) : expression_(std::move(expression)) {}  // NOLINT

  /// `given`: names that stand for what is no number of the state, before parameters of the same name. Throws
  /// ExpressionError.
  static StateExpression parse(std::string_view text, const System& system, const Expression::Parameters& parameters,
                               std::span<const std::string_view> given = {});

  /// Makes the slopes; SystemBuilder does so for forces. Throws ExpressionError where one is beyond the limits.
  void differentiate();

  bool depends_on_state() const { return !variables_.empty(); }
  bool is_constant() const { return expression_.is_constant(); }
  const Expression& expression() const { return expression_; }
  std::span<const StateVariable> variables() const { return variables_; }

  /// The value, if it does not depend on the state.
  double value(double t) const { return expression_.value(t); }
  /// `given`: of the names that parse() was told. Does not allocate.
  double value(const System& system, double t, const Vector& q, const Vector& u,
               std::span<const double> given = {}) const;

  /// t and the variables at a state, to evaluate the expression or its slopes repeatedly.
  class Arguments {
   public:
    Arguments(const StateExpression& expression, const System& system, double t, const Vector& q, const Vector& u,
              std::span<const double> given = {});
    void set_time(double t) { x_[0] = t; }
    std::span<const double> values() const { return x_; }

   private:
    double x_[1 + kMaxVariables];
  };
  double value(const Arguments& at) const { return expression_.value(at.values()); }
  /// The derivative over variables()[k].
  double slope(int k, const Arguments& at) const {
    const double slope = slopes_[k].value(at.values());
    return std::isfinite(slope) ? slope : 0.0;  // as that of sqrt(abs(v)) at 0
  }

 private:
  Expression expression_;
  std::vector<StateVariable> variables_;  // variable k + 1 of the expression
  std::vector<Expression> slopes_;        // over each, once they are made
};

/// A component of a load, or the force of a joint, that depends on the state.
struct StateForce {
  int force = -1, joint = -1;  // index into System::forces() or joints(), the other -1
  int component = 0;           // of a load: 0 to 2 of the force, 3 to 5 of the torque
};

}  // namespace stickslip
