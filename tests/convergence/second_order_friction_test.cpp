// SPDX-License-Identifier: BSD-3-Clause
// Friction of the generalized-alpha scheme where the slip direction turns: order one as published, two with
// friction = "second-order"; and what that option keeps, exact stops, dissipation and the law of impact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/automatic_run.h"
#include "tests/support/observed_order.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::Errors;
using test::expect_second_order;
using test::integrate;
using test::kGravity;
using test::kOrderTolerance;
using test::SceneRun;

struct Scheme {
  std::string friction = "second-order";
  double rho_inf = 0.5;
};

std::string write(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}

std::string write_scheme(const Scheme& s, const std::string& time) {
  return "stickslip = 1\ntime = {" + time +
         "}\nscheme = {type = \"generalized-alpha\", tolerance = 1e-12, rho_inf = " + write(s.rho_inf) +
         ", friction = \"" + s.friction + "\"}\n";
}

/// A point of mass 1 that slides on the ground under a constant force along it.
struct Sliding {
  double mu = 0.2;
  Eigen::Vector2d velocity = {3.0, 0.0};  // [m/s]
  Eigen::Vector2d force = {0.0, 1.0};     // [N]
  double e_tangential = 0.0;

  SceneRun open(const Scheme& scheme, const std::string& time) const {
    return test::scene_from_text(
        write_scheme(scheme, time) + "[bodies.mass]\ntype = \"point\"\nmass = 1\nposition = [0, 0, 0]\nvelocity = [" +
        write(velocity.x()) + ", " + write(velocity.y()) + ", 0]\nshapes.tip = {type = \"point\"}\n" +
        "[bodies.ground]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n"
        "[forces.push]\ntype = \"load\"\nbody = \"mass\"\nforce = [" +
        write(force.x()) + ", " + write(force.y()) +
        ", 0]\n[[contacts]]\nname = \"tip\"\nbetween = [\"ground\", \"mass\"]\nfriction = " + write(mu) +
        "\nrestitution = {normal = 0, tangential = " + write(e_tangential) + "}\n");
  }
  /// x, y and their rates at t = 1 s.
  Vector end() const {
    Vector start(4);
    start << 0.0, 0.0, velocity;
    return integrate(
        [&](const Vector& y) {
          Vector f(4);
          f << y.tail<2>(), force - mu * kGravity * y.tail<2>().normalized();
          return f;
        },
        start, 1.0, 20000);
  }
  Errors errors_at(double step, const Scheme& scheme) const {
    SceneRun run = open(scheme, "end = 1, step = " + write(step));
    run.run();
    const Vector exact = end();
    return {(run.state.q.head<2>() - exact.head<2>()).norm(), (run.state.u.head<2>() - exact.tail<2>()).norm(), 0.0};
  }
};

// The published law, with a constant normal force, (73) and (138) give
//   u' = u + dt h / m - mu g dt xi' / |xi'|,
// the implicit Euler rule for friction, because a percussion opposes the slip at the end of its step. Where the slip
// direction cannot turn, in the plane, nothing is lost; where it turns, velocities are of first order.
TEST(SecondOrderFriction, PublishedIsOfOrderOne) {
  double last = 0.0;
  for (const double step : {1e-2, 5e-3, 2.5e-3}) {
    const double error = Sliding().errors_at(step, {"published"}).u;
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 1.0, kOrderTolerance) << step << " " << error;
    }
    last = error;
  }
}

TEST(SecondOrderFriction, PointPushedAcrossItsWay) {
  for (const double rho_inf : {0.0, 0.5, 1.0}) {
    const Scheme scheme{"second-order", rho_inf};
    expect_second_order({1e-2, 5e-3, 2.5e-3}, false, [&](double step) { return Sliding().errors_at(step, scheme); });
  }
}

TEST(SecondOrderFriction, WithRestitution) {
  Sliding sliding;
  sliding.e_tangential = 0.5;
  expect_second_order({1e-2, 5e-3, 2.5e-3}, false, [&](double step) { return sliding.errors_at(step, {}); });
}

/// Steps of any length: errors as the square of how many there are.
TEST(SecondOrderFriction, WithAutomaticSteps) {
  const Sliding sliding;
  const Vector exact = sliding.end();
  std::vector<double> errors;
  std::vector<double> steps;
  for (const char* tolerance : {"1e-5", "1e-7"}) {
    SceneRun run = sliding.open({}, "end = 1, step = \"auto\", tolerance = " + std::string(tolerance));
    test::run_automatic(run);
    steps.push_back(static_cast<double>(run.state.step));
    errors.push_back((run.state.u.head<2>() - exact.tail<2>()).norm());
  }
  EXPECT_NEAR(std::log(errors[0] / errors[1]) / std::log(steps[1] / steps[0]), 2.0, 0.1) << steps[1];
}

