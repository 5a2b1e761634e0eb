// SPDX-License-Identifier: BSD-3-Clause
// Every solution of a small contact problem, of scenes: Painleve's rod by class, golden figures, closed forms.
#include "stickslip/sim/analyze.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/instant_problem.h"
#include "stickslip/sim/run.h"
#include "tests/support/process.h"
#include "tests/support/scene_run.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

constexpr double kOfEnumeration = 1e-9;  // [-] what the references claim
const std::string kRod = test::shipped_scene("papers/kikuuwe/painleve_rod.toml");

Analysis analyze_rod(const std::vector<std::string>& settings, const AnalysisOptions& options) {
  LoadOptions load;
  load.overrides = settings;
  return analyze(load_scene(kRod, load), options);
}

std::string state_of_rod(double theta, double omega, const char* parameter) {
  std::ostringstream text;
  text.precision(17);
  text << "parameters." << parameter << "=" << (parameter[0] == 't' ? theta : omega);
  return text.str();
}

std::vector<std::string> rod_at(double theta, double omega) {
  return {state_of_rod(theta, omega, "theta"), state_of_rod(theta, omega, "omega")};
}

std::string kinds_of(const Analysis& analysis) {
  std::string text;
  for (const AnalyzedSolution& solution : analysis.solutions) {
    text.append(text.empty() ? "" : "/").append(describe_kinds(solution));
  }
  return text;
}

/// The rod at many states without reading its scene anew.
class RodAtStates {
 public:
  RodAtStates()
      : rod_(test::open_scene("papers/kikuuwe/painleve_rod")),
        at_(*rod_.built.system),
        contacts_(*rod_.built.system),
        instant_(*rod_.built.system, *rod_.built.solver) {}

  /// theta and omega with the tip at gap 0 and velocity (-1, 0).
  void take(double theta, double omega) {
    const double s = std::sin(theta);
    const double c = std::cos(theta);
    at_.take(0.0, Vector3(0.0, s, theta), &(u_ = Vector3(-1.0 - omega * s, omega * c, omega)));
    contacts_.find_touching(at_);
    instant_.take(at_, contacts_.points());
  }
  Enumeration at_accelerations() { return enumerate_solutions(make_acceleration_problem(instant_).problem); }
  Enumeration relaxed(double delta) {
    return enumerate_solutions(make_relaxed_problem(instant_, at_, contacts_.points(), delta, 0.5).problem);
  }

 private:
  test::SceneRun rod_;
  BodySnapshot at_;
  ContactFinder contacts_;
  Instant instant_;
  Vector u_;
};

/// Solutions by class (G_B, G_A) = ++, +-, -+, --, on a grid of 100 x 100: theta = k pi / 202, omega = 6 j / 99.
/// Closed forms [Kikuuwe2017 section 5.3]: slip where G_A / G_B > 0 and detachment where G_A < 0; under the relaxed
/// laws stick besides as delta falls to 0 where G_B < 0. Of the 1508 points with both signs negative, 1416 and 518 have
/// all three at delta = 1 and 10 ms, the others detachment alone.
TEST(AnalyzePainleve, CountsByClassOnAGrid) {
  RodAtStates rod;
  const std::array<double, 3> deltas = {1e-9, 1e-3, 1e-2};
  std::array<std::map<std::size_t, int>, 4> accelerations;
  std::array<std::array<std::map<std::size_t, int>, 4>, 3> relaxed;
  for (int k = 1; k <= 100; ++k) {
    for (int j = 0; j < 100; ++j) {
      const double theta = k * std::numbers::pi / 202.0;
      const double omega = 6.0 * j / 99.0;
      const double s = std::sin(theta);
      const double c = std::cos(theta);
      const bool b_negative = 1.0 + 3.0 * c * c - 5.0 * s * c < 0.0;
      const bool a_negative = 10.0 - omega * omega * s < 0.0;
      const std::size_t sign = (b_negative ? 2 : 0) + (a_negative ? 1 : 0);
      rod.take(theta, omega);
      const Enumeration found = rod.at_accelerations();
      ASSERT_TRUE(found.complete);
      ASSERT_EQ(found.W(0, 0) < 0.0, b_negative);
      ASSERT_EQ(-found.b(0) < 0.0, a_negative);
      ++accelerations[sign][found.solutions.size()];
      for (std::size_t d = 0; d < deltas.size(); ++d) {
        ++relaxed[d][sign][rod.relaxed(deltas[d]).solutions.size()];
      }
    }
  }
  using Counts = std::map<std::size_t, int>;
  EXPECT_EQ(accelerations, (std::array<Counts, 4>{Counts{{1, 5017}}, {{1, 1483}}, {{0, 1992}}, {{2, 1508}}}));
  EXPECT_EQ(relaxed[0], (std::array<Counts, 4>{Counts{{1, 5017}}, {{1, 1483}}, {{1, 1992}}, {{3, 1508}}}));
  EXPECT_EQ(relaxed[1][3], (Counts{{1, 92}, {3, 1416}}));
  EXPECT_EQ(relaxed[2][3], (Counts{{1, 990}, {3, 518}}));
}

