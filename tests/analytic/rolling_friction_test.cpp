// SPDX-License-Identifier: BSD-3-Clause
// Moments against rolling and spinning, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

struct MomentScheme {
  const char* scheme;
  const char* solver;
};
constexpr MomentScheme kMomentSchemes[] = {
    {"type = \"moreau\"", "nsgs"},
    {"type = \"ccp\"\nlaw = \"coulomb\"", "nsgs"},
    {"type = \"stewart-trinkle\"", "nsgs"},
    {"type = \"moreau\"", "auto"},
    {"type = \"moreau\"", "prox"},
    {"type = \"moreau\"", "newton-ac"},
    {"type = \"moreau\"", "lemke"},
    {"type = \"stewart-trinkle\"\nfacets = 4", "lemke"},
    {"type = \"generalized-alpha\"", "nsgs"},
    {"type = \"generalized-alpha\"\nrho_inf = 0.5", "auto"},
    {"type = \"generalized-alpha\"\nfriction = \"second-order\"", "nsgs"},
    {"type = \"generalized-alpha\"\nstrategy = \"fixed-point\"", "nsgs"},
};

std::string moment_head(const MomentScheme& with, double end) {
  return fmt::format(
      "stickslip = 1\n[time]\nend = {}\nstep = 1e-3\n[scheme]\n{}\n[solver]\ntype = \"{}\"\ntolerance = 1e-11\n", end,
      with.scheme, with.solver);
}

/// A ball of radius R [m] on a floor; u = (v, omega).
std::string ball_with_moments(const std::string& head, double radius, const std::string& law, double v,
                              const std::string& more = "") {
  return head + fmt::format(R"(
[bodies.floor]
type = "fixed"
shapes.s = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.ball]
mass = 3
position = [0, 0, {0}]
inertia = [{1}, {1}, {1}]
velocity = [{2}, 0, 0]
angular_velocity = [0, {3}, 0]
shapes.s = {{type = "sphere", radius = {0}}}
{5}
[[contacts]]
name = "c"
between = ["floor", "ball"]
friction = 0.5
{4}
)",
                            radius, 0.4 * 3 * radius * radius, v, v / radius, law, more);
}

/// A sphere that rolls decelerates by 5/7 g rolling/R, in each step by as much, and stops.
TEST(RollingMoment, SlowsASphereDownAndStopsIt) {
  for (const MomentScheme& with : kMomentSchemes) {
    for (const double radius : {1.0, 0.02}) {
      SCOPED_TRACE(fmt::format("{} {} R = {}", with.scheme, with.solver, radius));
      const double rolling = 0.05 * radius;
      const double deceleration = 5.0 / 7.0 * kGravity * 0.05;
      const double v = 0.05;
      SceneRun run = test::scene_from_text(
          ball_with_moments(moment_head(with, 0.2), radius, fmt::format("rolling = {}", rolling), v));
      run.run([&](const SceneRun& r) {
        const double left = std::max(0.0, v - deceleration * r.state.t);
        EXPECT_NEAR(r.state.u(0), left, 1e-9) << "t = " << r.state.t;
        EXPECT_NEAR(r.state.u(4), left / radius, 1e-7 / radius);
        if (left > 0.0) {
          EXPECT_NEAR(r.report.contacts[0].moment(1), -rolling * 3 * kGravity * 1e-3, 1e-8);
        }
      });
    }
  }
}

/// Under the associated law what turns is borne at a gap of h rolling |omega|, which falls evenly: after the steps that
/// open it the deceleration is the same.
TEST(RollingMoment, IsTheSameUnderTheAssociatedLaw) {
  SceneRun run = test::scene_from_text(ball_with_moments(
      moment_head({"type = \"ccp\"\nlaw = \"associated\"", "nsgs"}, 0.1), 1.0, "rolling = 0.05", 0.5));
  double before = 0.5;
  run.run([&](const SceneRun& r) {
    if (r.state.step > 10) {
      EXPECT_NEAR(before - r.state.u(0), 5.0 / 7.0 * kGravity * 0.05 * 1e-3, 1e-9);
    }
    before = r.state.u(0);
  });
}

