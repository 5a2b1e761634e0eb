// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {

/// A word of a line and where it begins, in bytes from 1.
struct TextWord {
  std::string_view text;
  int column = 1;
};

/// Reads a text line by line, each as its words: what stands between blanks and tabs or, where these are separators,
/// commas ("1,,2" then has an empty word). Lines end with \n or \r\n. The text must outlive it.
class TextLines {
 public:
  enum class Commas { are_letters, are_separators };
  TextLines(std::string_view text, std::string name, Commas commas)
      : rest_(text), name_(std::move(name)), commas_(commas) {}

  /// Goes to the next line that has words and does not begin with #; false behind the last.
  bool next();
  const std::vector<TextWord>& words() const { return words_; }
  int line() const { return line_; }
  /// Whether the last byte of the line is a backslash: what it says goes on in the next.
  bool goes_on() const { return goes_on_; }

  /// A finite number; throws InputError with its place.
  double number(const TextWord& word) const;
  [[noreturn]] void fail(const TextWord& word, const std::string& allowed) const;
  /// Of the line as a whole.
  [[noreturn]] void fail(const std::string& allowed) const;

 private:
  void split(std::string_view line);

  std::string_view rest_;
  std::string name_;
  Commas commas_;
  std::vector<TextWord> words_;
  int line_ = 0;
  bool goes_on_ = false;
};

}  // namespace stickslip
