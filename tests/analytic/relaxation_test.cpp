// SPDX-License-Identifier: BSD-3-Clause
// The Baumgarte-like relaxation against its closed forms [Kikuuwe2017] and independent runs of it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/stepping/relaxation/clip.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::open_scene;
using test::scene_from_text;
using test::SceneRun;

/// A point mass at a height over a floor, falling at 1 m/s.
SceneRun open_bounce(const std::string& scheme, double gravity, double height, double step) {
  return scene_from_text(fmt::format(R"(
stickslip = 1
gravity = [0, {:.17g}]
scheme = {{type = "relaxation", {}}}
time = {{end = 1, step = {:.17g}}}
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
                                     -gravity, scheme, step, height));
}

/// The velocity after the contact has borne a force and ceased to.
double rebound(SceneRun& run) {
  bool borne = false;
  while (run.state.t < run.scene.time.end) {
    if (run.step() != Status::ok) return std::nan("");
    const bool bears = run.report.contacts[0].force[0] > 0.0;
    if (borne && !bears && run.state.u(1) > 0.0) break;
    if (bears && run.report.contacts[0].force[0] < 1e-5) break;  // dies away, as where it bounces by nothing
    borne |= bears;
  }
  return run.state.u(1);
}

/// (104): e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)), continued beyond 1.
double restitution_of(double zeta) {
  if (zeta == 1.0) return std::exp(-2.0);
  const double root = std::sqrt(std::abs(1.0 - zeta * zeta));
  return std::exp(-2.0 * zeta * (zeta < 1.0 ? std::acos(zeta) : std::acosh(zeta)) / root);
}

/// Begun at touch, from flight with the gate, and as printed, where the force begins before the touch.
TEST(RelaxedBounce, HasTheRestitutionOfZeta) {
  constexpr double kDelta = 0.01;
  constexpr double kStep = kDelta / 1000.0;
  constexpr double kAllowed = 1e-6;  // a kink in the force, (step/delta)^2
  for (const std::vector<double>& row : test::read_table("relaxation/restitution.csv")) {
    const double zeta = row[0];
    if (zeta != 0.0 && zeta != 0.3 && zeta != 1.0 && zeta != 2.0) continue;
    EXPECT_NEAR(restitution_of(zeta), row[1], 1e-12);
    const std::string keys = fmt::format("delta = {}, zeta = {}", kDelta, zeta);
    SceneRun begun = open_bounce(keys, 0.0, 0.0, kStep);
    EXPECT_NEAR(rebound(begun), row[1], kAllowed) << zeta;
    SceneRun gated = open_bounce(keys, 0.0, 0.01234567 * kDelta, kStep);
    EXPECT_NEAR(rebound(gated), row[1], kAllowed) << zeta;
    SceneRun printed = open_bounce(keys + ", gate = false", 0.0, 6.1 * kDelta, kStep);
    EXPECT_NEAR(rebound(printed), row[2], kAllowed) << zeta;
  }
}

/// The same under symplectic Euler, delta/n a step, by an independent run to four digits.
TEST(RelaxedBounce, UnderSymplecticEulerConvergesFromBelow) {
  const std::vector<std::pair<int, double>> published = {
      {5, .4157}, {10, .4329}, {20, .4420}, {50, .4474}, {100, .4492}};
  for (const auto& [n, e] : published) {
    SceneRun run = open_bounce("delta = 1e-2, zeta = 0.3, integrator = \"symplectic-euler\"", 0.0, 0.0, 1e-2 / n);
    EXPECT_NEAR(rebound(run), e, 5e-5) << n;
  }
}

