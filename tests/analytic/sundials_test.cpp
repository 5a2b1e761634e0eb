// SPDX-License-Identifier: BSD-3-Clause
// The integrators of SUNDIALS under the schemes relaxation and event-driven: closed forms, stiff motion, bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/stepping/relaxation/relaxation.h"
#include "stickslip/stepping/sundials_integrator.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class SundialsSchemes : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_sundials()) GTEST_SKIP() << "built without SUNDIALS";
  }
};
class RelaxedBySundials : public SundialsSchemes {};
class EventsBySundials : public SundialsSchemes {};

constexpr std::string_view kRelaxing[] = {"arkode-explicit", "arkode-implicit", "cvode"};
constexpr std::string_view kEventful[] = {"arkode-explicit", "cvode"};

/// A scene under the relaxation by an integrator, with `keys` of the scheme beside.
SceneRun open_relaxed(const std::string& name, std::string_view integrator, const std::string& keys,
                      std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   fmt::format("scheme={{type=\"relaxation\",integrator=\"{}\",{}}}", integrator, keys));
  return test::open_scene(name, overrides);
}

/// A point mass above a floor without weight, that meets it at 1 m/s.
SceneRun open_flight(std::string_view integrator, const std::string& keys, double gravity, double height, double end,
                     double step) {
  return test::scene_from_text(fmt::format(R"(
stickslip = 1
gravity = [0, {:.17g}]
scheme = {{type = "relaxation", integrator = "{}", {}}}
time = {{end = {:.17g}, step = {:.17g}}}
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 1], offset = 0}}
[bodies.mass]
type = "point"
mass = 2
position = [0, {:.17g}]
velocity = [0, -1]
shapes.tip = {{type = "point"}}
[[contacts]]
name = "touch"
between = ["floor", "mass"]
friction = 0
)",
                                           -gravity, integrator, keys, end, step, height));
}

double sundials_restitution(double zeta) {
  if (zeta == 1.0) return std::exp(-2.0);
  const double root = std::sqrt(std::abs(1.0 - zeta * zeta));
  return std::exp(-2.0 * zeta * (zeta < 1.0 ? std::acos(zeta) : std::acosh(zeta)) / root);
}

/// The whole bounce, of some hundredths of a second, within one step of the output grid.
TEST_F(RelaxedBySundials, BouncesByTheRestitutionOfZetaWithinAStep) {
  constexpr double kAllowed = 1e-6;
  for (const std::string_view integrator : kRelaxing) {
    for (const double zeta : {0.0, 0.3, 1.0, 2.0}) {
      SceneRun run = open_flight(integrator, fmt::format("delta = 0.01, zeta = {}", zeta), 0.0, 0.00123, 0.2, 0.2);
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      const double e = sundials_restitution(zeta);
      EXPECT_NEAR(run.state.u(1), e, kAllowed) << integrator << ' ' << zeta;
      EXPECT_NEAR(run.report.contacts[0].percussion[0], 2.0 * (1.0 + e), 2.0 * kAllowed) << "of what came and went";
      EXPECT_NEAR(run.report.energy_error, 0.0, kAllowed);
      EXPECT_EQ(run.report.parts, 3) << "before, in touch, after";
      EXPECT_TRUE(run.state.warm.empty());
    }
  }
}

/// Dominoes, whose solver has a tolerance above that of the integrator: what it leaves would be noise in the rates,
/// after which steps become ever shorter (3e5 iterations, 5e3 where it is solved nearer), at loose tolerances too.
TEST_F(RelaxedBySundials, SolversLeaveNoNoiseToThem) {
  constexpr int kMostIterations = 30000;
  for (const char* tolerance : {"1e-9", "1e-6", "1e-4"}) {
    SceneRun run = open_relaxed("dominoes", "cvode", fmt::format("delta = 1e-3, relative_tolerance = {}", tolerance),
                                {"time.step=0.01", "output={}"});
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    EXPECT_LT(run.report.solve.iterations, kMostIterations) << tolerance;
    EXPECT_LT(run.report.solve.residual.relative, 1e-8) << tolerance;
  }
}

