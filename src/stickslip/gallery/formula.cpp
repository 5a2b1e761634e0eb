// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/formula.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace stickslip {
namespace {

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_figure(char c) {
  return c >= '0' && c <= '9';
}

/// Recursive descent over the grammar in formula.h.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Formula parse() {
    if (text_.size() > Formula::kMaxTextSize) {
      throw FormulaError(0, fmt::format("a formula has at most {} bytes", Formula::kMaxTextSize));
    }
    Formula root = parse_choice();
    skip_blanks();
    if (position_ < text_.size()) fail("expected an operator or the end");
    return root;
  }

 private:
  class Depth {
   public:
    explicit Depth(FormulaParser& parser) : parser_(parser) {
      if (++parser_.depth_ > Formula::kMaxNesting) parser_.fail("nested too deeply");
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    FormulaParser& parser_;
  };

  Formula parse_choice() {
    const Depth depth(*this);
    Formula condition = parse_comparison();
    if (!accept("?")) return condition;
    Formula whole = make(Formula::Kind::choice, "?", condition.column);
    whole.args.push_back(std::move(condition));
    whole.args.push_back(parse_choice());
    if (!accept(":")) fail("expected ':' and what holds otherwise");
    whole.args.push_back(parse_choice());
    return whole;
  }

  Formula parse_comparison() {
    Formula left = parse_sum();
    for (const std::string_view symbol : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!accept(symbol)) continue;
      Formula right = parse_sum();
      return join(std::string(symbol), std::move(left), std::move(right));
    }
    return left;
  }

  Formula parse_sum() {
    Formula left = parse_product();
    while (true) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) return left;
      Formula right = parse_product();
      left = join(plus ? "+" : "-", std::move(left), std::move(right));
    }
  }

  Formula parse_product() {
    Formula left = parse_unary();
    while (true) {
      const bool times = accept("*");
      if (!times && !accept("/")) return left;
      Formula right = parse_unary();
      left = join(times ? "*" : "/", std::move(left), std::move(right));
    }
  }

  Formula parse_unary() {
    const Depth depth(*this);
    if (accept("+")) return parse_unary();
    if (accept("-")) {
      Formula minus = make(Formula::Kind::operation, "neg", column());
      minus.args.push_back(parse_unary());
      return minus;
    }
    Formula base = parse_of_run();
    if (!accept("^")) return base;
    Formula exponent = parse_unary();
    return join("^", std::move(base), std::move(exponent));
  }

  Formula parse_of_run() {
    Formula inside = parse_primary();
    while (accept("@")) {
      skip_blanks();
      Formula whole = make(Formula::Kind::of_run, "", column());
      whole.text = position_ < text_.size() && text_[position_] == '\'' ? take_text() : take_word("the name of a run");
      whole.args.push_back(std::move(inside));
      inside = std::move(whole);
    }
    return inside;
  }

  Formula parse_primary() {
    skip_blanks();
    if (position_ >= text_.size()) fail("expected a number, a name, a text or '('");
    const char c = text_[position_];
    const int begin = column();
    if (is_figure(c) || c == '.') return parse_number();
    if (c == '\'') return parse_source();
    if (accept("(")) {
      Formula inside = parse_choice();
      if (!accept(")")) fail("expected ')' or an operator");
      return inside;
    }
    if (!starts_word(c)) fail("expected a number, a name, a text or '('");
    const std::string word = take_word("a name");
    if (!accept("(")) return make(Formula::Kind::name, word, begin);
    Formula call = make(Formula::Kind::call, word, begin);
    if (accept(")")) return call;
    do {
      call.args.push_back(parse_choice());
    } while (accept(","));
    if (!accept(")")) fail("expected ',' or ')' after an argument of " + word);
    return call;
  }

  Formula parse_number() {
    Formula number = make(Formula::Kind::number, "", column());
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number.number);
    if (error != std::errc()) fail("expected a number that a double can hold");
    position_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  Formula parse_source() {
    Formula source = make(Formula::Kind::source, "", column());
    source.text = take_text();
    if (!accept("[")) return source;
    skip_blanks();
    while (position_ < text_.size() && (starts_word(text_[position_]) || is_figure(text_[position_]))) {
      source.part += text_[position_++];
    }
    if (source.part.empty()) fail("expected the number or the name of a column");
    if (!accept("]")) fail("expected ']'");
    return source;
  }

  std::string take_text() {
    const std::size_t begin = position_ + 1;
    const std::size_t end = text_.find('\'', begin);
    if (end == std::string_view::npos) fail("expected a text that ends with '");
    position_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  std::string take_word(const char* what) {
    std::string word;
    while (position_ < text_.size() && (starts_word(text_[position_]) || is_figure(text_[position_]))) {
      word += text_[position_++];
    }
    if (word.empty()) fail(std::string("expected ") + what);
    return word;
  }

  static Formula make(Formula::Kind kind, std::string text, int column) {
    Formula formula;
    formula.kind = kind;
    formula.text = std::move(text);
    formula.column = column;
    return formula;
  }

  static Formula join(std::string symbol, Formula left, Formula right) {
    Formula whole = make(Formula::Kind::operation, std::move(symbol), left.column);
    whole.args.push_back(std::move(left));
    whole.args.push_back(std::move(right));
    return whole;
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(symbol)) return false;
    position_ += symbol.size();
    return true;
  }
  int column() const { return static_cast<int>(position_) + 1; }
  [[noreturn]] void fail(const std::string& expected) const { throw FormulaError(column(), expected); }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Formula parse_formula(std::string_view text) {
  return FormulaParser(text).parse();
}

}  // namespace stickslip
