// SPDX-License-Identifier: BSD-3-Clause
// The certificate does not believe a scheme: schemes whose rows are wrong are caught by the shapes, under every scheme,
// and energy that contacts make by its amount.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/certified_stepper.h"
#include "stickslip/stepping/scheme_options.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

/// A body that falls onto a fixed one: two scenes, one with their contact and one without.
struct Fall {
  const char* name;
  const char* bodies;
  const char* contact;
  double depth_at_origin;  // [m] how deep they overlap when the body's origin is at height 0
  int height;              // the coordinate
};

const Fall kFalls[] = {
    {"ball on a named box", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "box", size = [2, 2, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.605], shapes.hull = {type = "sphere", radius = 0.1}}
)toml",
     "contacts = [{between = [\"table\", \"ball\"]}]\n", 0.6, 2},
    {"a named ball first", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "box", size = [2, 2, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.605], shapes.hull = {type = "sphere", radius = 0.1}}
)toml",
     "contacts = [{between = [\"ball\", \"table\"]}]\n", 0.6, 2},
    {"planar disc on a named box", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "box", size = [2, 1]}}
bodies.ball = {type = "planar", mass = 1, inertia = 0.004, position = [0, 0.605], shapes.hull = {type = "sphere", radius = 0.1}}
gravity = [0, -9.81]
)toml",
     "contacts = [{between = [\"table\", \"ball\"]}]\n", 0.6, 1},
    {"ball on a fixed ball", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "sphere", radius = 0.5}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.605], shapes.hull = {type = "sphere", radius = 0.1}}
)toml",
     "contacts = [{between = [\"table\", \"ball\"]}]\n", 0.6, 2},
    {"ball on a floor", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.105], shapes.hull = {type = "sphere", radius = 0.1}}
)toml",
     "contacts = [{between = [\"table\", \"ball\"]}]\n", 0.1, 2},
    {"detected box on a box", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "box", size = [2, 2, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.605], shapes.hull = {type = "box", size = [0.2, 0.2, 0.2]}}
)toml",
     "contact_default = {friction = 0.5}\n", 0.6, 2},
    {"detected ball on a box", R"toml(
bodies.table = {type = "fixed", shapes.top = {type = "box", size = [2, 2, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.605], shapes.hull = {type = "sphere", radius = 0.1}}
)toml",
     "contact_default = {friction = 0.5}\n", 0.6, 2},
};

BuiltScene build_text(const std::string& text) {
  return build(parse_scene("stickslip = 1\ntime = {end = 1, step = 2e-3}\n" + text, "fall.toml"));
}

class CertifiedScheme : public testing::TestWithParam<SchemeOptions> {};

TEST_P(CertifiedScheme, IsCaughtWhereItsRowsLackAContact) {
  constexpr double kStep = 5e-4;  // [s]
  for (const Fall& fall : kFalls) {
    SCOPED_TRACE(fall.name);
    const BuiltScene without = build_text(fall.bodies);
    const BuiltScene with = build_text(std::string(fall.bodies) + fall.contact);
    const auto solver = make_solver(AutoOptions{});
    CertifiedStepper stepper(make_stepper(GetParam(), *without.system, *solver), *with.system);
    State state = without.initial;
    StepReport report;
    stepper.initialize(state, report);
    EXPECT_EQ(report.penetration, 0.0);
    int caught = 0;
    for (int n = 1; n <= 160; ++n) {
      const Status status = stepper.step(state, kStep, kStep * n, report);
      ASSERT_NE(status, Status::failed) << report.message;
      const double depth = fall.depth_at_origin - state.q(fall.height);
      EXPECT_NEAR(report.penetration, std::max(depth, 0.0), 1e-12) << n;
      if (depth > 0.0) {
        ASSERT_FALSE(report.contacts.empty());
        EXPECT_NEAR(report.contacts.back().gap, -depth, 1e-12);
      } else {
        EXPECT_EQ(status, Status::ok) << n << " " << report.message;
      }
      // A contact that closes within a step may overlap by what the body moves in it.
      if (depth > 2.0 * kStep * std::abs(state.u(fall.height))) {
        EXPECT_EQ(status, Status::inexact) << n;
        EXPECT_NE(report.message.find("'table' and 'ball' overlap by"), std::string::npos) << report.message;
        ++caught;
      }
    }
    EXPECT_GT(caught, 10);
  }
}

