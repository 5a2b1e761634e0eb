// SPDX-License-Identifier: BSD-3-Clause
// A result in which bytes were changed: it is read, or answered with an InputError.
//
// The bytes: one that says whether the superblock alone is changed and whether the file is cut off; one that says
// where; then changes, each three bytes for a place and one for its new value.
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

}  // namespace

/// HDF5 1.10 does not give back all that it took for a file that it refuses.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name for it
  return "leak:libhdf5";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr unsigned kSuperblockOnly = 1, kCutOff = 2;
  constexpr std::size_t kSuperblock = 48;  // [bytes]
  if (size < 2) return 0;
  std::string file = sound_result();
  const std::size_t places = (data[0] & kSuperblockOnly) != 0 ? kSuperblock : file.size();
  for (std::size_t k = 2; k + 4 <= size; k += 4) {
    const std::size_t place = data[k] | std::size_t{data[k + 1]} << 8 | std::size_t{data[k + 2]} << 16;
    file[place % places] = static_cast<char>(data[k + 3]);
  }
  if ((data[0] & kCutOff) != 0) file.resize(file.size() * data[1] / 256);
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
