// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"

namespace stickslip {
namespace {

constexpr int kSlots = 2;
constexpr std::int64_t kEmpty = -1;
/// Bytes in a row of /checkpoint/state at most. [bytes]
constexpr std::size_t kMaxRowBytes = 65536;
/// Of the contents of a slot: the lengths, and each of the sums. [bytes]
constexpr std::size_t kHeadBytes = 24;
constexpr std::size_t kSumBytes = 32;

using Bytes = std::vector<std::byte>;

std::uint64_t checksum(std::int64_t number, std::int64_t rows, std::int64_t steps,
                       std::span<const std::byte> contents) {
  Checksum sum;
  for (const std::int64_t x : {number, rows, steps, static_cast<std::int64_t>(contents.size())}) {
    sum.add(static_cast<std::uint64_t>(x));
  }
  sum.add_words(contents);
  return sum.value();
}

// The contents of a slot: the lengths of the three parts, then the state, the monitor's memory and the sums. Every
// number takes 8 bytes, little-endian as State's.

void put(Bytes& bytes, std::uint64_t x) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(x >> (8 * i)));
}

std::uint64_t get(std::span<const std::byte> bytes, std::size_t number) {
  std::uint64_t x = 0;
  for (int i = 0; i < 8; ++i)
    x |= static_cast<std::uint64_t>(bytes[8 * number + static_cast<std::size_t>(i)]) << (8 * i);
  return x;
}

std::size_t next_multiple(std::size_t n, std::size_t of) {
  return (n + of - 1) / of * of;
}

/// Room is made for whole rows of so many bytes.
Bytes to_contents(const Checkpoint& checkpoint, std::size_t row_bytes) {
  const Bytes state = to_bytes(checkpoint.state);
  Bytes bytes;
  const std::size_t size = state.size() + checkpoint.limits.size() + kHeadBytes + kSumBytes * checkpoint.sums.size();
  bytes.reserve(next_multiple(size, row_bytes));
  put(bytes, state.size());
  put(bytes, checkpoint.limits.size());
  put(bytes, checkpoint.sums.size());
  bytes.insert(bytes.end(), state.begin(), state.end());
  bytes.insert(bytes.end(), checkpoint.limits.begin(), checkpoint.limits.end());
  for (const RowSum& sum : checkpoint.sums) {
    put(bytes, sum.path);
    put(bytes, static_cast<std::uint64_t>(sum.rows));
    put(bytes, static_cast<std::uint64_t>(sum.first));
    put(bytes, sum.sum);
  }
  return bytes;
}

/// Nothing where the lengths do not add up.
std::optional<Checkpoint> from_contents(std::int64_t rows, std::int64_t steps, std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  const std::uint64_t state = get(bytes, 0), limits = get(bytes, 1), sums = get(bytes, 2);
  bytes = bytes.subspan(kHeadBytes);
  if (state > bytes.size() || limits > bytes.size() - state || sums != (bytes.size() - state - limits) / kSumBytes ||
      (bytes.size() - state - limits) % kSumBytes != 0) {
    return std::nullopt;
  }
  Checkpoint checkpoint{rows, steps, state_from_bytes(bytes.first(state)), {}, {}};
  bytes = bytes.subspan(state);
  checkpoint.limits.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(limits));
  bytes = bytes.subspan(limits);
  for (std::size_t k = 0; k < sums; ++k) {
    checkpoint.sums.push_back({get(bytes, 4 * k), static_cast<std::int64_t>(get(bytes, 4 * k + 1)),
                               static_cast<std::int64_t>(get(bytes, 4 * k + 2)), get(bytes, 4 * k + 3)});
  }
  return checkpoint;
}

Hdf5Dataset make_column(Hdf5File& file, const std::string& path, const Hdf5DatasetOptions& options,
                        const std::string& meaning) {
  Hdf5Dataset dataset = file.create_dataset(path, options);
  file.describe(path, "1", meaning);
  return dataset;
}

Hdf5DatasetOptions slots_of(Hdf5Type type) {
  return {.type = type, .rows = kSlots, .chunk_rows = kSlots};
}

}  // namespace

