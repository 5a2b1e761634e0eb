// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/moreau.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
namespace {

constexpr double kGravity = 10.0;  // [m/s^2]
constexpr double kStep = 0.01;     // [s]
constexpr double kMass = 2.0;      // [kg]

/// Answers every problem by no percussions at all, and says so.
class LazySolver final : public ConeSolver {
 public:
  std::string_view name() const override { return "lazy"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem&) const override { return {}; }
  SolveReport do_solve(const ConeProblem& problem, Tolerance /*tolerance*/, ConeSolution& solution) override {
    solution.p.assign(problem.b.size(), 0.0);
    solution.u = problem.b;
    SolveReport report;
    report.residual = calc_residual(problem, solution.p);
    report.status = report.residual.absolute > 0.0 ? Status::inexact : Status::ok;
    return report;
  }
};

Body make_body(const std::string& name, BodyType type) {
  Body body;
  body.name = name;
  body.type = type;
  body.mass = kMass;
  body.inertia(2, 2) = 1.0;
  return body;
}

/// A floor, body 0, and two discs at rest on it, bodies 1 and 2, far apart.
SystemBuilder discs_on_floor() {
  SystemBuilder builder(true, Vector3(0.0, -kGravity, 0.0));
  Body floor = make_body("floor", BodyType::fixed);
  floor.shapes = {{"top", HalfSpace{Vector3::UnitY(), 0.0}, Vector3::Zero(), Matrix3::Identity()}};
  builder.add_body(floor);
  for (const char* name : {"left", "right"}) {
    Body disc = make_body(name, BodyType::planar);
    disc.shapes = {{"hull", Sphere{1.0, false}, Vector3::Zero(), Matrix3::Identity()}};
    builder.add_body(disc);
  }
  return builder;
}

/// The first step's report.
StepReport step_without_percussions(SystemBuilder& builder, double speed_of_left) {
  const System system = builder.build();
  LazySolver solver;
  const auto stepper = make_moreau({}, system, solver);
  State state;
  state.q.setZero(system.n_q());
  state.q << -5.0, 1.0, 0.0, 5.0, 1.0, 0.0;
  state.u.setZero(system.n_u());
  state.u(1) = speed_of_left;
  StepReport report;
  stepper->initialize(state, report);
  EXPECT_EQ(report.worst_kind, 0);
  EXPECT_NE(stepper->step(state, kStep, kStep, report), Status::failed);
  return report;
}

ContactPairOptions on_floor(const std::string& name, int disc) {
  ContactPairOptions options;
  options.name = name;
  options.first = 0;
  options.second = disc;
  return options;
}

TEST(MoreauCertificate, NamesTheNamedContactThatIsSolvedWorst) {
  SystemBuilder builder = discs_on_floor();
  builder.add_contact(on_floor("left", 1));
  builder.add_contact(on_floor("right", 2));
  const StepReport report = step_without_percussions(builder, 0.0);
  EXPECT_EQ(report.worst_kind, 1);
  EXPECT_EQ(report.worst, 0);
  EXPECT_EQ(report.worst_a, 0);
  EXPECT_EQ(report.worst_b, 1);
  EXPECT_NEAR(report.missed, std::sqrt(2.0) * kGravity * kStep, 1e-15);  // two discs fall through the floor
}

TEST(MoreauCertificate, LeavesOutWhatIsOpen) {
  SystemBuilder builder = discs_on_floor();
  builder.add_contact(on_floor("left", 1));
  builder.add_contact(on_floor("right", 2));
  const StepReport report = step_without_percussions(builder, 1.0);
  EXPECT_EQ(report.worst_kind, 1);
  EXPECT_EQ(report.worst, 1);
  EXPECT_EQ(report.worst_b, 2);
  EXPECT_NEAR(report.missed, kGravity * kStep, 1e-15);
}

TEST(MoreauCertificate, NamesADetectedContactByItsBodies) {
  SystemBuilder builder = discs_on_floor();
  builder.add_contact(on_floor("left", 1));
  builder.detect_contacts({});
  const StepReport report = step_without_percussions(builder, 1.0);
  EXPECT_EQ(report.worst_kind, 2);
  EXPECT_EQ(report.worst, -1);
  EXPECT_EQ(report.worst_a, 0);
  EXPECT_EQ(report.worst_b, 2);
}

TEST(MoreauCertificate, NamesTheJointAlsoOfItsFriction) {
  for (const double friction : {0.0, 1e3}) {
    SystemBuilder builder = discs_on_floor();
    JointOptions joint;  // slides up and down
    joint.name = "rail";
    joint.type = friction > 0.0 ? JointType::prismatic : JointType::revolute;
    joint.first = 0;
    joint.second = 2;
    joint.on_first.at = joint.on_second.at = Vector3(0.0, 0.0, 0.0);
    joint.on_first.at = Vector3(5.0, 1.0, 0.0);
    joint.on_first.axes.col(0) = joint.on_second.axes.col(0) = Vector3::UnitY();
    joint.on_first.axes.col(1) = joint.on_second.axes.col(1) = -Vector3::UnitX();
    joint.friction = friction;
    builder.add_joint(joint);
    const StepReport report = step_without_percussions(builder, 0.0);
    EXPECT_EQ(report.worst_kind, 3) << friction;
    EXPECT_EQ(report.worst, 0);
    EXPECT_EQ(report.worst_a, 0);
    EXPECT_EQ(report.worst_b, 2);
    EXPECT_NEAR(report.missed, friction > 0.0 ? 0.0 : kGravity * kStep, 1e-15);
  }
}

TEST(MoreauCertificate, NamesTheForceOfADryFriction) {
  SystemBuilder builder = discs_on_floor();
  Load push;
  push.body = 1;
  builder.add_force({"push", push});
  DryFriction friction;
  friction.first = 0;
  friction.second = 1;
  friction.bound = 1e3;
  builder.add_force({"brake", friction});
  const StepReport report = step_without_percussions(builder, 0.0);
  EXPECT_EQ(report.worst_kind, 4);
  EXPECT_EQ(report.worst, 1);
  EXPECT_EQ(report.worst_a, 0);
  EXPECT_EQ(report.worst_b, 1);
  EXPECT_EQ(report.missed, 0.0);
}

TEST(MoreauCertificate, NamesNothingWhereNothingActs) {
  SystemBuilder builder = discs_on_floor();
  const StepReport report = step_without_percussions(builder, 0.0);
  EXPECT_EQ(report.worst_kind, 0);
  EXPECT_EQ(report.worst, -1);
  EXPECT_EQ(report.worst_a, -1);
  EXPECT_EQ(report.worst_b, -1);
  EXPECT_EQ(report.missed, 0.0);
}

}  // namespace
}  // namespace stickslip
