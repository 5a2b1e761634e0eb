// SPDX-License-Identifier: BSD-3-Clause
// The nonsmooth generalized-alpha scheme on the benchmarks of [Capobianco2021, section 10], step by step against an
// independent implementation with the published parameters, and against what the paper's text says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

SceneRun open_benchmark(const std::string& name, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), "scheme.type=generalized-alpha");
  return test::open_scene("papers/capobianco/" + name, std::move(overrides));
}

/// Differences to a reference table: columns t, q1.., u1.., gap.., lambdaN.., PN.. by name.
struct Comparison {
  double q = 0.0, u = 0.0, percussion = 0.0, force = 0.0;  // largest differences
  int rows = 0;
};

class Reference {
 public:
  explicit Reference(const std::string& name) {
    const std::string file = "generalized_alpha/" + name + ".csv";
    rows_ = test::read_table(file);
    std::ifstream in(std::string(STICKSLIP_TEST_DATA_DIR) + "/" + file);
    std::string line;
    while (std::getline(in, line) && line[0] == '#') {
    }
    std::istringstream heads(line);
    for (std::string head; std::getline(heads, head, ',');) columns_.emplace(head, columns_.size());
  }

  /// Adds what the run differs by where the table has a row for its time. phi_sign: -1 where the table's is clockwise.
  void compare(const SceneRun& run, double phi_sign, Comparison& c) {
    while (next_ < rows_.size() && rows_[next_][0] < run.state.t - 0.25 * run.scene.time.step) ++next_;
    if (next_ == rows_.size() || std::abs(rows_[next_][0] - run.state.t) > 0.25 * run.scene.time.step) return;
    const std::vector<double>& row = rows_[next_];
    ++c.rows;
    for (int i = 0; i < 3; ++i) {
      const double sign = i == 2 ? phi_sign : 1.0;
      c.q = std::max(c.q, std::abs(run.state.q(i) - sign * row[1 + i]));
      c.u = std::max(c.u, std::abs(run.state.u(i) - sign * row[4 + i]));
    }
    for (std::size_t k = 0; k < run.report.contacts.size(); ++k) {
      const ContactReport& contact = run.report.contacts[k];
      const std::string n = std::to_string(k + 1);
      const auto at = [&](const char* name) { return row[columns_.at(name + n)]; };
      c.percussion = std::max(
          {c.percussion, std::abs(contact.percussion[0] - at("PN")), std::abs(contact.percussion[1] - at("PF"))});
      c.force =
          std::max({c.force, std::abs(contact.force[0] - at("lambdaN")), std::abs(contact.force[1] - at("lambdaF"))});
    }
  }

 private:
  std::vector<std::vector<double>> rows_;
  std::map<std::string, std::size_t> columns_;
  std::size_t next_ = 1;
};

/// Runs to t_end and compares all the way; every step must be ok and nothing may penetrate.
Comparison compare_run(SceneRun& run, const std::string& table, double t_end, double phi_sign = 1.0) {
  Reference reference(table);
  Comparison c;
  // Gaps come from differences of coordinates of a few metres.
  constexpr double kNoPenetration = 1e-12;  // [m]
  while (run.state.t < t_end - 0.5 * run.scene.time.step) {
    EXPECT_EQ(run.step(), Status::ok) << "t = " << run.state.t;
    EXPECT_LE(run.report.penetration, kNoPenetration) << "t = " << run.state.t;
    reference.compare(run, phi_sign, c);
  }
  return c;
}

// The reference is solved to 1e-9 .. 1e-12 and written with 12 digits.
constexpr double kTight = 1e-9;

TEST(GoldenGeneralizedAlpha, BounceThatSlipsThenRolls) {
  SceneRun run = open_benchmark("bouncing_ball_slip", {"scheme.tolerance=1e-12"});
  const Comparison c = compare_run(run, "bounce_slip", 2.0);
  EXPECT_EQ(c.rows, 100);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  EXPECT_LE(c.force, kTight);
  // It rolls in the end, at the exact speeds.
  EXPECT_NEAR(run.state.u(0), -2.0 * 0.1 * 50.0 / 7.0, kTight);
  EXPECT_NEAR(run.state.u(2), 2.0 * 50.0 / 7.0, kTight);
}

