// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven where friction with the round cone is singular: slip that begins at rest, with all but no
// acceleration, and slip that stops while its direction turns. Bodies on one, three, four and six feet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/event_run.h"

namespace stickslip {
namespace {

using test::EventRun;
using test::kEventTime;

constexpr double kSlipGravity = 9.81;
constexpr double kNormal = 10.0;  // [m/s^2] gravity down on the floor, of what is pushed and of what stops

struct Slider {
  const char* name;
  const char* text;  // its keys, but for position
  double height;     // [m]
  double mass;       // [kg]
};
constexpr std::array<Slider, 4> kSliders = {{
    {"point", "type = \"point\"\nmass = 1\nshapes.p = {type = \"point\"}\n", 0.0, 1.0},
    {"three feet",
     "mass = 1\ninertia = [0.1, 0.2, 0.15]\nshapes.a = {type = \"point\", position = [0.2, 0, -0.05]}\n"
     "shapes.b = {type = \"point\", position = [-0.1, 0.15, -0.05]}\n"
     "shapes.c = {type = \"point\", position = [-0.1, -0.2, -0.05]}\n",
     0.05, 1.0},
    {"box", "mass = 1.5\ninertia = [0.1, 0.2, 0.15]\nshapes.hull = {type = \"box\", size = [0.4, 0.3, 0.1]}\n", 0.05,
     1.5},
    {"six feet",
     "mass = 2\ninertia = [0.1, 0.2, 0.15]\nshapes.a = {type = \"point\", position = [0.3, 0, -0.02]}\n"
     "shapes.b = {type = \"point\", position = [0.15, 0.26, -0.02]}\n"
     "shapes.c = {type = \"point\", position = [-0.15, 0.26, -0.02]}\n"
     "shapes.d = {type = \"point\", position = [-0.3, 0, -0.02]}\n"
     "shapes.e = {type = \"point\", position = [-0.15, -0.26, -0.02]}\n"
     "shapes.f = {type = \"point\", position = [0.15, -0.26, -0.02]}\n",
     0.02, 2.0},
}};

std::string make_scene(const Slider& slider, double gx, double gy, double gz, double mu, const std::string& more) {
  return fmt::format(R"(
gravity = [{:.17g}, {:.17g}, {:.17g}]
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.b]
position = [0, 0, {:.17g}]
{}
{}
[[contacts]]
between = ["floor", "b"]
friction = {:.17g}
)",
                     gx, gy, gz, slider.height, slider.text, more, mu);
}

/// Down an incline at whose angle friction just does not hold: a = g (sin - mu cos), along the fall line, which is
/// oblique to the contacts' tangents.
TEST(EventDrivenSlip, BeginsWithWhateverAccelerationIsLeft) {
  constexpr double kEnd = 0.01;
  for (const Slider& slider : kSliders) {
    for (const auto& [angle, azimuth] : {std::pair(std::numbers::pi / 6.0, 0.3), std::pair(0.4, 0.0),
                                         std::pair(std::numbers::pi / 4.0, 0.7), std::pair(0.1, 2.0)}) {
      for (const double excess : {1e-6, 2e-6, 3e-5, 1e-3, 0.1}) {
        const double mu = std::tan(angle) * (1.0 - excess);
        const double a = kSlipGravity * (std::sin(angle) - mu * std::cos(angle));
        const double way = 0.5 * a * kEnd * kEnd;
        EventRun run(
            make_scene(slider, kSlipGravity * std::sin(angle) * std::cos(azimuth),
                       kSlipGravity * std::sin(angle) * std::sin(azimuth), -kSlipGravity * std::cos(angle), mu, ""),
            kEnd, kEnd);
        run.run_all();
        SCOPED_TRACE(fmt::format("{} on {} rad, to {} rad, excess {}", slider.name, angle, azimuth, excess));
        EXPECT_EQ(run.report.status, Status::ok);
        EXPECT_NEAR(run.state.q(0), way * std::cos(azimuth), 1e-9 * way);
        EXPECT_NEAR(run.state.q(1), way * std::sin(azimuth), 1e-9 * way);
        EXPECT_LE(run.report.parts, 30);
      }
    }
  }
}

/// The same with friction that just holds.
TEST(EventDrivenSlip, DoesNotBeginWhereFrictionHolds) {
  for (const Slider& slider : kSliders) {
    for (const double reserve : {1e-9, 1e-6, 1e-3}) {
      const double mu = std::tan(0.4) * (1.0 + reserve);
      EventRun run(make_scene(slider, kSlipGravity * std::sin(0.4) * 0.8, kSlipGravity * std::sin(0.4) * 0.6,
                              -kSlipGravity * std::cos(0.4), mu, ""),
                   0.01, 0.01);
      run.run_all();
      EXPECT_EQ(run.report.status, Status::ok) << slider.name;
      EXPECT_LT(run.state.u.norm(), 1e-14) << slider.name << " " << reserve;
    }
  }
}

