// SPDX-License-Identifier: BSD-3-Clause
// Springs, forces, dry friction and limits of joints, and dry friction between points: their rows and exact
// derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::kFourthError;
using test::kFourthStep;
using test::make_body;
using test::random_straight_state;
using test::RandomState;

struct DriveCase {
  std::string name;
  JointType type;
  char first, second;
};

/// A joint with all that acts in its free direction.
JointOptions make_joint(const DriveCase& c) {
  JointOptions joint;
  joint.name = "joint";
  joint.type = c.type;
  joint.on_first.at = Vector3(0.2, -0.1, 0.0);
  joint.on_second.at = Vector3(-0.15, 0.25, 0.0);
  joint.on_first.axes = axis_angle_matrix(Vector3::UnitZ(), 0.4);
  joint.on_second.axes = axis_angle_matrix(Vector3::UnitZ(), -0.2);
  joint.on_first.parameter = 0.15;
  joint.on_second.parameter = 0.3;
  joint.coordinate_origin = 0.1;
  joint.spring = JointSpring{1.7, 0.3, 0.4};
  joint.force = Expression::parse("0.5*sin(2*t)");
  joint.friction = 0.6;
  joint.limits = JointLimits{-20.0, 30.0, 0.5};
  return joint;
}

System make_driven(const DriveCase& c, const std::function<void(JointOptions&)>& change = {}) {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  JointOptions joint = make_joint(c);
  joint.first = builder.add_body(make_body(c.first, "first", true));
  joint.second = builder.add_body(make_body(c.second, "second", true));
  if (change) change(joint);
  builder.add_joint(joint);
  return builder.build();
}

using Value = std::function<Vector(const RandomState&)>;

Vector slope(const Value& value, const RandomState& s, const std::function<double&(RandomState&)>& coordinate) {
  const auto at = [&](double step) {
    RandomState moved = s;
    coordinate(moved) += step;
    return value(moved);
  };
  return (8.0 * (at(kFourthStep) - at(-kFourthStep)) - (at(2.0 * kFourthStep) - at(-2.0 * kFourthStep))) /
         (12.0 * kFourthStep);
}

/// d value / dt along the motion with acceleration a.
Vector rate_of(const System& system, const Value& value, const RandomState& s) {
  const auto at = [&](double dt) {
    RandomState moved = s;
    moved.t += dt;
    constexpr int kParts = 8;  // of the midpoint rule, whose error is far below that of the differences
    for (int i = 0; i < kParts; ++i) {
      Vector rate(system.n_q());
      const double h = dt / kParts;
      system.calc_coordinate_rates(moved.q, moved.u, rate);
      const Vector half = moved.q + 0.5 * h * rate;
      system.calc_coordinate_rates(half, moved.u + 0.5 * h * s.a, rate);
      moved.q += h * rate;
      moved.u += h * s.a;
    }
    return value(moved);
  };
  return (8.0 * (at(kFourthStep) - at(-kFourthStep)) - (at(2.0 * kFourthStep) - at(-2.0 * kFourthStep))) /
         (12.0 * kFourthStep);
}

void expect_close(const Vector& exact, const Vector& difference) {
  EXPECT_LT((exact - difference).norm(), kFourthError * (1.0 + difference.norm()));
}

/// The interface that rows of dry friction and of limits have in common.
struct Rows {
  Attachment first, second;
  int dim;
  Value position;  // none: velocity level only
  Value velocity;
  std::function<Matrix(const RandomState&, Side)> jacobian;
  Value bias;
  std::function<JointDerivatives(const RandomState&, const JointVector&)> derivatives;
};

Rows friction_rows(const System& system) {
  const DryFrictionElement& e = system.dry_frictions()[0];
  Rows rows{e.first, e.second, e.dim, {}, {}, {}, {}, {}};
  rows.velocity = [&system](const RandomState& s) {
    JointVector gamma;
    system.calc_dry_friction_velocity(0, s.t, s.q, s.u, gamma);
    return Vector(gamma);
  };
  rows.jacobian = [&system](const RandomState& s, Side side) {
    RowMatrix J(system.dry_frictions()[0].dim, system.dry_frictions()[0].side(side).n_u);
    system.calc_dry_friction_jacobian(0, s.t, s.q, side, J);
    return Matrix(J);
  };
  rows.bias = [&system](const RandomState& s) {
    JointVector zeta;
    system.calc_dry_friction_acceleration_bias(0, s.t, s.q, s.u, zeta);
    return Vector(zeta);
  };
  rows.derivatives = [&system](const RandomState& s, const JointVector& lambda) {
    JointDerivatives d;
    system.calc_dry_friction_derivatives(0, s.t, s.q, s.u, s.a, lambda, d);
    return d;
  };
  return rows;
}

