// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stickslip {

/// Bytes as text by RFC 4648, section 4, with padding.
std::string to_base64(std::span<const std::byte> bytes);
/// The bytes of such a text; it ends before the first character that is no digit of it.
std::string from_base64(std::string_view text);

}  // namespace stickslip
