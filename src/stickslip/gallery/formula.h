// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A text that is no formula, or what makes one impossible to evaluate.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(int column, const std::string& message) : std::runtime_error(message), column_(column) {}
  int column() const { return column_; }  // [-] bytes into the text, from 1; 0: the formula as a whole

 private:
  int column_;
};

/// How a study reads numbers out of results: operations on numbers and on series, which are columns of numbers.
///
///   formula    = comparison [ "?" formula ":" formula ]                     the condition is a number
///   comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]     1 where it holds, else 0
///   sum        = product { ( "+" | "-" ) product }
///   product    = unary { ( "*" | "/" ) unary }
///   unary      = { "+" | "-" } power
///   power      = of_run [ "^" unary ]
///   of_run     = primary { "@" name | "@" text }                            read from that run
///   primary    = number | "pi" | name | function "(" [ formula { "," formula } ] ")" | "(" formula ")"
///              | text [ "[" ( name | whole number ) "]" ]                   a column of a result or a file
///   text       = "'" any characters but "'" "'"
///
/// Names, functions and texts mean what Evaluator says.
struct Formula {
  enum class Kind : std::uint8_t { number, name, source, call, operation, choice, of_run };
  static constexpr int kMaxNesting = 100;            // [-] levels
  static constexpr std::size_t kMaxTextSize = 4096;  // [bytes]

  Kind kind = Kind::number;
  double number = 0.0;        // of a number
  std::string text;           // name, function, symbol of an operation ("neg": minus), path of a source, run
  std::string part;           // of a source: what stands in brackets, else empty
  int column = 1;             // where it begins, in bytes from 1
  std::vector<Formula> args;  // operands
};

/// Throws FormulaError.
Formula parse_formula(std::string_view text);

}  // namespace stickslip
