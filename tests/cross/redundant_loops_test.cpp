// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with more joint rows than they need, under the generalized-alpha scheme: reactions at the end of each step
// against those of least norm from the equations of motion there, momentum and energy to the scheme's order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/constraints/instant.h"
#include "stickslip/math/symmetric_eigen.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/scene_run.h"
#include "tests/support/spinning_bodies.h"

namespace stickslip {
namespace {

std::string header(double end, double step, const std::string& rho_inf) {
  return "stickslip = 1\nscheme = {type = \"generalized-alpha\", rho_inf = " + rho_inf +
         "}\ntime = {end = " + std::to_string(end) + ", step = " + std::to_string(step) + "}\n";
}

/// Driven: a load and a torque that change with time.
std::string hinged_bodies(int n_hinges, bool driven) {
  std::string text = test::spinning_bodies(n_hinges);
  if (driven) {
    text += R"toml([forces.push]
type = "load"
body = "b"
at = [0.2, -0.1]
force = ["3*sin(7*t)", "2*cos(5*t)"]
torque = "0.5*sin(3*t)"
)toml";
  }
  return text;
}

/// The linkage of scenes/four_bar.toml, that starts with its cranks 60 degrees below the horizontal and of which one is
/// driven to and fro: it does not come to where it is stretched and all its forces are plain.
std::string driven_four_bar() {
  std::string text =
      "gravity = [0, -9.81]\nparameters = {c = \"=0.2*cos(pi/3)\", s = \"=0.2*sin(pi/3)\"}\n[bodies.ground]\n"
      "type = \"fixed\"\n[bodies.coupler]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n"
      "position = [\"=1+2*c\", \"=-2*s\"]\n";
  for (const std::string i : {"0", "1", "2"}) {
    text += "[bodies.crank" + i + "]\ntype = \"planar\"\nmass = 0.3\ninertia = 0.004\nposition = [\"=" + i +
            "+c\", \"=-s\"]\nangle = \"=-pi/3\"\n[joints.low" + i +
            "]\ntype = \"revolute\"\nbetween = [\"ground\", \"crank" + i + "\"]\nat = [" + i + ", 0]\n" +
            (i == "0" ? "motion = \"0.8*sin(1.3*t)^2 - 0.9*sin(0.7*t)^2\"\n" : "") + "[joints.high" + i +
            "]\ntype = \"revolute\"\nbetween = [\"crank" + i + "\", \"coupler\"]\nat = [\"=" + i +
            "+2*c\", \"=-2*s\"]\n";
  }
  return text;
}

/// Spatial rigid bodies in a row that hangs on what is fixed or swings: each is joined to the last by a hinge of six
/// distances, from two points of the axis to three points of the other body each. Five would do: the distance of the
/// two points is that of the bodies. Axes along y and x in turns.
std::string spatial_chain(int n_bodies, bool driven) {
  std::string text = "gravity = [0.5, 0.3, -9.81]\n[bodies.base]\n";
  text +=
      driven ? "type = \"moving\"\nposition = [\"0.1*sin(3*t)^2\", \"0.05*sin(4*t)^2\", 0]\n" : "type = \"fixed\"\n";
  for (int i = 0; i < n_bodies; ++i) {
    text += "[bodies.link" + std::to_string(i) + "]\nmass = " + std::to_string(1.0 + 0.3 * i) +
            "\ninertia = [0.02, 0.03, 0.015]\nposition = [0, 0, " + std::to_string(-0.25 - 0.5 * i) + "]\n";
    const std::string first = i == 0 ? "base" : "link" + std::to_string(i - 1);
    const double hinge = i == 0 ? 0.0 : -0.25;  // height of the axis, in the first body
    for (int k = 0; k < 2; ++k) {
      const std::string along = k == 0 ? "-0.2" : "0.2";
      const std::string at_a = (i % 2 == 0 ? "[0, " + along : "[" + along + ", 0") + ", " + std::to_string(hinge) + "]";
      const std::array<const char*, 3> ends = {"[0.2, 0.1, -0.1]", "[-0.2, 0.15, -0.05]", "[0.05, -0.2, -0.15]"};
      for (int m = 0; m < 3; ++m) {
        text += "[joints.bar" + std::to_string(i) + "-" + std::to_string(k) + std::to_string(m) +
                "]\ntype = \"distance\"\nbetween = [\"" + first + "\", \"link" + std::to_string(i) +
                "\"]\nat_a = " + at_a + "\nat_b = " + ends[m] + "\n";
      }
    }
  }
  return text;
}

/// Planar bodies in a row of 0.5 m each, two hinges between neighbours: one row each more than needed. Spins freely.
std::string long_row(int n_bodies) {
  constexpr double kSpin = 1.0;  // [rad/s]
  std::string text = "gravity = [0, -9.81]\n";
  for (int i = 0; i < n_bodies; ++i) {
    const double x = 0.5 * (i - 0.5 * (n_bodies - 1));
    text += "[bodies.link" + std::to_string(i) + "]\ntype = \"planar\"\nmass = " + std::to_string(1.0 + i % 3) +
            "\ninertia = 0.05\nposition = [" + std::to_string(x) + ", 0]\nvelocity = [0, " + std::to_string(kSpin * x) +
            "]\nangular_velocity = " + std::to_string(kSpin) + "\n";
  }
  for (int i = 0; i + 1 < n_bodies; ++i) {
    const double x = 0.5 * (i + 1 - 0.5 * (n_bodies - 1)) - 0.25;
    for (const std::string y : {"-0.2", "0.2"}) {
      text += "[joints.hinge" + std::to_string(i) + (y == "0.2" ? "high" : "low") +
              "]\ntype = \"revolute\"\nbetween = [\"link" + std::to_string(i) + "\", \"link" + std::to_string(i + 1) +
              "\"]\nat = [" + std::to_string(x) + ", " + y + "]\n";
    }
  }
  return text;
}

/// The joints' multipliers of least norm at a state, from the equations of motion there: with G = W^T M^-1 W and D its
/// diagonal, G lambda = -(W^T M^-1 h + zeta), by the eigenvectors of D^-1/2 G D^-1/2.
class LeastNormReactions {
 public:
  explicit LeastNormReactions(const System& system)
      : system_(system), solver_(make_solver(AutoOptions{})), at_(system), instant_(system, *solver_) {}

