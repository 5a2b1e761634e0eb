// SPDX-License-Identifier: BSD-3-Clause
// Forces of scenes that depend on coordinates and velocities, under every scheme: against springs and dampers of the
// same stiffness, against an integration by hand, and by what they leave of energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class StateForceRuns : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end, double step) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam() << "\"}\ntime = {end = " << end << ", step = " << step
          << "}\nsolver = {tolerance = 1e-12}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
  static bool is(const char* scheme) { return GetParam() == scheme; }
};

/// The largest difference of u of two runs of the same steps, of the largest u.
double compare_velocities(SceneRun& a, SceneRun& b) {
  double off = 0.0;
  double largest = 0.0;
  a.run([&](const SceneRun& run) {
    if (b.step() != Status::ok) ADD_FAILURE() << b.report.message;
    off = std::max(off, (run.state.u - b.state.u).lpNorm<Eigen::Infinity>());
    largest = std::max(largest, run.state.u.lpNorm<Eigen::Infinity>());
  });
  EXPECT_GT(largest, 0.0);
  return off / largest;
}

/// [-] Round-off, and what iterations of different sums leave; event-driven chooses steps by errors of 1e-9.
constexpr double kSameSteps = 1e-8;

/// Whether a spring and a load of the same stiffness take the same steps: where a scheme has them explicit, and under
/// generalized-alpha, which knows the elastic energy of springs alone, up to h c/m + h^2 k/m = 1.
bool takes_same_steps(const std::string& scheme, double ratio) {
  const bool is_implicit = scheme == "moreau" || scheme == "ccp" || scheme == "stewart-trinkle";
  return is_implicit || ratio <= 1.0;
}

/// A weight on a slide: a spring and damper there, or a load.
std::string make_pulled_slide(const std::string& joint, const std::string& forces) {
  return "gravity = [0, 0, -9.81]\n[bodies.ground]\ntype = \"fixed\"\n[bodies.weight]\nmass = 2\n"
         "inertia = [0.1, 0.1, 0.1]\nvelocity = [0, 0, 1]\n[joints.slide]\ntype = \"prismatic\"\n"
         "between = [\"ground\", \"weight\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n" +
         joint + forces;
}

/// h^2 k/m of 5e-4, .5, 500 and 5e5, with and without damping.
TEST_P(StateForceRuns, ALoadIsTheSpringAndDamperOfItsSlopes) {
  for (const double k : {1e3, 1e6, 1e9, 1e12}) {
    for (const double c : {0.0, 1e2, 1e5}) {
      if (!takes_same_steps(GetParam(), 1e-3 * c / 2.0 + 1e-6 * k / 2.0)) continue;
      std::ostringstream spring;
      spring.precision(17);
      spring << "spring = {stiffness = " << k << ", damping = " << c << "}\n";
      std::ostringstream load;
      load.precision(17);
      load << "[forces.pull]\ntype = \"load\"\nbody = \"weight\"\nforce = [0, 0, \"-" << k << "*z(weight) - " << c
           << "*vz(weight)\"]\n";
      SceneRun a = open(make_pulled_slide(spring.str(), ""), 0.05, 1e-3);
      SceneRun b = open(make_pulled_slide("", load.str()), 0.05, 1e-3);
      EXPECT_LT(compare_velocities(a, b), kSameSteps) << k << ", " << c;
      std::ostringstream force;
      force.precision(17);
      force << "force = \"-" << k << "*coordinate(slide) - " << c << "*rate(slide)\"\n";
      SceneRun d = open(make_pulled_slide(spring.str(), ""), 0.05, 1e-3);
      SceneRun e = open(make_pulled_slide(force.str(), ""), 0.05, 1e-3);
      EXPECT_LT(compare_velocities(d, e), kSameSteps) << k << ", " << c;
    }
  }
}

