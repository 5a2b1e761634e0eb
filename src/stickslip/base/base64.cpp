// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/base64.h"

#include <algorithm>
#include <string_view>

namespace stickslip {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0, out = 0; i < bytes.size(); i += 3, out += 4) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < n; ++k) group |= std::to_integer<unsigned>(bytes[i + k]) << (16 - 8 * k);
    for (std::size_t k = 0; k <= n; ++k) text[out + k] = kDigits[(group >> (18 - 6 * k)) & 63U];
  }
  return text;
}

}  // namespace stickslip
