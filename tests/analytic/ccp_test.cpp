// SPDX-License-Identifier: BSD-3-Clause
// The half-implicit scheme with a cone complementarity problem against exact discrete answers and independent runs of
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::open_scene;
using test::SceneRun;

/// Round-off of a run of a hundred steps. [m, m/s, N s]
constexpr double kExact = 1e-12;
/// What the independent runs claim for bowling balls and for pendulums. [m, m/s, ...]
constexpr double kOfReference = 1e-10;
constexpr double kOfPendulum = 1e-9;
/// For four corners, of which single forces are open. [m/s]
constexpr double kOfBox = 1e-8;

/// No envelope: contacts of any gap take part, as in the independent runs.
const std::string kAssociated = R"(scheme={type="ccp",law="associated",envelope=1e3})";
const std::string kExactSolver = "solver.tolerance=1e-13";

SceneRun open_bowling(double gap, double h, const std::string& scheme) {
  std::ostringstream position;
  position.precision(17);
  position << "bodies.ball.position=[0,0," << 1.0 + gap << "]";
  return open_scene("papers/negrut/bowling_ball",
                    {scheme, kExactSolver, position.str(), "time.step=" + std::to_string(h)});
}

struct Bowling {
  const char* name;
  double gap;  // [m] at the start
};

class BowlingUnderCcp : public testing::TestWithParam<Bowling> {};

/// gap = mu h s after each step in which the ball slides and bears, so it hops off the lane from the start, and lands
/// again [Negrut2017].
TEST_P(BowlingUnderCcp, FollowsTheAssociatedLawAtEveryStep) {
  SceneRun run = open_bowling(GetParam().gap, 0.01, kAssociated);
  const auto rows = test::read_table(std::string("ccp/bowling_") + GetParam().name + ".csv");
  run.run([&](const SceneRun& r) {
    const std::vector<double>& row = rows.at(r.state.step - 1);  // t, gap, vz, vx, wy, slip, gamma_n, gamma_x, x
    EXPECT_NEAR(r.state.q(2) - 1.0, row[1], kOfReference) << "t = " << row[0];
    EXPECT_NEAR(r.state.u(2), row[2], kOfReference);
    EXPECT_NEAR(r.state.u(0), row[3], kOfReference);
    EXPECT_NEAR(r.state.u(4), row[4], kOfReference);
    EXPECT_NEAR(r.report.contacts[0].percussion[0], row[6], kOfReference);
    EXPECT_NEAR(r.report.contacts[0].percussion[1], row[7], kOfReference);
    EXPECT_NEAR(r.state.q(0), row[8], kOfReference);
  });
  EXPECT_EQ(run.state.step, static_cast<std::int64_t>(rows.size()));
}

INSTANTIATE_TEST_SUITE_P(, BowlingUnderCcp,
                         testing::Values(Bowling{"touch", 0.0}, Bowling{"steady", 0.004}, Bowling{"drop", 0.01}),
                         [](const auto& of) { return of.param.name; });

/// The discrete laws at another step: mu h s in each step that slides and bears, and s by its recurrence,
/// s (1 + k mu^2) = s0 - k mu g h l + k mu^2 s_before, k = 7/2, from a start at the gap mu h s0.
TEST(LiftOffUnderCcp, HasTheGapOfItsSlipAtAnyStep) {
  constexpr double kMu = 0.2;
  constexpr double kK = 3.5;
  constexpr double h = 0.0025;
  constexpr double kStart = 2.0;  // [m/s]
  SceneRun run = open_bowling(kMu * h * kStart, h, kAssociated);
  double before = kStart;
  int sliding = 0;
  run.run([&](const SceneRun& r) {
    const double slip = r.state.u(0) - r.state.u(4);
    const auto l = static_cast<double>(r.state.step);
    const double next = (kStart - kK * kMu * kGravity * h * l + kK * kMu * kMu * before) / (1.0 + kK * kMu * kMu);
    if (next < 0.0 || before == 0.0) {
      before = 0.0;
      EXPECT_NEAR(r.state.u(0), 10.0 / 7.0, 2.0 * kMu * kGravity * h);
      return;
    }
    EXPECT_NEAR(slip, next, kOfReference) << "t = " << r.state.t;
    EXPECT_NEAR(r.state.q(2) - 1.0, kMu * h * slip, kOfReference) << "t = " << r.state.t;
    before = next;
    ++sliding;
  });
  EXPECT_GT(sliding, 100);
  EXPECT_NEAR(run.state.u(0), 10.0 / 7.0, kOfReference);
  EXPECT_NEAR(run.state.q(2), 1.0, kOfReference);
}

