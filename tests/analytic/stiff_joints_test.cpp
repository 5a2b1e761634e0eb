// SPDX-License-Identifier: BSD-3-Clause
// Springs and dampers of joints that are too stiff for the step, under the schemes on velocities: what a step makes of
// them, and how it is booked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

constexpr double kJointStep = 1e-3;  // [s]

std::string digits(double x) {
  return fmt::format("{}", x);
}

SceneRun open_stiff_joint(const std::string& scheme, const std::string& text, double end) {
  return test::scene_from_text("stickslip = 1\nscheme = {type = \"" + scheme +
                               "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " + digits(end) +
                               ", step = " + digits(kJointStep) + "}\n" + text);
}

class StiffJoints : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end) { return open_stiff_joint(GetParam(), text, end); }
};

/// A body on a joint through its centre, that moves without other forces.
std::string make_wheel(const std::string& joint) {
  return R"toml(
gravity = [0, 0, 0]
[bodies.ground]
type = "fixed"
[bodies.wheel]
mass = 2
inertia = [0.5, 0.5, 0.5]
velocity = [0, 0, 3]
angular_velocity = [0, 0, 4]
[joints.j]
between = ["ground", "wheel"]
at = [0, 0, 0]
)toml" + joint;
}

/// What a damper leaves of a velocity in a step is 1 / (1 + h c / m) of it, and the work is all that is lost.
TEST_P(StiffJoints, ADamperLeavesTheFactorOfImplicitEuler) {
  struct Case {
    std::string joint;
    int row;
    double mass;
  };
  for (const Case& k :
       {Case{"type = \"revolute\"\naxis = [0, 0, 1]\n", 5, 0.5},
        Case{"type = \"prismatic\"\naxis = [0, 0, 1]\n", 2, 2.0}, Case{"type = \"spherical\"\n", 5, 0.5}}) {
    for (const double share : {2.0, 1e2, 1e4}) {
      const double c = share * k.mass / kJointStep;
      std::string text = make_wheel(k.joint + "spring = {damping = " + digits(c) + "}\n");
      const std::string unwanted = k.row == 2 ? "angular_velocity = [0, 0, 4]\n" : "velocity = [0, 0, 3]\n";
      text.erase(text.find(unwanted), unwanted.size());
      SceneRun run = open(text, 4 * kJointStep);
      double v = run.state.u(k.row);
      const double start_energy = 0.5 * k.mass * v * v;
      EXPECT_GT(v, 0.0);
      run.run([&](const SceneRun& at) {
        const double round_off = 1e-15 * v;
        v /= 1.0 + share;
        EXPECT_NEAR(at.state.u(k.row), v, round_off) << k.joint << share;
        const JointReport& joint = at.report.joints[0];
        const Vector3 action = k.row == 2 ? joint.reaction_force : joint.reaction_torque;
        EXPECT_NEAR(action(2), -c * v, c * round_off) << k.joint << share;
        EXPECT_EQ(joint.effort, 0.0);
        if (k.joint.find("spherical") == std::string::npos) {
          EXPECT_NEAR(joint.drive, -c * v, c * round_off) << k.joint << share;
        }
        EXPECT_NEAR(at.report.energy_error, 0.0, 1e-15 * share * start_energy) << k.joint << share;
      });
    }
  }
}

