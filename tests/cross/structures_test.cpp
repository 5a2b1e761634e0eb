// SPDX-License-Identifier: BSD-3-Clause
// Structures and toys that everybody knows, each against what is known of it: what must stand stands, what must fall
// falls in order, and where there is a formula the motion follows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

const Body& body_of(const test::SceneRun& run, const std::string& name) {
  const int index = run.built.system->find_body(name);
  if (index < 0) throw std::runtime_error("no body " + name);
  return run.built.system->bodies()[index];
}

Vector3 position_of(const test::SceneRun& run, const std::string& name) {
  return run.state.q.segment<3>(body_of(run, name).q_offset);
}

Vector3 velocity_of(const test::SceneRun& run, const std::string& name) {
  return run.state.u.segment<3>(body_of(run, name).u_offset);
}

/// (w, x, y, z)
Vector4 orientation_of(const test::SceneRun& run, const std::string& name) {
  return run.state.q.segment<4>(body_of(run, name).q_offset + 3);
}

/// [rad] of the z axis of a body against that of the world.
double lean_of(const test::SceneRun& run, const std::string& name) {
  const Vector4 e = orientation_of(run, name);
  return 2.0 * std::asin(std::min(1.0, std::hypot(e[1], e[2])));
}

/// [m] the most that a coordinate of a centre, or that a component of a quaternion, has moved since the start.
double calc_largest_move(const test::SceneRun& run) {
  return (run.state.q - run.built.initial.q).cwiseAbs().maxCoeff();
}

class Structures : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(const std::string& name, std::vector<std::string> overrides = {}) const {
    overrides.insert(overrides.begin(), "scheme.type=" + GetParam());
    return test::open_scene(name, std::move(overrides));
  }
  /// [m] what a structure that stands may creep in 10 s, 2000 steps of the tolerance of the solver.
  double most_creep() const { return GetParam() == "ccp" ? 1e-9 : 1e-7; }
};

TEST_P(Structures, TheCardHouseStands) {
  test::SceneRun run = open("card_house", {"time.end=10", "solver.tolerance=1e-10"});
  double worst = 0.0;
  run.run([&](const test::SceneRun& r) { worst = std::max(worst, calc_largest_move(r)); });
  EXPECT_LT(worst, most_creep());
}

TEST_P(Structures, TheStackWithAHeavyTopStands) {
  test::SceneRun run = open("stack", {"solver.tolerance=1e-10"});
  double worst = 0.0;
  run.run([&](const test::SceneRun& r) { worst = std::max(worst, calc_largest_move(r)); });
  EXPECT_LT(worst, most_creep());
}

TEST_P(Structures, TheCardHouseFallsWhereFrictionIsTooSmall) {
  // The upper pair carries nothing: its feet need tan(lean)/2 = .18.
  test::SceneRun run = open("card_house", {"contact_default.friction=0.15", "time.end=0.5"});
  const double height = position_of(run, "c1").z();
  run.run();
  EXPECT_LT(position_of(run, "c1").z(), 0.8 * height);
}

TEST_P(Structures, TheArchStandsOnItsAbutments) {
  test::SceneRun run = open("stone_arch", {"time.end=10", "solver.tolerance=1e-10"});
  const System& system = *run.built.system;
  const std::array abutments = {system.find_body("left"), system.find_body("right")};
  double weight = 0.0;  // [N]
  for (const Body& body : system.bodies()) weight += body.n_u > 0 ? body.mass * kGravity : 0.0;
  double worst = 0.0;
  double worst_share = 0.0;  // [-] of the weight, by which the abutments do not carry all of it
  run.run([&](const test::SceneRun& r) {
    worst = std::max(worst, calc_largest_move(r));
    double carried = 0.0;  // [N]
    for (const ContactReport& c : r.report.contacts) {
      const bool below = std::ranges::count(abutments, c.body_a) > 0;
      if (!below && std::ranges::count(abutments, c.body_b) == 0) continue;
      const Vector3 P =
          c.percussion[0] * c.normal + c.percussion[1] * c.tangent + c.percussion[2] * c.normal.cross(c.tangent);
      carried += (below ? P.z() : -P.z()) / r.scene.time.step;
    }
    worst_share = std::max(worst_share, std::abs(carried / weight - 1.0));
  });
  EXPECT_LT(worst, most_creep());
  constexpr double kBalance = 1e-6;  // [-] the solver's tolerance [m/s] over g times the step, with a margin
  EXPECT_LT(worst_share, kBalance);
}

