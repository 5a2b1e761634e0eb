// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/study_reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/gallery/check_study.h"
#include "stickslip/gallery/study.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

std::optional<double> to_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw InputError({path.string(), 0, 0}, "", "", "cannot be read");
  return text;
}

std::map<std::string, double> numbers_of(const std::map<std::string, std::string>& given) {
  std::map<std::string, double> numbers;
  for (const auto& [key, text] : given) {
    if (const std::optional<double> number = to_number(text)) numbers[key] = *number;
  }
  return numbers;
}

class StudyReader {
 public:
  StudyReader(std::string_view text, const fs::path& path) : path_(path) {
    document_.texts = {path.string()};
    document_.root = parse_toml(text, 0, path.string());
    document_.root.mark = {0, 1, 1};
  }

  Study read() {
    const TableReader top(context_, document_.root, "");
    top.allow({"stickslip_study", "title", "source", "constants", "series", "runs", "analyses", "figures", "values"});
    require_version(top, "stickslip_study");
    study_.name = path_.stem().string();
    study_.folder = path_.parent_path();
    study_.title = top.string("title", "what is studied");
    study_.source = top.string("source", "a source: \"[Key], section 4, figure 9\"");
    if (const TomlValue* constants = top.find("constants")) read_constants(*constants);
    if (const TomlValue* series = top.find("series")) read_series(*series);
    for_each_entry(top, "runs", [&](const TableReader& t, const auto& given) { read_run(t, given); });
    for_each_entry(top, "analyses", [&](const TableReader& t, const auto& given) { read_analysis(t, given); });
    for_each_entry(top, "figures", [&](const TableReader& t, const auto&) { read_figure(t); });
    for_each_entry(top, "values", [&](const TableReader& t, const auto&) { read_value(t); });
    check_study(study_);
    return std::move(study_);
  }

  std::string read_source() {
    const TableReader top(context_, document_.root, "");
    top.allow({"stickslip_gallery", "source"});
    require_version(top, "stickslip_gallery");
    return top.string("source", "what the gallery shows: \"[Key], section 4: ...\"");
  }

 private:
  static void require_version(const TableReader& top, std::string_view key) {
    const auto* version = std::get_if<std::int64_t>(&top.require(key, "the version of the format, 1").content);
    if (version == nullptr || *version != 1) top.fail(key, "1, the version of the format");
  }

  template <class Read>
  void for_each_entry(const TableReader& top, const char* key, Read&& read) {
    const TomlValue* list = top.find(key);
    if (list == nullptr) return;
    if (list->array() == nullptr) top.fail(key, fmt::format("an array of tables, [[{}]]", key));
    for (std::size_t i = 0; i < list->array()->size(); ++i) {
      const std::string path = fmt::format("{}[{}]", key, i);
      for (const EachEntry& entry : expand_each(document_, (*list->array())[i], path)) {
        read(TableReader(context_, entry.table, path), entry.given);
      }
    }
  }

  void read_constants(const TomlValue& value) {
    const TableReader table(context_, value, "constants");
    for (const TomlEntry& entry : table.entries()) {
      study_.constants[entry.key] = table.number(entry.key, kAnyNumber, "");
    }
  }

  void read_series(const TomlValue& value) {
    const TableReader table(context_, value, "series");
    for (const TomlEntry& entry : table.entries()) study_.series[entry.key] = formula(table, entry.key);
  }

  std::vector<std::string> texts(const TableReader& table, std::string_view key) const {
    std::vector<std::string> result;
    const TomlValue* value = table.find(key);
    if (value == nullptr) return result;
    if (value->array() == nullptr) table.fail(key, "an array of texts");
    for (const TomlValue& element : *value->array()) {
      if (element.string() == nullptr) table.fail_at(element, table.path_of(key), "a text");
      result.push_back(*element.string());
    }
    return result;
  }

  StudyFormula formula_of(const TableReader& table, const TomlValue& value, const std::string& key) const {
    StudyFormula result;
    result.place = document_.place(value.mark);
    result.key = key;
    if (value.string() != nullptr) {
      result.text = *value.string();
    } else if (std::holds_alternative<double>(value.content) || std::holds_alternative<std::int64_t>(value.content)) {
      result.text = write_toml_value(value);
    } else {
      table.fail_at(value, key, "a number or a formula");
    }
    parse(result);
    return result;
  }

  StudyFormula formula(const TableReader& table, std::string_view key) const {
    return formula_of(table, table.require(key, "a number or a formula"), table.path_of(key));
  }

  static void parse(StudyFormula& f) {
    try {
      f.formula = parse_formula(f.text);
    } catch (const FormulaError& error) {
      throw InputError(f.place, f.key, fmt::format("\"{}\"", f.text),
                       fmt::format("column {}: {}", error.column(), error.what()));
    }
  }

  std::string optional_text(const TableReader& table, std::string_view key) const {
    return table.has(key) ? table.string(key, "a text") : "";
  }

