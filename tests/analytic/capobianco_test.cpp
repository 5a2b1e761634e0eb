// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks of [Capobianco2021] under Moreau's scheme, against closed forms and reference data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

/// The scenes ship with the paper's own scheme.
SceneRun open_under_moreau(const std::string& name, std::vector<std::string> overrides = {}) {
  overrides.emplace_back("scheme.type=moreau");
  return test::open_scene("papers/capobianco/" + name, std::move(overrides));
}

/// The last instant at which the bouncing ball does not touch the floor.
double last_open_instant(double step) {
  SceneRun run = open_under_moreau("bouncing_ball_zeno", {"time.step=" + std::to_string(step)});
  double last_open = 0.0;
  run.run([&](const SceneRun& r) {
    if (r.report.contacts[0].status == ContactStatus::open) last_open = r.state.t;
  });
  return last_open;
}

TEST(BouncingBall, StopsBouncingAtTheZenoTime) {
  const double e = 0.5;
  const double zeno = std::sqrt(2.0 * 0.9 / kGravity) * (1.0 + e) / (1.0 - e);
  ASSERT_NEAR(zeno, 1.285059, 1e-6);
  const double coarse = zeno - last_open_instant(2e-3);
  const double middle = zeno - last_open_instant(1e-4);
  const double fine = zeno - last_open_instant(1e-5);
  EXPECT_GT(coarse, 0.0);
  EXPECT_LE(coarse, 5 * 2e-3);
  EXPECT_GT(fine, 0.0);
  EXPECT_LE(fine, 12 * 1e-5);
  EXPECT_LT(middle, coarse);
  EXPECT_LT(fine, middle);
}

TEST(BouncingBall, SlidesThenRolls) {
  const double omega = 50.0;
  const double R = 0.1;
  SceneRun run = open_under_moreau("bouncing_ball_slip");
  double first_stick = 0.0;
  run.run([&](const SceneRun& r) {
    if (first_stick == 0.0 && r.report.contacts[0].status == ContactStatus::stick) first_stick = r.state.t;
  });
  // Slip ends at 2 R omega / (7 mu g), whatever the height of the drop.
  EXPECT_NEAR(first_stick, 2.0 * R * omega / (7.0 * 0.2 * kGravity), run.scene.time.step);
  EXPECT_NEAR(run.state.u(0), -2.0 * R * omega / 7.0, 1e-9);
  EXPECT_NEAR(run.state.u(2), 2.0 * omega / 7.0, 1e-9);
}

TEST(BouncingBall, SticksAtOnceWhenItSpinsSlowly) {
  const double omega = 10.0;
  SceneRun run = open_under_moreau("bouncing_ball_stick");
  run.run([](const SceneRun& r) { EXPECT_NE(r.report.contacts[0].status, ContactStatus::slip); });
  EXPECT_NEAR(run.state.u(0), -2.0 * 0.1 * omega / 7.0, 1e-9);
  EXPECT_NEAR(run.state.u(2), 2.0 * omega / 7.0, 1e-9);
}

TEST(BallInCorner, ComesToRestOnBothWalls) {
  SceneRun run = open_under_moreau("ball_in_corner");
  run.run();
  // At rest only the sum of the forces is determined: the weight.
  Vector3 force = Vector3::Zero();
  for (const ContactReport& c : run.report.contacts) {
    EXPECT_NE(c.status, ContactStatus::open);
    const Vector3 t2 = c.tangent;
    force += c.force[0] * c.normal + c.force[1] * t2;
  }
  EXPECT_NEAR(force(0), 0.0, 1e-8);
  EXPECT_NEAR(force(1), kGravity, 1e-8);
  EXPECT_LT(run.state.u.norm(), 1e-8);
  // Each impact may leave the penetration of one step behind (first order): |v| h with |v| below 4 m/s.
  EXPECT_NEAR(run.state.q(0), 0.0, 10 * 4.0 * run.scene.time.step);
  EXPECT_NEAR(run.state.q(1), 0.1 * std::sqrt(2.0), 10 * 4.0 * run.scene.time.step);
}

TEST(BallInCylinder, PenetratesInProportionToTheStep) {
  // The flaw of a scheme that holds constraints on velocities only; figures of an independent implementation.
  const std::vector<std::pair<double, double>> published = {
      {1e-2, 0.0964}, {5e-3, 0.0497}, {2.5e-3, 0.0252}, {1.25e-3, 0.0127}};
  for (const auto& [step, penetration] : published) {
    SceneRun run = open_under_moreau("ball_in_cylinder", {"time.step=" + std::to_string(step)});
    double worst = 0.0;
    run.run([&](const SceneRun& r) { worst = std::max(worst, r.report.penetration); });
    EXPECT_NEAR(worst, penetration, 0.01 * penetration) << "step " << step;
  }
}

