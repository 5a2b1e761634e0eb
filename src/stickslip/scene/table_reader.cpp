// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// Takes each quantity for one that there is.
class AnyQuantity final : public QuantityReader {
 public:
  using QuantityReader::find;
  int find(const NamedQuantity& /*quantity*/) override { return 1; }
};

/// Knows v, as variable 1, and nothing of the state.
class OnlySpeed final : public QuantityReader {
 public:
  int find(const NamedQuantity& quantity) override {
    throw ExpressionError(quantity.function_column, "an expression of v and of parameters: it has no quantities");
  }
  int find(std::string_view name) override { return name == "v" ? 1 : 0; }
  std::string_view variables() const override { return "v"; }
};

/// Knows x and y, as variables 1 and 2, and nothing of the state.
class OnlyPlace final : public QuantityReader {
 public:
  int find(const NamedQuantity& quantity) override {
    throw ExpressionError(quantity.function_column, "an expression of x, y and of parameters: it has no quantities");
  }
  int find(std::string_view name) override { return name == "x" ? 1 : name == "y" ? 2 : 0; }
  std::string_view variables() const override { return "x, y"; }
};

/// Whether a text names t.
bool names_time(std::string_view text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = text[i] == 't' && (i == 0 || !is_part(text[i - 1]));
    if (begins && (i + 1 == text.size() || !is_part(text[i + 1]))) return true;
  }
  return false;
}

constexpr std::size_t kMaxNameSize = 128;  // [bytes] of a name: results keep names in fixed-length fields

std::string with_unit(std::string_view text, std::string_view unit) {
  return unit.empty() ? std::string(text) : fmt::format("{} [{}]", text, unit);
}

std::string not_available(std::string_view what) {
  return fmt::format("{} is not available in this version", what);
}

std::string unknown(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  const std::string nearest = nearest_name(word, known);
  if (!nearest.empty()) return fmt::format("unknown {}; did you mean '{}'?", what, nearest);
  return fmt::format("unknown {}; there is {}", what, join_choices(known));
}

// A direction may have any length whose square neither underflows nor overflows.
constexpr double kShortestDirection = 1e-100;  // [-]
constexpr double kLongestDirection = 1e100;    // [-]
constexpr const char* kDirectionAllowed = "a direction: not all zero";

bool can_be_scaled(double longest_component) {
  return longest_component >= kShortestDirection && longest_component <= kLongestDirection;
}

}  // namespace

TableReader::TableReader(ReadContext& context, const TomlValue& value, std::string path)
    : context_(&context), table_(value.table()), mark_(value.mark), path_(std::move(path)) {
  if (table_ == nullptr) fail_at(value, path_, "a table");
  if (context_->notes_places) context_->scene.places.set(path_, context_->document.place(mark_));
}

std::string TableReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TableReader::allow(std::span<const std::string_view> keys, std::initializer_list<std::string_view> later) const {
  for (const TomlEntry& entry : *table_) {
    const std::string_view key = entry.key;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const bool comes_later = std::find(later.begin(), later.end(), key) != later.end();
    const std::string allowed = comes_later ? not_available("this key") : unknown("key", key, keys);
    throw InputError(context_->document.place(entry.mark), path_of(quote_toml_key(key)), "", allowed);
  }
}

const TomlValue* TableReader::find(std::string_view key) const {
  const TomlValue* value = find_value(*table_, key);
  if (value != nullptr) note_place(key, value->mark);
  return value;
}

const TomlValue& TableReader::require(std::string_view key, std::string_view allowed) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    throw InputError(context_->document.place(mark_), path_of(key), "missing", std::string(allowed));
  }
  return *value;
}

double TableReader::number(std::string_view key, const Range& range, std::string_view unit) const {
  return number_from(require(key, with_unit(range.text, unit)), path_of(key), range, unit);
}

double TableReader::number_or(std::string_view key, const Range& range, std::string_view unit, double otherwise) const {
  return has(key) ? number(key, range, unit) : otherwise;
}

