// SPDX-License-Identifier: BSD-3-Clause
// Solid cylinders and ellipsoids on a plane against closed forms: coins that roll, Euler's disc, cylinders on slopes; a
// rattleback against an integration of its equations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "tests/support/rolling_ellipsoid.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

constexpr double kDegree = std::numbers::pi / 180.0;
/// What takes detected contacts and rows of moving points.
constexpr const char* kRollingSchemes[] = {"moreau", "ccp", "stewart-trinkle", "generalized-alpha"};

/// What is level at z = 0.
constexpr const char* kHalfSpace = "{type = \"half-space\", normal = [0, 0, 1]}";
constexpr const char* kBox = "{type = \"box\", size = [2, 2, 0.2], position = [0, 0, -0.1]}";

SceneRun rolling_scene(const std::string& scheme, double end, double h, const Vector3& gravity, const std::string& text,
                       const char* ground = kHalfSpace) {
  return test::scene_from_text(
      fmt::format("stickslip = 1\nscheme = {{type = \"{}\"}}\nsolver = {{tolerance = 1e-10}}\n"
                  "time = {{end = {:.17g}, step = {:.17g}}}\ngravity = [{:.17g}, {:.17g}, {:.17g}]\n"
                  "[bodies.ground]\ntype = \"fixed\"\nshapes.top = {}\n{}",
                  scheme, end, h, gravity(0), gravity(1), gravity(2), ground, text));
}

/// As seen by a plane that falls by `slope` [rad] in the direction `along` [rad] from x.
Vector3 slope_gravity(double slope, double along) {
  return kGravity * Vector3(std::sin(slope) * std::cos(along), std::sin(slope) * std::sin(along), -std::cos(slope));
}

Matrix3 orientation_of(const SceneRun& run) {
  const auto& e = run.state.q;
  return Eigen::Quaterniond(e(3), e(4), e(5), e(6)).normalized().toRotationMatrix();
}

double energy_of(const SceneRun& run) {
  const System& system = *run.built.system;
  return system.calc_kinetic_energy(run.state.u) + system.calc_potential_energy(run.state.t, run.state.q);
}

/// A disc whose centre stays where it is while its axis goes round: Omega^2 = 4 g / (R sin a).
void spin_eulers_disc(double degrees, double turns, double h_of_turn) {
  constexpr double kR = 1.0;
  constexpr double kLength = 1e-5;
  const double a = degrees * kDegree;
  const double rate = std::sqrt(4.0 * kGravity / (kR * std::sin(a)));
  const double period = 2.0 * std::numbers::pi / rate;
  const double h = period * h_of_turn;
  const auto n = static_cast<int>(std::lround(turns / h_of_turn));
  SceneRun run =
      rolling_scene("generalized-alpha", n * h, h, slope_gravity(0.0, 0.0),
                    fmt::format("[bodies.disc]\ndensity = 1000\nmass = 1\nposition = [0, 0, {:.17g}]\n"
                                "rotation = {{axis = [1, 0, 0], angle = {:.17g}}}\nangular_velocity = [0, {:.17g}, 0]\n"
                                "shapes.rim = {{type = \"cylinder\", radius = {}, length = {}}}\n"
                                "[[contacts]]\nbetween = [\"ground\", \"disc\"]\nfriction = 1\n",
                                kR * std::sin(a) + 0.5 * kLength * std::cos(a), a, rate * std::sin(a), kR, kLength));
  const double energy = energy_of(run);
  double angle = 0.0;
  double before = std::atan2(orientation_of(run)(1, 2), orientation_of(run)(0, 2));
  run.run([&](const SceneRun& at) {
    const Matrix3 R = orientation_of(at);
    const double now = std::atan2(R(1, 2), R(0, 2));
    angle += std::remainder(now - before, 2.0 * std::numbers::pi);
    before = now;
  });
  EXPECT_NEAR(angle / (n * h) / rate, 1.0, 1e-4) << degrees << " degrees";
  EXPECT_NEAR(energy_of(run) / energy, 1.0, 1e-6) << degrees << " degrees";
}

TEST(RollingBodies, EulersDiscGoesRoundAtItsRate) {
  spin_eulers_disc(30.0, 0.5, 5e-4);
}
TEST(SlowRollingBodies, EulersDiscKeepsItsEnergyOverTenTurns) {
  for (const double degrees : {5.0, 10.0, 30.0}) spin_eulers_disc(degrees, 10.0, 5e-4);
}

/// The shipped coin: its centre is on its circle, where the rate of precession takes it.
TEST(SlowRollingBodies, ACoinRollsInACircle) {
  SceneRun run = test::open_scene("rolling_coin");
  const double r = 0.1, l = 0.01, rho = 0.3, s = std::sin(75.0 * kDegree), c = std::cos(75.0 * kDegree);
  const double rate = std::sqrt(
      (r * c - 0.5 * l * s) * kGravity /
      ((r * s + 0.5 * l * c) * rho + (r * r / 4.0 + l * l / 12.0) * s * c + 0.5 * r * s * (rho - 0.5 * l * s)));
  const double energy = energy_of(run);
  run.run();
  const double angle = rate * run.state.t;
  EXPECT_NEAR(run.state.q(0), rho * std::sin(angle), 1e-4);
  EXPECT_NEAR(run.state.q(1), rho - rho * std::cos(angle), 1e-4);
  EXPECT_NEAR(run.state.q(2), r * s + 0.5 * l * c, 1e-5);
  EXPECT_NEAR(energy_of(run) / energy, 1.0, 1e-6);
}