  /// False where the rank at the state is a matter of digits: an eigenvalue lies between none and some.
  bool find(const State& state, double some = 1e-4) {
    constexpr double kNone = 1e-12;  // [-] of the largest
    at_.take(state.t, state.q, &state.u);
    instant_.take(at_, no_points_, state.inputs);
    const auto n = static_cast<Eigen::Index>(instant_.zeta().size());
    const int n_u = system_.n_u();
    Matrix W(n_u, n);
    ConstraintSet set(system_);
    set.gather(at_, no_points_, 0.0, 0.0);
    Vector column;
    for (Eigen::Index i = 0; i < n; ++i) {
      std::vector<double> unit(n, 0.0);
      unit[i] = 1.0;
      set.calc_generalized_percussions(unit, column);
      W.col(i) = column;
    }
    Matrix response(n_u, n);
    Vector solved(n_u);
    for (Eigen::Index i = 0; i < n; ++i) {
      system_.solve_mass(W.col(i), solved);
      response.col(i) = solved;
    }
    RowMatrix G = W.transpose() * response;
    system_.solve_mass(instant_.force(), solved);
    Vector right = -(W.transpose() * solved) - ConstVectorView(instant_.zeta().data(), n);
    const Vector root = G.diagonal().cwiseSqrt();
    for (Eigen::Index i = 0; i < n; ++i) {
      right(i) /= root(i);
      for (Eigen::Index j = 0; j < n; ++j) G(i, j) /= root(i) * root(j);
    }
    Vector values(n);
    RowMatrix vectors(n, n);
    calc_symmetric_eigen(static_cast<int>(n), G.data(), values.data(), vectors.data());
    const double largest = values.maxCoeff();
    lambda_ = Vector::Zero(n);
    n_free_ = 0;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (values(k) <= kNone * largest) {
        ++n_free_;
        continue;
      }
      if (values(k) < some * largest) return false;
      lambda_ += vectors.col(k).dot(right) / values(k) * vectors.col(k);
    }
    lambda_ = lambda_.cwiseQuotient(root);
    return true;
  }