/// A hundred links in a row, each turning on the one before against a damper.
TEST_P(StiffJoints, AChainOfDampersIsThatOfADenseSolve) {
  constexpr int kLinks = 100;
  constexpr double kMass = 1.0;
  constexpr double kInertia = 0.1;
  constexpr double kDamping = 5e3;  // h c / I = 50
  std::string text = "gravity = [0, " + digits(-kGravity) + "]\n[bodies.l0]\ntype = \"fixed\"\n";
  double joint_speed = 0.0;
  for (int i = 1; i <= kLinks; ++i) {
    const double omega = std::sin(0.3 * i);
    const std::string name = "l" + std::to_string(i);
    text += "[bodies." + name + "]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\nposition = [" + digits(i - 0.5) +
            ", 0]\nvelocity = [0, " + digits(joint_speed + 0.5 * omega) + "]\nangular_velocity = " + digits(omega) +
            "\n[joints.j" + std::to_string(i) + "]\ntype = \"revolute\"\nbetween = [\"l" + std::to_string(i - 1) +
            "\", \"" + name + "\"]\nat = [" + digits(i - 1.0) + ", 0]\nspring = {damping = " + digits(kDamping) + "}\n";
    joint_speed += omega;
  }
  SceneRun run = open(text, kJointStep);
  const System& system = *run.built.system;
  const State start = run.state;

  using Real = long double;
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const int n = system.n_u();
  const auto at = [](int link) { return 3 * (link - 1); };
  Dense matrix = Dense::Zero(n + 2 * kLinks, n + 2 * kLinks);
  Eigen::Matrix<Real, Eigen::Dynamic, 1> right = Dense::Zero(n + 2 * kLinks, 1);
  for (int i = 1; i <= kLinks; ++i) {
    matrix.diagonal().segment(at(i), 3) << kMass, kMass, kInertia;
    right.segment(at(i), 3) << kMass * start.u(at(i)), kMass * (start.u(at(i) + 1) - kJointStep * kGravity),
        kInertia * start.u(at(i) + 2);
  }
  for (int i = 1; i <= kLinks; ++i) {
    for (const int a : {i - 1, i}) {
      for (const int b : {i - 1, i}) {
        if (a > 0 && b > 0)
          matrix(at(a) + 2, at(b) + 2) += (a == b ? 1 : -1) * static_cast<Real>(kJointStep * kDamping);
      }
    }
    RowMatrix J(2, 3);
    for (const int a : {i - 1, i}) {
      if (a == 0) continue;
      system.calc_joint_jacobian(i - 1, start.t, start.q, a == i ? 1 : 0, J);
      matrix.block(n + 2 * (i - 1), at(a), 2, 3) = J.cast<Real>();
      matrix.block(at(a), n + 2 * (i - 1), 3, 2) = -J.transpose().cast<Real>();
    }
  }
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> solved = matrix.partialPivLu().solve(right);
  run.run();
  const double scale = start.u.lpNorm<Eigen::Infinity>();
  for (int row = 0; row < n; ++row)
    EXPECT_NEAR(run.state.u(row), static_cast<double>(solved(row)), 1e-12 * scale) << row;
}

/// Two bodies on a slide that turns, between which a spring acts: what is reported of each is what moved it.
TEST_P(StiffJoints, ReactionsBalanceTheMomentumOfEachBody) {
  SceneRun run = open(R"toml(
gravity = [0, 0, -9.81]
[bodies.one]
mass = 1
inertia = [0.1, 0.12, 0.15]
angular_velocity = [0.2, 0.5, 2]
[bodies.two]
mass = 3
inertia = [0.2, 0.2, 0.3]
position = [1, 0, 0.2]
velocity = [0.5, 2, 0]
[joints.slide]
type = "prismatic"
between = ["one", "two"]
at = [0.5, 0, 0]
axis = [1, 0.3, 0]
spring = {stiffness = 4e6, damping = 3e3, rest = -0.01}
)toml",
                      0.1);
  Vector before;
  double largest = 0.0;
  before = run.state.u;
  bool is_first = true;  // joints make the velocities of the scene fit at its start
  run.run([&](const SceneRun& at) {
    const JointReport& joint = at.report.joints[0];
    for (int b = 0; b < 2; ++b) {
      const Vector3 gained = (b == 0 ? 1.0 : 3.0) * (at.state.u - before).segment<3>(6 * b);
      const Vector3 given = (b == 0 ? -kJointStep : kJointStep) * joint.reaction_force + at.report.applied_impulse[b];
      if (!is_first) {
        EXPECT_LT((gained - given).norm(), 1e-11) << at.state.t;
      }
    }
    largest = std::max(largest, std::abs(joint.drive));
    EXPECT_EQ(joint.effort, 0.0);
    is_first = false;
    before = at.state.u;
  });
  EXPECT_GT(largest, 10.0);
}

/// A cart on a spring to a hand that moves, and that a load holds back: once they move alike, the hand's work is what
/// the load takes.
TEST_P(StiffJoints, AHandThatPullsBySpringPutsInItsWork) {
  SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.hand]
type = "moving"
position = ["3*t", 0]
[bodies.cart]
type = "planar"
mass = 1
inertia = 0.1
velocity = [3, 0]
[joints.slide]
type = "prismatic"
between = ["hand", "cart"]
at = [0, 0]
axis = [1, 0]
spring = {stiffness = 1e7, damping = 1e4}
[forces.load]
type = "load"
body = "cart"
force = [-5, 0]
)toml",
                      0.5);
  double at_rest = 0.0;
  run.run([&](const SceneRun& at) {
    if (at.state.t < 0.1) at_rest = at.report.energy_error;
    if (at.state.t >= 0.05) {
      EXPECT_NEAR(at.report.joints[0].coordinate, -5e-7, 1e-13);
    }
  });
  EXPECT_NEAR(run.state.u(0), 3.0, 1e-11);
  EXPECT_NEAR(run.report.joints[0].drive, 5.0, 1e-8);
  EXPECT_NEAR(run.report.energy_error, at_rest, 1e-9);
}