TEST_P(Structures, AnArchTooThinFalls) {
  // A half circle holds its line of thrust down to a thickness of .107 of its mean radius; here it is .04.
  test::SceneRun run = open("stone_arch", {"parameters.inner=0.98", "parameters.outer=1.02", "time.end=1"});
  const double height = position_of(run, "s5").z();
  run.run();
  EXPECT_LT(position_of(run, "s5").z(), 0.8 * height);
}

/// Runs a row of bodies d0, d1, ... that fall in this order. When each begins to fall. [s]
std::vector<double> fall_in_order(test::SceneRun& run, int n) {
  constexpr double kFelt = 1e-3;  // [rad] what stands does not tilt by this much
  std::vector<double> felt(n, -1.0);
  run.run([&](const test::SceneRun& r) {
    for (int k = 0; k < n; ++k) {
      if (felt[k] < 0.0 && lean_of(r, "d" + std::to_string(k)) > kFelt) felt[k] = r.state.t;
    }
  });
  for (int k = 0; k < n; ++k) {
    EXPECT_GT(felt[k], k == 0 ? 0.0 : felt[k - 1]) << k;
    EXPECT_GT(lean_of(run, "d" + std::to_string(k)), 1.0) << k;
  }
  return felt;
}

TEST_P(Structures, DominoesFallOneAfterTheOther) {
  constexpr int kDominoes = 12;
  test::SceneRun run = open("dominoes", {"limits.on_passing=warn"});
  const std::vector<double> felt = fall_in_order(run, kDominoes);
  // The wave settles: it takes the same time from one to the next, within 15 % and the steps' resolution.
  const double last = felt[10] - felt[9];
  EXPECT_NEAR(felt[9] - felt[8], last, 0.15 * last);
  EXPECT_LT(last, 0.5 * (felt[2] - felt[1])) << "faster than the first ones";
  // Each rests on the next, the last lies flat.
  constexpr double kFlat = 1e-3;  // [rad]
  EXPECT_NEAR(lean_of(run, "d11"), 0.5 * std::numbers::pi, kFlat);
  EXPECT_LT(lean_of(run, "d10"), 0.45 * std::numbers::pi);
}

TEST_P(Structures, CylindersFallOneAfterTheOther) {
  constexpr int kCylinders = 10;
  test::SceneRun run = open("dominoes_cylinders", {"limits.on_passing=warn"});
  const std::vector<double> felt = fall_in_order(run, kCylinders);
  const double last = felt[8] - felt[7];
  EXPECT_NEAR(felt[7] - felt[6], last, 0.15 * last);
  constexpr double kFlat = 1e-3;  // [rad]
  EXPECT_NEAR(lean_of(run, "d9"), 0.5 * std::numbers::pi, kFlat);
}

TEST_P(Structures, TheBlockRocksAsHousnerSays) {
  // [Housner1963] linearises in the angles; with alpha = .197 that leaves errors of alpha^2/6, .7 %.
  constexpr double kLinear = 0.02, b = 0.2, h = 1.0;
  const double alpha = std::atan2(b, h);
  const double theta0 = 0.5 * alpha;
  const double p = std::sqrt(0.75 * kGravity / (0.5 * std::hypot(b, h)));
  const auto quarter = [&](double share) { return std::acosh(1.0 / (1.0 - share)) / p; };
  test::SceneRun run = open("rocking_block", {"time.step=1e-4"});
  const double step = run.scene.time.step;
  std::vector<double> angles = {run.state.q(2)};
  std::vector<double> rates = {run.state.u(2)};
  run.run([&](const test::SceneRun& r) {
    angles.push_back(r.state.q(2));
    rates.push_back(r.state.u(2));
  });
  const double ratio = 1.0 - 1.5 * std::pow(std::sin(alpha), 2);  // of angular velocities in a blow
  constexpr double kBlow = 5e-3;                                  // [-] the blow falls within a step
  constexpr std::size_t kAway = 3;                                // steps from a blow, which takes up to two
  double before = 0.0;                                            // [s] when the block was last upright
  double peak = theta0 / alpha;
  int blows = 0;
  for (std::size_t n = 1; n + kAway < angles.size() && blows < 4; ++n) {
    peak = std::max(peak, std::abs(angles[n]) / alpha);
    if (angles[n - 1] * angles[n] >= 0.0) continue;
    const double part = angles[n - 1] / (angles[n - 1] - angles[n]);
    const double upright = (static_cast<double>(n - 1) + part) * step;
    const double expected = (blows == 0 ? 1.0 : 2.0) * quarter(peak);
    EXPECT_NEAR(upright - before, expected, kLinear * expected) << blows;
    // Gravity speeds it up before the blow and slows it down after it, by p^2 alpha.
    const double ahead = p * p * alpha * step * static_cast<double>(kAway);
    const double arriving = std::abs(rates[n - 1 - kAway]) + ahead + p * p * alpha * step * part;
    const double leaving = std::abs(rates[n + kAway]) + ahead + p * p * alpha * step * (1.0 - part);
    EXPECT_NEAR(leaving / arriving, ratio, kBlow) << blows;
    before = upright;
    peak = 0.0;
    ++blows;
  }
  EXPECT_EQ(blows, 4);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Structures, testing::Values("ccp", "moreau"),
                         [](const auto& scheme) { return scheme.param; });

