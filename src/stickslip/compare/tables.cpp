// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "stickslip/base/build_info.h"
#include "stickslip/base/json.h"
#include "stickslip/compare/compare.h"
#include "stickslip/report/report.h"

namespace stickslip {
namespace {

constexpr std::array kTitles = {"scheme",         "solver",      "step, s",         "exit",          "steps",
                                "cost, s",        "position, m", "order",           "velocity, m/s", "order",
                                "penetration, m", "drift, m",    "energy error, J", "residual, m/s"};
using Cells = std::array<std::string, kTitles.size()>;

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}g}", *value, digits) : "-";
}

Cells make_cells(const CompareRow& row) {
  Cells cells;
  cells.fill("-");
  cells[0] = row.scheme;
  cells[1] = row.solver;
  cells[2] = row.step == 0.0 ? "auto" : fmt::format("{:.4g}", row.step);
  cells[3] = row.is_refused ? "refused" : fmt::format("{}", exit_status(row.outcome));
  if (row.is_refused) return cells;
  cells[4] = fmt::format("{}", row.steps);
  cells[5] = fmt::format("{:.3g}", row.cost_seconds);
  cells[6] = cell(row.error.position, 3);
  cells[7] = cell(row.order_position, 2);
  cells[8] = cell(row.error.velocity, 3);
  cells[9] = cell(row.order_velocity, 2);
  cells[10] = cell(row.penetration, 2);
  cells[11] = cell(row.drift, 2);
  cells[12] = cell(row.energy_error, 2);
  cells[13] = cell(row.residual, 2);
  return cells;
}

std::string describe_reference(const SchemeComparison& comparison) {
  if (comparison.reference.empty()) return "No errors: there is no reference but the run itself.\n";
  return fmt::format("Errors are against {}: the largest over bodies and rows.\n", comparison.reference);
}

/// Why runs were refused or did not reach their ends, a line each.
std::string describe_messages(const SchemeComparison& comparison, std::string_view bullet) {
  std::string text;
  for (const CompareRow& row : comparison.rows) {
    if (row.message.empty()) continue;
    text += fmt::format("{}{}, {}, {}: {}\n", bullet, row.scheme, row.solver,
                        row.step == 0.0 ? "auto" : fmt::format("{:.4g} s", row.step), row.message);
  }
  return text;
}

std::string json_of(const std::optional<double>& value) {
  return to_json(value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

std::string to_text(const SchemeComparison& comparison) {
  std::vector<Cells> table(1);
  std::ranges::copy(kTitles, table[0].begin());
  std::ranges::transform(comparison.rows, std::back_inserter(table), make_cells);
  std::array<std::size_t, kTitles.size()> widths = {};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += i < 2 ? fmt::format("{:<{}}  ", cells[i], widths[i]) : fmt::format("{:>{}}  ", cells[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text + describe_reference(comparison) + describe_messages(comparison, "");
}

std::string to_markdown(const SchemeComparison& comparison) {
  std::string text = fmt::format("| {} |\n|", fmt::join(kTitles, " | "));
  for (std::size_t i = 0; i < kTitles.size(); ++i) text += i < 2 ? "---|" : "---:|";
  text += '\n';
  for (const CompareRow& row : comparison.rows) text += fmt::format("| {} |\n", fmt::join(make_cells(row), " | "));
  text += '\n' + describe_reference(comparison);
  const std::string messages = describe_messages(comparison, "- ");
  return messages.empty() ? text : text + '\n' + messages;
}

std::string to_json(const SchemeComparison& comparison) {
  std::string rows;
  for (const CompareRow& row : comparison.rows) {
    const double known = row.is_refused ? std::numeric_limits<double>::quiet_NaN() : 0.0;  // adds nothing, or all
    rows += fmt::format(
        "{}\n  {{\"scheme\": {}, \"solver\": {}, \"step\": {}, \"exit\": {}, \"steps\": {}, \"cost_seconds\": {}, "
        "\"error\": {{\"position\": {}, \"velocity\": {}}}, \"order\": {{\"position\": {}, \"velocity\": {}}}, "
        "\"penetration\": {}, \"drift\": {}, \"energy_error\": {}, \"residual\": {}, \"message\": {}}}",
        rows.empty() ? "" : ",", to_json(row.scheme), to_json(row.solver),
        row.step == 0.0 ? std::string("null") : to_json(row.step), row.is_refused ? 2 : exit_status(row.outcome),
        row.steps, to_json(row.cost_seconds + known), json_of(row.error.position), json_of(row.error.velocity),
        json_of(row.order_position), json_of(row.order_velocity), to_json(row.penetration + known),
        to_json(row.drift + known), to_json(row.energy_error + known), to_json(row.residual + known),
        to_json(row.message));
  }
  return fmt::format("{{\"reference\": {}, \"rows\": [{}\n]}}\n", to_json(comparison.reference), rows);
}

std::string to_html(const SchemeComparison& comparison, const std::string& scene) {
  const std::string made = fmt::format("Made by stickslip {}, commit {}, {}.", version(), commit(), compiler());
  return fill_page(tables_template(),
                   make_json_element("comparison", fmt::format("{{\"scene\":{},\"made\":{},\"comparison\":{}}}",
                                                               to_json(scene), to_json(made), to_json(comparison))));
}

}  // namespace stickslip