  int n_free() const { return n_free_; }
  /// |reactions of a report - those| over the largest of them.
  double compare(const State& state, const StepReport& report) const {
    double off = 0.0;
    double largest = 0.0;
    Eigen::Index row = 0;
    for (std::size_t j = 0; j < report.joints.size(); ++j) {
      const int dim = system_.joints()[j].dim;
      const JointVector of_joint = lambda_.segment(row, dim);
      row += dim;
      const JointReaction expected = system_.calc_joint_reaction(static_cast<int>(j), state.t, state.q, of_joint);
      off = std::max(off, (report.joints[j].reaction_force - expected.force).norm());
      largest = std::max(largest, expected.force.norm());
    }
    return off / largest;
  }

 private:
  const System& system_;
  std::unique_ptr<ConeSolver> solver_;
  BodySnapshot at_;
  Instant instant_;
  const std::vector<ContactPoint> no_points_;
  Vector lambda_;
  int n_free_ = 0;
};

struct LoopCase {
  const char* name;
  int n_free;    // rows more than needed
  double least;  // [-] share of the steps at which rank is plain, at least
};

void PrintTo(const LoopCase& c, std::ostream* out) {
  *out << c.name;
}

test::SceneRun open_case(const std::string& name, double end, double step, const std::string& rho_inf) {
  if (name == "four_bar") {
    return test::open_scene("four_bar", {"scheme.type=generalized-alpha", "scheme.rho_inf=" + rho_inf,
                                         "time.end=" + std::to_string(end), "time.step=" + std::to_string(step)});
  }
  const bool driven = name.ends_with("driven");
  std::string text;
  if (name.starts_with("two_hinges")) text = hinged_bodies(2, driven);
  if (name.starts_with("three_hinges")) text = hinged_bodies(3, driven);
  if (name.starts_with("spatial_chain")) text = spatial_chain(3, driven);
  if (name == "long_row") text = long_row(40);
  if (name == "four_bar_driven") text = driven_four_bar();
  std::string scheme = header(end, step, rho_inf);
  // Of 40 bodies forces differ by the residual times a million: some must be left for 1e-8.
  if (name == "long_row") scheme.replace(scheme.find("rho_inf"), 0, "tolerance = 1e-12, ");
  return test::scene_from_text(scheme + text);
}

class RedundantLoops : public testing::TestWithParam<std::tuple<LoopCase, std::string>> {};

void expect_least_norm(const LoopCase& c, const std::string& rho_inf, double end, double step, int every,
                       double some = 1e-4) {
  constexpr double kEqual = 1e-8;  // [-]
  test::SceneRun run = open_case(c.name, end, step, rho_inf);
  LeastNormReactions reactions(*run.built.system);
  int n_compared = 0;
  int n_steps = 0;
  double worst = 0.0;
  double worst_time = 0.0;
  int n_inexact = 0;
  const auto n = std::lround(end / step);
  while (run.state.step < n) {
    const Status status = run.step();
    ASSERT_NE(status, Status::failed) << run.report.message;
    if (status != Status::ok) ++n_inexact;
    if (run.state.step % every != 0) continue;
    ++n_steps;
    // Stretched out, where it comes to rest for an instant, the linkage has a second direction that is free.
    if (!reactions.find(run.state, some) || reactions.n_free() != c.n_free) continue;
    ++n_compared;
    const double off = reactions.compare(run.state, run.report);
    if (off > worst) {
      worst = off;
      worst_time = run.state.t;
    }
  }
  EXPECT_LE(worst, kEqual) << "t = " << worst_time;
  EXPECT_GE(n_compared, c.least * n_steps);
  EXPECT_LE(n_inexact, (1.0 - c.least) * 0.01 * static_cast<double>(n));
  std::printf("%s, rho_inf %s: %.1e at most in %d of %d states, %d steps inexact\n", c.name, rho_inf.c_str(), worst,
              n_compared, n_steps, n_inexact);
}

TEST_P(RedundantLoops, HaveReactionsOfLeastNorm) {
  const auto& [c, rho_inf] = GetParam();
  expect_least_norm(c, rho_inf, 4.0, 1e-3, 10);
}

/// [s] Of 20 s it was measured once (docs/generalized-alpha.md).
constexpr double kFineEnd = 4.0;

class SlowRedundantLoops : public RedundantLoops {};

TEST_P(SlowRedundantLoops, HaveReactionsOfLeastNormFor20Seconds) {
  const auto& [c, rho_inf] = GetParam();
  expect_least_norm(c, rho_inf, 20.0, 1e-3, 1);
}

TEST_P(SlowRedundantLoops, HaveReactionsOfLeastNormAtFineSteps) {
  const auto& [c, rho_inf] = GetParam();
  expect_least_norm(c, rho_inf, kFineEnd, 1e-4, 40);
}