/// tests/data/painleve_table.csv: all solutions of the acceleration-level problem and of (114), with their forces at
/// delta = .1 s.
TEST(AnalyzePainleve, SolutionsOfTheReferenceTable) {
  std::ifstream file(STICKSLIP_TEST_DATA_DIR "/painleve_table.csv");
  ASSERT_TRUE(file);
  RodAtStates rod;
  const auto split = [](const std::string& text, char by) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, by);) parts.push_back(part);
    return parts;
  };
  const auto name = [](const EnumeratedSolution& one) -> std::string {
    if (one.states[0] == ContactState::open) return "detach";
    return one.states[0] == ContactState::stick ? "stick" : one.p[1] > 0.0 ? "slip+" : "slip-";
  };
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#' || line[0] == 't') continue;
    const std::vector<std::string> row = split(line, ',');
    rod.take(std::stod(row[0]) * std::numbers::pi / 180.0, std::stod(row[1]));
    EXPECT_EQ(rod.at_accelerations().solutions.size(), std::stoul(row[8])) << line;
    for (const bool fine : {true, false}) {
      const Enumeration found = rod.relaxed(fine ? 1e-9 : 0.1);
      const std::vector<std::string> kinds = split(row[fine ? 4 : 5], '/');
      ASSERT_EQ(found.solutions.size(), kinds.size()) << line;
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        EXPECT_EQ(name(found.solutions[k]), kinds[k]) << line;
        if (fine) continue;
        const std::vector<std::string> force = split(split(row[9], '/')[k], ':');
        const std::array<double, 2> expected = {std::stod(force[1]), std::stod(force[0])};
        for (int r = 0; r < 2; ++r) {
          EXPECT_NEAR(found.solutions[k].p[r], expected[r], kOfEnumeration * (1.0 + std::abs(expected[r]))) << line;
        }
      }
    }
    ++rows;
  }
  EXPECT_EQ(rows, 120);
}

/// The implicit Euler form with J' q' [Kikuuwe2017 eq. 70]: impulses h lambda at 60 degrees and 4 rad/s, and G_A, G_B.
/// A reference of the same origin as the table.
TEST(AnalyzePainleve, TheImplicitFormShowsThreeSolutions) {
  AnalysisOptions options;
  options.level = AnalysisLevel::relaxation;
  options.delta = 1e-2;
  const Analysis three = analyze_rod(rod_at(std::numbers::pi / 3.0, 4.0), options);
  ASSERT_EQ(kinds_of(three), "open/stick/slip");
  EXPECT_FALSE(three.is_unique());
  const double impulses[3][2] = {
      {0.0, 0.0}, {0.26744546181365436, 0.3899759526419166}, {0.09291123822371271, 0.15485206370618784}};
  for (int k = 0; k < 3; ++k) {
    for (int r = 0; r < 2; ++r) {
      EXPECT_NEAR(options.delta * three.solutions[k].forces[0](r), impulses[k][r], kOfEnumeration);
    }
  }
  EXPECT_NEAR(*three.G_A, -3.8564064605510158, kOfEnumeration);
  EXPECT_NEAR(*three.G_B, 4.0 * -0.1037658773652741, kOfEnumeration);  // the reference has m^2 / 4 of it
  EXPECT_EQ(kinds_of(analyze_rod(rod_at(std::numbers::pi / 3.0, 0.0), options)), "stick");
  EXPECT_EQ(kinds_of(analyze_rod(rod_at(std::numbers::pi / 6.0, 0.0), options)), "slip");
  EXPECT_EQ(kinds_of(analyze_rod(rod_at(std::numbers::pi / 6.0, 5.0), options)), "open");
}

