// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace stickslip {

/// What the first structure of an HDF5 file says: the library trusts it wherever its checksum fits, so it is asked
/// here before the library sees the file.
struct Superblock {
  bool found = false;   // there is a signature, so it is an HDF5 file
  bool marked = false;  // as being written: somebody writes it, or was killed doing so
  std::string fault;    // why the file cannot be opened; empty where it can
};

/// Looks at the superblock of a file, of any of the format's versions (0 to 3), and at the first bytes of what it
/// points to. A file that cannot be read has none.
Superblock look_at_superblock(const std::filesystem::path& path);

/// The checksum that the HDF5 format guards its structures with: Bob Jenkins' lookup3, beginning with 0.
std::uint32_t lookup3(std::span<const std::byte> bytes);

}  // namespace stickslip
