// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace stickslip {

/// The memory of sweeps over the cones of a problem beside its Delassus operator, so that a visit to one cone costs no
/// more than its bodies. The kind of operator decides which of them are used; they are kept from problem to problem.
struct SweepMemory {
  std::vector<double> rows;             // J M^-1 of each of J's blocks, over all velocities of its body
  std::vector<std::size_t> rows_begin;  // (blocks) where each block's begin
  std::vector<double> v;                // (n_v) [m/s and like] M^-1 J^T p
  std::vector<double> momentum;         // (n_v) [N s and like] scratch
};

}  // namespace stickslip
