// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/check_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "stickslip/base/nearest.h"
#include "stickslip/gallery/evaluator.h"
#include "stickslip/gallery/number_table.h"
#include "stickslip/gallery/series.h"

namespace stickslip {
namespace {

class StudyChecker {
 public:
  explicit StudyChecker(const Study& study) : study_(study) {
    for (const GalleryRun& run : study.runs) sources_.push_back(run.name);
    for (const GalleryAnalysis& analysis : study.analyses) sources_.push_back(analysis.name);
  }

  void check() {
    for (const GalleryRun& run : study_.runs) check_given(run);
    for (const GalleryAnalysis& analysis : study_.analyses) check_given(analysis);
    for (const auto& [name, series] : study_.series) {
      check_not_reserved(name, series);
      check_own(name, series);
    }
    for (const StudyFigure& figure : study_.figures) {
      for (const StudyColumn& column : figure.columns) check_with_run(column.values, figure.run);
      for (const FigureCurve& curve : figure.curves) check_curve(curve, figure);
    }
    for (const StudyValue& value : study_.values) {
      check_with_run(value.ours, value.run);
      check_formula(value.expected);
      if (value.tolerance) check_formula(*value.tolerance);
      for (const StudyFormula& f : value.in_reason) check_formula(f);
      for (const StudyFormula& f : value.explains) check_formula(f);
      if (std::ranges::none_of(value.explains, [&](const StudyFormula& f) { return needs_run(f.formula); })) {
        static const std::vector<StudySource> kNone;
        (void)Evaluator(study_, kNone).explained(value);
      }
      for (const StudyMark& mark : value.marks) check_mark(mark, value);
    }
  }

 private:
  std::vector<std::string> figure_names() const {
    std::vector<std::string> names;
    for (const StudyFigure& figure : study_.figures) names.push_back(figure.name);
    return names;
  }

  void check_curve(const FigureCurve& curve, const StudyFigure& figure) const {
    const StudyFormula& place = figure.columns.front().values;
    const auto refuse = [&](const std::string& value, const std::string& allowed) {
      throw InputError(place.place, figure.name + ": curves: " + curve.name, value, allowed);
    };
    const auto source =
        curve.of.empty() ? study_.figures.end() : std::ranges::find(study_.figures, curve.of, &StudyFigure::name);
    if (!curve.of.empty() && source == study_.figures.end()) {
      refuse(curve.of, "a figure of the study" + hint(curve.of, figure_names()));
    }
    std::vector<std::string> columns;
    for (const StudyColumn& column : (curve.of.empty() ? figure : *source).columns) columns.push_back(column.name);
    for (const std::string& name : {curve.x, curve.y, curve.by}) {
      if (name.empty() || std::ranges::find(columns, name) != columns.end()) continue;
      refuse(name, "a column of the figure" + hint(name, columns));
    }
  }

  void check_mark(const StudyMark& mark, const StudyValue& value) {
    const StudyFormula& some = mark.x ? *mark.x : *mark.y;
    if (std::ranges::find(study_.figures, mark.figure, &StudyFigure::name) == study_.figures.end()) {
      throw InputError(some.place, some.key, mark.figure, "a figure of the study" + hint(mark.figure, figure_names()));
    }
    in_mark_ = true;
    if (mark.x) check_with_run(*mark.x, value.run);
    if (mark.y) check_with_run(*mark.y, value.run);
    in_mark_ = false;
  }

  void check_with_run(const StudyFormula& f, const std::string& run) {
    if (!run.empty() && !is_source(run)) {
      throw InputError(f.place, f.key + ": run", run, "a run or an analysis of the study" + hint(run, sources_));
    }
    check_formula(f);
  }

  /// What a run gives would hide it.
  template <class Source>
  void check_given(const Source& source) const {
    for (const auto& [name, value] : source.given) {
      if (!study_.constants.contains(name) && !study_.series.contains(name) && name != "pi") continue;
      throw InputError(source.place, "each of " + source.name, name, "a name that no constant or series has");
    }
  }

  void check_not_reserved(const std::string& name, const StudyFormula& series) const {
    if (study_.constants.contains(name) || name == "pi") {
      throw InputError(series.place, series.key, name, "a name that no constant has");
    }
  }

  void check_own(const std::string& name, const StudyFormula& series) {
    if (std::ranges::find(under_way_, name) != under_way_.end()) {
      throw InputError(series.place, series.key, fmt::format("\"{}\"", series.text),
                       "a series that does not need itself");
    }
    under_way_.push_back(name);
    check_formula(series);
    under_way_.pop_back();
  }

