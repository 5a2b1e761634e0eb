// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace stickslip {
namespace {

/// The length of the UTF-8 sequence that begins the text, 0 where none does (RFC 3629, section 4). [bytes]
std::size_t count_utf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = first == 0xEDU && byte(1) > 0x9FU;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool overlong = first == 0xF0U && byte(1) < 0x90U;
    const bool beyond = first == 0xF4U && byte(1) > 0x8FU;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool must_be_escaped(char c) {
  return static_cast<unsigned char>(c) < 0x20U || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' ||
         c == '\x7f';
}

}  // namespace

std::string to_json(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t n = count_utf8(text);
    if (n == 0) {
      json += "\\ufffd";
    } else if (n == 1 && must_be_escaped(text.front())) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(text.front()));
    } else {
      json += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return json + '"';
}

std::string to_json(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string to_json(const std::vector<std::string>& texts) {
  std::string json;
  for (const std::string& text : texts) json += (json.empty() ? "" : ",") + to_json(text);
  return '[' + json + ']';
}

std::string to_json(std::span<const double> values) {
  std::string json;
  for (const double value : values) json += (json.empty() ? "" : ", ") + to_json(value);
  return '[' + json + ']';
}

}  // namespace stickslip
