// SPDX-License-Identifier: BSD-3-Clause
// Joints that close loops leave forces undetermined: under the generalized-alpha scheme they stay those of least norm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/constraints/contact_finder.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/scene_run.h"
#include "tests/support/spinning_bodies.h"

namespace stickslip {
namespace {

using test::kGravity;

/// Two bodies in free flight that turn at 5 rad/s, held together by two hinges, one row more than they need.
std::string spinning(const std::string& rho_inf) {
  return "stickslip = 1\ntime = {end = 6, step = 1e-3}\nscheme = {type = \"generalized-alpha\", rho_inf = " + rho_inf +
         "}\n" + test::spinning_bodies(2);
}

/// (joints x 2) [N] in the plane, of a planar system all of whose rows are those of revolute joints.
Vector forces_of(const StepReport& report) {
  Vector forces(2 * static_cast<Eigen::Index>(report.joints.size()));
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    forces.segment<2>(2 * static_cast<Eigen::Index>(j)) = report.joints[j].reaction_force.head<2>();
  }
  return forces;
}

/// The same of least norm in the metric of D, from the joints' rows at the state: Lagrange's multipliers of
///   min sum D_r lambda_r^2,  W lambda = W forces.
Vector least_norm(const System& system, const State& state, const Vector& forces) {
  Matrix W = Matrix::Zero(system.n_u(), forces.size());
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& joint = system.joints()[j];
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = side == Side::first ? joint.first : joint.second;
      if (at.n_u == 0) continue;
      RowMatrix J(joint.dim, at.n_u);
      system.calc_joint_jacobian(static_cast<int>(j), state.t, state.q, side, J);
      W.block(at.u_offset, 2 * static_cast<Eigen::Index>(j), at.n_u, joint.dim) += J.transpose();
    }
  }
  Vector D(forces.size());
  Vector response(system.n_u());
  for (Eigen::Index r = 0; r < D.size(); ++r) {
    system.solve_mass(W.col(r), response);
    D(r) = W.col(r).dot(response);
  }
  const Vector root = D.cwiseSqrt();
  const Matrix scaled = W * root.cwiseInverse().asDiagonal();
  return solve_least_norm(scaled, W * forces, 1e-9).cwiseQuotient(root);
}

TEST(UndeterminedForces, StayThoseOfLeastNormWhereTheyTurn) {
  for (const char* rho_inf : {"0", "0.5", "1"}) {
    test::SceneRun run = test::scene_from_text(spinning(rho_inf));
    const double spin = run.state.u(2);
    double largest = 0.0;
    run.run([&](const test::SceneRun& at) {
      const Vector forces = forces_of(at.report);
      largest = std::max(largest, forces.cwiseAbs().maxCoeff());
      if (at.state.step % 500 != 0) return;
      EXPECT_LE((forces - least_norm(*at.built.system, at.state, forces)).norm(), 1e-8 * forces.norm())
          << "rho_inf " << rho_inf << ", t = " << at.state.t;
    });
    // The scheme is of second order; before, all of the spin went within 20 s.
    EXPECT_NEAR(run.state.u(2), spin, 1e-4) << rho_inf;
    EXPECT_LE(largest, 23.5) << rho_inf;  // [N] 23.4 in an independent implementation
  }
}

/// Three cranks that carry one coupler: two would do.
TEST(UndeterminedForces, OfALinkageStayThoseOfLeastNorm) {
  test::SceneRun run = test::open_scene("four_bar", {"scheme.type=generalized-alpha", "time.end=4"});
  double largest = 0.0;
  run.run([&](const test::SceneRun& at) {
    const Vector forces = forces_of(at.report);
    largest = std::max(largest, forces.cwiseAbs().maxCoeff());
    if (at.state.step % 100 != 0) return;
    EXPECT_LE((forces - least_norm(*at.built.system, at.state, forces)).norm(), 1e-8 * forces.norm())
        << "t = " << at.state.t;
  });
  EXPECT_LE(largest, 24.0);  // [N] the most under Moreau's scheme, whose forces are not extrapolated
}

