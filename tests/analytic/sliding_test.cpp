// SPDX-License-Identifier: BSD-3-Clause
// Spheres, boxes and masses that slide, roll and stick, against exact discrete answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::open_scene;
using test::SceneRun;

TEST(Sphere, MeetsTheExactSolutionAtEveryStep) {
  SceneRun run = open_scene("papers/trinkle/sphere");
  const auto rows = test::read_table("sphere_trinkle.csv");  // t, nu (6: v, omega), p_n, ...
  ASSERT_EQ(rows.size(), 5u);
  run.run([&](const SceneRun& r) {
    const std::vector<double>& row = rows[r.state.step - 1];
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(r.state.u(i), row[1 + i], 1e-12) << "t = " << row[0];
    EXPECT_NEAR(r.report.contacts[0].percussion[0], row[7], 1e-12);
    if (r.state.t > 2.0 * 2.0 / (7.0 * 0.2 * kGravity)) {
      EXPECT_NEAR(r.state.u(0), 10.0 / 7.0, 1e-12);
      EXPECT_NEAR(r.state.u(4), 10.0 / 7.0, 1e-12);
      EXPECT_EQ(r.report.contacts[0].status, ContactStatus::stick);
    } else {
      EXPECT_EQ(r.report.contacts[0].status, ContactStatus::slip);
    }
  });
}

TEST(BowlingBall, NeverLeavesTheLaneUnderExactCoulombFriction) {
  SceneRun run = open_scene("papers/negrut/bowling_ball");
  const auto rows = test::read_table("bowling_exact_dt0.01.csv");  // t, gap, vz, vx, wy, slip, gamma_n, gamma_x, x
  run.run([&](const SceneRun& r) {
    const std::vector<double>& row = rows.at(r.state.step - 1);
    EXPECT_NEAR(r.state.u(2), row[2], 1e-10);
    EXPECT_NEAR(r.state.u(0), row[3], 1e-10);
    EXPECT_NEAR(r.state.u(4), row[4], 1e-10);
    EXPECT_NEAR(r.report.contacts[0].percussion[0], row[6], 1e-10);
    EXPECT_NEAR(r.report.contacts[0].percussion[1], row[7], 1e-10);
    EXPECT_LE(std::abs(r.report.contacts[0].gap), 1e-12);
  });
  EXPECT_EQ(run.state.step, static_cast<std::int64_t>(rows.size()));
}

/// Sum of normal percussions over a box's corners.
double total_normal(const StepReport& report) {
  double sum = 0.0;
  for (const ContactReport& c : report.contacts) sum += c.percussion[0];
  return sum;
}

TEST(BoxOnIncline, RestsBelowTheAngleOfFriction) {
  SceneRun run = open_scene("box_incline_20");
  const Vector start = run.state.q;
  const double alpha = run.scene.parameters.at("alpha");
  run.run([&](const SceneRun& r) {
    EXPECT_LE(r.state.u.cwiseAbs().maxCoeff(), 1e-13) << "t = " << r.state.t;
    EXPECT_NEAR(total_normal(r.report), 2.0 * kGravity * std::cos(alpha) * r.scene.time.step, 1e-10);
  });
  EXPECT_LE((run.state.q - start).cwiseAbs().maxCoeff(), 1e-13);
}

/// The corners' forces of least norm: friction F = m g sin(alpha) in equal parts, and normal forces that balance its
/// moment, affine in x: with the edges 1 m and 0.5 m along and across the slope, m g cos(alpha) / 4 +- F / 8.
TEST(BoxOnIncline, CornersShareTheLoadByLeastNorm) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    SCOPED_TRACE(scheme);
    SceneRun run = open_scene("box_incline_20", {std::string("scheme.type=\"") + scheme + "\"",
                                                 "scheme.forces=\"least-norm\"", "solver.tolerance=1e-11"});
    const double alpha = run.scene.parameters.at("alpha");
    const double weight = 2.0 * kGravity * run.scene.time.step;
    run.run([&](const SceneRun& r) {
      std::vector<double> normal;
      for (const ContactReport& c : r.report.contacts) {
        if (c.status == ContactStatus::open) continue;  // the upper corners
        normal.push_back(c.percussion[0]);
        EXPECT_NEAR(c.percussion[1], -0.25 * weight * std::sin(alpha), 1e-10);
        EXPECT_NEAR(c.percussion[2], 0.0, 1e-10);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(c.force[i] * r.scene.time.step, c.percussion[i], 1e-10);
      }
      ASSERT_EQ(normal.size(), 4u);
      std::sort(normal.begin(), normal.end());
      for (int i = 0; i < 4; ++i) {
        const double sign = i < 2 ? -1.0 : 1.0;
        EXPECT_NEAR(normal[i], weight * (0.25 * std::cos(alpha) + sign * 0.125 * std::sin(alpha)), 1e-10);
      }
    });
  }
}

