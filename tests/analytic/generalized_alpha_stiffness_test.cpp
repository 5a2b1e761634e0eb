// SPDX-License-Identifier: BSD-3-Clause
// Springs and dampers of any stiffness under the generalized-alpha scheme: the recursion of the linear problem, no
// energy from what a step does not resolve, and statics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

constexpr double kLongStep = 1e-3;  // [s]
/// Of the energy: what a step may gain where a velocity turns within it.
constexpr double kGainWhereItTurns = 1e-3;  // [-]

SceneRun open(const std::string& text, double end, double rho) {
  std::ostringstream scene;
  scene.precision(17);
  scene << "stickslip = 1\nscheme = {type = \"generalized-alpha\", rho_inf = " << rho << "}\ntime = {end = " << end
        << ", step = " << kLongStep << "}\n"
        << text;
  return test::scene_from_text(scene.str());
}

std::string make_spring(const std::string& first, const std::string& second, double k, double c, double rest,
                        const std::string& more = "") {
  std::ostringstream text;
  text.precision(17);
  text << "[forces.spring]\ntype = \"spring\"\nbetween = [\"" << first << "\", \"" << second << "\"]\nstiffness = " << k
       << "\ndamping = " << c << "\nrest = " << rest << "\n"
       << more;
  return text.str();
}

double energy_of(const SceneRun& run) {
  return run.report.kinetic_energy + run.report.potential_energy;
}

/// The generalized-alpha method for m x'' = -c x' - k x by itself, and backward Euler, after which it goes on from the
/// acceleration at the end.
struct Recursion {
  double x, v, a, bar;  // [m], [m/s], [m/s^2]
  void step(double c, double k, double rho) {
    const double alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
    const double alpha_f = rho / (rho + 1.0);
    const double gamma = 0.5 + alpha_f - alpha_m;
    const double beta = 0.25 * (0.5 + gamma) * (0.5 + gamma);
    const double known = (alpha_f * a - alpha_m * bar) / (1.0 - alpha_m);
    const double share = (1.0 - alpha_f) / (1.0 - alpha_m);
    const double v_known = v + kLongStep * ((1.0 - gamma) * bar + gamma * known);
    const double x_known = x + kLongStep * v + kLongStep * kLongStep * ((0.5 - beta) * bar + beta * known);
    a = -(c * v_known + k * x_known) / (1.0 + c * kLongStep * gamma * share + k * kLongStep * kLongStep * beta * share);
    v = v_known + kLongStep * gamma * share * a;
    x = x_known + kLongStep * kLongStep * beta * share * a;
    bar = known + share * a;
  }
  void step_backward(double c, double k) {
    v = (v - kLongStep * k * x) / (1.0 + kLongStep * c + kLongStep * kLongStep * k);
    x += kLongStep * v;
    a = bar = -(c * v + k * x);
  }
  double energy(double k) const { return 0.5 * v * v + 0.5 * k * x * x; }  // [J/kg]
};

/// Two points on a line: each step is one of the method, or one of backward Euler, and no energy is gained.
TEST(GeneralizedAlphaStiffness, TwoBodiesFollowTheRecursion) {
  constexpr double kReduced = 2.0 / 3.0;  // [kg]
  constexpr double kSpeed = 0.5;          // [m/s]
  for (const double rho : {0.0, 0.5, 0.9}) {
    for (const double damping : {0.0, 0.5, 1e2, 1e4}) {            // h c/m
      for (const double stiffness : {0.0, 0.25, 1e2, 1e4, 1e6}) {  // h^2 k/m
        if (damping + stiffness == 0.0) continue;
        const double c = damping / kLongStep;
        const double k = stiffness / (kLongStep * kLongStep);
        SceneRun run = open(
            "gravity = [0, 0]\n[bodies.a]\ntype = \"point\"\nmass = 1\nposition = [0, 0]\n"
            "[bodies.b]\ntype = \"point\"\nmass = 2\nposition = [1, 0]\nvelocity = [-0.5, 0]\n" +
                make_spring("a", "b", kReduced * k, kReduced * c, 1.0),
            0.05, rho);
        const double first = energy_of(run);
        Recursion r{0.0, -kSpeed, c * kSpeed, c * kSpeed};
        int backward = 0;
        run.run([&](const SceneRun& now) {
          const double x = now.state.q(2) - now.state.q(0) - 1.0;
          const double v = now.state.u(2) - now.state.u(0);
          Recursion next = r;
          next.step(c, k, rho);
          Recursion euler = r;
          euler.step_backward(c, k);
          const auto error = [&](const Recursion& y) {
            return std::max(std::abs(x - y.x) / kLongStep, std::abs(v - y.v)) / kSpeed;
          };
          backward += error(euler) < error(next) ? 1 : 0;
          r = error(euler) < error(next) ? euler : next;
          // Lengths are rounded to 2e-16 m, which a stiff spring makes accelerations of.
          EXPECT_LT(error(r), 1e-8 + 4e-16 * k * kLongStep / kSpeed)
              << rho << ", " << damping << ", " << stiffness << ", " << now.state.t;
          EXPECT_LT(energy_of(now), (1.0 + kGainWhereItTurns) * first) << rho << ", " << damping << ", " << stiffness;
          r.x = x;
          r.v = v;
        });
        const bool is_resolved = 2.0 * kReduced * (damping + stiffness) < 0.99;  // on the lighter body
        if (is_resolved) {
          EXPECT_EQ(backward, 0) << damping << ", " << stiffness;
        }
        // Steps are solved to the scheme's tolerance, and to that round-off.
        constexpr double kSolved = 1e-10;  // [-]
        const double off = 50.0 * kSolved + 4e-16 * kReduced * k * kLongStep;
        EXPECT_NEAR(run.state.u(0) + 2.0 * run.state.u(2), -1.0, off) << damping << ", " << stiffness;
      }
    }
  }
}

