// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/contact_tolerance.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(ContactTolerance, IsTightForFewPairsAndLooseForMany) {
  for (const int pairs : {0, 1, 10, 32}) EXPECT_EQ(calc_contact_tolerance(pairs), 1e-10);
  EXPECT_GT(calc_contact_tolerance(33), 1e-10);
  for (const int pairs : {320, 1000, 1000000}) EXPECT_EQ(calc_contact_tolerance(pairs), 1e-2);
  EXPECT_LT(calc_contact_tolerance(319), 1e-2);
}

TEST(ContactTolerance, HasNoCliff) {
  for (int pairs = 20; pairs < 400; ++pairs) {
    const double ratio = calc_contact_tolerance(pairs * 21 / 20) / calc_contact_tolerance(pairs);
    EXPECT_GE(ratio, 1.0) << pairs;
    EXPECT_LE(ratio, 1.5) << pairs;
  }
}

TEST(ContactTolerance, AdmitsOverlapsAlike) {
  EXPECT_EQ(calc_admitted_overlap(1e-10), 0.0);
  EXPECT_NEAR(calc_admitted_overlap(1e-2), 1e-5, 2e-10);
  EXPECT_LT(calc_admitted_overlap(1e-6), calc_admitted_overlap(1e-5));
}

}  // namespace
}  // namespace stickslip