/// What bounces comes to rest, its gate on, on the floor exactly.
TEST(RelaxedBounce, ComesToRest) {
  SceneRun run = open_bounce("delta = 2e-3, zeta = 0.3", 10.0, 0.1, 5e-4);
  int switched = 0;
  bool was_on = false;
  run.run([&](const SceneRun& r) {
    const bool on = !r.state.warm.empty();
    switched += on != was_on ? 1 : 0;
    was_on = on;
  });
  EXPECT_TRUE(was_on);
  EXPECT_GT(switched, 4);
  EXPECT_LT(switched, 60) << "bounces end: what is slow is held";
  EXPECT_NEAR(run.state.q(1), 0.0, 1e-15);
  EXPECT_NEAR(run.report.contacts[0].force[0], 20.0, 1e-9);
  EXPECT_EQ(run.report.contacts[0].status, ContactStatus::stick);
}

/// Implicit Euler in its place: no bounce and no penetration, whatever the step.
TEST(RelaxedBounce, IsNoneInTheImplicitForm) {
  SceneRun run = open_bounce("form = \"implicit\"", 0.0, 0.0123, 5e-3);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(run.step(), Status::ok);
  EXPECT_NEAR(run.state.q(1), 0.0, 1e-15);
  EXPECT_NEAR(run.state.u(1), 0.0, 1e-13);
}

SceneRun open_point_mass(const std::vector<double>& row, double step) {
  return open_scene(
      "papers/kikuuwe/point_mass",
      {fmt::format("scheme={{type=\"relaxation\",zeta=0.5,delta={:.17g}}}", row[2]),
       fmt::format("bodies.mass.mass={}", row[0]), fmt::format("forces.friction.bound={}", row[1]),
       fmt::format("bodies.mass.velocity=[{},{}]", row[3], row[4]),
       fmt::format("forces.push.force=[{},{}]", row[5], row[6]), fmt::format("time.step={:.17g}", step), "time.end=4"});
}

/// (90): M v' = f - proj(f + M v/delta): at a constant rate until v* = (F - f) delta/M, then with time constant delta.
TEST(RelaxedPlanarFriction, SlidesAndCreeps) {
  constexpr double kHeavy = 2.0, kBound = 3.0, kSpeed = 1.5;  // [kg, N, m/s]
  struct Case {
    double delta, push;
    int n;  // steps until t1
  };
  for (const Case& c : {Case{0.1, 0.0, 900}, Case{0.01, 1.0, 14900}, Case{0.01, -1.0, 7400}}) {
    const double creep = (kBound - c.push) * c.delta / kHeavy;
    const double t1 = kHeavy * (kSpeed - creep) / (kBound - c.push);
    SceneRun run = open_point_mass({kHeavy, kBound, c.delta, kSpeed, 0.0, c.push, 0.0}, t1 / c.n);
    double worst = 0.0;
    for (int i = 0; i < c.n + 500; ++i) {
      ASSERT_EQ(run.step(), Status::ok);
      const double t = run.state.t;
      const double exact = t <= t1 ? kSpeed - (kBound - c.push) * t / kHeavy : creep * std::exp(-(t - t1) / c.delta);
      worst = std::max(worst, std::abs(run.state.u(0) - exact));
    }
    EXPECT_LT(worst, 1e-9) << c.delta << ' ' << c.push;
  }
}

TEST(RelaxedPlanarFriction, TurnsAsAnIndependentRun) {
  constexpr double kStep = 1e-3;
  std::vector<double> last;
  std::optional<SceneRun> run;
  for (const std::vector<double>& row : test::read_table("relaxation/planar_friction.csv")) {
    const std::vector<double> given(row.begin(), row.begin() + 7);
    if (given != last) run.emplace(open_point_mass(row, kStep));
    last = given;
    while (run->state.t < row[7] - 0.5 * kStep) ASSERT_EQ(run->step(), Status::ok);
    EXPECT_NEAR(run->state.u(0), row[8], 1e-8) << row[7];
    EXPECT_NEAR(run->state.u(1), row[9], 1e-8) << row[7];
  }
}