/// As printed, from flight: exp(-pi zeta / sqrt(1 - zeta^2)).
/// A point that would be above a ceiling for a moment between looks, and falls on the floor then: the same at any step.
TEST_F(RelaxedBySundials, NoGateIsPassed) {
  for (const std::string_view integrator : kRelaxing) {
    for (const double h : {1.0, 0.5, 0.1}) {
      SceneRun run = test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, -10]
time = {{end = 0.6, step = {}}}
scheme = {{type = "relaxation", integrator = "{}", delta = 1e-5, zeta = 0.3}}
[bodies.room]
type = "fixed"
shapes.ceiling = {{type = "half-space", normal = [0, -1], position = [0, 1]}}
[bodies.b]
type = "point"
mass = 1
position = [0, 0.5]
velocity = [0, 3.1654]
shapes.p = {{type = "point"}}
[[contacts]]
between = ["room/ceiling", "b/p"]
)",
                                                       h, integrator));
      ASSERT_EQ(run.built.stepper->step(run.state, 0.6, 0.6, run.report), Status::ok) << run.report.message;
      // Without the ceiling v = 3.1654 - 6 m/s; it takes v_0 (1 + e) of what meets it, sqrt(3.1654^2 - 10) m/s.
      const double meets = std::sqrt(3.1654 * 3.1654 - 10.0);
      EXPECT_NEAR(run.state.u(1), 3.1654 - 6.0 - meets * (1.0 + sundials_restitution(0.3)), 0.005 * meets)
          << integrator << ' ' << h << ", but for the weight beside the impact";
    }
  }
}

TEST_F(RelaxedBySundials, BouncesAsPrintedWithoutTheGate) {
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run = open_flight(integrator, "delta = 0.01, zeta = 0.3, gate = false", 0.0, 0.061, 0.2, 0.2);
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    EXPECT_NEAR(run.state.u(1), std::exp(-0.3 * std::numbers::pi / std::sqrt(1.0 - 0.09)), 1e-6) << integrator;
  }
}

/// Many bounces in one step, and rest.
TEST_F(RelaxedBySundials, BouncesToRestInLongSteps) {
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run = open_flight(integrator, "delta = 2e-3, zeta = 0.3", 10.0, 0.1, 2.0, 0.5);
    int parts = 0;
    run.run([&](const SceneRun& r) { parts += r.report.parts; });
    EXPECT_GT(parts, 6) << integrator;
    EXPECT_NEAR(run.state.q(1), 0.0, 1e-12) << integrator;
    EXPECT_NEAR(run.report.contacts[0].force[0], 20.0, 1e-6) << integrator;
    EXPECT_EQ(run.report.contacts[0].status, ContactStatus::stick);
  }
}

/// (90) [Kikuuwe2017]: at a constant rate to v*, then with time constant delta.
TEST_F(RelaxedBySundials, SlidesAndCreepsAsTheClosedForm) {
  constexpr double kHeavy = 2.0, kBound = 3.0, kSpeed = 1.5, kDelta = 0.1;  // [kg, N, m/s, s]
  const double creep = kBound * kDelta / kHeavy;
  const double t1 = kHeavy * (kSpeed - creep) / kBound;
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run = open_relaxed(
        "papers/kikuuwe/point_mass", integrator, "zeta=0.5,delta=0.1,relative_tolerance=1e-12,absolute_tolerance=1e-13",
        {"bodies.mass.velocity=[1.5,0]", "forces.push.force=[0,0]", "time.step=0.1", "time.end=1.5"});
    double worst = 0.0;
    run.run([&](const SceneRun& r) {
      const double t = r.state.t;
      const double exact = t <= t1 ? kSpeed - kBound * t / kHeavy : creep * std::exp(-(t - t1) / kDelta);
      worst = std::max(worst, std::abs(r.state.u(0) - exact));
    });
    EXPECT_LT(worst, 1e-9) << integrator;
  }
}

TEST_F(RelaxedBySundials, TurnsAsAnIndependentRun) {
  for (const std::string_view integrator : kRelaxing) {
    for (const std::vector<double>& row : test::read_table("relaxation/planar_friction.csv")) {
      if (row[7] > 1.0) continue;
      SceneRun run = open_relaxed(
          "papers/kikuuwe/point_mass", integrator,
          fmt::format("zeta=0.5,delta={:.17g},relative_tolerance=1e-11", row[2]),
          {fmt::format("bodies.mass.mass={}", row[0]), fmt::format("forces.friction.bound={}", row[1]),
           fmt::format("bodies.mass.velocity=[{},{}]", row[3], row[4]),
           fmt::format("forces.push.force=[{},{}]", row[5], row[6]), fmt::format("time.step={:.17g}", row[7])});
      ASSERT_EQ(run.step(), Status::ok);
      EXPECT_NEAR(run.state.u(0), row[8], 1e-8) << integrator << ' ' << row[7];
      EXPECT_NEAR(run.state.u(1), row[9], 1e-8) << integrator << ' ' << row[7];
    }
  }
}

