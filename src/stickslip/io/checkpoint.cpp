// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/checkpoint.h"

#include <algorithm>
#include <span>
#include <vector>

namespace stickslip {
namespace {

constexpr int kSlots = 2;
constexpr std::int64_t kEmpty = -1;

/// FNV-1a, 64 bits: enough to tell a slot that was written to its end from one that was not.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  }
  void add(std::int64_t x) {
    for (int i = 0; i < 8; ++i) {
      const auto byte = static_cast<std::byte>(static_cast<std::uint64_t>(x) >> (8 * i));
      add(std::span(&byte, 1));
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

std::uint64_t checksum(std::int64_t number, std::int64_t rows, std::int64_t steps, std::span<const std::byte> state) {
  Checksum sum;
  sum.add(number);
  sum.add(rows);
  sum.add(steps);
  sum.add(static_cast<std::int64_t>(state.size()));
  sum.add(state);
  return sum.value();
}

Hdf5Dataset make_column(Hdf5File& file, const std::string& path, const Hdf5DatasetOptions& options,
                        const std::string& meaning) {
  Hdf5Dataset dataset = file.create_dataset(path, options);
  file.write_attribute(path, "unit", "1");
  file.write_attribute(path, "meaning", meaning);
  return dataset;
}

constexpr Hdf5DatasetOptions kIntegers = {Hdf5Type::int64, 1, 1, kSlots, kSlots};

}  // namespace

CheckpointSlots::CheckpointSlots(Hdf5File& file, std::size_t capacity)
    : columns_{make_column(file, "/checkpoint/number", kIntegers, "steps done when the slot was written; -1: empty"),
               make_column(file, "/checkpoint/rows", kIntegers, "rows of /time and its companions at that moment"),
               make_column(file, "/checkpoint/steps", kIntegers, "rows of /steps at that moment"),
               make_column(file, "/checkpoint/size", kIntegers, "bytes of the state"),
               make_column(
                   file, "/checkpoint/checksum", {Hdf5Type::uint64, 1, 1, kSlots, kSlots},
                   "FNV-1a over number, rows, steps, size (8 bytes each, little-endian) and the state's bytes")},
      state_(make_column(file, "/checkpoint/state",
                         {Hdf5Type::uint8, 2, static_cast<std::int64_t>(capacity), kSlots, 1},
                         "the state, as the program writes it, and zeros; slot s has the rows s, s + 2, ...")) {
  const std::vector<std::int64_t> empty(kSlots, kEmpty);
  const std::vector<std::int64_t> zeros(kSlots, 0);
  columns_[0].write(0, empty);
  for (std::size_t c = 1; c < columns_.size(); ++c) columns_[c].write(0, zeros);
  state_.write(0, std::vector<std::byte>(kSlots * capacity));
}

void CheckpointSlots::write(const Checkpoint& checkpoint) {
  std::vector<std::byte> bytes = to_bytes(checkpoint.state);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::uint64_t sum = checksum(checkpoint.state.step, checkpoint.rows, checkpoint.steps, bytes);
  const auto width = static_cast<std::size_t>(state_.width());
  bytes.resize((bytes.size() + width - 1) / width * width);
  for (std::size_t begin = 0; begin < bytes.size(); begin += width) {
    const auto row = static_cast<std::int64_t>(begin / width);
    state_.write(next_ + kSlots * row, std::span(bytes).subspan(begin, width));
  }
  const std::int64_t values[] = {checkpoint.state.step, checkpoint.rows, checkpoint.steps, size};
  for (std::size_t c = 0; c < 4; ++c) columns_[c].write(next_, std::span(&values[c], 1));
  columns_[4].write(next_, std::span(&sum, 1));
  next_ = 1 - next_;
}

std::optional<Checkpoint> read_checkpoint(const Hdf5File& file) {
  const Hdf5Dataset states = file.open_dataset("/checkpoint/state");
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
    const std::int64_t room = states.width() * ((states.rows() + kSlots - 1 - slot) / kSlots);
    if (number == kEmpty || size < 0 || size > room) continue;
    const auto width = static_cast<std::size_t>(states.width());
    std::vector<std::byte> bytes(static_cast<std::size_t>((size + states.width() - 1) / states.width()) * width);
    for (std::size_t begin = 0; begin < bytes.size(); begin += width) {
      const auto row = static_cast<std::int64_t>(begin / width);
      states.read(slot + kSlots * row, std::span(bytes).subspan(begin, width));
    }
    bytes.resize(static_cast<std::size_t>(size));
    if (checksum(number, rows, steps, bytes) != sum) continue;
    if (newest && newest->state.step >= number) continue;
    newest = Checkpoint{rows, steps, state_from_bytes(bytes)};
  }
  return newest;
}

}  // namespace stickslip