/// The same scenes with a body that is smaller for the certificate than for the scheme.
TEST_P(CertifiedScheme, IsCaughtWhereItsRowsActAtADistance) {
  if (std::holds_alternative<EventDrivenOptions>(GetParam()))
    GTEST_SKIP() << "what acts between events may have parted";
  constexpr double kStep = 5e-4;  // [s]
  for (const Fall& fall : kFalls) {
    SCOPED_TRACE(fall.name);
    const std::string text = std::string(fall.bodies) + fall.contact;
    std::string smaller = text;
    for (const auto& [from, to] :
         {std::pair("radius = 0.1}", "radius = 0.05}"), std::pair("[0.2, 0.2, 0.2]", "[0.2, 0.2, 0.1]")}) {
      if (const auto at = smaller.find(from); at != std::string::npos)
        smaller.replace(at, std::string(from).size(), to);
    }
    const BuiltScene solved = build_text(text);
    const BuiltScene judged = build_text(smaller);
    const auto solver = make_solver(AutoOptions{});
    CertifiedStepper stepper(make_stepper(GetParam(), *solved.system, *solver), *judged.system);
    State state = solved.initial;
    StepReport report;
    stepper.initialize(state, report);
    int caught = 0;
    for (int n = 1; n <= 120; ++n) {
      const Status status = stepper.step(state, kStep, kStep * n, report);
      ASSERT_NE(status, Status::failed) << report.message;
      const bool acts = std::ranges::any_of(report.contacts, [](const auto& c) { return c.percussion[0] > 0.0; });
      EXPECT_EQ(status, acts ? Status::inexact : Status::ok) << n << " " << report.message;
      if (!acts) continue;
      EXPECT_NE(report.message.find("'table' and 'ball' push each other apart, but stay 0.0"), std::string::npos)
          << report.message;
      ++caught;
    }
    EXPECT_GT(caught, 40);
  }
}

INSTANTIATE_TEST_SUITE_P(Certificate, CertifiedScheme, testing::ValuesIn(all_schemes()), [](const auto& tested) {
  std::string name(scheme_traits(tested.param).name);
  std::ranges::replace(name, '-', '_');
  return name;
});

/// A scheme that says what a test tells it to.
class Teller final : public TimeStepper {
 public:
  std::string_view name() const override { return "teller"; }
  bool knows_applied_impulses() const override { return true; }
  void initialize(State& /*state*/, StepReport& /*report*/) override {}
  Status step(State& state, double h, double t_end, StepReport& report) override {
    report = told;
    report.t = state.t = t_end;
    report.step = h;
    ++state.step;
    return report.status;
  }
  StepReport told;
};

TEST(Certificate, EnergyMadeAgainstTheLawIsNotOk) {
  const BuiltScene built = build_text(
      "bodies.a = {type = \"point\", mass = 2, position = [0, 0, 0], velocity = [1, 0, 0]}\n"
      "bodies.b = {type = \"point\", mass = 2, position = [9, 0, 0]}\n");
  auto teller = std::make_unique<Teller>();
  StepReport& told = teller->told;
  CertifiedStepper stepper(std::move(teller), *built.system);
  State state = built.initial;
  StepReport report;
  told.kinetic_energy = 1.0;
  told.contact_work = {1.01e-9, 1.01e-9, 0.0, 1.01e-9, 0, 1};
  EXPECT_EQ(stepper.step(state, 1e-9, 1e-9, report), Status::inexact);
  EXPECT_NE(report.message.find("'a' and 'b'"), std::string::npos) << report.message;
  told.contact_work.excess = 0.0;  // forces in the step, or the law itself, explain it
  EXPECT_EQ(stepper.step(state, 1e-9, 2e-9, report), Status::ok);
  EXPECT_EQ(report.contact_work.made, 1.01e-9);
  told.contact_work = {0.9e-9, 0.9e-9, 0.0, 0.9e-9, 0, 1};
  EXPECT_EQ(stepper.step(state, 1e-9, 3e-9, report), Status::ok) << "a billionth of the kinetic energy is allowed";
  told.contact_work = {3e-9, 3e-9, 1.0, 3e-9, 0, 1};
  told.solve.residual.absolute = 1e-9;
  EXPECT_EQ(stepper.step(state, 1e-9, 4e-9, report), Status::ok) << "the residual of an ok step may make 2e-9 J";
  EXPECT_NEAR(report.contact_work.made, 1e-9, 1e-20);
}

