// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/scene/document.h"

namespace stickslip {

/// A key of the scene, and the values that it has in the rows of a sweep.
struct SweepColumn {
  enum class Kind { grid, list, uniform, normal };
  std::string name;
  std::string key;             // in the scene: "contacts.c.friction"
  Kind kind = Kind::grid;      // of `log` grid, too
  std::vector<double> values;  // of grids and lists
  double first = 0.0;          // least, or mean
  double second = 0.0;         // most, or standard deviation
  Mark mark;                   // of `key`, or of the column
  bool has_key = false;        // `key` is written
};

/// A number, or several, that each run of a sweep leaves.
struct SweepQuantity {
  enum class Take { end, max, min, mean, at, crossings };
  std::string name;
  std::string value;  // an expression of state (sim/run_expression.h)
  Mark value_mark;
  Take take = Take::end;
  std::vector<double> times;  // [s] at
  std::string when;           // crossings: an expression
  Mark when_mark;
  double after = -std::numeric_limits<double>::infinity();  // [s] crossings: not before
  std::int64_t count = 1;                                   // [-] crossings
  bool is_list = false;                                     // shape (k) in each row, else a number

  /// Numbers in a row. [-]
  std::int64_t width() const;
  /// The key in the plan of the expression of its value.
  std::string value_key() const { return is_short ? "quantities." + name : "quantities." + name + ".value"; }
  bool is_short = false;  // written as its value alone
};

/// A parameter study: which scene is run with which values, and what each run leaves.
struct SweepPlan {
  static constexpr std::int64_t kMostRows = 10'000'000;        // [-]
  static constexpr std::int64_t kMostNumbers = 1'000'000'000;  // [-] of quantities, 8 GB

  struct Setting {
    std::string assignment;  // "key.path=value"
    std::string key;
    Mark mark;
  };

  std::string scene;  // its file, beside the plan
  Mark scene_mark;
  std::vector<Setting> set;  // before all
  std::int64_t samples = 1;  // [-]
  std::uint64_t seed = 1;
  std::vector<SweepColumn> columns;
  std::vector<SweepQuantity> quantities;
  std::string text;   // as a table holds it
  Document document;  // for places

  /// Grids x lists x samples. [-]
  std::int64_t rows() const { return rows_; }
  /// The values of the columns in a row: grids in the order written are the slowest, then lists, samples the fastest.
  std::vector<double> values(std::int64_t row) const;
  /// Numbers of all quantities in a row. [-]
  std::int64_t width() const;

 private:
  friend SweepPlan read_plan(Document document);
  void count_rows(const SweepColumn& column);
  void order_columns();
  std::int64_t rows_ = 1;
  std::vector<std::size_t> order_;  // of grids and lists, into columns: the slowest first
};

/// Reads a plan. Throws InputError with file, line, column, key, value and what is allowed: the first mistake found.
SweepPlan load_plan(const std::filesystem::path& path);
SweepPlan parse_plan(std::string_view text, const std::string& file_name);
/// Of tables that are read already.
SweepPlan read_plan(Document document);

}  // namespace stickslip
