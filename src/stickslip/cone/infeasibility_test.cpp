// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/infeasibility.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/math/linear_program.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-12;
constexpr FrictionBlock kDisc{2, 0.5, 0, 0.0};

ConeProblem with(const Matrix& w, const ConeProblem& cones) {
  return make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
}

/// A body between two walls that face one another, normals opposite: J = (1, 0, 0; 0, 1, 0; 0, 0, 1) and its negative
/// normal row. b = what the two gaps ask of it, [m/s].
ConeProblem squeezed(double first, double second) {
  Matrix j(6, 3);
  j << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1;
  ConeProblem cones;
  cones.add_contact({&kDisc, 1});
  cones.add_contact({&kDisc, 1});
  cones.b = {first, 0.3, 0.0, second, 0.3, 0.0};
  return with(j * j.transpose(), cones);
}

TEST(Infeasibility, SqueezedBody) {
  // Both gaps negative: u_1 + u_2 = -3 whatever acts. The violation is shared: 1.5 each.
  const auto found = find_infeasibility(squeezed(-1.0, -2.0));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->violation, std::sqrt(2.0) * 1.5, kRoundOff);
  EXPECT_NEAR(found->y[0], 1.5, kRoundOff);
  EXPECT_NEAR(found->y[3], 1.5, kRoundOff);
  EXPECT_EQ(found->y[1], 0.0);
  // One gap makes up for the other.
  EXPECT_FALSE(find_infeasibility(squeezed(-1.0, 2.0)));
  EXPECT_FALSE(find_infeasibility(squeezed(-1.0, 1.0)));
}

/// Percussions beyond the proof's bound disprove nothing: round-off of their velocities is as large as what they miss.
TEST(Infeasibility, LargePercussionsDoNotContradictIt) {
  const ConeProblem problem = squeezed(-1.0, -2.0);
  const auto found = find_infeasibility(problem);
  ASSERT_TRUE(found);
  const std::vector<double> u(6, 0.0);  // as if nothing were missed
  std::vector<double> p(6, 0.0);
  p[0] = p[3] = 0.5 * found->bound;
  EXPECT_TRUE(is_contradicted(*found, problem, p, u));
  p[0] = p[3] = found->bound;
  EXPECT_FALSE(is_contradicted(*found, problem, p, u));
}

TEST(Infeasibility, InconsistentJoints) {
  // One unknown, two bilateral rows that ask two velocities of it.
  ConeProblem cones;
  cones.add_free(1);
  cones.add_free(1);
  cones.b = {1.0, 1.5};
  const auto found = find_infeasibility(with(Matrix::Ones(2, 2), cones));
  ASSERT_TRUE(found);
  EXPECT_NEAR(std::abs(found->y[0]), 0.25, kRoundOff);
  EXPECT_NEAR(found->y[0] + found->y[1], 0.0, kRoundOff);
  cones.b = {1.0, 1.0};
  EXPECT_FALSE(find_infeasibility(with(Matrix::Ones(2, 2), cones)));
}

/// Two joints at a small angle, W = J J^T regular: percussions of size 1 / angle^2 solve it, however nearly singular it
/// is, and there is no proof that they do not. With the angle zero there is one, and it bounds every p.
TEST(Infeasibility, NearlyParallelJointsHaveASolution) {
  for (const double angle : {1e-2, 1e-4, 1e-5, 1e-6, 1e-7}) {
    const Matrix j = (Matrix(2, 2) << 1, 0, 1, angle).finished();
    ConeProblem cones;
    cones.add_free(1);
    cones.add_free(1);
    cones.b = {1.0, 1.5};
    const Matrix w = j * j.transpose();
    ASSERT_GT(w(0, 0) * w(1, 1), w(0, 1) * w(1, 0));
    const double p = 0.5 / (angle * angle);
    EXPECT_NEAR((w * Eigen::Vector2d(p - 1.0, -p))[1] + 1.5, 0.0, 1e-15 * p);
    EXPECT_FALSE(find_infeasibility(with(w, cones))) << angle;
  }
}

