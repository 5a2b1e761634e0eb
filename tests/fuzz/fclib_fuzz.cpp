// SPDX-License-Identifier: BSD-3-Clause
// An HDF5 file that is whole, with any contents in the datasets of a one-step problem: they are a problem, or they are
// answered with an InputError. What the bytes of a file do to the HDF5 library itself is not asked here.
//
// The bytes: which form; then for each dataset in turn a byte that says how many numbers it has (255: none such), and
// the numbers, a byte or eight each.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/fclib_file.h"
#include "stickslip/io/hdf5_file.h"

namespace {

/// Reads numbers off the bytes; zeros after their end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  int byte() {
    if (bytes_.empty()) return 0;
    const int value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  /// Small as a rule, now and then any.
  std::int64_t integer() {
    const int value = byte();
    if (value < 250) return value - 8;
    std::int64_t any = 0;
    take(&any, sizeof any);
    return any;
  }
  double number() {
    const int value = byte();
    if (value < 250) return 0.125 * (value - 100);
    double any = 0.0;
    take(&any, sizeof any);
    return any;
  }

 private:
  void take(void* to, std::size_t size) {
    if (bytes_.size() < size) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::uint8_t> bytes_;
};

constexpr int kLeftOut = 255;
constexpr int kMostNumbers = 40;  // [-] a problem of a few contacts

void write(stickslip::Hdf5File& file, const std::string& path, bool is_integer, Bytes& bytes) {
  const int count = bytes.byte();
  if (count == kLeftOut) return;
  stickslip::Hdf5DatasetOptions options;
  if (is_integer) options.type = stickslip::Hdf5Type::int64;
  auto dataset = file.create_dataset(path, options);
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  for (int k = 0; k < count % kMostNumbers; ++k) {
    is_integer ? integers.push_back(bytes.integer()) : numbers.push_back(bytes.number());
  }
  is_integer ? dataset.write(0, integers) : dataset.write(0, numbers);
}

void write_matrix(stickslip::Hdf5File& file, const std::string& path, Bytes& bytes) {
  file.create_group(path);
  for (const char* name : {"/m", "/n", "/nz", "/p", "/i"}) write(file, path + name, true, bytes);
  write(file, path + "/x", false, bytes);
}

void write_file(const std::filesystem::path& path, Bytes bytes) {
  stickslip::Hdf5File file = stickslip::Hdf5File::create(path, path);
  const int form = bytes.byte() % 3;
  const std::string group = form == 0 ? "/fclib_local" : form == 1 ? "/fclib_global" : "/stickslip_cones";
  file.create_group(group);
  file.create_group(group + "/vectors");
  const auto vectors = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) write(file, group + "/vectors/" + name, false, bytes);
  };
  if (form == 2) {
    for (const char* name : {"/kind", "/dim", "/n_blocks", "/block_dim", "/block_facets"}) {
      write(file, group + name, true, bytes);
    }
    for (const char* name : {"/radius", "/block_mu", "/block_orientation"}) write(file, group + name, false, bytes);
    vectors({"b"});
    write_matrix(file, group + "/W", bytes);
  } else {
    write(file, group + "/spacedim", true, bytes);
    form == 0 ? vectors({"mu", "q", "s"}) : vectors({"mu", "w", "f", "b"});
    for (const char* name : {"/W", "/V", "/R"}) {
      if (form == 0) write_matrix(file, group + name, bytes);
    }
    for (const char* name : {"/M", "/H", "/G"}) {
      if (form == 1) write_matrix(file, group + name, bytes);
    }
  }
  file.close();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("stickslip-fuzz-" + std::to_string(::getpid()) + ".hdf5");
  write_file(path, Bytes({data, size}));
  try {
    (void)stickslip::read_fclib(path);
  } catch (const stickslip::InputError&) {
  }
  std::filesystem::remove(path);
  return 0;
}