/// So it does where the scheme itself chooses which contacts take part.
TEST(LiftOffUnderCcp, TheEnvelopeOfItsOwnLosesNothingOfTheAssociatedLaw) {
  for (const double gap : {0.0, 0.004, 0.01}) {
    SceneRun given = open_bowling(gap, 0.01, kAssociated);
    SceneRun own = open_bowling(gap, 0.01, R"(scheme={type="ccp",law="associated"})");
    given.run([&](const SceneRun& r) {
      ASSERT_EQ(own.step(), Status::ok);
      EXPECT_NEAR((own.state.q - r.state.q).norm(), 0.0, kExact) << "gap " << gap << ", t = " << r.state.t;
    });
  }
}

TEST(LiftOffUnderCcp, StaysOnTheLaneUnderTheExactLaw) {
  SceneRun run = open_bowling(0.0, 0.01, R"(scheme={type="ccp"})");
  run.run([&](const SceneRun& r) {
    EXPECT_NEAR(r.state.q(2), 1.0, kExact) << "t = " << r.state.t;
    EXPECT_NEAR(r.state.u(2), 0.0, kExact);
    EXPECT_NEAR(r.report.contacts[0].percussion[0], kGravity * 0.01, kExact);
  });
  EXPECT_NEAR(run.state.u(0), 10.0 / 7.0, kExact);
}

TEST(BoxUnderCcp, RestsBelowTheAngleOfFrictionUnderBothLaws) {
  for (const char* law : {"associated", "coulomb"}) {
    SceneRun run =
        open_scene("box_incline_20", {std::string(R"(scheme={type="ccp",law=")") + law + "\"}", kExactSolver});
    run.run([&](const SceneRun& r) { EXPECT_LE(r.state.u.lpNorm<Eigen::Infinity>(), kExact) << law; });
  }
}

/// v = a h (l - mu^2 (1 - rho^l)), rho = mu^2 / (1 + mu^2), and the gap mu h v; the exact law gives a h l and no gap.
TEST(BoxUnderCcp, SlidesAboveTheAngleOfFriction) {
  struct Law {
    std::string scheme, data;
  };
  const Law laws[] = {{kAssociated, "ccp/box_35_ccp.csv"}, {R"(scheme={type="ccp"})", "box_35_ncp.csv"}};
  for (const Law& law : laws) {
    SceneRun run = open_scene("box_incline_35", {law.scheme, kExactSolver});
    const auto rows = test::read_table(law.data);  // t, x, gap, v (3), omega (3), sum, front, rear
    const double half = 0.25;                      // [m] of its height
    run.run([&](const SceneRun& r) {
      const std::vector<double>& row = rows.at(r.state.step - 1);
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(r.state.u(i), row[3 + i], kOfBox) << law.data << ", t = " << row[0];
      EXPECT_NEAR(r.state.q(0), row[1], kOfBox);
      EXPECT_NEAR(r.state.q(2) - half, row[2], kOfBox);
      double sum = 0.0;
      double front = 0.0;
      for (const ContactReport& c : r.report.contacts) {
        sum += c.percussion[0];
        if (c.position(0) > r.state.q(0)) front += c.percussion[0];
      }
      EXPECT_NEAR(sum, row[9], kOfBox);
      EXPECT_NEAR(front, row[10], kOfBox);
    });
  }
}

