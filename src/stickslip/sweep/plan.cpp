// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/table_reader.h"
#include "stickslip/sweep/portable_scene.h"
#include "stickslip/sweep/random_draw.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPlanVersion = 1;
constexpr std::uintmax_t kMaxPlanBytes = std::uintmax_t{256} << 20;  // a list of 1e7 numbers with all digits

constexpr Range kAnyTime = {.text = "a time"};

/// A whole number from `least` to `most`.
std::int64_t read_count(const TableReader& reader, const TomlValue& value, const std::string& path, std::int64_t least,
                        std::int64_t most) {
  const std::optional<std::int64_t> n = reader.integer_from(value, path);
  if (!n || *n < least || *n > most)
    reader.fail_at(value, path, fmt::format("a whole number from {} to {}", least, most));
  return *n;
}

std::int64_t read_count_or(const TableReader& reader, std::string_view key, std::int64_t least, std::int64_t most,
                           std::int64_t otherwise) {
  const TomlValue* value = reader.find(key);
  return value == nullptr ? otherwise : read_count(reader, *value, reader.path_of(key), least, most);
}

std::string read_expression(const TableReader& reader, std::string_view key) {
  constexpr const char* kAllowed = "an expression of state: \"z(ball)\"";
  const std::string& text = reader.string(key, kAllowed);
  if (text.empty()) reader.fail(key, kAllowed);
  return text.starts_with('=') ? text.substr(1) : text;
}

/// n numbers from a to b, both included, evenly spaced or with even ratios.
std::vector<double> read_grid(const TableReader& reader, std::string_view key, bool is_log) {
  const std::string allowed = is_log ? "[first, last, number], both above 0" : "[first, last, number]";
  const TomlValue& value = reader.require(key, allowed);
  const TomlValue::Array* array = value.array();
  if (array == nullptr || array->size() != 3) reader.fail(key, allowed);
  const auto path = [&](int i) { return fmt::format("{}[{}]", reader.path_of(key), i); };
  const Range& range = is_log ? kPositive : kAnyNumber;
  const double a = reader.number_from((*array)[0], path(0), range, "");
  const double b = reader.number_from((*array)[1], path(1), range, "");
  const std::int64_t n = read_count(reader, (*array)[2], path(2), 1, SweepPlan::kMostRows);
  std::vector<double> values(static_cast<std::size_t>(n), a);
  const double steps = static_cast<double>(n - 1);
  for (std::int64_t k = 1; k < n; ++k) {
    const auto i = static_cast<double>(k);
    values[static_cast<std::size_t>(k)] = is_log ? a * std::pow(b / a, i / steps) : a + i * ((b - a) / steps);
  }
  if (n > 1) values.back() = b;
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) reader.fail(key, allowed + ", finite");
  return values;
}

SweepColumn read_column(const TableReader& reader, const TomlEntry& entry) {
  SweepColumn column;
  column.name = entry.key;
  reader.allow({"key", "grid", "log", "list", "uniform", "normal"});
  column.key = "parameters." + column.name;
  column.mark = entry.mark;
  if (reader.has("key")) {
    column.key = reader.string("key", "the path of a key of the scene: \"contacts.c.friction\"");
    column.mark = reader.find("key")->mark;
    column.has_key = true;
  }
  constexpr std::string_view kKinds[] = {"grid", "log", "list", "uniform", "normal"};
  const auto n_kinds = std::ranges::count_if(kKinds, [&](std::string_view kind) { return reader.has(kind); });
  if (n_kinds != 1) {
    const auto kind = std::ranges::find_if(kKinds, [&](std::string_view k) { return reader.has(k); });
    const char* allowed = "one of grid, log, list, uniform, normal";
    if (kind != std::end(kKinds)) reader.fail(*kind, allowed);
    reader.fail_at(entry.value, reader.path(), allowed);
  }
  if (reader.has("grid")) column.values = read_grid(reader, "grid", false);
  if (reader.has("log")) column.values = read_grid(reader, "log", true);
  if (reader.has("list")) {
    column.kind = SweepColumn::Kind::list;
    column.values = reader.numbers("list", kAnyNumber, "");
    if (column.values.empty()) reader.fail("list", "at least one number");
  }
  if (reader.has("uniform")) {
    column.kind = SweepColumn::Kind::uniform;
    const auto [least, most] = reader.pair_of_numbers("uniform", kAnyNumber, "");
    if (!(least < most) || !std::isfinite(most - least)) reader.fail("uniform", "[least, most], least < most");
    column.first = least;
    column.second = most;
  }
  if (reader.has("normal")) {
    column.kind = SweepColumn::Kind::normal;
    const auto [mean, deviation] = reader.pair_of_numbers("normal", kAnyNumber, "");
    constexpr double kFarthest = 9.0;  // [-] deviations of the least number that is drawn
    if (!(deviation > 0.0) || !std::isfinite(std::abs(mean) + kFarthest * deviation)) {
      reader.fail("normal", "[mean, standard deviation], the deviation > 0");
    }
    column.first = mean;
    column.second = deviation;
  }
  return column;
}

