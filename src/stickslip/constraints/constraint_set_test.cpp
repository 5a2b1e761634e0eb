// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/constraint_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/cone/condense.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_finder.h"

namespace stickslip {
namespace {

/// Balls of one radius on a floor and in a row, each a little into its neighbours: 2 n - 1 contacts. The floor moves.
System make_row(int n) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::moving;
  floor.motion.emplace();
  floor.motion->position = {Expression::parse("0.3*t", {}), Expression(0.0), Expression(0.0)};
  floor.motion->angle = Expression(0.0);
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}}};
  builder.add_body(floor);
  for (int i = 0; i < n; ++i) {
    Body ball;
    ball.name = "ball" + std::to_string(i);
    ball.mass = 1.0 + 0.1 * i;
    ball.inertia << 0.2, 0.02, -0.03, 0.02, 0.3, 0.01, -0.03, 0.01, 0.4;
    ball.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.5}}};
    builder.add_body(ball);
  }
  ContactDetectionOptions contacts;
  contacts.law.friction = 0.3;
  contacts.law.restitution_normal = 0.5;
  builder.detect_contacts(contacts);
  return builder.build();
}

struct Configuration {
  Vector q, u;
};

Configuration configure(const System& system, int n) {
  Configuration c = {Vector(system.n_q()), Vector(system.n_u())};
  for (int i = 0; i < n; ++i) {
    c.q.segment<3>(7 * i) << 0.99 * i, 0.01 * std::sin(i), 0.499;
    c.q.segment<4>(7 * i + 3) = Vector4(std::cos(i), std::sin(2.0 * i), std::sin(3.0 * i), 0.5).normalized();
    for (int k = 0; k < 6; ++k) c.u(6 * i + k) = std::cos(1.0 + i + 2 * k);
  }
  return c;
}

/// Few contacts, which take the factored operator, and many, which take the packed one.
class Gathered : public testing::TestWithParam<int> {
 protected:
  Gathered() : system_(make_row(GetParam())), at_(system_), finder_(system_), set_(system_) {
    const Configuration c = configure(system_, GetParam());
    q_ = c.q;
    u_ = c.u;
    at_.take(0.0, q_, &u_);
    finder_.find_touching(at_);
    set_.gather(at_, finder_.points(), 0.0, 1e-3);
  }
  const ContactPoint& point(int cone) const { return finder_.points()[set_.index(cone)]; }

  System system_;
  Vector q_, u_;
  BodySnapshot at_;
  ContactFinder finder_;
  ConstraintSet set_;
};
INSTANTIATE_TEST_SUITE_P(, Gathered, testing::Values(4, 40));

TEST_P(Gathered, AllThatTouchesIsThere) {
  EXPECT_EQ(set_.count(), 2 * GetParam() - 1);
  EXPECT_EQ(set_.size(), 3 * set_.count());
  const bool many = set_.count() >= 64;
  EXPECT_EQ(std::holds_alternative<PackedDelassus>(set_.problem().delassus), many);
  for (int i = 0; i < set_.count(); ++i) {
    EXPECT_EQ(set_.kind(i), ConstraintSet::Kind::contact);
    EXPECT_EQ(set_.restitution(i).normal, 0.5);
    EXPECT_EQ(set_.restitution(i).tangential, 0.0);
  }
}

TEST_P(Gathered, RowsAreTheSystems) {
  std::vector<double> gamma;
  set_.get_tau(gamma);
  set_.add_relative_velocities(u_, gamma);
  for (int i = 0; i < set_.count(); ++i) {
    ContactGeometry geometry;
    system_.calc_contact(point(i), 0.0, q_, geometry);
    const ContactVector expected = system_.calc_contact_velocity(point(i), geometry, 0.0, q_, u_);
    const bool on_floor = system_.has_prescribed_motion(point(i));
    EXPECT_EQ(std::hypot(set_.tau(3 * i + 1), set_.tau(3 * i + 2)) > 0.1, on_floor);
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(gamma[3 * i + r], expected(r), 1e-13);
      EXPECT_EQ(set_.gamma()[3 * i + r], expected(r));
    }
  }
}