const std::vector<LoopCase> kLoops = {{"four_bar", 1, 0.9},      {"four_bar_driven", 1, 1.0},
                                      {"two_hinges", 1, 1.0},    {"two_hinges_driven", 1, 1.0},
                                      {"three_hinges", 3, 1.0},  {"three_hinges_driven", 3, 1.0},
                                      {"spatial_chain", 3, 1.0}, {"spatial_chain_driven", 3, 1.0}};

std::string loop_name(const testing::TestParamInfo<std::tuple<LoopCase, std::string>>& info) {
  std::string rho_inf = std::get<1>(info.param);
  std::ranges::replace(rho_inf, '.', '_');
  return std::string(std::get<0>(info.param).name) + "_rho" + rho_inf;
}

INSTANTIATE_TEST_SUITE_P(Loops, RedundantLoops,
                         testing::Combine(testing::ValuesIn(kLoops), testing::Values("0", "0.5", "1")), loop_name);
INSTANTIATE_TEST_SUITE_P(SlowLoops, SlowRedundantLoops,
                         testing::Combine(testing::ValuesIn(kLoops), testing::Values("0", "0.5", "1")), loop_name);

/// 156 rows, 39 of them more than needed: far above what dense elimination takes beside a step.
TEST(LongRedundantLoops, HaveReactionsOfLeastNorm) {
  const LoopCase c{"long_row", 39, 1.0};
  expect_least_norm(c, "0.5", 0.4, 1e-3, 100, 1e-9);
}

/// Momentum about the centre of mass [N m s] and energy error [J] of two hinged bodies in free flight.
struct Ledger {
  double angular, energy;
};

Ledger fly(const std::string& name, double step, const std::string& rho_inf) {
  test::SceneRun run = open_case(name, 2.0, step, rho_inf);
  const System& system = *run.built.system;
  const auto angular = [&](const State& state) {
    Vector3 center = Vector3::Zero();
    Vector3 velocity = Vector3::Zero();
    double mass = 0.0;
    for (const Body& body : system.bodies()) {
      center += body.mass * Vector3(state.q(body.q_offset), state.q(body.q_offset + 1), 0.0);
      velocity += body.mass * Vector3(state.u(body.u_offset), state.u(body.u_offset + 1), 0.0);
      mass += body.mass;
    }
    center /= mass;
    velocity /= mass;
    double sum = 0.0;
    for (const Body& body : system.bodies()) {
      const double x = state.q(body.q_offset) - center.x();
      const double y = state.q(body.q_offset + 1) - center.y();
      const double vx = state.u(body.u_offset) - velocity.x();
      const double vy = state.u(body.u_offset + 1) - velocity.y();
      sum += body.mass * (x * vy - y * vx) + body.inertia(2, 2) * state.u(body.u_offset + 2);
    }
    return sum;
  };
  const double before = angular(run.state);
  double linear = 0.0;
  double energy = 0.0;
  run.run([&](const test::SceneRun& at) {
    energy = std::max(energy, std::abs(at.report.energy_error));
    double px = 0.0;
    for (const Body& body : system.bodies()) px += body.mass * at.state.u(body.u_offset);
    linear = std::max(linear, std::abs(px - 3.4));
  });
  // Forces between the two are equal and opposite, whatever the step.
  EXPECT_LE(linear, 1e-10) << name;
  return {std::abs(angular(run.state) - before), energy};
}

TEST(RedundantLoopsBalance, KeepMomentumAndEnergyToSecondOrder) {
  for (const char* name : {"two_hinges", "three_hinges"}) {
    for (const char* rho_inf : {"0", "0.5", "1"}) {
      const Ledger coarse = fly(name, 2e-3, rho_inf);
      const Ledger fine = fly(name, 1e-3, rho_inf);
      // 0.5 % of the momentum and the energy of the spin at most, and a quarter with half the step.
      EXPECT_LE(coarse.angular, 0.005 * 5.0) << name << " " << rho_inf;
      EXPECT_LE(fine.angular, 0.28 * coarse.angular + 1e-9) << name << " " << rho_inf;
      EXPECT_LE(fine.energy, 0.28 * coarse.energy + 1e-9) << name << " " << rho_inf;
    }
  }
}

}  // namespace
}  // namespace stickslip
