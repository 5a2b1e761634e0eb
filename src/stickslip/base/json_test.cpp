// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace stickslip {
namespace {

TEST(Json, TextsCannotLeaveAnHtmlElement) {
  EXPECT_EQ(to_json("</script><b>f(1)</b>"), R"json("\u003c/script\u003e\u003cb\u003ef(1)\u003c/b\u003e")json");
  EXPECT_EQ(to_json("<!--"), R"("\u003c!--")");
  EXPECT_EQ(to_json("a\"b\\c\n&"), R"("a\u0022b\u005cc\u000a\u0026")");
  EXPECT_EQ(to_json("Painlev\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"Painlev\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST(Json, WhatIsNoUtf8IsReplaced) {
  // A byte alone, an overlong '/', a surrogate, what is beyond U+10FFFF, and a sequence cut off.
  EXPECT_EQ(to_json("\xff"), R"("\ufffd")");
  EXPECT_EQ(to_json("\xc0\xaf"), R"("\ufffd\ufffd")");
  EXPECT_EQ(to_json("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(to_json("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(to_json("a\xe2\x82"), R"("a\ufffd\ufffd")");
}

TEST(Json, NumbersThatJsonLacksAreNull) {
  EXPECT_EQ(to_json(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(to_json(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(to_json(0.1), "0.1");
}

}  // namespace
}  // namespace stickslip
