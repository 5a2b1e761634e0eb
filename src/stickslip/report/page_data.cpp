// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/page_data.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace stickslip {
namespace {

static_assert(std::endian::native == std::endian::little, "pages hold little-endian numbers");
constexpr std::size_t kAlignment = 8;  // [bytes] of the widest number, which a typed array wants

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

std::string to_base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0, out = 0; i < bytes.size(); i += 3, out += 4) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < n; ++k) group |= std::to_integer<unsigned>(bytes[i + k]) << (16 - 8 * k);
    for (std::size_t k = 0; k <= n; ++k) text[out + k] = kDigits[(group >> (18 - 6 * k)) & 63U];
  }
  return text;
}

void PageData::append(std::string_view name, std::string_view type, std::span<const std::byte> numbers,
                      std::size_t count) {
  bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
  arrays_ += fmt::format("{}{}:[\"{}\",{},{}]", arrays_.empty() ? "" : ",", to_json(name), type, bytes_.size(), count);
  bytes_.insert(bytes_.end(), numbers.begin(), numbers.end());
}

void PageData::add(std::string_view name, std::span<const double> numbers) {
  append(name, "f64", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const float> numbers) {
  append(name, "f32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::int32_t> numbers) {
  append(name, "i32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint32_t> numbers) {
  append(name, "u32", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint16_t> numbers) {
  append(name, "u16", std::as_bytes(numbers), numbers.size());
}
void PageData::add(std::string_view name, std::span<const std::uint8_t> numbers) {
  append(name, "u8", std::as_bytes(numbers), numbers.size());
}

void PageData::set(std::string_view name, std::string_view json) {
  members_ += fmt::format(",{}:{}", to_json(name), json);
}

std::string PageData::header() const {
  return fmt::format("{{\"arrays\":{{{}}}{}}}", arrays_, members_);
}

}  // namespace stickslip