/// The same speed off the axes of the tangents: the moment opposes the turning, whatever its direction, and nothing
/// turns it.
TEST(RollingMoment, OpposesTurningInEveryDirection) {
  const double angle = 0.7;
  const std::string head = moment_head(kMomentSchemes[0], 0.05);
  std::string scene = ball_with_moments(head, 0.5, "rolling = {radius = 0.02}", 0.0);
  const auto put = [&](const std::string& from, const std::string& to) {
    scene.replace(scene.find(from), from.size(), to);
  };
  put("velocity = [0, 0, 0]", fmt::format("velocity = [{}, {}, 0]", std::cos(angle), std::sin(angle)));
  put("angular_velocity = [0, 0, 0]",
      fmt::format("angular_velocity = [{}, {}, 0]", -2.0 * std::sin(angle), 2.0 * std::cos(angle)));
  SceneRun run = test::scene_from_text(scene);
  run.run([&](const SceneRun& r) {
    const double left = 1.0 - 5.0 / 7.0 * kGravity * 0.04 * r.state.t;
    EXPECT_NEAR(r.state.u(0), left * std::cos(angle), 1e-9);
    EXPECT_NEAR(r.state.u(1), left * std::sin(angle), 1e-9);
  });
}

/// On a slope a sphere rests for tan < rolling/R, exactly, and rolls down by 5/7 g (sin - cos rolling/R) above.
TEST(RollingMoment, HoldsASphereOnASlope) {
  for (const MomentScheme& with : kMomentSchemes) {
    SCOPED_TRACE(fmt::format("{} {}", with.scheme, with.solver));
    for (const double ratio : {0.999, 1.001}) {
      const double slope = std::atan(0.05 * ratio);
      std::string scene = ball_with_moments(moment_head(with, 0.02), 0.2, "rolling = 0.01", 0.0);
      scene.insert(scene.find('\n') + 1,
                   fmt::format("gravity = [{}, 0, {}]\n", kGravity * std::sin(slope), -kGravity * std::cos(slope)));
      SceneRun run = test::scene_from_text(scene);
      run.run();
      const double a = 5.0 / 7.0 * kGravity * (std::sin(slope) - std::cos(slope) * 0.05);
      if (ratio < 1.0) {
        EXPECT_LE(run.state.u.cwiseAbs().maxCoeff(), 1e-11);
      } else {
        EXPECT_NEAR(run.state.u(0), a * 0.02, 1e-9);
      }
    }
  }
}

/// A sphere that starts sliding turns faster and faster by mu - rolling/R, until it rolls; rolling friction, which
/// holds it at first, slows it down from there on.
TEST(RollingMoment, ActsWhileASphereSlides) {
  for (const MomentScheme& with : kMomentSchemes) {
    SCOPED_TRACE(fmt::format("{} {}", with.scheme, with.solver));
    constexpr double kRadius = 0.5;
    constexpr double kRatio = 0.04;  // rolling / R
    std::string scene = ball_with_moments(moment_head(with, 0.1), kRadius, "rolling = 0.02", 1.0);
    const std::string turning = "angular_velocity = [0, 2, 0]";
    scene.replace(scene.find(turning), turning.size(), "angular_velocity = [0, 0, 0]");
    SceneRun run = test::scene_from_text(scene);
    const double gain = 2.5 * (0.5 - kRatio) * kGravity;  // [m/s^2] of R omega
    const double rolls = 1.0 / (0.5 * kGravity + gain);   // [s] from when on
    run.run([&](const SceneRun& r) {
      const double t = r.state.t;
      const bool slides = t < rolls;
      const double v = slides ? 1.0 - 0.5 * kGravity * t
                              : 1.0 - 0.5 * kGravity * rolls - 5.0 / 7.0 * kGravity * kRatio * (t - rolls);
      const double off = slides ? 1e-8 : 1e-6;
      EXPECT_NEAR(r.state.u(0), v, off) << "t = " << t;
      EXPECT_NEAR(kRadius * r.state.u(4), slides ? gain * t : v, off);
    });
  }
}

