// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stickslip {

/// Bytes as text by RFC 4648, section 4, with padding.
std::string to_base64(std::span<const std::byte> bytes);

}  // namespace stickslip