/// Kane's pendulum: Newton's law with e_N = .7 and e_T = 0 makes energy where friction turns the slip round.
const char* const kKane = R"toml(
gravity = [0, 0]
parameters = {a = "=20*pi/180", b = "=30*pi/180", wa = -0.1, wb = -0.2}
bodies.wall = {type = "fixed", shapes.floor = {type = "half-space", normal = [0, 1], offset = "=-cos(a)-cos(b)-1e-6"}}
[bodies.one]
type = "planar"
mass = 1
inertia = "=1/12"
position = ["=sin(a)/2", "=-cos(a)/2"]
angle = "=a"
angular_velocity = "=wa"
velocity = ["=cos(a)/2*wa", "=sin(a)/2*wa"]
[bodies.two]
type = "planar"
mass = 1
inertia = "=1/12"
position = ["=sin(a)+sin(b)/2", "=-cos(a)-cos(b)/2"]
angle = "=b"
angular_velocity = "=wb"
velocity = ["=cos(a)*wa+cos(b)/2*wb", "=sin(a)*wa+sin(b)/2*wb"]
shapes.tip = {type = "point", position = [0, -0.5]}
[joints.j1]
type = "revolute"
between = ["wall", "one"]
at = [0, 0]
[joints.j2]
type = "revolute"
between = ["one", "two"]
at = ["=sin(a)", "=-cos(a)"]
)toml";

/// Nothing else does work: the sum is what the kinetic energy grows by, but for what joints take.
TEST_P(CertifiedScheme, SaysWhatContactsMake) {
  if (std::holds_alternative<RelaxationOptions>(GetParam())) GTEST_SKIP() << "its contacts are springs";
  const BuiltScene built =
      build_text(std::string(kKane) +
                 "[[contacts]]\nbetween = [\"wall\", \"two\"]\nfriction = 0.5\nrestitution = {normal = 0.7}\n");
  const auto solver = make_solver(AutoOptions{});
  const auto stepper = make_stepper(GetParam(), *built.system, *solver);
  State state = built.initial;
  StepReport report;
  stepper->initialize(state, report);
  const double before = report.kinetic_energy;
  double made = 0.0;
  double largest = before;
  for (int n = 1; n <= 10; ++n) {
    ASSERT_EQ(stepper->step(state, 1e-3, 1e-3 * n, report), Status::ok) << "by its law: " << report.message;
    made += report.contact_work.made;
    largest = std::max(largest, report.kinetic_energy);
  }
  EXPECT_GT(made, 0.4 * largest);
  EXPECT_NEAR(made, report.kinetic_energy - before, 1e-3 * made);
}

/// Overlaps that a scheme takes back without a projection push bodies apart: that is a correction, no energy of
/// contacts.
TEST(Certificate, ACorrectionOfAnOverlapIsNoEnergyOfContacts) {
  for (const std::string scheme : {"ccp", "stewart-trinkle"}) {
    SCOPED_TRACE(scheme);
    test::SceneRun run = test::scene_from_text(
        "stickslip = 1\ngravity = [0, 0, 0]\ntime = {end = 0.01, step = 1e-3}\nscheme = {type = \"" + scheme + "\"}\n" +
        R"toml(
bodies.floor = {type = "fixed", shapes.s = {type = "half-space", normal = [0, 0, 1]}}
bodies.ball = {mass = 1, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.0999], velocity = [0.01, 0, 0], shapes.s = {type = "sphere", radius = 0.1}}
contacts = [{between = ["floor", "ball"], friction = 0.5}]
)toml");
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    EXPECT_GT(run.state.u(2), 0.09);
    EXPECT_LE(run.report.contact_work.made, 1e-12);
  }
}

}  // namespace
}  // namespace stickslip
