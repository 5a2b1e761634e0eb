// SPDX-License-Identifier: BSD-3-Clause
// The shipped mechanisms under Moreau's and the generalized-alpha scheme: every step solved, and each against what is
// known of its motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

/// The worst of a run's certificates.
struct Certificate {
  int steps = 0, inexact = 0, failed = 0, fallbacks = 0;
  double penetration = 0.0, drift_position = 0.0, drift_angle = 0.0, coulomb_residual = 0.0;

  void add(Status status, const StepReport& r) {
    ++steps;
    inexact += status == Status::inexact ? 1 : 0;
    failed += status == Status::failed ? 1 : 0;
    fallbacks += r.fallbacks > 0 ? 1 : 0;
    penetration = std::max(penetration, r.penetration);
    drift_position = std::max(drift_position, r.drift_position);
    drift_angle = std::max(drift_angle, r.drift_angle);
    coulomb_residual = std::max(coulomb_residual, r.coulomb_residual);
  }
};

class Mechanisms : public testing::TestWithParam<std::string> {
 protected:
  bool is_generalized_alpha() const { return GetParam() == "generalized-alpha"; }

  test::SceneRun open(const std::string& name, std::vector<std::string> overrides = {}) const {
    overrides.insert(overrides.begin(), "scheme.type=" + GetParam());
    return test::open_scene(name, std::move(overrides));
  }

  /// Runs to the end and expects every step to be solved; the generalized-alpha scheme also holds positions.
  template <class OnStep>
  Certificate expect_certified(test::SceneRun& run, OnStep&& on_step) const {
    Certificate c;
    const auto n = std::lround((run.scene.time.end - run.scene.time.start) / run.scene.time.step);
    while (run.state.step < n && c.failed == 0) {
      c.add(run.step(), run.report);
      on_step(run);
    }
    EXPECT_EQ(c.inexact, 0) << run.scene.name;
    EXPECT_EQ(c.failed, 0) << run.scene.name << ": " << run.report.message;
    if (is_generalized_alpha()) {
      constexpr double kHeld = 1e-12;  // [m, rad] the tolerance of a step times its way
      EXPECT_LE(c.penetration, kHeld * std::max(1.0, coordinate_size(run)));
      EXPECT_LE(c.drift_position, kHeld * std::max(1.0, coordinate_size(run)));
      EXPECT_LE(c.drift_angle, kHeld);
    } else {
      EXPECT_EQ(c.fallbacks, 0);
    }
    const std::string prefix = run.scene.name + (is_generalized_alpha() ? "_generalized_alpha_" : "_moreau_");
    RecordProperty(prefix + "steps", c.steps);
    RecordProperty(prefix + "fallbacks", c.fallbacks);
    RecordProperty(prefix + "coulomb_residual", std::to_string(c.coulomb_residual));
    return c;
  }
  Certificate expect_certified(test::SceneRun& run) const {
    return expect_certified(run, [](const test::SceneRun&) {});
  }

  static double coordinate_size(const test::SceneRun& run) { return run.state.q.cwiseAbs().maxCoeff(); }
};

int find_joint(const System& system, const std::string& name) {
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    if (system.joints()[j].options.name == name) return static_cast<int>(j);
  }
  return -1;
}

TEST_P(Mechanisms, FourBarWithARedundantCrankSwingsAsAPendulum) {
  // In minimal coordinates, s the angle of the cranks below the horizontal,
  //   (m_c + m) L s'' = (m_c + 3 m / 2) g cos s,   s = s' = 0 at the start,
  // by a Runge-Kutta method of fourth order, error below 1e-12. It starts stretched out, where a third constraint is
  // redundant and the solution most sensitive.
  constexpr double L = 0.4, m = 0.3, m_c = 1.0;
  const auto rate = [](double s) { return (m_c + 1.5 * m) * kGravity / ((m_c + m) * L) * std::cos(s); };
  const auto error = [&](double h) {
    test::SceneRun run = open("four_bar", {"time.step=" + std::to_string(h)});
    const Body& crank = run.built.system->bodies()[run.built.system->find_body("crank0")];
    double angle = 0.0;
    double speed = 0.0;
    double worst = 0.0;
    expect_certified(run, [&](const test::SceneRun& r) {
      constexpr int kParts = 4;
      const double dt = h / kParts;
      for (int i = 0; i < kParts; ++i) {
        const double a1 = rate(angle);
        const double a2 = rate(angle + 0.5 * dt * speed);
        const double a3 = rate(angle + 0.5 * dt * (speed + 0.5 * dt * a1));
        const double a4 = rate(angle + dt * (speed + 0.5 * dt * a2));
        angle += dt * speed + dt * dt / 6.0 * (a1 + a2 + a3);
        speed += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
      }
      worst = std::max(
          {worst, std::abs(-r.state.q(crank.q_offset + 2) - angle), std::abs(-r.state.u(crank.u_offset + 2) - speed)});
    });
    return worst;
  };
  const double coarse = error(1e-3);
  const double fine = error(5e-4);
  // Second order; first in the drift of the joints under Moreau's scheme.
  if (is_generalized_alpha()) {
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05) << coarse << " " << fine;
  } else {
    EXPECT_GE(std::log2(coarse / fine), 0.9) << coarse << " " << fine;
  }
  // Digits: four of the largest rate, 6 rad/s, two under Moreau's scheme.
  EXPECT_LE(fine, is_generalized_alpha() ? 6e-4 : 6e-2) << fine;
}

