// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/beam.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

constexpr double kPi = std::numbers::pi;

BeamOptions options(int degree, int elements) {
  BeamOptions o;
  o.length = 1.5;
  o.axial_stiffness = 300.0;
  o.bending_stiffness = 0.4;
  o.line_density = 0.7;
  o.degree = degree;
  o.elements = elements;
  return o;
}

/// The control points of the undeformed beam from `start` on, turned by `angle`.
Vector straight(const Beam& beam, const Eigen::Vector2d& start, double angle) {
  Vector q(2 * beam.n_control());
  for (int i = 0; i < beam.n_control(); ++i) {
    const double s = beam.options().length * beam.greville(i);
    q.segment<2>(2 * i) = start + s * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  return q;
}

Matrix stiffness(const Beam& beam, const Vector& q) {  // d2E/dq2
  const int n = 2 * beam.n_control();
  Matrix K = Matrix::Zero(n, n);
  Beam::ElementMatrix element;
  for (int e = 0; e < beam.n_elements(); ++e) {
    beam.calc_elastic_stiffness(e, q.data(), element);
    K.block(2 * e, 2 * e, element.rows(), element.cols()) -= element;
  }
  return K;
}

Vector elastic_force(const Beam& beam, const Vector& q) {
  Vector h = Vector::Zero(q.size());
  beam.add_elastic_force(q.data(), h.data());
  return h;
}

TEST(Beam, ForceIsTheEnergysSlopeAndStiffnessTheForces) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const int degree : {2, 3, 4, 7}) {
    for (const int elements : {1, 2, 5}) {
      const Beam beam(options(degree, elements));
      Vector q = straight(beam, {0.3, -0.2}, 0.7);
      for (double& x : q) x += 0.05 * uniform(generator);
      const Vector h = elastic_force(beam, q);
      const Matrix K = stiffness(beam, q);
      EXPECT_LT((K - K.transpose()).norm(), 1e-13 * K.norm());
      constexpr double kStep = 1e-5;
      for (int j = 0; j < q.size(); ++j) {
        const auto at = [&](double step) {
          Vector moved = q;
          moved(j) += step;
          return moved;
        };
        const double slope =
            (8.0 * (beam.calc_strain_energy(at(kStep).data()) - beam.calc_strain_energy(at(-kStep).data())) -
             (beam.calc_strain_energy(at(2 * kStep).data()) - beam.calc_strain_energy(at(-2 * kStep).data()))) /
            (12.0 * kStep);
        EXPECT_NEAR(h(j), -slope, 1e-8 * (1.0 + h.norm()));
        const Vector column = (8.0 * (elastic_force(beam, at(kStep)) - elastic_force(beam, at(-kStep))) -
                               (elastic_force(beam, at(2 * kStep)) - elastic_force(beam, at(-2 * kStep)))) /
                              (12.0 * kStep);
        EXPECT_LT((K.col(j) + column).norm(), 1e-8 * K.norm());
      }
    }
  }
}

TEST(Beam, RigidMotionsCostNoEnergyAndForcesBalance) {
  const Beam beam(options(3, 4));
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double angle : {0.0, 1.0, 2.9, -2.0, 12.0}) {
    const Vector q = straight(beam, {5.0, -3.0}, angle);
    EXPECT_LT(beam.calc_strain_energy(q.data()), 1e-24 * beam.options().axial_stiffness);
    EXPECT_LT(elastic_force(beam, q).norm(), 1e-10);  // round-off of coordinates times the stiffness
  }
  Vector q = straight(beam, {0.0, 0.0}, 0.4);
  for (double& x : q) x += 0.1 * uniform(generator);
  const Vector h = elastic_force(beam, q);
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  double moment = 0.0;
  for (int i = 0; i < beam.n_control(); ++i) {
    const Eigen::Vector2d f = h.segment<2>(2 * i);
    sum += f;
    moment += q(2 * i) * f(1) - q(2 * i + 1) * f(0);
  }
  EXPECT_LT(sum.norm(), 1e-13 * h.norm());
  EXPECT_LT(std::abs(moment), 1e-13 * h.norm());
}

