// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/thread_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip {
namespace {

TEST(ThreadTeam, EachBlockOnce) {
  for (const int n_threads : {1, 2, 4, 8}) {
    ThreadTeam team(n_threads);
    EXPECT_EQ(team.size(), n_threads);
    for (int n_blocks = 0; n_blocks < 60; ++n_blocks) {
      std::vector<int> calls(n_blocks, 0);
      team.run(n_blocks, [&](int block) { ++calls[block]; });
      EXPECT_EQ(calls, std::vector<int>(n_blocks, 1));
    }
  }
}

/// Loops that follow each other at once, each reading what the one before wrote elsewhere.
TEST(ThreadTeam, LoopsSeeWhatOthersWrote) {
  ThreadTeam team(4);
  constexpr int kBlocks = 13;
  std::vector<int> a(kBlocks, 0), b(kBlocks, 0);
  for (int k = 0; k < 2000; ++k) {
    team.run(kBlocks, [&](int block) { b[block] = a[(block + 5) % kBlocks] + 1; });
    team.run(kBlocks, [&](int block) { a[block] = b[(block + 3) % kBlocks]; });
  }
  EXPECT_EQ(a, std::vector<int>(kBlocks, 2000));
}

TEST(ThreadTeam, BlocksCoverTheRange) {
  ThreadTeam team(3);
  const ThreadTeam::Scope scope(&team);
  for (const bool is_shared : {false, true}) {
    for (const std::size_t n : {0, 1, 9, 10, 11, 95}) {
      std::vector<int> owner(n, -1);
      for_blocks(is_shared, n, 10, [&](std::size_t begin, std::size_t end, int block) {
        EXPECT_LE(end - begin, 10u);
        for (std::size_t i = begin; i < end; ++i) owner[i] = block;
      });
      const int n_blocks = count_blocks(n, 10);
      EXPECT_TRUE(n_blocks <= 1 || n_blocks % 2 == 0);
      EXPECT_TRUE(std::is_sorted(owner.begin(), owner.end()));
      EXPECT_TRUE(n == 0 || (owner.front() == 0 && owner.back() == n_blocks - 1));
    }
  }
}

/// The lowest one, and the team goes on.
TEST(ThreadTeam, ThrowsWhatABlockThrew) {
  for (const int n_threads : {1, 4}) {
    ThreadTeam team(n_threads);
    for (int k = 0; k < 20; ++k) {
      try {
        team.run(30, [](int block) {
          if (block >= 7) throw std::runtime_error(std::to_string(block));
        });
        ADD_FAILURE();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "7");
      }
      int sum = 0;
      team.run(1, [&](int) { ++sum; });
      EXPECT_EQ(sum, 1);
    }
  }
}

/// Loops within blocks run where they are, and threads without a team alone.
TEST(ThreadTeam, BlocksHaveNoTeam) {
  EXPECT_EQ(ThreadTeam::current(), nullptr);
  ThreadTeam team(2);
  {
    const ThreadTeam::Scope scope(&team);
    EXPECT_EQ(ThreadTeam::current(), &team);
    std::vector<int> sums(8, 0);
    team.run(8, [&](int block) {
      EXPECT_EQ(ThreadTeam::current(), nullptr);
      for_blocks(true, 100, 10,
                 [&](std::size_t begin, std::size_t end, int) { sums[block] += static_cast<int>(end - begin); });
    });
    EXPECT_EQ(sums, std::vector<int>(8, 100));
    EXPECT_EQ(ThreadTeam::current(), &team);
  }
  EXPECT_EQ(ThreadTeam::current(), nullptr);
}

TEST(ThreadTeam, CountsProcessorTimeOfAll) {
  ThreadTeam team(2);
  EXPECT_EQ(team.calc_cpu_seconds(), 0.0);
  const ThreadTeam::Scope scope(&team);
  const double before = ThreadTeam::calc_current_cpu_seconds();
  std::vector<double> x(16, 1.0);
  for (int k = 0; k < 50; ++k) {
    team.run(16, [&](int block) {
      for (int i = 0; i < 20000; ++i) x[block] = 1.0 / (1.0 + x[block]);
    });
  }
  EXPECT_GT(team.calc_cpu_seconds(), 0.0);
  EXPECT_GT(ThreadTeam::calc_current_cpu_seconds(), before + team.calc_cpu_seconds());
}

}  // namespace
}  // namespace stickslip
