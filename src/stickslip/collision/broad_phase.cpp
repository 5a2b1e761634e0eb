// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/broad_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"

namespace stickslip {
namespace {

// A cell's number: its places along x, y and z, 21 bits each, so that neighbours along z follow each other.
constexpr int kBits = 21;
constexpr double kMostCells = (1 << kBits) - 3;  // [-] along an axis
constexpr std::uint64_t kStepX = std::uint64_t{1} << (2 * kBits);
constexpr std::uint64_t kStepY = std::uint64_t{1} << kBits;

/// Digits by which numbers of cells are sorted: up to 128 cells along an axis differ in one each.
constexpr int kDigitBits = kBits / 3;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

/// The level of a cell without bounds.
constexpr int kOneCell = std::numeric_limits<int>::max();

/// By how much a cell is larger than the largest box in it: more than round-off moves places of boxes. [-]
constexpr double kSlack = 1.001;

/// Boxes of a block, some ten times what it takes to hand them to a thread, and how many of them threads share: below
/// that waking threads takes longer than they save. [-]
constexpr std::size_t kBoxesOfABlock = 256;
constexpr std::size_t kManyBoxes = 2048;

}  // namespace

void BroadPhase::find(std::span<const BoundingBox> boxes, std::vector<Pair>& pairs, const StopToken& stop,
                      const RankShare& share) {
  pairs.clear();
  tried_ = 0;
  if (boxes.size() < 2) return;
  origin_ = boxes.front().lower;
  Vector3 corner = boxes.front().upper;
  for (const BoundingBox& box : boxes) {
    origin_ = origin_.cwiseMin(box.lower);
    corner = corner.cwiseMax(box.upper);
  }
  // Cells are never so small that there are more along an axis than have a number; all boxes share one where lengths
  // overflow.
  const double whole = (corner - origin_).maxCoeff();
  const double least = std::max(whole / kMostCells, std::numeric_limits<double>::min());
  levels_.clear();
  sizes_.clear();
  for (const BoundingBox& box : boxes) {
    sizes_.push_back(std::max((box.upper - box.lower).maxCoeff(), least));
    levels_.push_back(std::isfinite(whole) ? std::ilogb(sizes_.back()) : kOneCell);
  }
  by_level_.resize(boxes.size());
  std::iota(by_level_.begin(), by_level_.end(), 0);
  const auto is_smaller = [this](int i, int j) { return levels_[i] < levels_[j]; };
  if (!std::is_sorted(by_level_.begin(), by_level_.end(), is_smaller)) {
    std::sort(by_level_.begin(), by_level_.end(),
              [this](int i, int j) { return levels_[i] < levels_[j] || (levels_[i] == levels_[j] && i < j); });
  }
  for (std::size_t first = 0, end = 0; first < by_level_.size(); first = end) {
    const int level = levels_[by_level_[first]];
    double size = level == kOneCell ? std::numeric_limits<double>::infinity() : 0.0;
    for (; end < by_level_.size() && levels_[by_level_[end]] == level; ++end) {
      size = std::max(size, kSlack * sizes_[by_level_[end]]);
    }
    const std::span<const int> members(by_level_);
    list(boxes, members.subspan(first, end - first), size, entries_);
    join(boxes, entries_, entries_, true, pairs, stop, share);
    if (first == 0) continue;
    list(boxes, members.first(first), size, others_);
    join(boxes, others_, entries_, false, pairs, stop, share);
  }
  sort_pairs(boxes.size(), pairs);
}

/// The boxes by the cells of a grid that their lower corners lie in, sorted by cells.
void BroadPhase::list(std::span<const BoundingBox> boxes, std::span<const int> members, double size, Entries& entries) {
  entries.clear();
  for (const int box : members) {
    std::uint64_t cell = 0;
    for (int k = 0; k < 3; ++k) {
      const double distance = (boxes[box].lower(k) - origin_(k)) / size;
      // From 1 on, so that no neighbour's number wraps around.
      const double place = 1.0 + (distance > 0.0 ? std::min(std::floor(distance), kMostCells) : 0.0);
      cell = cell << kBits | static_cast<std::uint64_t>(place);
    }
    entries.push_back({cell, box});
  }
  sort_entries(entries);
}

/// By cell, in whatever order in each: digit by digit, of those in which there is a difference.
void BroadPhase::sort_entries(Entries& entries) {
  if (entries.size() < kDigits) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.cell < b.cell; });
    return;
  }
  std::uint64_t differences = 0;
  for (const Entry& entry : entries) differences |= entry.cell ^ entries.front().cell;
  scratch_.resize(entries.size());
  for (int shift = 0; shift < 3 * kBits; shift += kDigitBits) {
    const auto digit = [shift](std::uint64_t cell) { return cell >> shift & (kDigits - 1); };
    if (digit(differences) == 0) continue;
    std::array<std::size_t, kDigits> next = {};  // where the next entry of each digit goes
    for (const Entry& entry : entries) ++next[digit(entry.cell)];
    std::size_t begin = 0;
    for (std::size_t& place : next) place = std::exchange(begin, begin + place);
    for (const Entry& entry : entries) scratch_[next[digit(entry.cell)]++] = entry;
    entries.swap(scratch_);
  }
}

