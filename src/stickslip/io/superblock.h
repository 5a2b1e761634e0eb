// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace stickslip {

/// The first structure of an HDF5 file. The library trusts it if its checksum fits, so it is checked here before the
/// library reads the file.
struct Superblock {
  bool found = false;   // there is a signature, so it is an HDF5 file
  bool marked = false;  // as being written: somebody writes it, or was killed doing so
  std::string fault;    // why the file cannot be opened; empty where it can
};

/// Reads the superblock of a file, of any of the format's versions (0 to 3), and the first bytes that it points to. A
/// file that cannot be read has none.
Superblock look_at_superblock(const std::filesystem::path& path);

/// The checksum that the HDF5 format guards its structures with: Bob Jenkins' lookup3, beginning with 0.
std::uint32_t lookup3(std::span<const std::byte> bytes);

}  // namespace stickslip