/// Quadratic drag has no finite slope at rest where its root is 0/0. A stiff spring on the same body is implicit all
/// the same, and bodies at rest stay there: drag of zero velocity changes nothing in the first step.
TEST_P(StateForceRuns, DragAtRestHasNoSlope) {
  const std::string drag =
      "[forces.drag]\ntype = \"load\"\nbody = \"b\"\nforce = [\"-0.3*vx(b)*sqrt(vx(b)^2 + vy(b)^2)\", "
      "\"-0.3*vy(b)*sqrt(vx(b)^2 + vy(b)^2)\"]\n";
  const std::string bodies =
      "gravity = [0, 0]\n[bodies.o]\ntype = \"fixed\"\n[bodies.b]\ntype = \"planar\"\nmass = 1\ninertia = 1\n"
      "position = [1.01, 0]\n[forces.s]\ntype = \"spring\"\nbetween = [\"o\", \"b\"]\nrest = 1\nstiffness = 1e6\n";
  const double step = takes_same_steps(GetParam(), 100.0) ? 1e-2 : 1e-4;
  SceneRun a = open(bodies, step, step);
  SceneRun b = open(bodies + drag, step, step);
  EXPECT_LT(compare_velocities(a, b), 1e-3);
  SceneRun still = open(
      "gravity = [0, 0]\n[bodies.o]\ntype = \"fixed\"\n[bodies.b]\ntype = \"planar\"\nmass = 1\ninertia = 1\n"
      "position = [5, 5]\n[bodies.c]\ntype = \"planar\"\nmass = 1\ninertia = 1\nposition = [1, 0]\n[forces.s]\n"
      "type = \"spring\"\nbetween = [\"o\", \"c\"]\nrest = 1\nstiffness = 1e6\n" +
          drag,
      10.0 * step, step);
  still.run([&](const SceneRun& run) { EXPECT_EQ(run.state.u.lpNorm<Eigen::Infinity>(), 0.0); });
}

/// Two points in the plane that a spring along x couples: four slopes, each of them not symmetric by itself.
TEST_P(StateForceRuns, LoadsOnTwoBodiesAreTheSpringBetweenThem) {
  for (const double k : {1e2, 1e5, 1e8}) {
    if (!takes_same_steps(GetParam(), 2.0 * (1e-5 * k + 1e-6 * k))) continue;
    const std::string bodies =
        "gravity = [0, 0]\n[bodies.a]\ntype = \"planar\"\nmass = 1\ninertia = 1\nvelocity = [1, 0]\n[bodies.b]\n"
        "type = \"planar\"\nmass = 3\ninertia = 1\nposition = [1, 0]\n";
    std::ostringstream spring;
    spring.precision(17);
    spring << bodies << "[forces.s]\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\nrest = 1\nstiffness = " << k
           << "\ndamping = " << 1e-2 * k << "\n";
    std::ostringstream loads;
    loads.precision(17);
    const std::string tension = "(x(b)-x(a)-1) + 0.01*(vx(b)-vx(a))";
    loads << bodies << "[forces.s]\ntype = \"load\"\nbody = \"a\"\nforce = [\"" << k << "*(" << tension
          << ")\", 0]\n[forces.r]\ntype = \"load\"\nbody = \"b\"\nforce = [\"-" << k << "*(" << tension << ")\", 0]\n";
    SceneRun a = open(spring.str(), 0.05, 1e-3);
    SceneRun b = open(loads.str(), 0.05, 1e-3);
    EXPECT_LT(compare_velocities(a, b), kSameSteps) << k;
  }
}

/// A pendulum on a hinge in space: its joint's spring, and the torque that says the same.
TEST_P(StateForceRuns, AJointsTorqueIsItsSpring) {
  for (const double k : {2.0, 2e3, 2e7}) {
    if (!takes_same_steps(GetParam(), (1e-5 * k + 1e-6 * k) / 0.03)) continue;
    const auto make = [&](bool spring) {
      std::ostringstream text;
      text.precision(17);
      text << "[bodies.ground]\ntype = \"fixed\"\n[bodies.arm]\nmass = 1\ninertia = [0.02, 0.03, 0.01]\n"
              "position = [0.3, 0, 0]\n[joints.hinge]\ntype = \"revolute\"\nbetween = [\"ground\", \"arm\"]\n"
              "at = [0, 0, 0]\naxis = [0, 1, 0]\n";
      if (spring) {
        text << "spring = {stiffness = " << k << ", damping = " << 0.01 * k << "}\n";
      } else {
        text << "force = \"-" << k << "*coordinate(hinge) - " << 0.01 * k << "*rate(hinge)\"\n";
      }
      return text.str();
    };
    SceneRun a = open(make(true), 0.1, 1e-3);
    SceneRun b = open(make(false), 0.1, 1e-3);
    EXPECT_LT(compare_velocities(a, b), kSameSteps) << k;
  }
}