TEST(Beam, MassIsThatOfARod) {
  for (const int degree : {2, 4}) {
    const Beam beam(options(degree, 3));
    const BeamOptions& o = beam.options();
    EXPECT_NEAR(beam.lumped_mass().sum(), beam.mass(), 1e-14);
    const Vector q = straight(beam, {0.0, 0.0}, 0.0);
    const Vector x = Eigen::Map<const Vector, 0, Eigen::InnerStride<2>>(q.data(), beam.n_control());
    EXPECT_NEAR(beam.lumped_mass().dot(x), beam.mass() * o.length / 2.0, 1e-14);
    EXPECT_NEAR(x.dot(beam.control_mass() * x), beam.mass() * o.length * o.length / 3.0, 1e-14);
    Vector f(q.size());
    for (int c = 0; c < 2; ++c) {
      Eigen::Map<Vector, 0, Eigen::InnerStride<2>>(f.data() + c, beam.n_control()) =
          beam.control_mass() * Eigen::Map<const Vector, 0, Eigen::InnerStride<2>>(q.data() + c, beam.n_control());
    }
    Vector solved(q.size());
    beam.solve_mass(f.data(), solved.data());
    EXPECT_LT((solved - q).norm(), 1e-13);
  }
}

/// The static shape of a beam clamped at xi = 0 along +x under a force on its tip: Newton's method over the control
/// points but the first two, of which the second may slide along the clamp's tangent.
Vector solve_cantilever(const Beam& beam, const Eigen::Vector2d& tip_force) {
  Vector q = straight(beam, {0.0, 0.0}, 0.0);
  const int n = static_cast<int>(q.size());
  std::vector<int> free = {2};
  for (int i = 4; i < n; ++i) free.push_back(i);
  constexpr int kLoadSteps = 20;
  for (int load = 1; load <= kLoadSteps; ++load) {
    for (int round = 0; round < 20; ++round) {
      Vector h = elastic_force(beam, q);
      h.tail<2>() += tip_force * load / kLoadSteps;
      const Matrix K = stiffness(beam, q);
      const Vector dq = Matrix(K(free, free)).lu().solve(Vector(h(free)));
      for (std::size_t i = 0; i < free.size(); ++i) q(free[i]) += dq(static_cast<Eigen::Index>(i));
      if (dq.norm() < 1e-13) break;
    }
  }
  return q;
}

TEST(Beam, CantileverBendsLikeEulerAndBernoulliWhenLittle) {
  BeamOptions o = options(3, 8);
  const Beam beam(o);
  const double force = 1e-5;  // [N]: deflection 3e-5 m of 1.5
  const Vector q = solve_cantilever(beam, {0.0, force});
  const double exact = force * std::pow(o.length, 3) / (3.0 * o.bending_stiffness);
  EXPECT_NEAR(q(q.size() - 1), exact, 1e-8 * exact);
}

TEST(Beam, CantileverBendsLikeTheElasticaWhenMuch) {
  // Tip force across with F L^2 / EI = 4: deflections 0.66996 L and 0.32894 L [Mattiasson1981; exact by elliptic
  // integrals].
  BeamOptions o = options(5, 16);
  o.axial_stiffness = 1e6 * o.bending_stiffness;  // stretches by 2e-6; the elastica does not
  const Beam beam(o);
  const Vector q = solve_cantilever(beam, {0.0, 4.0 * o.bending_stiffness / (o.length * o.length)});
  EXPECT_NEAR(q(q.size() - 1) / o.length, 0.66996, 2e-5);
  EXPECT_NEAR(1.0 - q(q.size() - 2) / o.length, 0.32894, 2e-5);
}

TEST(Beam, FirstFrequencyOfACantilever) {
  const Beam beam(options(4, 8));
  const BeamOptions& o = beam.options();
  const Vector q = straight(beam, {0.0, 0.0}, 0.0);
  const Matrix K = stiffness(beam, q);
  const int n = beam.n_control() - 2;  // clamped: the first two control points stay, motion across only
  Matrix across(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) across(i, j) = K(2 * (i + 2) + 1, 2 * (j + 2) + 1);
  }
  const Matrix mass = beam.control_mass().bottomRightCorner(n, n);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes(across, mass);
  const double beta = 1.875104068711961;  // the first root of cosh x cos x = -1
  const double exact = std::pow(beta / o.length, 2) * std::sqrt(o.bending_stiffness / o.line_density);
  EXPECT_NEAR(std::sqrt(modes.eigenvalues()(0)), exact, 1e-7 * exact);
}

