// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/stop_token.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(StopToken, AnEmptyOneIsNeverRaised) {
  const StopToken token;
  EXPECT_FALSE(token.is_raised());
  EXPECT_NO_THROW(token.check());
}

TEST(StopToken, ThrowsOnceItsFlagIsRaised) {
  std::atomic<bool> flag = false;
  const StopToken token(&flag);
  EXPECT_NO_THROW(token.check());
  flag = true;
  EXPECT_TRUE(token.is_raised());
  EXPECT_THROW(token.check(), Interrupted);
  EXPECT_THROW(token.check(), Interrupted);
}

TEST(StopToken, ACounterRaisesItAtTheAskThatItIsToldOf) {
  StopCounter counter;
  counter.stop_at = 3;
  const StopToken token(&counter);
  token.check();
  token.check();
  EXPECT_FALSE(token.is_raised());
  EXPECT_THROW(token.check(), Interrupted);
  EXPECT_TRUE(token.is_raised());
  EXPECT_EQ(counter.asks, 3);
}

}  // namespace
}  // namespace stickslip
