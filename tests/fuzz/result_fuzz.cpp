// SPDX-License-Identifier: BSD-3-Clause
// A result in which bytes were changed: it is read, or answered with an InputError. The superblock's and the object
// headers' checksums are made to fit again as often as not, so that what they guard is asked, too.
//
// The bytes: one that says whether the file is cut off and whether the superblock's checksum is mended; then changes,
// each three bytes for a place and one for its new value.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "tests/support/example_result.h"

namespace {

namespace fs = std::filesystem;

fs::path scratch(const char* name) {
  return fs::temp_directory_path() / ("stickslip-fuzz-" + std::to_string(::getpid()) + name);
}

const std::string& sound_result() {
  static const std::string content = [] {
    const fs::path path = scratch("-sound.h5");
    stickslip::test::write_example(path, stickslip::test::make_system(), 3);
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    in.close();
    fs::remove(path);
    return bytes;
  }();
  return content;
}

std::uint32_t rotated(std::uint32_t x, int k) {
  return (x << k) | (x >> (32 - k));
}

/// The checksum of the HDF5 format (Bob Jenkins' lookup3) over the superblock's first 44 bytes.
std::uint32_t superblock_checksum(const std::string& file) {
  constexpr std::uint32_t kLength = 44;  // [bytes]
  const auto word = [&file](std::size_t at) {
    std::uint32_t w = 0;
    for (std::size_t i = 0; i < 4; ++i)
      w |= static_cast<std::uint32_t>(static_cast<unsigned char>(file[at + i])) << (8 * i);
    return w;
  };
  std::uint32_t a = 0xdeadbeefu + kLength, b = a, c = a;
  std::size_t at = 0;
  for (; at + 12 < kLength; at += 12) {
    a += word(at), b += word(at + 4), c += word(at + 8);
    a = (a - c) ^ rotated(c, 4), c += b;
    b = (b - a) ^ rotated(a, 6), a += c;
    c = (c - b) ^ rotated(b, 8), b += a;
    a = (a - c) ^ rotated(c, 16), c += b;
    b = (b - a) ^ rotated(a, 19), a += c;
    c = (c - b) ^ rotated(b, 4), b += a;
  }
  a += word(at), b += word(at + 4);  // 8 bytes are left
  c = (c ^ b) - rotated(b, 14);
  a = (a ^ c) - rotated(c, 11);
  b = (b ^ a) - rotated(a, 25);
  c = (c ^ b) - rotated(b, 16);
  a = (a ^ c) - rotated(c, 4);
  b = (b ^ a) - rotated(a, 14);
  return (c ^ b) - rotated(b, 24);
}

}  // namespace

/// HDF5 1.10 does not give back all that it took for a file that it refuses.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name for it
  return "leak:libhdf5";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string file = sound_result();
  for (std::size_t k = 1; k + 4 <= size; k += 4) {
    const std::size_t place = data[k] | std::size_t{data[k + 1]} << 8 | std::size_t{data[k + 2]} << 16;
    file[place % file.size()] = static_cast<char>(data[k + 3]);
  }
  constexpr std::size_t kSuperblock = 48;  // [bytes]
  if ((data[0] & 1u) != 0) {
    const std::uint32_t sum = superblock_checksum(file);
    for (std::size_t i = 0; i < 4; ++i) file[kSuperblock - 4 + i] = static_cast<char>(sum >> (8 * i));
  }
  if ((data[0] & 2u) != 0) file.resize(file.size() * (data[0] >> 2u) / 64);
  static const fs::path path = scratch(".h5");
  std::ofstream(path, std::ios::binary) << file;
  try {
    const stickslip::Trajectory result(path);
    result.verify();
    (void)result.checkpoint();
  } catch (const stickslip::InputError&) {
  }
  fs::remove(path);
  return 0;
}
