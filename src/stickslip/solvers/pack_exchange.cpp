// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/pack_exchange.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

constexpr int kNobody = -1;                                              // has used a record
constexpr int kEveryone = -2;                                            // all ranks alike
constexpr std::size_t kNumbers = sizeof(BodyVelocity) / sizeof(double);  // of a record

}  // namespace

void PackExchange::build(const ContactPacks& packs) {
  packs_ = &packs;
  ranks_ = packs.ranks();
  n_batches_ = static_cast<int>(packs.batches().size());
  if (ranks_ == nullptr) return;
  make_room(uses_, packs.n_records());
  uses_.assign(packs.n_records(), {kNobody, kNobody, 0});
  messages_.clear();
  for (int k = 0; k < n_batches_; ++k) {
    const ContactPacks::Batch& batch = packs.batches()[k];
    for (int r = 0; r < ranks_->size(); ++r) {
      const BlockRange blocks = ContactPacks::share_of(batch, r, ranks_->size());
      const std::size_t end = calc_block_begin(batch.size(), batch.n_blocks(), blocks.end);
      for (std::size_t i = calc_block_begin(batch.size(), batch.n_blocks(), blocks.begin); i < end; ++i) {
        const int rank = batch.is_ordered ? kEveryone : r;
        packs.for_records(batch.is_general, batch.begin + static_cast<int>(i),
                          [&](int record) { use(record, rank, k); });
      }
    }
  }
  for (const ContactPacks::Single& single : packs.singles()) {
    for (const int unknown : packs.unknowns(single)) use(unknown / static_cast<int>(kNumbers), kEveryone, n_batches_);
  }
  close();
  add_judgement();
  fill(true, sends_);
  fill(false, receives_);
  find_owned();
}

/// A rank changes a record after a stage: whoever changed it last sends it.
void PackExchange::use(int record, int rank, int stage) {
  Use& of = uses_[record];
  if (of.last == kNobody) of.first = rank;
  if (of.last >= 0 && of.last != rank) add_message(of.stage, of.last, rank, record);
  of.last = rank;
  of.stage = stage;
}

/// From the end of a sweep to the begin of the next.
void PackExchange::close() {
  for (int record = 0; record < packs_->n_records(); ++record) {
    const Use& of = uses_[record];
    if (of.last >= 0 && of.last != of.first) add_message(n_batches_, of.last, of.first, record);
  }
}

void PackExchange::add_message(int stage, int from, int to, int record) {
  if (to != kEveryone) return append(messages_, {stage, from, to, record});
  for (int r = 0; r < ranks_->size(); ++r) {
    if (r != from) append(messages_, {stage, from, r, record});
  }
}

/// Who gets a record within a sweep gets its owner's before a judgement.
void PackExchange::add_judgement() {
  const std::size_t n = messages_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Message message = messages_[k];
    const int owner = uses_[message.record].last;
    if (owner >= 0 && message.to != owner) append(messages_, {n_batches_ + 1, owner, message.to, message.record});
  }
  const auto key = [](const Message& m) { return std::tuple(m.stage, m.from, m.to, m.record); };
  std::ranges::sort(messages_, {}, key);
  const auto same = [&](const Message& a, const Message& b) { return key(a) == key(b); };
  messages_.erase(std::unique(messages_.begin(), messages_.end(), same), messages_.end());
}

/// Both ends list messages of the same stage and ranks by records.
void PackExchange::fill(bool is_sent, Lists& lists) {
  const int n_ranks = ranks_->size();
  lists.records.clear();
  lists.begins.clear();
  lists.rank_begins.clear();
  std::size_t most = 0;
  auto of_stage = messages_.begin();
  for (int stage = 0; stage < n_batches_ + 2; ++stage) {
    const std::size_t begin = lists.records.size();
    append(lists.begins, begin);
    const auto end = std::find_if(of_stage, messages_.end(), [&](const Message& m) { return m.stage != stage; });
    for (int r = 0; r < n_ranks; ++r) {
      append(lists.rank_begins, kNumbers * (lists.records.size() - begin));
      for (auto m = of_stage; m != end; ++m) {
        const int from = is_sent ? ranks_->rank() : r;
        const int to = is_sent ? r : ranks_->rank();
        if (m->from == from && m->to == to) append(lists.records, m->record);
      }
    }
    append(lists.rank_begins, kNumbers * (lists.records.size() - begin));
    most = std::max(most, lists.rank_begins.back());
    of_stage = end;
  }
  append(lists.begins, lists.records.size());
  make_room(lists.numbers, most);
  lists.numbers.resize(most);
}