TEST(NewtonsCradle, TheLastBallFliesAsTheFirstCame) {
  constexpr double kLength = 0.2, kUp = std::numbers::pi / 6.0;  // [m], [rad]
  const double v = std::sqrt(2.0 * kGravity * kLength * (1.0 - std::cos(kUp)));
  // [-] threads are not quite upright in a blow, by gap/length = 5e-3 each: of the velocity this takes some 1e-4 in
  // four blows.
  constexpr double kGaps = 5e-4;
  test::SceneRun run = test::open_scene("newtons_cradle", {"time.end=0.65"});
  double first = 0.0;
  double last = 0.0;
  double top = -1.0;  // [m] of the last ball
  double others = 0.0;
  run.run([&](const test::SceneRun& r) {
    first = std::max(first, velocity_of(r, "b0").x());
    last = std::max(last, velocity_of(r, "b4").x());
    top = std::max(top, position_of(r, "b4").z());
    if (last < 0.5 * v) return;
    for (const char* name : {"b0", "b1", "b2", "b3"}) others = std::max(others, velocity_of(r, name).norm());
  });
  EXPECT_NEAR(first, v, kGaps * v);
  EXPECT_NEAR(last, v, kGaps * v);
  EXPECT_LT(others, 2e-2 * v) << "they swing within the gaps until the last comes back at .68 s";
  const double rise = kLength * (1.0 - std::cos(kUp));
  EXPECT_NEAR(top + kLength, rise, 2.0 * kGaps * rise);
}

/// A drum whose wall is a mesh turns: no ball leaves it, all hang on the side that goes up, and lifters carry some of
/// them higher than the axis.
TEST(DrumWithLifters, CarriesBallsUpAndLosesNone) {
  test::SceneRun run = test::open_scene("drum_with_lifters", {"time.end=1.2"});
  constexpr double kRadius = 0.25, kHalf = 0.07, kOverlap = 1e-5;  // [m]
  double highest = -kRadius;
  double mean = 0.0;
  int n = 0;
  run.run([&](const test::SceneRun& r) {
    mean = 0.0;
    n = 0;
    for (const Body& body : r.built.system->bodies()) {
      if (body.n_u == 0) continue;
      const Vector3 at = r.state.q.segment<3>(body.q_offset);
      const double radius = std::get<Sphere>(body.shapes[0].geometry).radius;
      ASSERT_LE(std::hypot(at.x(), at.z()) + radius, kRadius + kOverlap) << body.name << " at " << r.state.t;
      ASSERT_LE(std::abs(at.y()) + radius, kHalf + kOverlap) << body.name << " at " << r.state.t;
      highest = std::max(highest, at.z());
      mean += at.x();
      ++n;
    }
  });
  EXPECT_EQ(n, 60);
  EXPECT_GT(highest, 0.05);
  EXPECT_LT(mean / n, -0.05);
}