// Without the library's checksums: a slot is written over, and has its own.
CheckpointSlots::CheckpointSlots(Hdf5File& file, std::size_t capacity)
    : file_(file),
      columns_{make_column(file, "/checkpoint/number", slots_of(Hdf5Type::int64),
                           "steps done when the slot was written; -1: empty"),
               make_column(file, "/checkpoint/rows", slots_of(Hdf5Type::int64),
                           "rows of /time and its companions at that moment"),
               make_column(file, "/checkpoint/steps", slots_of(Hdf5Type::int64), "rows of /steps at that moment"),
               make_column(file, "/checkpoint/size", slots_of(Hdf5Type::int64), "bytes of the slot's contents"),
               make_column(file, "/checkpoint/checksum", slots_of(Hdf5Type::uint64),
                           "over number, rows, steps, size and the contents")},
      state_(
          make_column(file, "/checkpoint/state",
                      {.type = Hdf5Type::uint8, .row = {static_cast<std::int64_t>(std::min(capacity, kMaxRowBytes))}},
                      "the state, as the program writes it, and zeros; slot s has the rows s, s + 2, ...")) {
  const std::vector<std::int64_t> empty(kSlots, kEmpty);
  const std::vector<std::int64_t> zeros(kSlots, 0);
  columns_[0].write(0, empty);
  for (std::size_t c = 1; c < columns_.size(); ++c) columns_[c].write(0, zeros);
  const auto width = static_cast<std::size_t>(state_.width());
  const std::vector<std::byte> none(kSlots * width);
  for (std::size_t begin = 0; begin < capacity; begin += width) {
    state_.write(kSlots * static_cast<std::int64_t>(begin / width), none);
  }
  first_rows_ = state_.rows();
}

CheckpointSlots::Contents CheckpointSlots::make_contents(const Checkpoint& checkpoint) const {
  const auto width = static_cast<std::size_t>(state_.width());
  Contents contents{.bytes = to_contents(checkpoint, width)};
  contents.values = {checkpoint.state.step, checkpoint.rows, checkpoint.steps,
                     static_cast<std::int64_t>(contents.bytes.size())};
  contents.sum = checksum(checkpoint.state.step, checkpoint.rows, checkpoint.steps, contents.bytes);
  contents.bytes.resize(next_multiple(contents.bytes.size(), width));
  return contents;
}

void CheckpointSlots::write(const Checkpoint& checkpoint) {
  write(make_contents(checkpoint));
}

void CheckpointSlots::write(const Contents& contents) {
  const auto width = static_cast<std::size_t>(state_.width());
  for (std::size_t begin = 0; begin < contents.bytes.size(); begin += width) {
    const auto row = static_cast<std::int64_t>(begin / width);
    state_.write(next_ + kSlots * row, std::span(contents.bytes).subspan(begin, width));
  }
  for (std::size_t c = 0; c < 4; ++c) columns_[c].write(next_, std::span(&contents.values[c], 1));
  columns_[4].write(next_, std::span(&contents.sum, 1));
  file_.flush();  // before the other slot is touched: how long the datasets are counts, too
  next_ = 1 - next_;
}

void CheckpointSlots::finish(const Checkpoint& checkpoint) {
  const Contents contents = make_contents(checkpoint);
  for (int slot = 0; slot < kSlots; ++slot) write(contents);
  const auto width = static_cast<std::size_t>(state_.width());
  const auto used = static_cast<std::int64_t>(contents.bytes.size() / width);
  const Bytes zeros(width);
  for (std::int64_t row = kSlots * used; row < state_.rows(); ++row) state_.write(row, zeros);
  state_.shrink(std::max(kSlots * used, first_rows_));
}

std::optional<Checkpoint> read_checkpoint(const Hdf5File& file) {
  const Hdf5Dataset states = file.open_dataset("/checkpoint/state");
  if (states.width() <= 0) return std::nullopt;  // it has room for none
  const auto read = [&file](const char* path, int slot) {
    std::int64_t value = 0;
    file.open_dataset(path).read(slot, std::span(&value, 1));
    return value;
  };
  std::optional<Checkpoint> newest;
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::int64_t number = read("/checkpoint/number", slot);
    const std::int64_t rows = read("/checkpoint/rows", slot);
    const std::int64_t steps = read("/checkpoint/steps", slot);
    const std::int64_t size = read("/checkpoint/size", slot);
    std::uint64_t sum = 0;
    file.open_dataset("/checkpoint/checksum").read(slot, std::span(&sum, 1));
    const std::int64_t room = states.width() * ((states.stored_rows() + kSlots - 1 - slot) / kSlots);
    if (number == kEmpty || size < 0 || size > room || (newest && newest->state.step >= number)) continue;
    const auto width = static_cast<std::size_t>(states.width());
    Bytes bytes(next_multiple(static_cast<std::size_t>(size), width));
    for (std::size_t begin = 0; begin < bytes.size(); begin += width) {
      const auto row = static_cast<std::int64_t>(begin / width);
      states.read(slot + kSlots * row, std::span(bytes).subspan(begin, width));
    }
    bytes.resize(static_cast<std::size_t>(size));
    if (checksum(number, rows, steps, bytes) != sum) continue;
    std::optional<Checkpoint> found = from_contents(rows, steps, bytes);
    if (found && found->state.step == number) newest = std::move(found);
  }
  return newest;
}

}  // namespace stickslip
