// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/document.h"

namespace stickslip {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0U) == 0x80U;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80U;
}

bool is_bare_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Walks through a text once, by the rules of TOML for strings and comments as far as the first mistake.
class Guard {
 public:
  Guard(std::string_view text, const std::string& text_name) : text_(text), text_name_(text_name) {}

  void check() {
    check_encoding();
    after_mark_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    position_ = after_mark_;
    line_ = 1;
    line_begin_ = 0;
    while (position_ < text_.size()) check_next();
  }

 private:
  void check_encoding() {
    while (position_ < text_.size()) {
      const int length = utf8_sequence_length(text_.substr(position_));
      if (text_[position_] == '\0') fail("a binary file: it holds a NUL byte; a scene is TOML text");
      if (length == 0) fail("a binary file: not UTF-8; a scene is TOML text");
      if (text_[position_] == '\n') start_line();
      position_ += static_cast<std::size_t>(length);
    }
  }

  void check_next() {
    const char c = text_[position_];
    if (!is_ascii(c)) fail("not TOML: outside strings and comments there is only ASCII; quote names that have more");
    if (c == '\n') {
      start_line();
      if (brackets_.empty()) {
        dots_ = 0;
        in_value_ = false;
      }
      ++position_;
    } else if (c == '"' || c == '\'') {
      skip_string(c);
    } else if (c == '#') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      if (c == '.') count(++dots_);
      if (c == '=' || c == ',') dots_ = 0;
      if (c == '=') in_value_ = true;
      if (c == ',' && brackets_.ends_with('{')) in_value_ = false;
      if (c == '[' || c == '{') open(c);
      if (c == ']' || c == '}') close(c);
      ++position_;
    }
  }

  // Within a word the parser looks for the word's end alone, and takes what would be a string for part of the word.
  void check_beginning(std::string_view what) const {
    if (position_ == after_mark_) return;
    const char before = text_[position_ - 1];
    const bool in_a_word = std::string_view(" \t\r\n[{,=").find(before) == std::string_view::npos;
    const bool in_a_key = before == '.' && !in_value_;
    if (in_a_word && !in_a_key) fail(fmt::format("not TOML: {} begins in the middle of a word", what));
  }

  void open(char bracket) {
    check_beginning("a bracket");
    brackets_ += bracket;
    count(static_cast<int>(brackets_.size()));
    dots_ = 0;
    if (bracket == '{') in_value_ = false;
  }

  void close(char bracket) {
    const char partner = bracket == ']' ? '[' : '{';
    if (brackets_.empty() || brackets_.back() != partner)
      fail(fmt::format("not TOML: '{}' closes no '{}'", bracket, partner));
    brackets_.pop_back();
    if (bracket == '}') in_value_ = true;
  }

  void count(int level) const {
    if (level > kMaxTomlNesting) fail(fmt::format("nested more than {} levels deep", kMaxTomlNesting));
  }

  void skip_string(char quote) {
    check_beginning("a string");
    const std::string three(3, quote);
    const bool multi_line = text_.substr(position_).starts_with(three);
    position_ += multi_line ? 3 : 1;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '\n') {
        if (!multi_line) return;  // unterminated: the parser will say so
        start_line();
      }
      if (c == '\\' && quote == '"') {
        ++position_;
        check_behind_backslash(multi_line);
        if (position_ < text_.size() && text_[position_] != '\n') ++position_;
      } else if (c == quote && (!multi_line || text_.substr(position_).starts_with(three))) {
        position_ += multi_line ? 3 : 1;
        // Before the three quotes that end it, a string may have one or two of its own.
        for (int own = 0; multi_line && own < 2 && text_.substr(position_).starts_with(quote); ++own) ++position_;
        return;
      } else {
        ++position_;
      }
    }
  }

  // toml++ 3.3 has undefined behaviour where it looks for blanks and finds other than ASCII: outside strings, behind a
  // backslash, and where the line begins that a backslash joins to the one before.
  void check_behind_backslash(bool multi_line) const {
    if (position_ >= text_.size()) return;
    if (!is_ascii(text_[position_])) fail("not TOML: an escape is a backslash and ASCII");
    const std::size_t next = text_.find_first_not_of(" \t\r\n", position_);
    if (multi_line && next != position_ && next != std::string_view::npos && !is_ascii(text_[next])) {
      fail("behind a backslash at its end, the next line begins with ASCII");
    }
  }

  void start_line() {
    ++line_;
    line_begin_ = position_ + 1;
  }

  [[noreturn]] void fail(const std::string& why) const {
    int column = 1;
    for (std::size_t i = line_begin_; i < position_; ++i) column += is_continuation(text_, i) ? 0 : 1;
    throw InputError({text_name_, line_, column}, "", "", why);
  }

  std::string_view text_;
  const std::string& text_name_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t after_mark_ = 0;  // where a byte order mark ends
  int line_ = 1;
  std::string brackets_;  // that are open
  int dots_ = 0;
  bool in_value_ = false;  // behind an equals sign, not within a key
};

}  // namespace

void check_toml_text(std::string_view text, const std::string& text_name) {
  Guard(text, text_name).check();
}

int utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = byte_at(text, 0);
  if (first < 0x80U) return 1;
  const int length = first >= 0xC2U && first <= 0xDFU ? 2 : first >= 0xE0U && first <= 0xEFU ? 3 : 4;
  if (first < 0xC2U || first > 0xF4U) return 0;
  for (int i = 1; i < length; ++i) {
    if (!is_continuation(text, static_cast<std::size_t>(i))) return 0;
  }
  const unsigned second = byte_at(text, 1);
  const bool overlong = (first == 0xE0U && second < 0xA0U) || (first == 0xF0U && second < 0x90U);
  const bool surrogate = first == 0xEDU && second > 0x9FU;
  const bool beyond = first == 0xF4U && second > 0x8FU;
  return overlong || surrogate || beyond ? 0 : length;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned c = byte_at(text, i);
    if (c < 0x20U || c == 0x7FU) return true;
    if (c == 0xC2U && i + 1 < text.size() && byte_at(text, i + 1) < 0xA0U) return true;
  }
  return false;
}

std::string write_toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // TOML would read an integer, which has no -0
  return text;
}

std::string quote_toml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20U || code == 0x7FU) {
      quoted += fmt::format("\\u{:04X}", code);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string quote_toml_key(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare_key_character);
  return bare ? std::string(key) : quote_toml(key);
}

}  // namespace stickslip
