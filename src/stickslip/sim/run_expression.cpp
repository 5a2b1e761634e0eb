// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {

RunExpression::RunExpression(std::string text, const System& system, const Expression::Parameters& parameters)
    : text_(std::move(text)), system_(&system) {
  std::vector<std::string_view> columns;
  for (const StepColumn& column : step_columns()) columns.emplace_back(column.name);
  try {
    expression_ = StateExpression::parse(text_, system, parameters, columns);
  } catch (const ExpressionError& error) {
    throw InputError({}, "expression", text_, fmt::format("column {}: {}", std::max(error.column(), 1), error.what()));
  }
}

double RunExpression::value(const State& state, const StepRow& row) const {
  std::vector<double> columns;
  for (const StepColumn& column : step_columns()) {
    columns.push_back(std::visit([&row](auto member) { return static_cast<double>(row.*member); }, column.member));
  }
  return expression_.value(*system_, state.t, state.q, state.u, columns);
}

}  // namespace stickslip
