// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace stickslip {
namespace {

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Base64, IsThatOfTheStandard) {
  // The examples of RFC 4648, section 10.
  EXPECT_EQ(to_base64(bytes_of_text("")), "");
  EXPECT_EQ(to_base64(bytes_of_text("f")), "Zg==");
  EXPECT_EQ(to_base64(bytes_of_text("fo")), "Zm8=");
  EXPECT_EQ(to_base64(bytes_of_text("foo")), "Zm9v");
  EXPECT_EQ(to_base64(bytes_of_text("foob")), "Zm9vYg==");
  EXPECT_EQ(to_base64(bytes_of_text("fooba")), "Zm9vYmE=");
  EXPECT_EQ(to_base64(bytes_of_text("foobar")), "Zm9vYmFy");
  EXPECT_EQ(to_base64(bytes_of_text("\xfb\xff\xfe")), "+//+");
}

}  // namespace
}  // namespace stickslip