void read_times(const TableReader& reader, SweepQuantity& quantity) {
  quantity.take = SweepQuantity::Take::at;
  quantity.is_list = reader.find("at")->array() != nullptr;
  quantity.times =
      quantity.is_list ? reader.numbers("at", kAnyTime, "s") : std::vector<double>{reader.number("at", kAnyTime, "s")};
  if (quantity.times.empty()) reader.fail("at", "at least one time [s]");
}

void read_crossings(const TableReader& reader, SweepQuantity& quantity) {
  quantity.take = SweepQuantity::Take::crossings;
  quantity.when = read_expression(reader, "when");
  quantity.when_mark = reader.find("when")->mark;
  quantity.is_list = reader.has("count");
  quantity.count = read_count_or(reader, "count", 1, SweepPlan::kMostRows, 1);
  quantity.after = reader.number_or("after", kAnyTime, "s", quantity.after);
}

SweepQuantity read_quantity(const TableReader& quantities, const TomlEntry& entry) {
  SweepQuantity quantity;
  quantity.name = entry.key;
  quantity.value_mark = entry.value.mark;
  quantity.is_short = entry.value.table() == nullptr;
  if (quantity.is_short) {
    quantity.value = read_expression(quantities, entry.key);
    return quantity;
  }
  const TableReader reader(quantities.context(), entry.value, quantities.path_of(entry.key));
  reader.allow({"value", "take", "at", "when", "count", "after"});
  quantity.value = read_expression(reader, "value");
  quantity.value_mark = reader.find("value")->mark;
  if (reader.has("take") + reader.has("at") + reader.has("when") > 1) {
    reader.fail(reader.has("take") ? "take" : "at", "one of take, at, when");
  }
  for (const char* key : {"count", "after"}) {
    if (reader.has(key) && !reader.has("when")) reader.fail(key, "a quantity with `when`");
  }
  if (reader.has("take")) {
    constexpr std::string_view kTakes[] = {"max", "min", "mean"};
    const std::string take = reader.choice("take", kTakes, {});
    quantity.take = take == "max"   ? SweepQuantity::Take::max
                    : take == "min" ? SweepQuantity::Take::min
                                    : SweepQuantity::Take::mean;
  }
  if (reader.has("at")) read_times(reader, quantity);
  if (reader.has("when")) read_crossings(reader, quantity);
  return quantity;
}

/// The text of a plan. Throws InputError.
std::string read_plan_file(const fs::path& path) {
  const auto refuse = [&](const std::string& why) { throw InputError({path.string()}, "", "", why); };
  std::error_code error;
  if (fs::is_directory(path, error)) refuse("a directory, not a plan");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > kMaxPlanBytes)
    refuse("a plan has at most 256 MiB");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::int64_t SweepQuantity::width() const {
  if (take == Take::at) return static_cast<std::int64_t>(times.size());
  return take == Take::crossings ? count : 1;
}

std::int64_t SweepPlan::width() const {
  std::int64_t sum = 0;
  for (const SweepQuantity& quantity : quantities) sum += quantity.width();
  return sum;
}

/// Throws InputError where there are too many.
void SweepPlan::count_rows(const SweepColumn& column) {
  if (!column.values.empty()) rows_ *= static_cast<std::int64_t>(column.values.size());  // both are at most 1e7
  if (rows_ <= kMostRows) return;
  throw InputError(document.place(column.mark), "parameters." + column.name, "",
                   fmt::format("at most {} rows in all: grids x lists x samples", kMostRows));
}