/// Off their centres, turning, in the plane and in space.
TEST(GeneralizedAlphaStiffness, BodiesThatTurnGainNoEnergy) {
  for (const double k : {0.0, 1e7, 1e9, 1e12}) {
    for (const double c : {0.0, 1e4, 1e7}) {
      SceneRun planar = open(
          "gravity = [0, 0]\n[bodies.a]\ntype = \"planar\"\nmass = 1\ninertia = 0.05\n[bodies.b]\n"
          "type = \"planar\"\nmass = 1\ninertia = 0.05\nposition = [1, 0]\nvelocity = [-0.5, 0.3]\n"
          "angular_velocity = 1\n" +
              make_spring("a", "b", k, c, 0.65, "at_a = [0.2, 0.1]\nat_b = [-0.15, 0.1]\n"),
          0.2, 0.9);
      SceneRun spatial = open(
          "gravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = [0.1, 0.2, 0.25]\nvelocity = [0.5, 1, 0]\n"
          "angular_velocity = [0.3, 0.5, -0.4]\n[bodies.b]\nmass = 2\ninertia = [0.3, 0.2, 0.2]\n"
          "position = [2, 0, 0]\nvelocity = [0, -0.5, 0.2]\n" +
              make_spring("a", "b", k, c, 1.0, "at_a = [0.5, 0, 0]\nat_b = [-0.5, 0, 0]\n"),
          0.2, 0.5);
      for (SceneRun* run : {&planar, &spatial}) {
        const double first = energy_of(*run);
        run->run([&](const SceneRun& now) {
          EXPECT_LT(energy_of(now), (1.0 + kGainWhereItTurns) * first) << k << ", " << c << ", " << now.state.t;
        });
      }
    }
  }
}

/// A pair that lands, with and without rebound: the upper body stops or turns by what the spring and the damper do in
/// the step of the impact.
TEST(GeneralizedAlphaStiffness, APairThatLandsGainsNoEnergy) {
  for (const double k : {0.0, 1e7, 1e9, 1e12}) {
    for (const double c : {1e4, 1e7}) {
      for (const double e : {0.0, 0.5}) {
        // With rebound the place that the step leaves the lower body at and the velocity that it takes off with ask for
        // two forces of a spring and a damper that are both this stiff: there energy is made.
        if (e > 0.0 && c == 1e7 && k > 0.0) continue;
        std::ostringstream text;
        text << "gravity = [0, -9.81]\ncontact_default = {friction = 0.3, restitution = {normal = " << e
             << "}}\n[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 1]}\n"
             << "[bodies.low]\ntype = \"planar\"\nmass = 1\ninertia = 0.05\nposition = [0, 0.2]\n"
             << "velocity = [0.3, -1]\nshapes.ball = {type = \"sphere\", radius = 0.1}\n[bodies.high]\n"
             << "type = \"planar\"\nmass = 2\ninertia = 0.05\nposition = [0, 0.7]\nvelocity = [0.3, -1]\n"
             << make_spring("low", "high", k, c, 0.5);
        SceneRun run = open(text.str(), 0.2, 0.5);
        double last = energy_of(run);
        const double moves = run.report.kinetic_energy + 3.0 * kGravity * 0.1;
        run.run([&](const SceneRun& now) {
          EXPECT_LT(energy_of(now), last + kGainWhereItTurns * moves)
              << k << ", " << c << ", " << e << ", " << now.state.t;
          last = energy_of(now);
        });
      }
    }
  }
}

/// From where weight and spring balance nothing moves, and where it is let go it comes to that place.
TEST(GeneralizedAlphaStiffness, WeightsComeToTheirBalance) {
  for (const double k : {1e6, 1e9, 1e12}) {
    for (const double c : {1e3, 1e7}) {
      for (const bool balanced : {true, false}) {
        if (!balanced && c > 1e-2 * k) continue;  // the damper has to let it go down in time
        std::ostringstream text;
        text.precision(17);
        text << "gravity = [0, 0, -9.81]\n[bodies.ground]\ntype = \"fixed\"\n[bodies.weight]\nmass = 1\n"
             << "inertia = [0.1, 0.1, 0.1]\nposition = [0, 0, " << (balanced ? -kGravity / k : 0.0)
             << "]\n[joints.slide]\ntype = \"prismatic\"\nbetween = [\"ground\", \"weight\"]\nat = [0, 0, 0]\n"
             << "axis = [0, 0, 1]\nspring = {stiffness = " << k << ", damping = " << c
             << ", rest = " << (balanced ? kGravity / k : 0.0) << "}\n";
        SceneRun run = open(text.str(), 0.3, 0.5);
        run.run();
        EXPECT_NEAR(k * run.state.q(2), -kGravity, 1e-9 * kGravity) << k << ", " << c << ", " << balanced;
        EXPECT_LT(std::abs(run.state.u(2)), 1e-9) << k << ", " << c << ", " << balanced;
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
