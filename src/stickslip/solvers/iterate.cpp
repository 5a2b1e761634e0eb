// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/iterate.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/math/cones.h"

namespace stickslip {

void project_on_cone(const ConeProblem& problem, const Cone& cone, double* p) {
  switch (cone.kind) {
    case ConeKind::contact:
      return project_on_contact_cone(problem.friction(cone), p, p);
    case ConeKind::ball:
      return project_on_ball(cone.dim, cone.radius, p, p);
    case ConeKind::free:
      return;
  }
}

void project_on_cones(const ConeProblem& problem, std::span<double> p) {
  for (const Cone& cone : problem.cones) project_on_cone(problem, cone, p.data() + cone.offset);
}

void Iterate::bind(const ConeProblem& problem) {
  problem_ = &problem;
  rows_.bind(problem, keeps_blocks_);
  scale_ = problem.velocity_scale;
  if (scale_ > 0.0) return;
  double squared = 0.0;
  for (const double value : problem.b) squared += value * value;
  scale_ = std::sqrt(squared);
}

bool Iterate::start(const ConeProblem& problem, const ConeSolution& solution) {
  STICKSLIP_ASSERT(static_cast<int>(solution.p.size()) == problem.size());
  bind(problem);
  for (std::vector<double>* rows : {&p_, &u_, &best_p_}) make_room(*rows, solution.p.size());
  p_.assign(solution.p.begin(), solution.p.end());
  u_.resize(p_.size());
  best_p_ = p_;
  best_ = {.absolute = HUGE_VAL, .relative = HUGE_VAL};  // unfloored times a scale of 0 would be no number
  judge();
  if (std::isfinite(last_.absolute)) return true;
  std::fill(p_.begin(), p_.end(), 0.0);
  judge();
  return std::isfinite(last_.absolute);
}

bool Iterate::begin_solve(const ConeProblem& problem, ConeSolution& solution, SolveReport& report) {
  make_room(solution.u, problem.b.size());
  solution.u.resize(problem.size());
  if (problem.n_cones() == 0) return false;
  if (start(problem, solution)) return true;
  report.status = Status::failed;
  report.message = kNotFinite;
  return false;
}

void Iterate::change(int i, const double* dp) {
  const Cone& cone = problem_->cones[i];
  for (int r = 0; r < cone.dim; ++r) p_[cone.offset + r] += dp[r];
  rows_.add_change(i, dp);
}

void Iterate::judge() {
  stop_.check();
  rows_.start(p_);
  for (int i = 0; i < problem_->n_cones(); ++i) rows_.calc_velocity(i, p_, u_.data() + problem_->cones[i].offset);
  last_ = calc_residual(*problem_, problem_->law, p_, u_, rows_.residual_scale());
  judged_is_best_ = calc_defect(last_) < calc_defect(best_);
  if (judged_is_best_) {
    best_ = last_;
    best_p_ = p_;
  }
}

void Iterate::return_to_best() {
  if (judged_is_best_ && p_ == best_p_) return;
  p_ = best_p_;
  judge();
  judged_is_best_ = true;
}

void Iterate::finish(double tolerance, ConeSolution& solution, SolveReport& report) {
  return_to_best();
  finish_with_last(tolerance, solution, report);
}

void Iterate::finish_with_last(double tolerance, ConeSolution& solution, SolveReport& report) {
  solution.p.assign(p_.begin(), p_.end());
  solution.u.assign(u_.begin(), u_.end());
  report.residual = last_;
  report.status = last_.relative <= tolerance ? Status::ok : Status::inexact;
}

}  // namespace stickslip