/// Three joints hold a body in a plane where two do, or nearly so.
TEST(Infeasibility, AProofBoundsEveryPercussion) {
  for (const double angle : {0.0, 1e-3, 1e-5, 1e-6}) {
    const Matrix j = (Matrix(3, 3) << 1, 0, 0, 0, 1, 0, 0.6, 0.8, angle).finished();
    ConeProblem cones;
    for (int i = 0; i < 3; ++i) cones.add_free(1);
    cones.b = {1.0, -1.0, 0.3};
    const auto found = find_infeasibility(with(j * j.transpose(), cones));
    EXPECT_EQ(found.has_value(), angle == 0.0) << angle;
    if (!found) continue;
    // y along (0.6, 0.8, -1): y . b = -0.5 for |y|^2 = 2.
    EXPECT_NEAR(found->violation, 0.5 / std::sqrt(2.0), kRoundOff);
    EXPECT_GT(found->bound, 1e12);
    EXPECT_LT(found->bound, 1e16);  // beyond it (0.6, 0.8, -1) p is lost in round-off
  }
}

// --- badly scaled W: what is small beside other entries is not round-off

/// A contact that is coupled with nothing, beside bilateral rows 1e13 times as stiff.
TEST(Infeasibility, ALightContactBesideHeavyJointsHasASolution) {
  constexpr int kJoints = 100;
  constexpr double kHeavy = 2.5e9;
  constexpr double kLight = 1e-4;
  const FrictionBlock line{1, 0.5, 0, 0.0};
  Matrix w = Matrix::Zero(2 + kJoints, 2 + kJoints);
  w(0, 0) = w(1, 1) = kLight;
  ConeProblem cones;
  cones.add_contact({&line, 1});
  cones.b = {-1.0, 0.2};
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int k = 0; k < kJoints; ++k) {
    cones.add_free(1);
    cones.b.back() = normal(random);
    const int at = 2 + k;
    w(at, at) = 2.0 * kHeavy;
    if (k > 0) w(at, at - 1) = w(at - 1, at) = -kHeavy;
  }
  EXPECT_FALSE(find_infeasibility(with(w, cones)));
}

/// A column of bodies under a load that is up to 1e12 times as heavy as each: percussions of that size solve it.
TEST(Infeasibility, AColumnUnderAHeavyLoadHasASolution) {
  constexpr double kFall = 0.1;  // [m/s]
  for (const int n : {10, 40}) {
    for (const double load : {1e4, 1e10, 1e11, 1e12, 1e13}) {
      const FrictionBlock line{1, 0.5, 0, 0.0};
      Matrix w = Matrix::Zero(2 * n, 2 * n);
      ConeProblem cones;
      for (int k = 0; k < n; ++k) {  // contact k below body k
        cones.add_contact({&line, 1});
        const double inverse_mass = k + 1 < n ? 1.0 : 1.0 / load;
        for (const int r : {2 * k, 2 * k + 1}) {
          w(r, r) = inverse_mass + (k > 0 ? 1.0 : 0.0);
          if (k > 0) w(r, r - 2) = w(r - 2, r) = -1.0;
        }
      }
      cones.b[0] = -kFall;
      EXPECT_FALSE(find_infeasibility(with(w, cones))) << n << " " << load;
    }
  }
}

struct Jam {
  ConeProblem cones;
  Matrix normals;  // (contacts, 9) their rows of J
};

