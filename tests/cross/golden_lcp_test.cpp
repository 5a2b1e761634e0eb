// SPDX-License-Identifier: BSD-3-Clause
// Joints with friction and contacts with facets together as linear complementarity problems, against an independent
// implementation: lcp_joints.txt.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

/// The reference promises its residual to this. [m/s]
constexpr double kResidual = 1e-9;
/// Velocities agree over six differently scaled runs of the reference to 2e-14; the residual bounds ours. [m/s]
constexpr double kVelocity = 1e-8;

struct Case {
  int n_directions = 0;
  Matrix m, b_w, b_d, u_w, u_d, f_matrix;
  Vector mu, nu0, p_ext, b_max, psi_rate, x2, f, z, nu;
};

Matrix read_matrix(std::istream& in, int rows, int columns) {
  std::string name;
  in >> name;
  Matrix values(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) in >> values(i, j);
  }
  return values;
}

std::vector<Case> read_cases() {
  std::ifstream in(STICKSLIP_TEST_DATA_DIR "/lcp_joints.txt");
  for (int line = 0; line < 3; ++line) in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::vector<Case> cases;
  std::string word;
  int n_v = 0;
  int n_j = 0;
  int n_u = 0;
  int n_f = 0;
  int n_d = 0;
  while (in >> word >> n_v >> n_j >> n_u >> n_d >> n_f) {
    Case& c = cases.emplace_back();
    c.n_directions = n_d;
    c.m = read_matrix(in, n_v, n_v);
    c.b_w = read_matrix(in, n_v, n_j);
    c.b_d = read_matrix(in, n_v, 2 * n_f);
    c.u_w = read_matrix(in, n_v, n_u);
    c.u_d = read_matrix(in, n_v, n_d * n_u);
    c.mu = read_matrix(in, n_u, 1);
    c.nu0 = read_matrix(in, n_v, 1);
    c.p_ext = read_matrix(in, n_v, 1);
    c.b_max = read_matrix(in, n_f, 1);
    c.psi_rate = read_matrix(in, n_u, 1);
    c.x2 = read_matrix(in, n_j, 1);
    const int n = n_u * (1 + n_d) + 2 * n_f + n_u + n_f;
    c.f_matrix = read_matrix(in, n, n);
    c.f = read_matrix(in, n, 1);
    c.z = read_matrix(in, n, 1);
    c.nu = read_matrix(in, n_v, 1);
  }
  return cases;
}

TEST(GoldenLcp, StatedProblemsAreSolved) {
  const std::vector<Case> cases = read_cases();
  ASSERT_EQ(cases.size(), 10u);
  const Deadline never(std::numeric_limits<double>::infinity());
  for (const Case& c : cases) {
    const SparseMatrix m = c.f_matrix.sparseView();
    EXPECT_LT(calc_lcp_residual(m, c.f, c.z), kResidual);  // the file is read as it was meant
    const LcpResult pivoted = solve_by_lemke(m, c.f, 10000, never);
    EXPECT_EQ(pivoted.outcome, LcpOutcome::solved);
    EXPECT_LT(calc_lcp_residual(m, c.f, pivoted.z), kResidual);
    const LcpResult newton = solve_by_newton(m, c.f, Vector::Zero(c.f.size()), 1e-12, 1000, never);
    EXPECT_EQ(newton.outcome, LcpOutcome::solved);
    EXPECT_LT(calc_lcp_residual(m, c.f, newton.z), kResidual);
  }
}

struct Stated {
  ConeProblem problem;
  Matrix j;        // (n_v, n) directions of its rows
  Vector nu_free;  // (n_v)
};

/// Contacts with polygons, then joint friction as boxes, then the joints as free rows.
Stated state_cones(const Case& c) {
  ConeProblem cones;
  std::vector<Vector> columns;
  std::vector<double> offsets;
  for (int i = 0; i < c.mu.size(); ++i) {
    const FrictionBlock block{2, c.mu[i], c.n_directions, 0.0};
    cones.add_contact({&block, 1});
    columns.insert(columns.end(),
                   {c.u_w.col(i), c.u_d.col(i * c.n_directions), c.u_d.col(i * c.n_directions + c.n_directions / 4)});
    offsets.insert(offsets.end(), {c.psi_rate[i], 0.0, 0.0});
  }
  for (int i = 0; i < c.b_max.size(); ++i) {
    cones.add_ball(1, c.b_max[i]);
    EXPECT_EQ(c.b_d.col(2 * i), -c.b_d.col(2 * i + 1));
    columns.push_back(c.b_d.col(2 * i));
    offsets.push_back(0.0);
  }
  for (int i = 0; i < c.x2.size(); ++i) {
    cones.add_free(1);
    columns.push_back(c.b_w.col(i));
    offsets.push_back(c.x2[i]);
  }
  Matrix j(c.nu.size(), cones.size());
  for (int k = 0; k < cones.size(); ++k) j.col(k) = columns[k];
  const Matrix inverse = c.m.inverse();
  const Vector nu_free = c.nu0 + inverse * c.p_ext;
  for (int k = 0; k < cones.size(); ++k) cones.b[k] = j.col(k).dot(nu_free) + offsets[k];
  const Matrix w = j.transpose() * inverse * j;
  return {make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones, j, nu_free};
}

