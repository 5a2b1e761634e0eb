// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/iterate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

/// Cones whose velocities threads share, and those of a block of these: 40 us in all. [-]
constexpr std::size_t kManyVelocities = 2048;
constexpr std::size_t kVelocitiesOfABlock = 256;

}  // namespace

bool is_polished(const Residual& residual, Tolerance tolerance) {
  constexpr double kPolished = 1e-14;  // [-] of the residual's size
  constexpr double kLoose = 1e-6;      // [-] from here on no polish is wanted
  if (!residual.is_within(tolerance)) return false;
  return tolerance.relative >= kLoose || residual.absolute <= kPolished * residual.size;
}

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
}

bool Iterate::start(const ConeProblem& problem, const ConeSolution& solution) {
  STICKSLIP_ASSERT(static_cast<int>(solution.p.size()) == problem.size());
  bind(problem);
  for (std::vector<double>* rows : {&p_, &u_, &best_p_}) make_room(*rows, solution.p.size());
  p_.assign(solution.p.begin(), solution.p.end());
  u_.resize(p_.size());
  best_p_ = p_;
  best_ = {.absolute = HUGE_VAL, .relative = HUGE_VAL, .missed = HUGE_VAL};
  judge();
  if (std::isfinite(last_.absolute) && !has_lost_velocities()) return true;
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
  const auto n = static_cast<std::size_t>(problem_->n_cones());
  for_blocks(n >= kManyVelocities, n, kVelocitiesOfABlock, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
      rows_.calc_velocity(i, p_, u_.data() + problem_->cones[i].offset);
    }
  });
  last_ = calc_residual(*problem_, problem_->law, p_, u_, rows_.residual_scale());
  judged_is_best_ = last_.defect() < best_.defect() && !has_lost_velocities();
  if (judged_is_best_) {
    best_ = last_;
    best_p_ = p_;
  }
}

/// Whether the spacing of numbers in w_i p_i, w_i the mean diagonal of W_ii, is more than b: what percussions make of
/// velocities before anything cancels.
bool Iterate::has_lost_velocities() const {
  constexpr double kSpacing = std::numeric_limits<double>::epsilon();
  double squared = 0.0;
  for (int i = 0; i < problem_->n_cones(); ++i) {
    const Cone& cone = problem_->cones[i];
    const double scale = rows_.scale(i);
    for (int r = cone.offset; r < cone.offset + cone.dim; ++r) squared += scale * p_[r] * scale * p_[r];
  }
  return last_.given > 0.0 && kSpacing * std::sqrt(squared) > std::max(last_.given, last_.floor);
}

void Iterate::return_to_best() {
  if (judged_is_best_ && p_ == best_p_) return;
  p_ = best_p_;
  judge();
  judged_is_best_ = true;
}

void Iterate::finish(Tolerance tolerance, ConeSolution& solution, SolveReport& report) {
  return_to_best();
  finish_with_last(tolerance, solution, report);
}

void Iterate::finish_with_last(Tolerance tolerance, ConeSolution& solution, SolveReport& report) {
  solution.p.assign(p_.begin(), p_.end());
  solution.u.assign(u_.begin(), u_.end());
  report.residual = last_;
  report.status = last_.is_within(tolerance) && !has_lost_velocities() ? Status::ok : Status::inexact;
}

}  // namespace stickslip