/// The step of stewart-trinkle has no J' q': stick alone where G_B < 0, with the percussions of the golden figures, and
/// the tip at rest. So have the other schemes on velocities with Coulomb's law.
TEST(AnalyzePainleve, AStepSticksWhereNoAccelerationOrTwoExist) {
  const std::array<std::array<double, 3>, 2> expected = {
      {{1e-2, .406009526419165, .469975952641917}, {1e-3, .332884526419165, .440747595264192}}};
  for (const double omega : {0.0, 4.0}) {
    for (const std::array<double, 3>& row : expected) {
      std::vector<std::string> settings = rod_at(std::numbers::pi / 3.0, omega);
      settings.push_back("time.step=" + std::to_string(row[0]));
      const Analysis step = analyze_rod(settings, {});
      ASSERT_EQ(kinds_of(step), "stick");
      EXPECT_TRUE(step.is_unique());
      EXPECT_NEAR(step.solutions[0].forces[0](0), row[1], kOfEnumeration);
      EXPECT_NEAR(step.solutions[0].forces[0](1), row[2], kOfEnumeration);
      EXPECT_LE(step.solutions[0].rates[0].norm(), kOfEnumeration);
    }
  }
  std::vector<std::string> settings = rod_at(std::numbers::pi / 3.0, 4.0);
  settings.insert(settings.end(), {"scheme.type=moreau", "scheme.activation=1e-9", "scheme.theta=1"});
  const Analysis moreau = analyze_rod(settings, {});
  ASSERT_EQ(kinds_of(moreau), "stick");
  EXPECT_NEAR(moreau.solutions[0].forces[0](0), expected[1][1], kOfEnumeration);
  settings = rod_at(std::numbers::pi / 3.0, 4.0);
  settings.emplace_back("scheme.type=ccp");
  EXPECT_TRUE(analyze_rod(settings, {}).is_unique());
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  EXPECT_FALSE(analyze_rod(rod_at(std::numbers::pi / 3.0, 0.0), options).exists());
  EXPECT_EQ(kinds_of(analyze_rod(rod_at(std::numbers::pi / 3.0, 4.0), options)), "open/slip");
}

Analysis analyze_text(const std::string& text, const AnalysisOptions& options) {
  return analyze(parse_scene("stickslip = 1\nname = \"small\"\ntime = {end = 1.0, step = 1e-2}\n" + text, "test"),
                 options);
}

const std::string kPush = R"(
gravity = [0, 0, -10]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.mass = {type = "point", mass = 1.0, position = [0, 0, 0], shapes.p = {type = "point"}}
contacts = [{name = "c", between = ["floor", "mass"], friction = 0.5}]
)";

/// [Trinkle2003 eq. 22] of a point mass: a load within the bound is held, one above gives a = T - mu g along it.
TEST(Analyze, APointMassHoldsOrFollowsItsLoadAtOnce) {
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  const Analysis held =
      analyze_text(kPush + "forces.push = {type = \"load\", body = \"mass\", force = [3, 0, 0]}\n", options);
  ASSERT_EQ(kinds_of(held), "stick");
  EXPECT_LE((held.solutions[0].forces[0] - Vector3(10.0, -3.0, 0.0)).norm(), kOfEnumeration);
  EXPECT_FALSE(held.G_A.has_value());  // it does not slide
  const Analysis follows =
      analyze_text(kPush + "forces.push = {type = \"load\", body = \"mass\", force = [6, 8, 0]}\n", options);
  ASSERT_EQ(kinds_of(follows), "slip");
  EXPECT_TRUE(follows.is_unique());
  EXPECT_LE((follows.solutions[0].forces[0] - Vector3(10.0, -3.0, -4.0)).norm(), kOfEnumeration);
  EXPECT_LE((follows.solutions[0].motion - Vector3(3.0, 4.0, 0.0)).norm(), kOfEnumeration);
}

