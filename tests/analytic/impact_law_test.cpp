// SPDX-License-Identifier: BSD-3-Clause
// Impacts by Newton's, Poisson's and the energetic law, against values derived by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

/// A planar body that touches the floor with one point, at (x, y) from its centre, without gravity.
struct StruckRod {
  double mass = 1.0, inertia = 0.09;
  double x = 0.25, y = -0.4;
  double mu = 0.3, e = 0.6;
  double vx = -1.0, vy = -1.0, omega = 0.2;

  double w_nn() const { return 1.0 / mass + x * x / inertia; }
  double w_tt() const { return 1.0 / mass + y * y / inertia; }
  double w_nt() const { return -x * y / inertia; }
  double u_n() const { return vy + omega * x; }
  double u_t() const { return vx - omega * y; }

  struct Velocity {
    double x, y, omega;
  };
  Velocity after(double p_n, double p_t) const {
    return {vx + p_t / mass, vy + p_n / mass, omega + (x * p_n - y * p_t) / inertia};
  }
  double energy(const Velocity& v) const {
    return 0.5 * (mass * (v.x * v.x + v.y * v.y) + inertia * v.omega * v.omega);
  }

  SceneRun open(const char* scheme, const std::string& law) const {
    return test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0]
[time]
end = 1e-9
step = 1e-9
[scheme]
type = "{}"
[solver]
tolerance = 1e-13
[bodies.floor]
type = "fixed"
shapes.s = {{type = "half-space", normal = [0, 1]}}
[bodies.rod]
type = "planar"
mass = {}
inertia = {}
position = [0, {}]
velocity = [{}, {}]
angular_velocity = {}
shapes.tip = {{type = "point", position = [{}, {}]}}
[[contacts]]
name = "c"
between = ["floor", "rod"]
friction = {}
restitution = {{normal = {}, law = "{}"}}
)",
                                             scheme, mass, inertia, -y, vx, vy, omega, x, y, mu, e, law));
  }
};

struct Percussions {
  double n, t;
};

/// Routh's path, piece by piece: slip, then stick or slip the other way, to the end of both phases.
Percussions follow_energetic_path(const StruckRod& rod) {
  double n = 0.0;
  double t = 0.0;
  double u_n = rod.u_n();
  double u_t = rod.u_t();
  double work = 0.0;
  double of_compression = 0.0;
  bool compresses = true;
  for (int piece = 0; piece < 20; ++piece) {
    const double sticking = -rod.w_nt() / rod.w_tt();  // p_T a p_N that keeps u_T
    double ratio = u_t > 0.0 ? -rod.mu : rod.mu;
    bool slips = u_t != 0.0;
    if (!slips) {
      const bool sticks = std::abs(sticking) <= rod.mu;
      ratio = sticks ? sticking : std::copysign(rod.mu, sticking);
    }
    const double rate_n = rod.w_nn() + rod.w_nt() * ratio;
    const double rate_t = rod.w_nt() + rod.w_tt() * ratio;
    double most = slips && u_t * rate_t < 0.0 ? -u_t / rate_t : HUGE_VAL;
    bool ends = false;
    double end = 0.0;
    if (compresses) {
      end = -u_n / rate_n;
      ends = rate_n > 0.0 && end <= most;
    } else {
      const double left = -rod.e * rod.e * of_compression - work;
      end = (-u_n + std::sqrt(u_n * u_n + 2.0 * rate_n * left)) / rate_n;
      ends = end <= most;
    }
    const double by = ends ? end : most;
    work += by * (u_n + 0.5 * by * rate_n);
    u_n += by * rate_n;
    u_t = ends ? u_t + by * rate_t : 0.0;
    n += by;
    t += by * ratio;
    if (!ends) continue;
    if (!compresses) break;
    compresses = false;
    of_compression = work;
    work = 0.0;
    u_n = 0.0;
  }
  return {n, t};
}

/// Both phases of Poisson's law: friction against the slip at the end of each, bounded by its normal percussion.
Percussions calc_poisson(const StruckRod& rod) {
  // Compression: u_N = 0 at its end.
  const double det = rod.w_nn() * rod.w_tt() - rod.w_nt() * rod.w_nt();
  Percussions c = {(-rod.u_n() * rod.w_tt() + rod.u_t() * rod.w_nt()) / det,
                   (rod.u_n() * rod.w_nt() - rod.u_t() * rod.w_nn()) / det};
  if (std::abs(c.t) > rod.mu * c.n) {
    for (const double s : {1.0, -1.0}) {  // of the slip
      const double n = -rod.u_n() / (rod.w_nn() - rod.mu * s * rod.w_nt());
      const double slip = rod.u_t() + (rod.w_nt() - rod.mu * s * rod.w_tt()) * n;
      if (n > 0.0 && s * slip > 0.0) c = {n, -rod.mu * s * n};
    }
  }
  const double n = rod.e * c.n;
  const double slip = rod.u_t() + rod.w_nt() * (c.n + n) + rod.w_tt() * c.t;
  const double t = std::clamp(-slip / rod.w_tt(), -rod.mu * n, rod.mu * n);
  return {c.n + n, c.t + t};
}