/// A point inside a sphere of radius 1: the normal force varies as it goes round and down.
TEST(SecondOrderFriction, PointInABowl) {
  constexpr double mu = 0.2;
  struct Motion {
    double lambda;
    Vector3 a;
  };
  const auto calc = [&](const Vector3& d, const Vector3& u) {
    const Vector3 n = -d.normalized();
    const Vector3 force = n - mu * (u - u.dot(n) * n).normalized();
    const double lambda = (u.squaredNorm() + kGravity * n.z()) / n.dot(force);
    return Motion{lambda, lambda * force - kGravity * Vector3::UnitZ()};
  };
  Vector start(6);  // from the middle
  start << 0.5, 0.0, -std::sqrt(0.75), 0.0, 2.5, 0.0;
  const Vector end = integrate(
      [&](const Vector& y) {
        Vector f(6);
        f << y.tail<3>(), calc(y.head<3>(), y.tail<3>()).a;
        return f;
      },
      start, 0.5, 20000);
  const Vector3 q = end.head<3>() + Vector3::UnitZ();
  const double lambda = calc(end.head<3>(), end.tail<3>()).lambda;
  for (const double rho_inf : {0.0, 0.5, 1.0}) {
    // With rho_inf = 0 the normal force begins at 1.75: of first order in the step is what it remembers.
    expect_second_order({5e-3, 2.5e-3, 1.25e-3}, rho_inf > 0.0, [&](double step) {
      SceneRun run = test::scene_from_text(
          write_scheme({"second-order", rho_inf}, "end = 0.5, step = " + write(step)) +
          "[bodies.mass]\ntype = \"point\"\nmass = 1\nposition = [0.5, 0, \"=1-sqrt(0.75)\"]\nvelocity = [0, 2.5, 0]\n"
          "shapes.tip = {type = \"point\"}\n[bodies.bowl]\ntype = \"fixed\"\n"
          "shapes.wall = {type = \"sphere\", radius = 1, inside = true, position = [0, 0, 1]}\n"
          "[[contacts]]\nname = \"tip\"\nbetween = [\"bowl\", \"mass\"]\nfriction = 0.2\n");
      run.run();
      return Errors{(run.state.q - q).norm(), (run.state.u - end.tail<3>()).norm(),
                    std::abs(run.report.contacts[0].force[0] - lambda)};
    });
  }
}

/// The same while the bowl flies and spins: the contact moves on both bodies.
TEST(SecondOrderFriction, TwoBodiesThatMove) {
  std::vector<Vector> ends;
  for (const double step : {5e-3, 2.5e-3, 1.25e-3, 6.25e-4}) {
    SceneRun run = test::scene_from_text(
        write_scheme({}, "end = 0.15, step = " + write(step)) +
        "[bodies.mass]\ntype = \"point\"\nmass = 1\nposition = [0.5, 0, \"=1-sqrt(0.75)\"]\nvelocity = [0, 2.5, 0]\n"
        "shapes.tip = {type = \"point\"}\n"
        "[bodies.bowl]\nmass = 2\ninertia = [1, 1.5, 1.2]\nposition = [0, 0, 1]\nangular_velocity = [1, -2, 6]\n"
        "shapes.wall = {type = \"sphere\", radius = 1, inside = true}\n"
        "[forces.up]\ntype = \"load\"\nbody = \"bowl\"\nforce = [0, 0, 29.43]\n"
        "[[contacts]]\nname = \"tip\"\nbetween = [\"bowl\", \"mass\"]\nfriction = 0.3\n");
    run.run();
    ends.push_back(run.state.u);
  }
  for (std::size_t i = 2; i < ends.size(); ++i) {
    EXPECT_NEAR(std::log2((ends[i - 1] - ends[i - 2]).norm() / (ends[i] - ends[i - 1]).norm()), 2.0, kOrderTolerance);
  }
}

/// Sliding and drilling of the round body [Capobianco2021, section 10.6]; the inclinations are those of an independent
/// program.
TEST(SecondOrderFriction, TippeTop) {
  const std::vector<double> others = {0.132250, 0.134720, 0.135358, 0.135519, 0.135560};  // [rad] at 0.25 s
  std::vector<double> thetas;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double step = 1e-3 / static_cast<double>(1 << i);
    SceneRun run =
        test::open_scene("papers/capobianco/tippe_top",
                         {"scheme.friction=second-order", "scheme.tolerance=1e-11", "time.end=0.25",
                          "time.step=" + write(step), "bodies.top.position=[0, 0, \"=1.5e-2-3e-3*cos(tilt)\"]"});
    run.run();
    const Matrix3 R = run.built.system->calc_pose(0, run.state.t, run.state.q).R_WB;
    thetas.push_back(std::acos(R(2, 2)));
    EXPECT_NEAR(thetas.back(), others[i], 1e-6);  // of six digits
  }
  for (std::size_t i = 2; i < thetas.size(); ++i) {
    EXPECT_NEAR(std::log2((thetas[i - 1] - thetas[i - 2]) / (thetas[i] - thetas[i - 1])), 2.0, kOrderTolerance) << i;
  }
}