  void check_formula(const StudyFormula& f) {
    visit(f.formula, [&](const Formula& node, const std::string& what) {
      throw InputError(f.place, f.key, fmt::format("\"{}\"", f.text), fmt::format("column {}: {}", node.column, what));
    });
  }

  using Fail = std::function<void(const Formula&, const std::string&)>;

  void visit(const Formula& node, const Fail& fail) {
    switch (node.kind) {
      case Formula::Kind::name:
        check_name(node, fail);
        break;
      case Formula::Kind::source:
        check_source(node, fail);
        break;
      case Formula::Kind::call:
        if (node.text == "over") {
          check_over(node, fail);
          visit(node.args[1], fail);
          return;
        }
        check_call(node, fail);
        break;
      case Formula::Kind::of_run:
        if (!is_source(node.text)) fail(node, "no run or analysis has this name" + hint(node.text, sources_));
        break;
      case Formula::Kind::number:
      case Formula::Kind::operation:
      case Formula::Kind::choice:
        break;
    }
    for (const Formula& arg : node.args) visit(arg, fail);
  }

  void check_name(const Formula& node, const Fail& fail) {
    const std::string& name = node.text;
    if (name == "pi" || (in_mark_ && name == "expected") || study_.constants.contains(name)) return;
    if (const auto series = study_.series.find(name); series != study_.series.end()) {
      check_own(name, series->second);
      return;
    }
    const auto gives = [&](const auto& source) { return source.given.contains(name); };
    if (std::ranges::any_of(study_.runs, gives) || std::ranges::any_of(study_.analyses, gives)) return;
    std::vector<std::string> known = {"pi"};
    for (const auto& [key, value] : study_.constants) known.push_back(key);
    for (const auto& [key, value] : study_.series) known.push_back(key);
    fail(node, "unknown name" + hint(name, known));
  }

  void check_source(const Formula& node, const Fail& fail) const {
    if (node.text.starts_with('/')) {
      if (sources_.empty()) fail(node, "the study has no runs to read from");
      return;
    }
    const NumberTable table(study_.folder / node.text);
    if (!table.has(node.part)) {
      fail(node, fmt::format("{} has no column '{}'{}", node.text, node.part, hint(node.part, table.names())));
    }
  }

  static void check_call(const Formula& node, const Fail& fail) {
    const SeriesFunction* function = find_series_function(node.text);
    if (function == nullptr) {
      std::vector<std::string> known = {"over"};
      for (const SeriesFunction& f : series_functions()) known.emplace_back(f.name);
      fail(node, "unknown function" + hint(node.text, known));
      return;
    }
    const auto n = static_cast<int>(node.args.size());
    if (n < function->least || n > function->most) {
      fail(node, function->least == function->most
                     ? fmt::format("{} takes {} arguments", node.text, function->least)
                     : fmt::format("{} takes at least {} arguments", node.text, function->least));
    }
  }

  void check_over(const Formula& node, const Fail& fail) const {
    if (node.args.size() != 2 || node.args[0].kind != Formula::Kind::source) {
      fail(node, "over takes a pattern of run names, 'name_*', and a formula");
      return;
    }
    const std::string& pattern = node.args[0].text;
    if (std::ranges::none_of(sources_, [&](const std::string& s) { return matches_pattern(s, pattern); })) {
      fail(node.args[0], "no run or analysis has such a name");
    }
  }

  /// Whether a formula has a value only after the runs.
  bool needs_run(const Formula& node) const {
    switch (node.kind) {
      case Formula::Kind::name:
        return node.text != "pi" && !study_.constants.contains(node.text);
      case Formula::Kind::source:
        return node.text.starts_with('/');
      case Formula::Kind::of_run:
        return true;
      case Formula::Kind::call:
        if (node.text == "over") return true;
        break;
      case Formula::Kind::number:
      case Formula::Kind::operation:
      case Formula::Kind::choice:
        break;
    }
    return std::ranges::any_of(node.args, [&](const Formula& arg) { return needs_run(arg); });
  }

  bool is_source(const std::string& name) const { return std::ranges::find(sources_, name) != sources_.end(); }

  static std::string hint(const std::string& word, const std::vector<std::string>& known) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string nearest = nearest_name(word, views);
    return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  }

  const Study& study_;
  std::vector<std::string> sources_;
  bool in_mark_ = false;                // where `expected` is a number
  std::vector<std::string> under_way_;  // series that are being looked at
};

}  // namespace

bool matches_pattern(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(pattern.substr(star + 1));
}

void check_study(const Study& study) {
  StudyChecker(study).check();
}

}  // namespace stickslip
