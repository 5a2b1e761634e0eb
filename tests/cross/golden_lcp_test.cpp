// SPDX-License-Identifier: BSD-3-Clause
// Joints with friction and contacts with facets together as linear complementarity problems, against an independent
// implementation: lcp_joints.txt.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
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

/// Contacts with polygons, then joint friction as boxes, then the joints as free rows: the facets are ours.
TEST(GoldenLcp, ConeProblemsGiveTheirVelocities) {
  for (const Case& c : read_cases()) {
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
      ASSERT_EQ(c.b_d.col(2 * i), -c.b_d.col(2 * i + 1));
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
    const ConeProblem problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
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

}  // namespace
}  // namespace stickslip
