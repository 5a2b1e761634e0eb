// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A text that is no expression, or an expression beyond the limits below. what() says what was
/// expected and what was found.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(int column, const std::string& message) : std::runtime_error(message), column_(column) {}
  int column() const { return column_; }  // [-] bytes into the text, from 1; 0: the expression as a whole

 private:
  int column_;
};

/// A quantity of a system's state as an expression names it: function(name) or function(name, number), such as vx(ball)
/// or coordinate(elbow, 2).
struct NamedQuantity {
  std::string function, name;
  int number = 0;                                               // [-] 0: none is written
  int function_column = 0, name_column = 0, number_column = 0;  // [-] bytes into the text, from 1
};

/// Says which variable of an expression a quantity is.
class QuantityReader {
 public:
  virtual ~QuantityReader() = default;
  /// The variable, from 1 on. Throws ExpressionError where there is no such quantity.
  virtual int find(const NamedQuantity& quantity) = 0;
  /// That of a name without parentheses, which goes before a parameter of this name; 0: it is none.
  virtual int find(std::string_view /*name*/) { return 0; }
  /// The variables that stand in place of t, as messages list them.
  virtual std::string_view variables() const { return "t"; }
};

/// A function of time t and of variables, as scenes write it: an immutable tree that can be differentiated exactly.
///
///   expression  = comparison [ "?" expression ":" expression ]
///   comparison  = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]     1 where it holds, else 0
///   sum         = product { ( "+" | "-" ) product }
///   product     = unary { ( "*" | "/" ) unary }
///   unary       = { "+" | "-" } power                                       -2^2 is -4
///   power       = primary [ "^" unary ]                                     2^3^2 is 2^9
///   primary     = number | "pi" | "t" | parameter | function "(" expression { "," expression } ")" | quantity
///               | "(" expression ")"
///   function    = sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max
///   quantity    = ( "x" | "y" | "z" | "vx" | "vy" | "vz" | "phi" | "omega" | "omega_x" | "omega_y" | "omega_z"
///               | "coordinate" | "rate" | "sensor" ) "(" name [ "," digits ] ")"      where quantities are read
///   name        = an identifier, or anything in '..'
///
/// The condition of ?: holds where it is not zero; only the chosen branch is evaluated. sign(0) = 0.
/// min and max take two or more arguments.
///
/// Derivatives at kinks follow the branch that gives the value there: abs' = sign (0 at 0), sign' = 0,
/// comparisons have derivative 0 everywhere, (c ? a : b)' = c ? a' : b', and min and max take the
/// derivative of the first argument that attains them. What has no finite derivative (sqrt at 0) gives
/// infinity or NaN.
class Expression {
 public:
  using Parameters = std::map<std::string, double, std::less<>>;

  static constexpr std::size_t kMaxTextSize = 4096;  // [bytes] what parse() takes
  static constexpr int kMaxNesting = 128;            // [-] levels of recursion; a pair of parentheses takes two
  static constexpr int kMaxParsedDepth = 256;        // [-] levels of a parsed tree
  static constexpr int kMaxDepth = 4096;             // [-] levels of a derivative: keeps recursion within the stack
  static constexpr double kMaxCost = 1e5;            // [-] operations of one evaluation: about a millisecond

  /// A constant.
  explicit Expression(double constant = 0.0);

  /// Reads an expression. Parameters become constants, quantities the variables that a reader says; without a reader
  /// quantities are refused. Throws ExpressionError.
  static Expression parse(std::string_view text, const Parameters& parameters = {},
                          QuantityReader* quantities = nullptr);

  /// Whether a name has a meaning of its own in expressions, so that no parameter may take it.
  static bool is_reserved(std::string_view name);

  /// f(t) of an expression without variables. Does not allocate.
  double value(double t) const;
  /// f of t, which is x[0], and of variables k, which are x[k]. Does not allocate.
  double value(std::span<const double> x) const;

  /// df/dt, variables held, or the derivative over a variable; simplified. Throws ExpressionError when it is beyond the
  /// limits.
  Expression derivative(int variable = 0) const;

  /// Whether it depends neither on t nor on variables.
  bool is_constant() const;
  /// The constant; of one that is_constant().
  double constant() const { return value(0.0); }

  /// The same tree, constant by constant (NaN differs from itself).
  bool operator==(const Expression&) const = default;

  enum class Op : unsigned char {
    constant,
    variable,  // leaves; variable 0 is time
    negate,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs,
    sign,  // of a
    add,
    subtract,
    multiply,
    divide,
    power,
    atan2,
    min,
    max,  // of a, b
    less,
    less_equal,
    equal,
    not_equal,  // of a, b: 1 or 0
    choose,     // a != 0 ? b : c
  };

  /// One node of the tree; children stand before their parents, the root is last. Equal subtrees are
  /// stored once.
  struct Node {
    Op op = Op::constant;
    int a = -1, b = -1, c = -1;  // children, by index; -1: none. Of a variable a is its number
    double constant = 0.0;       // value of a constant
    bool operator==(const Node&) const = default;
  };

 private:
  explicit Expression(std::vector<Node> nodes);
  friend class ExpressionTree;

  std::vector<Node> nodes_;
};

}  // namespace stickslip
