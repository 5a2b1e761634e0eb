// SPDX-License-Identifier: BSD-3-Clause
// When a body on feet begins to slip under the scheme event-driven, and how: against the limit load of its friction,
// found from the kinematic theorem. A planar twist xi = (v_x, v_y, w) of a body that touches at feet r_i dissipates
// sum mu N_i |v_i|, v_i = (v_x - w y_i, v_y + w x_i); friction holds the wrench f as long as xi . f does not exceed
// that for any xi. So f is compared with the least of sum mu N_i |v_i| over all twists with xi . f = 1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/event_run.h"

namespace stickslip {
namespace {

using test::EventRun;
using test::kEventTime;
using Vector3 = Eigen::Vector3d;

constexpr double kGravityOfFeet = 10.0;  // [m/s^2] down

struct FootedBody {
  const char* name;
  std::vector<std::array<double, 2>> feet;  // [m] about its centre
  double height;                            // [m] of that above the floor
  double mass, mu;
  bool is_box = false;
};

/// The horizontal push (N) at the centre and the torque (N m) about the vertical, of time; and the same as text.
struct Load {
  std::function<Vector3(double)> wrench;
  std::array<std::string, 3> text;
};

Load make_growing(const Vector3& at_start, const Vector3& rate) {
  Load load{[=](double t) { return Vector3(at_start + rate * t); }, {}};
  for (int i = 0; i < 3; ++i) load.text[i] = fmt::format("{:.17g} + {:.17g}*t", at_start[i], rate[i]);
  return load;
}

/// Loads of the feet at rest under a push (x, y). What four feet leave open, they have along (1, -1, 1, -1).
Eigen::VectorXd calc_loads(const FootedBody& body, const Vector3& f, double open) {
  const auto n = static_cast<Eigen::Index>(body.feet.size());
  Eigen::MatrixXd balance(3, n);
  for (Eigen::Index i = 0; i < n; ++i) balance.col(i) << 1.0, body.feet[i][0], body.feet[i][1];
  const Vector3 moments(body.mass * kGravityOfFeet, body.height * f[0], body.height * f[1]);
  Eigen::VectorXd loads = balance.completeOrthogonalDecomposition().solve(moments);
  for (Eigen::Index i = 0; i < n && n == 4; ++i) loads[i] += i % 2 == 0 ? open : -open;
  return loads;
}

/// The least power that friction takes of what has the power 1 of f, and the twist that has it.
std::pair<double, Vector3> find_mechanism(const FootedBody& body, const Eigen::VectorXd& loads, const Vector3& f) {
  const Vector3 start = f / f.squaredNorm();
  Eigen::Matrix<double, 3, 2> free;
  free.col(0) = f.unitOrthogonal();
  free.col(1) = f.normalized().cross(free.col(0));
  const auto velocity = [&](std::size_t i, const Vector3& xi) {
    return Eigen::Vector2d(xi[0] - xi[2] * body.feet[i][1], xi[1] + xi[2] * body.feet[i][0]);
  };
  const auto calc_power = [&](const Eigen::Vector2d& z, double smooth) {
    double power = 0.0;
    for (std::size_t i = 0; i < body.feet.size(); ++i) {
      power += body.mu * loads[i] * std::sqrt(velocity(i, start + free * z).squaredNorm() + smooth * smooth);
    }
    return power;
  };
  Eigen::Vector2d z = Eigen::Vector2d::Zero();
  for (double smooth = start.norm(); smooth > 1e-15 * start.norm(); smooth *= 0.3) {
    for (int k = 0; k < 50; ++k) {
      Eigen::Vector2d slope = Eigen::Vector2d::Zero();
      Eigen::Matrix2d bend = Eigen::Matrix2d::Zero();
      for (std::size_t i = 0; i < body.feet.size(); ++i) {
        Eigen::Matrix2d J;
        for (int c = 0; c < 2; ++c) J.col(c) = velocity(i, free.col(c));
        const Eigen::Vector2d v = velocity(i, start + free * z);
        const double size = std::sqrt(v.squaredNorm() + smooth * smooth);
        const double weight = body.mu * loads[i] / size;
        slope += weight * J.transpose() * v;
        bend += weight * J.transpose() * (Eigen::Matrix2d::Identity() - v * v.transpose() / (size * size)) * J;
      }
      const Eigen::Vector2d way = -bend.ldlt().solve(slope);
      double part = 1.0;
      while (part > 1e-10 && calc_power(z + part * way, smooth) > calc_power(z, smooth)) part *= 0.5;
      if (!way.allFinite() || part <= 1e-10) break;
      z += part * way;
      if (part * way.norm() <= 1e-15 * start.norm()) break;
    }
  }
  return {calc_power(z, 0.0), start + free * z};
}

/// When friction holds no more, first, with these loads; `end`: it holds until then.
double find_limit(const FootedBody& body, const Load& load, double open, double end) {
  const auto holds = [&](double t) {
    const Eigen::VectorXd loads = calc_loads(body, load.wrench(t), open);
    return loads.minCoeff() >= 0.0 && find_mechanism(body, loads, load.wrench(t)).first > 1.0;
  };
  double first = 0.0;
  double last = end;
  for (int i = 0; i < 60 && first < last; ++i) (holds(0.5 * (first + last)) ? first : last) = 0.5 * (first + last);
  return last;
}

/// The same with the loads of four feet that hold longest.
double find_longest(const FootedBody& body, const Load& load, double end) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double first = -0.25 * body.mass * kGravityOfFeet;
  double last = -first;
  const auto limit = [&](double open) { return find_limit(body, load, open, end); };
  double a = last - golden * (last - first);
  double b = first + golden * (last - first);
  double at_a = limit(a);
  double at_b = limit(b);
  for (int k = 0; k < 44; ++k) {
    if (at_a > at_b) {
      last = b;
      b = a;
      at_b = at_a;
      a = last - golden * (last - first);
      at_a = limit(a);
    } else {
      first = a;
      a = b;
      at_a = at_b;
      b = first + golden * (last - first);
      at_b = limit(b);
    }
  }
  return limit(0.5 * (first + last));
}

/// The least power that friction takes of what has the power 1 of f, with the loads of all feet that make it largest:
/// by duality the least alpha W + beta M_x + gamma M_y with alpha + beta x_i + gamma y_i >= mu |v_i| at each foot, W,
/// M_x and M_y what the loads and their moments sum up to; found by Newton steps with a logarithmic barrier.
double find_power_of_best_loads(const FootedBody& body, const Vector3& f) {
  using Vector5 = Eigen::Matrix<double, 5, 1>;
  const Vector3 start = f / f.squaredNorm();
  Eigen::Matrix<double, 3, 2> free;
  free.col(0) = f.unitOrthogonal();
  free.col(1) = f.normalized().cross(free.col(0));
  Vector5 cost;
  cost << 0.0, 0.0, body.mass * kGravityOfFeet, body.height * f[0], body.height * f[1];
  struct Foot {
    Eigen::Matrix<double, 3, 5> slope;  // of mu v and of alpha + beta x + gamma y
    Vector3 at_zero;
  };
  std::vector<Foot> feet;
  for (const auto& [x, y] : body.feet) {
    Eigen::Matrix<double, 2, 3> J;
    J << 1.0, 0.0, -y, 0.0, 1.0, x;
    Foot foot;
    foot.slope.setZero();
    foot.slope.topLeftCorner<2, 2>() = body.mu * J * free;
    foot.slope.row(2) << 0.0, 0.0, 1.0, x, y;
    foot.at_zero << body.mu * J * start, 0.0;
    feet.push_back(foot);
  }
  const auto calc_barrier = [&](const Vector5& at, double weight, Vector5* slope, Eigen::Matrix<double, 5, 5>* bend) {
    double sum = weight * cost.dot(at);
    if (slope != nullptr) *slope = weight * cost;
    if (bend != nullptr) bend->setZero();
    const Vector3 sign(-1.0, -1.0, 1.0);
    for (const Foot& foot : feet) {
      const Vector3 s = foot.at_zero + foot.slope * at;
      const double room = s[2] * s[2] - s.head<2>().squaredNorm();
      if (!(room > 0.0) || !(s[2] > 0.0)) return std::numeric_limits<double>::infinity();
      sum -= std::log(room);
      const Vector5 rise = 2.0 * foot.slope.transpose() * sign.cwiseProduct(s);
      if (slope != nullptr) *slope -= rise / room;
      if (bend != nullptr)
        *bend += rise * rise.transpose() / (room * room) -
                 2.0 / room * foot.slope.transpose() * sign.asDiagonal() * foot.slope;
    }
    return sum;
  };
  Vector5 at = Vector5::Zero();
  at[2] = 2.0 * body.mu * start.norm();
  const double size = cost[2] * at[2];
  for (double weight = 1.0 / size; weight < 1e14 / size; weight *= 4.0) {
    for (int k = 0; k < 30; ++k) {
      Vector5 slope;
      Eigen::Matrix<double, 5, 5> bend;
      const double before = calc_barrier(at, weight, &slope, &bend);
      const Vector5 way = -bend.ldlt().solve(slope);
      double part = 1.0;
      while (part > 1e-6 && !(calc_barrier(at + part * way, weight, nullptr, nullptr) < before)) part *= 0.5;
      if (!way.allFinite() || part <= 1e-6) break;
      at += part * way;
      if (-slope.dot(way) < 1e-8) break;
    }
  }
  return cost.dot(at);
}

std::string make_scene(const FootedBody& body, const Load& load) {
  std::string shapes;
  if (body.is_box) {
    shapes = fmt::format("shapes.hull = {{type = \"box\", size = [{}, {}, {}]}}\n", 2.0 * std::abs(body.feet[0][0]),
                         2.0 * std::abs(body.feet[0][1]), 2.0 * body.height);
  }
  for (std::size_t i = 0; i < body.feet.size() && !body.is_box; ++i) {
    shapes += fmt::format("shapes.p{} = {{type = \"point\", position = [{}, {}, {}]}}\n", i, body.feet[i][0],
                          body.feet[i][1], -body.height);
  }
  return fmt::format(R"(
gravity = [0, 0, -10]
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.b]
mass = {}
inertia = [0.1, 0.2, 0.15]
position = [0, 0, {}]
{}
[[contacts]]
between = ["floor", "b"]
friction = {}
[forces.push]
type = "load"
body = "b"
force = ["{}", "{}", 0]
torque = [0, 0, "{}"]
)",
                     body.mass, body.height, shapes, body.mu, load.text[0], load.text[1], load.text[2]);
}

