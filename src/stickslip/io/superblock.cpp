// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/superblock.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <string_view>
#include <vector>

namespace stickslip {
namespace {

using std::uint64_t;

// The HDF5 File Format Specification, version 3.0, II.A (superblock) and IV.A (object headers).

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view kHeaderSignature = "OHDR";
constexpr std::size_t kMostBytes = 128;     // [bytes] of a superblock: version 1 takes 100
constexpr uint64_t kLeastHeaderBytes = 12;  // [bytes] of an object header
/// Addresses are offsets of the operating system, which have a sign. [bytes]
constexpr uint64_t kMostAddress = uint64_t{1} << 62;

// Flags of a file.
constexpr unsigned kOpenForWriting = 1;
constexpr unsigned kOpenForLiveWriting = 4;
constexpr unsigned kAllFlags = 7;

/// A superblock may stand at 0, 512, 1024, 2048, ...: what stands before it belongs to the user.
bool is_place(uint64_t address) {
  return address == 0 || (address >= 512 && std::has_single_bit(address));
}

/// FileBytes of a file; shorter where it ends.
class FileBytes {
 public:
  FileBytes(std::ifstream& in, uint64_t first, std::size_t n) : bytes_(n) {
    in.clear();
    in.seekg(static_cast<std::streamoff>(first));
    in.read(bytes_.data(), static_cast<std::streamsize>(n));
    bytes_.resize(static_cast<std::size_t>(in.gcount()));
  }
  bool start_with(std::string_view text) const { return std::string_view(bytes_.data(), size()).starts_with(text); }
  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> first(std::size_t n) const { return std::as_bytes(std::span(bytes_)).first(n); }
  /// A little-endian number; 0 behind the end.
  uint64_t number(std::size_t at, std::size_t n) const {
    uint64_t x = 0;
    for (std::size_t i = std::min(at + n, size()); i-- > at;) x = x << 8 | static_cast<unsigned char>(bytes_[i]);
    return x;
  }

