// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A column of numbers, or a single number.
struct Series {
  std::vector<double> values;  // (n); one where it is a number
  bool is_number = false;
  /// (n) [s] the instants of the rows; none where the rows are no instants, or not those of a run any more.
  std::shared_ptr<const std::vector<double>> times;
  double step = 0.0;  // [s] of the run

  static Series of_number(double value) { return {{value}, true, nullptr, 0.0}; }
  std::size_t size() const { return values.size(); }
};

/// Operands that do not go together: the message says why.
class SeriesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function of formulas.
struct SeriesFunction {
  std::string_view name;
  int least, most;  // [-] arguments
  Series (*apply)(std::span<const Series> arguments);
};

/// All that there are but `over`, which evaluates its argument itself.
std::span<const SeriesFunction> series_functions();
const SeriesFunction* find_series_function(std::string_view name);

/// "+", "-", "*", "/", "^", "<", ... row by row; a number goes with every row. Throws SeriesError where lengths differ.
Series operate(std::string_view symbol, const Series& left, const Series& right);

}  // namespace stickslip
