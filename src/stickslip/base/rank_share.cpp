// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/rank_share.h"

namespace stickslip {

/// Room for the numbers of all ranks, of which this one has so many: where its own go.
double* RankRecords::make_place(Ranks& ranks, std::size_t own) {
  const auto n = static_cast<std::size_t>(ranks.size());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  counts_.resize(n);
  counts_[rank] = static_cast<double>(own);
  begins_.resize(n + 1);
  for (std::size_t r = 0; r <= n; ++r) begins_[r] = r;
  ranks.gather(counts_.data(), begins_);
  begins_[0] = 0;
  for (std::size_t r = 0; r < n; ++r) begins_[r + 1] = begins_[r] + static_cast<std::size_t>(counts_[r]);
  make_room(numbers_, begins_.back());
  numbers_.resize(begins_.back());
  return numbers_.data() + begins_[rank];
}

}  // namespace stickslip