TEST(BallInCylinder, FollowsTheReferenceTrajectory) {
  SceneRun run = open_under_moreau("ball_in_cylinder");
  const auto rows = test::read_table("cylinder_moreau.csv");  // t, q, u, gap, P_N, P_F; every tenth step
  // The reference iterates its percussions to 1e-6 N s or so, and the errors add up over 1000 steps.
  constexpr double kTolerance = 1e-4;
  std::size_t next = 1;
  run.run([&](const SceneRun& r) {
    if (next >= rows.size() || r.state.t < rows[next][0] - 1e-9) return;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(r.state.q(i), rows[next][1 + i], kTolerance * (i == 2 ? 10 : 1)) << "t = " << r.state.t;
      EXPECT_NEAR(r.state.u(i), rows[next][4 + i], kTolerance * 10) << "t = " << r.state.t;
    }
    ++next;
  });
  EXPECT_EQ(next, rows.size());
}

TEST(SlidingRod, ApproachesTheSmoothSolution) {
  // Sliding until t = 0.5 by a Runge-Kutta integration to 1e-12.
  const Vector3 q_exact(12.8965467281, 0.5271100380, -0.5551961970);
  const Vector3 u_exact(21.5029419175, 0.0982348495, -0.1155980134);
  const double force_exact = 10.7824205831;
  // The force is first order; so is the velocity, though larger terms hide it above steps of 1e-4 s; the position is
  // better (second order in this smooth motion).
  double last_q = 0.0;
  double last_u = 0.0;
  double last_force = 0.0;
  for (const double step : {2e-4, 1e-4, 5e-5, 2.5e-5}) {
    SceneRun run = open_under_moreau("sliding_rod", {"time.step=" + std::to_string(step), "time.end=0.5"});
    run.run([](const SceneRun& r) { EXPECT_NE(r.report.contacts[0].status, ContactStatus::stick); });
    const double error_q = (run.state.q - q_exact).norm();
    const double error_u = (run.state.u - u_exact).norm();
    const double error_force = std::abs(run.report.contacts[0].force[0] - force_exact);
    if (last_q > 0.0) {
      EXPECT_GE(std::log2(last_q / error_q), 1.9) << "step " << step;
      EXPECT_NEAR(std::log2(last_u / error_u), 1.0, 0.12) << "step " << step;
      EXPECT_NEAR(std::log2(last_force / error_force), 1.0, 0.02) << "step " << step;
    }
    last_q = error_q;
    last_u = error_u;
    last_force = error_force;
  }
}

/// theta(t) of the tippe top at multiples of 0.01 s, with what is needed of the contacts.
struct TopHistory {
  std::vector<double> theta;  // [rad]
  bool inverted = false;      // theta > 2.8 with the stick touching and the body off the ground, 1.2 < t < 3.5
  double worst_quaternion = 0.0;
};

TopHistory run_top(double step) {
  SceneRun run = open_under_moreau("tippe_top", {"time.step=" + std::to_string(step), "time.end=4"});
  TopHistory history;
  const auto every = std::lround(0.01 / step);
  run.run([&](const SceneRun& r) {
    const Pose pose = r.built.system->calc_pose(0, r.state.t, r.state.q);
    const double theta = std::acos(std::clamp(pose.R_WB(2, 2), -1.0, 1.0));
    history.worst_quaternion = std::max(history.worst_quaternion, std::abs(r.state.q.segment<4>(3).norm() - 1.0));
    if (r.state.step % every == 0) history.theta.push_back(theta);
    const bool on_stick =
        r.report.contacts[0].status == ContactStatus::open && r.report.contacts[1].status != ContactStatus::open;
    if (r.state.t > 1.2 && r.state.t < 3.5 && theta > 2.8 && on_stick) history.inverted = true;
  });
  return history;
}

TEST(TippeTop, TurnsOverAndConverges) {
  const TopHistory coarse = run_top(1e-4);
  const TopHistory fine = run_top(5e-5);
  EXPECT_TRUE(coarse.inverted);
  EXPECT_LE(coarse.worst_quaternion, 1e-14);
  ASSERT_EQ(coarse.theta.size(), 400u);
  ASSERT_EQ(fine.theta.size(), 400u);
  double worst = 0.0;
  for (std::size_t i = 0; i < coarse.theta.size(); ++i) {
    worst = std::max(worst, std::abs(coarse.theta[i] - fine.theta[i]));
  }
  EXPECT_LE(worst, 0.02);
  RecordProperty("largest_difference_rad", std::to_string(worst));
}

}  // namespace
}  // namespace stickslip