const std::vector<std::array<double, 2>> kThreeFeet = {{0.2, 0.0}, {-0.1, 0.15}, {-0.1, -0.2}};
const std::vector<std::array<double, 2>> kCorners = {{0.2, 0.15}, {-0.2, 0.15}, {-0.2, -0.15}, {0.2, -0.15}};

/// The body turns about where the oracle's twist does, .01 s after `onset`, in which its centre moves a little.
void expect_twist(const EventRun& run, const Vector3& xi, const char* name) {
  const Vector3 u(run.state.u(0), run.state.u(1), run.state.u(5));
  EXPECT_GT(u.norm(), 1e-7) << name;
  EXPECT_LT((u.normalized() - xi.normalized()).norm(), 0.05) << name;
}

/// Feet whose loads are determined slip when friction cannot hold any more, about the instantaneous centre of the
/// limit: between the feet, far away, or at a foot, which then sticks.
TEST(EventDrivenOnset, ThreeFeetSlipAtTheLimitOfTheirFriction) {
  const std::vector<FootedBody> bodies = {{"three feet", kThreeFeet, 0.05, 1.0, 0.17}};
  for (const FootedBody& body : bodies) {
    constexpr double force = 1.0;  // [N]
    for (const auto& [start, rate] :
         {std::pair(Vector3(0, 0, 0), Vector3(0, 0, 0.6)), std::pair(Vector3(0, 0, 0), Vector3(0.8, 0.6, 0.1))}) {
      const Load load = make_growing(force * start, force * rate);
      const double onset = find_limit(body, load, 0.0, 4.0);
      SCOPED_TRACE(fmt::format("{}, {:.3g} s", body.name, onset));
      ASSERT_LT(onset, 4.0);
      EventRun run(make_scene(body, load), onset + 0.01, onset + 0.01);
      run.run_all();
      EXPECT_EQ(run.report.status, Status::ok) << run.report.message;
      const std::vector<double> slips = run.times(EventKind::slip);
      ASSERT_GE(slips.size(), 2U);
      for (const double t : slips) EXPECT_NEAR(t, onset, kEventTime);
      EXPECT_EQ(run.events.size(), slips.size());
      const Eigen::VectorXd loads = calc_loads(body, load.wrench(onset), 0.0);
      expect_twist(run, find_mechanism(body, loads, load.wrench(onset)).second, body.name);
    }
  }
}

