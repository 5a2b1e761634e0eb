// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/gallery/comparison.h"
#include "stickslip/gallery/number_table.h"
#include "stickslip/gallery/run_data.h"
#include "stickslip/gallery/study.h"

namespace stickslip {

/// A run or an analysis of a study, with what came of it.
struct StudySource {
  std::string name;
  std::map<std::string, double> given;  // its own names in formulas
  std::unique_ptr<ColumnSource> columns;
  bool is_whole = true;  // false: it ended early, and what it did not reach is NaN
};

/// Evaluates the formulas of a study. A name is, in this order: a number that the `each` of the run gives that is read
/// from, pi, a constant, a series, which is evaluated for that run. A text that begins with '/' is a column of the
/// result (RunData, AnalysisData), any other a file of numbers beside the study, with the name of a column in brackets.
/// over('name_*', formula) is a column: the number that the formula is for each run of such a name, in order.
class Evaluator {
 public:
  /// Sources in the order of the study, runs before analyses. All must outlive this.
  Evaluator(const Study& study, const std::vector<StudySource>& sources) : study_(study), sources_(sources) {}

  /// run: what formulas read from, empty: the first. Throws InputError at the formula's place.
  Series evaluate(const StudyFormula& formula, const std::string& run = "");
  /// The same; a column in the place of a number is an error. NaN where a run that ended early cannot tell.
  double number(const StudyFormula& formula, const std::string& run = "");
  /// The differences that the reason of a value accounts for, from and to; 0 without one. Throws InputError where they
  /// are not finite, though all runs are whole, or none: a bound below zero, or the larger first.
  std::pair<double, double> explained(const StudyValue& value);
  /// A number of the place of a mark, where `expected` has this value.
  double place(const StudyFormula& formula, double expected, const std::string& run);

 private:
  static constexpr std::size_t kNoSource = static_cast<std::size_t>(-1);

  std::size_t find_source(const std::string& name) const;
  Series eval(const Formula& node, std::size_t source);
  Series eval_name(const Formula& node, std::size_t source);
  Series eval_source(const Formula& node, std::size_t source);
  Series eval_call(const Formula& node, std::size_t source);
  Series eval_over(const Formula& node);
  bool all_whole() const;

  const Study& study_;
  const std::vector<StudySource>& sources_;
  std::optional<double> expected_;
  std::map<std::pair<std::size_t, std::string>, Series> columns_;  // that were read, by source and path
  std::map<std::pair<std::size_t, std::string>, Series> series_;   // that were evaluated, by source and name
  std::map<std::string, NumberTable> tables_;
};

/// Figures and comparisons of a study from its results. Throws InputError at the formula that cannot be evaluated.
StudyPage evaluate_study(const Study& study, const std::vector<StudySource>& sources);

}  // namespace stickslip
