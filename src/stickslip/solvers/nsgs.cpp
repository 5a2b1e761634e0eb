// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/nsgs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/small_matrix.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/free_rows.h"
#include "stickslip/solvers/gauss_seidel.h"

namespace stickslip {
namespace {

/// The residual is computed whenever the changes of a sweep are below this many times the tolerance, and every so
/// many sweeps anyhow, for the best iterate.
constexpr double kNsgsLooksConverged = 2.0;
constexpr int kNsgsJudgeEvery = 10;
/// Sweeps before the first Newton steps: by then most contacts have their status.
constexpr int kSweepsBeforeNewton = 4;
/// A dense Newton step on n rows costs about as much as n^2 over this number of sweeps (n^3 / 3 multiplications against
/// the time a contact of bench/one_contact_bench). [-]
constexpr double kRowsSquaredPerSweep = 300.0;
/// A sparse step takes as long as this number of sweeps, whatever the size. [-]
constexpr double kSparseSweeps = 200.0;
/// Above this number of active rows the final polish is omitted.
constexpr int kMaxPolishRows = 48;
constexpr int kNsgsMaxNewtonSteps = 40;
constexpr int kNsgsMaxPolishSteps = 3;
/// Halvings of a Newton step that does not lower the residual.
constexpr int kNsgsMaxHalvings = 3;
/// The proximal term of a Newton step, as a share of the diagonal, rises where a step does not lower the residual and
/// falls where one does. Round-off in percussions that do not matter is amplified by no more than the inverse of the
/// least; beyond the largest a step is hardly more than a sweep.
constexpr double kNsgsLeastProximal = 1e-10;
constexpr double kNsgsLargestProximal = 1.0;
constexpr double kProximalRise = 100.0;
constexpr double kProximalFall = 0.1;
/// Growth of the residual that counts as none: round-off along a null space.
constexpr double kStayed = 1.01;
/// Sweeps of one window in watching progress, the ratio of changes between windows that counts as none (a linear
/// rate of 0.999 a sweep), what then happens to the relaxation, and its least value.
constexpr int kWindow = 30;
constexpr double kNoProgress = 0.97;
constexpr double kNsgsRelax = 0.6;
constexpr double kLeastRelaxation = 0.1;

}  // namespace

std::optional<std::string> NsgsSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport NsgsSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  return problem.n_cones() == 1 ? solve_single(problem, tolerance, solution)
                                : solve_several(problem, tolerance, solution);
}

SolveReport NsgsSolver::solve_several(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  newton_.start();
  relaxation_ = options_.relaxation;
  window_sweeps_ = 0;
  last_window_change_ = window_change_ = HUGE_VAL;
  bool prepared = false;
  double newton_due = kSweepsBeforeNewton;
  const Deadline deadline(options_.time_limit, options_.stop);
  if (FreeRows::are_beside_normals(problem) && options_.newton_rows > 0 && !iterate_.best().is_within(tolerance)) {
    accelerate(problem, tolerance, options_.newton_rows, kNsgsMaxNewtonSteps);
  }
  while (!iterate_.best().is_within(tolerance) && report.iterations < options_.max_iterations && !deadline.passed()) {
    if (!prepared) local_.prepare(problem, iterate_.rows());
    prepared = true;
    ++report.iterations;
    const double change = sweep_exactly(problem, local_, relaxation_, iterate_);
    const bool newton = options_.newton_rows > 0 && report.iterations >= newton_due;
    if (newton || change <= kNsgsLooksConverged * iterate_.last().calc_asked(tolerance) ||
        report.iterations % kNsgsJudgeEvery == 0) {
      iterate_.judge();
    }
    watch_progress(change);
    if (!newton || iterate_.best().is_within(tolerance)) continue;
    accelerate(problem, tolerance, options_.newton_rows, kNsgsMaxNewtonSteps);
    const double rows = newton_.n_active();
    newton_due = 2.0 * report.iterations + std::min(rows * rows / kRowsSquaredPerSweep, kSparseSweeps);
  }
  if (options_.newton_rows > 0 && !is_polished(iterate_.best(), tolerance) && !deadline.passed()) {
    iterate_.return_to_best();
    accelerate(problem, tolerance, std::min(kMaxPolishRows, options_.newton_rows), kNsgsMaxPolishSteps);
  }
  iterate_.finish(tolerance, solution, report);
  if (prepared) report.choices = count_choices(problem);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the sweeps did not converge";
  }
  return report;
}

