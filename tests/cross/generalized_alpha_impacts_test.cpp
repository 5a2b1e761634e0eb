// SPDX-License-Identifier: BSD-3-Clause
// Impacts under the generalized-alpha scheme: restitution acts on velocities along the normal at the end of the step
// [Capobianco2021 eq. 88], with which contacts of e = 1 keep the kinetic energy exactly; and what closes together is
// hit together, whatever round-off makes of single gaps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::scene_from_text;
using test::SceneRun;

std::string to_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string to_text(double x, double y) {
  return "[" + to_text(x) + ", " + to_text(y) + "]";
}

std::string make_head(double end, double step, const std::string& gravity, const std::string& contact) {
  return "stickslip = 1\ngravity = " + gravity + "\ntime = {end = " + to_text(end) + ", step = " + to_text(step) +
         "}\nscheme = {type = \"generalized-alpha\"}\ncontact_default = {" + contact + "}\n";
}

double calc_kinetic_energy(const SceneRun& run) {
  return run.built.system->calc_kinetic_energy(run.state.u);
}

/// Six discs of several sizes and masses in a box, without friction.
std::string make_gas(double step, double restitution, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::string text =
      make_head(5.0, step, "[0, 0]", "friction = 0, restitution = {normal = " + to_text(restitution) + "}");
  const std::string normals[] = {"[1, 0]", "[-1, 0]", "[0, 1]", "[0, -1]"};
  for (int i = 0; i < 4; ++i) {
    text += "bodies.wall" + std::to_string(i) +
            " = {type = \"fixed\", shapes.s = {type = \"half-space\", normal = " + normals[i] + ", offset = -1}}\n";
  }
  for (int i = 0; i < 6; ++i) {
    text += "bodies.disc" + std::to_string(i) + " = {type = \"planar\", mass = " + to_text(1.5 + uniform(random)) +
            ", inertia = 0.01, position = " + to_text(-0.6 + 0.6 * (i % 3), i < 3 ? -0.4 : 0.4) +
            ", velocity = " + to_text(2.0 * uniform(random), 2.0 * uniform(random)) +
            ", shapes.s = {type = \"sphere\", radius = " + to_text(0.17 + 0.05 * uniform(random)) + "}}\n";
  }
  return text;
}

TEST(GeneralizedAlphaImpacts, DiscsInABoxKeepTheirKineticEnergy) {
  for (const double step : {1e-3, 4e-3, 1e-2}) {
    SceneRun run = scene_from_text(make_gas(step, 1.0, 3));
    const double start = calc_kinetic_energy(run);
    double worst = 0.0;
    run.run([&](const SceneRun& r) { worst = std::max(worst, std::abs(calc_kinetic_energy(r) / start - 1.0)); });
    EXPECT_LE(worst, 1e-9) << step;
  }
}

TEST(GeneralizedAlphaImpacts, DiscsInABoxNeverGainEnergyByPartialRestitution) {
  SceneRun run = scene_from_text(make_gas(1e-2, 0.7, 5));
  double last = calc_kinetic_energy(run);
  const double start = last;
  run.run([&](const SceneRun& r) {
    const double now = calc_kinetic_energy(r);
    EXPECT_LE(now, last * (1.0 + 1e-9)) << r.state.t;
    last = now;
  });
  EXPECT_LE(last, 0.5 * start);
}

/// The impact law by the motion alone: of two discs the closing speed along the line of their centres at the end of the
/// step, before and after.
TEST(GeneralizedAlphaImpacts, RestitutionIsAlongTheNormalAtTheEndOfTheStep) {
  for (const double restitution : {1.0, 0.6, 0.25}) {
    SceneRun run = scene_from_text(
        make_head(0.3, 0.01, "[0, 0]", "restitution = {normal = " + to_text(restitution) + "}") +
        "bodies.a = {type = \"planar\", mass = 1, inertia = 0.05, position = [0, 0], velocity = [2, 0.3], shapes.s = "
        "{type = \"sphere\", radius = 0.3}}\n"
        "bodies.b = {type = \"planar\", mass = 2.5, inertia = 0.2, position = [0.75, 0.2], velocity = [-0.5, 0], "
        "shapes.s = {type = \"sphere\", radius = 0.4}}\n");
    Vector before = run.state.u;
    int impacts = 0;
    run.run([&](const SceneRun& r) {
      const Vector& q = r.state.q;
      const Vector& u = r.state.u;
      if ((u - before).norm() > 1e-6) {
        const double x = q(3) - q(0);
        const double y = q(4) - q(1);
        const double closing = x * (before(3) - before(0)) + y * (before(4) - before(1));
        const double opening = x * (u(3) - u(0)) + y * (u(4) - u(1));
        EXPECT_NEAR(opening, -restitution * closing, 1e-10);
        EXPECT_NEAR(std::hypot(x, y), 0.7, 1e-12);  // they touch
        ++impacts;
      }
      before = u;
    });
    EXPECT_EQ(impacts, 1) << restitution;
  }
}

