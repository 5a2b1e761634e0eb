// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/grey_png.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/height_field.h"

namespace stickslip {
namespace {

[[noreturn]] void refuse_png(const char* allowed) {
  throw InputError(allowed);
}

constexpr const char* kWholePng = "a whole PNG";

/// What a zlib stream [RFC 1950] holds, which is so many bytes.
std::string inflate(std::string_view bytes, std::size_t size) {
  std::string out(size, '\0');
  auto held = static_cast<uLongf>(size);
  const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &held,
                                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  if (status != Z_OK || held != size) refuse_png(kWholePng);
  return out;
}

std::size_t png_number_at(std::string_view bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Takes the filters off the rows, each of which has its own in its first byte.
void unfilter(std::string& data, std::size_t rows, std::size_t width, std::size_t pixel) {
  const auto at = [&](std::size_t r, std::size_t i) -> int {  // of the bytes before the first ones 0
    return static_cast<unsigned char>(data[r * (width + 1) + 1 + i]);
  };
  for (std::size_t r = 0; r < rows; ++r) {
    const char filter = data[r * (width + 1)];
    if (filter < 0 || filter > 4) refuse_png(kWholePng);
    for (std::size_t i = 0; i < width; ++i) {
      const int left = i >= pixel ? at(r, i - pixel) : 0;
      const int above = r > 0 ? at(r - 1, i) : 0;
      const int corner = r > 0 && i >= pixel ? at(r - 1, i - pixel) : 0;
      int guess = 0;
      if (filter == 1) guess = left;
      if (filter == 2) guess = above;
      if (filter == 3) guess = (left + above) / 2;
      if (filter == 4) {
        const int p = left + above - corner;
        const int by_left = std::abs(p - left);
        const int by_above = std::abs(p - above);
        const int by_corner = std::abs(p - corner);
        guess = by_left <= by_above && by_left <= by_corner ? left : by_above <= by_corner ? above : corner;
      }
      data[r * (width + 1) + 1 + i] = static_cast<char>(at(r, i) + guess);
    }
  }
}

}  // namespace

GreyImage read_grey_png(std::string_view bytes) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  constexpr std::size_t kHeader = 13;  // [bytes]
  if (!bytes.starts_with(kSignature)) refuse_png("a PNG");
  std::string_view header;
  std::string packed;
  for (std::size_t at = kSignature.size(); at + 12 <= bytes.size();) {
    const std::size_t length = png_number_at(bytes, at);
    const std::string_view name = bytes.substr(at + 4, 4);
    if (length > bytes.size() - at - 12) refuse_png(kWholePng);
    const std::string_view body = bytes.substr(at + 8, length);
    if (name == "IHDR") header = body;
    if (name == "IDAT") packed += body;
    if (name == "IEND") break;
    at += 12 + length;
  }
  if (header.size() != kHeader) refuse_png(kWholePng);
  GreyImage image;
  image.columns = png_number_at(header, 0);
  image.rows = png_number_at(header, 4);
  const int depth = static_cast<unsigned char>(header[8]);
  const int colours = static_cast<unsigned char>(header[9]);
  const bool has_depth = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
  if ((colours != 0 && colours != 4) || !has_depth || (colours == 4 && depth < 8)) refuse_png("a PNG in grey");
  if (header[12] != 0) refuse_png("a PNG that is not interlaced");
  if (image.rows == 0 || image.columns == 0 || image.rows > kMaxFieldNodes / image.columns) {
    refuse_png("a PNG of 1 to 10 million pixels");
  }
  const auto pixel_bits = static_cast<std::size_t>(depth) * (colours == 4 ? 2 : 1);
  const std::size_t width = (image.columns * pixel_bits + 7) / 8;
  std::string data = inflate(packed, image.rows * (width + 1));
  unfilter(data, image.rows, width, std::max<std::size_t>(pixel_bits / 8, 1));
  for (std::size_t r = 0; r < image.rows; ++r) {
    for (std::size_t c = 0; c < image.columns; ++c) {
      const std::size_t bit = c * pixel_bits;
      const std::size_t byte = r * (width + 1) + 1 + bit / 8;
      unsigned value = static_cast<unsigned char>(data[byte]);
      if (depth == 16) value = value << 8U | static_cast<unsigned char>(data[byte + 1]);
      if (depth < 8) {
        value = value >> (8 - static_cast<std::size_t>(depth) - bit % 8) & ((1U << static_cast<unsigned>(depth)) - 1U);
      }
      image.grey.push_back(static_cast<std::uint16_t>(value));
    }
  }
  return image;
}

}  // namespace stickslip