/// Under polygons of event-driven one that slides along the normal of an edge has what keeps it there, and slides; with
/// more of a load across it turns away.
TEST(Analyze, APointMassSlidesOnTheEdgeOfItsPolygon) {
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  const auto analyze_load = [&](double across) {
    std::string text = kPush;
    text.replace(text.find("position = [0, 0, 0]"), 20, "velocity = [1, 1, 0]");
    return analyze_text(text + "scheme = {type = \"event-driven\", facets = 4}\n" +
                            "forces.push = {type = \"load\", body = \"mass\", force = [" + std::to_string(-across) +
                            ", " + std::to_string(across) + ", 0]}\n",
                        options);
  };
  // The corners are at 5 N along -x and -y: 2.5 (1, 1) against the motion, up to 2.5 (-1, 1) across it.
  const Analysis stays = analyze_load(2.0);
  ASSERT_EQ(kinds_of(stays), "slip");
  EXPECT_TRUE(stays.is_unique());
  EXPECT_LE((stays.solutions[0].forces[0] - Vector3(10.0, -0.5, -4.5)).norm(), kOfEnumeration);
  EXPECT_LE((stays.solutions[0].motion - Vector3(-2.5, -2.5, 0.0)).norm(), kOfEnumeration);
  const Analysis turns = analyze_load(3.0);
  ASSERT_EQ(kinds_of(turns), "slip");
  EXPECT_LE((turns.solutions[0].motion - Vector3(-3.0, -2.0, 0.0)).norm(), kOfEnumeration);
}

/// A planar box of 2 kg at rest on two feet that stick: one motion, none; forces that are not determined, as their
/// parts along the floor may press against each other, but carry its weight.
TEST(Analyze, ABoxAtRestHasOneMotionAndManyForces) {
  const std::string box = R"(
gravity = [0, -10]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.box = {type = "planar", mass = 2.0, inertia = 0.3, position = [0, 0.25], shapes.hull = {type = "box", size = [1, 0.5]}}
contacts = [{name = "feet", between = ["floor", "box"], friction = 0.5}]
)";
  for (const AnalysisLevel level : {AnalysisLevel::acceleration, AnalysisLevel::step}) {
    AnalysisOptions options;
    options.level = level;
    const Analysis rest = analyze_text(box, options);
    EXPECT_TRUE(rest.is_unique());
    ASSERT_EQ(rest.solutions.size(), 1U);
    const AnalyzedSolution& found = rest.solutions[0];
    EXPECT_FALSE(found.unique_forces);
    EXPECT_LE(found.motion.norm(), kOfEnumeration);
    std::vector<double> normal;
    for (std::size_t k = 0; k < rest.contacts.size(); ++k) {
      if (found.kinds[k] == ContactState::stick) normal.push_back(found.forces[k](0));
    }
    const double share = level == AnalysisLevel::step ? 0.1 : 10.0;  // [N s], [N]
    ASSERT_EQ(normal.size(), 2U);
    for (const double force : normal) EXPECT_NEAR(force, share, kOfEnumeration);
  }
}

