// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "stickslip/base/assert.h"
#include "stickslip/gallery/check_study.h"

namespace stickslip {
namespace {

/// Half a unit of the last digit of a number in decimal notation without an exponent.
double half_last_digit(std::string_view printed) {
  const std::size_t point = printed.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : printed.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

/// A number as it reads, a formula's value with nine digits.
std::string print_expected(const StudyFormula& expected, double value) {
  return expected.formula.kind == Formula::Kind::number ? fmt::format("{}", value) : fmt::format("{:.9g}", value);
}

std::string fill_reason(const StudyValue& value, Evaluator& evaluator) {
  std::string text;
  std::size_t from = 0;
  for (const StudyFormula& f : value.in_reason) {
    const std::size_t at = value.reason.find("${", from);
    text += value.reason.substr(from, at - from) + fmt::format("{:.4g}", evaluator.number(f, value.run));
    from = value.reason.find('}', at) + 1;
  }
  return text + value.reason.substr(from);
}

}  // namespace

bool Comparison::agrees() const {
  // The last bit of a number that is printed with few digits decides nothing.
  constexpr double kRoundOff = 1e-12;  // [-]
  return std::abs(difference()) <= tolerance + kRoundOff * std::abs(value);
}

bool Comparison::is_explained() const {
  return !reason.empty() && difference() >= explained_from && difference() <= explained_to;
}

bool Evaluator::all_whole() const {
  return std::ranges::all_of(sources_, &StudySource::is_whole);
}

std::size_t Evaluator::find_source(const std::string& name) const {
  const auto found = std::ranges::find(sources_, name, &StudySource::name);
  STICKSLIP_ASSERT(found != sources_.end());  // check_study() has looked
  return static_cast<std::size_t>(found - sources_.begin());
}

Series Evaluator::evaluate(const StudyFormula& formula, const std::string& run) {
  const auto refuse = [&](int column, const std::string& why) {
    return InputError(formula.place, formula.key, fmt::format("\"{}\"", formula.text),
                      column > 0 ? fmt::format("column {}: {}", column, why) : why);
  };
  try {
    // Without runs, what needs none.
    return eval(formula.formula, sources_.empty() ? kNoSource : run.empty() ? 0 : find_source(run));
  } catch (const FormulaError& error) {
    throw refuse(error.column(), error.what());
  }
}

double Evaluator::number(const StudyFormula& formula, const std::string& run) {
  try {
    const Series value = evaluate(formula, run);
    if (value.is_number) return value.values[0];
    throw InputError(formula.place, formula.key, fmt::format("\"{}\"", formula.text),
                     "a number is needed here, not a column");
  } catch (const InputError&) {
    // What a run that ended early has not fits nothing.
    if (all_whole()) throw;
    return std::numeric_limits<double>::quiet_NaN();
  }
}

double Evaluator::place(const StudyFormula& formula, double expected, const std::string& run) {
  expected_ = expected;
  const double at = number(formula, run);
  expected_.reset();
  return at;
}

std::pair<double, double> Evaluator::explained(const StudyValue& value) {
  if (value.explains.empty()) return {0.0, 0.0};
  // What a run that ended early leaves open is no mistake of the file, and explains nothing.
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const auto holds = [&](bool condition, const StudyFormula& f, double x, const char* allowed) {
    if (condition || !all_whole()) return condition;
    throw InputError(f.place, f.key, fmt::format("\"{}\", which is {:.9g}", f.text, std::isnan(x) ? std::abs(x) : x),
                     allowed);
  };
  for (const StudyFormula& f : value.explains) {
    const double x = number(f, value.run);
    if (!holds(std::isfinite(x), f, x, "a finite number")) return {kNothing, kNothing};
  }
  const StudyFormula& last = value.explains.back();
  const double to = number(last, value.run);
  const bool is_interval = value.explains.size() > 1;
  const double from = is_interval ? number(value.explains.front(), value.run) : -to;
  const char* allowed =
      is_interval ? "at least the first of the two" : "a number >= 0; differences of one sign: [least, largest]";
  return holds(from <= to, last, to, allowed) ? std::pair(from, to) : std::pair(kNothing, kNothing);
}

Series Evaluator::eval(const Formula& node, std::size_t source) {
  try {
    switch (node.kind) {
      case Formula::Kind::number:
        return Series::of_number(node.number);
      case Formula::Kind::name:
        return eval_name(node, source);
      case Formula::Kind::source:
        return eval_source(node, source);
      case Formula::Kind::call:
        return eval_call(node, source);
      case Formula::Kind::of_run:
        return eval(node.args[0], find_source(node.text));
      case Formula::Kind::choice: {
        const Series condition = eval(node.args[0], source);
        if (!condition.is_number) throw SeriesError("the condition of ? is a number, not a column");
        return eval(node.args[condition.values[0] != 0.0 ? 1 : 2], source);
      }
      case Formula::Kind::operation:
        if (node.text == "neg") return operate("-", Series::of_number(0.0), eval(node.args[0], source));
        return operate(node.text, eval(node.args[0], source), eval(node.args[1], source));
    }
  } catch (const SeriesError& error) {
    throw FormulaError(node.column, error.what());
  }
  return {};
}

Series Evaluator::eval_name(const Formula& node, std::size_t source) {
  const std::string& name = node.text;
  if (source != kNoSource) {
    const auto given = sources_[source].given.find(name);
    if (given != sources_[source].given.end()) return Series::of_number(given->second);
  }
  if (name == "pi") return Series::of_number(std::numbers::pi);
  if (expected_ && name == "expected") return Series::of_number(*expected_);
  const auto constant = study_.constants.find(name);
  if (constant != study_.constants.end()) return Series::of_number(constant->second);
  const auto own = study_.series.find(name);
  if (own == study_.series.end()) throw SeriesError(fmt::format("'{}' is not given by this run", name));
  const std::pair key(source, name);
  auto known = series_.find(key);
  if (known == series_.end()) {
    Series value;
    try {
      value = eval(own->second.formula, source);
    } catch (const FormulaError& error) {
      throw SeriesError(fmt::format("in {}, column {}: {}", name, error.column(), error.what()));
    }
    known = series_.emplace(key, std::move(value)).first;
  }
  return known->second;
}

Series Evaluator::eval_source(const Formula& node, std::size_t source) {
  if (!node.text.starts_with('/')) {
    auto table = tables_.find(node.text);
    if (table == tables_.end()) table = tables_.emplace(node.text, NumberTable(study_.folder / node.text)).first;
    return {table->second.column(node.part), false, nullptr, 0.0};
  }
  STICKSLIP_ASSERT(source != kNoSource);  // check_study() has looked
  const std::pair key(source, node.text + '[' + node.part);
  auto known = columns_.find(key);
  if (known == columns_.end()) {
    known = columns_.emplace(key, sources_[source].columns->read(node.text, node.part)).first;
  }
  return known->second;
}

Series Evaluator::eval_call(const Formula& node, std::size_t source) {
  if (node.text == "over") return eval_over(node);
  std::vector<Series> arguments;
  arguments.reserve(node.args.size());
  for (const Formula& arg : node.args) arguments.push_back(eval(arg, source));
  return find_series_function(node.text)->apply(arguments);
}

Series Evaluator::eval_over(const Formula& node) {
  Series result;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!matches_pattern(sources_[i].name, node.args[0].text)) continue;
    const Series value = eval(node.args[1], i);
    if (!value.is_number) throw SeriesError("over() takes a formula that is a number for each run");
    result.values.push_back(value.values[0]);
  }
  return result;
}

