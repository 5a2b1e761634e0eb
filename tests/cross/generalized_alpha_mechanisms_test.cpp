// SPDX-License-Identifier: BSD-3-Clause
// Joints, redundant constraints and contacts, restarts under the generalized-alpha scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/solvers/solver_options.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

/// Constraints are solved to the tolerance of the step, relative to its way.
constexpr double kNoDrift = 1e-12;  // [m]

Body make_fixed(const std::string& name) {
  Body body;
  body.name = name;
  body.type = BodyType::fixed;
  return body;
}

Body make_planar(const std::string& name, double mass, double inertia) {
  Body body;
  body.name = name;
  body.type = BodyType::planar;
  body.mass = mass;
  body.inertia(2, 2) = inertia;
  return body;
}

/// A system that is stepped by hand.
struct Mechanism {
  System system;
  std::unique_ptr<ConeSolver> solver = make_solver(NsgsOptions{});
  std::unique_ptr<TimeStepper> stepper;
  State state;
  StepReport report;

  Mechanism(System s, Vector q, Vector u, const GeneralizedAlphaOptions& options) : system(std::move(s)) {
    stepper = make_generalized_alpha(options, system, *solver);
    state.q = std::move(q);
    state.u = std::move(u);
    stepper->initialize(state, report);
    EXPECT_EQ(report.status, Status::ok);
  }
  void run(double h, int n) {
    const double start = state.t;
    for (int i = 1; i <= n; ++i) {
      ASSERT_EQ(stepper->step(state, h, start + i * h, report), Status::ok)
          << "t = " << state.t << " " << report.message;
      ASSERT_LE(report.drift_position, kNoDrift);
      ASSERT_LE(report.drift_angle, kNoDrift);
    }
  }
};

JointOptions make_joint(const std::string& name, JointType type, int first, int second, const Vector3& at_first,
                        const Vector3& at_second) {
  JointOptions joint;
  joint.name = name;
  joint.type = type;
  joint.first = first;
  joint.second = second;
  joint.on_first.at = at_first;
  joint.on_second.at = at_second;
  return joint;
}

TEST(GeneralizedAlphaMechanisms, ParallelFourBarWithARedundantCrank) {
  // A platform on three parallel cranks of length L: every point of it moves as one crank's end does. Two cranks
  // fix its angle already, the third is redundant. Massless cranks as distances: theta'' = -(g / L) sin theta.
  constexpr double L = 0.5;
  const double theta0 = 1.0;
  SystemBuilder builder(true, Vector3(0, -kGravity, 0));
  const int ground = builder.add_body(make_fixed("ground"));
  const int platform = builder.add_body(make_planar("platform", 2.0, 0.3));
  for (int i = 0; i < 3; ++i) {
    const Vector3 at(static_cast<double>(i) - 1.0, 0, 0);
    JointOptions crank = make_joint("crank" + std::to_string(i), JointType::distance, ground, platform, at, at);
    crank.length = L;
    builder.add_joint(crank);
  }
  GeneralizedAlphaOptions options;
  options.rho_inf = 0.9;
  Mechanism m(builder.build(), Vector3(L * std::sin(theta0), -L * std::cos(theta0), 0), Vector3::Zero(), options);
  const double energy = m.report.kinetic_energy + m.report.potential_energy;
  m.run(1e-3, 2000);
  EXPECT_NEAR(m.state.q(2), 0.0, 1e-10);
  // Energy is kept to second order: dt^2 times some ten J/s^2.
  EXPECT_NEAR(m.report.kinetic_energy + m.report.potential_energy, energy, 1e-4);
}

