// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/io/hdf5_file.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/limits.h"

namespace stickslip {

/// /limits: violated limits of the scene, an entry a limit and pair. Entries are overwritten as they get worse.
class LimitsTable {
 public:
  /// Makes the group in the file, which must outlive this; names can be as long as those of two bodies or a joint.
  LimitsTable(Hdf5File& file, const System& system, const LimitOptions& limits);

  void write(std::span<const LimitEntry> entries);

 private:
  Hdf5File& file_;
  std::size_t name_bytes_;
  Hdf5Dataset first_time_, first_step_, count_, worst_, limit_;
  std::vector<LimitEntry> written_;
};

/// The entries of a result, without indices of bodies and joints. Throws InputError.
std::vector<LimitEntry> read_limits(const Hdf5File& file);

}  // namespace stickslip
