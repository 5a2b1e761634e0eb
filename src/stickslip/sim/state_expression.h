// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/io/step_row.h"
#include "stickslip/math/expression.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// An expression (math/expression.h) of the state of a system, beside t and parameters:
///   x(B) y(B) z(B) vx(B) vy(B) vz(B)     of the centre of mass of body B, world frame [m], [m/s]
///   phi(B) omega(B)                      of a planar body [rad], [rad/s]
///   omega_x(B) omega_y(B) omega_z(B)     of a body in space, body frame [rad/s]
///   coordinate(J) rate(J) coordinate(J, 2) rate(J, 2)     of joint J, the first or that one [rad, m], [rad/s, m/s]
/// and the columns of /steps by their names. A name that is no identifier stands in '..'.
///
/// For observers of a run: a value takes some microseconds, as the expression is read anew with the values of the
/// state.
class StateExpression {
 public:
  /// Throws InputError, with the column, where the text is no such expression. The system must outlive this.
  StateExpression(std::string text, const System& system, const Expression::Parameters& parameters);

  const std::string& text() const { return text_; }
  double value(const State& state, const StepRow& row) const;

 private:
  enum class Quantity { position, velocity, phi, omega, body_omega, coordinate, rate, column };
  struct Variable {
    std::string name;  // that stands for it
    Quantity quantity;
    int index;      // of the body, the joint, the column
    int component;  // of vectors and of joints
  };
  std::size_t read_call(std::string_view function, std::size_t begin, std::size_t inside);
  Variable make_variable(std::string_view function, const std::string& name, std::size_t begin,
                         std::size_t name_at) const;
  void add(std::size_t begin, std::size_t end, Variable variable);
  double value_of(const Variable& variable, const State& state, const StepRow& row) const;
  [[noreturn]] void fail(std::size_t at, const std::string& allowed) const;

  std::string text_;
  std::string plain_;  // the text with a name in the place of each variable
  const System* system_;
  std::vector<Variable> variables_;
  mutable Expression::Parameters values_;
};

}  // namespace stickslip