TEST_P(Gathered, PercussionsActByTheTransposedRows) {
  std::vector<double> p(static_cast<std::size_t>(set_.size()));
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = std::sin(1.0 + static_cast<double>(k));
  Vector force;
  set_.calc_generalized_percussions(p, force);
  Vector expected = Vector::Zero(system_.n_u());
  RowMatrix J(3, 6);
  for (int i = 0; i < set_.count(); ++i) {
    ContactGeometry geometry;
    system_.calc_contact(point(i), 0.0, q_, geometry);
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = system_.side(point(i), side);
      if (at.n_u == 0) continue;
      system_.calc_contact_jacobian(point(i), geometry, q_, side, J);
      expected.segment<6>(at.u_offset) += J.transpose() * Vector3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    }
  }
  EXPECT_GT(expected.norm(), 1.0);
  EXPECT_LT((force - expected).norm(), 1e-13 * expected.norm());
  // W p = J M^-1 J^T p
  std::vector<double> u(p.size());
  set_.problem().apply_delassus(p, u);
  Vector v(system_.n_u());
  system_.solve_mass(force, v);
  std::vector<double> responses(p.size(), 0.0);
  set_.add_relative_velocities(v, responses);
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(u[k], responses[k], 1e-12);
}

TEST_P(Gathered, GatheringAgainElsewhereForgetsAll) {
  u_.setZero();
  q_.array() += 0.0;
  for (int i = 0; i < GetParam(); ++i) q_(7 * i + 2) += 1.0;  // off the floor
  at_.take(0.0, q_, &u_);
  set_.gather(at_, finder_.points(), 0.0, 1e-3);
  EXPECT_EQ(set_.count(), GetParam() - 1);
  EXPECT_EQ(set_.size(), 3 * set_.count());
  for (const double x : set_.gamma()) EXPECT_EQ(x, 0.0);
}

/// Points found later, at the end of the step, may move all of them in memory.
/// Of positions normal rows alone, which are every third of W; and gathered again, all rows as before.
TEST_P(Gathered, PositionsAreGapsInNormalRows) {
  const Matrix all(make_delassus_matrix(set_.problem()));
  std::vector<double> gaps;
  for (int i = 0; i < set_.count(); ++i) gaps.push_back(set_.gap(i));
  set_.gather_positions(at_, finder_.points(), 0.0);
  ASSERT_EQ(set_.count(), static_cast<int>(gaps.size()));
  ASSERT_EQ(set_.size(), set_.count());
  EXPECT_EQ(std::holds_alternative<PackedDelassus>(set_.problem().delassus), set_.count() >= 64);
  const auto n = static_cast<Eigen::Index>(gaps.size());
  const Matrix normal(make_delassus_matrix(set_.problem()));
  std::vector<double> p;
  for (int i = 0; i < set_.count(); ++i) {
    EXPECT_EQ(set_.problem().b[i], gaps[i]);
    EXPECT_EQ(set_.problem().cones[i].n_blocks, 0);
    p.push_back(std::sin(1.0 + i));
    double diagonal = 0.0;
    set_.problem().calc_diagonal(i, &diagonal);
    EXPECT_NEAR(diagonal, all(3 * i, 3 * i), 1e-13);
    for (int j = 0; j < set_.count(); ++j) EXPECT_NEAR(normal(i, j), all(3 * i, 3 * j), 1e-13);
  }
  std::vector<double> d(p.size());
  set_.problem().apply_delassus(p, d);
  EXPECT_LT((ConstVectorView(d.data(), n) - normal * ConstVectorView(p.data(), n)).norm(), 1e-13 * normal.norm() * n);
  Vector force;
  Vector moved(system_.n_u());
  set_.calc_generalized_percussions(p, force);
  system_.solve_mass(force, moved);
  std::vector<double> changed(p.size(), 0.0);
  set_.add_relative_velocities(moved, changed);
  EXPECT_LT((ConstVectorView(d.data(), n) - ConstVectorView(changed.data(), n)).norm(), 1e-13 * normal.norm() * n);

  set_.gather(at_, finder_.points(), 0.0, 1e-3);
  EXPECT_EQ(Matrix(make_delassus_matrix(set_.problem())), all);
}

TEST_P(Gathered, PointsMayBeAddedBeforeReports) {
  std::vector<ContactPoint> points = finder_.points();
  points.shrink_to_fit();
  set_.gather(at_, points, 0.0, 1e-3);
  points.insert(points.end(), points.begin(), points.begin() + 3);
  ConeSolution solution = {std::vector<double>(static_cast<std::size_t>(set_.size()), 1.0), {}};
  solution.u.assign(solution.p.size(), 0.0);
  StepReport report;
  set_.report_worst({.absolute = 1.0, .worst = 1}, report);
  EXPECT_EQ(report.worst_kind, 2);
  EXPECT_EQ(report.worst_b, system_.side(points[static_cast<std::size_t>(set_.index(1))], Side::second).body);
  set_.report_contacts(at_, solution, solution.u, 1e-3, 0.0, report);
  EXPECT_EQ(report.closed_contacts, set_.count());
  set_.add_reactions(solution, 1e-3, report);
}

