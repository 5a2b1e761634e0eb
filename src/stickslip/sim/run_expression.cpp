// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {

RunExpression::RunExpression(std::string text, const System& system, const Expression::Parameters& parameters,
                             const Sensors& sensors)
    : text_(std::move(text)), system_(&system) {
  std::vector<std::string> names;
  for (const StepColumn& column : step_columns()) names.emplace_back(column.name);
  const auto n_columns = static_cast<int>(names.size());
  for (std::size_t s = 0; s < sensors.options().size(); ++s) {
    const std::int64_t n = sensors.offsets()[s + 1] - sensors.offsets()[s];
    for (std::int64_t i = 1; i <= n; ++i) names.push_back(fmt::format("sensor/{}/{}", sensors.options()[s].name, i));
  }
  const std::vector<std::string_view> given(names.begin(), names.end());
  try {
    expression_ = StateExpression::parse(text_, system, parameters, given);
  } catch (const ExpressionError& error) {
    throw InputError({}, "expression", text_, fmt::format("column {}: {}", std::max(error.column(), 1), error.what()));
  }
  reads_sensors_ = std::ranges::any_of(expression_.variables(), [n_columns](const StateVariable& v) {
    return v.quantity == StateVariable::Quantity::given && v.index >= n_columns;
  });
}

double RunExpression::value(const State& state, const StepRow& row, std::span<const double> sensors) const {
  std::vector<double> columns;
  for (const StepColumn& column : step_columns()) {
    columns.push_back(std::visit([&row](auto member) { return static_cast<double>(row.*member); }, column.member));
  }
  columns.insert(columns.end(), sensors.begin(), sensors.end());
  return expression_.value(*system_, state.t, state.q, state.u, columns);
}

}  // namespace stickslip