/// Two planar boxes on each other, detected contacts, pulled along by g = (2, -10): at rest within the cones one
/// motion, whatever the feet share; the lower one at 1 m/s slides under the upper one, whose friction stops it and
/// pulls the other along: 2 (1 + .02) - (.15 + .05) = 2 .92, .02 + .05 = .07.
TEST(Analyze, AStackHoldsOrSlides) {
  const std::string stack = R"(
gravity = [2, -10]
scheme = {type = "stewart-trinkle"}
contact_default = {friction = 0.5}
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.b = {type = "planar", mass = 1.0, inertia = 0.2, position = [0.1, 0.7], shapes.hull = {type = "box", size = [0.7, 0.4]}}
bodies.a = {type = "planar", mass = 2.0, inertia = 0.3, position = [0, 0.25], shapes.hull = {type = "box", size = [1, 0.5]}, )";
  const Analysis rest = analyze_text(stack + "velocity = [0, 0]}\n", {});
  EXPECT_TRUE(rest.is_unique());
  ASSERT_EQ(kinds_of(rest), "stick, stick, stick, stick");
  EXPECT_LE(rest.solutions[0].motion.norm(), kOfEnumeration);
  EXPECT_FALSE(rest.solutions[0].unique_forces);
  const Analysis slides = analyze_text(stack + "velocity = [1, 0]}\n", {});
  EXPECT_TRUE(slides.is_unique());
  ASSERT_EQ(kinds_of(slides), "slip, slip, slip, slip");
  EXPECT_NEAR(slides.solutions[0].motion(0), 0.07, kOfEnumeration);
  EXPECT_NEAR(slides.solutions[0].motion(3), 0.92, kOfEnumeration);
  EXPECT_TRUE(slides.solutions[0].unique_forces);
}

/// Two planar boxes at rest on a slope of .5 rad, mu = .3 everywhere: both slide along it by h g (sin - mu cos), the
/// upper one with the lower one, at the bound of its friction.
TEST(Analyze, AStackOnASteepSlopeSlidesAsOne) {
  const std::string stack = R"toml(
gravity = ["=10*sin(0.5)", "=-10*cos(0.5)"]
scheme = {type = "stewart-trinkle"}
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1]}}
bodies.a = {type = "planar", mass = 2, inertia = 0.2, position = [0, 0.25], shapes.b = {type = "box", size = [1, 0.5]}}
bodies.b = {type = "planar", mass = 1, inertia = 0.1, position = [0.1, 0.75], shapes.b = {type = "box", size = [1, 0.5]}}
contacts = [{name = "c", between = ["floor/top", "a"], friction = 0.3}, {name = "d", between = ["a", "b"], friction = 0.3}]
)toml";
  const Analysis step = analyze_text(stack, {});
  EXPECT_TRUE(step.is_unique());
  ASSERT_EQ(step.solutions.size(), 1U);
  const double v = 0.1 * (std::sin(0.5) - 0.3 * std::cos(0.5));
  Vector expected(6);
  expected << v, 0.0, 0.0, v, 0.0, 0.0;
  EXPECT_LE((step.solutions[0].motion - expected).norm(), kOfEnumeration);
}

/// A planar box on the floor and against a wall: four contacts and three degrees of freedom. Rest is the one motion.
TEST(Analyze, ABoxInACornerRestsForCertain) {
  const std::string box = R"(
gravity = [0, -10]
scheme = {type = "stewart-trinkle"}
bodies.floor.type = "fixed"
bodies.floor.shapes = {top = {type = "half-space", normal = [0, 1]}, wall = {type = "half-space", normal = [-1, 0], offset = -0.5}}
bodies.box = {type = "planar", mass = 2, inertia = 0.2, position = [0, 0.25], shapes.b = {type = "box", size = [1, 0.5]}}
contacts = [{name = "c", between = ["floor/top", "box"], friction = 0.5}, {name = "w", between = ["floor/wall", "box"], friction = 0.5}]
)";
  for (const AnalysisLevel level : {AnalysisLevel::acceleration, AnalysisLevel::step}) {
    AnalysisOptions options;
    options.level = level;
    const Analysis rest = analyze_text(box, options);
    EXPECT_TRUE(rest.is_unique());
    ASSERT_EQ(rest.solutions.size(), 1U);
    EXPECT_LE(rest.solutions[0].motion.norm(), kOfEnumeration);
  }
}