/// Discs with rolling friction that fall on a heap, under the scheme whose laws are on three levels: each step is
/// solved, friction takes energy only, and at last nothing rolls.
TEST(RollingMoment, SettlesAHeapUnderGeneralizedAlpha) {
  SceneRun run = test::scene_from_text(R"(stickslip = 1
gravity = [0, -9.81]
[time]
end = 1.2
step = 1e-3
[scheme]
type = "generalized-alpha"
[bodies.box]
type = "fixed"
shapes.a = {type = "half-space", normal = [0, 1]}
shapes.b = {type = "half-space", normal = [1, 0], position = [-0.25, 0]}
shapes.c = {type = "half-space", normal = [-1, 0], position = [0.25, 0]}
[[fill]]
prefix = "disc"
random = {count = 8, box = [[-0.25, 0.1], [0.25, 0.9]]}
body = {type = "planar", density = 1000, shapes.s = {type = "sphere", radius = 0.06}}
[contact_default]
friction = 0.5
rolling = 0.01
)");
  const double start = run.built.system->calc_potential_energy(0.0, run.state.q);
  run.run();
  EXPECT_LE(run.state.u.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT(run.state.energy.dissipated, 0.3 * start);
}

/// A ball that spins on the spot loses spinning m g / J of its spin a second; rolling does not slow it down.
TEST(SpinningMoment, SlowsDownTheTurningAboutTheNormal) {
  for (const MomentScheme& with : kMomentSchemes) {
    SCOPED_TRACE(fmt::format("{} {}", with.scheme, with.solver));
    std::string scene = ball_with_moments(moment_head(with, 0.1), 0.5, "spinning = 0.004\nrolling = 0.03", 0.0);
    const std::string still = "angular_velocity = [0, 0, 0]";
    scene.replace(scene.find(still), still.size(), "angular_velocity = [0, 0, 0.02]");
    SceneRun run = test::scene_from_text(scene);
    run.run([&](const SceneRun& r) {
      const double left = std::max(0.0, 0.02 - 0.004 * 3 * kGravity / (0.4 * 3 * 0.25) * r.state.t);
      EXPECT_NEAR(r.state.u(5), left, 1e-7);
      EXPECT_LE(r.state.u.head(5).cwiseAbs().maxCoeff(), 1e-9);
    });
  }
}

/// A disc in the plane, of inertia m R^2 / 2: 2/3 g rolling/R, and all contacts detected.
TEST(RollingMoment, SlowsDownADiscInThePlane) {
  for (const auto& with : {std::pair("moreau", false), std::pair("moreau", true), std::pair("relaxation", true),
                           std::pair("generalized-alpha", false), std::pair("generalized-alpha", true)}) {
    const std::string scheme = with.first;
    const bool detected = with.second;
    SCOPED_TRACE(fmt::format("{} {}", scheme, detected));
    const std::string law =
        detected ? "[contact_default]\n" : "[[contacts]]\nname = \"c\"\nbetween = [\"floor\", \"disc\"]\n";
    SceneRun run = test::scene_from_text(R"(stickslip = 1
gravity = [0, -9.81]
[time]
end = 0.3
step = 1e-3
[solver]
tolerance = 1e-11
[bodies.floor]
type = "fixed"
shapes.s = {type = "half-space", normal = [0, 1]}
[bodies.disc]
type = "planar"
mass = 2
position = [0, 0.1]
inertia = 0.01
velocity = [0.1, 0]
angular_velocity = -1
shapes.s = {type = "sphere", radius = 0.1}
)" + law + "friction = 0.5\nrolling = 0.01\n[scheme]\ntype = \"" +
                                         scheme + "\"\n");
    run.run([&](const SceneRun& r) {
      const double left = std::max(0.0, 0.1 - 2.0 / 3.0 * kGravity * 0.1 * r.state.t);
      EXPECT_NEAR(r.state.u(0), left, scheme != "relaxation" || left > 1e-3 ? 1e-9 : 1e-3);
    });
  }
}