/// x'' = mu (1 - x^2) x' - x + F sin(w t) by the classical method of Runge and Kutta with short steps.
std::array<double, 2> integrate_van_der_pol(double mu, double force, double omega, double end) {
  constexpr int kSteps = 200000;
  const double h = end / kSteps;
  std::array<double, 2> y = {2.0, 0.0};
  const auto rates = [&](double t, const std::array<double, 2>& at) {
    return std::array<double, 2>{at[1], mu * (1.0 - at[0] * at[0]) * at[1] - at[0] + force * std::sin(omega * t)};
  };
  const auto moved = [](const std::array<double, 2>& a, double s, const std::array<double, 2>& b) {
    return std::array<double, 2>{a[0] + s * b[0], a[1] + s * b[1]};
  };
  for (int i = 0; i < kSteps; ++i) {
    const double t = i * h;
    const auto k1 = rates(t, y);
    const auto k2 = rates(t + 0.5 * h, moved(y, 0.5 * h, k1));
    const auto k3 = rates(t + 0.5 * h, moved(y, 0.5 * h, k2));
    const auto k4 = rates(t + h, moved(y, h, k3));
    for (int c = 0; c < 2; ++c) y[c] += h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]);
  }
  return y;
}

/// Generalized-alpha takes what it does not resolve without making energy of it.
TEST_P(StateForceRuns, UnresolvedLoadsGainNoEnergy) {
  if (!is("generalized-alpha")) return;
  for (const double k : {1e7, 1e9, 1e12}) {
    std::ostringstream load;
    load.precision(17);
    load << "[forces.pull]\ntype = \"load\"\nbody = \"weight\"\nforce = [0, 0, \"-" << k << "*z(weight)\"]\n";
    std::string text = make_pulled_slide("", load.str());
    text.replace(text.find("-9.81"), 5, "0");
    SceneRun run = open(text, 0.05, 1e-3);
    run.run([k](const SceneRun& r) {
      EXPECT_LT(r.report.kinetic_energy + 0.5 * k * r.state.q(2) * r.state.q(2), 1.01) << k;
    });
  }
}

TEST_P(StateForceRuns, VanDerPolsOscillatorFollowsItsEquation) {
  const double end = 4.0;
  const std::array<double, 2> exact = integrate_van_der_pol(1.5, 0.3, 2.0, end);
  const std::string text =
      "gravity = [0, 0]\nparameters = {mu = 1.5, x = 0.3}\n[bodies.'the mass']\ntype = \"point\"\nmass = 1\n"
      "position = [2, 0]\n[forces.pull]\ntype = \"load\"\nbody = \"the mass\"\n"
      "force = [\"mu*(1 - x('the mass')^2)*vx('the mass') - x('the mass') + x*sin(2*t)\", 0]\n";
  const auto off = [&](double h) {
    SceneRun run = open(text, end, h);
    run.run();
    EXPECT_LT(std::abs(run.report.energy_error), 10.0 * h * (1.0 + std::abs(run.state.energy.work)));
    return std::hypot(run.state.q(0) - exact[0], run.state.u(0) - exact[1]);
  };
  const double coarse = off(1e-3);
  const double fine = off(5e-4);
  EXPECT_LT(fine, 2e-2);
  constexpr double kOfTolerances = 1e-7;  // what methods of high order leave at these steps
  EXPECT_LT(fine, std::max(0.6 * coarse, kOfTolerances)) << coarse;
}