/// A wheel on a hinge in space with a spring of .05 N m/rad, inertia .1 kg m^2, at 10 rad/s: theta'' = -theta / 2, more
/// than two turns after 2 s. A result tells them by the coordinates of joints, or by its checkpoint at its end.
TEST(Analyze, KeepsTheTurnsOfJointsInSpace) {
  const std::string wheel = R"(
gravity = [0, 0, 0]
scheme = {type = "moreau"}
bodies.base = {type = "fixed", shapes.w = {type = "half-space", normal = [0, 0, 1], offset = -1}}
bodies.wheel = {mass = 1, inertia = [0.1, 0.1, 0.1], position = [0, 0, 0], angular_velocity = [0, 10, 0], shapes.s = {type = "sphere", radius = 1.0}}
joints.hinge = {type = "revolute", between = ["base", "wheel"], at = [0, 0, 0], axis = [0, 1, 0], spring = {stiffness = 0.05}}
contacts = [{name = "rub", between = ["base", "wheel"], friction = 0}]
stickslip = 1
name = "wheel"
time = {end = 2.0, step = 1e-2}
)";
  const Scene scene = parse_scene(wheel, "test");
  const test::TemporaryFolder folder;
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  options.time = 2.0;
  const Analysis there = analyze(scene, options);
  ASSERT_EQ(there.solutions.size(), 1U);
  const double spring = there.solutions[0].motion(4);
  EXPECT_NEAR(spring, -0.5 * 10.0 * std::sqrt(2.0) * std::sin(std::sqrt(2.0)), 0.01);
  RunOptions running;
  running.output = folder.path() / "wheel.h5";
  ASSERT_EQ(run(scene, running).outcome, Outcome::done);
  options.result = running.output;
  const Analysis read = analyze(scene, options);
  EXPECT_NEAR(read.solutions.at(0).motion(4), spring, kOfEnumeration);
  options.time = 1.0;
  EXPECT_NEAR(analyze(scene, options).solutions.at(0).motion(4),
              -0.5 * 10.0 * std::sqrt(2.0) * std::sin(std::sqrt(0.5)), 0.01);
  Scene without = scene;
  without.output.fields = {"q", "u"};
  running.output = folder.path() / "bodies.h5";
  ASSERT_EQ(run(without, running).outcome, Outcome::done);
  options.result = running.output;
  options.time = std::nullopt;
  EXPECT_NEAR(analyze(scene, options).solutions.at(0).motion(4), spring, kOfEnumeration);
  options.time = 1.0;
  EXPECT_THROW(analyze(scene, options), InputError);
  // As `run --resume`: another system of the same size is another scene; another step and scheme are not.
  options.time = 2.0;
  options.result = folder.path() / "wheel.h5";
  Scene another = scene;
  another.bodies[1].mass = 2.0;
  EXPECT_THROW(analyze(another, options), InputError);
  another = scene;
  another.time.step = 1e-3;
  another.scheme = StewartTrinkleOptions();
  EXPECT_NEAR(analyze(another, options).solutions.at(0).motion(4), spring, kOfEnumeration);
}

/// The state of a row of a result, and that to which the scheme runs, are the same; a contact in space slides there.
TEST(Analyze, AtATimeAsInTheResult) {
  const std::string sphere = test::shipped_scene("papers/trinkle/sphere.toml");
  const test::TemporaryFolder folder;
  const Scene scene = load_scene(sphere);
  RunOptions running;
  running.output = folder.path() / "sphere.h5";
  ASSERT_EQ(run(scene, running).outcome, Outcome::done);
  AnalysisOptions options;
  options.time = 0.12;
  const Analysis there = analyze(scene, options);
  options.result = running.output;
  const Analysis read = analyze(scene, options);
  EXPECT_EQ(there.q, read.q);
  EXPECT_EQ(there.u, read.u);
  ASSERT_EQ(kinds_of(read), "slip");
  // The second step of 0.12 s [Trinkle2003 section 4]: v = 1.52912, p_n = m g h, beta = mu p_n.
  EXPECT_NEAR(read.solutions[0].motion(0), 1.52912, kOfEnumeration);
  EXPECT_NEAR(read.solutions[0].forces[0](0), 1.1772, kOfEnumeration);
  EXPECT_NEAR(read.solutions[0].forces[0](1), -0.23544, kOfEnumeration);
  options.time = 0.13;
  EXPECT_THROW(analyze(scene, options), InputError);
}