std::optional<double> TableReader::optional_number(std::string_view key, const Range& range,
                                                   std::string_view unit) const {
  if (!has(key)) return std::nullopt;
  return number(key, range, unit);
}

int TableReader::integer_or(std::string_view key, int least, int otherwise) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return otherwise;
  const std::optional<std::int64_t> integer = integer_from(*value, path_of(key));
  if (!integer || *integer < least || *integer > std::numeric_limits<int>::max()) {
    fail(key, fmt::format("a whole number from {} to {}", least, std::numeric_limits<int>::max()));
  }
  return static_cast<int>(*integer);
}

std::optional<std::int64_t> TableReader::integer_from(const TomlValue& value, const std::string& path) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) return *integer;
  if (value.string() == nullptr || !value.string()->starts_with('=')) return std::nullopt;
  constexpr double kMost = 0x1p53;  // [-] doubles beyond skip whole numbers
  const double number = number_from(value, path, kAnyNumber, "");
  if (number != std::floor(number) || std::abs(number) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

bool TableReader::boolean_or(std::string_view key, bool otherwise) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* boolean = std::get_if<bool>(&value->content);
  if (boolean == nullptr) fail(key, "true or false");
  return *boolean;
}

const std::string& TableReader::string(std::string_view key, std::string_view allowed) const {
  const std::string* text = require(key, allowed).string();
  if (text == nullptr) fail(key, allowed);
  return *text;
}

std::string TableReader::choice(std::string_view key, std::span<const std::string_view> choices,
                                std::span<const std::string_view> later) const {
  const std::string& text = string(key, join_choices(choices));
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  if (std::find(later.begin(), later.end(), text) != later.end()) {
    fail(key, fmt::format("{}; there is {}", not_available("this"), join_choices(choices)));
  }
  fail(key, unknown(key, text, choices));
}

const TomlValue::Array& TableReader::array_from(const TomlValue& value, const std::string& path, std::size_t size,
                                                std::string_view unit) const {
  const bool planar = context_->scene.planar;
  std::string allowed = fmt::format("an array of {} numbers", size);
  if (size == 2 && planar) allowed += " [x, y], as the scene is planar";
  if (size == 3 && !planar) allowed += " [x, y, z]";
  allowed = with_unit(allowed, unit);
  const TomlValue::Array* array = value.array();
  if (array != nullptr && array->size() == size) return *array;
  if (array != nullptr && array->size() == 2 && size == 3 && !planar) {
    allowed += "; two components are for planar scenes, those with a planar body or gravity = [x, y]";
  }
  fail_at(value, path, allowed);
}

Vector3 TableReader::vector_from(const TomlValue& value, const std::string& path, std::size_t size,
                                 std::string_view unit) const {
  const TomlValue::Array& array = array_from(value, path, size, unit);
  Vector3 result = Vector3::Zero();
  for (std::size_t i = 0; i < size; ++i) {
    result(static_cast<int>(i)) = number_from(array[i], fmt::format("{}[{}]", path, i), kAnyNumber, unit);
  }
  return result;
}

std::array<Vector3, 2> TableReader::box(std::string_view key) const {
  const std::string allowed = "two corners [[..], [..]] [m], the lower one first";
  const std::vector<Vector3> corners = rows(key, allowed, dimension(), "m");
  const auto dim = static_cast<Eigen::Index>(dimension());
  if (corners.size() != 2 || !((corners[1] - corners[0]).head(dim).minCoeff() > 0.0)) fail(key, allowed);
  return {corners[0], corners[1]};
}

std::size_t TableReader::dimension() const {
  return context_->scene.planar ? 2 : 3;
}

Vector3 TableReader::vector(std::string_view key, std::string_view unit) const {
  const TomlValue& value = require(key, with_unit(dimension() == 2 ? "[x, y]" : "[x, y, z]", unit));
  return vector_from(value, path_of(key), dimension(), unit);
}