StudyPage evaluate_study(const Study& study, const std::vector<StudySource>& sources) {
  Evaluator evaluator(study, sources);
  StudyPage page;
  for (const StudyFigure& figure : study.figures) {
    Figure& made = page.figures.emplace_back(Figure{figure.name, figure.caption, {}, figure.curves, figure.run, {}});
    for (const StudyColumn& column : figure.columns) {
      made.columns.push_back({column.name, column.unit, evaluator.evaluate(column.values, figure.run).values});
      if (made.columns.back().values.size() == made.columns[0].values.size()) continue;
      throw InputError(column.values.place, column.values.key, column.name,
                       fmt::format("a column of {} rows, as the first, not of {}", made.columns[0].values.size(),
                                   made.columns.back().values.size()));
    }
  }
  for (const StudyValue& value : study.values) {
    Comparison& c = page.comparisons.emplace_back();
    c.quantity = value.quantity;
    c.unit = value.unit;
    c.origin = value.origin;
    c.value = evaluator.number(value.expected, value.run);
    c.expected = value.printed.empty() ? print_expected(value.expected, c.value) : value.printed;
    c.tolerance = value.tolerance ? evaluator.number(*value.tolerance, value.run) : half_last_digit(value.printed);
    c.ours = evaluator.number(value.ours, value.run);
    c.reason = fill_reason(value, evaluator);
    std::tie(c.explained_from, c.explained_to) = evaluator.explained(value);
    for (const StudyMark& mark : value.marks) {
      const auto place = [&](const std::optional<StudyFormula>& formula) {
        return formula ? evaluator.place(*formula, c.value, value.run) : std::numeric_limits<double>::quiet_NaN();
      };
      std::ranges::find(page.figures, mark.figure, &Figure::name)
          ->marks.push_back({page.comparisons.size() - 1, place(mark.x), place(mark.y)});
    }
  }
  return page;
}

}  // namespace stickslip