/// A force across the velocity turns it and does no work.
TEST_P(StateForceRuns, AGyroscopicForceKeepsEnergy) {
  const double h = 1e-3;
  const double omega = 2.0;
  SceneRun run = open(
      "gravity = [0, 0]\n[bodies.a]\ntype = \"planar\"\nmass = 0.5\ninertia = 1\nvelocity = [1, 0]\n[forces.magnet]\n"
      "type = \"load\"\nbody = \"a\"\nforce = [\"vy(a)\", \"-vx(a)\"]\n",
      2.0, h);
  run.run();
  const double end = omega * 2.0;
  EXPECT_NEAR(run.state.u(0), std::cos(end), 2.0 * omega * omega * h);
  EXPECT_NEAR(run.state.u(1), -std::sin(end), 2.0 * omega * omega * h);
  // Moreau's scheme and its kin take a force of velocities at the start of a step: |u| grows by (h omega)^2 / 2 in one.
  const double gain = 0.25 * omega * omega * h * 2.0 * 1.1;
  const bool is_explicit = is("moreau") || is("ccp") || is("stewart-trinkle");
  EXPECT_NEAR(run.report.kinetic_energy, 0.25, is_explicit ? gain : 1e-5 * omega);
  EXPECT_NEAR(run.report.energy_error, 0.0, is_explicit ? 1e-9 : 1e-5);
}

/// What stiff forces take counts as work: without weight, whose work is that of positions, nothing is left of the
/// balance.
TEST_P(StateForceRuns, WorkOfStiffForcesIsBooked) {
  if (is("relaxation") || is("event-driven") || is("generalized-alpha")) return;
  std::string text = make_pulled_slide("",
                                       "[forces.pull]\ntype = \"load\"\nbody = \"weight\"\n"
                                       "force = [\"-1e5*vx(weight)\", 0, \"-1e8*z(weight) - 1e4*vz(weight)\"]\n");
  text.replace(text.find("-9.81"), 5, "0");
  SceneRun run = open(text, 0.05, 1e-3);
  run.run([](const SceneRun& r) {
    EXPECT_LT(std::abs(r.report.energy_error), 1e-12 * (1.0 + std::abs(r.state.energy.work)));
  });
  EXPECT_LT(run.state.energy.work, -0.5);
}

/// Negative stiffness and damping drive: they stay explicit, beside stiff forces that do not.
TEST_P(StateForceRuns, DrivingForcesDrive) {
  SceneRun run = open(
      "gravity = [0, 0]\n[bodies.a]\ntype = \"planar\"\nmass = 1\ninertia = 1\nposition = [1, 0.001]\n[forces.pull]\n"
      "type = \"load\"\nbody = \"a\"\nforce = [\"4*x(a)\", \"-1e3*vy(a)\"]\n",
      1.0, 1e-3);
  run.run();
  EXPECT_NEAR(run.state.q(0), std::cosh(2.0), 4e-3 * std::cosh(2.0));
}

/// A state taken along goes on with the same bits.
TEST_P(StateForceRuns, ACopyOfTheStateGoesOnToTheBit) {
  const std::string text =
      make_pulled_slide("force = \"-1e6*coordinate(slide) - 10*rate(slide)*abs(z(weight))\"\n", "");
  SceneRun whole = open(text, 0.02, 1e-3);
  whole.run();
  SceneRun first = open(text, 0.02, 1e-3);
  for (int i = 0; i < 7; ++i) (void)first.step();
  SceneRun second = open(text, 0.02, 1e-3);
  second.state = state_from_bytes(to_bytes(first.state));
  second.run();
  EXPECT_EQ(second.state.q, whole.state.q);
  EXPECT_EQ(second.state.u, whole.state.u);
  EXPECT_EQ(second.state.energy, whole.state.energy);
}

INSTANTIATE_TEST_SUITE_P(Schemes, StateForceRuns,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "relaxation", "event-driven",
                                         "generalized-alpha"),
                         [](const testing::TestParamInfo<std::string>& scheme) {
                           std::string name = scheme.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
