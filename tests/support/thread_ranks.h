// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "stickslip/base/ranks.h"

namespace stickslip::test {

/// What threads that stand for ranks show each other.
struct RankBoard {
  explicit RankBoard(int n) : all(n), data(n), begins(n) {}
  std::barrier<> all;
  std::vector<const double*> data;                   // (ranks)
  std::vector<std::span<const std::size_t>> begins;  // (ranks)
};

/// A rank of a thread: all functions but end() wait for all ranks.
class ThreadRank final : public Ranks {
 public:
  ThreadRank(int rank, int size, RankBoard& board) : Ranks(rank, size, size), board_(board) {}

  void gather(double* data, std::span<const std::size_t> begins) override {
    show(data, begins);
    for (int r = 0; r < size(); ++r) {
      if (r != rank()) std::copy(board_.data[r] + begins[r], board_.data[r] + begins[r + 1], data + begins[r]);
    }
    wait_for_all();
  }
  void exchange(const double* sent, std::span<const std::size_t> send_begins, double* received,
                std::span<const std::size_t> receive_begins) override {
    show(sent, send_begins);
    for (int r = 0; r < size(); ++r) {
      const std::span<const std::size_t> begins = board_.begins[r];
      const std::size_t n = begins[rank() + 1] - begins[rank()];
      EXPECT_EQ(n, receive_begins[r + 1] - receive_begins[r]) << "from " << r << " to " << rank();
      std::copy_n(board_.data[r] + begins[rank()], n, received + receive_begins[r]);
    }
    wait_for_all();
  }
  void wait_for_all() override { board_.all.arrive_and_wait(); }
  std::optional<int> end(int status, bool /*has_failed*/) override { return status; }
  void abort(int /*status*/) override {}

 private:
  void show(const double* data, std::span<const std::size_t> begins) {
    board_.data[rank()] = data;
    board_.begins[rank()] = begins;
    wait_for_all();
  }

  RankBoard& board_;
};

/// Calls f(rank) in n threads, whose current Ranks are n ranks.
template <class F>
void run_ranks(int n, F&& f) {
  RankBoard board(n);
  std::vector<std::thread> threads;
  for (int r = 0; r < n; ++r) {
    threads.emplace_back([&, r] {
      ThreadRank rank(r, n, board);
      const Ranks::Scope scope(&rank);
      f(r);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace stickslip::test
