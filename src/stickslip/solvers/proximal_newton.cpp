// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

/// Bounds of the parameter e; what it is multiplied by where an inner solve got stuck, and at first
/// where one was quick. That factor itself is drawn towards 1 by a stuck solve, up to a bound, and away from it by
/// some quick ones in turn: hard problems are led to their solution in small steps.
constexpr double kLeast = 1e-10;
constexpr double kLargest = 1e4;
constexpr double kOuterRise = 10.0;
constexpr double kOuterFall = 0.1;
constexpr double kSlowestFall = 0.9;
constexpr int kQuickSolves = 3;
/// Up to so many Newton steps an inner solve was quick.
constexpr int kQuickSteps = 6;
/// An inner defect below this share of the outer step's e D (p - c), or of the tolerance, is small enough.
constexpr double kInnerAccuracy = 0.1;
constexpr double kShareOfTolerance = 0.01;

}  // namespace

ProximalNewton::Report ProximalNewton::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                                           double max_operations, double first_parameter, const Deadline& deadline,
                                           Iterate& iterate) {
  u_.resize(problem.size());
  work_.resize(problem.delassus_work_size());
  parameter_ = first_parameter;
  fall_ = kOuterFall;
  n_quick_ = 0;
  p_.assign(iterate.p().begin(), iterate.p().end());
  return advance(problem, tolerance, max_iterations, max_operations, deadline, iterate);
}

ProximalNewton::Report ProximalNewton::resume(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                                              double max_operations, const Deadline& deadline, Iterate& iterate) {
  judge(problem, iterate);
  return advance(problem, tolerance, max_iterations, max_operations, deadline, iterate);
}

ProximalNewton::Report ProximalNewton::advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                                               double max_operations, const Deadline& deadline, Iterate& iterate) {
  Report report;
  while (!iterate.best().is_within(tolerance) && report.iterations < max_iterations && operations() < max_operations &&
         !deadline.passed()) {
    if (parameter_ > kLargest) {
      report.is_stuck = true;
      break;
    }
    center_ = p_;
    const double before = iterate.last().absolute;
    const int steps_before = report.iterations;
    const Inner inner =
        solve_inner(problem, iterate, iterate.last().calc_asked(tolerance), max_iterations, report.iterations);
    judge(problem, iterate);
    if (inner == Inner::stuck && report.iterations >= max_iterations) break;  // cut short, which says nothing
    n_quick_ = inner == Inner::quick ? n_quick_ + 1 : 0;
    if (inner == Inner::quick) {
      // One step means that no contact has changed its state.
      parameter_ *= report.iterations == steps_before + 1 ? fall_ * fall_ : fall_;
      parameter_ = std::max(kLeast, parameter_);
      if (n_quick_ % kQuickSolves == 0) fall_ = std::max(kOuterFall, fall_ * fall_);
    } else if (inner == Inner::slow) {
      parameter_ = std::max(kLeast, std::sqrt(fall_) * parameter_);
    } else {
      ++n_stuck_;
      parameter_ *= kOuterRise;
      fall_ = std::min(kSlowestFall, std::sqrt(fall_));
      if (!(iterate.last().absolute < before)) {
        p_ = center_;
        judge(problem, iterate);
      }
    }
  }
  return report;
}

/// Full Newton steps on the regularised problem from p_; on Inner::stuck p_ is the best of them. tolerance [m/s] is
/// that of the whole problem.
ProximalNewton::Inner ProximalNewton::solve_inner(const ConeProblem& problem, const Iterate& iterate, double tolerance,
                                                  int max_iterations, int& iterations) {
  calc_velocities(problem, iterate);
  double least = newton_.calc_defect(problem, iterate.rows(), p_, u_);
  best_inner_ = p_;
  for (int step = 1; step <= kMaxSteps && iterations < max_iterations; ++step) {
    ++iterations;
    stop_.check();
    base_ = p_;
    if (!newton_.calc_step(problem, iterate.rows(), base_, u_, parameter_, std::numeric_limits<int>::max())) break;
    newton_.apply_free_step(problem, 1.0, base_, p_);
    calc_velocities(problem, iterate);
    const double defect = newton_.calc_defect(problem, iterate.rows(), p_, u_);
    if (!std::isfinite(defect)) break;
    if (defect < least) {
      least = defect;
      best_inner_ = p_;
    }
    if (defect <= std::max(kInnerAccuracy * calc_way(problem, iterate), kShareOfTolerance * tolerance)) {
      return step <= kQuickSteps ? Inner::quick : Inner::slow;
    }
  }
  p_ = best_inner_;
  return Inner::stuck;
}

/// u_ = W p + b + e D (p - c).
void ProximalNewton::calc_velocities(const ConeProblem& problem, const Iterate& iterate) {
  problem.apply_delassus(p_, u_, work_);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const double term = parameter_ * iterate.rows().scale(i);
    for (int r = cone.offset; r < cone.offset + cone.dim; ++r) u_[r] += problem.b[r] + term * (p_[r] - center_[r]);
  }
}

/// |e D (p - c)|_2: what is left of the whole problem's defect when the inner one is solved. [m/s]
double ProximalNewton::calc_way(const ConeProblem& problem, const Iterate& iterate) const {
  double sum = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const double term = parameter_ * iterate.rows().scale(i);
    for (int r = cone.offset; r < cone.offset + cone.dim; ++r) {
      const double way = term * (p_[r] - center_[r]);
      sum += way * way;
    }
  }
  return std::sqrt(sum);
}

/// Judges the projection of p_ on the cones.
void ProximalNewton::judge(const ConeProblem& problem, Iterate& iterate) {
  std::copy(p_.begin(), p_.end(), iterate.p().begin());
  project_on_cones(problem, iterate.p());
  iterate.judge();
}

}  // namespace stickslip
