// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "stickslip/report/page_data.h"

namespace stickslip {

/// The least time between two frames: that of a film. [wall-clock]
inline constexpr std::chrono::nanoseconds kFramePeriod{1'000'000'000 / 30};

/// One row of one of a page's arrays.
struct LiveArray {
  std::string name;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
               std::vector<std::uint8_t>>
      numbers;
};

/// One instant of a run for a page: a row of each of its arrays. All frames of a run have the same arrays in the same
/// order.
struct LiveFrame {
  std::int64_t number = 0;  // [-] from 1, ascending in a run
  double time = 0.0;        // [s]
  bool is_row = true;       // false: a step between two rows, which the next frame replaces
  std::vector<LiveArray> arrays;
  std::size_t bytes() const;
};

using LiveFrames = std::vector<std::shared_ptr<const LiveFrame>>;

/// The frames' arrays, one behind the other. `contact_offset`, whose frames hold the number of their contacts, becomes
/// where the contacts of each frame begin in these arrays, and where the last end: (frames + 1).
PageData join_frames(const LiveFrames& frames);

/// Header and numbers as they go to a page: the header's length (4 bytes, little-endian), the header in JSON with
/// blanks behind until the numbers begin at a multiple of 8 bytes, the numbers.
std::string pack(const PageData& data);

}  // namespace stickslip