/// Loads of four feet leave one freedom: friction holds as long as any loads let it, and all slips then. Where other
/// loads held it than those with which it slides, it starts with a jump, as soon as what none can hold is told from
/// rest.
TEST(EventDrivenOnset, FourFeetHoldAsLongAsAnyLoadsHoldThem) {
  const std::vector<FootedBody> bodies = {
      {"box", kCorners, 0.05, 1.5, 0.17, true},
      {"four feet", {{0.25, 0.0}, {0.0, 0.2}, {-0.25, 0.0}, {0.0, -0.2}}, 0.03, 0.7, 0.4}};
  for (const FootedBody& body : bodies) {
    const double force = body.mu * body.mass * kGravityOfFeet;
    for (const auto& [start, rate] :
         {std::pair(Vector3(0, 0, 0), Vector3(0, 0, 0.2)), std::pair(Vector3(0, 0, 0), Vector3(0.31, 0.23, 0.04)),
          std::pair(Vector3(0, 0, 0), Vector3(0.4, -0.13, -0.05)),
          std::pair(Vector3(0, 0, 0), Vector3(0.45, 0.1, 0.005)),
          std::pair(Vector3(0, 0, 0.04), Vector3(0.45, 0.1, 0))}) {
      const Load load = make_growing(force * start, force * rate);
      const double onset = find_longest(body, load, 8.0);
      SCOPED_TRACE(fmt::format("{}, {:.3g} s", body.name, onset));
      ASSERT_LT(onset, 7.9);
      EventRun run(make_scene(body, load), onset + 0.1, onset + 0.1);
      run.run_all();
      EXPECT_EQ(run.report.status, Status::ok) << run.report.message;
      const std::vector<double> slips = run.times(EventKind::slip);
      ASSERT_GE(slips.size(), 3U);
      for (const double t : slips) EXPECT_NEAR(t, onset, 1e-5);
      EXPECT_EQ(run.events.size(), slips.size());
      EXPECT_GT(run.state.u.norm(), 1e-4);
    }
  }
}

