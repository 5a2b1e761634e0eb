// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/newton_system.h"

#include <gtest/gtest.h>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

/// Balls that stick at the floor or slide on it, spin and press on each other a little, with forces to be found.
void set_out(BallStep& balls, int n, double slip) {
  for (int i = 0; i < n; ++i) {
    balls.state.u.segment<6>(6 * i) << slip, 0.3 * slip, 0.0, 0.7, -0.4, 0.9;
  }
  balls.begin(kStepLength);
  evaluate(balls.step);
}

/// What a Newton step is for: with the index sets as they are, a short way along it takes off as large a part of every
/// residual, up to the square of the way.
void expect_residuals_to_fall_along_the_step(BallStep& balls) {
  Step& step = balls.step;
  NewtonSystem system(step);
  // Close to a solution, where sets stand.
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(system.solve(step));
    system.apply(step, 1.0);
    evaluate(step);
  }
  Unknowns near = step.x;
  for (Vector* y : {&near.a, &near.U, &near.Q}) {
    for (Eigen::Index i = 0; i < y->size(); ++i)
      (*y)(i) += 1e-3 * std::cos(1.0 + static_cast<double>(i)) * (y == &near.Q ? kStepLength : 1.0);
  }
  step.x = near;
  evaluate(step);
  const std::uint64_t sets = signature(step);
  ASSERT_TRUE(system.solve(step));
  const auto residuals = [&] {
    std::vector<double> all;
    for (const Vector* r : {&step.r1, &step.r2, &step.r3}) all.insert(all.end(), r->data(), r->data() + r->size());
    for (const StepElement& e : step.elements) {
      if (e.level >= Level::position) all.push_back(e.gap[0]);
      for (int i = 0; i < e.dim && e.level >= Level::velocity; ++i) {
        if (i == 0 || e.states[0].stick) all.push_back(e.xi[i]);
        if (i > 0 && !e.states[0].stick) {
          all.push_back(step.P(e.offset + i) + friction_radius(step, e, 0, step.P(e.offset)) * e.direction[i]);
        }
      }
    }
    return all;
  };
  const std::vector<double> before = residuals();
  double size = 0.0;
  for (const double r : before) size = std::max(size, std::abs(r));
  ASSERT_GT(size, 1e-6);
  double last = 0.0;
  for (const double part : {0.02, 0.01}) {
    step.x = near;
    system.apply(step, part);
    evaluate(step);
    ASSERT_EQ(signature(step), sets);
    const std::vector<double> after = residuals();
    ASSERT_EQ(after.size(), before.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      worst = std::max(worst, std::abs(after[i] - (1.0 - part) * before[i]));
    }
    EXPECT_LE(worst, 0.1 * part * size);
    if (last > 0.0) {
      EXPECT_LE(worst, 0.3 * last + 1e-11);  // a quarter: of second order, up to round-off
    }
    last = worst;
  }
}

TEST(NewtonSystem, IsTheDerivativeWhereBallsStick) {
  BallStep balls(make_balls(2, 0.5));
  set_out(balls, 2, 0.0);
  expect_residuals_to_fall_along_the_step(balls);
}

TEST(NewtonSystem, IsTheDerivativeWhereABallSlides) {
  BallStep balls(make_balls(1, 0.3));
  set_out(balls, 1, 2.0);
  expect_residuals_to_fall_along_the_step(balls);
}

TEST(NewtonSystem, IsTheDerivativeWithSecondOrderFriction) {
  BallStep balls(make_balls(1, 0.3), {.friction = GeneralizedAlphaFriction::second_order});
  // The forces that it slides with: impulses would be differentiated as forces over the step.
  const Eigen::Vector2d slip(2.0 + 0.5 * 0.4, 0.6 + 0.5 * 0.7);
  balls.step.x.lambda << 20.0, -0.3 * 20.0 * slip.normalized();
  balls.state.u.head<6>() << 2.0, 0.6, 0.0, 0.7, -0.4, 0.9;
  balls.remember();
  balls.begin(kStepLength);
  evaluate(balls.step);
  expect_residuals_to_fall_along_the_step(balls);
}

TEST(NewtonSystem, IsLargeAboveAHundredRows) {
  for (const int n : {5, 20}) {
    BallStep balls(make_balls(n, 0.3));
    balls.begin(kStepLength);
    for (int i = 0; i < n; ++i) balls.step.x.lambda(balls.step.elements[2 * i > 0 ? 2 * i - 1 : 0].offset) = 20.0;
    evaluate(balls.step);
    NewtonSystem system(balls.step);
    EXPECT_EQ(NewtonSystem::is_large(balls.step), n == 20);
    ASSERT_TRUE(system.solve(balls.step));
    EXPECT_EQ(system.is_dense(), n == 5);
  }
}

}  // namespace
}  // namespace stickslip::generalized_alpha