/// Two balls that roll on each other: the moment acts on both, about the point that they share.
TEST(RollingMoment, ActsOnBothBodies) {
  SceneRun run = test::scene_from_text(R"(stickslip = 1
gravity = [0, 0, 0]
[time]
end = 0.1
step = 1e-3
[solver]
tolerance = 1e-11
[bodies.a]
mass = 1
position = [0, 0, 0]
inertia = [0.4, 0.4, 0.4]
angular_velocity = [0, 0.5, 0]
shapes.s = {type = "sphere", radius = 1}
[bodies.b]
mass = 1
position = [0, 0, 2]
inertia = [0.4, 0.4, 0.4]
shapes.s = {type = "sphere", radius = 1}
angular_velocity = [0, -0.5, 0]
[forces.press_a]
type = "load"
body = "a"
force = [0, 0, 5]
[forces.press_b]
type = "load"
body = "b"
force = [0, 0, -5]
[[contacts]]
name = "c"
between = ["a", "b"]
friction = 0.5
rolling = 0.02
spinning = 0.01
)");
  run.run([&](const SceneRun& r) {
    const double rate = 5.0 / 0.4 * r.state.t;
    EXPECT_NEAR(r.state.u(4), 0.5 - 0.02 * rate, 1e-7);
    EXPECT_NEAR(r.state.u(10), -0.5 + 0.02 * rate, 1e-7);
    EXPECT_NEAR(r.state.u(5), 0.0, 1e-9);
  });
}

/// Under the relaxation what rests holds exactly, and what rolls slows down as under the law; the last of its turning
/// fades within some times delta / (2 zeta) = .5 ms.
TEST(RollingMoment, OfTheRelaxationIsExact) {
  const MomentScheme relaxation{"type = \"relaxation\"", "nsgs"};
  const double deceleration = 5.0 / 7.0 * kGravity * 0.05;
  for (const double radius : {1.0, 0.02}) {
    SceneRun run = test::scene_from_text(
        ball_with_moments(moment_head(relaxation, 0.2), radius, fmt::format("rolling = {}", 0.05 * radius), 0.05));
    run.run([&](const SceneRun& r) {
      const double left = 0.05 - deceleration * r.state.t;
      if (left > 2e-3 * deceleration) {
        EXPECT_NEAR(r.state.u(0), left, 1e-9) << "t = " << r.state.t;
        EXPECT_NEAR(r.report.contacts[0].moment(1), -0.05 * radius * 3 * kGravity * 1e-3, 1e-9);
        EXPECT_NEAR(r.report.contacts[0].percussion[0], 3 * kGravity * 1e-3, 1e-9);
      } else if (left < -0.015 * deceleration) {
        EXPECT_LE(std::abs(r.state.u(0)), 1e-10);
      }
    });
  }
  for (const double ratio : {0.999, 1.001}) {
    const double slope = std::atan(0.05 * ratio);
    std::string scene = ball_with_moments(moment_head(relaxation, 0.02), 0.2, "rolling = 0.01", 0.0);
    scene.insert(scene.find('\n') + 1,
                 fmt::format("gravity = [{}, 0, {}]\n", kGravity * std::sin(slope), -kGravity * std::cos(slope)));
    SceneRun run = test::scene_from_text(scene);
    run.run();
    const double a = 5.0 / 7.0 * kGravity * (std::sin(slope) - std::cos(slope) * 0.05);
    EXPECT_NEAR(run.state.u(0), ratio < 1.0 ? 0.0 : a * 0.02, ratio < 1.0 ? 1e-11 : 1e-9);
  }
  std::string scene = ball_with_moments(moment_head(relaxation, 0.02), 0.5, "spinning = 0.004\nrolling = 0.03", 0.0);
  const std::string still = "angular_velocity = [0, 0, 0]";
  scene.replace(scene.find(still), still.size(), "angular_velocity = [0, 0, 0.05]");
  SceneRun run = test::scene_from_text(scene);
  run.run();
  EXPECT_NEAR(run.state.u(5), 0.05 - 0.004 * 3 * kGravity / (0.4 * 3 * 0.25) * 0.02, 1e-9);
}

