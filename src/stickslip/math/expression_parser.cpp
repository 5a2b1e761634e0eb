// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <system_error>

#include "stickslip/base/nearest.h"
#include "stickslip/math/expression.h"
#include "stickslip/math/expression_tree.h"

namespace stickslip {
namespace {

using Op = Expression::Op;

struct Function {
  std::string_view name;
  Op op;
  int n_arguments;  // 1, 2, or kTwoOrMore
};

constexpr int kTwoOrMore = -2;

constexpr std::array kFunctions = {
    Function{"sin", Op::sin, 1},          Function{"cos", Op::cos, 1},          Function{"tan", Op::tan, 1},
    Function{"asin", Op::asin, 1},        Function{"acos", Op::acos, 1},        Function{"atan", Op::atan, 1},
    Function{"atan2", Op::atan2, 2},      Function{"sinh", Op::sinh, 1},        Function{"cosh", Op::cosh, 1},
    Function{"tanh", Op::tanh, 1},        Function{"exp", Op::exp, 1},          Function{"log", Op::log, 1},
    Function{"sqrt", Op::sqrt, 1},        Function{"abs", Op::abs, 1},          Function{"sign", Op::sign, 1},
    Function{"min", Op::min, kTwoOrMore}, Function{"max", Op::max, kTwoOrMore},
};

constexpr std::array<std::string_view, 14> kQuantities = {
    "x", "y", "z", "vx", "vy", "vz", "phi", "omega", "omega_x", "omega_y", "omega_z", "coordinate", "rate", "sensor"};

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Recursive descent over the grammar in expression.h; each function returns a node of the tree.
class Parser {
 public:
  Parser(std::string_view text, const Expression::Parameters& parameters, QuantityReader* quantities)
      : text_(text), parameters_(parameters), quantities_(quantities) {}

  Expression parse() {
    if (text_.size() > Expression::kMaxTextSize) {
      throw ExpressionError(0, "an expression has at most " + std::to_string(Expression::kMaxTextSize) + " bytes");
    }
    const int root = parse_expression();
    if (position_ < text_.size()) fail("expected an operator or the end");
    return tree_.extract(root);
  }

 private:
  // Counts how deep the recursion is while it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.level_ > Expression::kMaxNesting) {
        throw ExpressionError(parser_.column(),
                              "nested more than " + std::to_string(Expression::kMaxNesting) + " levels deep");
      }
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  int parse_expression() {
    const Level level(*this);
    const int condition = parse_comparison();
    if (!accept("?")) return condition;
    const int if_true = parse_expression();
    expect(":", "expected ':' and what holds otherwise");
    return make(Op::choose, condition, if_true, parse_expression());
  }

  int parse_comparison() {
    const int left = parse_sum();
    const std::string_view symbol = accept_comparison();
    if (symbol.empty()) return left;
    const int right = parse_sum();
    const std::size_t next = position_;
    if (!accept_comparison().empty()) {
      position_ = next;
      fail("comparisons do not chain; write (a < b)*(b < c)");
    }
    if (symbol == "<") return make(Op::less, left, right);
    if (symbol == "<=") return make(Op::less_equal, left, right);
    if (symbol == ">") return make(Op::less, right, left);
    if (symbol == ">=") return make(Op::less_equal, right, left);
    return make(symbol == "==" ? Op::equal : Op::not_equal, left, right);
  }

  int parse_sum() {
    int left = parse_product();
    while (true) {
      if (accept("+")) {
        left = make(Op::add, left, parse_product());
      } else if (accept("-")) {
        left = make(Op::subtract, left, parse_product());
      } else {
        return left;
      }
    }
  }

  int parse_product() {
    int left = parse_unary();
    while (true) {
      if (accept("*")) {
        left = make(Op::multiply, left, parse_unary());
      } else if (accept("/")) {
        left = make(Op::divide, left, parse_unary());
      } else {
        return left;
      }
    }
  }

  int parse_unary() {
    const Level level(*this);
    if (accept("-")) return make(Op::negate, parse_unary());
    if (accept("+")) return parse_unary();
    const int base = parse_primary();
    if (!accept("^")) return base;
    return make(Op::power, base, parse_unary());
  }

  int parse_primary() {
    skip_blanks();
    if (position_ >= text_.size()) fail("expected a number, a name or '('");
    const char c = text_[position_];
    if (is_digit(c) || c == '.') return parse_number();
    if (is_name_start(c)) return parse_name();
    if (!accept("(")) fail("expected a number, a name or '('");
    const int inside = parse_expression();
    expect(")", "expected ')' or an operator");
    return inside;
  }

  int parse_number() {
    double value = 0.0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("expected a number that a double can hold");
    if (error != std::errc()) fail("expected a number, a name or '('");
    position_ += static_cast<std::size_t>(end - begin);
    return tree_.add_constant(value);
  }