Vector3 TableReader::vector_or(std::string_view key, std::string_view unit, const Vector3& otherwise) const {
  return has(key) ? vector(key, unit) : otherwise;
}

Vector3 TableReader::vector3(std::string_view key, std::string_view unit) const {
  return vector_from(require(key, with_unit("[x, y, z]", unit)), path_of(key), 3, unit);
}

std::vector<Vector3> TableReader::rows(std::string_view key, std::string_view allowed, std::size_t size,
                                       std::string_view unit) const {
  const TomlValue::Array* array = require(key, allowed).array();
  if (array == nullptr) fail(key, allowed);
  std::vector<Vector3> result;
  result.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    result.push_back(vector_from((*array)[i], fmt::format("{}[{}]", path_of(key), i), size, unit));
  }
  return result;
}

Vector3 TableReader::direction3(std::string_view key) const {
  const Vector3 v = vector3(key, "");
  if (!can_be_scaled(v.cwiseAbs().maxCoeff())) fail(key, kDirectionAllowed);
  return v;
}

Vector3 TableReader::direction(std::string_view key) const {
  const Vector3 v = vector(key, "");
  if (!can_be_scaled(v.cwiseAbs().maxCoeff())) fail(key, kDirectionAllowed);
  return v;
}

std::array<TimeFunction, 3> TableReader::time_functions(std::string_view key, std::string_view unit) const {
  return functions(key, unit, Of::time);
}

std::array<TimeFunction, 3> TableReader::state_functions(std::string_view key, std::string_view unit) const {
  return functions(key, unit, Of::state);
}

std::array<TimeFunction, 3> TableReader::functions(std::string_view key, std::string_view unit, Of of) const {
  const char* allowed = of == Of::time ? "an array of numbers or expressions of t"
                                       : "an array of numbers or expressions of t and of the state";
  const TomlValue& value = require(key, with_unit(allowed, unit));
  const TomlValue::Array& array = array_from(value, path_of(key), dimension(), unit);
  std::array<TimeFunction, 3> result = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < array.size(); ++i) {
    result[i] = function_from(array[i], fmt::format("{}[{}]", path_of(key), i), unit, of);
  }
  return result;
}

TimeFunction TableReader::time_function(std::string_view key, std::string_view unit) const {
  return function_from(require(key, with_unit("a number or an expression of t", unit)), path_of(key), unit, Of::time);
}

TimeFunction TableReader::state_function(std::string_view key, std::string_view unit) const {
  return function_from(require(key, with_unit("a number or an expression of t and of the state", unit)), path_of(key),
                       unit, Of::state);
}

Orientation TableReader::orientation() const {
  const bool planar = context_->scene.planar;
  const std::array<std::string_view, 3> keys = {"angle", "rotation", "quaternion"};
  if (std::count_if(keys.begin(), keys.end(), [this](std::string_view key) { return has(key); }) > 1) {
    fail(has("quaternion") ? "quaternion" : "rotation", "only one of quaternion, rotation and angle");
  }
  if (has("angle")) {
    if (!planar) fail("angle", "a spatial scene turns bodies and shapes by quaternion or rotation = {axis, angle}");
    return PlanarAngle{number("angle", kAnyNumber, "rad")};
  }
  for (const std::string_view key : {"rotation", "quaternion"}) {
    if (planar && has(key)) fail(key, "a planar scene turns bodies and shapes by angle");
  }
  if (has("rotation")) {
    const TableReader rotation(*context_, *find("rotation"), path_of("rotation"));
    rotation.allow({"axis", "angle"});
    return AxisAngle{rotation.direction3("axis"), rotation.number("angle", kAnyNumber, "rad")};
  }
  return quaternion_orientation();
}

Orientation TableReader::quaternion_orientation() const {
  const TomlValue* value = find("quaternion");
  if (value == nullptr) return {};
  const TomlValue::Array& array = array_from(*value, path_of("quaternion"), 4, "w, x, y, z");
  Quaternion quaternion;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string path = fmt::format("{}[{}]", path_of("quaternion"), i);
    quaternion.wxyz(static_cast<int>(i)) = number_from(array[i], path, kAnyNumber, "");
  }
  if (!can_be_scaled(quaternion.wxyz.cwiseAbs().maxCoeff())) {
    fail("quaternion", "a quaternion that can be scaled to length 1: not all zero");
  }
  return quaternion;
}