TEST_P(Mechanisms, ChaplyginSleighAgainstItsClosedForm) {
  constexpr double a = 0.25, v0 = -0.4, w0 = 1.2, m = 2.0, J = 0.3;
  const double K = J + m * a * a;
  const double V = std::sqrt(v0 * v0 + K * w0 * w0 / m);
  const auto error = [&](double h) {
    test::SceneRun run = open("chaplygin_sleigh", {"time.step=" + std::to_string(h)});
    double worst = 0.0;
    expect_certified(run, [&](const test::SceneRun& r) {
      const double argument = m * a * V / K * r.state.t + std::atanh(v0 / V);
      const double angle = r.state.q(2);
      const double v = std::cos(angle) * r.state.u(0) + std::sin(angle) * r.state.u(1);
      worst = std::max({worst, std::abs(v - V * std::tanh(argument)),
                        std::abs(r.state.u(2) - std::sqrt(m / K) * V / std::cosh(argument))});
    });
    return worst;
  };
  const double coarse = error(0.02);
  const double fine = error(0.01);
  EXPECT_LE(fine, is_generalized_alpha() ? 2e-4 : 2e-2);
  if (is_generalized_alpha()) {
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
  } else {
    EXPECT_GE(std::log2(coarse / fine), 0.9);
  }
}

TEST_P(Mechanisms, TableMovesUnderASphereThatRolls) {
  test::SceneRun run = open("moving_table");
  const double omega = 2.0 * std::numbers::pi;
  const double h = run.scene.time.step;
  double worst = 0.0;
  expect_certified(run, [&](const test::SceneRun& r) {
    // The velocity of the surface enters Moreau's scheme at the middle of the step.
    const double t = is_generalized_alpha() ? r.state.t : r.state.t - 0.5 * h;
    worst = std::max(worst, std::abs(r.state.u(0) - 2.0 / 7.0 * 0.1 * omega * std::sin(omega * t)));
    // Moreau's contacts open and close as the table falls away from the predicted gap by less than a micrometre.
    if (is_generalized_alpha()) {
      EXPECT_EQ(r.report.contacts[0].status, ContactStatus::stick);
    }
  });
  EXPECT_LE(worst, is_generalized_alpha() ? 1e-9 : 2.0 * h);  // m/s: the table's acceleration times the step
}

/// Percussions of all contacts against weight and momentum, which every scheme has to balance.
class MomentumBalance {
 public:
  explicit MomentumBalance(const test::SceneRun& run) : before_(momentum(run)) {}
  void add(const test::SceneRun& run) {
    for (const ContactReport& c : run.report.contacts) {
      percussion_ += c.percussion[0] * c.normal + c.percussion[1] * c.tangent;
    }
    for (const Body& b : run.built.system->bodies()) {
      if (b.n_u > 0) percussion_ += run.report.step * b.mass * run.built.system->gravity();
    }
  }
  /// [N s] what is left over.
  double error(const test::SceneRun& run) const { return (momentum(run) - before_ - percussion_).norm(); }

 private:
  static Vector3 momentum(const test::SceneRun& run) {
    const System& system = *run.built.system;
    Vector Mu(system.n_u());
    system.multiply_mass(run.state.u, Mu);
    Vector3 sum = Vector3::Zero();
    for (const Body& b : system.bodies()) {
      if (b.beam) {
        for (int i = 0; i < b.n_u; ++i) sum(i % 2) += Mu(b.u_offset + i);
      } else if (b.n_u > 0) {
        sum.head<2>() += Mu.segment<2>(b.u_offset);
      }
    }
    return sum;
  }
  Vector3 before_;
  Vector3 percussion_ = Vector3::Zero();
};

void expect_chain_lands(const test::SceneRun& run, const MomentumBalance& balance, double momentum) {
  EXPECT_LE(balance.error(run), 1e-9 * momentum);
  // It has landed, and friction and impacts without restitution have taken what it had.
  int closed = 0;
  for (const ContactReport& c : run.report.contacts) closed += c.status != ContactStatus::open ? 1 : 0;
  EXPECT_GE(closed, 5);
  EXPECT_GT(run.report.dissipated, 0.0);
}

TEST_P(Mechanisms, ChainOfRigidLinksFalls) {
  test::SceneRun run = open("chain_rigid");
  MomentumBalance balance(run);
  expect_certified(run, [&](const test::SceneRun& r) { balance.add(r); });
  expect_chain_lands(run, balance, 20 * 0.02 * kGravity);
}