 private:
  std::vector<char> bytes_;
};

/// What all versions have in common.
struct Contents {
  uint64_t version, flags;
  std::size_t offset_bytes, length_bytes;
  std::size_t bytes;  // of the superblock
  uint64_t base;      // what the addresses count from, when the file was made
  uint64_t end;       // behind the last byte
  uint64_t root;      // the root group's object header
  uint64_t further;   // an object header with more, or a driver's block; as a rule undefined
};

Contents parse(const FileBytes& block) {
  Contents c = {};
  c.version = block.number(8, 1);
  const bool is_old = c.version < 2;
  c.offset_bytes = block.number(is_old ? 13 : 9, 1);
  c.length_bytes = block.number(is_old ? 14 : 10, 1);
  c.flags = is_old ? block.number(20, 4) : block.number(11, 1);
  const std::size_t addresses = c.version == 0 ? 24 : is_old ? 28 : 12;
  const auto address = [&](std::size_t k) { return block.number(addresses + k * c.offset_bytes, c.offset_bytes); };
  c.base = address(0);
  c.end = address(2);
  // Versions 0 and 1 have base, free space, end, driver's block and the root group's entry: its name, its header and
  // 24 bytes more. Versions 2 and 3 have base, extension, end, root and a checksum.
  c.further = address(is_old ? 3 : 1);
  c.root = address(is_old ? 5 : 3);
  c.bytes = addresses + (is_old ? 6 * c.offset_bytes + 24 : 4 * c.offset_bytes + 4);
  return c;
}

bool is_size(std::size_t bytes) {
  return bytes == 2 || bytes == 4 || bytes == 8;
}

/// What is wrong with the superblock itself; empty where nothing is.
std::string find_fault(const FileBytes& block, const Contents& c) {
  if (c.version > 3) return fmt::format("superblock of version {}: this program reads versions 0 to 3", c.version);
  if (!is_size(c.offset_bytes) || !is_size(c.length_bytes)) {
    return fmt::format("damaged: offsets of {} and lengths of {} bytes", c.offset_bytes, c.length_bytes);
  }
  if (block.size() < c.bytes) return "damaged: ends within its superblock";
  if (c.version >= 2 && lookup3(block.first(c.bytes - 4)) != block.number(c.bytes - 4, 4)) {
    return "damaged: the superblock's checksum does not fit";
  }
  // Of trees that versions 0 and 1 index groups with: entries in a leaf and, by half, in a node.
  const bool has_tree_sizes = c.version >= 2 || (block.number(16, 2) > 0 && block.number(18, 2) > 0);
  const bool has_versions = c.version >= 2 || (block.number(9, 2) == 0 && block.number(12, 1) == 0);
  if ((c.flags & ~uint64_t{kAllFlags}) != 0 || !has_tree_sizes || !has_versions) {
    return "damaged: the superblock makes no sense";
  }
  return "";
}

/// What is wrong with the places that the superblock names; empty where nothing is.
std::string find_fault(std::ifstream& in, const Contents& c, uint64_t start, uint64_t file_bytes) {
  // A user's block may have been put before a file that was whole, or taken away: then it is shifted.
  const uint64_t end = c.end - c.base;
  if (!is_place(c.base) || c.end < c.base || end < c.bytes || end > kMostAddress) {
    return "damaged: the superblock makes no sense";
  }
  // While a file is written, and after a kill, its end is said to be where it was or will be.
  const bool is_live = c.version == 3 && (c.flags & kOpenForLiveWriting) != 0;
  if (!is_live && start + end > file_bytes) {
    return fmt::format("cut off: {} bytes of {}", file_bytes, start + end);
  }
  const auto has_header = [&](uint64_t address) {
    const uint64_t room = std::min(is_live ? file_bytes - start : end, file_bytes - start);
    if (address < c.bytes || address > room || room - address < kLeastHeaderBytes) return false;
    const FileBytes header(in, start + address, kHeaderSignature.size() + 1);
    const bool is_new = header.start_with(kHeaderSignature) && header.number(4, 1) == 2;
    return is_new || (c.version < 3 && header.number(0, 2) == 1);
  };
  if (!has_header(c.root)) return "damaged: no root group where the superblock says";
  const uint64_t undefined = ~uint64_t{0} >> (64 - 8 * c.offset_bytes);
  // (Drivers that spread a file over several have a block of their own in versions 0 and 1.)
  if (c.further != undefined && (c.version < 2 || !has_header(c.further))) {
    return c.version < 2 ? "a part of a file that is spread over several"
                         : "damaged: no extension where the superblock says";
  }
  return "";
}

uint64_t size_of(std::ifstream& in) {
  in.clear();
  in.seekg(0, std::ios::end);
  return static_cast<uint64_t>(std::max<std::streamoff>(in.tellg(), 0));
}

}  // namespace

Superblock look_at_superblock(const std::filesystem::path& path) {
  Superblock superblock;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return superblock;  // reading from a pipe may wait for ever
  std::ifstream in(path, std::ios::binary);
  if (!in) return superblock;
  for (uint64_t start = 0; start < size_of(in); start = start == 0 ? 512 : 2 * start) {
    const FileBytes block(in, start, kMostBytes);
    if (!block.start_with(kSignature)) continue;
    superblock.found = true;
    const Contents contents = parse(block);
    superblock.fault = find_fault(block, contents);
    // The file's size is asked after the superblock was read: it grows while somebody writes it.
    if (superblock.fault.empty()) superblock.fault = find_fault(in, contents, start, size_of(in));
    superblock.marked = contents.version == 3 && (contents.flags & (kOpenForWriting | kOpenForLiveWriting)) != 0;
    break;
  }
  return superblock;
}

std::uint32_t lookup3(std::span<const std::byte> bytes) {
  constexpr std::size_t kBlock = 12;  // [bytes] mixed at a time: three words of 32 bits
  std::uint32_t a = 0xdeadbeefu + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a, c = a;
  const auto add_block = [&] {
    std::uint32_t words[3] = {};
    for (std::size_t i = 0; i < std::min(kBlock, bytes.size()); ++i) {
      words[i / 4] |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * (i % 4));
    }
    a += words[0], b += words[1], c += words[2];
  };
  for (; bytes.size() > kBlock; bytes = bytes.subspan(kBlock)) {
    add_block();
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
  }
  if (bytes.empty()) return c;
  add_block();
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  return (c ^ b) - std::rotl(b, 24);
}

}  // namespace stickslip
