// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/step.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <stdexcept>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kMass;
using test::kStepLength;
using test::make_balls;
using test::SystemStep;

/// Three balls of radius 1/2 without weight, whose contacts are detected: the first two 1 mm apart, the third far off.
struct DetectedBalls : SystemStep {
  DetectedBalls() : SystemStep(make()) {
    for (int i = 0; i < 3; ++i) state.q.segment<4>(7 * i) << place(i), 0.0, 0.0, 1.0;
  }
  static double place(int i) { return i < 2 ? 1.001 * i : 20.0; }
  static System make() {
    SystemBuilder builder(false, Vector3::Zero());
    for (const char* name : {"a", "b", "c"}) {
      Body ball;
      ball.name = name;
      ball.mass = kMass;
      ball.inertia = 0.2 * Matrix3::Identity();
      ball.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.5}}};
      builder.add_body(ball);
    }
    builder.detect_contacts({});
    return builder.build();
  }
  bool has(int first, int second) const {
    for (const StepElement& e : step.elements) {
      const std::set<int> bodies = {e.sides()[0].body, e.sides()[1].body};
      if (bodies == std::set<int>{first, second}) return true;
    }
    return false;
  }
};

TEST(Step, BeginsFromTheStateAfresh) {
  BallStep ball(make_balls(1, 0.3));
  Step& step = ball.step;
  step.x.a.setConstant(3.0);
  step.x.lambda << 20.0, 1.0, 2.0;
  ball.remember();
  ball.state.t = 7.0;
  step.x.a.setZero();
  step.x.Lambda.setConstant(9.0);
  step.x.U.setConstant(9.0);
  step.elements[0].branch = Branch::open;
  step.elements[0].has_choice = true;
  step.follows_branches = false;  // as an interrupted step leaves it
  ball.begin(kStepLength);
  EXPECT_EQ(step.h, kStepLength);
  EXPECT_EQ(step.t_end, 7.0 + kStepLength);
  EXPECT_EQ(step.x.a, Vector::Constant(6, 3.0));
  EXPECT_EQ(step.x.lambda, (Vector{{20.0, 1.0, 2.0}}));
  EXPECT_EQ(step.x.Lambda.norm() + step.x.U.norm(), 0.0);
  EXPECT_EQ(step.elements[0].branch, Branch::any);
  EXPECT_FALSE(step.elements[0].has_choice);
  EXPECT_TRUE(step.follows_branches);
  EXPECT_DOUBLE_EQ(step.gamma_step(), kStepLength * 5.0 / 9.0);
  EXPECT_DOUBLE_EQ(step.beta_step(), kStepLength * kStepLength * 8.0 / 27.0);
}

TEST(Step, HasTheContactsThatItMayMeet) {
  DetectedBalls balls;
  balls.state.u(0) = 1.0;
  balls.begin(kStepLength);
  EXPECT_TRUE(balls.has(0, 1));
  EXPECT_EQ(balls.step.elements.size(), 1u);
  balls.state.q(7) = 3.0;
  balls.begin(kStepLength);
  EXPECT_TRUE(balls.step.elements.empty());
}

/// A ball that was pushed further than anything foresaw.
TEST(Step, MeetsOthersAtItsEnd) {
  DetectedBalls balls;
  Step& step = balls.step;
  balls.state.u(0) = 1.0;
  balls.begin(kStepLength);
  evaluate(step);
  EXPECT_FALSE(meets_others(step));
  step.q(7) = 19.5;
  EXPECT_TRUE(meets_others(step));
  begin(step, balls.state, kStepLength, kStepLength, true);
  EXPECT_TRUE(balls.has(0, 1));
  EXPECT_TRUE(balls.has(1, 2));
}

TEST(Step, AtAnInstantHasWhatTouchesThere) {
  DetectedBalls balls;
  balls.state.t = 3.0;
  balls.state.u(0) = 1.0;
  EXPECT_EQ(set_to_instant(balls.step, balls.state).t(), 3.0);
  EXPECT_TRUE(balls.step.elements.empty());
  balls.state.q(7) = 1.0 - 1e-6;
  set_to_instant(balls.step, balls.state);
  EXPECT_TRUE(balls.has(0, 1));
  EXPECT_EQ(balls.step.t_end, 3.0);
  EXPECT_EQ(balls.step.q, balls.state.q);
  EXPECT_EQ(balls.step.u, balls.state.u);
}

TEST(Step, KeepsItsElementsWhateverHappens) {
  BallStep balls(make_balls(2, 0.3));
  Step& step = balls.step;
  const auto leave_out = [&] {
    const KeptElements kept(step);
    step.elements.pop_back();
    step.elements[0].mu = 7.0;
    --step.n_fixed;
    throw std::runtime_error("interrupted");
  };
  EXPECT_THROW(leave_out(), std::runtime_error);
  EXPECT_EQ(step.elements.size(), 3u);
  EXPECT_EQ(step.n_fixed, 3u);
  EXPECT_EQ(step.elements[0].mu, 0.3);
}

TEST(Step, IsSpentAfterWhatItMayCost) {
  BallStep ball(make_balls(1, 0.3));
  ball.step.work = 1e300;
  EXPECT_FALSE(ball.step.is_spent());  // no bound of its own
  ball.step.most_work = 100.0;
  ball.step.work = 100.0;
  EXPECT_FALSE(ball.step.is_spent());
  ball.step.work = 101.0;
  EXPECT_TRUE(ball.step.is_spent());
  EXPECT_DOUBLE_EQ(ball.step.most_work_of_a_call(), 35.0);
}

TEST(StepElement, HasASignatureForEachSet) {
  std::set<std::uint32_t> seen;
  StepElement e;
  for (const Level level : {Level::open, Level::position, Level::velocity, Level::acceleration}) {
    for (int k = 0; k < 4; ++k) {
      e.level = level;
      e.states[0].stick = k % 2 > 0;
      e.states[0].stick_acceleration = k / 2 > 0;
      seen.insert(e.signature());
    }
  }
  EXPECT_EQ(seen.size(), 16u);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