void PackExchange::find_owned() {
  owned_.clear();
  for (int record = 0; record < packs_->n_records(); ++record) {
    const int owner = uses_[record].last;
    if (owner != ranks_->rank() && owner != kEveryone) continue;
    if (!owned_.empty() && owned_.back().first + owned_.back().n == record) {
      ++owned_.back().n;
    } else {
      append(owned_, {record, 1});
    }
  }
  const int n_empty = static_cast<int>(packs_->mobilities().size()) - packs_->n_records();
  append(owned_, {packs_->n_records(), n_empty});  // those of empty lanes, which each rank has for itself
}

void PackExchange::exchange(int stage, std::vector<BodyVelocity>& velocities) {
  if (ranks_ == nullptr) return;
  const auto begins = [&](const Lists& lists) {
    const auto n = static_cast<std::size_t>(ranks_->size()) + 1;
    return std::span(lists.rank_begins).subspan(stage * n, n);
  };
  const auto visit = [&](Lists& lists, auto&& copy) {
    double* numbers = lists.numbers.data();
    for (std::size_t k = lists.begins[stage]; k < lists.begins[stage + 1]; ++k, numbers += kNumbers) {
      copy(velocities[lists.records[k]].x, numbers);
    }
  };
  visit(sends_, [](const double* record, double* numbers) { std::copy_n(record, kNumbers, numbers); });
  ranks_->exchange(sends_.numbers.data(), begins(sends_), receives_.numbers.data(), begins(receives_));
  visit(receives_, [](double* record, const double* numbers) { std::copy_n(numbers, kNumbers, record); });
}

void PackExchange::gather(std::vector<std::array<double, 3>>& sums) {
  gather_blocks(false, sums);
}

void PackExchange::gather(std::vector<PackVector>& percussions) {
  gather_blocks(true, percussions);
}

/// Values of blocks, or of the packs in them, of batches that are shared; on the way rank by rank.
template <class T>
void PackExchange::gather_blocks(bool by_packs, std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  if (ranks_ == nullptr) return;
  constexpr std::size_t kSize = sizeof(T) / sizeof(double);
  /// visit(begin, n) of rank r.
  const auto for_parts = [&](int r, auto&& visit) {
    for (const ContactPacks::Batch& batch : packs_->batches()) {
      if (batch.is_ordered) continue;
      const BlockRange blocks = ContactPacks::share_of(batch, r, ranks_->size());
      if (!by_packs) {
        visit(static_cast<std::size_t>(batch.first_block) + static_cast<std::size_t>(blocks.begin),
              static_cast<std::size_t>(blocks.size()));
        continue;
      }
      const std::size_t first = batch.begin + (batch.is_general ? packs_->n_sphere_packs() : 0);
      const std::size_t begin = calc_block_begin(batch.size(), batch.n_blocks(), blocks.begin);
      visit(first + begin, calc_block_begin(batch.size(), batch.n_blocks(), blocks.end) - begin);
    }
  };
  begins_.clear();
  append(begins_, std::size_t{0});
  for (int r = 0; r < ranks_->size(); ++r) {
    std::size_t n = 0;
    for_parts(r, [&](std::size_t, std::size_t n_of_batch) { n += n_of_batch; });
    append(begins_, begins_.back() + kSize * n);
  }
  make_room(gathered_, begins_.back());
  gathered_.resize(begins_.back());
  double* own = gathered_.data() + begins_[ranks_->rank()];
  for_parts(ranks_->rank(), [&](std::size_t begin, std::size_t n) {
    std::memcpy(own, values.data() + begin, n * sizeof(T));
    own += kSize * n;
  });
  ranks_->gather(gathered_.data(), begins_);
  for (int r = 0; r < ranks_->size(); ++r) {
    if (r == ranks_->rank()) continue;
    const double* from = gathered_.data() + begins_[r];
    for_parts(r, [&](std::size_t begin, std::size_t n) {
      std::memcpy(values.data() + begin, from, n * sizeof(T));
      from += kSize * n;
    });
  }
}

}  // namespace stickslip
