// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/cone/de_saxce_shift.h"
#include "stickslip/math/cones.h"

namespace stickslip::test {

/// For a few contacts and joints, in tests of what may not see the library's solvers: sweeps of p = P_K(p - (u + s(u))
/// / w), cone after cone, w the trace of W_ii, of bilateral rows p - W_ii^-1 u. Counts what it is asked.
class SweepSolver final : public ConeSolver {
 public:
  std::string_view name() const override { return "sweeps"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return {}; }
  int problems() const { return problems_; }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override {
    constexpr int kMostSweeps = 500;
    ++problems_;
    SolveReport report;
    const Tolerance strict{0.01 * tolerance.relative, 0.01 * tolerance.absolute};
    const int most = std::min(kMostSweeps, tolerance.most_iterations);
    report.residual = calc_residual(problem, solution.p);
    while (!report.residual.is_within(strict) && report.iterations < most) {
      for (int i = 0; i < problem.n_cones(); ++i) move_cone(problem, i, solution);
      ++report.iterations;
      report.residual = calc_residual(problem, solution.p);
    }
    set_velocities(problem, solution);
    report.status = report.residual.is_within(tolerance) ? Status::ok : Status::inexact;
    return report;
  }

  static void set_velocities(const ConeProblem& problem, ConeSolution& solution) {
    solution.u.resize(problem.b.size());
    problem.apply_delassus(solution.p, solution.u);
    for (std::size_t k = 0; k < problem.b.size(); ++k) solution.u[k] += problem.b[k];
  }

  static void move_cone(const ConeProblem& problem, int i, ConeSolution& solution) {
    set_velocities(problem, solution);
    const Cone& cone = problem.cones[i];
    RowMatrix W(cone.dim, cone.dim);
    problem.calc_diagonal_block(i, {W.data(), static_cast<std::size_t>(W.size())});
    const Eigen::Map<const Vector> u(solution.u.data() + cone.offset, cone.dim);
    Eigen::Map<Vector> p(solution.p.data() + cone.offset, cone.dim);
    if (cone.kind == ConeKind::free) {
      p -= W.fullPivLu().solve(u);
      return;
    }
    Vector moved = u;
    if (cone.kind == ConeKind::contact) moved(0) += calc_de_saxce_shift(problem.friction(cone), u.data());
    moved = p - moved / W.trace();
    if (cone.kind == ConeKind::contact) {
      project_on_contact_cone(problem.friction(cone), moved.data(), p.data());
    } else {
      project_on_ball(cone.dim, cone.radius, moved.data(), p.data());
    }
  }

  int problems_ = 0;
};

}  // namespace stickslip::test
