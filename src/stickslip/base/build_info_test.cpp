// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/build_info.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stickslip {
namespace {

TEST(BuildInfo, VersionHasThreeNumbers) {
  EXPECT_EQ(std::ranges::count(version(), '.'), 2);
}

TEST(BuildInfo, CommitIsTwelveHexadecimalDigitsOrUnknown) {
  EXPECT_TRUE(commit() == "unknown" ||
              (commit().size() == 12 && commit().find_first_not_of("0123456789abcdef") == std::string_view::npos))
      << commit();
}

TEST(BuildInfo, NamesTheCompiler) {
  EXPECT_NE(compiler().find(' '), std::string_view::npos);
}

}  // namespace
}  // namespace stickslip