Rows limit_rows(const System& system, int k) {
  const ContactPoint& point = system.contact_points()[k];
  const auto geometry = [&system, k](const RandomState& s) {
    ContactGeometry g;
    system.calc_contact(k, s.t, s.q, g);
    return g;
  };
  Rows rows{system.side(point, Side::first), system.side(point, Side::second), 1, {}, {}, {}, {}, {}};
  rows.position = [geometry](const RandomState& s) { return Vector::Constant(1, geometry(s).gap); };
  rows.velocity = [&system, k, geometry](const RandomState& s) {
    return Vector(system.calc_contact_velocity(k, geometry(s), s.t, s.q, s.u).head(1));
  };
  rows.jacobian = [&system, k, geometry](const RandomState& s, Side side) {
    RowMatrix J(1, system.side(system.contact_points()[k], side).n_u);
    system.calc_contact_jacobian(k, geometry(s), s.q, side, J);
    return Matrix(J);
  };
  rows.bias = [&system, k](const RandomState& s) {
    return Vector(system.calc_contact_acceleration_bias(k, s.t, s.q, s.u).head(1));
  };
  rows.derivatives = [&system, k](const RandomState& s, const JointVector& lambda) {
    ContactDerivatives c;
    system.calc_contact_derivatives(k, s.t, s.q, s.u, s.a, lambda(0) * ContactVector::Unit(0), c);
    return JointDerivatives{c.gap_q, c.gamma_q, c.gamma_dot_q, c.gamma_dot_u, c.force_q};
  };
  return rows;
}

void expect_rows_consistent(const System& system, const Rows& rows) {
  std::mt19937 generator(7);
  JointVector lambda(rows.dim);
  for (int i = 0; i < rows.dim; ++i) lambda(i) = 0.7 - 0.5 * i;
  const auto times = [&](const RandomState& s, const Vector& v) {
    Vector sum = Vector::Zero(rows.dim);
    if (rows.first.n_u > 0) sum += rows.jacobian(s, Side::first) * v.segment(rows.first.u_offset, rows.first.n_u);
    if (rows.second.n_u > 0) sum += rows.jacobian(s, Side::second) * v.segment(rows.second.u_offset, rows.second.n_u);
    return sum;
  };
  const Value acceleration = [&](const RandomState& s) { return Vector(times(s, s.a) + rows.bias(s)); };
  const Value force = [&](const RandomState& s) {
    Vector f(rows.first.n_u + rows.second.n_u);
    if (rows.first.n_u > 0) f.head(rows.first.n_u) = rows.jacobian(s, Side::first).transpose() * lambda;
    if (rows.second.n_u > 0) f.tail(rows.second.n_u) = rows.jacobian(s, Side::second).transpose() * lambda;
    return f;
  };
  for (int trial = 0; trial < 5; ++trial) {
    const RandomState s = random_straight_state(system, generator);
    RandomState still = s;
    still.u.setZero();
    EXPECT_LT((rows.velocity(still) + times(s, s.u) - rows.velocity(s)).norm(), 1e-13);
    if (rows.position) expect_close(rows.velocity(s), rate_of(system, rows.position, s));
    expect_close(acceleration(s), rate_of(system, rows.velocity, s));
    const JointDerivatives d = rows.derivatives(s, lambda);
    for (int j = 0; j < rows.first.n_q + rows.second.n_q; ++j) {
      const int at = j < rows.first.n_q ? rows.first.q_offset + j : rows.second.q_offset + j - rows.first.n_q;
      const auto coordinate = [at](RandomState& x) -> double& { return x.q(at); };
      if (rows.position) expect_close(d.g_q.col(j), slope(rows.position, s, coordinate));
      expect_close(d.gamma_q.col(j), slope(rows.velocity, s, coordinate));
      expect_close(d.gamma_dot_q.col(j), slope(acceleration, s, coordinate));
      expect_close(d.force_q.col(j), slope(force, s, coordinate));
    }
    for (int j = 0; j < rows.first.n_u + rows.second.n_u; ++j) {
      const int at = j < rows.first.n_u ? rows.first.u_offset + j : rows.second.u_offset + j - rows.first.n_u;
      expect_close(d.gamma_dot_u.col(j), slope(acceleration, s, [at](RandomState& x) -> double& { return x.u(at); }));
    }
  }
}

