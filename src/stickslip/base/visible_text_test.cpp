// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/visible_text.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(VisibleText, HasNoControlCharacterThatATerminalObeys) {
  EXPECT_EQ(visible_text("a\x1b[2Jb\r\x07\x7f"), "a\\x1b[2Jb\\x0d\\x07\\x7f");
  EXPECT_EQ(visible_text("one\ntwo"), "one\\x0atwo");
  EXPECT_EQ(visible_text("one\ntwo", LineFeeds::kept), "one\ntwo");
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31m"),
            "\\x9b31m");
}

TEST(VisibleText, KeepsOrdinaryTextAsItIs) {
  EXPECT_EQ(visible_text("ball/hull\t\xc3\xa9 \xc2\xb0 \xe2\x82\xac \xc2"),
            "ball/hull\t\xc3\xa9 \xc2\xb0 \xe2\x82\xac \xc2");
  EXPECT_EQ(visible_text(""), "");
}

}  // namespace
}  // namespace stickslip
