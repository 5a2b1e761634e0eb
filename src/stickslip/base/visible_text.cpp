// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/visible_text.h"

namespace stickslip {
namespace {

void append_code(std::string& text, unsigned char byte) {
  constexpr const char* kHexDigits = "0123456789abcdef";
  text += "\\x";
  text += kHexDigits[byte >> 4u];
  text += kHexDigits[byte & 15u];
}

}  // namespace

std::string visible_text(std::string_view text, LineFeeds line_feeds) {
  std::string visible;
  visible.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    const bool stays = byte == '\t' || (byte == '\n' && line_feeds == LineFeeds::kept);
    if (byte == 0xc2u && next >= 0x80u && next < 0xa0u) {  // the C1 characters in UTF-8
      append_code(visible, static_cast<unsigned char>(next));
      ++i;
    } else if ((byte < 0x20u && !stays) || byte == 0x7fu) {
      append_code(visible, byte);
    } else {
      visible += text[i];
    }
  }
  return visible;
}

}  // namespace stickslip