/// Pairs of boxes of two lists in neighbouring cells; of one with itself each once.
void BroadPhase::join(std::span<const BoundingBox> boxes, const Entries& entries, const Entries& others, bool same,
                      std::vector<Pair>& pairs, const StopToken& stop, const RankShare& share) {
  const int n_blocks = count_blocks(entries.size(), kBoxesOfABlock);
  const BlockRange own = share.own(n_blocks);
  if (found_.size() < static_cast<std::size_t>(n_blocks)) found_.resize(n_blocks);
  const auto join_one = [&](std::size_t begin, std::size_t end, int block) {
    join_block(boxes, entries, begin, end, others, same, stop, found_[block]);
  };
  for_blocks(entries.size() >= kManyBoxes, entries.size(), kBoxesOfABlock, own, join_one);
  for (int block = own.begin; block < own.end; ++block) {
    const Found& found = found_[block];
    tried_ += found.tried;
    make_room(pairs, pairs.size() + found.pairs.size());
    pairs.insert(pairs.end(), found.pairs.begin(), found.pairs.end());
  }
}

void BroadPhase::join_block(std::span<const BoundingBox> boxes, const Entries& entries, std::size_t begin,
                            std::size_t end, const Entries& others, bool same, const StopToken& stop, Found& found) {
  found.pairs.clear();
  found.tried = 0;
  // Three cells in a row along z, below each neighbour in x and y; of one list the half that comes later.
  std::array<std::uint64_t, 9> offsets;
  std::array<std::size_t, 9> cursors;  // each moves on with the cells
  std::size_t n_offsets = 0;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      if (same && (x < 0 || (x == 0 && y <= 0))) continue;
      offsets[n_offsets] = static_cast<std::uint64_t>(x) * kStepX + static_cast<std::uint64_t>(y) * kStepY;
      const std::uint64_t first = entries[begin].cell + offsets[n_offsets] - 1;
      const auto at = std::ranges::lower_bound(others, first, {}, &Entry::cell);
      cursors[n_offsets++] = static_cast<std::size_t>(at - others.begin());
    }
  }
  const auto try_pair = [&](int i, int j) {
    ++found.tried;
    if (boxes[i].overlaps(boxes[j])) append(found.pairs, {std::min(i, j), std::max(i, j)});
  };
  for (std::size_t k = begin; k < end; ++k) {
    stop.check();
    const auto [cell, box] = entries[k];
    for (std::size_t l = k + 1; same && l < entries.size() && entries[l].cell <= cell + 1; ++l) {
      try_pair(box, entries[l].box);
    }
    for (std::size_t o = 0; o < n_offsets; ++o) {
      const std::uint64_t middle = cell + offsets[o];
      std::size_t& cursor = cursors[o];
      while (cursor < others.size() && others[cursor].cell < middle - 1) ++cursor;
      for (std::size_t l = cursor; l < others.size() && others[l].cell <= middle + 1; ++l) {
        try_pair(box, others[l].box);
      }
    }
  }
}

/// By first, then second. Only the second boxes are set aside: where those of a first begin says which it is.
void BroadPhase::sort_pairs(std::size_t n_boxes, std::vector<Pair>& pairs) {
  begin_.assign(n_boxes + 1, 0);
  for (const Pair& pair : pairs) ++begin_[pair.first + 1];
  for (std::size_t i = 0; i < n_boxes; ++i) begin_[i + 1] += begin_[i];
  make_room(seconds_, pairs.size());
  seconds_.resize(pairs.size());
  for (const Pair& pair : pairs) seconds_[begin_[pair.first]++] = pair.second;  // now begin_[i] is where i's pairs end
  for_blocks(n_boxes >= kManyBoxes, n_boxes, kBoxesOfABlock, [&](std::size_t first, std::size_t last, int) {
    int begin = first > 0 ? begin_[first - 1] : 0;
    for (auto i = static_cast<int>(first); i < static_cast<int>(last); ++i) {
      const int end = begin_[i];
      std::sort(seconds_.begin() + begin, seconds_.begin() + end);
      for (; begin < end; ++begin) pairs[begin] = {i, seconds_[begin]};
    }
  });
}

}  // namespace stickslip
