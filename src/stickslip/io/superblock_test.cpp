// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/superblock.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_file.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::uint32_t lookup3(std::string_view text) {
  return stickslip::lookup3(std::as_bytes(std::span(text)));
}

/// The values that its author gives.
TEST(Lookup3, IsAsPublished) {
  EXPECT_EQ(lookup3(""), 0xdeadbeefu);
  EXPECT_EQ(lookup3("Four score and seven years ago"), 0x17770551u);
}

void put(std::string& bytes, std::uint64_t number, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) bytes += i < sizeof number ? static_cast<char>(number >> (8 * i)) : '\0';
}

/// The superblock of a file of 1000 bytes whose root group stands at 400, with fields to be changed one by one.
struct Fields {
  static constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
  int version = 3;
  std::size_t offset_bytes = 8, length_bytes = 8;  // [bytes]
  std::uint64_t flags = 0, tree = 4, reserved = 0;
  std::uint64_t base = 0, further = kUndefined, end = 1000, root = 400;  // [bytes]
  std::uint64_t start = 0;                                               // [bytes] before the superblock
  std::size_t file_bytes = 1000;                                         // [bytes] behind it and with it
  std::string header = {'O', 'H', 'D', 'R', 2};
  bool sum_fits = true;

  std::string superblock() const {
    std::string b = "\x89HDF\r\n\x1a\n";
    put(b, static_cast<std::uint64_t>(version), 1);
    const auto put_address = [&](std::uint64_t address) { put(b, address, offset_bytes); };
    if (version < 2) {
      put(b, reserved, 4);
      put(b, offset_bytes, 1);
      put(b, length_bytes, 1);
      put(b, 0, 1);
      put(b, tree, 2);
      put(b, tree, 2);
      put(b, flags, 4);
      if (version == 1) put(b, 32, 4);
      for (const std::uint64_t address : {base, kUndefined, end, further, std::uint64_t{0}, root}) put_address(address);
      return b + std::string(24, '\0');
    }
    put(b, offset_bytes, 1);
    put(b, length_bytes, 1);
    put(b, flags, 1);
    for (const std::uint64_t address : {base, further, end, root}) put_address(address);
    put(b, lookup3(b) + (sum_fits ? 0 : 1), 4);
    return b;
  }
  std::string fault() const {
    std::string file = superblock();
    file.resize(std::max<std::size_t>(file_bytes, 512));
    file.replace(400, header.size(), header);
    file.resize(file_bytes);
    const TemporaryFolder folder;
    std::ofstream(folder / "f.h5", std::ios::binary) << std::string(start, '.') << file;
    const Superblock superblock = look_at_superblock(folder / "f.h5");
    EXPECT_TRUE(superblock.found);
    return superblock.fault;
  }
};

const std::string kOldHeader = {1, 0};  // an object header of version 1

TEST(Superblock, OfEveryVersionIsTaken) {
  EXPECT_EQ(Fields{}.fault(), "");
  EXPECT_EQ((Fields{.version = 2}.fault()), "");
  EXPECT_EQ((Fields{.version = 2, .header = kOldHeader}.fault()), "");
  EXPECT_EQ((Fields{.version = 1, .header = kOldHeader}.fault()), "");
  EXPECT_EQ((Fields{.version = 0, .header = kOldHeader}.fault()), "");
  EXPECT_EQ((Fields{.version = 0}.fault()), "") << "a root group that knows the order of its links";
  EXPECT_EQ((Fields{.offset_bytes = 4, .length_bytes = 4}.fault()), "");
  EXPECT_EQ((Fields{.version = 0, .offset_bytes = 2, .header = kOldHeader}.fault()), "");
  EXPECT_EQ((Fields{.further = 400}.fault()), "") << "an extension";
}

TEST(Superblock, MayStandBehindAUsersBlock) {
  EXPECT_EQ((Fields{.base = 512, .end = 1512, .start = 512}.fault()), "");
  EXPECT_EQ((Fields{.start = 1024}.fault()), "") << "put before the file later";
  EXPECT_EQ((Fields{.base = 2048, .end = 3048}.fault()), "") << "taken away later";
}