TEST(GeneralizedAlphaMechanisms, SphericalPendulumOnADistanceIsOfSecondOrder) {
  // Reference: r'' = g - (g.r + v^2) r / L^2 by a Runge-Kutta method of fourth order, error below 1e-12; the force of
  // the string is m (g.r + v^2) / L.
  constexpr double L = 1.0;
  const auto run = [&](double h) {
    SystemBuilder builder(false, Vector3(0, 0, -kGravity));
    const int ground = builder.add_body(make_fixed("ground"));
    Body bob;
    bob.name = "bob";
    bob.type = BodyType::point;
    bob.mass = 1.5;
    const int ball = builder.add_body(bob);
    JointOptions string = make_joint("string", JointType::distance, ground, ball, Vector3::Zero(), Vector3::Zero());
    string.length = L;
    builder.add_joint(string);
    GeneralizedAlphaOptions options;
    options.tolerance = 1e-12;
    Mechanism m(builder.build(), Vector3(0.6, 0, -0.8), Vector3(0, 1.5, 0), options);
    m.run(h, static_cast<int>(std::lround(1.0 / h)));
    return m.state;
  };
  Vector3 r(0.6, 0, -0.8);
  Vector3 v(0, 1.5, 0);
  const Vector3 gravity(0, 0, -kGravity);
  const auto tension = [&](const Vector3& at, const Vector3& speed) { return gravity.dot(at) + speed.squaredNorm(); };
  const auto rate = [&](const Vector3& at, const Vector3& speed) { return Vector3(gravity - tension(at, speed) * at); };
  constexpr int kSteps = 10000;
  const double dt = 1.0 / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const Vector3 a1 = rate(r, v);
    const Vector3 v2 = v + 0.5 * dt * a1;
    const Vector3 a2 = rate(r + 0.5 * dt * v, v2);
    const Vector3 v3 = v + 0.5 * dt * a2;
    const Vector3 a3 = rate(r + 0.5 * dt * v2, v3);
    const Vector3 v4 = v + dt * a3;
    const Vector3 a4 = rate(r + dt * v3, v4);
    r += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  const double force = 1.5 * tension(r, v);  // [N]
  double last_q = 0.0;
  double last_u = 0.0;
  double last_lambda = 0.0;
  for (const double h : {1.0 / 256, 1.0 / 512, 1.0 / 1024}) {
    const State state = run(h);
    const double q = (state.q - r).norm();
    const double u = (state.u - v).norm();
    const double lambda = std::abs(std::abs(state.memory(6)) - force);  // after a, abar
    if (last_q > 0.0) {
      EXPECT_NEAR(std::log2(last_q / q), 2.0, 0.05);
      EXPECT_NEAR(std::log2(last_u / u), 2.0, 0.05);
      EXPECT_NEAR(std::log2(last_lambda / lambda), 2.0, 0.05);
    }
    last_q = q;
    last_u = u;
    last_lambda = lambda;
  }
}

TEST(GeneralizedAlphaMechanisms, ChaplyginSleigh) {
  // A sleigh on a plane without gravity, its blade under the centre of mass: it goes round in a circle at constant
  // speed and rate. With the blade a behind the centre: omega decays as in the closed form below.
  constexpr double a = 0.3;  // [m] centre of mass ahead of the blade
  constexpr double mass = 1.2;
  constexpr double J = 0.2;
  const double v0 = 1.0;
  const double w0 = 2.0;
  const auto run = [&](double h) {
    SystemBuilder builder(true, Vector3::Zero());
    const int ground = builder.add_body(make_fixed("ground"));
    const int sleigh = builder.add_body(make_planar("sleigh", mass, J));
    builder.add_joint(make_joint("blade", JointType::knife_edge, ground, sleigh, Vector3(-a, 0, 0), Vector3(-a, 0, 0)));
    GeneralizedAlphaOptions options;
    options.tolerance = 1e-12;
    Mechanism m(builder.build(), Vector3::Zero(), Vector3(v0, a * w0, w0), options);
    m.run(h, static_cast<int>(std::lround(1.0 / h)));
    return m.state;
  };
  // v' = a w^2, (J + m a^2) w' = -m a v w at the blade: with k^2 = m a^2 / (J + m a^2),
  // v^2 k^2 / ... the integral v^2 + (a w / k)^2 = c^2 gives v = c tanh(c k^2 t / a + s), a w / k = c / cosh(...).
  const double k = std::sqrt(mass * a * a / (J + mass * a * a));
  const double c = std::hypot(v0, a * w0 / k);
  const double s = std::atanh(v0 / c);
  const double argument = c * k * k / a + s;
  const double v = c * std::tanh(argument);
  const double w = k / a * c / std::cosh(argument);
  double last = 0.0;
  for (const double h : {1.0 / 128, 1.0 / 256, 1.0 / 512}) {
    const State state = run(h);
    const Vector3 u = state.u;
    const double along = std::cos(state.q(2)) * u(0) + std::sin(state.q(2)) * u(1);
    const double error = std::hypot(along - v, u(2) - w);
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 2.0, 0.05);
    }
    last = error;
  }
  EXPECT_LE(last, 1e-4);
}