  void claim_name(const TableReader& table, const std::string& name) {
    // A result's file has it.
    if (name.empty() || name.find_first_of("/'*{}") != std::string::npos) {
      table.fail("name", "a name without / ' * { }");
    }
    if (!names_.insert(name).second) table.fail("name", "a name that no other run or analysis of the study has");
  }

  void read_run(const TableReader& table, const std::map<std::string, std::string>& given) {
    table.allow({"name", "scene", "set", "elsewhere", "problems", "each"});
    GalleryRun run;
    run.scene = table.string("scene", "a scene that ships, without .toml");
    run.name = table.has("name") ? table.string("name", "a text") : fs::path(run.scene).filename().string();
    claim_name(table, run.name);
    run.overrides = texts(table, "set");
    run.elsewhere = optional_text(table, "elsewhere");
    run.keeps_problems = table.boolean_or("problems", false);
    run.given = numbers_of(given);
    run.folder = study_.folder;
    run.place = document_.place(table.find("scene")->mark);
    study_.runs.push_back(std::move(run));
  }

  void read_analysis(const TableReader& table, const std::map<std::string, std::string>& given) {
    table.allow({"name", "scene", "set", "sweep", "level", "delta", "zeta", "time", "each"});
    GalleryAnalysis analysis;
    analysis.name = table.string("name", "a text");
    claim_name(table, analysis.name);
    analysis.scene = table.string("scene", "a scene that ships, without .toml");
    analysis.overrides = texts(table, "set");
    analysis.sweeps = texts(table, "sweep");
    if (table.has("level")) {
      constexpr std::array kLevels = {AnalysisLevel::step, AnalysisLevel::acceleration, AnalysisLevel::relaxation};
      std::array<std::string_view, kLevels.size()> names;
      for (std::size_t i = 0; i < kLevels.size(); ++i) names[i] = level_name(kLevels[i]);
      const std::string chosen = table.choice("level", names, {});
      for (std::size_t i = 0; i < kLevels.size(); ++i) {
        if (names[i] == chosen) analysis.options.level = kLevels[i];
      }
    }
    analysis.options.delta = number(table, "delta", kPositive, analysis.options.delta);
    analysis.options.damping = number(table, "zeta", kNotNegative, analysis.options.damping);
    analysis.options.time = table.optional_number("time", kAnyNumber, "s");
    analysis.given = numbers_of(given);
    analysis.folder = study_.folder;
    analysis.place = document_.place(table.find("scene")->mark);
    study_.analyses.push_back(std::move(analysis));
  }

  /// Also as a text, which `each` may have filled in.
  static double number(const TableReader& table, std::string_view key, const Range& range, double otherwise) {
    const TomlValue* value = table.find(key);
    if (value == nullptr || value->string() == nullptr) return table.number_or(key, range, "", otherwise);
    const std::optional<double> x = to_number(*value->string());
    if (!x || !range.contains(*x)) table.fail(key, range.text);
    return *x;
  }

  void read_figure(const TableReader& table) {
    table.allow({"name", "caption", "run", "columns", "curves", "each"});
    StudyFigure figure;
    figure.name = table.string("name", "a name that begins with figure_ or curve_");
    const bool is_named = figure.name.starts_with("figure_") || figure.name.starts_with("curve_");
    if (!is_named || figure.name.find('/') != std::string::npos) {
      table.fail("name", "a name that begins with figure_ or curve_, without /");
    }
    figure.caption = table.string("caption", "what it shows");
    figure.run = optional_text(table, "run");
    const TomlValue& columns = table.require("columns", kColumns);
    if (columns.array() == nullptr || columns.array()->empty()) table.fail("columns", kColumns);
    for (const TomlValue& column : *columns.array()) {
      const TomlValue::Array* parts = column.array();
      if (parts == nullptr || parts->size() != 3 || (*parts)[0].string() == nullptr ||
          (*parts)[1].string() == nullptr) {
        table.fail_at(column, table.path_of("columns"), kColumns);
      }
      figure.columns.push_back(
          {*(*parts)[0].string(), *(*parts)[1].string(), formula_of(table, (*parts)[2], table.path_of("columns"))});
    }
    read_curves(table, figure);
    study_.figures.push_back(std::move(figure));
  }

  void read_curves(const TableReader& table, StudyFigure& figure) {
    const TomlValue* curves = table.find("curves");
    if (curves == nullptr) return;
    if (curves->array() == nullptr) table.fail("curves", "an array of tables {name, x, y}");
    for (const TomlValue& value : *curves->array()) {
      const TableReader curve(context_, value, table.path_of("curves"));
      curve.allow({"name", "of", "x", "y", "by", "style"});
      FigureCurve read;
      read.name = curve.string("name", "what it is");
      read.of = optional_text(curve, "of");
      read.x = curve.string("x", "the name of a column");
      read.y = curve.string("y", "the name of a column");
      read.by = optional_text(curve, "by");
      constexpr std::array<std::string_view, 3> kStyles = {"line", "points", "both"};
      if (curve.has("style")) read.style = curve.choice("style", kStyles, {});
      figure.curves.push_back(std::move(read));
    }
  }

