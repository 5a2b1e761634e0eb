// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// What all parts of the reader share.
struct ReadContext {
  const Document& document;
  Scene& scene;  // being read: parameters and planar are known from the start; places are noted on the way
  bool notes_places = true;
  /// By file and scale.
  std::map<std::pair<std::string, std::array<double, 3>>, std::shared_ptr<const TriangleMesh>> meshes = {};
};

/// Which numbers a key takes.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool without_least = false;  // the least itself is not allowed
  bool without_most = false;   // nor the most
  bool infinite = false;       // infinity is allowed, if it is in the range
  const char* text = "a number";
  bool contains(double x) const {
    return (without_least ? x > least : x >= least) && (without_most ? x < most : x <= most);
  }
};

inline constexpr Range kAnyNumber = {};
inline constexpr Range kPositive = {.least = 0.0, .without_least = true, .text = "a number > 0"};
inline constexpr Range kNotNegative = {.least = 0.0, .text = "a number >= 0"};
inline constexpr Range kCorrectionSpeeds = {
    .least = 0.0, .without_least = true, .infinite = true, .text = "a number > 0, or inf for no cap"};
inline constexpr Range kUnitInterval = {.least = 0.0, .most = 1.0, .text = "a number in [0, 1]"};

/// Reads one closed table of a scene. Each function throws InputError with the place of what is wrong.
class TableReader {
 public:
  /// `path` is the dotted path of the table, empty for the scene itself.
  TableReader(ReadContext& context, const TomlValue& value, std::string path);

  const std::string& path() const { return path_; }
  const TomlValue::Table& entries() const { return *table_; }
  std::string path_of(std::string_view key) const;
  ReadContext& context() const { return *context_; }

  /// Refuses keys that are not in `keys`: those in `later` as not available in this version, others as
  /// unknown, with the nearest known one.
  void allow(std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> later = {}) const {
    allow(std::span(keys.begin(), keys.size()), later);
  }
  void allow(std::span<const std::string_view> keys, std::initializer_list<std::string_view> later = {}) const;

  bool has(std::string_view key) const { return find_value(*table_, key) != nullptr; }
  /// The value of a key, or nothing.
  const TomlValue* find(std::string_view key) const;
  /// The value of a key that must be there; `allowed` says what it should be.
  const TomlValue& require(std::string_view key, std::string_view allowed) const;

  /// A key's number: in range, finite unless the range says otherwise. `unit` is for messages.
  double number(std::string_view key, const Range& range, std::string_view unit) const;
  double number_or(std::string_view key, const Range& range, std::string_view unit, double otherwise) const;
  std::optional<double> optional_number(std::string_view key, const Range& range, std::string_view unit) const;
  /// The number that a value is, whose path in the scene is `path`.
  double number_from(const TomlValue& value, const std::string& path, const Range& range, std::string_view unit) const;
  /// A whole number, or an expression "=..." that gives one.
  int integer_or(std::string_view key, int least, int otherwise) const;
  /// Nothing where the value is no whole number of an int64.
  std::optional<std::int64_t> integer_from(const TomlValue& value, const std::string& path) const;
  bool boolean_or(std::string_view key, bool otherwise) const;
  const std::string& string(std::string_view key, std::string_view allowed) const;
  /// A string that is one of `choices`; one of `later` is not available in this version.
  std::string choice(std::string_view key, std::span<const std::string_view> choices,
                     std::span<const std::string_view> later) const;

  /// [x, y] in a planar scene, else [x, y, z].
  Vector3 vector(std::string_view key, std::string_view unit) const;
  Vector3 vector_or(std::string_view key, std::string_view unit, const Vector3& otherwise) const;
  /// The same with expressions of t as components.
  std::array<TimeFunction, 3> time_functions(std::string_view key, std::string_view unit) const;
  TimeFunction time_function(std::string_view key, std::string_view unit) const;
  /// The same with expressions of t and of the state: that the quantities they name exist shows when the scene is
  /// built.
  std::array<TimeFunction, 3> state_functions(std::string_view key, std::string_view unit) const;
  TimeFunction state_function(std::string_view key, std::string_view unit) const;
  /// The value of an element of an array, whose path in the scene is `path`.
  TimeFunction state_function_from(const TomlValue& value, const std::string& path, std::string_view unit) const {
    return function_from(value, path, unit, Of::state);
  }
  /// An expression of v alone, with or without "=" before it.
  SpeedFunction speed_function_from(const TomlValue& value, const std::string& path) const;
  /// An expression of x and y alone, which are variables 1 and 2, with or without "=" before it.
  Expression place_expression(std::string_view key) const;
  /// Three numbers in any scene.
  Vector3 vector3(std::string_view key, std::string_view unit) const;
  /// An array of any number of arrays of `size` numbers (2 or 3).
  std::vector<Vector3> rows(std::string_view key, std::string_view allowed, std::size_t size,
                            std::string_view unit) const;
  /// Two corners of a box, the lower one first.
  std::array<Vector3, 2> box(std::string_view key) const;
  std::size_t dimension() const;  // [-] 2 in a planar scene, else 3
  /// As vector3() or vector(), and not zero.
  Vector3 direction3(std::string_view key) const;
  Vector3 direction(std::string_view key) const;

  /// `quaternion`, `rotation = {axis, angle}` or `angle`, at most one of them, as the scene's dimension allows.
  Orientation orientation() const;
  /// `quaternion` alone.
  Orientation quaternion_orientation() const;

  /// Two numbers in range.
  std::array<double, 2> pair_of_numbers(std::string_view key, const Range& range, std::string_view unit) const;
  /// Any number of them.
  std::vector<double> numbers(std::string_view key, const Range& range, std::string_view unit) const;
  /// `at_parameter`, where on a beam: none, one number, or one for each body where both are beams.
  std::vector<double> parameters_on_beams() const;
  /// An array of strings, at least one, each one of `choices`.
  std::vector<std::string> names(std::string_view key, std::span<const std::string_view> choices) const;
  /// An array of names, at least one; `allowed` says what they name.
  std::vector<std::string> names(std::string_view key, std::string_view allowed) const;
  /// Two names; `allowed` says what they name.
  std::array<std::string, 2> pair_of_names(std::string_view key, std::string_view allowed) const;

  [[noreturn]] void fail(std::string_view key, std::string_view allowed) const;
  [[noreturn]] void fail_at(const TomlValue& value, const std::string& path, std::string_view allowed) const;

 private:
  enum class Of { time, state, speed, place };
  std::array<TimeFunction, 3> functions(std::string_view key, std::string_view unit, Of of) const;
  TimeFunction function_from(const TomlValue& value, const std::string& path, std::string_view unit, Of of) const;
  Expression parse_expression(const TomlValue& value, const std::string& path, Of of) const;
  const TomlValue::Array& array_from(const TomlValue& value, const std::string& path, std::size_t size,
                                     std::string_view unit) const;
  Vector3 vector_from(const TomlValue& value, const std::string& path, std::size_t size, std::string_view unit) const;
  void note_place(std::string_view key, const Mark& mark) const;

  ReadContext* context_;
  const TomlValue::Table* table_;
  Mark mark_;
  std::string path_;
};

/// Throws InputError unless `name` can name a part of a scene: UTF-8 without '/', '.' and control characters, 1 to
/// 128 bytes.
void check_name(const std::string& name, const SourcePlace& place, const std::string& path);

/// "a, b or c"
std::string join_choices(std::span<const std::string_view> choices);

}  // namespace stickslip