std::array<double, 2> TableReader::pair_of_numbers(std::string_view key, const Range& range,
                                                   std::string_view unit) const {
  const TomlValue::Array& array = array_from(require(key, with_unit("two numbers", unit)), path_of(key), 2, unit);
  std::array<double, 2> pair = {};
  for (std::size_t i = 0; i < 2; ++i) {
    pair[i] = number_from(array[i], fmt::format("{}[{}]", path_of(key), i), range, unit);
  }
  return pair;
}

std::vector<double> TableReader::numbers(std::string_view key, const Range& range, std::string_view unit) const {
  const TomlValue::Array* array = require(key, with_unit("an array of numbers", unit)).array();
  if (array == nullptr) fail(key, with_unit("an array of numbers", unit));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < array->size(); ++i) {
    numbers.push_back(number_from((*array)[i], fmt::format("{}[{}]", path_of(key), i), range, unit));
  }
  return numbers;
}

std::vector<double> TableReader::parameters_on_beams() const {
  if (!has("at_parameter")) return {};
  if (find("at_parameter")->array() == nullptr) return {number("at_parameter", kUnitInterval, "-")};
  const std::array<double, 2> pair = pair_of_numbers("at_parameter", kUnitInterval, "-");
  return {pair[0], pair[1]};
}

std::vector<std::string> TableReader::names(std::string_view key, std::span<const std::string_view> choices) const {
  const std::string text = "an array of names, at least one: " + join_choices(choices);
  const TomlValue::Array* array = require(key, text).array();
  if (array == nullptr || array->empty()) fail(key, text);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    const std::string* name = (*array)[i].string();
    if (name == nullptr) fail_at((*array)[i], path, text);
    if (std::find(choices.begin(), choices.end(), *name) == choices.end()) {
      fail_at((*array)[i], path, unknown(key, *name, choices));
    }
    names.push_back(*name);
  }
  return names;
}

std::vector<std::string> TableReader::names(std::string_view key, std::string_view allowed) const {
  const TomlValue::Array* array = require(key, allowed).array();
  if (array == nullptr || array->empty()) fail(key, allowed);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array->size(); ++i) {
    if ((*array)[i].string() == nullptr) fail_at((*array)[i], fmt::format("{}[{}]", path_of(key), i), allowed);
    note_place(fmt::format("{}[{}]", key, i), (*array)[i].mark);
    names.push_back(*(*array)[i].string());
  }
  return names;
}

std::array<std::string, 2> TableReader::pair_of_names(std::string_view key, std::string_view allowed) const {
  const std::string text = fmt::format("an array of two names: {}", allowed);
  const TomlValue::Array* array = require(key, text).array();
  if (array == nullptr || array->size() != 2) fail(key, text);
  std::vector<std::string> both = names(key, text);
  return {std::move(both[0]), std::move(both[1])};
}

void TableReader::fail(std::string_view key, std::string_view allowed) const {
  const TomlValue* value = find_value(*table_, key);
  if (value == nullptr) {
    throw InputError(context_->document.place(mark_), path_of(key), "missing", std::string(allowed));
  }
  fail_at(*value, path_of(key), allowed);
}

void TableReader::fail_at(const TomlValue& value, const std::string& path, std::string_view allowed) const {
  throw InputError(context_->document.place(value.mark), path, describe_value(value), std::string(allowed));
}

