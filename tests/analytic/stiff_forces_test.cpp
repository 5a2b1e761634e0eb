// SPDX-License-Identifier: BSD-3-Clause
// Springs, dampers and beams of any stiffness under the schemes on velocities: statics, energy, and what a damper
// leaves.
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

class StiffForces : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end, double h) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam()
          << "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

constexpr double kStep = 1e-3;  // [s]

/// A weight of 1 kg on a slide over the ground, from `start` [m], with velocity v along it.
std::string make_slide(double k, double c, double start, double v) {
  std::ostringstream text;
  text.precision(17);
  text << "[bodies.ground]\ntype = \"fixed\"\n[bodies.weight]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [0, 0, "
       << start << "]\nvelocity = [0, 0, " << v << "]\n[joints.slide]\ntype = \"prismatic\"\n"
       << "between = [\"ground\", \"weight\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nspring = {stiffness = " << k
       << ", damping = " << c << ", rest = " << start << "}\n";
  return text.str();
}

/// The discrete law of a step by itself: (1 + h c + h^2 k) v' = v - h (k x + g), x' = x + h v', per unit of mass.
TEST_P(StiffForces, AJointSpringFollowsItsDiscreteLaw) {
  for (const double k : {1e8, 1e10, 1e12}) {  // h^2 k/m from 100 to 1e6
    for (const double c : {0.0, 1e4, 1e7}) {  // h c/m up to 1e4
      SceneRun run = open(make_slide(k, c, 0.0, 0.0), 0.1, kStep);
      double x = 0.0;
      double v = 0.0;
      run.run([&](const SceneRun& r) {
        v = (v - kStep * (k * x + kGravity)) / (1.0 + kStep * c + kStep * kStep * k);
        x += kStep * v;
        EXPECT_NEAR(r.state.u(2), v, 1e-9 * kGravity * kStep) << k << ", " << c;
      });
      if (c == 0.0) {
        EXPECT_NEAR(k * run.state.q(2), -kGravity, 1e-9 * kGravity) << k;
      }
    }
  }
}

/// From where weight and spring balance nothing moves.
TEST_P(StiffForces, BalancedWeightsStay) {
  for (const double k : {1e3, 1e6, 1e9, 1e12}) {
    std::ostringstream text;
    text.precision(17);
    text << "gravity = [0, -9.81]\n[bodies.ceiling]\ntype = \"fixed\"\nposition = [0, 1]\n[bodies.weight]\n"
         << "type = \"planar\"\nmass = 1\ninertia = 0.1\nposition = [0, " << -kGravity / k << "]\n"
         << "[forces.spring]\ntype = \"spring\"\nbetween = [\"ceiling\", \"weight\"]\nstiffness = " << k
         << "\ndamping = 1e4\nrest = 1\n";
    SceneRun run = open(text.str(), 0.5, kStep);
    run.run();
    EXPECT_NEAR(k * run.state.q(1), -kGravity, 1e-9 * kGravity + 1e-15 * k) << k;
    EXPECT_LT(run.state.u.norm(), 1e-9) << k;
  }
}

/// Two free bodies that a spring holds, off their centres, and that turn: no energy comes of it, momentum stays.
TEST_P(StiffForces, FreeBodiesGainNoEnergy) {
  for (const double k : {2e6, 1e9, 1e12}) {
    for (const double c : {0.0, 1e3, 1e7}) {
      std::ostringstream text;
      text.precision(17);
      text << "gravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = [0.1, 0.2, 0.25]\nvelocity = [0, 1, 0]\n"
           << "angular_velocity = [0.3, 0.5, -0.4]\n[bodies.b]\nmass = 2\ninertia = [0.3, 0.2, 0.2]\n"
           << "position = [2, 0, 0]\nvelocity = [0, -0.5, 0.2]\n[forces.spring]\ntype = \"spring\"\n"
           << "between = [\"a\", \"b\"]\nat_a = [0.5, 0, 0]\nat_b = [-0.5, 0, 0]\nstiffness = " << k
           << "\ndamping = " << c << "\nrest = 1\n";
      SceneRun run = open(text.str(), 1.0, kStep);
      const double before = run.report.kinetic_energy + run.report.potential_energy;
      double highest = 0.0;
      run.run(
          [&](const SceneRun& r) { highest = std::max(highest, r.report.kinetic_energy + r.report.potential_energy); });
      // A spring that turns by phi a step is taken to be phi^2 / 8 of its length shorter than it is: k/2 (phi^2 l /
      // 8)^2.
      EXPECT_LT(highest, (k < 1e12 ? 1.001 : 1.05) * before) << k << ", " << c;
      EXPECT_NEAR(run.state.u(0) + 2.0 * run.state.u(6), 0.0, 1e-11);
      EXPECT_NEAR(run.state.u(1) + 2.0 * run.state.u(7), 0.0, 1e-11);
      EXPECT_NEAR(run.state.u(2) + 2.0 * run.state.u(8), 0.4, 1e-11);
    }
  }
}

