// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/memory.h"

#include <gtest/gtest.h>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

class Memory : public testing::Test {
 protected:
  void save(double a, double lambda, bool smooth) {
    ball.begin(kStepLength);
    step.x.a.setConstant(a);
    step.x.lambda.setConstant(lambda);
    save_memory(step, ball.state, smooth);
  }
  BallStep ball{make_balls(1, 0.3), {.rho_inf = 0.5}};
  Step& step = ball.step;
  MemoryView<Vector> memory{ball.system, ball.state.memory};
};

TEST_F(Memory, BeginsWithoutHistory) {
  step.x.a.setConstant(3.0);
  step.x.lambda.setConstant(5.0);
  ball.remember();
  EXPECT_EQ(ball.state.memory.size(), MemoryView<Vector>::size(ball.system, 3));
  EXPECT_EQ(memory.a()(5), 3.0);
  EXPECT_EQ(memory.a_bar()(0), 3.0);
  EXPECT_EQ(memory.lambda()(2), 5.0);
  EXPECT_EQ(memory.earlier_lambda()(0), 5.0);
  EXPECT_EQ(memory.step(), 0.0);
  EXPECT_EQ(memory.history(), 0.0);
}

TEST_F(Memory, AveragesAreThoseOfThePaper) {
  save(1.0, 2.0, true);
  const Weights w(0.5);
  const double bar = w.next_bar(0.0, 1.0, 0.0);  // (71)
  EXPECT_EQ(memory.a_bar()(3), bar);
  EXPECT_EQ(memory.lambda_bar()(0), 2.0 * bar);
  save(4.0, 0.0, true);
  EXPECT_EQ(memory.a_bar()(3), w.next_bar(1.0, 4.0, bar));
  EXPECT_EQ(memory.last_a()(3), 1.0);
  EXPECT_EQ(memory.earlier_a()(3), 0.0);
  EXPECT_EQ(memory.step(), kStepLength);
}

TEST_F(Memory, StartValuesContinueASmoothMotion) {
  // 1, 4, 9 are followed by 16 on a parabola; after a jump by what was last.
  save(1.0, 1.0, true);
  save(4.0, 4.0, true);
  save(9.0, 9.0, true);
  ball.begin(kStepLength);
  EXPECT_EQ(step.x.a(0), 16.0);
  EXPECT_EQ(step.x.lambda(0), 16.0);
  set_start_values(step, ball.state, false);
  EXPECT_EQ(step.x.a(0), 9.0);
  save(1.0, 1.0, false);
  ball.begin(kStepLength);
  EXPECT_EQ(step.x.a(0), 1.0);
  save(4.0, 4.0, true);
  ball.begin(kStepLength);
  EXPECT_EQ(step.x.a(0), 7.0);  // a line: what is before the jump belongs to another motion
}

TEST_F(Memory, AnotherLengthMovesTheAverageOnItsLine) {
  save(1.0, 0.0, true);
  save(4.0, 0.0, true);
  const double bar = memory.a_bar()(0);
  rescale_memory(ball.system, ball.state, 0.25);
  EXPECT_NEAR(memory.a_bar()(0), 4.0 + 0.25 * (bar - 4.0), 1e-15);
  EXPECT_NEAR(memory.last_a()(0), 4.0 - 0.25 * 3.0, 1e-15);
  EXPECT_EQ(memory.history(), 0.0);
  forget_past(ball.system, ball.state);
  EXPECT_EQ(memory.a_bar()(0), 4.0);
  EXPECT_EQ(memory.step(), 0.0);
}

TEST_F(Memory, AJumpMovesAllOfIt) {
  save(1.0, 2.0, true);
  save(4.0, 3.0, true);
  const Vector before = ball.state.memory;
  step.x.a.setConstant(10.0);
  step.x.lambda.setConstant(100.0);
  move_memory(step, ball.state);
  EXPECT_EQ(memory.a()(0), 14.0);
  EXPECT_EQ(memory.lambda()(0), 103.0);
  EXPECT_EQ(memory.earlier_a()(5), 10.0);
  EXPECT_EQ(memory.earlier_lambda()(2), 100.0);
  EXPECT_EQ(ball.state.memory.tail<3>(), before.tail<3>());
}

TEST_F(Memory, SetsChangeWithWhatSticks) {
  ball.begin(kStepLength);
  StepElement& e = step.elements[0];
  e.level = Level::acceleration;
  const double slides = find_sets(step);
  e.states[0].stick = true;
  const double sticks = find_sets(step);
  e.level = Level::position;
  EXPECT_NE(slides, sticks);
  EXPECT_EQ(find_sets(step), 0.0);  // what bears nothing does not count
}

}  // namespace
}  // namespace stickslip::generalized_alpha