TEST_P(Mechanisms, ChainOfBeamsFalls) {
  // To where the first beams have landed: the whole fall takes long.
  test::SceneRun run = open("chain_beams", {is_generalized_alpha() ? "time.end=0.3" : "time.end=1"});
  MomentumBalance balance(run);
  int most_closed = 0;
  expect_certified(run, [&](const test::SceneRun& r) {
    balance.add(r);
    most_closed = std::max(most_closed, r.report.closed_contacts);
  });
  EXPECT_LE(balance.error(run), 1e-9 * 20 * 0.02 * kGravity);
  EXPECT_GE(most_closed, 1);
}

/// tests/data/woodpecker/cycle.csv: one cycle from knock to knock.
struct WoodpeckerCycle {
  std::vector<double> times;        // [s]
  std::vector<std::string> events;  // "lower hit", ...
  double period = 0.0;              // [s]
  double fall = 0.0;                // [m] in one cycle

  WoodpeckerCycle() {
    std::ifstream file(STICKSLIP_TEST_DATA_DIR "/woodpecker/cycle.csv");
    std::string line;
    while (std::getline(file, line)) {
      if (line.empty() || line[0] == '#' || line[0] == 't') continue;
      std::istringstream in(line);
      std::string cell;
      std::getline(in, cell, ',');
      times.push_back(std::stod(cell));
      std::getline(in, cell, ',');
      events.push_back(cell);
      std::getline(in, cell, ',');
      fall = -std::stod(cell);
    }
    period = times.back();
  }
};

TEST_P(Mechanisms, WoodpeckerGoesThroughItsCycle) {
  const WoodpeckerCycle cycle;
  ASSERT_EQ(cycle.events.size(), 10U);
  test::SceneRun run = open("woodpecker");
  const System& system = *run.built.system;
  const int y = system.bodies()[system.find_body("carriage")].q_offset + 1;
  const double h = run.scene.time.step;
  // Contacts that begin to press, stick that begins and ends, and contacts that part after pressing for a while.
  struct Event {
    double t;
    std::string what;
  };
  std::vector<Event> events;
  std::vector<double> knocks;
  std::vector<double> heights;
  std::array<ContactStatus, 3> last = {};
  expect_certified(run, [&](const test::SceneRun& r) {
    constexpr std::array<const char*, 3> kNames = {"beak", "lower", "upper"};
    for (std::size_t k = 0; k < 3; ++k) {
      const ContactStatus now = r.report.contacts[k].status;
      const ContactStatus before = last[k];
      last[k] = now;
      const auto add = [&](const char* what) { events.push_back({r.state.t, std::string(kNames[k]) + " " + what}); };
      if (before == now) continue;
      if (before == ContactStatus::open) {
        add("hit");
        if (k == 0) {
          knocks.push_back(r.state.t);
          heights.push_back(r.state.q(y));
        }
      } else if (now == ContactStatus::open) {
        add("leave");
      } else {
        add(now == ContactStatus::stick ? "stop" : "slip");
      }
    }
  });
  ASSERT_EQ(knocks.size(), 4U);
  // The start is in the cycle to three digits, and each of the five impacts moves by up to a step. The mean of two
  // cycles:
  const double period = 0.5 * (knocks[3] - knocks[1]);
  EXPECT_NEAR(period, cycle.period, 5.0 * h);
  EXPECT_NEAR(0.5 * (heights[1] - heights[3]), cycle.fall, 0.015 * cycle.fall);
  // The phases of the last whole cycle, in their order and at their times. An impact after which a contact opens again
  // is one step of pressing in a scheme: its "leave" is not an event of the reference.
  std::vector<Event> phases;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (e.t < knocks[2] || e.t > knocks[3]) continue;
    const std::string contact = e.what.substr(0, e.what.find(' '));
    const bool parted_at_once =
        e.what == contact + " leave" && i > 0 &&
        std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Event& f) { return f.what == contact + " hit" && e.t - f.t < 2.5 * h && f.t < e.t; });
    if (!parted_at_once) phases.push_back({e.t - knocks[2], e.what});
  }
  ASSERT_EQ(phases.size(), cycle.events.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_EQ(phases[i].what, cycle.events[i]) << i;
    EXPECT_NEAR(phases[i].t, cycle.times[i], 0.01 * cycle.period) << phases[i].what;
  }
  EXPECT_GE(find_joint(system, "spring"), 0);
}

TEST_P(Mechanisms, WoodpeckerOfFiniteAngles) {
  test::SceneRun run = open("woodpecker_finite");
  int knocks = 0;
  ContactStatus last = ContactStatus::open;
  expect_certified(run, [&](const test::SceneRun& r) {
    const ContactStatus now = r.report.contacts[0].status;
    knocks += last == ContactStatus::open && now != ContactStatus::open ? 1 : 0;
    last = now;
  });
  EXPECT_EQ(knocks, 4);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Mechanisms, testing::Values("moreau", "generalized-alpha"), [](const auto& scheme) {
  return scheme.param == "moreau" ? std::string("Moreau") : std::string("GeneralizedAlpha");
});

}  // namespace
}  // namespace stickslip