/// A frictionless mass over a plane: the scheme by hand.
TEST(CapAndEnvelope, AreAppliedAsStated) {
  struct Case {
    double gap, velocity, h;  // [m, m/s, s]
    const char* options;
    int every;  // rows of the reference
  };
  const Case cases[] = {{-0.05, 0.0, 1e-3, "correction_speed = inf", 1},
                        {-0.05, 0.0, 1e-3, "correction_speed = 0.1, envelope = 1e3", 10},
                        {0.02, -5.0, 0.01, "correction_speed = inf, envelope = 0.0", 1},
                        {0.02, -5.0, 0.01, "correction_speed = inf, envelope = 0.1", 1},
                        {0.02, -5.0, 0.01, "correction_speed = 0.5, envelope = 0.0", 1}};
  const auto table = test::read_table("ccp/cap_envelope.csv");  // case, t, phi, v, gamma
  for (int i = 0; i < 5; ++i) {
    const Case& c = cases[i];
    std::vector<std::vector<double>> rows;
    for (const auto& row : table) {
      if (row[0] == i) rows.push_back(row);
    }
    ASSERT_GE(rows.size(), 12u);
    std::ostringstream text;
    text.precision(17);
    text << "stickslip = 1\nscheme = {type = \"ccp\", projection = false, " << c.options
         << "}\nsolver.tolerance = 1e-14\ntime = {end = " << static_cast<double>(rows.size()) * c.every * c.h
         << ", step = " << c.h << "}\n[bodies.mass]\ntype = \"point\"\nmass = 1\nposition = [0, 0, " << c.gap
         << "]\nvelocity = [0, 0, " << c.velocity << R"(]
shapes.tip = {type = "point"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[contacts]]
between = ["floor", "mass"]
)";
    SceneRun run = test::scene_from_text(text.str());
    run.run([&](const SceneRun& r) {
      if (r.state.step % c.every != 0) return;
      const std::vector<double>& row = rows.at(r.state.step / c.every - 1);
      EXPECT_NEAR(r.state.q(2), row[2], kExact) << "case " << i << ", t = " << row[1];
      EXPECT_NEAR(r.state.u(2), row[3], kExact) << "case " << i << ", t = " << row[1];
      EXPECT_NEAR(r.report.contacts[0].percussion[0], row[4], kExact) << "case " << i << ", t = " << row[1];
    });
  }
}

constexpr const char* kPendulum = R"(
[bodies.ground]
type = "fixed"
[bodies.bar]
mass = 1.5
inertia = [0.02, 0.03, 0.04]
position = [0.5, 0, 0]
[joints.pivot]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = [0, 1, 0]
)";

SceneRun open_pendulum(double h, const std::string& options, double end = 5.0, const std::string& more = "") {
  std::ostringstream text;
  text.precision(17);
  text << "stickslip = 1\nscheme = {type = \"ccp\", " << options << "}\nsolver.tolerance = 1e-13\ntime = {end = " << end
       << ", step = " << h << "}\n"
       << kPendulum << more;
  return test::scene_from_text(text.str());
}

TEST(PendulumUnderCcp, DriftsAsItsReferenceWithAndWithoutStabilisation) {
  constexpr double kMass = 1.5;
  constexpr double kInertia = 0.03;
  for (const std::vector<double>& row : test::read_table("ccp/pendulum.csv")) {
    SCOPED_TRACE("h = " + std::to_string(row[0]) + (row[1] == 1.0 ? ", stabilised" : ", as it is"));
    SceneRun run = open_pendulum(row[0], std::string("projection = false, correction_speed = inf, stabilisation = ") +
                                             (row[1] == 1.0 ? "true" : "false"));
    double most_off = 0.0;
    double energy_off = 0.0;
    double fastest = 0.0;
    double off = 0.0;
    run.run([&](const SceneRun& r) {
      const Vector& q = r.state.q;
      const Vector& u = r.state.u;
      const Matrix3 turn = rotation_matrix<double>(Vector4(q.segment<4>(3)));
      off = (q.head<3>() + turn * Vector3(-0.5, 0.0, 0.0)).norm();
      most_off = std::max(most_off, off);
      fastest = std::max(fastest, std::abs(u(4)));
      energy_off = std::max(energy_off, std::abs(0.5 * kMass * u.head<3>().squaredNorm() +
                                                 0.5 * kInertia * u(4) * u(4) + kMass * kGravity * q(2)));
    });
    EXPECT_NEAR(most_off, row[2], kOfPendulum);
    EXPECT_NEAR(off, row[3], kOfPendulum);
    EXPECT_NEAR(energy_off, row[5], kOfPendulum);
    EXPECT_NEAR(fastest, row[6], kOfPendulum);
    EXPECT_NEAR(run.state.q(0), row[7], kOfPendulum);
    EXPECT_NEAR(run.state.q(2), row[8], kOfPendulum);
    EXPECT_NEAR(run.state.u(4), row[9], kOfPendulum);
  }
}