void expect_after(const SceneRun& run, const StruckRod::Velocity& expected, double tolerance) {
  EXPECT_NEAR(run.state.u(0), expected.x, tolerance);
  EXPECT_NEAR(run.state.u(1), expected.y, tolerance);
  EXPECT_NEAR(run.state.u(2), expected.omega, tolerance);
}

/// Slip that goes on, that stops within the compression, within the expansion, and that turns round; blunt and steep
/// bodies.
std::vector<StruckRod> make_rods() {
  StruckRod goes_on;
  StruckRod stops = goes_on;
  stops.mu = 0.8;
  stops.vx = -0.3;
  StruckRod turns = goes_on;  // Kane's rod: friction first slows the tip down, then the rod drives it back
  turns.mu = 0.2;
  turns.vx = 0.35;
  turns.x = 0.35;
  StruckRod late = goes_on;
  late.mu = 0.9;
  late.vx = -0.9;
  late.x = -0.2;
  StruckRod rests = goes_on;
  rests.vx = rests.omega * rests.y;  // no slip before the impact
  return {goes_on, stops, turns, late, rests};
}

TEST(ImpactLaw, EnergeticFollowsThePathOfTheImpact) {
  for (const StruckRod& rod : make_rods()) {
    SCOPED_TRACE(fmt::format("mu = {}, vx = {}, x = {}", rod.mu, rod.vx, rod.x));
    const Percussions p = follow_energetic_path(rod);
    for (const char* scheme : {"moreau", "event-driven"}) {
      SCOPED_TRACE(scheme);
      SceneRun run = rod.open(scheme, "energetic");
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      expect_after(run, rod.after(p.n, p.t), 1e-7);
      EXPECT_LE(run.report.kinetic_energy, rod.energy({rod.vx, rod.vy, rod.omega}));
    }
  }
}

/// Without rebound, too: the slip on the way may turn where the end of the compression, solved at once, sticks.
TEST(ImpactLaw, EnergeticFollowsThePathWithoutRebound) {
  std::mt19937 random(11);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int k = 0; k < 200; ++k) {
    StruckRod rod;
    rod.e = 0.0;
    rod.inertia = uniform(0.02, 0.3);
    rod.x = uniform(-0.6, 0.6);
    rod.y = uniform(-0.6, -0.05);
    rod.mu = uniform(0.1, 1.5);
    rod.vx = uniform(-1.5, 1.5);
    rod.omega = uniform(-1.0, 1.0);
    if (!(rod.u_n() < -0.1)) continue;
    const Percussions p = follow_energetic_path(rod);
    for (const char* scheme : {"moreau", "event-driven"}) {
      SCOPED_TRACE(fmt::format("{} {}", k, scheme));
      SceneRun run = rod.open(scheme, "energetic");
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      expect_after(run, rod.after(p.n, p.t), 1e-7);
    }
  }
}

TEST(ImpactLaw, PoissonTakesPercussionsInTwoPhases) {
  for (const StruckRod& rod : make_rods()) {
    SCOPED_TRACE(fmt::format("mu = {}, vx = {}, x = {}", rod.mu, rod.vx, rod.x));
    const Percussions p = calc_poisson(rod);
    ASSERT_LT(rod.energy(rod.after(p.n, p.t)), rod.energy({rod.vx, rod.vy, rod.omega}));
    for (const char* scheme : {"moreau", "event-driven"}) {
      SCOPED_TRACE(scheme);
      SceneRun run = rod.open(scheme, "poisson");
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      expect_after(run, rod.after(p.n, p.t), 1e-7);
    }
  }
}

/// Balls in a row, the first of which comes with 1 m/s: (1 - 2e)/3, (1 + e)/3, (1 + e)/3.
TEST(ImpactLaw, PoissonSharesTheImpactOfThreeBalls) {
  for (const char* scheme : {"moreau", "event-driven"}) {
    for (const char* law : {"poisson", "energetic"}) {
      for (const double e : {0.0, 0.5, 1.0}) {
        SCOPED_TRACE(fmt::format("{} {} e = {}", scheme, law, e));
        std::string scene = fmt::format(
            "stickslip = 1\ngravity = [0, 0, 0]\n[time]\nend = 1e-9\nstep = 1e-9\n"
            "[scheme]\ntype = \"{}\"\n[solver]\ntolerance = 1e-13\n",
            scheme);
        for (int k = 0; k < 3; ++k) {
          scene += fmt::format(
              "[bodies.b{0}]\nmass = 2\ninertia = [1, 1, 1]\nposition = [{0}, 0, 0]\nvelocity = [{1}, 0, 0]\n"
              "shapes.s = {{type = \"sphere\", radius = 0.5}}\n",
              k, k == 0 ? 1 : 0);
        }
        for (int k = 0; k < 2; ++k) {
          scene += fmt::format(
              "[[contacts]]\nname = \"c{0}\"\nbetween = [\"b{0}\", \"b{1}\"]\n"
              "restitution = {{normal = {2}, law = \"{3}\"}}\n",
              k, k + 1, e, law);
        }
        SceneRun run = test::scene_from_text(scene);
        ASSERT_EQ(run.step(), Status::ok) << run.report.message;
        EXPECT_NEAR(run.state.u(0), (1.0 - 2.0 * e) / 3.0, 1e-9);
        EXPECT_NEAR(run.state.u(6), (1.0 + e) / 3.0, 1e-9);
        EXPECT_NEAR(run.state.u(12), (1.0 + e) / 3.0, 1e-9);
      }
    }
  }
}