/// A servo: k/c of its angle is left a second, whatever damping is in units of the inertia.
TEST_P(StiffForces, AServoComesToItsAngle) {
  SceneRun run = open(R"toml(
gravity = [0, 0, 0]
[bodies.ground]
type = "fixed"
[bodies.link]
mass = 0.2
inertia = [1e-3, 1e-3, 1e-3]
position = [0.05, 0, 0]
[joints.hinge]
type = "revolute"
between = ["ground", "link"]
at = [0, 0, 0]
axis = [0, 1, 0]
spring = {stiffness = 400, damping = 16, rest = 0.2}
)toml",
                      1.0, kStep);
  run.run();
  EXPECT_NEAR(run.report.joints[0].coordinate, 0.2, 1e-9);
  EXPECT_LT(run.state.u.norm(), 1e-9);
}

/// A stack of weights on springs over a floor: the floor carries them all, and their springs the weight above.
TEST_P(StiffForces, AStackOnSpringsRestsOnTheFloor) {
  SceneRun run = open(R"toml(
gravity = [0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[bodies.low]
type = "point"
mass = 1
position = [0, 0]
shapes.tip = {type = "point"}
[bodies.high]
type = "point"
mass = 3
position = [0, 1]
[bodies.free]
type = "point"
mass = 3
position = [1, 0]
[forces.spring]
type = "spring"
between = ["low", "high"]
stiffness = 1e10
damping = 1e6
rest = 1
[[contacts]]
name = "foot"
between = ["floor", "low"]
friction = 0.5
)toml",
                      0.2, kStep);
  run.run();
  EXPECT_NEAR(run.report.contacts[0].force[0], 4.0 * kGravity, 1e-8 * kGravity);
  EXPECT_NEAR(1e10 * (1.0 - run.state.q(3) + run.state.q(1)), 3.0 * kGravity, 1e-5 * kGravity);  // 1e-16 m of round-off
  EXPECT_NEAR(run.state.q(5), -0.5 * kGravity * 0.04, 0.5 * kGravity * 0.2 * kStep * 1.01);
}

/// A cantilever under a load that grows: P L^3 / (3 E I) as long as it is small, then it rests on a stop.
TEST_P(StiffForces, ABeamBendsOntoAStop) {
  const auto beam = [](double load, double stop) {
    std::ostringstream text;
    text.precision(17);
    text << "gravity = [0, 0]\n[bodies.wall]\ntype = \"fixed\"\nshapes.stop = {type = \"half-space\", normal = [0, 1], "
         << "offset = " << -stop << "}\n[bodies.beam]\ntype = \"beam\"\nlength = 1\naxial_stiffness = 1e5\n"
         << "bending_stiffness = 10\nline_density = 1\nelements = 8\ndirection = [1, 0]\n"
         << "shapes.tip = {type = \"point\", at = 1}\n[joints.clamp]\ntype = \"weld\"\nbetween = [\"wall\", \"beam\"]\n"
         << "at_parameter = 0\n[forces.tip]\ntype = \"load\"\nbody = \"beam\"\nat_parameter = 1\nforce = [0, \"-"
         << load << "*min(1, t/3)\"]\n[[contacts]]\nname = \"stop\"\nbetween = [\"wall\", \"beam\"]\nfriction = 0\n";
    return text.str();
  };
  SceneRun run = open(beam(3.0, 0.04), 4.0, 4e-3);
  run.run();
  // The force on the stop: what is not needed to bend the beam by .04 m, 3 E I w / L^3 = 1.2 N.
  EXPECT_NEAR(run.report.contacts[0].force[0], 1.8, 2e-3 * 1.8);
  SceneRun free = open(beam(1.2, 0.5), 15.0, 2e-2);  // which damps what it swings by after the load has grown
  free.run();
  EXPECT_NEAR(free.state.q(free.state.q.size() - 1), -0.04, 2e-3 * 0.04);
}

INSTANTIATE_TEST_SUITE_P(Schemes, StiffForces, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

}  // namespace
}  // namespace stickslip