/// [Trinkle2003]: slip 2 - 3.5 mu g t, then creep.
TEST_F(RelaxedBySundials, SphereRolls) {
  constexpr double kMu = 0.2, kDelta = 1e-2;
  const double rate = 3.5 * kMu * test::kGravity;
  const double rolls = 2.0 / rate;
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run =
        open_relaxed("papers/trinkle/sphere", integrator, "zeta=0.5,delta=1e-2", {"time.step=0.05", "time.end=0.4"});
    double worst = 0.0;
    run.run([&](const SceneRun& r) {
      const double t = r.state.t;
      const double slip =
          t <= rolls - kDelta ? 2.0 - rate * t : rate * kDelta * std::exp(-(t - rolls + kDelta) / kDelta);
      worst = std::max(worst, std::abs(r.state.u(0) - r.state.u(4) - slip));
    });
    EXPECT_LT(worst, 1e-6) << integrator;
  }
}

/// Solves, which are evaluations, counted.
class CountingSolver final : public ConeSolver {
 public:
  explicit CountingSolver(ConeSolver& solver) : solver_(solver) {}
  std::string_view name() const override { return solver_.name(); }
  double tolerance() const override { return solver_.tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_.refuses(problem); }
  long solves = 0;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    ++solves;
    return solver_.solve(problem, tolerance, solution);
  }

  ConeSolver& solver_;
};

/// delta = 1e-5 s: rk4 is bound to steps of 2.6e-5 s, 4 evaluations each; what is stiff costs the implicit methods
/// nothing.
TEST_F(RelaxedBySundials, SmallDeltasCostImplicitMethodsLittle) {
  const std::vector<std::string> grid = {"time.step=0.1", "time.end=0.6"};
  EXPECT_THROW(open_relaxed("papers/trinkle/sphere", "rk4", "zeta=0.5,delta=1e-5", grid), InputError);
  const double of_rk4 = 4.0 * 0.6 / 2.6e-5;
  for (const std::string_view integrator : {kRelaxing[1], kRelaxing[2]}) {
    SceneRun run = open_relaxed("papers/trinkle/sphere", integrator, "zeta=0.5,delta=1e-5", grid);
    CountingSolver counting(*run.built.solver);
    run.built.stepper = make_relaxation(std::get<RelaxationOptions>(run.scene.scheme), *run.built.system, counting);
    run.built.stepper->initialize(run.state, run.report);
    run.run();
    EXPECT_NEAR(run.state.u(0), 10.0 / 7.0, 0.2 * test::kGravity * 1e-5);
    EXPECT_NEAR(run.state.q(2), 1.0, 1e-9);
    EXPECT_LT(10.0 * static_cast<double>(counting.solves), of_rk4) << integrator << ": " << counting.solves;
  }
}

/// A closed chain in space, whose joints are redundant: off the constraints, where Newton's iterates are, rows
/// contradict each other. The same motion as under rk4, and in fewer steps.
TEST_F(RelaxedBySundials, RedundantJointsAreNoMatter) {
  const std::vector<std::string> grid = {"time.step=0.025", "time.end=0.05"};
  SceneRun by_rk4 =
      test::open_scene("slider_crank", {"scheme={type=\"relaxation\",delta=1e-3}", "time.step=1e-4", "time.end=0.05"});
  by_rk4.run();
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run = open_relaxed("slider_crank", integrator, "delta=1e-3", grid);
    run.run();
    // rk4 errs by (h/delta)^4 of what joints are off by.
    EXPECT_LT((run.state.q - by_rk4.state.q).lpNorm<Eigen::Infinity>(), 1e-7) << integrator;
    EXPECT_LT((run.state.u - by_rk4.state.u).lpNorm<Eigen::Infinity>(), 1e-6) << integrator;
  }
}