/// Loads of feet that hold longest may leave some feet without load. Slip begins with those loads, in the direction of
/// the limit, and goes on: it does not stop and start again.
TEST(EventDrivenOnset, SlipGoesOnWhereTheLoadsThatHoldLongestLeaveFeetFree) {
  const auto make_six = [](const std::array<double, 6>& parts) {
    std::vector<std::array<double, 2>> feet;
    for (int i = 0; i < 6; ++i) {
      const double angle = i * 1.0471975511965976 + 0.2;
      feet.push_back({parts[i] * 0.2 * std::cos(angle), parts[5 - i] * 0.15 * std::sin(angle)});
    }
    return feet;
  };
  struct Case {
    FootedBody body;
    Vector3 rate;
  };
  const std::vector<Case> cases = {
      {{"kite", {{0.178, 0.0}, {0.0, 0.142}, {-0.293, 0.0}, {0.0, -0.141}}, 0.05, 1.0, 0.1}, {0.166, 0.099, 0.0545}},
      {{"another kite", {{0.25, 0.0}, {0.0, 0.2}, {-0.2, 0.0}, {0.0, -0.14}}, 0.05, 1.0, 0.17}, {-0.2, 0.47, 0.075}},
      {{"six feet", make_six({1.0, 0.9, 1.1, 0.8, 1.2, 1.05}), 0.05, 1.0, 0.1}, {0.021, 0.347, -0.008}},
      {{"six feet, turned", make_six({1.0, 0.9, 1.1, 0.8, 1.2, 1.05}), 0.05, 1.0, 0.17}, {0.024, -0.279, 0.0935}}};
  for (const auto& [body, rate] : cases) {
    const Load load = make_growing(Vector3::Zero(), rate);
    double first = 0.0;
    double last = 20.0;
    for (int i = 0; i < 50; ++i) {
      const double t = 0.5 * (first + last);
      (find_power_of_best_loads(body, load.wrench(t)) > 1.0 ? first : last) = t;
    }
    SCOPED_TRACE(fmt::format("{}, {:.6g} s", body.name, last));
    ASSERT_LT(last, 19.0);
    EventRun run(make_scene(body, load), last + 0.05, last + 0.05);
    run.run_all();
    EXPECT_EQ(run.report.status, Status::ok) << run.report.message;
    const std::vector<double> slips = run.times(EventKind::slip);
    ASSERT_GE(slips.size(), body.feet.size() - 1);
    for (const double t : slips) EXPECT_NEAR(t, last, 2e-5);
    EXPECT_EQ(run.events.size(), slips.size());
    EXPECT_GT(run.state.u.norm(), 1e-4);
  }
}

}  // namespace
}  // namespace stickslip