TEST(GoldenGeneralizedAlpha, BounceThatSlipsStartsToRollInTime) {
  SceneRun run = open_benchmark("bouncing_ball_slip");
  double first_stick = 0.0;
  run.run([&](const SceneRun& r) {
    if (first_stick == 0.0 && r.report.contacts[0].status == ContactStatus::stick) first_stick = r.state.t;
  });
  EXPECT_NEAR(first_stick, 2.0 * 0.1 * 50.0 / (7.0 * 0.2 * kGravity), run.scene.time.step);
}

TEST(GoldenGeneralizedAlpha, BounceThatSticks) {
  SceneRun run = open_benchmark("bouncing_ball_stick", {"scheme.tolerance=1e-12"});
  const Comparison c = compare_run(run, "bounce_stick", 2.0);
  EXPECT_EQ(c.rows, 100);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  EXPECT_LE(c.force, kTight);
}

TEST(GoldenGeneralizedAlpha, BounceWithRestitution) {
  // The second flight lasts 0.43 s = 215 steps, so that the gap at t = 0.858 is zero to round-off and either step may
  // be the one of the impact: the table serves until then, times and speeds within a step from then on.
  SceneRun run = open_benchmark("bouncing_ball_zeno", {"scheme.tolerance=1e-12"});
  const Comparison c = compare_run(run, "bounce_zeno", 0.856);
  EXPECT_EQ(c.rows, 42);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  EXPECT_LE(c.force, kTight);
  std::vector<double> impacts = {0.430};
  const std::vector<double> expected = {0.430, 0.860, 1.074, 1.180, 1.232};
  double last_open = 0.0;
  run.run([&](const SceneRun& r) {
    const bool open = r.report.contacts[0].status == ContactStatus::open;
    if (!open && r.report.contacts[0].impulse[0] > 0.1) impacts.push_back(r.state.t);
    if (open) last_open = r.state.t;
    EXPECT_LE(r.report.kinetic_energy + r.report.potential_energy, 1.0 * kGravity + 1e-9);
  });
  ASSERT_GE(impacts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(impacts[i], expected[i], (1.0 + static_cast<double>(i)) * run.scene.time.step);
  }
  // t = sqrt(2 h / g) (1 + e) / (1 - e) = 1.285059 s; the bounces are too short for the step some time before.
  EXPECT_NEAR(last_open, 1.285059, 1.5e-2);
  EXPECT_NEAR(run.report.kinetic_energy + run.report.potential_energy, 0.1 * kGravity, kTight);
}

TEST(GoldenGeneralizedAlpha, BallInCorner) {
  SceneRun run = open_benchmark("ball_in_corner", {"scheme.tolerance=1e-12"});
  const Comparison c = compare_run(run, "corner", 1.3604);
  EXPECT_GE(c.rows, 150);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  EXPECT_LE(c.force, kTight);
}

TEST(GoldenGeneralizedAlpha, BallHitsTheWallsInTime) {
  struct Impact {
    double t;
    int contact;
    double impulse;
  };
  const std::vector<Impact> expected = {
      {0.2704, 1, 1.8753}, {0.5988, 0, 4.450},  {0.8431, 1, 0.8472}, {1.0265, 0, 1.9522}, {1.1337, 1, 0.3719},
      {1.2142, 0, 0.8566}, {1.2612, 1, 0.1630}, {1.2966, 0, 0.3758}, {1.3172, 1, 0.0715}, {1.3328, 0, 0.1649}};
  SceneRun run = open_benchmark("ball_in_corner", {"time.end=1.335"});
  std::vector<Impact> seen;
  run.run([&](const SceneRun& r) {
    constexpr double kImpact = 0.05;  // [N s] below the least of the list, above m g dt
    for (int k = 0; k < 2; ++k) {
      const double impulse = r.report.contacts[k].impulse[0];
      if (impulse > kImpact) seen.push_back({r.state.t, k, impulse});
    }
  });
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(seen[i].contact, expected[i].contact) << i;
    EXPECT_NEAR(seen[i].t, expected[i].t, 1.01 * run.scene.time.step) << i;
    EXPECT_NEAR(seen[i].impulse, expected[i].impulse, 1e-3) << i;
  }
}