/// A body on two points beside a ball, with any velocities: no impact makes energy, whatever the coefficients.
TEST(ImpactLaw, NeverMakesEnergy) {
  std::mt19937 random(7);
  const auto draw = [&random] { return 2.0 * (static_cast<double>(random()) / 4294967296.0) - 1.0; };
  for (const char* law : {"poisson", "energetic"}) {
    for (int k = 0; k < 25; ++k) {
      SceneRun run =
          test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0]
[time]
end = 1
step = 1e-9
[scheme]
type = "moreau"
[solver]
tolerance = 1e-12
[bodies.floor]
type = "fixed"
shapes.s = {{type = "half-space", normal = [0, 1]}}
[bodies.box]
type = "planar"
mass = 1
inertia = {0}
position = [0, 0.3]
shapes.a = {{type = "point", position = [-0.4, -0.3]}}
shapes.b = {{type = "point", position = [{1}, -0.3]}}
shapes.c = {{type = "sphere", position = [0.3, 0], radius = 0.2}}
[bodies.ball]
type = "planar"
mass = {2}
inertia = 0.01
position = [0.7, 0.25]
shapes.s = {{type = "sphere", radius = 0.2}}
[[contacts]]
name = "floor"
between = ["floor", "box"]
friction = {3}
restitution = {{normal = {4}, law = "{6}"}}
[[contacts]]
name = "side"
between = ["box/c", "ball"]
friction = {5}
restitution = {{normal = 1, law = "{6}"}}
)",
                                            0.1 + 0.08 * draw(), 0.2 + 0.2 * draw(), 1.0 + 0.9 * draw(),
                                            0.6 + 0.6 * draw(), 0.5 + 0.5 * draw(), 0.5 + 0.5 * draw(), law));
      for (int i = 0; i < 200; ++i) {
        run.state = run.built.initial;
        for (int row = 0; row < 6; ++row) run.state.u(row) = draw();
        const double before = run.built.system->calc_kinetic_energy(run.state.u);
        ASSERT_NE(run.step(), Status::failed) << run.report.message;
        EXPECT_LE(run.report.kinetic_energy, before * (1.0 + 1e-9));
      }
    }
  }
}

/// e of the speed of approach, under every scheme that takes restitution: fast impacts give back less.
TEST(ImpactLaw, RestitutionMayDependOnTheApproachSpeed) {
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven"}) {
    for (const double speed : {0.5, 2.0, 20.0}) {
      SCOPED_TRACE(fmt::format("{} {}", scheme, speed));
      SceneRun run = test::scene_from_text(fmt::format(R"(stickslip = 1
gravity = [0, 0, 0]
[parameters]
slow = 0.8
[time]
end = 0.02
step = 1e-3
[scheme]
type = "{}"
[bodies.floor]
type = "fixed"
shapes.s = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.ball]
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, {}]
velocity = [0, 0, {}]
shapes.s = {{type = "sphere", radius = 0.5}}
[[contacts]]
name = "c"
between = ["floor", "ball"]
restitution = {{normal = "slow - v / 10"}}
)",
                                                       scheme, 0.5 + 0.0101 * speed, -speed));
      run.run();
      EXPECT_NEAR(run.state.u(2), std::max(0.0, 0.8 - speed / 10.0) * speed, 1e-6 * speed);
    }
  }
}

TEST(ImpactLaw, IsRefusedWhereASchemeHasNone) {
  const auto key_of = [](const char* scheme, const char* law) -> std::string {
    try {
      StruckRod().open(scheme, law);
      return {};
    } catch (const InputError& error) {
      return error.key();
    }
  };
  EXPECT_EQ(key_of("ccp", "poisson"), "scheme.type");
  EXPECT_EQ(key_of("generalized-alpha", "energetic"), "scheme.type");
  EXPECT_EQ(key_of("moreau", "hertz"), "contacts.c.restitution.law");
  EXPECT_EQ(key_of("moreau", "poisson\", tangential = \"=0.5"), "contacts.c.restitution.tangential");
}

}  // namespace
}  // namespace stickslip