/// One cone: W = W_ii, so nothing is left to iterate.
SolveReport NsgsSolver::solve_single(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  solution.u.resize(problem.size());
  report.iterations = 1;
  const int dim = problem.cones[0].dim;
  iterate_.bind(problem);
  local_.prepare(problem, iterate_.rows());
  const double* w = iterate_.rows().diagonal(0);
  const auto judge = [&](std::span<const double> p, std::span<double> u) {
    std::copy_n(problem.b.data(), dim, u.data());
    add_product(dim, dim, w, p.data(), u.data());
    return calc_residual(problem, problem.law, p, u, iterate_.rows().residual_scale());
  };
  std::array<double, kMaxConeDim> p = {};
  std::array<double, kMaxConeDim> u = {};
  std::copy_n(solution.p.data(), dim, p.data());
  const int n_solutions = local_.solve(0, problem.b.data(), p.data());
  const std::size_t size = dim;
  report.residual = judge(std::span(p).first(size), std::span(u).first(size));
  if (report.residual.is_within(tolerance)) {
    report.choices = n_solutions > 1 ? 1 : 0;
    std::copy_n(p.data(), dim, solution.p.data());
    std::copy_n(u.data(), dim, solution.u.data());
    return report;
  }
  // No exact answer: the better of it and the guess.
  const Residual guess = judge(solution.p, solution.u);
  if (!std::isfinite(report.residual.absolute) && !std::isfinite(guess.absolute)) {
    report.status = Status::failed;
    report.message = Iterate::kNotFinite;
    return report;
  }
  report.status = Status::inexact;
  report.message = "one contact, not solved to the tolerance";
  if (report.residual.defect() < guess.defect() || !std::isfinite(guess.absolute)) {
    std::copy_n(p.data(), dim, solution.p.data());
    std::copy_n(u.data(), dim, solution.u.data());
  } else {
    report.residual = guess;
  }
  return report;
}

/// Newton steps from the present iterate, which must have been judged; goes back to it if none has a lower residual.
void NsgsSolver::accelerate(const ConeProblem& problem, Tolerance tolerance, int max_rows, int max_steps) {
  const Residual before = iterate_.last();
  before_newton_.assign(iterate_.p().begin(), iterate_.p().end());
  double proximal = kNsgsLeastProximal;
  for (int k = 0; k < max_steps && !is_polished(iterate_.last(), tolerance); ++k) {
    const double at_base = iterate_.last().absolute;
    newton_base_.assign(iterate_.p().begin(), iterate_.p().end());
    if (!newton_.calc_step(problem, iterate_.rows(), newton_base_, iterate_.u(), proximal, max_rows)) break;
    double factor = 1.0;
    for (int halvings = 0; halvings <= kNsgsMaxHalvings; ++halvings, factor *= 0.5) {
      newton_.apply_step(problem, factor, newton_base_, iterate_.p());
      iterate_.judge();
      if (iterate_.last().absolute < at_base) break;
    }
    if (iterate_.last().absolute < at_base) {
      proximal = std::max(proximal * kProximalFall, kNsgsLeastProximal);
    } else if (step_to_surface(problem, at_base)) {
      proximal = kNsgsLeastProximal;
    } else {
      std::copy(newton_base_.begin(), newton_base_.end(), iterate_.p().begin());
      iterate_.judge();
      proximal *= kProximalRise;
      if (proximal > kNsgsLargestProximal) break;
    }
  }
  if (iterate_.best().defect() < before.defect()) {
    iterate_.return_to_best();
  } else {
    std::copy(before_newton_.begin(), before_newton_.end(), iterate_.p().begin());
    iterate_.judge();
  }
}

/// Where W is singular, percussions can change along its null space without changing a velocity: sticking contacts
/// whose velocities cannot all vanish make the step run that way, at a residual that stays. It ends where the first
/// of them reaches the surface of its cone, for there a contact may slip. Goes there at once; returns whether the
/// residual stayed.
bool NsgsSolver::step_to_surface(const ConeProblem& problem, double at_base) {
  const double factor = newton_.calc_factor_to_surface(problem, newton_base_);
  if (!(factor < 1.0)) return false;
  newton_.apply_step(problem, factor, newton_base_, iterate_.p());
  iterate_.judge();
  return iterate_.last().absolute <= kStayed * at_base;
}

/// Under-relaxes when the changes of the sweeps no longer fall.
void NsgsSolver::watch_progress(double change) {
  window_change_ = std::min(window_change_, change);
  if (++window_sweeps_ < kWindow) return;
  if (window_change_ > kNoProgress * last_window_change_) {
    relaxation_ = std::max(kLeastRelaxation, kNsgsRelax * relaxation_);
  }
  last_window_change_ = window_change_;
  window_change_ = HUGE_VAL;
  window_sweeps_ = 0;
}

/// How many cones, with all others held at the solution, have several local solutions.
int NsgsSolver::count_choices(const ConeProblem& problem) {
  int choices = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    if (local_.is_unique(i)) continue;
    const Cone& cone = problem.cones[i];
    const double* w = iterate_.rows().diagonal(i);
    std::array<double, kMaxConeDim> p = {};
    std::array<double, kMaxConeDim> b = {};
    std::copy_n(iterate_.p().data() + cone.offset, cone.dim, p.begin());
    iterate_.calc_velocity(i, b.data());
    for (int r = 0; r < cone.dim; ++r) {
      for (int c = 0; c < cone.dim; ++c) b[r] -= w[r * cone.dim + c] * p[c];
    }
    if (local_.solve(i, b.data(), p.data()) > 1) ++choices;
  }
  return choices;
}

}  // namespace stickslip
