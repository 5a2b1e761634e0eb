// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stickslip {

/// Grey values by rows, the first at the top.
struct GreyImage {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint16_t> grey;  // (rows, columns) as they are stored
};

/// Of a PNG in grey, with or without alpha, which does not count, and not interlaced. Checksums are not looked at.
/// Throws InputError with what it must be.
GreyImage read_grey_png(std::string_view bytes);

}  // namespace stickslip