/// From rest, up to the bound and at it; above it, it goes.
TEST(RelaxedPlanarFriction, HoldsExactly) {
  for (const double push : {2.0, 3.0}) {
    SceneRun run = open_point_mass({2.0, 3.0, 1e-3, 0.0, 0.0, push, 0.0}, 1e-3);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(run.step(), Status::ok);
    EXPECT_EQ(run.state.u(0), 0.0) << push;
  }
  SceneRun run = open_point_mass({2.0, 3.0, 1e-3, 0.0, 0.0, 3.5, 0.0}, 1e-3);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(run.step(), Status::ok);
  EXPECT_NEAR(run.state.u(0), 0.2 * (3.5 - 3.0) / 2.0, 1e-12);
}

/// The sphere's slip: 2 - 3.5 mu g t, then creep with time constant delta; off Coulomb's by mu g delta / e in v at
/// most.
TEST(RelaxedSphere, RollsWithinDelta) {
  constexpr double kMu = 0.2;
  for (const double delta : {1e-2, 1e-3}) {
    const double h = delta / 25.0;
    SceneRun run =
        open_scene("papers/trinkle/sphere", {fmt::format("scheme={{type=\"relaxation\",zeta=0.5,delta={}}}", delta),
                                             fmt::format("time.step={:.17g}", h), "time.end=0.4"});
    const double rate = 3.5 * kMu * kGravity;
    const double rolls = 2.0 / rate;
    double worst = 0.0;
    double off = 0.0;
    run.run([&](const SceneRun& r) {
      const double t = r.state.t;
      const double slip = t <= rolls - delta ? 2.0 - rate * t : rate * delta * std::exp(-(t - rolls + delta) / delta);
      worst = std::max(worst, std::abs(r.state.u(0) - r.state.u(4) - slip));
      const double coulomb = t < rolls ? 2.0 - kMu * kGravity * t : 10.0 / 7.0;
      off = std::max(off, std::abs(r.state.u(0) - coulomb));
    });
    EXPECT_LT(worst, rate * h * h / delta) << "the kink falls between two steps";
    EXPECT_NEAR(off, kMu * kGravity * delta / std::numbers::e, 0.02 * kMu * kGravity * delta);
    EXPECT_EQ(run.report.contacts[0].status, ContactStatus::stick);
  }
}

/// (24): what a joint is off by obeys Psi'' + 2 zeta/delta Psi' + Psi/delta^2 = 0, whatever moves.
TEST(RelaxedJoint, ComesBackWhateverMoves) {
  constexpr double kOff = 1e-3, kDelta = 0.02;  // [m, s]
  for (const double zeta : {0.5, 1.0}) {
    SceneRun run = scene_from_text(fmt::format(R"(
stickslip = 1
gravity = [0, -9.81]
scheme = {{type = "relaxation", delta = {}, zeta = {}}}
time = {{end = 0.2, step = 1e-4}}
[bodies.wall]
type = "fixed"
[bodies.bob]
type = "planar"
mass = 1.5
inertia = 0.1
position = [1, 0]
angular_velocity = 3
[joints.rod]
type = "distance"
between = ["wall", "bob"]
at_a = [0, 0]
at_b = [0, 0]
)",
                                               kDelta, zeta));
    run.state.q(0) += kOff;
    run.state.u(1) = 2.0;
    const System& system = *run.built.system;
    const double start =
        system.calc_kinetic_energy(run.state.u) + system.calc_potential_energy(run.state.t, run.state.q);  // [J]
    JointVector g;
    double worst = 0.0;
    run.run([&](const SceneRun& r) {
      const double tau = r.state.t / kDelta;
      const double root = std::sqrt(0.75);
      const double exact =
          zeta == 1.0 ? kOff * (1.0 + tau) * std::exp(-tau)
                      : kOff * std::exp(-0.5 * tau) * (std::cos(root * tau) + 0.5 / root * std::sin(root * tau));
      r.built.system->calc_joint_position(0, r.state.t, r.state.q, g);
      worst = std::max(worst, std::abs(g(0) - exact));
    });
    // Local errors of rk4 last for delta: (h/delta)^4 of what it is off by, and of the turning.
    EXPECT_LT(worst, 1e-11) << zeta;
    // What the joint does on its way back is booked: without that, some 1e-3 m times the force of .01 to .1 J.
    EXPECT_NEAR(run.report.kinetic_energy + run.report.potential_energy - run.report.work + run.report.dissipated,
                start, 1e-9)
        << zeta;
  }
}

