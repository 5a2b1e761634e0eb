// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/grey_png.h"

#include <algorithm>
#include <array>
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

/// Bits of a deflated stream [RFC 1951], the least of each byte first.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  unsigned bit() {
    if (n_ == 0) {
      held_ = byte();
      n_ = 8;
    }
    const unsigned value = held_ & 1U;
    held_ >>= 1U;
    --n_;
    return value;
  }
  unsigned bits(int n) {
    unsigned value = 0;
    for (int i = 0; i < n; ++i) value |= bit() << static_cast<unsigned>(i);
    return value;
  }
  /// The next whole byte; what is left of the last one is passed over.
  unsigned byte() {
    n_ = 0;
    if (at_ >= bytes_.size()) refuse_png(kWholePng);
    return static_cast<unsigned char>(bytes_[at_++]);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  unsigned held_ = 0;
  int n_ = 0;
};

/// A code by the lengths of its words.
class HuffmanCode {
 public:
  static constexpr int kLongest = 15;  // [bits]

  explicit HuffmanCode(const std::vector<int>& lengths) {
    for (const int length : lengths) ++counts_[static_cast<std::size_t>(length)];
    counts_[0] = 0;
    std::array<int, kLongest + 2> first = {};
    for (std::size_t n = 1; n <= kLongest; ++n) first[n + 1] = first[n] + counts_[n];
    symbols_.resize(lengths.size());
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] > 0) {
        symbols_[static_cast<std::size_t>(first[static_cast<std::size_t>(lengths[s])]++)] = static_cast<int>(s);
      }
    }
  }

  int read(BitReader& in) const {
    int code = 0;
    int first = 0;
    int index = 0;
    for (std::size_t n = 1; n <= kLongest; ++n) {
      code |= static_cast<int>(in.bit());
      const int count = counts_[n];
      if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    refuse_png(kWholePng);
  }

 private:
  std::array<int, kLongest + 1> counts_ = {};
  std::vector<int> symbols_;
};

/// Words of a block of a deflated stream: bytes, and pieces of what went before.
void inflate_block(BitReader& in, const HuffmanCode& words, const HuffmanCode& distances, std::size_t most,
                   std::string& out) {
  constexpr std::array<int, 29> kLength = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr std::array<int, 29> kLengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  constexpr std::array<int, 30> kDistance = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                             33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                             1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  for (;;) {
    const int word = words.read(in);
    if (word == 256) return;
    if (word < 256) {
      out.push_back(static_cast<char>(word));
    } else {
      const auto k = static_cast<std::size_t>(word - 257);
      if (k >= kLength.size()) refuse_png(kWholePng);
      const std::size_t length = static_cast<std::size_t>(kLength[k]) + in.bits(kLengthBits[k]);
      const auto d = static_cast<std::size_t>(distances.read(in));
      if (d >= kDistance.size()) refuse_png(kWholePng);
      const std::size_t back =
          static_cast<std::size_t>(kDistance[d]) + in.bits(d < 2 ? 0 : static_cast<int>(d / 2) - 1);
      if (back > out.size()) refuse_png(kWholePng);
      for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - back]);
    }
    if (out.size() > most) refuse_png(kWholePng);
  }
}

void read_codes(BitReader& in, std::vector<int>& words, std::vector<int>& distances) {
  constexpr std::array<std::size_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::size_t n_words = in.bits(5) + 257;
  const std::size_t n_distances = in.bits(5) + 1;
  const std::size_t n_lengths = in.bits(4) + 4;
  std::vector<int> lengths(kOrder.size(), 0);
  for (std::size_t i = 0; i < n_lengths; ++i) lengths[kOrder[i]] = static_cast<int>(in.bits(3));
  const HuffmanCode code(lengths);
  std::vector<int> all;
  while (all.size() < n_words + n_distances) {
    const int symbol = code.read(in);
    if (symbol < 16) {
      all.push_back(symbol);
      continue;
    }
    if (symbol == 16 && all.empty()) refuse_png(kWholePng);
    const int repeated = symbol == 16 ? all.back() : 0;
    const unsigned times = symbol == 16 ? 3 + in.bits(2) : symbol == 17 ? 3 + in.bits(3) : 11 + in.bits(7);
    all.insert(all.end(), times, repeated);
  }
  if (all.size() != n_words + n_distances) refuse_png(kWholePng);
  words.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n_words));
  distances.assign(all.begin() + static_cast<std::ptrdiff_t>(n_words), all.end());
}

/// What a zlib stream [RFC 1950] holds, of at most so many bytes.
std::string inflate(std::string_view bytes, std::size_t most) {
  if (bytes.size() < 2 || (static_cast<unsigned char>(bytes[0]) & 0x0FU) != 8) refuse_png(kWholePng);
  BitReader in(bytes.substr(2));
  std::string out;
  for (bool is_last = false; !is_last;) {
    is_last = in.bit() == 1;
    const unsigned type = in.bits(2);
    if (type == 3) refuse_png(kWholePng);
    if (type == 0) {
      unsigned length = in.byte();
      length |= in.byte() << 8U;
      in.byte();
      in.byte();
      if (out.size() + length > most) refuse_png(kWholePng);
      for (unsigned i = 0; i < length; ++i) out.push_back(static_cast<char>(in.byte()));
      continue;
    }
    std::vector<int> words(288, 8);
    std::vector<int> distances(30, 5);
    std::fill(words.begin() + 144, words.begin() + 256, 9);
    std::fill(words.begin() + 256, words.begin() + 280, 7);
    if (type == 2) read_codes(in, words, distances);
    inflate_block(in, HuffmanCode(words), HuffmanCode(distances), most, out);
  }
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
  if (data.size() != image.rows * (width + 1)) refuse_png(kWholePng);
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