/// The activation of each point, in an array or asked for: in order, and again from the first where they are too few to
/// be packed.
TEST_P(Gathered, ActivationsAreAskedForInOrder) {
  const auto takes_part = [](std::size_t k) { return k % 7 != 3; };
  std::vector<double> activation(finder_.points().size(), 0.0);
  for (std::size_t k = 3; k < activation.size(); k += 7) activation[k] = -1.0;  // [m]
  set_.gather(at_, finder_.points(), activation, 1e-3);
  std::vector<int> given;
  for (int i = 0; i < set_.count(); ++i) given.push_back(set_.index(i));
  std::size_t next = 0;
  const auto activation_of = [&](std::size_t k) {
    if (k == 0) next = 0;
    EXPECT_EQ(k, next);
    ++next;
    return takes_part(k) ? 0.0 : -1.0;
  };
  set_.gather(at_, finder_.points(), std::ref(activation_of), 1e-3);
  EXPECT_EQ(next, finder_.points().size());
  std::vector<int> asked;
  for (int i = 0; i < set_.count(); ++i) asked.push_back(set_.index(i));
  EXPECT_EQ(asked, given);
  EXPECT_LT(asked.size(), finder_.points().size());
}

/// Entries are told anew whatever they held: gaps of the end, all else of those gathered of where that was, of others
/// of the end.
TEST_P(Gathered, ReportsTellGapsOfTheEndAndTheRestOfWhereItWasGathered) {
  constexpr double kStep = 1e-3;
  constexpr double kImpulse = 7.0;
  std::vector<double> activation(finder_.points().size(), 0.0);
  for (std::size_t k = 3; k < activation.size(); k += 7) activation[k] = -1.0;  // [m] not these
  set_.gather(at_, finder_.points(), activation, kStep);
  ASSERT_LT(set_.count(), std::ssize(finder_.points()));
  ConeSolution solution = {std::vector<double>(static_cast<std::size_t>(set_.size()), 0.0), {}};
  solution.u.assign(solution.p.size(), 0.0);
  std::vector<double> velocity(solution.p.size());
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = std::cos(static_cast<double>(i));
  // Open; stick; slip: with u_F = 0 percussions as they are, else against it.
  for (int i = 0; i < set_.count(); ++i) {
    if (i % 3 > 0) solution.p[3 * i] = 1.0;
    if (i % 3 > 0) solution.p[3 * i + 1] = 0.2;
    if (i % 3 > 1) solution.u[3 * i + 1] = -2.0;
  }
  Vector q_end = q_;
  for (int i = 0; i < GetParam(); ++i) q_end(7 * i + 1) += 1e-3 * i;
  BodySnapshot end(system_);
  end.take(kStep, q_end, nullptr);
  StepReport report;
  ContactReport held;
  held.contact = held.point = held.body_a = held.body_b = held.friction_dim = 99;
  held.status = ContactStatus::slip;
  held.gap = 99.0;
  for (Vector3* x : {&held.position, &held.normal, &held.tangent}) x->setConstant(99.0);
  for (auto* x : {&held.force, &held.impulse, &held.percussion, &held.velocity}) x->fill(99.0);
  report.contacts.assign(finder_.points().size(), held);
  set_.report_contacts(end, solution, velocity, kStep, kImpulse, report);
  EXPECT_EQ(report.closed_contacts, set_.count() - (set_.count() + 2) / 3);
  int cone = 0;
  for (std::size_t k = 0; k < finder_.points().size(); ++k) {
    const ContactPoint& point = finder_.points()[k];
    const ContactReport& contact = report.contacts[k];
    const bool is_gathered = cone < set_.count() && set_.index(cone) == static_cast<int>(k);
    ContactGeometry geometry;
    calc_contact(is_gathered ? at_ : end, point, geometry);
    EXPECT_EQ(contact.contact, kDetected);
    EXPECT_EQ(contact.point, point.index);
    EXPECT_EQ(contact.id, point.id);
    EXPECT_EQ(contact.body_a, system_.body(point, Side::first));
    EXPECT_EQ(contact.body_b, system_.body(point, Side::second));
    EXPECT_EQ(contact.friction_dim, 2);
    EXPECT_EQ(contact.gap, system_.calc_gap(point, kStep, q_end));
    EXPECT_LT((contact.position - geometry.position_second).norm(), 1e-15 * GetParam());
    EXPECT_EQ(contact.normal, geometry.normal);
    EXPECT_EQ(contact.tangent, geometry.tangent1);
    const auto statuses = {ContactStatus::open, ContactStatus::stick, ContactStatus::slip};
    EXPECT_EQ(contact.status, is_gathered ? statuses.begin()[cone % 3] : ContactStatus::open);
    for (std::size_t r = 0; r < kMaxContactDim; ++r) {
      const bool is_row = is_gathered && r < 3;
      const std::size_t row = 3 * static_cast<std::size_t>(cone) + r;
      EXPECT_EQ(contact.impulse[r], kImpulse);
      EXPECT_EQ(contact.percussion[r], is_row ? solution.p[row] : 0.0);
      EXPECT_EQ(contact.force[r], is_row ? solution.p[row] / kStep : 0.0);
      EXPECT_EQ(contact.velocity[r], is_row ? velocity[row] : 0.0);
    }
    if (is_gathered) ++cone;
  }
  EXPECT_EQ(cone, set_.count());
}