/// Ten boxes on each other, twenty contacts. Each gap obeys (24) while it bears something: an overlap g0 at rest goes
/// as g0 (1 + t/delta) exp(-t/delta) at zeta = 1, and what a solver leaves, accelerations up to r in a row, adds no
/// more than delta^2 r to a gap (the integral of the kernel t exp(-t/delta)) and delta r / 2 to a velocity of slip.
TEST(RelaxedStack, OverlapsAndCreepsByNoMoreThanDerived) {
  constexpr double kDelta = 5e-3, kOff = 2e-5, kTolerance = 1e-10;
  constexpr int kBoxes = 10;
  std::string text = fmt::format(R"(
stickslip = 1
gravity = [0.5, -9.81]
scheme = {{type = "relaxation", delta = {}}}
solver = {{tolerance = {}}}
time = {{end = 0.2, step = 1e-3}}
[bodies.box0]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 1], offset = 0}}
)",
                                 kDelta, kTolerance);
  for (int i = 1; i <= kBoxes; ++i) {
    text += fmt::format(R"([bodies.box{0}]
type = "planar"
mass = 1
inertia = 0.02
position = [0, {1:.17g}]
shapes.hull = {{type = "box", size = [0.4, 0.2]}}
[[contacts]]
name = "touch{0}"
between = ["box{2}", "box{0}"]
friction = 0.5
)",
                        i, 0.2 * i - 0.1 - kOff * i, i - 1);
  }
  SceneRun run = scene_from_text(text);
  const double gravity = std::hypot(0.5, kGravity);
  run.run([&](const SceneRun& r) {
    ASSERT_EQ(r.report.closed_contacts, 2 * kBoxes);
    // |b| is at most that of free fall in all rows and what takes the overlaps back.
    const double b = std::sqrt(4.0 * kBoxes) * (gravity + kOff / (kDelta * kDelta));
    const double left = kTolerance * b;
    const double tau = r.state.t / kDelta;
    const double overlap = kOff * (1.0 + tau) * std::exp(-tau);
    constexpr double kOfRk4 = 1e-2;  // [-] (h/delta)^4 / 24 a step, for tau steps, of it
    ASSERT_LT(r.report.penetration,
              overlap * (1.0 + kOfRk4) + kOfRk4 * kOff * std::exp(-0.5 * tau) + kDelta * kDelta * left);
    for (int i = 0; i < kBoxes; ++i) {
      ASSERT_LT(std::abs(r.state.q(3 * i)), (i + 1) * (0.5 * kDelta * left * r.state.t + kOff * kOff));
    }
  });
  EXPECT_LT(run.report.penetration, 1e-12);
}

TEST(RelaxedInclusions, ClipAsTheLimitOfProjections) {
  ClipInclusion clip;
  ConeSolution solution;
  for (const std::vector<double>& row : test::read_table("relaxation/clip.csv")) {
    ConeProblem problem;
    const FrictionBlock friction{2, row[0], 0, 0.0};
    problem.add_contact({&friction, 1});
    problem.b.assign(row.begin() + 10, row.begin() + 13);
    Matrix w(3, 3);
    for (int i = 0; i < 9; ++i) w(i / 3, i % 3) = row[1 + i];
    auto& delassus = problem.delassus.emplace<FactoredDelassus>();
    delassus.add_body(w);
    delassus.begin_row(3);
    delassus.add_block(0).setIdentity();
    ASSERT_TRUE(clip.solve(problem, false, solution));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(solution.p[i], row[13 + i], 1e-9 * (1.0 + std::abs(row[13 + i])));
  }
}

