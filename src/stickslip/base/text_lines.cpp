// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace stickslip {
namespace {

constexpr std::size_t kShownBytes = 40;  // [bytes] of a word in a message

bool is_blank_character(char c) {
  return c == ' ' || c == '\t';
}

/// A word as a message can show it: short, and in letters that every terminal has.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, kShownBytes));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "\"" + text + "\"" + (word.size() > kShownBytes ? "..." : "");
}

}  // namespace

bool TextLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    goes_on_ = line.ends_with('\\');
    split(line);
    if (!words_.empty() && !words_.front().text.starts_with('#')) return true;
  }
  return false;
}

void TextLines::split(std::string_view line) {
  const bool at_commas = commas_ == Commas::are_separators;
  words_.clear();
  std::size_t i = 0;
  bool is_expected = false;  // behind a comma a word must come, if only an empty one
  while (true) {
    while (i < line.size() && is_blank_character(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_blank_character(line[i]) && !(at_commas && line[i] == ',')) ++i;
    std::size_t next = i;
    while (next < line.size() && is_blank_character(line[next])) ++next;
    const bool has_comma = at_commas && next < line.size() && line[next] == ',';
    if (i > begin || is_expected || has_comma) {
      words_.push_back({line.substr(begin, i - begin), static_cast<int>(begin) + 1});
    }
    if (!has_comma && next == line.size()) return;
    is_expected = has_comma;
    i = has_comma ? next + 1 : next;
  }
}

double TextLines::number(const TextWord& word) const {
  // from_chars takes no plus sign.
  const bool has_plus = word.text.size() > 1 && word.text[0] == '+' && word.text[1] != '-';
  const std::string_view digits = has_plus ? word.text.substr(1) : word.text;
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    fail(word, "a finite number");
  }
  return value;
}

void TextLines::fail(const TextWord& word, const std::string& allowed) const {
  throw InputError({name_, line_, word.column}, "", shown(word.text), allowed);
}

void TextLines::fail(const std::string& allowed) const {
  throw InputError({name_, line_, line_ > 0 ? 1 : 0}, "", "", allowed);
}

}  // namespace stickslip