class JointDrive : public testing::TestWithParam<DriveCase> {};

TEST_P(JointDrive, FrictionRowsAreConsistent) {
  const System system = make_driven(GetParam());
  ASSERT_EQ(system.dry_frictions().size(), 1U);
  expect_rows_consistent(system, friction_rows(system));
}

TEST_P(JointDrive, LimitsAreConsistent) {
  const System system = make_driven(GetParam());
  ASSERT_EQ(system.contact_points().size(), 2U);
  EXPECT_EQ(system.contacts()[0].options.name, "joint-limits");
  for (int k = 0; k < 2; ++k) expect_rows_consistent(system, limit_rows(system, k));
  std::mt19937 generator(3);
  const RandomState s = random_straight_state(system, generator);
  const double x = system.calc_joint_coordinate(0, s.t, s.q);
  EXPECT_NEAR(system.calc_gap(0, s.t, s.q), x + 20.0, 1e-13);
  EXPECT_NEAR(system.calc_gap(1, s.t, s.q), 30.0 - x, 1e-13);
}

TEST_P(JointDrive, ForcesHaveTheirDerivatives) {
  const System system = make_driven(GetParam());
  std::vector<ForceBlock> blocks = system.make_force_blocks();
  std::mt19937 generator(1);
  const Value force = [&](const RandomState& s) {
    Vector h(system.n_u());
    system.calc_applied_forces(s.t, s.q, s.u, h);
    return h;
  };
  for (int trial = 0; trial < 5; ++trial) {
    const RandomState s = random_straight_state(system, generator);
    system.calc_force_derivatives(s.t, s.q, s.u, blocks);
    Matrix over_q = Matrix::Zero(system.n_u(), system.n_q());
    Matrix over_u = Matrix::Zero(system.n_u(), system.n_u());
    for (const ForceBlock& b : blocks) {
      if (b.over_q.size() > 0) over_q.block(b.row.u_offset, b.col.q_offset, b.row.n_u, b.col.n_q) += b.over_q;
      if (b.over_u.size() > 0) over_u.block(b.row.u_offset, b.col.u_offset, b.row.n_u, b.col.n_u) += b.over_u;
    }
    for (int j = 0; j < system.n_q(); ++j) {
      expect_close(over_q.col(j), slope(force, s, [j](RandomState& x) -> double& { return x.q(j); }));
    }
    for (int j = 0; j < system.n_u(); ++j) {
      expect_close(over_u.col(j), slope(force, s, [j](RandomState& x) -> double& { return x.u(j); }));
    }
  }
}