/// On a slope with tan = 3 mu a cylinder begins to slide: below it rolls at 2/3 g sin, above it slides at
/// g (sin - mu cos), and turns at 2 mu g cos / R. Gravity is turned instead of the plane.
TEST(RollingBodies, ACylinderRollsUpToThreeTimesTheFriction) {
  constexpr double kMu = 0.2;
  constexpr double kR = 0.1;
  constexpr double kEnd = 0.1;
  for (const char* scheme : kRollingSchemes) {
    for (const double ratio : {0.5, 0.999, 1.001, 2.0}) {
      const double slope = std::atan(3.0 * kMu * ratio);
      SceneRun run = rolling_scene(scheme, kEnd, 1e-3, slope_gravity(slope, 0.0),
                                   fmt::format("[bodies.roll]\ndensity = 1000\nposition = [0, 0, {}]\n"
                                               "rotation = {{axis = [1, 0, 0], angle = \"=pi/2\"}}\n"
                                               "shapes.c = {{type = \"cylinder\", radius = {}, length = 0.3}}\n"
                                               "[[contacts]]\nbetween = [\"ground\", \"roll\"]\nfriction = {}\n",
                                               kR, kR, kMu));
      run.run();
      const bool rolls = ratio < 1.0;
      const double down = kGravity * std::sin(slope);
      const double rub = kMu * kGravity * std::cos(slope);
      const double v = kEnd * (rolls ? 2.0 / 3.0 * down : down - rub);
      const double w = kEnd * (rolls ? v / kR / kEnd : 2.0 * rub / kR);
      EXPECT_NEAR(run.state.u(0), v, 1e-6 * v) << scheme << ' ' << ratio;
      // The axis is the body's z, along -y of the world: a roll along x turns about +y.
      EXPECT_NEAR(run.state.u(5), -w, 1e-6 * w) << scheme << ' ' << ratio;
      EXPECT_NEAR(run.state.q(2), kR, 1e-9) << scheme << ' ' << ratio;
    }
  }
}

/// Above an open surface the face bears a cylinder, however near the border: the way to the border is no depth.
TEST(RollingBodies, ACylinderStandsNearTheBorderOfAField) {
  for (const std::string scheme : kRollingSchemes) {
    for (const Vector3& at : {Vector3(0.95, 0.1, 0.1), Vector3(-0.95, 0.1, 0.1), Vector3(0.1, 0.95, 0.1),
                              Vector3(0.1, -0.95, 0.1), Vector3(0.5, 0.3, 0.1)}) {
      SceneRun run = test::scene_from_text(fmt::format(R"(stickslip = 1
scheme = {{type = "{}"}}
time = {{end = 0.1, step = 1e-3}}
gravity = [0, 0, -10]
[bodies.floor]
type = "fixed"
shapes.g = {{type = "height-field", size = [2, 2], cells = [2, 2], height = "0"}}
[bodies.m]
density = 1000
position = [{}, {}, {}]
shapes.s = {{type = "cylinder", radius = 0.04, length = 0.2}}
[contact_default]
friction = 0.3
)",
                                                       scheme, at(0), at(1), at(2)));
      for (int k = 0; k < 20; ++k) ASSERT_EQ(run.step(), Status::ok) << scheme << run.report.message;
      EXPECT_LT((run.state.q.head<3>() - at).norm(), 1e-9) << scheme << " at " << at.transpose();
      EXPECT_LT(run.report.penetration, 1e-9) << scheme << " at " << at.transpose();
    }
  }
}

/// An upright cylinder stands on a slope up to tan = 2 radius / length, whichever way the slope runs: towards a fixed
/// point of the rim, between two of them (7.5, 22.5 degrees), or elsewhere (docs/collision.md).
void stand_on_slopes(const char* ground) {
  constexpr double kR = 0.1;
  constexpr double kLength = 0.4;
  constexpr double kStands = 1e-8;  // [rad]
  constexpr double kFalls = 0.01;   // [rad]
  for (const char* scheme : kRollingSchemes) {
    for (const double degrees : {0.0, 7.5, 22.5, 40.0}) {
      for (const double ratio : {0.99, 1.01}) {
        SceneRun run =
            rolling_scene(scheme, 1.0, 2e-3, slope_gravity(std::atan(ratio * 2.0 * kR / kLength), degrees * kDegree),
                          fmt::format("[bodies.post]\ndensity = 1000\nposition = [0, 0, {}]\n"
                                      "shapes.c = {{type = \"cylinder\", radius = {}, length = {}}}\n"
                                      "[[contacts]]\nbetween = [\"ground\", \"post\"]\nfriction = 2\n",
                                      0.5 * kLength, kR, kLength),
                          ground);
        double tilt = 0.0;
        while (run.state.t < run.scene.time.end - 1e-9 && tilt < kFalls) {
          ASSERT_EQ(run.step(), Status::ok) << scheme << ' ' << degrees << ' ' << ratio << ": " << run.report.message;
          tilt = std::asin(orientation_of(run).col(2).head(2).norm());
        }
        if (ratio < 1.0) {
          EXPECT_LT(tilt, kStands) << scheme << ' ' << degrees;
        } else {
          EXPECT_GE(tilt, kFalls) << scheme << ' ' << degrees;
        }
      }
    }
  }
}

