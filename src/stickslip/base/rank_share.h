// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "stickslip/base/make_room.h"
#include "stickslip/base/ranks.h"
#include "stickslip/base/thread_team.h"

namespace stickslip {

/// The blocks of a loop that this rank visits: its part where the current ranks share the loop, else all. Blocks are
/// those that threads share, which depend on the numbers of things alone, and ranks have them in order: so what ranks
/// find, rank by rank, stands as one process finds it.
class RankShare {
 public:
  /// Not shared.
  RankShare() = default;
  /// All ranks must come here alike, and then to gather().
  explicit RankShare(bool is_shared) : ranks_(is_shared && Ranks::count_current() > 1 ? Ranks::current() : nullptr) {}

  /// Rank r of R has blocks [n r / R, n (r + 1) / R).
  BlockRange own(int n_blocks) const {
    if (ranks_ == nullptr) return {0, n_blocks};
    return {n_blocks * ranks_->rank() / ranks_->size(), n_blocks * (ranks_->rank() + 1) / ranks_->size()};
  }

  /// The ranks that share it; null: none.
  Ranks* ranks() const { return ranks_; }

 private:
  Ranks* ranks_ = nullptr;
};

/// Tells all ranks what each of them has found. Workspace.
class RankRecords {
 public:
  /// Those of all ranks, rank by rank, take the place of this one's records from `begin` on. Plain records of whole
  /// numbers of 8 bytes; nothing where ranks do not share them.
  template <class T>
  void gather(const RankShare& share, std::vector<T>& records, std::size_t begin = 0) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
    constexpr std::size_t kSize = sizeof(T) / sizeof(double);
    if (share.ranks() == nullptr) return;
    const std::size_t own = kSize * (records.size() - begin);
    double* numbers = make_place(*share.ranks(), own);
    if (own > 0) std::memcpy(numbers, records.data() + begin, own * sizeof(double));
    share.ranks()->gather(numbers_.data(), begins_);
    make_room(records, begin + begins_.back() / kSize);
    records.resize(begin + begins_.back() / kSize);
    if (!numbers_.empty()) std::memcpy(records.data() + begin, numbers_.data(), numbers_.size() * sizeof(double));
  }

 private:
  double* make_place(Ranks& ranks, std::size_t own);

  std::vector<double> numbers_;
  std::vector<double> counts_;       // (ranks) numbers of each
  std::vector<std::size_t> begins_;  // (ranks + 1) among the numbers
};

}  // namespace stickslip