Body beam_body(const std::string& name, int degree, int elements) {
  Body b;
  b.name = name;
  b.type = BodyType::beam;
  b.beam.emplace(options(degree, elements));
  return b;
}

TEST(BeamBody, CrossSectionIsWhereTheCurveIs) {
  SystemBuilder builder(true, Vector3::Zero());
  builder.add_body(beam_body("beam", 3, 4));
  const System system = builder.build();
  const Vector q = straight(*system.bodies()[0].beam, {0.5, 0.2}, 2.5);
  Vector u(system.n_u());
  const double w = 0.8;  // [rad/s] turning about the origin
  for (int i = 0; i < u.size() / 2; ++i) u.segment<2>(2 * i) = w * Eigen::Vector2d(-q(2 * i + 1), q(2 * i));
  for (const double xi : {0.0, 0.25, 0.3, 1.0}) {
    const Attachment at = system.attach(0, xi);
    const Pose pose = system.calc_pose(at, 0.0, q);
    const Vector3 exact(0.5 + 1.5 * xi * std::cos(2.5), 0.2 + 1.5 * xi * std::sin(2.5), 0.0);
    EXPECT_LT((pose.p_WB - exact).norm(), 1e-14);
    EXPECT_NEAR(std::atan2(pose.R_WB(1, 0), pose.R_WB(0, 0)), 2.5, 1e-13);
    const Twist twist = system.calc_twist(at, 0.0, q, u);
    EXPECT_NEAR(twist.w_WB(2), w, 1e-13);
    EXPECT_LT((twist.v_WB - Vector3(0, 0, w).cross(exact)).norm(), 1e-13);
    EXPECT_EQ(at.n_u, 8);
  }
  EXPECT_EQ(system.calc_pose(0, 0.0, q).p_WB, system.calc_pose(system.attach(0, 0.0), 0.0, q).p_WB);
  Vector momentum(u.size());
  system.multiply_mass(u, momentum);
  EXPECT_NEAR(system.calc_kinetic_energy(u), 0.5 * u.dot(momentum), 1e-13);
}

TEST(BeamBody, FallsFreelyAndMassSolvesAgree) {
  SystemBuilder builder(true, Vector3(0.3, -9.81, 0.0));
  builder.add_body(beam_body("beam", 2, 3));
  const System system = builder.build();
  const Vector q = straight(*system.bodies()[0].beam, {0.0, 0.0}, 0.3);
  Vector h(system.n_u());
  system.calc_applied_forces(0.0, q, Vector::Zero(system.n_u()), h);
  Vector a(system.n_u());
  system.solve_mass(h, a);
  for (int i = 0; i < a.size(); ++i) EXPECT_NEAR(a(i), i % 2 == 0 ? 0.3 : -9.81, 1e-9);
  EXPECT_LT((system.inverse_mass(0) * h - a).norm(), 1e-9);
  const double mass = system.bodies()[0].mass;
  EXPECT_NEAR(system.calc_potential_energy(0.0, q), mass * (-0.3 * 0.75 * std::cos(0.3) + 9.81 * 0.75 * std::sin(0.3)),
              1e-12);
}

TEST(BeamBody, RefusesWhatIsNoBeam) {
  const auto refused = [](auto&& change) {
    BeamOptions o = options(2, 2);
    change(o);
    EXPECT_THROW(Beam{o}, InputError);
  };
  refused([](BeamOptions& o) { o.length = 0.0; });
  refused([](BeamOptions& o) { o.axial_stiffness = -1.0; });
  refused([](BeamOptions& o) { o.bending_stiffness = std::nan(""); });
  refused([](BeamOptions& o) { o.line_density = 0.0; });
  refused([](BeamOptions& o) { o.degree = 1; });
  refused([](BeamOptions& o) { o.degree = 8; });
  refused([](BeamOptions& o) { o.elements = 0; });
  refused([](BeamOptions& o) { o.quadrature = 1; });  // two points for four functions: no mass matrix
  SystemBuilder spatial(false, Vector3::Zero());
  EXPECT_THROW(spatial.add_body(beam_body("beam", 2, 2)), InputError);
}

}  // namespace
}  // namespace stickslip