TEST(GeneralizedAlphaMechanisms, BoxOnFourCornersSlidesAndStops) {
  test::SceneRun run = test::open_scene("box_incline_20", {"scheme.type=generalized-alpha"});
  run.run([](const test::SceneRun& r) { EXPECT_LE(r.report.penetration, 1e-11); });
  test::SceneRun slide = test::open_scene("box_incline_35", {"scheme.type=generalized-alpha"});
  slide.run([](const test::SceneRun& r) { EXPECT_LE(r.report.penetration, 1e-11); });
}

/// An arm of ten links, held out by servos with h d/I of some hundred: each step takes few passes, and at rest each
/// servo bears the weight beyond it.
TEST(GeneralizedAlphaMechanisms, StiffServosTakeFewPasses) {
  constexpr int kLinks = 10;
  constexpr double kStiffness = 1000.0;  // [N m/rad]
  constexpr double kHalf = 0.05;         // [m] of a link
  constexpr double kLinkMass = 0.1;      // [kg]
  std::string text = R"(stickslip = 1
time = {end = 2.0, step = 2e-3}
scheme = {type = "generalized-alpha"}
bodies.base.type = "fixed"
)";
  std::string parent = "base";
  for (int i = 0; i < kLinks; ++i) {
    const std::string link = "link" + std::to_string(i);
    text += "[bodies." + link + "]\nparent = \"" + parent + "\"\nposition = [" +
            std::to_string(i == 0 ? kHalf : 2.0 * kHalf) +
            ", 0, 0]\nmass = 0.1\ninertia = [1e-5, 1e-4, 1e-4]\n[joints.joint" + std::to_string(i) +
            "]\ntype = \"revolute\"\nlocal = true\naxis = [0, 1, 0]\nbetween = [\"" + parent + "\", \"" + link +
            "\"]\nat = [" + std::to_string(-kHalf) +
            ", 0, 0]\nservo = {type = \"position\", stiffness = 1000, damping = 30, target = 0}\n";
    parent = link;
  }
  test::SceneRun run = test::scene_from_text(text);
  run.run([](const test::SceneRun& r) {
    const int solves = r.state.t < 0.01 ? 3 : 1;  // of a step at most: as published, by backward Euler, as published
    EXPECT_LE(r.report.solve.iterations, 4 * solves) << r.state.t;
    EXPECT_EQ(r.report.parts, 1) << r.state.t;
  });
  const auto turn = [&](int i) {
    return i < 0 ? 0.0 : 2.0 * std::atan2(run.state.q(7 * i + 5), run.state.q(7 * i + 3));
  };
  for (int i = 0; i < kLinks; ++i) {
    const double hinge = run.state.q(7 * i) - kHalf * std::cos(turn(i));
    double moment = 0.0;
    for (int j = i; j < kLinks; ++j) moment += kLinkMass * kGravity * (run.state.q(7 * j) - hinge);
    EXPECT_NEAR(kStiffness * (turn(i) - turn(i - 1)), moment, 1e-9) << i;
  }
}

TEST(GeneralizedAlphaMechanisms, GoesOnFromACheckpointWithTheSameBits) {
  for (const char* scene : {"papers/capobianco/ball_in_corner", "papers/capobianco/tippe_top"}) {
    test::SceneRun whole = test::open_scene(scene, {"scheme.type=generalized-alpha", "time.step=1e-3", "time.end=1.5"});
    test::SceneRun second =
        test::open_scene(scene, {"scheme.type=generalized-alpha", "time.step=1e-3", "time.end=1.5"});
    for (int i = 0; i < 700; ++i) ASSERT_NE(whole.step(), Status::failed);
    second.state = state_from_bytes(to_bytes(whole.state));
    for (int i = 0; i < 700; ++i) {
      ASSERT_NE(whole.step(), Status::failed);
      ASSERT_NE(second.step(), Status::failed);
    }
    EXPECT_EQ(to_bytes(whole.state), to_bytes(second.state)) << scene;
  }
}

}  // namespace
}  // namespace stickslip