/// A body of 3e5 kg that hangs on two chains of links of 3e-6 kg, held to the ground at both ends: a loop, in which
/// each force is determined, however little the links weigh.
TEST(UndeterminedForces, AreNotThoseThatLightLinksBear) {
  constexpr double kMass = 316227.766;  // [kg]
  std::string text =
      "stickslip = 1\ngravity = [0, -9.81]\ntime = {end = 0.02, step = 1e-3}\n"
      "scheme = {type = \"generalized-alpha\"}\n[bodies.ground]\ntype = \"fixed\"\n"
      "[bodies.load]\ntype = \"planar\"\nmass = " +
      std::to_string(kMass) + "\ninertia = 3e4\nposition = [0, -2]\n";
  for (const std::string side : {"-0.5", "0.5"}) {
    const std::string link = side == "0.5" ? "right" : "left";
    text += "[bodies." + link + "]\ntype = \"point\"\nmass = 3e-6\nposition = [" + side + ", -1]\n" + "[joints.up-" +
            link + "]\ntype = \"distance\"\nbetween = [\"ground\", \"" + link + "\"]\nat_a = [" + side +
            ", 0]\n[joints.down-" + link + "]\ntype = \"distance\"\nbetween = [\"" + link + "\", \"load\"]\nat_b = [" +
            side + ", 0]\n";
  }
  test::SceneRun run = test::scene_from_text(text);
  while (run.state.step < 20) ASSERT_EQ(run.step(), Status::ok);
  const double share = 0.5 * kMass * kGravity;
  for (const JointReport& joint : run.report.joints) EXPECT_NEAR(joint.reaction_force.norm(), share, 1e-6 * share);
}

/// A weight on two bars that sag by 3e-5 rad: both forces are determined, whatever the frame.
TEST(UndeterminedForces, AreNotThoseOfBarsThatSagLittle) {
  constexpr double kSag = 3e-5;  // [rad]
  for (const double turn : {0.0, 0.7}) {
    const auto place = [turn](double x, double y) {
      std::ostringstream text;
      text.precision(17);
      text << "[" << std::cos(turn) * x - std::sin(turn) * y << ", " << std::sin(turn) * x + std::cos(turn) * y << "]";
      return text.str();
    };
    std::string scene =
        "stickslip = 1\ntime = {end = 0.02, step = 1e-3}\nscheme = {type = \"generalized-alpha\"}\ngravity = " +
        place(0.0, -kGravity) +
        "\n[bodies.ground]\ntype = \"fixed\"\n[bodies.weight]\ntype = \"point\"\nmass = 1\nposition = [0, 0]\n";
    for (const double x : {-1.0, 1.0}) {
      scene += std::string("[joints.") + (x < 0.0 ? "left" : "right") +
               "]\ntype = \"distance\"\nbetween = [\"ground\", \"weight\"]\nat_a = " +
               place(x * std::cos(kSag), std::sin(kSag)) + "\n";
    }
    test::SceneRun run = test::scene_from_text(scene);
    const double share = 0.5 * kGravity / std::sin(kSag);
    while (run.state.step < 20) {
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      // In doubles the directions are known to 1e-16 of 3e-5, and so are the places that the step leaves.
      for (const JointReport& joint : run.report.joints) {
        EXPECT_NEAR(joint.reaction_force.norm(), share, 1e-5 * share) << "turned by " << turn;
      }
    }
  }
}

/// The forces of a state from the equations of motion there, those of least norm where the laws leave a choice: of the
/// instant, by another program for what is least (solvers/least_norm.h).
class LeastNormInstant {
 public:
  explicit LeastNormInstant(const System& system)
      : system_(system),
        solver_(make_solver(AutoOptions{}, ForceChoice::least_norm)),
        at_(system),
        contacts_(system),
        instant_(system, *solver_) {}

  /// |forces of the contacts and reactions of the joints in a report - those|, over the largest. [-]
  double compare(const State& state, const StepReport& report) {
    at_.take(state.t, state.q, &state.u);
    contacts_.find_touching(at_);
    instant_.take(at_, contacts_.points(), state.inputs);
    EXPECT_EQ(instant_.solve().status, Status::ok);
    double off = 0.0;
    double largest = 0.0;
    const ConstraintSet& set = instant_.constraints();
    std::vector<Vector3> reactions(report.joints.size(), Vector3::Zero());
    for (int i = 0; i < set.count(); ++i) {
      const std::span<const double> lambda = instant_.lambda(i);
      if (set.kind(i) == ConstraintSet::Kind::joint) {
        JointVector of_joint(static_cast<Eigen::Index>(lambda.size()));
        std::ranges::copy(lambda, of_joint.data());
        reactions[set.index(i)] = system_.calc_joint_reaction(set.index(i), state.t, state.q, of_joint).force;
      } else if (set.kind(i) == ConstraintSet::Kind::contact) {
        for (std::size_t r = 0; r < lambda.size(); ++r) {
          off = std::max(off, std::abs(report.contacts[set.index(i)].force[r] - lambda[r]));
          largest = std::max(largest, std::abs(lambda[r]));
        }
      }
    }
    for (std::size_t j = 0; j < reactions.size(); ++j) {
      off = std::max(off, (report.joints[j].reaction_force - reactions[j]).norm());
      largest = std::max(largest, reactions[j].norm());
    }
    return off / largest;
  }

