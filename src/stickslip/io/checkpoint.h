// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/table.h"
#include "stickslip/model/state.h"

namespace stickslip {

/// A point from which a run can continue: the state, and the rows written when it was reached.
struct Checkpoint {
  std::int64_t rows = 0;   // [-] of /time, /q, ...
  std::int64_t steps = 0;  // [-] rows of /steps
  State state;
  std::vector<std::byte> limits;  // what the run's own certificate remembers, see LimitMonitor
  std::vector<RowSum> sums;       // of the rows of each dataset
};

/// /checkpoint: two slots, written in turn, so that one is whole whenever the program is killed. A slot is a row of
/// the datasets number (steps done; -1: empty), rows, steps, size, checksum; the checksum is over all else. The
/// contents of slot s stand in the rows s, s + 2, s + 4, ... of state, as many as they need.
class CheckpointSlots {
 public:
  /// Makes the slots in the file, which must outlive this, empty, with room for `capacity` bytes each; more is added
  /// where it is needed.
  CheckpointSlots(Hdf5File& file, std::size_t capacity);

  /// Writes over the older slot and flushes. The rows it counts must be flushed. Throws WriteError.
  void write(const Checkpoint& checkpoint);
  /// Writes both slots, zeros over the rest of longer contents, and removes the rows that were added for these, so that
  /// no trace of earlier checkpoints remains.
  void finish(const Checkpoint& checkpoint);

 private:
  /// The contents of a slot, ready to be written.
  struct Contents {
    std::vector<std::byte> bytes;             // the state and zeros, whole rows
    std::array<std::int64_t, 4> values = {};  // number, rows, steps, size
    std::uint64_t sum = 0;
  };
  Contents make_contents(const Checkpoint& checkpoint) const;
  void write(const Contents& contents);

  Hdf5File& file_;
  std::array<Hdf5Dataset, 5> columns_;  // number, rows, steps, size, checksum
  Hdf5Dataset state_;                   // (2 n, width) bytes
  std::int64_t first_rows_ = 0;         // of state_, for the capacity asked for
  int next_ = 0;
};

/// The newest whole checkpoint of a result, if there is one. Throws InputError where /checkpoint is not as it should
/// be, or of a version unknown here.
std::optional<Checkpoint> read_checkpoint(const Hdf5File& file);

}  // namespace stickslip