/// A sphere that slides off the axes: each way gives the deceleration that it stands for.
TEST(RelaxedInclusions, SlideAsTheyShould) {
  constexpr double kMu = 0.2, kAngle = 0.3;
  const auto acceleration = [&](const std::string& inclusion) {
    SceneRun run = open_scene(
        "papers/trinkle/sphere",
        {fmt::format("scheme={{type=\"relaxation\",{}}}", inclusion), "time.step=1e-4",
         fmt::format("bodies.sphere.velocity=[{:.17g},{:.17g},0]", 2.0 * std::cos(kAngle), 2.0 * std::sin(kAngle))});
    EXPECT_EQ(run.step(), Status::ok);
    return Vector3(run.report.contacts[0].force[1], run.report.contacts[0].force[2], run.report.contacts[0].force[0]);
  };
  const double weight = kGravity;
  const Vector3 exact(-kMu * weight * std::cos(kAngle), -kMu * weight * std::sin(kAngle), weight);
  constexpr double kTurn = 1e-7;  // the direction does not turn
  EXPECT_LT((acceleration("inclusion=\"exact\"") - exact).norm(), kTurn);
  EXPECT_LT((acceleration("inclusion=\"clip\"") - exact).norm(), kTurn);
  // The corner next to the direction, at the angle 0 of four.
  EXPECT_LT((acceleration("inclusion=\"facets\",facets=4") - Vector3(-kMu * weight, 0.0, weight)).norm(), kTurn);
  // A pyramid: both at once.
  EXPECT_LT((acceleration("inclusion=\"clip-axis\"") - Vector3(-kMu * weight, -kMu * weight, weight)).norm(), kTurn);
  // Lifts off what slides: a force greater than the weight, by minimising over the cone.
  EXPECT_GT(acceleration("inclusion=\"associated\"")(2), 2.0 * weight);
}

/// The penalty model is a spring and a damper: (104) with zeta = D / (2 sqrt(K m)), as of linear viscoelastic contacts.
TEST(RelaxedPenalty, BouncesAsASpringAndADamper) {
  constexpr double kStiffness = 2e4, kTime = 0.01;  // [N/m, s]: sqrt(m/K) of 2 kg
  for (const double zeta : {0.1, 0.5, 1.0}) {
    const std::string keys = fmt::format("model = \"penalty\", stiffness = {}, damping = {:.17g}", kStiffness,
                                         2.0 * zeta * std::sqrt(2.0 * kStiffness));
    SceneRun run = open_bounce(keys, 0.0, 0.0123, kTime / 1000.0);
    EXPECT_NEAR(rebound(run), restitution_of(zeta), 1e-6) << zeta;
  }
}

/// Below the bound it gives way as an oscillator toward f/K, and never stays where it was; above it, it slides.
TEST(RelaxedPenalty, GivesWayToWhatItHolds) {
  constexpr double kStiffness = 200.0, kDamping = 4.0, kForce = 2.0, kOfMass = 2.0;
  const auto open = [&](double force) {
    return open_scene(
        "papers/kikuuwe/point_mass",
        {fmt::format("scheme={{type=\"relaxation\",model=\"penalty\",stiffness={},damping={}}}", kStiffness, kDamping),
         "bodies.mass.velocity=[0,0]", "forces.friction.bound=4.5", fmt::format("forces.push.force=[{},0]", force),
         "time.step=1e-3", "time.end=1"});
  };
  const double decay = kDamping / (2.0 * kOfMass);
  const double turn = std::sqrt(kStiffness / kOfMass - decay * decay);
  SceneRun run = open(kForce);
  run.run([&](const SceneRun& r) {
    const double t = r.state.t;
    const double exact =
        kForce / kStiffness * (1.0 - std::exp(-decay * t) * (std::cos(turn * t) + decay / turn * std::sin(turn * t)));
    ASSERT_NEAR(r.state.q(0), exact, 1e-9) << t;
  });
  SceneRun slides = open(10.0);
  slides.run();
  const double before = slides.state.u(0);
  ASSERT_EQ(slides.step(), Status::ok);
  EXPECT_NEAR(slides.state.u(0) - before, 1e-3 * (10.0 - 4.5) / kOfMass, 1e-12);
}