/// (F, f) of (43) to (47), as corrected: the facets are ours.
TEST(GoldenLcp, IsTheStandardFormOfConeProblems) {
  constexpr double kForm = 1e-10;  // what the reference claims
  for (const Case& c : read_cases()) {
    FacetLcp lcp(3);
    lcp.build(state_cones(c).problem, {});
    const LcpForm form = lcp.standard_form();
    ASSERT_EQ(form.q.size(), c.f.size());
    EXPECT_LT((Matrix(form.m) - c.f_matrix).cwiseAbs().maxCoeff(), kForm);
    EXPECT_LT((form.q - c.f).cwiseAbs().maxCoeff(), kForm);
  }
}

TEST(GoldenLcp, ConeProblemsGiveTheirVelocities) {
  for (const Case& c : read_cases()) {
    const auto [problem, j, nu_free] = state_cones(c);
    const Matrix inverse = c.m.inverse();
    for (const char* name : {"lemke", "lcp-newton"}) {
      ConeSolution solution;
      solution.p.assign(problem.size(), 0.0);
      const SolveReport report = make_solver(make_solver_options(name))->solve(problem, solution);
      EXPECT_EQ(report.status, Status::ok) << name << ": " << report.message;
      const Vector nu = nu_free + inverse * (j * ConstVectorView(solution.p.data(), problem.size()));
      EXPECT_LT((nu - c.nu).cwiseAbs().maxCoeff(), kVelocity) << name;
    }
  }
}

/// A random system with joints, joint friction and contacts; gaps >= 0 and joints that fit, or neither.
Stated draw_system(bool premises_hold, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  constexpr int kVelocities = 8;
  ConeProblem cones;
  for (int i = 0; i < 3; ++i) {
    const FrictionBlock block{2, std::abs(draw()), 4, 0.0};
    cones.add_contact({&block, 1});
  }
  cones.add_ball(1, std::abs(draw()));
  cones.add_free(2);
  Stated stated;
  stated.j = Matrix::NullaryExpr(kVelocities, cones.size(), draw);
  stated.nu_free = 3.0 * Vector::NullaryExpr(kVelocities, draw);
  for (int k = 0; k < cones.size(); ++k) cones.b[k] = stated.j.col(k).dot(stated.nu_free);
  for (int i = 0; i < 3; ++i) cones.b[3 * i] += premises_hold ? std::abs(draw()) : -5.0 * std::abs(draw());
  for (int i = 0; i < 2 && !premises_hold; ++i) cones.b[10 + i] += 5.0 * draw();
  const Matrix w = stated.j.transpose() * stated.j;
  stated.problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
  return stated;
}

/// F is copositive: where no contact overlaps and joints fit there is a solution, and pivoting finds it; elsewhere not
/// always.
void pivot_random_systems(int samples) {
  std::mt19937 random(20);
  int unsolved = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (const bool premises_hold : {true, false}) {
      const Stated stated = draw_system(premises_hold, random);
      ConeSolution solution;
      solution.p.assign(stated.problem.size(), 0.0);
      const SolveReport report = make_solver(LemkeOptions{})->solve(stated.problem, solution);
      if (premises_hold) {
        ASSERT_EQ(report.status, Status::ok) << sample << ": " << report.message;
      } else {
        unsolved += report.status == Status::ok ? 0 : 1;
      }
    }
  }
  EXPECT_GT(unsolved, samples / 100);
}

TEST(GoldenLcp, HasASolutionWhereItsPremisesHold) {
  pivot_random_systems(200);
}

TEST(SlowGoldenLcp, HasASolutionWhereItsPremisesHold) {
  pivot_random_systems(10000);
}

}  // namespace
}  // namespace stickslip