TEST(SlowRollingBodies, ACylinderStandsOnSlopesInEveryDirection) {
  stand_on_slopes(kHalfSpace);
}

TEST(SlowRollingBodies, ACylinderStandsOnTheFaceOfABoxInEveryDirection) {
  stand_on_slopes(kBox);
}

/// On a box an upright cylinder, on it a wider one turned about the axis, on that one which lies.
std::string three_cylinders(const std::string& contacts) {
  return R"([bodies.low]
density = 1000
position = [0, 0, 0.1]
shapes.c = {type = "cylinder", radius = 0.1, length = 0.2}
[bodies.wide]
density = 1000
position = [0.01, 0, 0.25]
rotation = {axis = [0, 0, 1], angle = 0.3}
shapes.c = {type = "cylinder", radius = 0.12, length = 0.1}
[bodies.lying]
density = 1000
position = [0, 0, 0.35]
rotation = {axis = [0, 1, 0], angle = "=pi/2"}
shapes.c = {type = "cylinder", radius = 0.05, length = 0.1}
)" + contacts;
}

TEST(RollingBodies, CylindersStandAndLieOnEachOtherUnderEveryScheme) {
  constexpr double kStep = 1e-3;
  constexpr int kSteps = 50;
  constexpr double kStays = 1e-6;  // [m]
  for (const std::string scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "relaxation"}) {
    SceneRun run = rolling_scene(scheme, kSteps * kStep, kStep, slope_gravity(0.0, 0.0),
                                 three_cylinders("[contact_default]\nfriction = 0.3\n"), kBox);
    const Eigen::VectorXd start = run.state.q;
    for (int k = 0; k < kSteps; ++k) ASSERT_EQ(run.step(), Status::ok) << scheme << ": " << run.report.message;
    EXPECT_LT((run.state.q - start).cwiseAbs().maxCoeff(), kStays) << scheme;
  }
  // Which features touch changes, which event-driven runs do not take.
  EXPECT_THROW(rolling_scene("event-driven", 0.1, kStep, slope_gravity(0.0, 0.0),
                             three_cylinders("[[contacts]]\nbetween = [\"low\", \"wide\"]\nfriction = 0.3\n"), kBox),
               InputError);
}

/// When the spin of the shipped rattleback changes its sign, against an integration of its equations.
double time_of_reversal(SceneRun& run) {
  double before = 0.0;
  double found = NAN;
  while (std::isnan(found) && run.state.t < run.scene.time.end) {
    if (run.step() != Status::ok) throw std::runtime_error(run.report.message);
    const Vector3 omega = orientation_of(run) * run.state.u.segment<3>(3);
    if (before * omega(2) < 0.0) {
      const double h = run.scene.time.step;
      found = run.state.t - h * omega(2) / (omega(2) - before);
    }
    before = omega(2);
  }
  return found;
}

double exact_reversal() {
  const Eigen::Vector3d radii(0.2, 0.05, 0.03);
  const Eigen::Vector3d d = radii.cwiseAbs2();
  const Eigen::Vector3d principal = Eigen::Vector3d(d(1) + d(2), d(0) + d(2), d(0) + d(1)) / 5.0;
  const Eigen::Matrix3d skew = Eigen::AngleAxisd(5.0 * kDegree, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  test::RollingEllipsoid stone(radii, skew * principal.asDiagonal() * skew.transpose(), 1.0, kGravity,
                               Eigen::Vector3d::UnitZ(), Eigen::Vector3d(0.0, 0.3, -1.0));
  constexpr double kStep = 1e-3;
  double t = 0.0;
  double before = stone.spin();
  while (before * stone.spin() > 0.0 && t < 4.0) {
    before = stone.spin();
    stone.step(kStep);
    t += kStep;
  }
  EXPECT_GT(stone.least_normal_force(), 0.8) << "it does not lift off";
  EXPECT_LT(stone.most_friction(), 0.2) << "nor slide";
  return t - kStep * stone.spin() / (stone.spin() - before);
}

TEST(SlowRollingBodies, ARattlebackReversesItsSpin) {
  const double exact = exact_reversal();
  EXPECT_NEAR(exact, 1.784, 1e-2);
  for (const char* scheme : {"generalized-alpha", "event-driven"}) {
    SceneRun run = test::open_scene("rattleback", {fmt::format("scheme.type=\"{}\"", scheme)});
    EXPECT_NEAR(time_of_reversal(run), exact, 1e-3) << scheme;
  }
}

}  // namespace
}  // namespace stickslip