/// Found contacts take the moments of their shapes.
TEST(RollingMoment, OfShapesActsInFoundContacts) {
  std::string scene = ball_with_moments(moment_head(kMomentSchemes[0], 0.1), 0.5, "", 1.0);
  scene.erase(scene.find("[[contacts]]"));
  scene += "[contact_default]\nfriction = 0.5\n";
  const std::string shape = "radius = 0.5}";
  scene.replace(scene.find(shape), shape.size(), "radius = 0.5, rolling = 0.02, condim = 6}");
  SceneRun run = test::scene_from_text(scene);
  run.run();
  EXPECT_NEAR(run.state.u(0), 1.0 - 5.0 / 7.0 * kGravity * 0.04 * 0.1, 1e-9);
}

/// Keys of shapes: each with its place, and what is allowed.
TEST(RollingMoment, OfShapesIsRefusedWhereItMeansNothing) {
  const auto error_of = [](const std::string& keys) -> std::string {
    std::string scene = ball_with_moments(moment_head(kMomentSchemes[0], 0.1), 0.5, "", 1.0);
    const std::string shape = "radius = 0.5}";
    scene.replace(scene.find(shape), shape.size(), "radius = 0.5, " + keys + "}");
    try {
      test::scene_from_text(scene);
      return {};
    } catch (const InputError& error) {
      return error.key();
    }
  };
  EXPECT_EQ(error_of("condim = 6, rolling = 0, spinning = 0.1"), "");
  for (const char* condim : {"0", "2", "5", "7", "-1", "3.5", "\"6\""}) {
    EXPECT_EQ(error_of(fmt::format("condim = {}", condim)), "bodies.ball.shapes.s.condim") << condim;
  }
  for (const char* number : {"-0.1", "nan", "inf", "\"x\"", "true"}) {
    EXPECT_EQ(error_of(fmt::format("rolling = {}", number)), "bodies.ball.shapes.s.rolling") << number;
    EXPECT_EQ(error_of(fmt::format("spinning = {}", number)), "bodies.ball.shapes.s.spinning") << number;
  }
}

/// What the law asks for more than a scheme or a solver can do is refused before the first step.
TEST(RollingMoment, IsRefusedBySolversOfOneCone) {
  const auto refused = [](const char* scheme, const char* solver, const char* law) -> std::string {
    try {
      test::scene_from_text(ball_with_moments(moment_head({scheme, solver}, 0.1), 1.0, law, 1.0));
      return {};
    } catch (const InputError& error) {
      return error.key();
    }
  };
  EXPECT_EQ(refused("type = \"moreau\"", "newton-fb", "rolling = 0.01"), "solver.type");
  EXPECT_EQ(refused("type = \"moreau\"", "ipm", "rolling = 0.01"), "solver.type");
  EXPECT_EQ(refused("type = \"moreau\"", "ipm", "rolling = 0"), "");
  EXPECT_EQ(refused("type = \"relaxation\"\ninclusion = \"clip\"", "nsgs", "spinning = 0.01"), "scheme.type");
  EXPECT_EQ(
      refused("type = \"relaxation\"\nmodel = \"penalty\"\nstiffness = 1e6\ndamping = 1e3", "nsgs", "spinning = 0.01"),
      "scheme.type");
  EXPECT_EQ(refused("type = \"event-driven\"", "nsgs", "spinning = 0.01"), "scheme.type");
  EXPECT_EQ(refused("type = \"moreau\"", "nsgs", "contensou = {radius = 1}\nrolling = 0.01"), "contacts.c.rolling");
  EXPECT_EQ(refused("type = \"moreau\"", "nsgs", "rolling = -0.01"), "contacts.c.rolling");
}

}  // namespace
}  // namespace stickslip