  int parse_name() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && (is_name_start(text_[position_]) || is_digit(text_[position_]))) ++position_;
    const std::string_view name = text_.substr(begin, position_ - begin);
    if (const Function* function = find_function(name)) return parse_call(*function);
    if (is_called()) {
      const bool is_quantity = std::ranges::find(kQuantities, name) != kQuantities.end();
      if (is_quantity && quantities_ != nullptr) return parse_quantity(name, begin);
      position_ = begin;
      if (is_quantity) fail_quantity(name);
      fail_unknown(name);
    }
    if (name == "pi") return tree_.add_constant(std::numbers::pi);
    if (name == "t") return tree_.add_variable(0);
    if (quantities_ != nullptr) {
      if (const int variable = quantities_->find(name); variable > 0) return tree_.add_variable(variable);
    }
    const auto parameter = parameters_.find(name);
    if (parameter != parameters_.end()) return tree_.add_constant(parameter->second);
    position_ = begin;
    fail_unknown(name);
  }

  int parse_call(const Function& function) {
    const std::string name(function.name);
    expect("(", "expected '(' after " + name);
    int result = parse_expression();
    if (function.n_arguments == 1) {
      result = make(function.op, result);
    } else {
      expect(",", "expected ',' and another argument of " + name);
      result = make(function.op, result, parse_expression());
      while (function.n_arguments == kTwoOrMore && accept(",")) result = make(function.op, result, parse_expression());
    }
    expect(")", "expected ')' after the last argument of " + name);
    return result;
  }

  /// Whether what follows opens a parenthesis.
  bool is_called() {
    skip_blanks();
    return position_ < text_.size() && text_[position_] == '(';
  }

  int parse_quantity(std::string_view function, std::size_t begin) {
    expect("(", "expected '('");
    skip_blanks();
    NamedQuantity quantity;
    quantity.function = function;
    quantity.function_column = static_cast<int>(begin) + 1;
    quantity.name_column = column();
    const std::size_t first = position_;
    if (accept("'")) {
      const std::size_t close = text_.find('\'', position_);
      if (close == std::string_view::npos) {
        position_ = first;  // the quote that opens it
        fail("expected a name that ends with '");
      }
      quantity.name = text_.substr(position_, close - position_);
      position_ = close + 1;
    } else {
      while (position_ < text_.size() && (is_name_start(text_[position_]) || is_digit(text_[position_]))) ++position_;
      quantity.name = text_.substr(first, position_ - first);
      if (quantity.name.empty()) fail("expected a name, in '..' where it is no identifier");
    }
    if (accept(",")) {
      skip_blanks();
      quantity.number_column = column();
      const char* end = text_.data() + text_.size();
      const auto [last, error] = std::from_chars(text_.data() + position_, end, quantity.number);
      if (error != std::errc() || quantity.number < 1) {
        fail(function == "sensor" ? "expected the number of what a sensor reads, from 1 on"
                                  : "expected the number of a coordinate, from 1 on");
      }
      position_ = static_cast<std::size_t>(last - text_.data());
    }
    expect(")", "expected ')' after a name, in '..' where it is no identifier");
    return tree_.add_variable(quantities_->find(quantity));
  }

  int make(Op op, int a, int b = -1, int c = -1) {
    try {
      return tree_.add(op, a, b, c);
    } catch (const ExpressionError& error) {
      throw ExpressionError(column(), error.what());
    }
  }

  void skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  }

  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(symbol)) return false;
    position_ += symbol.size();
    return true;
  }

  std::string_view accept_comparison() {
    for (const std::string_view symbol : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (accept(symbol)) return symbol;
    }
    return {};
  }

  void expect(std::string_view symbol, const std::string& otherwise) {
    if (!accept(symbol)) fail(otherwise);
  }

  int column() const { return static_cast<int>(position_) + 1; }

  [[noreturn]] void fail(const std::string& expected) {
    skip_blanks();
    std::string found = "the end";
    if (position_ < text_.size()) {
      const char c = text_[position_];
      const bool printable = c > ' ' && c <= '~';
      found = printable ? std::string("'") + c + "'" : "a character that has no place in expressions";
    }
    throw ExpressionError(column(), expected + ", found " + found);
  }

  [[noreturn]] void fail_unknown(std::string_view name) {
    const std::string_view variables = quantities_ != nullptr ? quantities_->variables() : "t";
    std::vector<std::string_view> known = {"pi"};
    const bool has_state = quantities_ != nullptr && variables == "t";
    for (std::size_t i = 0; i < variables.size(); i += 3) known.push_back(variables.substr(i, 1));
    for (const Function& function : kFunctions) known.push_back(function.name);
    for (const auto& [parameter, value] : parameters_) known.push_back(parameter);
    if (has_state) known.insert(known.end(), kQuantities.begin(), kQuantities.end());
    std::string message = "unknown name '" + std::string(name) + "'";
    const std::string nearest = nearest_name(name, known);
    message += nearest.empty() ? "; there are " + std::string(variables) + ", pi, the functions and parameters"
                               : "; did you mean '" + nearest + "'?";
    throw ExpressionError(column(), message);
  }

  [[noreturn]] void fail_quantity(std::string_view name) {
    throw ExpressionError(column(), "'" + std::string(name) +
                                        "(..)' is of the state: forces and torques of loads and joints may depend on "
                                        "it, nothing else");
  }

  std::string_view text_;
  const Expression::Parameters& parameters_;
  QuantityReader* quantities_;
  std::size_t position_ = 0;
  int level_ = 0;
  ExpressionTree tree_{Expression::kMaxParsedDepth};
};

}  // namespace

Expression Expression::parse(std::string_view text, const Parameters& parameters, QuantityReader* quantities) {
  return Parser(text, parameters, quantities).parse();
}

bool Expression::is_reserved(std::string_view name) {
  return name == "pi" || name == "t" || find_function(name) != nullptr;
}

}  // namespace stickslip
