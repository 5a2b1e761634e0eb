// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/make_room.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(MakeRoom, LeavesLittleUnused) {
  std::vector<std::size_t> values;
  int moves = 0;
  for (std::size_t n = 1; n <= 10000; ++n) {
    const std::size_t before = values.capacity();
    append(values, n);
    moves += values.capacity() != before;
    ASSERT_LE(values.capacity(), n + n / 64 + 8);
    ASSERT_EQ(values[n / 2], n / 2 + 1);
  }
  EXPECT_LT(moves, 200);
}

TEST(MakeRoom, StaysWhereThereIsEnough) {
  std::vector<int> values(100);
  make_room(values, 101);
  const int* const at = values.data();
  make_room(values, 107);
  values.resize(107);
  EXPECT_EQ(values.data(), at);
}

}  // namespace
}  // namespace stickslip