TEST(Analyze, SweepsTheLastKeyFastest) {
  const std::vector<Sweep> sweeps = {parse_sweep("parameters.theta=pi/6:pi/3:2"),
                                     parse_sweep("parameters.omega=0:5:3")};
  std::vector<std::vector<double>> seen;
  std::string kinds;
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  analyze_sweep(kRod, {.convert = {}, .overrides = {"parameters.g=9"}}, sweeps, options,
                [&](const Analysis& one, const std::vector<double>& values) {
                  seen.push_back(values);
                  kinds += kinds_of(one) + ";";
                  EXPECT_EQ(one.parameters.at("g"), 9.0);
                });
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[1], (std::vector{std::numbers::pi / 6.0, 2.5}));
  EXPECT_EQ(seen[5], (std::vector{std::numbers::pi / 3.0, 5.0}));
  EXPECT_EQ(kinds, "slip;slip;open;;;open/slip;");
  for (const char* bad : {"a", "a=1", "a=1:2", "=1:2:3", "a=1:2:0", "a=1:2:1.5", "a=x:2:3", "a=1:2:1e9"}) {
    EXPECT_THROW(parse_sweep(bad), InputError) << bad;
  }
}

TEST(Analyze, RefusesWhatItCannotDo) {
  const auto message = [](const std::vector<std::string>& settings, const AnalysisOptions& options) {
    try {
      analyze_rod(settings, options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string scheme : {"generalized-alpha", "relaxation", "event-driven"}) {
    const std::string said = message({"scheme.type=" + scheme}, {});
    EXPECT_NE(said.find("no step of " + scheme), std::string::npos) << said;
  }
  AnalysisOptions options;
  options.level = AnalysisLevel::acceleration;
  EXPECT_EQ(message({"scheme.type=event-driven"}, options), "");
  try {
    analyze_sweep(kRod, {}, {parse_sweep("parameters.thta=0:1:2")}, options, [](const auto&, const auto&) { FAIL(); });
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'theta'"), std::string::npos) << error.what();
  }
  options = {};
  options.time = 7.0;
  EXPECT_NE(message({}, options).find("--time"), std::string::npos);
  options = {};
  options.delta = 0.0;
  EXPECT_NE(message({}, options).find("--delta"), std::string::npos);
  options = {};
  options.damping = -1.0;
  EXPECT_NE(message({}, options).find("--zeta"), std::string::npos);
  const Scene many = load_scene(test::shipped_scene("card_house.toml"));
  try {
    analyze(many, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("contacts, at most 8"), std::string::npos) << error.what();
  }
}

TEST(Analyze, TheProgramWritesJsonThatPythonReads) {
  const test::TemporaryFolder folder;
  const test::Ended program = test::run_stickslip({"analyze", kRod, "--level", "relaxation", "--delta", "1e-9",
                                                   "--sweep", "parameters.omega=0:4:2", "--json", "a.json"},
                                                  folder.path());
  ASSERT_EQ(program.status, 0) << program.err;
  const test::Ended python = test::run_process(
      {test::kPython, "-c",
       "import json; a = json.load(open('a.json')); assert [len(x['solutions']) for x in a] == [1, 3]; "
       "assert a[1]['state']['parameters']['omega'] == 4 and a[1]['exists'] and a[1]['G_A'] < 0; "
       "assert [s['kinds'] for s in a[1]['solutions']] == [['open'], ['stick'], ['slip']]; "
       "assert len(a[1]['solutions'][2]['force'][0]) == 2"},
      folder.path());
  EXPECT_EQ(python.status, 0) << python.err;
  EXPECT_EQ(test::run_stickslip({"analyze", kRod, "--json", "a.json"}, folder.path()).status, 2);  // not ours
  const test::Ended mistyped = test::run_stickslip({"analyze", kRod, "--level", "stepp"}, folder.path());
  EXPECT_EQ(mistyped.status, 2);
  EXPECT_NE(mistyped.err.find("did you mean step"), std::string::npos) << mistyped.err;
}

}  // namespace
}  // namespace stickslip