/// Three balls of unlike masses in a box too small for them, with friction.
Jam make_jam(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  constexpr double kStep = 0.1;  // [s]
  constexpr double kHalf = 0.35;
  constexpr double kNear = 0.15;  // [m] gaps that may close in the step
  std::array<Eigen::Vector3d, 3> at;
  std::array<double, 3> radius;
  std::array<double, 3> inverse_mass;
  for (int k = 0; k < 3; ++k) {
    radius[k] = 0.2 + 0.1 * uniform(random);
    inverse_mass[k] = std::pow(10.0, 2.0 * uniform(random) - 1.0);
    for (double& x : at[k]) x = (kHalf - 0.5 * radius[k]) * (2.0 * uniform(random) - 1.0);
  }
  std::vector<Eigen::RowVectorXd> rows;
  Jam jam;
  // A contact of ball i and, where j >= 0, ball j, n away from j: rows of the normal and two tangents.
  const auto add = [&](int i, int j, const Eigen::Vector3d& n, double gap) {
    if (gap > kNear) return;
    const Eigen::Vector3d t = n.unitOrthogonal();
    for (const Eigen::Vector3d& d : {n, t, Eigen::Vector3d(n.cross(t))}) {
      Eigen::RowVectorXd row =
          Eigen::RowVectorXd::Zero(18);  // velocities, then angular ones times the radius of gyration
      row.segment<3>(3 * i) = d * std::sqrt(inverse_mass[i]);
      row.segment<3>(9 + 3 * i) = -n.cross(d) * std::sqrt(2.5 * inverse_mass[i]);
      if (j >= 0) {
        row.segment<3>(3 * j) = -d * std::sqrt(inverse_mass[j]);
        row.segment<3>(9 + 3 * j) = -n.cross(d) * std::sqrt(2.5 * inverse_mass[j]);
      }
      rows.push_back(row);
    }
    jam.cones.add_contact({&kDisc, 1});
    const std::size_t first = rows.size() - 3;
    jam.cones.b[first] = gap / kStep;
    jam.cones.b[first + 1] = uniform(random);
    jam.cones.b[first + 2] = uniform(random);
  };
  for (int i = 0; i < 3; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        add(i, -1, -side * Eigen::Vector3d::Unit(axis), kHalf - side * at[i][axis] - radius[i]);
      }
    }
    for (int j = 0; j < i; ++j) {
      const Eigen::Vector3d way = at[i] - at[j];
      add(i, j, way.normalized(), way.norm() - radius[i] - radius[j]);
    }
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  Matrix j(n, 18);
  for (Eigen::Index k = 0; k < n; ++k) j.row(k) = rows[k];
  jam.normals.resize(n / 3, 9);
  for (Eigen::Index k = 0; k < n / 3; ++k) jam.normals.row(k) = j.row(3 * k).head<9>();
  jam.cones = with(j * j.transpose(), jam.cones);
  return jam;
}

/// The largest -y . b of pushes 0 <= y <= 1 of all contacts that balance on each ball: by a linear program.
double calc_squeeze(const Jam& jam) {
  const Eigen::Index n = jam.normals.rows();
  Vector c(n);
  for (Eigen::Index k = 0; k < n; ++k) c[k] = -jam.cones.b[3 * k];
  LinearProgram program(c, Vector::Zero(n), Vector::Ones(n));
  for (Eigen::Index d = 0; d < jam.normals.cols(); ++d) {
    program.add_row(jam.normals.col(d), 0.0);
    program.add_row(-jam.normals.col(d), 0.0);
  }
  EXPECT_EQ(program.maximise(), LinearProgram::Outcome::solved);
  return c.dot(program.x());
}

/// Whoever has pushes that balance and that the gaps do not allow has a proof, where most of the pushes are nothing,
/// too.
TEST(Infeasibility, AJamOfBallsHasAProofIfItHasPushesThatBalance) {
  std::mt19937 random(11);
  int jams = 0;
  int others = 0;
  for (int k = 0; k < 300; ++k) {
    const Jam jam = make_jam(random);
    const double squeeze = calc_squeeze(jam);
    if (squeeze > 1e-6) {
      ++jams;
      EXPECT_TRUE(find_infeasibility(jam.cones)) << k << ": " << squeeze;
    } else if (squeeze < 1e-12) {
      ++others;
      EXPECT_FALSE(find_infeasibility(jam.cones)) << k;
    }
  }
  EXPECT_GT(jams, 100);
  EXPECT_GT(others, 20);
}

TEST(Infeasibility, LinearComplementarity) {
  // w_1 = -z_2 - z_3 - 1e-4 < 0: y = (1, 0, 0), M^T y <= 0, q . y < 0. M is not symmetric.
  ConeProblem cones;
  for (int i = 0; i < 3; ++i) cones.add_contact({});
  cones.b = {-1e-4, -1.0, 1.0};
  const Matrix m = (Matrix(3, 3) << 0, -1, -1, 1, 0, 0, -1, 0, 0).finished();
  EXPECT_TRUE(find_infeasibility(with(m, cones)));
  cones.b = {0.0, -1.0, 1.0};  // z = (1, 0, 0)
  EXPECT_FALSE(find_infeasibility(with(m, cones)));
}

}  // namespace
}  // namespace stickslip
