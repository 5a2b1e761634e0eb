// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/state_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <variant>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"

namespace stickslip {
namespace {

constexpr std::array<std::string_view, 13> kStateFunctions = {
    "x", "y", "z", "vx", "vy", "vz", "omega_x", "omega_y", "omega_z", "phi", "omega", "coordinate", "rate"};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_in_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::size_t skip_blanks(std::string_view text, std::size_t i) {
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  return i;
}

std::size_t end_of_name(std::string_view text, std::size_t i) {
  while (i < text.size() && is_in_name(text[i])) ++i;
  return i;
}

}  // namespace

StateExpression::StateExpression(std::string text, const System& system, const Expression::Parameters& parameters)
    : text_(std::move(text)), plain_(text_), system_(&system), values_(parameters) {
  if (text_.size() > Expression::kMaxTextSize) {
    throw InputError({}, "expression", "", fmt::format("at most {} bytes", Expression::kMaxTextSize));
  }
  const std::span<const StepColumn> columns = step_columns();
  for (std::size_t i = 0; i < text_.size();) {
    if (std::isdigit(static_cast<unsigned char>(text_[i])) != 0 || text_[i] == '.') {  // a number: 1e5
      while (i < text_.size() && (is_in_name(text_[i]) || text_[i] == '.')) ++i;
      continue;
    }
    if (!starts_name(text_[i])) {
      ++i;
      continue;
    }
    const std::size_t end = end_of_name(text_, i);
    const std::size_t open = skip_blanks(text_, end);
    const std::string_view name = std::string_view(text_).substr(i, end - i);
    std::size_t next = end;
    if (open < text_.size() && text_[open] == '(') {
      if (std::ranges::find(kStateFunctions, name) != kStateFunctions.end()) next = read_call(name, i, open + 1);
    } else {
      const auto column =
          std::ranges::find(columns, name, [](const StepColumn& c) { return std::string_view(c.name); });
      if (column != columns.end()) add(i, end, {"", Quantity::column, static_cast<int>(column - columns.begin()), 0});
    }
    i = next;
  }
  try {
    Expression::parse(plain_, values_);
  } catch (const ExpressionError& error) {
    fail(static_cast<std::size_t>(std::max(error.column(), 1) - 1), error.what());
  }
}

/// What stands from `inside` the parentheses on: a name, and of joints the number of a coordinate. Returns the end.
std::size_t StateExpression::read_call(std::string_view function, std::size_t begin, std::size_t inside) {
  std::size_t at = skip_blanks(text_, inside);
  std::string name;
  const std::size_t name_at = at;
  if (at < text_.size() && text_[at] == '\'') {
    const std::size_t close = text_.find('\'', at + 1);
    if (close == std::string::npos) fail(at, "a name that ends with '");
    name = text_.substr(at + 1, close - at - 1);
    at = close + 1;
  } else {
    if (at == text_.size() || !starts_name(text_[at])) fail(at, "a name, in '..' where it is no identifier");
    const std::size_t end = end_of_name(text_, at);
    name = text_.substr(at, end - at);
    at = end;
  }
  Variable variable = make_variable(function, name, begin, name_at);
  at = skip_blanks(text_, at);
  const bool is_of_joint = variable.quantity == Quantity::coordinate || variable.quantity == Quantity::rate;
  if (is_of_joint && at < text_.size() && text_[at] == ',') {
    at = skip_blanks(text_, at + 1);
    const int n = system_->joints()[variable.index].n_coordinates;
    const bool is_number = at < text_.size() && text_[at] >= '1' && text_[at] < '1' + n;
    if (!is_number) fail(at, fmt::format("the number of a coordinate of '{}', 1 to {}", name, n));
    variable.component = text_[at] - '1';
    at = skip_blanks(text_, at + 1);
  }
  if (at == text_.size() || text_[at] != ')') fail(at, "')'");
  add(begin, at + 1, std::move(variable));
  return at + 1;
}

StateExpression::Variable StateExpression::make_variable(std::string_view function, const std::string& name,
                                                         std::size_t begin, std::size_t name_at) const {
  const bool is_of_joint = function == "coordinate" || function == "rate";
  const int index = is_of_joint ? system_->find_joint(name) : system_->find_body(name);
  if (index < 0) {
    std::vector<std::string_view> known;
    if (is_of_joint) {
      for (const Joint& joint : system_->joints()) known.push_back(joint.options.name);
    } else {
      for (const Body& body : system_->bodies()) known.push_back(body.name);
    }
    const std::string nearest = nearest_name(name, known);
    fail(name_at, fmt::format("no {} '{}'{}", is_of_joint ? "joint" : "body", name,
                              nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  if (is_of_joint) {
    if (!system_->joints()[index].has_coordinate()) fail(name_at, fmt::format("joint '{}' has no coordinate", name));
    return {"", function == "rate" ? Quantity::rate : Quantity::coordinate, index, 0};
  }
  if (function == "phi" || function == "omega") {
    if (system_->bodies()[index].type != BodyType::planar) fail(begin, fmt::format("'{}' is no planar body", name));
    return {"", function == "phi" ? Quantity::phi : Quantity::omega, index, 0};
  }
  const int component = function.back() - 'x';
  if (function.starts_with("omega_")) {
    if (system_->planar()) fail(begin, "of bodies in space; in the plane there is omega");
    return {"", Quantity::body_omega, index, component};
  }
  if (system_->planar() && component == 2) fail(begin, "of bodies in space");
  return {"", function.front() == 'v' ? Quantity::velocity : Quantity::position, index, component};
}

/// Puts a name in the place of a variable; what follows keeps its place, so columns of errors are right.
void StateExpression::add(std::size_t begin, std::size_t end, Variable variable) {
  std::size_t k = variables_.size();
  do {
    variable.name = fmt::format("_{:x}", k++);
  } while (values_.contains(variable.name));
  values_.emplace(variable.name, 0.0);
  plain_.replace(begin, end - begin, variable.name + std::string(end - begin - variable.name.size(), ' '));
  variables_.push_back(std::move(variable));
}

double StateExpression::value_of(const Variable& variable, const State& state, const StepRow& row) const {
  const auto offset = [&](int Body::*first) { return system_->bodies()[variable.index].*first; };
  switch (variable.quantity) {
    case Quantity::position:
      return system_->calc_pose(variable.index, state.t, state.q).p_WB(variable.component);
    case Quantity::velocity:
      return system_->calc_twist(variable.index, state.t, state.q, state.u).v_WB(variable.component);
    case Quantity::phi:
      return state.q(offset(&Body::q_offset) + 2);
    case Quantity::omega:
      return state.u(offset(&Body::u_offset) + 2);
    case Quantity::body_omega: {
      const Pose pose = system_->calc_pose(variable.index, state.t, state.q);
      const Twist twist = system_->calc_twist(variable.index, state.t, state.q, state.u);
      return (pose.R_WB.transpose() * twist.w_WB)(variable.component);
    }
    case Quantity::coordinate:
      return system_->calc_joint_coordinate(variable.index, variable.component, state.t, state.q);
    case Quantity::rate:
      return system_->calc_joint_coordinate(variable.index, variable.component, state.t, state.q, state.u).rate;
    case Quantity::column:
      return std::visit([&row](auto member) { return static_cast<double>(row.*member); },
                        step_columns()[static_cast<std::size_t>(variable.index)].member);
  }
  return 0.0;
}

double StateExpression::value(const State& state, const StepRow& row) const {
  for (const Variable& variable : variables_) values_.find(variable.name)->second = value_of(variable, state, row);
  return Expression::parse(plain_, values_).value(state.t);
}

void StateExpression::fail(std::size_t at, const std::string& allowed) const {
  throw InputError({}, "expression", text_, fmt::format("column {}: {}", at + 1, allowed));
}

}  // namespace stickslip
