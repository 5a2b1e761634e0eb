// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/state_expression.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/base/nearest.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

using Quantity = StateVariable::Quantity;

/// Finds the variables that quantities are, and lists them.
class VariableReader final : public QuantityReader {
 public:
  VariableReader(const System& system, std::span<const std::string_view> given) : system_(system), given_(given) {}

  int find(const NamedQuantity& quantity) override;
  int find_sensor(const NamedQuantity& quantity);
  int find(std::string_view name) override;
  std::vector<StateVariable>& variables() { return variables_; }

 private:
  StateVariable make_variable(const NamedQuantity& quantity) const;
  StateVariable make_joint_variable(const NamedQuantity& quantity) const;
  int number_of(const StateVariable& variable, int column);

  const System& system_;
  std::span<const std::string_view> given_;
  std::vector<StateVariable> variables_;
};

[[noreturn]] void fail_unknown(const char* what, const NamedQuantity& quantity,
                               const std::vector<std::string_view>& known) {
  const std::string nearest = nearest_name(quantity.name, known);
  throw ExpressionError(quantity.name_column, std::string("no ") + what + " '" + quantity.name + "'" +
                                                  (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

int VariableReader::number_of(const StateVariable& variable, int column) {
  const auto found = std::ranges::find(variables_, variable);
  if (found != variables_.end()) return static_cast<int>(found - variables_.begin()) + 1;
  if (variables_.size() == StateExpression::kMaxVariables) {
    throw ExpressionError(column, "an expression has at most " + std::to_string(StateExpression::kMaxVariables) +
                                      " different quantities of the state");
  }
  variables_.push_back(variable);
  return static_cast<int>(variables_.size());
}

int VariableReader::find(std::string_view name) {
  const auto found = std::ranges::find(given_, name);
  if (found == given_.end()) return 0;
  return number_of({Quantity::given, static_cast<int>(found - given_.begin()), 0}, 0);
}

/// Number i of a sensor is given by the name sensor/NAME/i, which no expression can write.
int VariableReader::find_sensor(const NamedQuantity& quantity) {
  constexpr std::string_view kOfSensor = "sensor/";
  const std::string of_this = std::string(kOfSensor) + quantity.name + "/";
  std::vector<std::string_view> known;
  int n = 0;
  for (const std::string_view name : given_) {
    if (!name.starts_with(kOfSensor)) continue;
    n += name.starts_with(of_this) ? 1 : 0;
    known.push_back(name.substr(kOfSensor.size(), name.rfind('/') - kOfSensor.size()));
  }
  if (known.empty()) {
    throw ExpressionError(quantity.function_column,
                          "sensors are read by what observes a run of a scene with sensors, by nothing else");
  }
  if (n == 0) fail_unknown("sensor", quantity, known);
  if (quantity.number > n) {
    throw ExpressionError(quantity.number_column, "one of the numbers of '" + quantity.name + "', 1 to " +
                                                      std::to_string(n) + ", found " + std::to_string(quantity.number));
  }
  return find(of_this + std::to_string(std::max(quantity.number, 1)));
}

int VariableReader::find(const NamedQuantity& quantity) {
  if (quantity.function == "sensor") return find_sensor(quantity);
  const bool is_of_joint = quantity.function == "coordinate" || quantity.function == "rate";
  return number_of(is_of_joint ? make_joint_variable(quantity) : make_variable(quantity), quantity.function_column);
}

StateVariable VariableReader::make_joint_variable(const NamedQuantity& quantity) const {
  const int index = system_.find_joint(quantity.name);
  if (index < 0) {
    std::vector<std::string_view> known;
    for (const Joint& joint : system_.joints()) known.push_back(joint.options.name);
    fail_unknown("joint", quantity, known);
  }
  const int n = system_.joints()[index].n_coordinates;
  if (n == 0) throw ExpressionError(quantity.name_column, "joint '" + quantity.name + "' has no coordinate");
  if (quantity.number > n) {
    throw ExpressionError(quantity.number_column, "the number of a coordinate of '" + quantity.name + "', 1 to " +
                                                      std::to_string(n) + ", found " + std::to_string(quantity.number));
  }
  return {quantity.function == "rate" ? Quantity::rate : Quantity::coordinate, index, std::max(quantity.number - 1, 0)};
}

StateVariable VariableReader::make_variable(const NamedQuantity& quantity) const {
  const std::string& function = quantity.function;
  const int index = system_.find_body(quantity.name);
  if (index < 0) {
    std::vector<std::string_view> known;
    for (const Body& body : system_.bodies()) known.push_back(body.name);
    fail_unknown("body", quantity, known);
  }
  const auto refuse = [&](const std::string& why) { throw ExpressionError(quantity.function_column, why); };
  if (quantity.number > 0) throw ExpressionError(quantity.number_column, "only joints have numbered coordinates");
  if (function == "phi" || function == "omega") {
    if (system_.bodies()[index].type != BodyType::planar) refuse("'" + quantity.name + "' is no planar body");
    return {function == "phi" ? Quantity::angle : Quantity::angular_velocity, index, 2};
  }
  const int component = function.back() - 'x';
  if (function.starts_with("omega_")) {
    if (system_.planar()) refuse(function + " is of bodies in space; in the plane there is omega");
    const BodyType type = system_.bodies()[index].type;
    if (type == BodyType::point) refuse("'" + quantity.name + "' is a point, which does not turn");
    return {Quantity::angular_velocity, index, component};
  }
  if (system_.planar() && component == 2) refuse(function + " is of bodies in space");
  return {function.front() == 'v' ? Quantity::velocity : Quantity::position, index, component};
}

}  // namespace

StateExpression StateExpression::parse(std::string_view text, const System& system,
                                       const Expression::Parameters& parameters,
                                       std::span<const std::string_view> given) {
  VariableReader reader(system, given);
  StateExpression result(Expression::parse(text, parameters, &reader));
  result.variables_ = std::move(reader.variables());
  return result;
}

void StateExpression::differentiate() {
  slopes_.clear();
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    slopes_.push_back(expression_.derivative(static_cast<int>(k) + 1));
  }
}

StateExpression::Arguments::Arguments(const StateExpression& expression, const System& system, double t,
                                      const Vector& q, const Vector& u, std::span<const double> given) {
  x_[0] = t;
  double* next = x_ + 1;
  for (const StateVariable& variable : expression.variables_) {
    *next++ = variable.quantity == Quantity::given ? given[static_cast<std::size_t>(variable.index)]
                                                   : system.calc_variable(variable, t, q, u);
  }
}

double StateExpression::value(const System& system, double t, const Vector& q, const Vector& u,
                              std::span<const double> given) const {
  if (variables_.empty()) return expression_.value(t);
  return value(Arguments(*this, system, t, q, u, given));
}

}  // namespace stickslip
