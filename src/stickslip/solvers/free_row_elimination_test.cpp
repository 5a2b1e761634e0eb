// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_row_elimination.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

constexpr int kFriction = 3;  // rows of a contact with friction in space
constexpr int kJoint = 5;

/// (n_joints * kJoint, n_v) Rows of a chain of bodies with six velocities each: joint k between bodies k - 1 and k, the
/// first one held by the ground. The last rows of the last joint repeat others where `is_redundant`.
Matrix make_chain(int n_joints, bool is_redundant, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix j = Matrix::Zero(static_cast<Eigen::Index>(n_joints) * kJoint, static_cast<Eigen::Index>(n_joints) * 6);
  for (int k = 0; k < n_joints; ++k) {
    for (int r = 0; r < kJoint; ++r) {
      for (int c = k > 0 ? -6 : 0; c < 6; ++c) j(k * kJoint + r, k * 6 + c) = normal(random);
      j.row(k * kJoint + r).normalize();
    }
  }
  const Eigen::Index last = j.rows() - 1;
  if (is_redundant) j.row(last) = (j.row(last - 1) - j.row(last - 2)).normalized();
  return j;
}

/// Contacts with friction .5 between the last bodies of the chain and the ground, in front of its joints; velocities
/// before them that close about every other one. The friction of the first has the direction of a joint's row.
ConeProblem make_problem(const Matrix& joints, int n_contacts, FrictionLaw law, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const Eigen::Index n_v = joints.cols();
  Matrix j = Matrix::Zero(static_cast<Eigen::Index>(n_contacts) * kFriction + joints.rows(), n_v);
  ConeProblem problem;
  problem.law = law;
  const FrictionBlock friction{2, 0.5, 0, 0.0};
  for (int i = 0; i < n_contacts; ++i) {
    problem.add_contact({&friction, 1});
    const Eigen::Index body = n_v / 6 - 1 - i % (n_v / 6);
    for (int r = 0; r < kFriction; ++r) {
      for (int c = 0; c < 6; ++c) j(i * kFriction + r, 6 * body + c) = normal(random);
      j.row(i * kFriction + r).normalize();
    }
  }
  j.row(1) = joints.row(0);
  for (Eigen::Index r = 0; r < joints.rows(); r += kJoint) problem.add_free(kJoint);
  j.bottomRows(joints.rows()) = joints;
  Vector v(n_v);
  for (double& x : v) x = normal(random);
  const Vector b = j * v;
  problem.b.assign(b.begin(), b.end());
  const Matrix w = j * j.transpose();
  return make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, problem).cones;
}

/// With the velocities that another method finds, which has no part in it, under both laws; joints that repeat each
/// other, and friction whose direction joints hold.
TEST(FreeRowElimination, GivesTheVelocitiesOfTheWholeProblem) {
  constexpr double kSame = 1e-6;  // [m/s] at the tip of a cone velocities are known less well than residuals
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    for (const int n_joints : {4, 14}) {  // dense and sparse factors
      for (const int n_contacts : {2, 7, 30}) {
        for (const bool is_redundant : {false, true}) {
          std::mt19937 random(100 * n_joints + n_contacts);
          const Matrix joints = make_chain(n_joints, is_redundant, random);
          const ConeProblem problem = make_problem(joints, n_contacts, law, random);
          ASSERT_TRUE(FreeRowElimination::suits(problem));
          Iterate iterate;
          ConeSolution start;
          start.p.assign(problem.size(), 0.0);
          ASSERT_TRUE(iterate.start(problem, start));
          SharedDelassus delassus;
          FreeRowElimination elimination(StopToken{}, &delassus);
          AutoOptions options;
          options.tolerance = 1e-10;
          const auto inner = make_solver(options);
          elimination.run(problem, {.relative = 1e-10}, *inner, iterate);
          EXPECT_TRUE(iterate.best().is_within({.relative = 1e-10})) << n_joints << " " << n_contacts;
          iterate.return_to_best();
          ProxOptions whole;
          whole.tolerance = 1e-11;
          ConeSolution expected = start;
          ASSERT_EQ(make_solver(whole)->solve(problem, expected).status, Status::ok) << n_joints << " " << n_contacts;
          for (int r = 0; r < problem.size(); ++r) {
            EXPECT_NEAR(iterate.u()[r], expected.u[r], kSame) << n_joints << " " << n_contacts << " " << r;
          }
        }
      }
    }
  }
}

TEST(FreeRowElimination, IsForFreeRowsBesideAFewOthers) {
  std::mt19937 random(3);
  const Matrix joints = make_chain(3, false, random);
  EXPECT_TRUE(FreeRowElimination::suits(make_problem(joints, 5, FrictionLaw::coulomb, random)));
  EXPECT_FALSE(FreeRowElimination::suits(make_problem(joints, 200, FrictionLaw::coulomb, random)));
  ConeProblem free;
  free.add_free(3);
  EXPECT_FALSE(FreeRowElimination::suits(free));
  ConeProblem contact;
  contact.add_contact({});
  EXPECT_FALSE(FreeRowElimination::suits(contact));
}

}  // namespace
}  // namespace stickslip