TEST_P(JointDrive, PowerIsThatOfTheCoordinate) {
  // What the bodies gain, what the spring stores and what moving bodies put in add up to force and damper.
  const System system = make_driven(GetParam());
  const Joint& joint = system.joints()[0];
  std::mt19937 generator(2);
  for (int trial = 0; trial < 5; ++trial) {
    RandomState s = random_straight_state(system, generator);
    s.a.setZero();
    const JointCoordinate x = system.calc_joint_coordinate(0, s.t, s.q, s.u);
    Vector h(system.n_u());
    Vector weight(system.n_u());
    system.calc_applied_forces(s.t, s.q, s.u, h);
    const System bare = make_driven(GetParam(), [](JointOptions& o) {
      o.spring.reset();
      o.force.reset();
    });
    bare.calc_applied_forces(s.t, s.q, s.u, weight);
    RandomState still = s;
    still.u.setZero();
    const double tau = system.calc_joint_coordinate(0, s.t, s.q, still.u).rate;
    EXPECT_NEAR((h - weight).dot(s.u), system.calc_joint_drive(0, s.t, s.q, s.u) * (x.rate - tau), 1e-13);
    const double stored = joint.options.spring->stiffness * (x.coordinate - joint.options.spring->rest);
    EXPECT_NEAR(system.calc_prescribed_power(s.t, s.q, s.u), stored * tau, 1e-13);
    system.calc_nonconservative_forces(s.t, s.q, s.u, h);
    const double driven = joint.options.force->value(s.t) - joint.options.spring->damping * x.rate;
    EXPECT_NEAR(h.dot(s.u), driven * (x.rate - tau), 1e-13);
    const Value energy = [&](const RandomState& at) {
      return Vector::Constant(1, system.calc_potential_energy(at.t, at.q) - bare.calc_potential_energy(at.t, at.q));
    };
    expect_close(Vector::Constant(1, stored * x.rate), rate_of(system, energy, s));
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointDrive,
                         testing::Values(DriveCase{"revolute", JointType::revolute, 'p', 'p'},
                                         DriveCase{"revolute_fixed", JointType::revolute, 'f', 'p'},
                                         DriveCase{"revolute_moving", JointType::revolute, 'm', 'p'},
                                         DriveCase{"revolute_beam", JointType::revolute, 'p', 'b'},
                                         DriveCase{"prismatic", JointType::prismatic, 'p', 'p'},
                                         DriveCase{"prismatic_fixed", JointType::prismatic, 'p', 'f'},
                                         DriveCase{"prismatic_moving", JointType::prismatic, 'm', 'p'},
                                         DriveCase{"prismatic_beam", JointType::prismatic, 'b', 'p'}),
                         [](const auto& case_info) { return case_info.param.name; });

TEST(DryFrictionRows, AreConsistent) {
  for (const bool with_axis : {true, false}) {
    for (const char* pair : {"pp", "fp", "mp", "pb", "rr"}) {
      SystemBuilder builder(pair[0] != 'r', Vector3::Zero());
      DryFriction law;
      law.first = builder.add_body(make_body(pair[0], "first", true));
      law.second = builder.add_body(make_body(pair[1], "second", true));
      law.at_first = Vector3(0.3, 0.1, 0.0);
      law.at_second = Vector3(-0.2, 0.4, 0.0);
      law.parameter_second = 0.4;
      law.bound = 2.0;
      if (with_axis) law.axis = Vector3(0.6, 0.8, 0.0);
      builder.add_force({"rub", law, {}, {}});
      const System system = builder.build();
      expect_rows_consistent(system, friction_rows(system));
    }
  }
}

TEST(JointDrives, BeyondAWholeTurnTheSpringWindsOn) {
  const System system = make_driven({"", JointType::revolute, 'f', 'p'}, [](JointOptions& o) {
    o.spring = JointSpring{2.0, 0.0, 0.0};
    o.force.reset();
  });
  Vector q = Vector::Zero(3);
  const Vector u = Vector::Zero(3);
  const double before = system.calc_joint_drive(0, 0.0, q, u);
  q(2) = 10.0;
  EXPECT_NEAR(system.calc_joint_drive(0, 0.0, q, u) - before, -20.0, 1e-12);
}

void expect_refused(const DriveCase& c, const std::function<void(JointOptions&)>& change, const std::string& fragment) {
  try {
    make_driven(c, change);
    ADD_FAILURE() << "accepted: " << fragment;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(JointDrives, RefuseWhatCannotBe) {
  const DriveCase revolute{"", JointType::revolute, 'f', 'p'};
  expect_refused({"", JointType::weld, 'f', 'p'}, {}, "only a joint with one coordinate");
  expect_refused(
      revolute, [](JointOptions& o) { o.friction = -1.0; }, "friction");
  expect_refused(
      revolute, [](JointOptions& o) { o.spring->stiffness = -1.0; }, "stiffness");
  expect_refused(
      revolute,
      [](JointOptions& o) {
        o.limits = JointLimits{1.0, 1.0, 0.0};
      },
      "[low, high]");
  expect_refused(
      revolute, [](JointOptions& o) { o.limits->restitution = 1.5; }, "restitution");
  expect_refused(
      revolute, [](JointOptions& o) { o.motion = Expression(0.1); }, "motion");
}

}  // namespace
}  // namespace stickslip