/// Tilted bodies in space, whose normals turn in the step: balls, capsules and a floor.
TEST(GeneralizedAlphaImpacts, SolidsInSpaceKeepTheirEnergy) {
  SceneRun run = scene_from_text(
      make_head(1.0, 5e-3, "[0, 0, 0]", "friction = 0, restitution = {normal = 1}") +
      "bodies.floor = {type = \"fixed\", shapes.s = {type = \"half-space\", normal = [0, 0.6, 0.8]}}\n"
      "bodies.ball = {mass = 0.7, inertia = [0.01, 0.01, 0.01], position = [0, 0.1, 0.5], velocity = [0.2, -0.5, -2], "
      "shapes.s = {type = \"sphere\", radius = 0.1}}\n"
      "bodies.rod = {mass = 1.3, inertia = [0.05, 0.05, 0.05], position = [0.1, 0, 1], velocity = [-0.2, 0, -1.5], "
      "angular_velocity = [3, -2, 1], shapes.s = {type = \"capsule\", radius = 0.1, length = 0.4}}\n");
  const double start = calc_kinetic_energy(run);
  int impacts = 0;
  run.run([&](const SceneRun& r) {
    EXPECT_NEAR(calc_kinetic_energy(r) / start, 1.0, 1e-9) << r.state.t;
    impacts += std::ranges::any_of(r.report.contacts, [](const ContactReport& c) { return c.percussion[0] > 1e-3; });
  });
  EXPECT_GE(impacts, 3);
}

/// The body dropped flat, at e = 0.5; how fast it turns at most.
double calc_spin(const SceneRun& r) {
  const Vector& u = r.state.u;
  return u.size() == 3 ? std::abs(u(2)) : u.tail(3).norm();
}

/// How many of 60 bodies that fall flat turn after their bounces.
int count_turned(double friction) {
  int turned = 0;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int i = 0; i < 60; ++i) {
    const bool planar = i % 2 == 0;
    const double height = 0.3 + uniform(random);
    const double x = 0.2 + uniform(random);
    const double y = 0.2 + uniform(random);
    const double step = i % 3 == 0 ? 1e-3 : 1e-3 * (1.0 + uniform(random));
    std::string text = make_head(1.2, step, planar ? "[0, -9.81]" : "[0, 0, -9.81]",
                                 "friction = " + to_text(friction) + ", restitution = {normal = 0.5}") +
                       "bodies.floor = {type = \"fixed\", shapes.s = {type = \"half-space\", normal = " +
                       (planar ? "[0, 1]" : "[0, 0, 1]") + "}}\n";
    const double half = 0.5 * y;
    if (planar) {
      const std::string hull = "{type = \"convex\", points = [" + to_text(-x, -half) + ", " + to_text(x, -half) + ", " +
                               to_text(0.7 * x, half) + ", " + to_text(-0.7 * x, half) + "]}";
      const std::string box = "{type = \"box\", size = " + to_text(x, y) + "}";
      text +=
          "bodies.plate = {type = \"planar\", density = 1000, position = " + to_text(uniform(random), half + height) +
          ", shapes.s = " + (i % 4 == 0 ? box : hull) + "}\n";
    } else {
      text += "bodies.plate = {density = 1000, position = [" + to_text(uniform(random)) + ", 0, " +
              to_text(half + height) + "], shapes.s = {type = \"box\", size = [" + to_text(x) + ", " +
              to_text(0.2 + uniform(random)) + ", " + to_text(y) + "]}}\n";
    }
    SceneRun run = scene_from_text(text);
    double spin = 0.0;
    int bounces = 0;
    run.run([&](const SceneRun& r) {
      spin = std::max(spin, calc_spin(r));
      bounces += std::ranges::any_of(r.report.contacts, [](const ContactReport& c) { return c.percussion[0] > 1.0; });
    });
    turned += spin > 1e-8 ? 1 : 0;
    EXPECT_GE(bounces, 2) << i;
  }
  return turned;
}

TEST(GeneralizedAlphaImpacts, WhatFallsFlatStaysFlat) {
  EXPECT_EQ(count_turned(0.0), 0);
  // With friction the laws allow one struck corner, too, which a step still finds now and then.
  EXPECT_LE(count_turned(0.1), 1);
  EXPECT_LE(count_turned(0.3), 1);
}

/// The parabola comes back to where it began, so that the third impact is at a gap of zero but for round-off.
TEST(GeneralizedAlphaImpacts, CornersAtARoundOffOfZeroAreHitTogether) {
  for (const std::string size : {"[1, 1]", "[0.5, 1]", "[2, 0.5]"}) {
    SceneRun run = scene_from_text(
        make_head(1.7, 1e-3, "[0, -9.81]", "restitution = {normal = 0.5}") +
        "bodies.floor = {type = \"fixed\", shapes.s = {type = \"half-space\", normal = [0, 1]}}\n"
        "bodies.plate = {type = \"planar\", density = 1000, position = [0, 2.5], shapes.s = {type = \"box\", size = " +
        size + "}}\n");
    double spin = 0.0;
    run.run([&](const SceneRun& r) { spin = std::max(spin, calc_spin(r)); });
    EXPECT_LE(spin, 1e-8) << size;
  }
}

}  // namespace
}  // namespace stickslip