 private:
  const System& system_;
  std::unique_ptr<ConeSolver> solver_;
  BodySnapshot at_;
  ContactFinder contacts_;
  Instant instant_;
};

/// Discs on the two hinged bodies touch, and a spring pulls the bodies together: the contact bears some of what is
/// undetermined, as much as its law allows.
std::string spinning_with_contact(const std::string& rho_inf, const std::string& friction) {
  return spinning(rho_inf) + R"([bodies.a.shapes.disc]
type = "sphere"
radius = 0.5
position = [0, 0.2]
[bodies.b.shapes.disc]
type = "sphere"
radius = 0.5
position = [0, -0.1]
[[contacts]]
name = "discs"
between = ["a/disc", "b/disc"]
friction = )" +
         friction + R"(
[forces.pull]
type = "spring"
between = ["a", "b"]
stiffness = 60
damping = 0
rest = 0
)";
}

TEST(UndeterminedForces, OfLoopsWithContactsStayThoseOfLeastNorm) {
  for (const char* rho_inf : {"0", "0.5", "1"}) {
    for (const char* friction : {"0", "0.3"}) {
      SCOPED_TRACE(std::string(rho_inf) + ", friction " + friction);
      test::SceneRun run = test::scene_from_text(spinning_with_contact(rho_inf, friction));
      LeastNormInstant expected(*run.built.system);
      const double spin = run.state.u(2);
      double largest = 0.0;
      double pressed = 0.0;
      while (run.state.step < 3000) {
        ASSERT_EQ(run.step(), Status::ok) << run.report.message;
        largest = std::max(largest, forces_of(run.report).cwiseAbs().maxCoeff());
        pressed = std::max(pressed, run.report.contacts[0].force[0]);
        if (run.state.step % 100 == 0) {
          EXPECT_LE(expected.compare(run.state, run.report), 1e-8) << run.state.t;
        }
      }
      EXPECT_NEAR(run.state.u(2), spin, 1e-4);
      EXPECT_LE(largest, 60.0);  // [N] of the spring
      EXPECT_GE(pressed, 10.0);
      EXPECT_LE(run.report.drift_position, 1e-9);
    }
  }
}

/// The linkage swings against a limit of one crank, whose reach ends there, and comes to rest at it.
TEST(UndeterminedForces, OfLoopsAtAJointsLimitStayThoseOfLeastNorm) {
  test::SceneRun run =
      test::open_scene("four_bar", {"scheme.type=generalized-alpha", "time.end=2", "joints.low1.limits=[-1.2, 3]"});
  LeastNormInstant expected(*run.built.system);
  int n_closed = 0;
  run.run([&](const test::SceneRun& at) {
    if (at.state.step % 50 != 0 || at.report.closed_contacts == 0 || at.report.contacts[0].impulse[0] > 1e-9) return;
    ++n_closed;
    EXPECT_LE(expected.compare(at.state, at.report), 1e-8) << "t = " << at.state.t;
  });
  EXPECT_GE(n_closed, 10);
}

/// Stretched out on one line, at each of its turning points, it has a second free direction, and near it one that is
/// determined by what round-off leaves.
TEST(UndeterminedForces, StaySmallWhereALinkageIsStretched) {
  test::SceneRun run = test::open_scene("four_bar", {"scheme.type=generalized-alpha", "time.step=2e-4"});
  double largest = 0.0;
  while (run.state.step < 11000) {  // three of them
    ASSERT_NE(run.step(), Status::failed);
    largest = std::max(largest, forces_of(run.report).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(largest, 24.0);  // [N]
}

}  // namespace
}  // namespace stickslip