/// What a run leaves in a State is all that the next step reads.
void expect_same_bits(const std::string& text, int steps) {
  SceneRun whole = test::scene_from_text(text);
  SceneRun begun = test::scene_from_text(text);
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(whole.step(), Status::ok) << whole.report.message;
    SceneRun resumed = test::scene_from_text(text);
    resumed.state = begun.state;
    ASSERT_EQ(resumed.step(), Status::ok);
    begun.state = resumed.state;
    ASSERT_EQ(to_bytes(whole.state), to_bytes(resumed.state)) << "step " << i << " of\n" << text;
  }
}

constexpr const char* kTwoBodies = R"(
gravity = [0.5, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.box]
type = "planar"
mass = 1
inertia = 0.02
position = [0, 0.13]
angle = 0.1
velocity = [1, 0]
shapes.hull = {type = "box", size = [0.4, 0.2]}
[bodies.bob]
type = "planar"
mass = 0.3
inertia = 0.002
position = [0.3, 0.13]
[joints.hinge]
type = "revolute"
between = ["box", "bob"]
at = [0.2, 0.13]
friction = 0.05
spring = {stiffness = 5, damping = 0.02}
[[contacts]]
name = "touch"
between = ["floor", "box"]
friction = 0.4
)";

TEST_F(RelaxedBySundials, ResumedRunsHaveTheSameBits) {
  for (const std::string_view integrator : kRelaxing) {
    for (const char* keys : {"delta = 4e-3, zeta = 0.4", "delta = 4e-3, gate = false",
                             "model = \"penalty\", stiffness = 1e4, damping = 20, delta = 4e-3"}) {
      expect_same_bits(
          fmt::format("stickslip = 1\ntime = {{end = 1, step = 0.03}}\nscheme = {{type = \"relaxation\", "
                      "integrator = \"{}\", relative_tolerance = 1e-6, absolute_tolerance = 1e-8, {}}}\n{}",
                      integrator, keys, kTwoBodies),
          4);
    }
  }
}

/// What SUNDIALS cannot do fails the step, with its words, and leaves the state: (0.6 - t)^-2 has no integral.
TEST_F(RelaxedBySundials, WhatCannotBeIntegratedFails) {
  for (const std::string_view integrator : kRelaxing) {
    SceneRun run = test::scene_from_text(
        fmt::format("stickslip = 1\ngravity = [0, 0]\ntime = {{end = 1, step = 1}}\nscheme = {{type = \"relaxation\", "
                    "integrator = \"{}\"}}\nbodies.mass = {{type = \"point\", mass = 1}}\n"
                    "forces.pull = {{type = \"load\", body = \"mass\", force = [\"(0.6-t)^-2\", \"0\"]}}\n",
                    integrator));
    const std::vector<std::byte> before = to_bytes(run.state);
    EXPECT_EQ(run.step(), Status::failed);
    EXPECT_EQ(to_bytes(run.state), before);
    EXPECT_NE(run.report.message.find(integrator == "cvode" ? "CVODE" : "ARKODE"), std::string::npos)
        << run.report.message;
  }
}

// --- event-driven

std::string eventful(std::string_view integrator, double relative, double end, double step, const std::string& text) {
  return fmt::format(
      "stickslip = 1\ntime = {{end = {:.17g}, step = {:.17g}}}\nscheme = {{type = \"event-driven\", integrator = "
      "\"{}\", "
      "relative_tolerance = {}, absolute_tolerance = {}}}\n{}",
      end, step, integrator, relative, 1e-2 * relative, text);
}

/// Half swings of pi/10, each .04 m less.
TEST_F(EventsBySundials, SliderTurnsAndStopsWhenItShould) {
  constexpr const char* kSlider = R"(
gravity = [0, 0]
bodies.frame = {type = "fixed"}
bodies.mass = {type = "point", mass = 1, position = [0.19, 0]}
forces.spring = {type = "spring", between = ["frame", "mass"], at_a = [-1, 0], stiffness = 100, rest = 1}
forces.friction = {type = "dry-friction", between = ["frame", "mass"], axis = [1, 0], bound = 2}
)";
  for (const std::string_view integrator : kEventful) {
    SceneRun run = test::scene_from_text(eventful(integrator, 1e-13, 2.0, 0.5, kSlider));
    int turns = 0;
    run.run([&](const SceneRun& r) {
      for (const StepEvent& event : r.report.events) {
        if (event.what != EventKind::reversal && event.what != EventKind::stick) continue;
        ++turns;
        EXPECT_NEAR(event.t, 0.1 * std::numbers::pi * turns, 1e-9) << integrator;
      }
    });
    EXPECT_EQ(turns, 5);
    EXPECT_NEAR(run.state.q(0), 0.01, 1e-9);
    EXPECT_EQ(run.state.u(0), 0.0);
    EXPECT_NEAR(run.report.dissipated, 50.0 * (0.19 * 0.19 - 0.01 * 0.01), 1e-9);
  }
}