/// A push that grows by c a second moves it from t = mu m g / c on, by c (t - that)^3 / (6 m).
TEST(EventDrivenSlip, BeginsWhenAGrowingPushPassesFriction) {
  constexpr double kEnd = 4.0;
  for (const Slider& slider : kSliders) {
    for (const auto& [rate, mu] : {std::pair(1.7, 0.17), std::pair(0.1, 0.013), std::pair(10.0, 0.5)}) {
      const double start = mu * slider.mass * kNormal / rate;
      EventRun run(make_scene(slider, 0.0, 0.0, -kNormal, mu,
                              fmt::format("[forces.push]\ntype = \"load\"\nbody = \"b\"\nforce = [\"0.8*{0}*t\", "
                                          "\"0.6*{0}*t\", 0]\n",
                                          rate)),
                   kEnd, kEnd);
      run.run_all();
      SCOPED_TRACE(fmt::format("{}, {} N/s, mu = {}", slider.name, rate, mu));
      const std::vector<double> slips = run.times(EventKind::slip);
      ASSERT_FALSE(slips.empty());
      for (const double t : slips) EXPECT_NEAR(t, start, kEventTime);
      const double way = rate * std::pow(kEnd - start, 3) / (6.0 * slider.mass);
      EXPECT_NEAR(run.state.q(0), 0.8 * way, 1e-9 * std::max(way, 1.0));
      EXPECT_NEAR(run.state.q(1), 0.6 * way, 1e-9 * std::max(way, 1.0));
    }
  }
}

/// With the speed v, at the angle psi to a force of m g_x along the floor, k = mu g: v (k + g_x cos psi) falls by
/// k^2 - g_x^2 a second, whatever the direction does, so that it stops at v (k + g_x cos psi) / (k^2 - g_x^2).
TEST(EventDrivenSlip, StopsWhenItShouldWhileItsDirectionTurns) {
  for (const Slider& slider : kSliders) {
    for (const double speed : {1.0}) {
      for (const auto& [psi, along, mu] :
           {std::tuple(1.5, 2.0, 0.3), std::tuple(3.0, 2.9, 0.3), std::tuple(2.5, 1.0, 0.3)}) {
        const double k = mu * kNormal;
        const double stop = speed * (k + along * std::cos(psi)) / (k * k - along * along);
        EventRun run(
            make_scene(slider, along, 0.0, -kNormal, mu,
                       fmt::format("velocity = [{:.17g}, {:.17g}, 0]", speed * std::cos(psi), speed * std::sin(psi))),
            1.5 * stop, 1.5 * stop, ", relative_tolerance = 1e-12");
        run.run_all();
        SCOPED_TRACE(fmt::format("{}, {} m/s at {} rad, {} m/s^2, mu = {}", slider.name, speed, psi, along, mu));
        const std::vector<double> stops = run.times(EventKind::stick);
        ASSERT_FALSE(stops.empty());
        // Velocities are known to 1e-9 m/s, and the last of them falls by k - g_x a second.
        for (const double t : stops) EXPECT_NEAR(t, stop, 1e-9 * std::max(1.0, 1.0 / (k - along)));
        EXPECT_TRUE(run.times(EventKind::slip).empty());
        EXPECT_LT(run.state.u.norm(), 1e-14);
      }
    }
  }
}

/// The instant of the stop is off by 100 (relative v + absolute) / a at most, at tolerances of any size.
TEST(EventDrivenSlip, StopsWithinWhatTolerancesAllow) {
  struct Case {
    double speed, psi, friction, share;  // [m/s], [rad], [m/s^2] mu g, [-] of it along the floor
  };
  for (const Case& c : {Case{1.0, 1.889, 2.043, 0.97}, Case{0.1, 2.234, 2.689, 0.97}, Case{3.0, 1.4, 7.668, 0.97},
                        Case{10.0, 1.895, 8.361, 0.9}, Case{3.0, 1.77, 8.375, 0.6}, Case{0.1, 1.909, 1.251, 0.3}}) {
    const double along = c.share * c.friction;
    const double stop = c.speed * (c.friction + along * std::cos(c.psi)) / (c.friction * c.friction - along * along);
    for (const double relative : {1e-8, 1e-10, 1e-12}) {
      EventRun run(make_scene(kSliders[0], along, 0.0, -kNormal, c.friction / kNormal,
                              fmt::format("velocity = [{:.17g}, {:.17g}, 0]", c.speed * std::cos(c.psi),
                                          c.speed * std::sin(c.psi))),
                   1.2 * stop, 1.2 * stop, fmt::format(", relative_tolerance = {:g}", relative));
      run.run_all();
      const std::vector<double> stops = run.times(EventKind::stick);
      ASSERT_EQ(stops.size(), 1U);
      EXPECT_NEAR(stops[0], stop, 100.0 * (relative * c.speed + 1e-12) / (c.friction - along))
          << c.speed << " m/s at " << c.psi << " rad, tolerance " << relative;
    }
  }
}

}  // namespace
}  // namespace stickslip