void SweepPlan::order_columns() {
  for (const SweepColumn::Kind kind : {SweepColumn::Kind::grid, SweepColumn::Kind::list}) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].kind == kind) order_.push_back(c);
    }
  }
}

std::vector<double> SweepPlan::values(std::int64_t row) const {
  std::vector<double> values(columns.size());
  const auto sample = static_cast<std::uint64_t>(row % samples);
  std::int64_t rest = row / samples;
  for (auto c = order_.rbegin(); c != order_.rend(); ++c) {
    const auto n = static_cast<std::int64_t>(columns[*c].values.size());
    values[*c] = columns[*c].values[static_cast<std::size_t>(rest % n)];
    rest /= n;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const SweepColumn& column = columns[c];
    if (column.kind == SweepColumn::Kind::uniform) {
      values[c] = column.first + (column.second - column.first) * draw_uniform(seed, sample, column.name);
    } else if (column.kind == SweepColumn::Kind::normal) {
      values[c] = column.first + column.second * draw_normal(seed, sample, column.name);
    }
  }
  return values;
}

SweepPlan load_plan(const fs::path& path) {
  return parse_plan(read_plan_file(path), path.string());
}

SweepPlan parse_plan(std::string_view text, const std::string& file_name) {
  Document document;
  document.texts.push_back(file_name);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError({file_name}, "", "", "the file is empty; a plan begins with sweep = 1");
  }
  document.root = parse_toml(text, 0, file_name);
  document.root.mark = {0, 1, 1};
  SweepPlan plan = read_plan(std::move(document));
  plan.text = text;
  return plan;
}

SweepPlan read_plan(Document document) {
  SweepPlan plan;
  plan.document = std::move(document);
  plan.text = write_document(plan.document);
  Scene scene;  // without parameters: expressions of plans are numbers
  ReadContext context{plan.document, scene, false};
  const TableReader reader(context, plan.document.root, "");
  const std::string allowed = fmt::format("must be {}, the version of the format of plans", kPlanVersion);
  const auto* version = std::get_if<std::int64_t>(&reader.require("sweep", allowed).content);
  if (version == nullptr || *version != kPlanVersion) reader.fail("sweep", allowed);
  reader.allow({"sweep", "scene", "set", "samples", "seed", "parameters", "quantities"});
  constexpr const char* kScene = "the file of a scene, beside the plan";
  plan.scene = reader.string("scene", kScene);
  if (plan.scene.empty() || plan.scene.find('\0') != std::string::npos) reader.fail("scene", kScene);
  plan.scene_mark = reader.find("scene")->mark;
  if (reader.has("set")) {
    const TableReader set(context, *reader.find("set"), "set");
    for (const TomlEntry& entry : set.entries()) {
      plan.set.push_back({entry.key + "=" + write_toml_value(entry.value), entry.key, entry.value.mark});
    }
  }
  plan.samples = read_count_or(reader, "samples", 1, SweepPlan::kMostRows, 1);
  plan.rows_ = plan.samples;
  plan.seed = static_cast<std::uint64_t>(read_count_or(reader, "seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  if (reader.has("parameters")) {
    const TableReader parameters(context, *reader.find("parameters"), "parameters");
    std::set<std::string, std::less<>> keys;
    for (const TomlEntry& entry : parameters.entries()) {
      check_name(entry.key, plan.document.place(entry.mark), parameters.path_of(entry.key));
      const TableReader table(context, entry.value, parameters.path_of(entry.key));
      plan.columns.push_back(read_column(table, entry));
      plan.count_rows(plan.columns.back());
      if (keys.insert(plan.columns.back().key).second) continue;
      throw InputError(plan.document.place(plan.columns.back().mark), parameters.path_of(entry.key),
                       plan.columns.back().key, "a key of the scene that no other column sets");
    }
  }
  if (reader.has("quantities")) {
    const TableReader quantities(context, *reader.find("quantities"), "quantities");
    for (const TomlEntry& entry : quantities.entries()) {
      check_name(entry.key, plan.document.place(entry.mark), quantities.path_of(entry.key));
      plan.quantities.push_back(read_quantity(quantities, entry));
      if (plan.width() <= SweepPlan::kMostNumbers / plan.rows()) continue;
      quantities.fail(entry.key, fmt::format("at most {} numbers in all rows", SweepPlan::kMostNumbers));
    }
  }
  plan.order_columns();
  return plan;
}

}  // namespace stickslip