TEST(GoldenGeneralizedAlpha, BallComesToRestInTheCornerWithoutFailure) {
  SceneRun run = open_benchmark("ball_in_corner");
  long iterations = 0;
  int inexact = 0;
  int fallbacks = 0;
  const double t_rest = 1.40;
  const auto n = std::lround(run.scene.time.end / run.scene.time.step);
  while (run.state.step < n) {
    const Status status = run.step();
    ASSERT_NE(status, Status::failed);
    if (status == Status::inexact) ++inexact;
    EXPECT_LE(run.report.penetration, 1e-12) << "t = " << run.state.t;
    iterations += run.report.solve.iterations;
    fallbacks += run.report.fallbacks > 0 ? 1 : 0;
    if (run.state.t < t_rest) continue;
    // At rest only the sum of the forces is determined: the weight.
    Vector3 force = Vector3::Zero();
    double torque = 0.0;
    for (const ContactReport& contact : run.report.contacts) {
      EXPECT_NE(contact.status, ContactStatus::open);
      force += contact.force[0] * contact.normal + contact.force[1] * contact.tangent;
      torque += contact.force[1] * 0.1;
    }
    EXPECT_LE((force - Vector3(0.0, kGravity, 0.0)).norm(), 1e-8);
    EXPECT_NEAR(torque, 0.0, 1e-8);
  }
  EXPECT_EQ(inexact, 0);
  EXPECT_LE(fallbacks, 40);  // while the last bounces on both walls die out
  EXPECT_LE(static_cast<double>(iterations) / static_cast<double>(n), 0.36);  // the paper's average
  EXPECT_LE(run.state.u.norm(), 1e-6);
  EXPECT_NEAR(run.state.q(0), 0.0, 1e-6);
  EXPECT_NEAR(run.state.q(1), 0.1 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(run.state.q(2), -11.5569721, 1e-4);
}

TEST(GoldenGeneralizedAlpha, BallInCylinder) {
  SceneRun run = open_benchmark("ball_in_cylinder", {"scheme.tolerance=1e-12"});
  const Comparison c = compare_run(run, "cylinder", 10.0);
  EXPECT_EQ(c.rows, 100);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  EXPECT_LE(c.force, kTight);
}

TEST(GoldenGeneralizedAlpha, OneNewtonStepIsEnoughInSmoothMotion) {
  // Start values from the last two steps are off by dt^2 omega^2 = 1e-3, and what one Newton step leaves of that is
  // above this tolerance in half of all steps; from the last three by 3e-5, and it is below.
  SceneRun run = open_benchmark("ball_in_cylinder", {"scheme.tolerance=1e-10"});
  long iterations = 0;
  run.run([&](const SceneRun& r) { iterations += r.report.solve.iterations; });
  EXPECT_LE(iterations, 1150) << "of 1000 steps";
}

TEST(GoldenGeneralizedAlpha, SlidingRod) {
  SceneRun run = open_benchmark("sliding_rod", {"scheme.rho_inf=0.9", "scheme.tolerance=1e-12"});
  // Consistent accelerations at the start: lambda_N = -b / A.
  EXPECT_NEAR(run.report.contacts[0].force[0], 10.0317166563, 1e-8);
  const Comparison c = compare_run(run, "rod", 0.81, -1.0);
  EXPECT_GE(c.rows, 50);
  EXPECT_LE(c.q, kTight);
  EXPECT_LE(c.u, kTight);
  EXPECT_LE(c.percussion, kTight);
  // Forces grow to 100 N and their error with them: A -> 0.
  EXPECT_LE(c.force, 100.0 * kTight);
}

TEST(GoldenGeneralizedAlpha, RodLeavesTheGroundByTheRuleAndSaysSo) {
  SceneRun run = open_benchmark("sliding_rod", {"scheme.rho_inf=0.9"});
  double first_choice = 0.0;
  double first_open = 0.0;
  run.run([&](const SceneRun& r) {
    if (r.report.choices > 0 && first_choice == 0.0) first_choice = r.state.t;
    if (r.report.contacts[0].status == ContactStatus::open && first_open == 0.0) first_open = r.state.t;
  });
  // Sliding ends at t = 0.81446, where A = 0.
  EXPECT_NEAR(first_choice, 0.8145, 2.0 * run.scene.time.step);
  EXPECT_NEAR(first_open, 0.8145, 4.0 * run.scene.time.step);
}

TEST(GoldenGeneralizedAlpha, TippeTop) {
  SceneRun run = open_benchmark("tippe_top", {"time.step=1e-3", "time.end=4"});
  // theta(t) of the reference at the same step.
  const std::map<long, double> expected = {{250, 0.112179},  {500, 0.506799},  {1000, 1.492043}, {1500, 2.871903},
                                           {2000, 2.934411}, {2500, 3.059422}, {3000, 3.065222}, {4000, 3.032400}};
  std::size_t seen = 0;
  run.run([&](const SceneRun& r) {
    EXPECT_LE(r.report.penetration, 1e-12);
    const auto row = expected.find(r.state.step);
    if (row == expected.end()) return;
    ++seen;
    const double cosine = r.built.system->calc_pose(0, r.state.t, r.state.q).R_WB(2, 2);
    EXPECT_NEAR(std::acos(std::clamp(cosine, -1.0, 1.0)), row->second, 1e-3) << "t = " << r.state.t;
  });
  EXPECT_EQ(seen, expected.size());
}

/// Of the solutions that a step has the rule takes the one that opens; where that is none, it slides on. With phi the
/// rod's inclination, a sliding tip has g_ddot = A lambda_N + b, b = -g + l sin(phi) u_phi^2 < 0 near the paradox.
/// While A > 0 opening is no solution, as the tip would fall into the ground, and lambda_N = -b / A is one; there is a
/// choice all the same, at t = 0.8144 s (A = 0.0015), where an impact that stops the tip solves the step too. With A <
/// 0 no force holds the tip; what is left are percussions and opening, which the discrete step has as a solution from
/// 0.8152 s on: nothing acts. (Every solution of these steps, found for each index set by itself:
/// docs/generalized-alpha.md.)
void check_choice(const SceneRun& run) {
  const ContactReport& tip = run.report.contacts[0];
  const double phi = -run.state.q(2);
  constexpr double kMu = 5.0 / 3.0;
  const double A = 1.0 + 3.0 * std::cos(phi) * (std::cos(phi) - kMu * std::sin(phi));  // [1/kg] m = l = 1, J = 1/3
  if (A > 0.0) {
    const double b = -10.0 + std::sin(phi) * run.state.u(2) * run.state.u(2);
    EXPECT_EQ(tip.status, ContactStatus::slip) << "t = " << run.state.t;
    EXPECT_NEAR(tip.force[0], -b / A, 1e-6 * tip.force[0]);
  } else {
    EXPECT_EQ(tip.status, ContactStatus::open) << "t = " << run.state.t;
    EXPECT_EQ(tip.force[0], 0.0);
    EXPECT_EQ(tip.percussion[0], 0.0);
  }
}

TEST(GoldenGeneralizedAlpha, TheRulesChoiceIsReproducible) {
  std::vector<std::vector<std::byte>> ends;
  for (int i = 0; i < 2; ++i) {
    SceneRun run = open_benchmark("sliding_rod", {"scheme.rho_inf=0.9"});
    int chosen = 0;
    while (run.state.t < 0.83 - 0.5 * run.scene.time.step) {
      ASSERT_NE(run.step(), Status::failed);
      chosen += run.report.choices;
      if (run.report.choices > 0) check_choice(run);
      // Until the paradox nothing is chosen.
      if (run.state.t < 0.8136) {
        EXPECT_EQ(run.report.choices, 0) << "t = " << run.state.t;
      }
    }
    EXPECT_GT(chosen, 0);
    ends.push_back(to_bytes(run.state));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

SceneRun open_hopper() {
  // Axial forces are known to EA times the round-off of strains, 4e-9 N: relative accelerations of about 1e-9.
  return open_benchmark("hopper", {"scheme.rho_inf=0", "scheme.tolerance=1e-7", "time.step=5e-5", "time.end=0.4"});
}

TEST(GoldenGeneralizedAlpha, Hopper) {
  SceneRun run = open_hopper();
  const std::map<long, double> height = {{2000, 0.263539}, {4000, 0.287374}, {6000, 0.394623}, {8000, 0.399878}};
  const std::map<long, double> foot = {{4000, 0.003032}, {6000, -0.000993}, {8000, -0.002238}};
  constexpr double kDigits = 1e-6;  // of these numbers
  constexpr double kDrift = 1e-12;
  const Eigen::Index foot_x = run.state.q.size() - 2;
  double sum = 0.0;
  double sum_friction = 0.0;
  double largest = 0.0;
  std::vector<double> switches;
  bool was_closed = false;
  run.run([&](const SceneRun& r) {
    EXPECT_LE(r.report.drift_position, kDrift);
    EXPECT_LE(r.report.drift_angle, kDrift);
    EXPECT_LE(r.report.penetration, kDrift);
    const ContactReport& contact = r.report.contacts[0];
    sum += contact.percussion[0];
    sum_friction += contact.percussion[1];
    largest = std::max(largest, contact.percussion[0]);
    constexpr double kClosed = 1e-7;  // [m] as the reference counts it
    const bool closed = contact.gap <= kClosed;
    if (closed != was_closed) switches.push_back(r.state.t);
    was_closed = closed;
    if (height.contains(r.state.step)) {
      EXPECT_NEAR(r.state.q(1), height.at(r.state.step), kDigits);
    }
    if (foot.contains(r.state.step)) {
      EXPECT_NEAR(r.state.q(foot_x), foot.at(r.state.step), 2.0 * kDigits);
    }
  });
  EXPECT_NEAR(sum, 16.576955, 1e-4 * 16.576955);
  EXPECT_NEAR(sum_friction, 0.243366, 1e-4 * 16.576955);
  EXPECT_NEAR(largest, 0.0470392, 1e-4 * 0.0470392);
  const std::vector<double> expected = {0.12625, 0.12635, 0.12645, 0.1276, 0.1304, 0.1808, 0.1822, 0.18225};
  ASSERT_EQ(switches.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(switches[i], expected[i], 1.01 * run.scene.time.step) << i;
  }
}

/// Nothing penetrates or drifts at a tight tolerance, in any benchmark.
struct TightBenchmark {
  const char* name;
  const char* end;  // [s]
  /// Steps that may end inexact: none but two of the corner, as the ball comes to rest between the walls. Four rows
  /// then hold three velocities, and where a wall's gap, xi and P are all within round-off of zero, the index sets of
  /// the three levels do not settle; no method finds an iterate below 1e-12, and the best is said to be none.
  int inexact;
};

class TightBenchmarks : public testing::TestWithParam<TightBenchmark> {};

TEST_P(TightBenchmarks, HoldPositions) {
  const TightBenchmark& benchmark = GetParam();
  SceneRun run = open_benchmark(benchmark.name, {"scheme.tolerance=1e-12", std::string("time.end=") + benchmark.end});
  constexpr double kHeld = 1e-12;  // [m, rad]
  double penetration = 0.0;
  double drift = 0.0;
  int inexact = 0;
  const auto n = std::lround(run.scene.time.end / run.scene.time.step);
  while (run.state.step < n) {
    const Status status = run.step();
    ASSERT_NE(status, Status::failed) << "t = " << run.state.t << " " << run.report.message;
    inexact += status == Status::inexact ? 1 : 0;
    penetration = std::max(penetration, run.report.penetration);
    drift = std::max({drift, run.report.drift_position, run.report.drift_angle});
  }
  EXPECT_LE(inexact, benchmark.inexact);
  EXPECT_LE(penetration, kHeld);
  EXPECT_LE(drift, kHeld);
}

INSTANTIATE_TEST_SUITE_P(
    All, TightBenchmarks,
    testing::Values(TightBenchmark{"bouncing_ball_zeno", "2", 0}, TightBenchmark{"bouncing_ball_slip", "2", 0},
                    TightBenchmark{"bouncing_ball_stick", "2", 0}, TightBenchmark{"ball_in_corner", "1.6", 2},
                    TightBenchmark{"ball_in_cylinder", "10", 0}, TightBenchmark{"sliding_rod", "1.6", 0},
                    TightBenchmark{"hopper", "0.25", 0}, TightBenchmark{"tippe_top", "4", 0}),
    [](const auto& benchmark) { return std::string(benchmark.param.name); });

TEST(GoldenGeneralizedAlpha, FixedPointFindsTheSameSolutions) {
  for (const char* scene : {"bouncing_ball_slip", "ball_in_cylinder"}) {
    SceneRun newton = open_benchmark(scene, {"time.end=1"});
    SceneRun fixed = open_benchmark(scene, {"time.end=1", "scheme.strategy=fixed-point"});
    newton.run();
    fixed.run();
    EXPECT_LE((newton.state.q - fixed.state.q).norm(), 1e-7) << scene;
    EXPECT_LE((newton.state.u - fixed.state.u).norm(), 1e-7) << scene;
  }
}

}  // namespace
}  // namespace stickslip