/// The largest tangential velocity of a box 1 cm deep in the top of another one, while both turn as one body does.
double calc_slip_of_turning(BodyType below, bool with_joint) {
  SystemBuilder builder(false, Vector3::Zero());
  for (const char* name : {"below", "above", "hand"}) {
    Body body;
    body.name = name;
    body.type = body.name == "below" ? below : BodyType::rigid;
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
    body.shapes = {Shape{.name = "hull", .geometry = Box{.size = Vector3(0.4, 0.3, 0.2)}}};
    builder.add_body(body);
  }
  if (with_joint) {
    JointOptions hinge;
    hinge.name = "hinge";
    hinge.second = 2;
    builder.add_joint(hinge);
  }
  ContactDetectionOptions contacts;
  contacts.law.friction = 0.3;
  builder.detect_contacts(contacts);
  const System system = builder.build();
  Vector q(system.n_q()), u = Vector::Zero(system.n_u());
  const Vector3 omega(0.0, 2.0, 0.0);
  const Vector3 places[] = {Vector3::Zero(), Vector3(0.0, 0.0, 0.19), Vector3(5.0, 0.0, 0.0)};
  for (int i = 0; i < 3; ++i) {
    const Body& body = system.bodies()[static_cast<std::size_t>(i)];
    if (body.type == BodyType::fixed) continue;
    q.segment<7>(body.q_offset) << places[i], 1.0, 0.0, 0.0, 0.0;
    if (i < 2) u.segment<6>(body.u_offset) << omega.cross(places[i]), omega;
  }
  BodySnapshot at(system);
  at.take(0.0, q, &u);
  ContactFinder finder(system);
  finder.find_touching(at);
  ConstraintSet set(system);
  set.gather(at, finder.points(), 0.0, 1e-3);
  std::vector<double> gamma;
  set.get_tau(gamma);
  set.add_relative_velocities(u, gamma);
  double slip = 0.0;
  for (int i = 0; i < set.count(); ++i) {
    if (set.kind(i) != ConstraintSet::Kind::contact) continue;
    const double* row = &gamma[static_cast<std::size_t>(set.problem().cones[i].offset)];
    slip = std::max(slip, std::hypot(row[1], row[2]));
  }
  return slip;
}

TEST(TurningPairs, DoNotSlideWhereAJointMayHoldThem) {
  EXPECT_NEAR(calc_slip_of_turning(BodyType::rigid, false), 2.0 * 0.01, 1e-12) << "at the two nearest points";
  EXPECT_LT(calc_slip_of_turning(BodyType::rigid, true), 1e-12) << "in the middle of the gap";
}

TEST(TurningPairs, AFixedBodysContactsStayOnItsSurface) {
  // The body below stands still, so the one above slides over it as its own lower face does.
  EXPECT_EQ(calc_slip_of_turning(BodyType::fixed, true), calc_slip_of_turning(BodyType::fixed, false));
}

}  // namespace
}  // namespace stickslip