TEST(Superblock, ThatIsWrongIsRefusedThoughItsChecksumFits) {
  const auto expect_fault = [](const Fields& fields, const char* fault) { EXPECT_EQ(fields.fault(), fault); };
  const char* const senseless = "damaged: the superblock makes no sense";
  const char* const rootless = "damaged: no root group where the superblock says";
  expect_fault({.version = 4}, "superblock of version 4: this program reads versions 0 to 3");
  expect_fault({.version = 255}, "superblock of version 255: this program reads versions 0 to 3");
  expect_fault({.offset_bytes = 3}, "damaged: offsets of 3 and lengths of 8 bytes");
  expect_fault({.length_bytes = 0}, "damaged: offsets of 8 and lengths of 0 bytes");
  expect_fault({.offset_bytes = 200}, "damaged: offsets of 200 and lengths of 8 bytes");
  expect_fault({.sum_fits = false}, "damaged: the superblock's checksum does not fit");
  expect_fault({.file_bytes = 40}, "damaged: ends within its superblock");
  expect_fault({.flags = 8}, senseless);
  expect_fault({.version = 0, .flags = 1 << 20}, senseless);
  expect_fault({.version = 0, .tree = 0}, senseless);
  expect_fault({.version = 1, .reserved = 1}, senseless);
  expect_fault({.base = 100}, senseless);
  expect_fault({.base = 2048}, senseless);
  expect_fault({.base = Fields::kUndefined}, senseless);
  expect_fault({.end = 47}, senseless);
  expect_fault({.end = Fields::kUndefined}, senseless);
  expect_fault({.end = 1001}, "cut off: 1000 bytes of 1001");
  expect_fault({.start = 512, .file_bytes = 999}, "cut off: 1511 bytes of 1512");
  expect_fault({.end = 402}, rootless);
  expect_fault({.root = 401}, rootless);
  expect_fault({.root = 0}, rootless);
  expect_fault({.root = 999}, rootless);
  expect_fault({.root = Fields::kUndefined}, rootless);
  expect_fault({.header = "OHDR"}, rootless);
  expect_fault({.header = kOldHeader}, rootless);
  expect_fault({.further = 500}, "damaged: no extension where the superblock says");
  expect_fault({.version = 0, .further = 500}, "a part of a file that is spread over several");
}

TEST(Superblock, OfAFileThatAKillLeftMaySayAnotherEnd) {
  EXPECT_EQ((Fields{.flags = 5, .end = 3000}.fault()), "");
  EXPECT_EQ((Fields{.flags = 5, .end = 200}.fault()), "");
  EXPECT_EQ((Fields{.flags = 5, .end = 200, .root = 990}.fault()), "damaged: no root group where the superblock says");
}

TEST(Superblock, IsThereOrNot) {
  const TemporaryFolder folder;
  EXPECT_FALSE(look_at_superblock(folder / "none").found);
  EXPECT_FALSE(look_at_superblock(folder.path()).found);
  std::ofstream(folder / "empty");
  EXPECT_FALSE(look_at_superblock(folder / "empty").found);
  std::ofstream(folder / "text") << std::string(5000, '.') + Fields{}.superblock();
  EXPECT_FALSE(look_at_superblock(folder / "text").found);
}

/// Every bit and byte of it, with a checksum that fits, in a file of ours: the library is not troubled by any.
TEST(Superblock, OfAnyBitsIsAnswered) {
  const TemporaryFolder folder;
  const fs::path path = folder / "r.h5";
  {
    Hdf5File file = Hdf5File::create(path, path);
    file.write_fixed("/x", Hdf5Type::float64, {}, std::vector<double>{1.0, 2.0});
    file.close();
  }
  EXPECT_EQ(look_at_superblock(path).fault, "");
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  in.close();
  constexpr std::size_t kGuarded = 44;  // [bytes]
  int answered = 0, read = 0;
  const auto ask = [&](std::string changed) {
    std::string sum;
    put(sum, lookup3(std::string_view(changed).substr(0, kGuarded)), 4);
    std::ofstream(path, std::ios::binary) << changed.replace(kGuarded, 4, sum);
    try {
      EXPECT_EQ(Hdf5File::open(path).read_numbers("/x"), (std::vector<double>{1.0, 2.0}));
      ++read;
    } catch (const InputError&) {
      ++answered;
    }
  };
  ask(content);
  EXPECT_EQ(read, 1);
  for (std::size_t at = 0; at < kGuarded; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = content;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      ask(changed);
    }
  }
  EXPECT_GT(answered, 300);
}

}  // namespace
}  // namespace stickslip