  void read_marks(const TableReader& table, StudyValue& value) const {
    constexpr const char* kAllowed = "an array of [figure, x, y], x and y formulas, or \"\" for one of them";
    const TomlValue* marks = table.find("marks");
    if (marks == nullptr) return;
    if (marks->array() == nullptr) table.fail("marks", kAllowed);
    for (const TomlValue& mark : *marks->array()) {
      const TomlValue::Array* parts = mark.array();
      if (parts == nullptr || parts->size() != 3 || (*parts)[0].string() == nullptr) {
        table.fail_at(mark, table.path_of("marks"), kAllowed);
      }
      StudyMark read;
      read.figure = *(*parts)[0].string();
      const auto place = [&](const TomlValue& part) -> std::optional<StudyFormula> {
        if (part.string() != nullptr && part.string()->empty()) return std::nullopt;
        return formula_of(table, part, table.path_of("marks"));
      };
      read.x = place((*parts)[1]);
      read.y = place((*parts)[2]);
      if (!read.x && !read.y) table.fail_at(mark, table.path_of("marks"), kAllowed);
      value.marks.push_back(std::move(read));
    }
  }

  void read_value(const TableReader& table) {
    table.allow({"quantity", "unit", "run", "ours", "published", "stated", "analytic", "reference", "tolerance",
                 "reason", "explains", "marks", "each"});
    StudyValue value;
    value.quantity = table.string("quantity", "what is compared");
    value.unit = optional_text(table, "unit");
    value.run = optional_text(table, "run");
    value.ours = formula(table, "ours");
    read_expected(table, value);
    if (table.has("reason")) {
      value.reason = table.string("reason", "a text");
      find_formulas(table, value);
      read_explains(table, value);
    } else if (table.has("explains")) {
      table.fail("explains", "beside a reason");
    }
    read_marks(table, value);
    study_.values.push_back(std::move(value));
  }

  void read_explains(const TableReader& table, StudyValue& value) const {
    const TomlValue& bounds = table.require("explains", kExplains);
    if (bounds.array() == nullptr) return value.explains.push_back(formula(table, "explains"));
    if (bounds.array()->size() != 2) table.fail("explains", kExplains);
    for (const TomlValue& bound : *bounds.array()) {
      value.explains.push_back(formula_of(table, bound, table.path_of("explains")));
    }
  }

  void read_expected(const TableReader& table, StudyValue& value) const {
    constexpr const char* kAllowed = "exactly one of published, stated, analytic, reference";
    int n = 0;
    for (const auto& [key, origin] : {std::pair{"published", Origin::published},
                                      {"stated", Origin::published},
                                      {"analytic", Origin::analytic},
                                      {"reference", Origin::reference}}) {
      if (!table.has(key)) continue;
      if (++n > 1) table.fail(key, kAllowed);
      value.origin = origin;
      value.expected = formula(table, key);
      if (std::string_view(key) != "published") continue;
      value.printed = table.string(key, "a number as it is printed, in quotation marks");
      if (value.expected.formula.kind != Formula::Kind::number &&
          !(value.expected.formula.text == "neg" && value.expected.formula.args[0].kind == Formula::Kind::number)) {
        table.fail(key, "a number as it is printed, in quotation marks");
      }
    }
    if (n == 0) table.require("published", kAllowed);
    if (table.has("tolerance")) {
      value.tolerance = formula(table, "tolerance");
    } else if (value.printed.empty() || value.printed.find_first_of("eE") != std::string::npos) {
      table.require("tolerance",
                    "a number >= 0, or a formula: published numbers alone, in decimals, have digits to go by");
    }
  }

  void find_formulas(const TableReader& table, StudyValue& value) const {
    for (std::size_t at = value.reason.find("${"); at != std::string::npos; at = value.reason.find("${", at)) {
      const std::size_t end = value.reason.find('}', at);
      if (end == std::string::npos) table.fail("reason", "a text in which each ${ has its }");
      StudyFormula f;
      f.text = value.reason.substr(at + 2, end - at - 2);
      f.key = table.path_of("reason");
      f.place = document_.place(table.find("reason")->mark);
      parse(f);
      value.in_reason.push_back(std::move(f));
      at = end;
    }
  }

  static constexpr const char* kExplains =
      "a number, or a formula: the largest difference that the reason accounts for, in the unit of the quantity; "
      "or [least, largest] of ours less what is expected";
  static constexpr const char* kColumns = "an array of columns, each [name, unit, formula]";

  fs::path path_;
  Document document_;
  Scene scene_;  // that readers of tables ask for; it has no parameters
  ReadContext context_{document_, scene_, false};
  Study study_;
  std::set<std::string> names_;
};

}  // namespace

Study parse_study(std::string_view text, const fs::path& path) {
  return StudyReader(text, path).read();
}

Study load_study(const fs::path& path) {
  return parse_study(read_all(path), path);
}

std::string load_gallery_source(const fs::path& path) {
  return StudyReader(read_all(path), path).read_source();
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::published:
      return "published";
    case Origin::analytic:
      return "analytic";
    case Origin::reference:
      return "reference";
  }
  return "";
}

}  // namespace stickslip