TEST(BoxOnIncline, SlidesAboveTheAngleOfFriction) {
  SceneRun run = open_scene("box_incline_35");
  const auto rows = test::read_table("box_35_ncp.csv");  // t, x, gap, v (3), omega (3), sum, front, rear
  const double alpha = run.scene.parameters.at("alpha");
  const double a = kGravity * (std::sin(alpha) - 0.5 * std::cos(alpha));
  run.run([&](const SceneRun& r) {
    const std::vector<double>& row = rows.at(r.state.step - 1);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(r.state.u(i), row[3 + i], 1e-8);
    EXPECT_NEAR(r.state.u(0), a * r.state.t, 1e-8);
    EXPECT_NEAR(total_normal(r.report), row[9], 1e-8);
  });
  EXPECT_NEAR(run.state.u(0), 0.804422031683, 1e-8);
}

TEST(PointMass, SlowsDownAlongTheForceAsTheClosedForm) {
  // Velocity along the force f: v = v0 - (F - f) t / M until it stops, then rest because f < F.
  SceneRun run =
      open_scene("papers/kikuuwe/point_mass", {"bodies.mass.velocity=[1.2, 0.9]", "forces.push.force=[0.8, 0.6]"});
  const double v0 = 1.5;
  const double deceleration = (3.0 - 1.0) / 2.0;
  run.run([&](const SceneRun& r) {
    const double v = std::max(0.0, v0 - deceleration * r.state.t);
    EXPECT_NEAR(r.state.u(0), 0.8 * v, 1e-11);
    EXPECT_NEAR(r.state.u(1), 0.6 * v, 1e-11);
  });
}

TEST(PointMass, StopsUnderAnObliqueForce) {
  // v' = (f - F v/|v|) / M; the scheme is implicit in the direction, so its error is O(h). Reference: the same
  // equation by the classical Runge-Kutta method at a step of 1e-5, away from rest.
  const auto f = [](const Eigen::Vector2d& v) -> Eigen::Vector2d {
    return (Eigen::Vector2d(0.5, -1.0) - 3.0 * v.normalized()) / 2.0;
  };
  Eigen::Vector2d v(1.5, 0.8);
  const double h = 1e-5;
  for (int i = 0; i < 80000; ++i) {
    const Eigen::Vector2d k1 = f(v), k2 = f(v + 0.5 * h * k1), k3 = f(v + 0.5 * h * k2), k4 = f(v + h * k3);
    v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const auto error = [&](double step) {
    SceneRun run = open_scene("papers/kikuuwe/point_mass", {"time.end=0.8", "time.step=" + std::to_string(step)});
    run.run();
    return (run.state.u - v).norm();
  };
  const double coarse = error(2e-3);
  const double fine = error(1e-3);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.1);
  SceneRun whole = open_scene("papers/kikuuwe/point_mass", {"time.end=3"});
  whole.run();
  EXPECT_LE(whole.state.u.norm(), 1e-13);
}

TEST(SpringSlider, LosesAmplitudeToFrictionAndToTheWall) {
  // Between reversals a cosine about +-c/k = +-0.02 m; with omega = 10 rad/s:
  //   left from 0.19 about 0.02, amplitude 0.17, to the wall at -0.1; back at half the speed about -0.02;
  //   left again about 0.02, right about -0.02, and rest where |x| < 0.02.
  const double omega = 10.0;
  const double at_wall = -0.1;
  const double speed = omega * std::sqrt(0.17 * 0.17 - 0.12 * 0.12);
  const double amplitude = std::hypot(at_wall + 0.02, 0.5 * speed / omega);
  const double turn1 = -0.02 + amplitude;
  const double turn2 = 0.02 - (turn1 - 0.02);
  const double rest = -0.02 + (-0.02 - turn2);
  ASSERT_LT(std::abs(rest), 0.02);
  SceneRun run = open_scene("spring_slider", {"time.step=1e-5"});
  std::vector<double> turns;
  double last_velocity = 0.0;
  run.run([&](const SceneRun& r) {
    const double v = r.state.u(0);
    if (last_velocity > 0.0 && v <= 0.0) turns.push_back(r.state.q(0));
    if (last_velocity < 0.0 && v >= 0.0 && r.state.q(0) > at_wall + 0.01) turns.push_back(r.state.q(0));
    last_velocity = v;
  });
  constexpr double kFirstOrder = 2e-4;  // [m] at the step of 1e-5 s: impact time and reversals are met to O(h)
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_NEAR(turns[0], turn1, kFirstOrder);
  EXPECT_NEAR(turns[1], turn2, kFirstOrder);
  EXPECT_NEAR(turns[2], rest, kFirstOrder);
  EXPECT_LE(std::abs(run.state.u(0)), 1e-13);
}

}  // namespace
}  // namespace stickslip