TEST(PendulumUnderCcp, DoesNotDriftWithProjection) {
  for (const double h : {0.01, 0.001}) {
    SceneRun run = open_pendulum(h, "projection = true");
    run.run([&](const SceneRun& r) {
      EXPECT_LE(r.report.drift_position, kExact) << "h = " << h << ", t = " << r.state.t;
      EXPECT_LE(r.report.drift_angle, kExact);
    });
  }
}

/// The stabilised row holds the angle to what a step with constant rate leaves, h^2/2 theta'', and to how far a turn of
/// 2 atan(h omega / 2) is from h omega: (h omega)^3 / 12 in each step, put right in the next.
TEST(MotorUnderCcp, IsOffByOneStepsRemainder) {
  constexpr double kAmplitude = 0.8;
  constexpr double kRate = 5.0;  // [rad/s] of the motion A sin^2 (w t), which begins at rest
  for (const double h : {0.01, 0.0025}) {
    SceneRun run = open_pendulum(h, "projection = false, correction_speed = inf", 2.0, "motion = \"0.8*sin(5*t)^2\"\n");
    const double fastest = kAmplitude * kRate;                     // A w sin(2 w t)
    const double acceleration = 2.0 * kAmplitude * kRate * kRate;  // 2 A w^2 cos(2 w t)
    const double bound = 1.1 * h * h / 2.0 * acceleration + std::pow(h * fastest, 3);
    double worst = 0.0;
    run.run([&](const SceneRun& r) {
      const double s = std::sin(kRate * r.state.t);
      worst = std::max(worst, std::abs(r.report.joints[0].coordinate - kAmplitude * s * s));
    });
    EXPECT_LE(worst, bound) << "h = " << h;
    EXPECT_GE(worst, 0.2 * bound) << "h = " << h;  // it is first order, with this remainder
  }
}

/// A ball that just fits between two walls, but for 5.6e-17 m on either side, falls: round-off of positions makes
/// no forces, also where positions are put right.
TEST(Ccp, WhatJustFitsBetweenWallsFalls) {
  SceneRun run = test::scene_from_text(R"(
stickslip = 1
gravity = [0, -10]
time = {end = 0.05, step = 1e-4}
scheme = {type = "ccp", projection = true}
bodies.left = {type = "fixed", shapes.wall = {type = "half-space", normal = [1, 0], offset = 0.1}}
bodies.right = {type = "fixed", shapes.wall = {type = "half-space", normal = [-1, 0], offset = -0.7}}
bodies.ball = {type = "planar", mass = 1, inertia = 0.1, position = [0.4, 0], shapes.hull = {type = "sphere", radius = 0.3}}
contacts = [{between = ["left", "ball"], friction = 0.3}, {between = ["right", "ball"], friction = 0.3}]
)");
  ASSERT_NE(run.report.contacts[0].gap, 0.0);
  ASSERT_NE(run.report.contacts[1].gap, 0.0);
  run.run();
  EXPECT_NEAR(run.state.u(1), -0.5, 1e-12);
}

}  // namespace
}  // namespace stickslip
