// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/summary.h"

#include <gtest/gtest.h>

#include <limits>

namespace stickslip {
namespace {

StepRow row(double time, std::int64_t status = 0) {
  StepRow r;
  r.t = time;
  r.status = status;
  return r;
}

TEST(Summary, KeepsTheWorstAndWhen) {
  Summary summary;
  for (int n = 1; n <= 5; ++n) {
    StepRow r = row(0.1 * n);
    r.energy_error = n == 3 ? -2.0 : 1.0;
    r.penetration = n == 2 ? 0.5 : 0.25;
    r.closed_contacts = n;
    r.iterations = 2;
    summary.add(r);
  }
  EXPECT_EQ(summary.steps, 5);
  EXPECT_EQ(summary.energy_error.value, 2.0);
  EXPECT_EQ(summary.energy_error.time, 0.1 * 3);
  EXPECT_EQ(summary.penetration.value, 0.5);
  EXPECT_EQ(summary.penetration.time, 0.1 * 2);
  EXPECT_EQ(summary.most_contacts, 5);
  EXPECT_EQ(summary.iterations, 10);
}

TEST(Summary, SaysHowLongAutomaticStepsWere) {
  Summary summary;
  StepRow r = row(0.1);
  r.step = 0.1;
  summary.add(r);
  EXPECT_EQ(describe(summary).find("length of a step"), std::string::npos) << "fixed steps are all the same";
  r.step = 0.3;
  r.local_error = 1e-7;
  r.rejected = 2;
  summary.add(r);
  EXPECT_EQ(summary.shortest, 0.1);
  EXPECT_EQ(summary.longest, 0.3);
  EXPECT_EQ(summary.rejected, 2);
  EXPECT_NE(describe(summary).find("0.1 to 0.3 s, 0.2 s in the mean; 2 tries rejected"), std::string::npos)
      << describe(summary);
}

TEST(Summary, CountsInexactStepsAndTheFailedOneApart) {
  Summary summary;
  const std::vector<StepRow> rows = {row(0.1), row(0.2, 1), row(0.3, 1)};
  summary.add(rows);
  StepRow failed = row(0.4, 2);
  failed.residual = std::numeric_limits<double>::quiet_NaN();
  summary.add(failed);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(summary.inexact, 2);
  EXPECT_EQ(summary.first_inexact, 0.2);
  EXPECT_EQ(summary.failed, 1);
  const std::string text = describe(summary);
  EXPECT_NE(text.find("3, 2 above the tolerance"), std::string::npos) << text;
  EXPECT_NE(text.find("then one failed"), std::string::npos) << text;
}

}  // namespace
}  // namespace stickslip
