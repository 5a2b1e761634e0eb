// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/phase_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>

namespace stickslip {
namespace {

double process_time() {
  timespec t = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Uses up a millisecond of processor time.
void spend_a_millisecond() {
  for (const double until = process_time() + 1e-3; process_time() < until;) {
  }
}

double of(PhaseClock& clock, Phase phase) {
  return clock.seconds()[static_cast<std::size_t>(phase)];
}

TEST(PhaseClock, SumsToTheTimeOfTheProcess) {
  PhaseClock clock;
  clock.activate();
  const double before = process_time();
  {
    const PhaseScope motion(Phase::motion);
    spend_a_millisecond();
    const PhaseScope solve(Phase::solve);
    spend_a_millisecond();
  }
  const double after = process_time();
  EXPECT_GE(of(clock, Phase::motion), 1e-3);
  EXPECT_GE(of(clock, Phase::solve), 1e-3);
  EXPECT_LE(of(clock, Phase::motion) + of(clock, Phase::solve), after - before);
  const double sum = std::accumulate(clock.seconds().begin(), clock.seconds().end(), 0.0);
  EXPECT_GE(sum, after - 1e-9);
  EXPECT_LE(sum, process_time() + 1e-9);
}

TEST(PhaseClock, WithoutOneScopesDoNothing) {
  {
    PhaseClock clock;
    clock.activate();
    EXPECT_TRUE(clock.is_active());
  }
  PhaseClock other;
  EXPECT_FALSE(other.is_active());
  const PhaseScope scope(Phase::solve);
  EXPECT_EQ(of(other, Phase::solve), 0.0);
}

}  // namespace
}  // namespace stickslip
