// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/values_by_id.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(ValuesById, KeepsAsManyNumbersAsEachIdNeeds) {
  ValuesById table;
  for (std::size_t n = 0; n <= 8; ++n) {
    const std::span<double> values = table.add({n / 2, 10 * n}, n);
    ASSERT_EQ(values.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(values[i], 0.0);
      values[i] = static_cast<double>(100 * n + i);
    }
  }
  ASSERT_EQ(table.size(), 9U);
  EXPECT_EQ(table.values().size(), 36U);
  for (std::size_t n = 0; n <= 8; ++n) {
    EXPECT_EQ(table.ids()[n], (ElementId{n / 2, 10 * n}));
    ASSERT_EQ(table[n].size(), n);
    EXPECT_EQ(table.find({n / 2, 10 * n}).data(), table[n].data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(table[n][i], static_cast<double>(100 * n + i));
  }
  EXPECT_TRUE(table.find({0, 5}).empty());
  EXPECT_TRUE(table.find({4, 81}).empty());
}

TEST(ValuesById, AreEqualWhereIdsLengthsAndNumbersAre) {
  ValuesById a, b;
  a.add({1, 0}, 2)[0] = 3.0;
  b.add({1, 0}, 2)[0] = 3.0;
  EXPECT_EQ(a, b);
  b.add({2, 0}, 0);
  EXPECT_NE(a, b);
  b.clear();
  EXPECT_NE(a, b);
  b.add({1, 0}, 2)[0] = 3.0;
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace stickslip