double TableReader::number_from(const TomlValue& value, const std::string& path, const Range& range,
                                std::string_view unit) const {
  const std::string allowed = with_unit(range.text, unit);
  double number = 0.0;
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value.content)) {
    number = *real;
  } else if (value.string() != nullptr && value.string()->starts_with('=')) {
    const Expression expression = parse_expression(value, path, Of::time);
    if (!expression.is_constant()) fail_at(value, path, allowed + ": it cannot depend on t");
    number = expression.value(0.0);
  } else if (value.string() != nullptr) {
    fail_at(value, path, allowed + ", or an expression as \"=...\"");
  } else {
    fail_at(value, path, allowed);
  }
  if (!std::isfinite(number) && !(range.infinite && std::isinf(number))) fail_at(value, path, allowed + ", finite");
  if (!range.contains(number)) fail_at(value, path, allowed);
  return number;
}

TimeFunction TableReader::function_from(const TomlValue& value, const std::string& path, std::string_view unit,
                                        Of of) const {
  if (value.string() == nullptr) return number_from(value, path, kAnyNumber, unit);
  const Expression expression = parse_expression(value, path, of);
  if (expression.is_constant() && !std::isfinite(expression.value(0.0))) {
    fail_at(value, path, "an expression with a finite value");
  }
  const std::string& text = *value.string();
  const std::size_t begin = text.starts_with('=') ? 1 : 0;
  if (of == Of::state && context_->notes_places) {  // of the text's first byte, for errors that name a column in it
    SourcePlace place = context_->document.place(value.mark);
    if (place.line > 0) place.column += static_cast<int>(begin) + 1;
    context_->scene.places.set(path, place);
  }
  return text.substr(begin);
}

SpeedFunction TableReader::speed_function_from(const TomlValue& value, const std::string& path) const {
  SpeedFunction function;
  const std::string& text = *value.string();
  function.text = text.substr(text.starts_with('=') ? 1 : 0);
  function.expression = parse_expression(value, path, Of::speed);
  if (!function.expression.is_constant() && names_time(function.text)) {
    fail_at(value, path, "an expression of v and of parameters: it cannot depend on t");
  }
  return function;
}

Expression TableReader::place_expression(std::string_view key) const {
  const std::string allowed = "an expression of x and y [m]: the height at the nodes";
  const TomlValue& value = require(key, allowed);
  if (value.string() == nullptr) fail(key, allowed);
  const Expression expression = parse_expression(value, path_of(key), Of::place);
  if (!expression.is_constant() && names_time(*value.string())) {
    fail(key, "an expression of x, y and of parameters: it cannot depend on t");
  }
  return expression;
}

// The expression in a string, behind "=" where there is one. Its errors point into the string, which is exact for
// strings on one line without escapes.
Expression TableReader::parse_expression(const TomlValue& value, const std::string& path, Of of) const {
  const std::string& text = *value.string();
  const std::size_t begin = text.starts_with('=') ? 1 : 0;
  try {
    AnyQuantity any;
    OnlySpeed speed;
    OnlyPlace place_of;
    QuantityReader* reader = nullptr;
    if (of == Of::state) reader = &any;
    if (of == Of::speed) reader = &speed;
    if (of == Of::place) reader = &place_of;
    return Expression::parse(std::string_view(text).substr(begin), context_->scene.parameters, reader);
  } catch (const ExpressionError& error) {
    SourcePlace place = context_->document.place(value.mark);
    if (place.line > 0 && error.column() > 0) place.column += static_cast<int>(begin) + error.column();
    throw InputError(place, path, describe_value(value), error.what());
  }
}

void TableReader::note_place(std::string_view key, const Mark& mark) const {
  if (context_->notes_places) context_->scene.places.set(path_of(key), context_->document.place(mark));
}

void check_name(const std::string& name, const SourcePlace& place, const std::string& path) {
  const bool fits = !name.empty() && name.size() <= kMaxNameSize && !has_control_character(name) &&
                    name.find_first_of("/.") == std::string::npos;
  if (fits) return;
  const std::string shown = describe_value(TomlValue{name, Mark{}});
  throw InputError(place, path, shown,
                   fmt::format("a name of 1 to {} bytes without '/', '.' and control characters", kMaxNameSize));
}

std::string join_choices(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

}  // namespace stickslip