TEST(WallHitByBall, LosesBricksInTheWayAndKeepsItsFlanks) {
  test::SceneRun run = test::open_scene("wall_hit_by_ball", {"time.end=0.1"});
  std::vector<Vector3> before;
  const std::vector<Body>& bodies = run.built.system->bodies();
  for (const Body& body : bodies)
    before.push_back(body.n_u > 0 ? Vector3(run.state.q.segment<3>(body.q_offset)) : Vector3::Zero());
  run.run();
  int out = 0;
  int still = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].name.starts_with("brick")) continue;
    const Vector3 moved = run.state.q.segment<3>(bodies[i].q_offset) - before[i];
    out += moved.y() > 0.12 ? 1 : 0;  // [m] the thickness of the wall
    still += moved.norm() < 1e-3 ? 1 : 0;
  }
  EXPECT_GE(out, 3);
  EXPECT_GE(still, 8);
  EXPECT_LT(velocity_of(run, "ball").y(), 6.0);  // [m/s] of 8
  EXPECT_GT(velocity_of(run, "ball").y(), 1.0) << "it goes through";
}

/// The gripper: what its box slips in the hand.
struct Slip {
  double lifting = 0.0;   // [m] the most along z until the lift ends
  double swinging = 0.0;  // [m] the most across the jaws until the end
  int sliding = 0;        // contacts that slip between pads and box while it is lifted
};

/// [m/s] More than the residual of a step, by which a corner at its limit may slip.
constexpr double kSlips = 1e-10;

Slip calc_slip(std::vector<std::string> overrides) {
  test::SceneRun run = test::open_scene("gripper", std::move(overrides));
  const int box = run.built.system->find_body("box");
  const Vector3 start = position_of(run, "box") - position_of(run, "hand");
  Slip slip;
  run.run([&](const test::SceneRun& r) {
    const Vector3 place = rotation_matrix<double>(orientation_of(r, "hand")).transpose() *
                          (position_of(r, "box") - position_of(r, "hand"));
    if (r.state.t < 1.55) slip.lifting = std::max(slip.lifting, std::abs(place.z() - start.z()));
    slip.swinging = std::max(slip.swinging, std::abs(place.x() - start.x()));
    if (r.state.t < 0.6 || r.state.t > 1.55) return;
    for (const ContactReport& c : r.report.contacts) {
      const bool at_box = c.body_a == box || c.body_b == box;
      const bool slips = c.status == ContactStatus::slip && std::hypot(c.velocity[1], c.velocity[2]) > kSlips;
      slip.sliding += at_box && slips ? 1 : 0;
    }
  });
  return slip;
}

TEST(Gripper, TheBoxStaysInTheHand) {
  constexpr double kHeld = 1e-6;  // [m] of a way of .8 m; second order in the step
  const Slip slip = calc_slip({});
  EXPECT_LE(slip.lifting, kHeld);
  EXPECT_LE(slip.swinging, kHeld);
}

TEST(Gripper, UnderCcpTheBoxStaysInTheHandToSecondOrder) {
  // In the lift the hand moves straight, in the swing on a quarter of a circle of r = .4 m with w = pi^2/8 sin(pi t/2).
  constexpr double kHeld = 1e-6;                                          // [m] of .15 m
  constexpr double kFastest = std::numbers::pi * std::numbers::pi / 8.0;  // [rad/s]
  for (const double h : {2e-3, 1e-3}) {
    const Slip slip = calc_slip({"scheme.type=ccp", "solver.tolerance=1e-10", "time.step=" + std::to_string(h)});
    EXPECT_LE(slip.lifting, kHeld) << h;
    EXPECT_LE(slip.swinging, 4.0 * std::pow(kFastest * h, 2) * 0.4) << h;
    EXPECT_EQ(slip.sliding, 0) << h;
  }
}

TEST(Gripper, UnderMoreausSchemeItGoesWithTheLift) {
  constexpr double kHeld = 1e-6;  // [m] of .15 m
  for (const char* theta : {"0.5", "1"}) {
    const Slip slip = calc_slip({"scheme.type=moreau", "solver.tolerance=1e-10", "time.step=1e-3", "time.end=1.6",
                                 std::string("scheme.theta=") + theta});
    EXPECT_LE(slip.lifting, kHeld) << theta;
    EXPECT_EQ(slip.sliding, 0) << theta;
  }
}

TEST(Gripper, ABoxGrippedTooGentlyStaysOnTheGround) {
  // Two pads hold 2 mu grip = 1.5 N; the box weighs 2.1 N.
  EXPECT_GT(calc_slip({"scheme.type=ccp", "parameters.grip=1.5", "time.end=1.5"}).lifting, 0.1);
}

}  // namespace
}  // namespace stickslip
