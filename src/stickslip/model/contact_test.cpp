// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::kCentralError;
using test::kCentralStep;
using test::make_body;
using test::moved;
using test::random_state;
using test::RandomState;

Shape shape(ShapeGeometry geometry, const Vector3& position, const Matrix3& rotation = Matrix3::Identity()) {
  Shape s;
  s.name = "s";
  s.geometry = std::move(geometry);
  s.position = position;
  s.rotation = rotation;
  return s;
}

struct Case {
  std::string name;
  bool planar_scene;
  ShapeGeometry first, second;
  double contensou;
  char first_body;  // 'm' moving, 'r' rigid or planar
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

System make_system(const Case& c) {
  SystemBuilder builder(c.planar_scene, Vector3(0, -9.81, 0));
  const Matrix3 R = c.planar_scene ? axis_angle_matrix(Vector3::UnitZ(), 0.4)
                                   : axis_angle_matrix(Vector3(1, 1, -1).normalized(), 0.4);
  const Vector3 offset = c.planar_scene ? Vector3(0.1, -0.15, 0) : Vector3(0.1, -0.15, 0.2);
  const auto body = [&](char kind, const std::string& name) {
    return make_body(kind == 'r' && c.planar_scene ? 'p' : kind, name, c.planar_scene);
  };
  Body first = body(c.first_body, "first");
  first.shapes.push_back(shape(c.first, offset, R));
  Body second = body('r', "second");
  second.shapes.push_back(shape(c.second, -0.5 * offset, R.transpose()));
  ContactPairOptions pair;
  pair.name = "pair";
  pair.first = builder.add_body(first);
  pair.second = builder.add_body(second);
  pair.law.friction = 0.3;
  pair.law.contensou_radius = c.contensou;
  builder.add_contact(pair);
  return builder.build();
}

/// Whether a ball is near the centre of what it touches, where the normal turns infinitely fast and
/// differences say nothing.
bool near_singular(const System& system, const RandomState& s) {
  constexpr double kNear = 0.8;  // [m] distance of centres
  for (std::size_t k = 0; k < system.contact_points().size(); ++k) {
    const ContactPoint& point = system.contact_points()[k];
    const double gap = system.calc_gap(static_cast<int>(k), s.t, s.q);
    const SurfaceFeature& surface = system.surfaces()[point.surface];
    const double radius = system.balls()[point.ball].radius;
    if (surface.kind == SurfaceKind::sphere && gap + surface.radius + radius < kNear) return true;
    const bool container =
        surface.kind == SurfaceKind::container_sphere || surface.kind == SurfaceKind::container_cylinder;
    if (surface.kind == SurfaceKind::ellipsoid && gap + radius < 0.3) return true;
    if (container && surface.radius - radius - gap < kNear) return true;
  }
  return false;
}

/// A column of up to four entries, filled up with zeros like the system's contact vectors.
template <class Column>
ContactVector padded(const Column& column) {
  ContactVector v = ContactVector::Zero();
  for (int i = 0; i < column.size(); ++i) v(i) = column(i);
  return v;
}

ContactVector gamma_at(const System& system, const RandomState& s, int k) {
  ContactGeometry geometry;
  system.calc_contact(k, s.t, s.q, geometry);
  return system.calc_contact_velocity(k, geometry, s.t, s.q, s.u);
}

/// gamma' by W^T a + zeta.
ContactVector gamma_dot_at(const System& system, const RandomState& s, int k) {
  ContactGeometry geometry;
  system.calc_contact(k, s.t, s.q, geometry);
  const ContactPair& pair = system.contacts()[0];
  ContactVector result = system.calc_contact_acceleration_bias(k, s.t, s.q, s.u);
  for (const Side side : {Side::first, Side::second}) {
    const Body& body = system.bodies()[side == Side::first ? pair.options.first : pair.options.second];
    if (body.n_u == 0) continue;
    RowMatrix J(1 + pair.friction_dim, body.n_u);
    system.calc_contact_jacobian(k, geometry, s.q, side, J);
    result += padded((J * s.a.segment(body.u_offset, body.n_u)).eval());
  }
  return result;
}

Vector force_at(const System& system, const RandomState& s, int k, const ContactVector& lambda) {
  ContactGeometry geometry;
  system.calc_contact(k, s.t, s.q, geometry);
  const ContactPair& pair = system.contacts()[0];
  Vector f = Vector::Zero(system.n_u());
  for (const Side side : {Side::first, Side::second}) {
    const Body& body = system.bodies()[side == Side::first ? pair.options.first : pair.options.second];
    if (body.n_u == 0) continue;
    RowMatrix J(1 + pair.friction_dim, body.n_u);
    system.calc_contact_jacobian(k, geometry, s.q, side, J);
    f.segment(body.u_offset, body.n_u) += J.transpose() * lambda.head(J.rows());
  }
  return f;
}

class ContactKinematics : public testing::TestWithParam<Case> {};

TEST_P(ContactKinematics, GapVectorIsGapTimesNormal) {
  const System system = make_system(GetParam());
  std::mt19937 generator(1);
  for (int trial = 0; trial < 20; ++trial) {
    const RandomState s = random_state(system, generator, near_singular);
    for (int k = 0; k < static_cast<int>(system.contact_points().size()); ++k) {
      ContactGeometry g;
      system.calc_contact(k, s.t, s.q, g);
      EXPECT_LT((g.position_second - g.position_first - g.gap * g.normal).norm(), 1e-13);
      Matrix3 frame;
      frame << g.normal, g.tangent1, GetParam().planar_scene ? Vector3(0, 0, -1) : g.tangent2;
      EXPECT_LT((frame.transpose() * frame - Matrix3::Identity()).norm(), 1e-13);
      EXPECT_NEAR(frame.determinant(), 1.0, 1e-13);
    }
  }
}

TEST_P(ContactKinematics, NormalVelocityIsTheGapsRate) {
  const System system = make_system(GetParam());
  std::mt19937 generator(2);
  for (int trial = 0; trial < 20; ++trial) {
    const RandomState s = random_state(system, generator, near_singular);
    const RandomState before = moved(system, s, -kCentralStep);
    const RandomState after = moved(system, s, kCentralStep);
    for (int k = 0; k < static_cast<int>(system.contact_points().size()); ++k) {
      const double rate =
          (system.calc_gap(k, after.t, after.q) - system.calc_gap(k, before.t, before.q)) / (2.0 * kCentralStep);
      EXPECT_NEAR(gamma_at(system, s, k)(0), rate, kCentralError);
    }
  }
}

TEST_P(ContactKinematics, AccelerationIsTheVelocitysRate) {
  const System system = make_system(GetParam());
  std::mt19937 generator(3);
  for (int trial = 0; trial < 20; ++trial) {
    const RandomState s = random_state(system, generator, near_singular);
    for (int k = 0; k < static_cast<int>(system.contact_points().size()); ++k) {
      const ContactVector rate =
          (gamma_at(system, moved(system, s, kCentralStep), k) - gamma_at(system, moved(system, s, -kCentralStep), k)) /
          (2.0 * kCentralStep);
      const ContactVector exact = gamma_dot_at(system, s, k);
      EXPECT_LT((exact - rate).norm(), kCentralError * (1.0 + rate.norm())) << exact.transpose();
    }
  }
}

TEST_P(ContactKinematics, JacobianTimesVelocityIsGamma) {
  const System system = make_system(GetParam());
  std::mt19937 generator(4);
  for (int trial = 0; trial < 20; ++trial) {
    RandomState s = random_state(system, generator, near_singular);
    const ContactVector gamma = gamma_at(system, s, 0);
    RandomState still = s;
    still.u.setZero();
    const ContactVector tau = gamma_at(system, still, 0);
    const ContactVector lambda =
        padded(ContactVector(0.7, -0.3, 0.4, 0.2, 0.0, 0.0).head(1 + system.contacts()[0].friction_dim).eval());
    // Power: lambda . (gamma - tau) = (W lambda) . u.
    EXPECT_NEAR(lambda.dot(gamma - tau), force_at(system, s, 0, lambda).dot(s.u), 1e-13);
    EXPECT_EQ(system.has_prescribed_motion(0), GetParam().first_body == 'm');
    if (GetParam().first_body != 'm') {
      EXPECT_EQ(tau.norm(), 0.0);
    }
  }
}

TEST_P(ContactKinematics, DerivativesMatchDifferences) {
  const System system = make_system(GetParam());
  std::mt19937 generator(5);
  const ContactVector lambda(0.7, -0.3, 0.4, 0.2, 0.0, 0.0);
  ContactDerivatives d;
  for (int trial = 0; trial < 5; ++trial) {
    const RandomState s = random_state(system, generator, near_singular);
    for (int k = 0; k < static_cast<int>(system.contact_points().size()); ++k) {
      system.calc_contact_derivatives(k, s.t, s.q, s.u, s.a, lambda, d);
      // The pair's bodies are all there are, in the same order, so local and global coordinates agree.
      ASSERT_EQ(d.gap_q.cols(), system.n_q());
      for (int j = 0; j < system.n_q(); ++j) {
        RandomState plus = s;
        RandomState minus = s;
        plus.q(j) += kCentralStep;
        minus.q(j) -= kCentralStep;
        const auto slope = [](const auto& p, const auto& m) { return ((p - m) / (2.0 * kCentralStep)).eval(); };
        EXPECT_NEAR(d.gap_q(j),
                    (system.calc_gap(k, s.t, plus.q) - system.calc_gap(k, s.t, minus.q)) / (2.0 * kCentralStep),
                    kCentralError);
        EXPECT_LT((padded(d.gamma_q.col(j)) - slope(gamma_at(system, plus, k), gamma_at(system, minus, k))).norm(),
                  kCentralError * 10);
        const ContactVector rate = slope(gamma_dot_at(system, plus, k), gamma_dot_at(system, minus, k));
        EXPECT_LT((padded(d.gamma_dot_q.col(j)) - rate).norm(), kCentralError * (10 + 10 * rate.norm()));
        const Vector force = slope(force_at(system, plus, k, lambda), force_at(system, minus, k, lambda));
        EXPECT_LT((d.force_q.col(j) - force).norm(), kCentralError * 10);
      }
      for (int j = 0; j < system.n_u(); ++j) {
        RandomState plus = s;
        RandomState minus = s;
        plus.u(j) += kCentralStep;
        minus.u(j) -= kCentralStep;
        const ContactVector rate =
            (gamma_dot_at(system, plus, k) - gamma_dot_at(system, minus, k)) / (2.0 * kCentralStep);
        EXPECT_LT((padded(d.gamma_dot_u.col(j)) - rate).norm(), kCentralError * (10 + 10 * rate.norm()));
      }
    }
  }
}

/// A point on a beam: the same checks, over the control points that it depends on.
TEST(ContactOnBeam, RatesPowerAndDerivatives) {
  for (const double xi : {0.1, 1.0}) {
    for (const bool beam_first : {true, false}) {
      SystemBuilder builder(true, Vector3(0, -9.81, 0));
      Body beam;
      beam.name = "beam";
      beam.type = BodyType::beam;
      beam.beam.emplace(BeamOptions{1.2, 100.0, 1.0, 0.7, 4, 2, 0});
      beam.shapes.push_back(shape(PointShape{xi}, Vector3::Zero()));
      Body disc = make_body('p', "disc", true);
      disc.shapes.push_back(shape(Sphere{0.3, false}, Vector3(0.1, 0.0, 0.0)));
      ContactPairOptions pair;
      pair.name = "pair";
      const int b = builder.add_body(beam);
      const int d = builder.add_body(disc);
      pair.first = beam_first ? b : d;
      pair.second = beam_first ? d : b;
      builder.add_contact(pair);
      const System system = builder.build();
      const ContactPoint& point = system.contact_points()[0];
      EXPECT_EQ(system.side(point, beam_first ? Side::first : Side::second).n_u, 6);
      std::mt19937 generator(6);
      const RandomState s = random_state(system, generator, near_singular);
      const auto gamma = [&system](const RandomState& at) {
        ContactGeometry g;
        system.calc_contact(0, at.t, at.q, g);
        return system.calc_contact_velocity(0, g, at.t, at.q, at.u);
      };
      // W^T v, and W lambda
      const auto jacobian = [&](const RandomState& at) {
        ContactGeometry g;
        system.calc_contact(0, at.t, at.q, g);
        Matrix all = Matrix::Zero(2, system.n_u());
        for (const Side side : {Side::first, Side::second}) {
          const Attachment& a = system.side(point, side);
          RowMatrix J(2, a.n_u);
          system.calc_contact_jacobian(0, g, at.q, side, J);
          all.middleCols(a.u_offset, a.n_u) += J;
        }
        return all;
      };
      const auto gamma_dot = [&](const RandomState& at) {
        return Vector(jacobian(at) * at.a + system.calc_contact_acceleration_bias(0, at.t, at.q, at.u).head<2>());
      };
      EXPECT_LT((jacobian(s) * s.u - gamma(s).head<2>()).norm(), 1e-13);
      const RandomState before = moved(system, s, -kCentralStep);
      const RandomState after = moved(system, s, kCentralStep);
      EXPECT_NEAR(gamma(s)(0),
                  (system.calc_gap(0, 0.0, after.q) - system.calc_gap(0, 0.0, before.q)) / (2.0 * kCentralStep),
                  kCentralError);
      EXPECT_LT((gamma_dot(s) - (gamma(after) - gamma(before)).head<2>() / (2.0 * kCentralStep)).norm(),
                kCentralError * 10);
      const ContactVector lambda(0.7, -0.3, 0.0, 0.0, 0.0, 0.0);
      ContactDerivatives derivatives;
      system.calc_contact_derivatives(0, s.t, s.q, s.u, s.a, lambda, derivatives);
      for (const Side side : {Side::first, Side::second}) {
        const Attachment& a = system.side(point, side);
        for (int i = 0; i < a.n_q; ++i) {
          const int j = side == Side::first ? i : system.side(point, Side::first).n_q + i;
          RandomState plus = s;
          RandomState minus = s;
          plus.q(a.q_offset + i) += kCentralStep;
          minus.q(a.q_offset + i) -= kCentralStep;
          EXPECT_NEAR(derivatives.gap_q(j),
                      (system.calc_gap(0, 0.0, plus.q) - system.calc_gap(0, 0.0, minus.q)) / (2.0 * kCentralStep),
                      kCentralError);
          EXPECT_LT((derivatives.gamma_q.col(j) - (gamma(plus) - gamma(minus)).head<2>() / (2.0 * kCentralStep)).norm(),
                    kCentralError * 10);
          EXPECT_LT(
              (derivatives.gamma_dot_q.col(j) - (gamma_dot(plus) - gamma_dot(minus)) / (2.0 * kCentralStep)).norm(),
              kCentralError * 100);
          const Vector force = (jacobian(plus) - jacobian(minus)).transpose() * lambda.head<2>() / (2.0 * kCentralStep);
          Vector exact = Vector::Zero(system.n_u());
          const Attachment& first = system.side(point, Side::first);
          const Attachment& second = system.side(point, Side::second);
          exact.segment(first.u_offset, first.n_u) = derivatives.force_q.col(j).head(first.n_u);
          exact.segment(second.u_offset, second.n_u) = derivatives.force_q.col(j).tail(second.n_u);
          EXPECT_LT((exact - force).norm(), kCentralError * 10);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ContactKinematics,
    testing::Values(
        Case{"half_space_sphere", false, HalfSpace{Vector3(1, 2, 2) / 3.0, 0.2}, Sphere{0.3, false}, 0.0, 'm'},
        Case{"sphere_half_space", false, Sphere{0.3, false}, HalfSpace{Vector3(1, 2, 2) / 3.0, 0.2}, 0.0, 'r'},
        Case{"steep_half_space", false, HalfSpace{Vector3::UnitX(), 0.2}, Sphere{0.3, false}, 0.01, 'r'},
        Case{"half_space_box", false, HalfSpace{Vector3(1, 2, 2) / 3.0, 0.2}, Box{{0.4, 0.5, 0.6}}, 0.0, 'm'},
        Case{"sphere_sphere", false, Sphere{0.3, false}, Sphere{0.2, false}, 0.02, 'r'},
        Case{"sphere_point", false, Sphere{0.3, false}, PointShape{}, 0.0, 'm'},
        Case{"in_sphere", false, Sphere{3.0, true}, Sphere{0.2, false}, 0.0, 'm'},
        Case{"in_cylinder", false, Cylinder{3.0, std::nullopt, true}, Sphere{0.2, false}, 0.03, 'm'},
        Case{"capsule_in_cylinder", false, Cylinder{3.0, std::nullopt, true}, Capsule{0.2, 0.6}, 0.0, 'r'},
        Case{"half_space_ellipsoid", false, HalfSpace{Vector3(1, 2, 2) / 3.0, 0.2}, Ellipsoid{{0.4, 0.5, 0.6}}, 0.0,
             'm'},
        Case{"ellipsoid_half_space", false, Ellipsoid{{0.4, 0.5, 0.6}}, HalfSpace{Vector3(1, 2, 2) / 3.0, 0.2}, 0.02,
             'r'},
        Case{"ellipsoid_sphere", false, Ellipsoid{{0.4, 0.5, 0.6}}, Sphere{0.2, false}, 0.0, 'r'},
        Case{"point_ellipsoid", false, PointShape{}, Ellipsoid{{0.7, 0.5, 0.3}}, 0.0, 'm'},
        Case{"cylinder_sphere", false, Cylinder{0.3, 0.4}, Sphere{0.2, false}, 0.02, 'r'},
        Case{"point_cylinder", false, PointShape{}, Cylinder{0.2, 0.4}, 0.0, 'm'},
        Case{"planar_half_space_disc", true, HalfSpace{{0.6, 0.8, 0}, 0.2}, Sphere{0.3, false}, 0.0, 'm'},
        Case{"planar_disc_half_space", true, Sphere{0.3, false}, HalfSpace{{0.6, 0.8, 0}, 0.2}, 0.0, 'r'},
        Case{"planar_rod_tip", true, HalfSpace{{0, 1, 0}, 0.0}, PointShape{}, 0.0, 'm'},
        Case{"planar_discs", true, Sphere{0.3, false}, Sphere{0.2, false}, 0.0, 'r'},
        Case{"planar_in_disc", true, Sphere{3.0, true}, Sphere{0.2, false}, 0.0, 'm'},
        Case{"planar_box_in_cylinder", true, Cylinder{3.0, std::nullopt, true}, Box{{0.4, 0.3, 0}}, 0.0, 'r'}),
    case_name);

TEST(ContactFrames, MatchTheReferenceStates) {
  // Contact directions D of two rigid bodies with given frame and point [Negrut2017, section 1].
  std::ifstream file(STICKSLIP_TEST_DATA_DIR "/frames.txt");
  ASSERT_TRUE(file);
  SystemBuilder builder(false, Vector3::Zero());
  Body a = make_body('r', "a", false);
  Body b = make_body('r', "b", false);
  a.shapes.push_back(shape(Sphere{1.0, false}, Vector3::Zero()));
  b.shapes = a.shapes;
  ContactPairOptions pair;
  pair.first = builder.add_body(a);
  pair.second = builder.add_body(b);
  builder.add_contact(pair);
  const System system = builder.build();
  constexpr double kTolerance = 1e-13;  // the reference's own
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    const auto read = [&in](int n) {
      Vector v(n);
      for (double& x : v) in >> x;
      return v;
    };
    const Vector rA = read(3), rB = read(3), eA = read(4), eB = read(4);
    ContactGeometry g;
    g.normal = read(3);
    g.tangent1 = read(3);
    g.tangent2 = read(3);
    g.position_first = g.position_second = read(3);
    const Vector v = read(12), D = read(36), DTv = read(3), e_dot = read(4), lambda = read(3), force = read(12);
    ASSERT_TRUE(in);
    Vector q(14);
    q << rA, eA, rB, eB;
    RowMatrix J(3, 12);
    RowMatrix side(3, 6);
    system.calc_contact_jacobian(0, g, q, Side::first, side);
    J.leftCols(6) = side;
    system.calc_contact_jacobian(0, g, q, Side::second, side);
    J.rightCols(6) = side;
    const Eigen::Map<const RowMatrix> reference(D.data(), 12, 3);
    EXPECT_LT((J.transpose() - reference).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((system.calc_contact_velocity(0, g, 0.0, q, v).head<3>() - DTv).cwiseAbs().maxCoeff(), kTolerance * 10);
    EXPECT_LT((J.transpose() * lambda - force).cwiseAbs().maxCoeff(), kTolerance * 10);
    Vector rates(14);
    system.calc_coordinate_rates(q, v, rates);
    EXPECT_LT((rates.tail<4>() - e_dot).cwiseAbs().maxCoeff(), kTolerance);
    ++rows;
  }
  EXPECT_EQ(rows, 20);
}

TEST(SystemBuilder, RefusesPairsWithoutAGapFunction) {
  SystemBuilder builder(false, Vector3::Zero());
  Body a = make_body('r', "a", false);
  Body b = make_body('r', "b", false);
  a.shapes.push_back(shape(Cylinder{1.0, 1.0, false}, Vector3::Zero()));
  b.shapes.push_back(shape(Cylinder{3.0, {}, true}, Vector3::Zero()));
  ContactPairOptions pair;
  pair.name = "p";
  pair.first = builder.add_body(a);
  pair.second = builder.add_body(b);
  EXPECT_THROW(builder.add_contact(pair), InputError);
}

TEST(DetectedContact, IsMadeAgainFromItsId) {
  SystemBuilder builder(false, Vector3::Zero());
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}}};
  builder.add_body(floor);
  for (const char* name : {"box1", "box2"}) {
    Body box = make_body('r', name, false);
    box.shapes = {Shape{.name = "hull", .geometry = Box{Vector3(1.0, 2.0, 3.0)}},
                  Shape{.name = "tip", .geometry = PointShape{}}};
    builder.add_body(box);
  }
  ContactDetectionOptions contacts;
  contacts.except = {{{{1, 0}}, {{2, -1}}}, {{{1, 1}}, {{2, 0}}}};
  builder.detect_contacts(contacts);
  const System system = builder.build();
  std::set<std::uint64_t> numbers;
  for (int shape = 1; shape < 5; ++shape) {
    const ShapeFeatures& of = system.shapes()[shape];
    for (int ball = 0; ball < of.n_balls; ++ball) {
      const ElementId id = System::make_contact_id(0, shape, ball);
      const ContactPoint point = system.make_contact_point(id);
      EXPECT_EQ(point.id, id);
      EXPECT_EQ(point.pair, kDetected);
      EXPECT_EQ(point.index, ball);
      EXPECT_EQ(system.surfaces()[point.surface].shape, 0);
      EXPECT_EQ(system.balls()[point.ball].shape, shape);
      EXPECT_EQ(point.ball, of.first_ball + ball);
      EXPECT_EQ(system.side(point, Side::second).body, of.body);
      numbers.insert(system.number_of(id));
    }
  }
  EXPECT_EQ(numbers.size(), 18U) << "8 corners and a point, twice";
}

}  // namespace
}  // namespace stickslip