/// Loads along and across the way, up to all that friction holds: it stops within round-off of the speed that a step
/// can take, never goes back, and stays.
TEST(SecondOrderFriction, StopsExactly) {
  constexpr double kMu = 0.3;
  constexpr double kStep = 1e-2;                     // [s]
  constexpr double kTaken = kMu * kGravity * kStep;  // [m/s] by friction in a step
  const std::vector<Eigen::Vector2d> loads = {{-0.99, 0.0}, {-0.5, 0.0}, {0.0, 0.0},  {0.5, 0.0},  {0.9, 0.0},
                                              {0.0, 0.5},   {0.0, 0.99}, {-0.7, 0.7}, {0.6, 0.75}, {-0.6, -0.75}};
  for (const double rho_inf : {0.0, 0.5, 0.9, 1.0}) {
    for (const Eigen::Vector2d& load : loads) {
      Sliding sliding;
      sliding.mu = kMu;
      sliding.velocity = {1.0, 0.3};
      sliding.force = kMu * kGravity * load;
      SceneRun run = sliding.open({"second-order", rho_inf}, "end = 100, step = " + write(kStep));
      Eigen::Vector2d last = sliding.velocity;
      int stuck = 0;  // steps since it stopped
      for (int i = 0; i < 10000 && stuck < 50; ++i) {
        ASSERT_EQ(run.step(), Status::ok);
        const Eigen::Vector2d u = run.state.u.head<2>();
        const bool sticks = run.report.contacts[0].status == ContactStatus::stick;
        const double round_off = stuck == 0 ? 1e-15 : 1e-12;  // what is left then is the tolerance
        if (sticks) {
          EXPECT_LE(u.norm(), round_off * std::max(last.norm(), kTaken)) << load.transpose() << ' ' << rho_inf;
          ++stuck;
        } else {
          EXPECT_EQ(stuck, 0) << load.transpose();
          EXPECT_GT(u.dot(last), 0.0) << load.transpose();
        }
        if (stuck < 2) last = u;
      }
      EXPECT_EQ(stuck, 50) << load.transpose();
    }
  }
}

/// P_F . (gamma + gamma')/2 <= 0 as long as the slip turns by less than a right angle in the step.
TEST(SecondOrderFriction, TakesEnergy) {
  std::mt19937 random(7);
  std::normal_distribution<double> draw;
  int turned = 0;
  for (int k = 0; k < 300; ++k) {
    Sliding sliding;
    sliding.mu = 0.1 + std::abs(draw(random));
    sliding.velocity = 0.1 * Eigen::Vector2d(draw(random), draw(random));
    sliding.force = 8.0 * Eigen::Vector2d(draw(random), draw(random));
    SceneRun run = sliding.open({}, "end = 1, step = 1e-2");
    for (int i = 0; i < 12; ++i) {
      const Eigen::Vector2d before = run.state.u.head<2>();
      ASSERT_EQ(run.step(), Status::ok);
      const Eigen::Vector2d after = run.state.u.head<2>();
      const ContactReport& tip = run.report.contacts[0];
      if (tip.status != ContactStatus::slip) continue;
      const Eigen::Vector2d percussion(tip.percussion[1], tip.percussion[2]);
      const double size = percussion.norm() * (before.norm() + after.norm());
      EXPECT_LE(percussion.dot(after), 1e-12 * size);
      if (before.dot(after) < 0.0) continue;
      turned += before.dot(after) < 0.9 * before.norm() * after.norm() ? 1 : 0;
      EXPECT_LE(percussion.dot(before + after), 1e-12 * size);
    }
  }
  EXPECT_GT(turned, 50);  // by 25 degrees and more
}

/// A sliding ball is hit from above: the floor's percussion in that is of the published law, and so is what comes of
/// it as the step becomes small. With the stretch it would be (0.370, 1.019) m/s.
TEST(SecondOrderFriction, ImpactsAreAsPublished) {
  std::vector<Eigen::Vector2d> after;
  for (const char* friction : {"published", "second-order"}) {
    SceneRun run = test::scene_from_text(
        write_scheme({friction}, "end = 0.03, step = 1e-4") +
        "[bodies.a]\ntype = \"point\"\nmass = 1\nposition = [0, 0, 0.1]\nvelocity = [1, 0, 0]\n"
        "shapes.s = {type = \"sphere\", radius = 0.1}\n"
        "[bodies.b]\ntype = \"point\"\nmass = 1\nposition = [0, -0.1, \"=0.16+0.1*sqrt(3)\"]\nvelocity = [1, 0, -3]\n"
        "shapes.s = {type = \"sphere\", radius = 0.1}\n"
        "[bodies.ground]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n"
        "[[contacts]]\nname = \"floor\"\nbetween = [\"ground\", \"a\"]\nfriction = 0.3\n"
        "[[contacts]]\nname = \"hit\"\nbetween = [\"a\", \"b\"]\nfriction = 0\n"
        "restitution = {normal = 0.5, tangential = 0}\n");
    run.run();
    after.push_back(run.state.u.head<2>());
  }
  EXPECT_NEAR(after[0].x(), 0.4868, 1e-4);
  EXPECT_LE((after[1] - after[0]).norm(), 1e-3);
}

}  // namespace
}  // namespace stickslip