TEST_F(EventsBySundials, BallBouncesInGeometricSequence) {
  constexpr const char* kBall = R"(
gravity = [0, -10]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.ball]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 1.1]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "bounce"
between = ["floor", "ball"]
friction = 0.3
restitution = {normal = 0.5}
)";
  for (const std::string_view integrator : kEventful) {
    SceneRun run = test::scene_from_text(eventful(integrator, 1e-13, 2.0, 0.5, kBall));
    constexpr double kG = 10.0, kOff = 1e-12;  // [m/s^2], [m] what positions are off by: over the speed, a time
    double t = std::sqrt(0.2);
    double flight = t;
    int impacts = 0;
    run.run([&](const SceneRun& r) {
      for (const StepEvent& event : r.report.events) {
        if (event.what != EventKind::impact) continue;
        ++impacts;
        EXPECT_NEAR(event.t, t, 1e-9 + kOff / (0.5 * kG * flight)) << integrator;
        t += flight;
        flight *= 0.5;
      }
    });
    EXPECT_GT(impacts, 15);
    EXPECT_NEAR(run.state.q(1), 0.1, 1e-9);
  }
}

/// A pendulum with a light tail on a stiff spring and damper: rates of 1e4 1/s.
constexpr const char* kStiffPendulum = R"(
gravity = [0, -9.81]
bodies.frame = {type = "fixed"}
bodies.bob = {type = "planar", mass = 1.5, inertia = 0.1, position = [0.42, -0.27]}
bodies.tail = {type = "planar", mass = 0.1, inertia = 0.001, position = [0.84, -0.54]}
joints.hinge = {type = "revolute", between = ["frame", "bob"], at = [0, 0], friction = 0.5}
joints.knee = {type = "revolute", between = ["bob", "tail"], at = [0.84, -0.54], spring = {stiffness = 100, damping = 10}}
)";

TEST_F(EventsBySundials, StiffMotionCostsCvodeLittle) {
  std::vector<std::vector<double>> events;
  std::vector<int> parts;
  for (const std::string_view integrator : {std::string_view("dormand-prince"), std::string_view("cvode")}) {
    SceneRun run = test::scene_from_text(eventful(integrator, 1e-12, 1.0, 0.5, kStiffPendulum));
    events.emplace_back();
    parts.push_back(0);
    run.run([&](const SceneRun& r) {
      parts.back() += r.report.parts;
      for (const StepEvent& event : r.report.events) events.back().push_back(event.t);
    });
  }
  ASSERT_FALSE(events[0].empty());
  ASSERT_EQ(events[0].size(), events[1].size());
  for (std::size_t k = 0; k < events[0].size(); ++k) EXPECT_NEAR(events[1][k], events[0][k], 1e-9);
  EXPECT_LT(2 * parts[1], parts[0]);
}

TEST_F(EventsBySundials, ResumedRunsHaveTheSameBits) {
  for (const std::string_view integrator : kEventful) {
    expect_same_bits(eventful(integrator, 1e-8, 1.0, 0.05, kTwoBodies), 10);
    expect_same_bits(eventful(integrator, 1e-8, 1.0, 0.1, kStiffPendulum), integrator == "cvode" ? 10 : 2);
  }
}

TEST_F(EventsBySundials, WhatCannotBeIntegratedFails) {
  for (const std::string_view integrator : kEventful) {
    SceneRun run = test::scene_from_text(eventful(integrator, 1e-8, 1.0, 1.0, kStiffPendulum) +
                                         "[forces.pull]\ntype = \"load\"\nbody = \"bob\"\ntorque = \"(0.06-t)^-2\"\n");
    const std::vector<std::byte> before = to_bytes(run.state);
    EXPECT_EQ(run.step(), Status::failed);
    EXPECT_EQ(to_bytes(run.state), before);
    EXPECT_NE(run.report.message.find(integrator == "cvode" ? "CVODE" : "ARKODE"), std::string::npos)
        << run.report.message;
  }
}

}  // namespace
}  // namespace stickslip