/// A damper beside a servo, a spring between bodies beside that of a joint: a step has them all at its end.
TEST_P(StiffJoints, ForcesAlongOneCoordinateAddUp) {
  constexpr double kMass = 2.0;
  const auto slide = [](const std::string& joint) {
    return R"toml(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 2
inertia = 0.1
velocity = [0.5, 0]
[joints.slide]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0]
axis = [1, 0]
)toml" + joint;
  };
  struct Case {
    std::string text;
    double servo_stiffness, servo_damping, limit, stiffness, damping;
  };
  const double none = std::numeric_limits<double>::infinity();
  const std::string servo = "servo = {type = \"position\", stiffness = 4e6, damping = 3e3, target = 0.01";
  const std::string between =
      "[forces.spring]\ntype = \"spring\"\nbetween = [\"ground\", \"cart\"]\nat_a = [-1, 0]\nrest = 1\n";
  for (const Case& k : {
           Case{servo + "}\nspring = {damping = 5e4}\n", 4e6, 3e3, none, 0.0, 5e4},
           Case{servo + ", limit = 300}\nspring = {damping = 5e4}\n", 4e6, 3e3, 300.0, 0.0, 5e4},
           Case{servo + "}\nspring = {stiffness = 8e6, damping = 5e4}\n", 4e6, 3e3, none, 8e6, 5e4},
           Case{"spring = {stiffness = 3e6, damping = 2e4}\n" + between + "stiffness = 5e6\ndamping = 3e4\n", 0.0, 0.0,
                none, 8e6, 5e4},
       }) {
    SceneRun run = open(slide(k.text), 20 * kJointStep);
    double x = 0.0;
    double v = 0.5;
    run.run([&](const SceneRun& at) {
      const double passive = kJointStep * (k.damping + kJointStep * k.stiffness);
      const double gain = kJointStep * (k.servo_damping + kJointStep * k.servo_stiffness);
      const double pull = kJointStep * (k.servo_stiffness * (0.01 - x) - k.stiffness * x);
      double next = (kMass * v + pull) / (kMass + passive + gain);
      double effort = k.servo_stiffness * (0.01 - x - kJointStep * next) - k.servo_damping * next;
      if (std::abs(effort) > k.limit) {
        effort = std::copysign(k.limit, effort);
        next = (kMass * v + kJointStep * (effort - k.stiffness * x)) / (kMass + passive);
      }
      v = next;
      x += kJointStep * v;
      EXPECT_NEAR(at.state.u(0), v, 1e-13) << k.text;
      EXPECT_NEAR(at.report.joints[0].effort, effort, 1e-9 * 4e4) << k.text;
      if (k.servo_stiffness > 0.0) {
        EXPECT_NEAR(at.report.joints[0].drive, effort - k.stiffness * x - k.damping * v, 1e-9 * 4e4) << k.text;
      }
    });
  }
}

/// A weight on a stiff slide strikes the floor: the impact itself knows no spring, and the step has it once.
TEST(StiffJointsInImpacts, TheSpringActsInTheStepAlone) {
  for (const std::string law : {"newton", "poisson", "energetic"}) {
    const double k = 5e6;
    SceneRun run = open_stiff_joint(
        "moreau",
        "gravity = [0, 0]\n[bodies.floor]\ntype = \"fixed\"\nshapes.s = {type = \"half-space\", normal = "
        "[0, 1]}\n[bodies.weight]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\nvelocity = [0, -2]\n"
        "shapes.tip = {type = \"point\"}\n[joints.slide]\ntype = \"prismatic\"\nbetween = [\"floor\", "
        "\"weight\"]\nat = [0, 0]\naxis = [0, 1]\nspring = {stiffness = " +
            digits(k) + "}\n[[contacts]]\nname = \"c\"\nbetween = [\"floor\", \"weight\"]\n" +
            "friction = 0\nrestitution = {normal = 0.5, law = \"" + law + "\"}\n",
        kJointStep);
    run.run();
    const double v = law == "newton" ? 1.0 : 1.0 / (1.0 + kJointStep * kJointStep * k);
    EXPECT_NEAR(run.state.u(1), v, 1e-12) << law;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, StiffJoints, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

}  // namespace
}  // namespace stickslip