/// Joints hold under it as by (64), and a sphere slides with mu times its weight, once it has sunk in by weight/K.
TEST(RelaxedPenalty, HasContactsAndJoints) {
  SceneRun sphere = open_scene(
      "papers/trinkle/sphere",
      {"scheme={type=\"relaxation\",model=\"penalty\",stiffness=1e5,damping=600}", "time.step=1e-4", "time.end=0.2"});
  sphere.run();
  EXPECT_NEAR(sphere.report.contacts[0].force[0], kGravity, 1e-6);
  EXPECT_NEAR(sphere.report.contacts[0].gap, -kGravity / 1e5, 1e-10);
  EXPECT_NEAR(sphere.report.a(0), -0.2 * kGravity, 1e-6);
  SceneRun bar = open_scene("four_bar", {"scheme={type=\"relaxation\",model=\"penalty\",stiffness=1e5,damping=600}",
                                         "time.step=2.5e-4", "time.end=0.2"});
  bar.run();
  EXPECT_LT(bar.report.drift_position, 1e-8);
}

/// Records the problem of a solve.
class Watched final : public ConeSolver {
 public:
  Watched(std::unique_ptr<ConeSolver> solver, ConeProblem& problem) : solver_(std::move(solver)), problem_(problem) {}
  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    problem_ = problem;
    return solver_->solve(problem, tolerance, solution);
  }
  std::unique_ptr<ConeSolver> solver_;
  ConeProblem& problem_;
};

/// (70) keeps J' u: at 60 degrees and 4 rad/s it has three solutions; the step takes one of them.
TEST(RelaxedPainleveRod, HasAllSolutionsOfTheImplicitForm) {
  const auto rows = test::read_table("relaxation/painleve_implicit.csv");
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last < rows.size() && std::equal(rows[first].begin(), rows[first].begin() + 3, rows[last].begin())) ++last;
    const double angle = rows[first][0] * std::numbers::pi / 180.0;
    const double rate = rows[first][1];
    const double h = rows[first][2];
    const Scene scene =
        parse_scene(fmt::format(R"(
stickslip = 1
gravity = [0, -10]
scheme = {{type = "relaxation", form = "implicit"}}
time = {{end = 1, step = {}}}
[bodies.rod]
type = "planar"
mass = 1
inertia = "=1/3"
position = [0, {:.17g}]
angle = {:.17g}
velocity = [{:.17g}, {:.17g}]
angular_velocity = {}
shapes.tip = {{type = "point", position = [-1, 0]}}
[bodies.ground]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 1], offset = 0}}
[[contacts]]
name = "tip"
between = ["ground", "rod"]
friction = "=5/3"
)",
                                h, std::sin(angle), angle, -1.0 - std::sin(angle) * rate, std::cos(angle) * rate, rate),
                    "rod.toml");
    ConeProblem problem;
    const BuiltScene built = build(scene, [&](std::unique_ptr<ConeSolver> solver) {
      return std::make_unique<Watched>(std::move(solver), problem);
    });
    State state = built.initial;
    StepReport report;
    built.stepper->initialize(state, report);
    ASSERT_EQ(built.stepper->step(state, h, h, report), Status::ok);
    const ContactReport& contact = report.contacts[0];
    double nearest = 1.0;
    for (; first < last; ++first) {
      const double p_t = rows[first][3];
      const double p_n = rows[first][4];
      nearest = std::min(nearest, std::hypot(contact.percussion[0] - p_n, contact.percussion[1] - p_t));
      const std::vector<double> force = {p_n / h, p_t / h};
      EXPECT_LT(calc_residual(problem, force).relative, 1e-9) << "not a solution: " << first;
    }
    EXPECT_LT(nearest, 1e-9);
  }
}

}  // namespace
}  // namespace stickslip
