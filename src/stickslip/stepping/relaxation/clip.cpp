// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/relaxation/clip.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/make_room.h"
#include "stickslip/math/dense_solve.h"
#include "stickslip/math/rank_revealing_solve.h"
#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// Scales n numbers to a norm of at most `radius`.
void project_on_ball(int n, double radius, double* x) {
  double squared = 0.0;
  for (int i = 0; i < n; ++i) squared += x[i] * x[i];
  const double size = std::sqrt(squared);
  for (int i = 0; i < n && size > radius; ++i) x[i] *= radius / size;
}

}  // namespace

/// A, and which rows are those of joints.
void ClipInclusion::assemble(const ConeProblem& problem) {
  const int n = problem.size();
  const auto size = static_cast<std::size_t>(n);
  for (std::vector<double>* v : {&a_, &copy_, &column_}) make_room(*v, size * size);
  for (std::vector<double>* v : {&unit_, &rhs_, &x_}) make_room(*v, size);
  a_.resize(size * size);
  work_.resize(problem.delassus_work_size());
  unit_.assign(size, 0.0);
  column_.assign(size, 0.0);
  rhs_.resize(size);
  joints_.clear();
  for (const Cone& cone : problem.cones) {
    for (int r = 0; r < cone.dim && cone.kind == ConeKind::free; ++r) append(joints_, cone.offset + r);
  }
  for (int i = 0; i < n; ++i) {
    unit_[i] = 1.0;
    problem.apply_delassus(unit_, column_, work_);
    unit_[i] = 0.0;
    std::copy(column_.begin(), column_.end(), a_.begin() + static_cast<std::ptrdiff_t>(i) * n);
  }
}

void ClipInclusion::calc_velocities(const ConeProblem& problem, ConeSolution& solution) {
  solution.u.assign(solution.p.size(), 0.0);
  work_.resize(problem.delassus_work_size());
  problem.apply_delassus(solution.p, solution.u, work_);
  for (std::size_t i = 0; i < solution.u.size(); ++i) solution.u[i] += problem.b[i];
}

bool ClipInclusion::solve(const ConeProblem& problem, bool per_axis, ConeSolution& solution) {
  const int n = problem.size();
  const auto size = static_cast<std::size_t>(n);
  assemble(problem);
  copy_.assign(a_.begin(), a_.end());
  std::ranges::transform(problem.b, rhs_.begin(), [](double b) { return -b; });
  solution.p.assign(size, 0.0);
  solution.u.assign(size, 0.0);
  if (!solve_dense(n)) return false;
  solution.p = x_;
  for (const Cone& cone : problem.cones) clip(problem, cone, per_axis, solution.p.data() + cone.offset);
  if (!joints_.empty() && joints_.size() < size && !solve_joints(problem, solution.p)) return false;
  calc_velocities(problem, solution);
  return true;
}

bool ClipInclusion::hold_joints(const ConeProblem& problem, ConeSolution& solution) {
  const bool has_joints =
      std::ranges::any_of(problem.cones, [](const Cone& cone) { return cone.kind == ConeKind::free; });
  if (has_joints) {
    assemble(problem);
    if (!solve_joints(problem, solution.p)) return false;
  }
  calc_velocities(problem, solution);
  return std::ranges::all_of(solution.p, [](double p) { return std::isfinite(p); });
}

void ClipInclusion::drop_contradictions(ConeProblem& problem) {
  assemble(problem);
  const std::size_t m = joints_.size();
  if (m == 0) return;
  others_.assign(problem.size(), 0.0);
  if (!solve_joints(problem, others_)) return;
  const auto n = static_cast<std::size_t>(problem.size());
  for (const int row : joints_) {
    problem.b[row] = 0.0;
    for (const int k : joints_) problem.b[row] -= a_[n * row + k] * others_[k];
  }
}

void ClipInclusion::clip(const ConeProblem& problem, const Cone& cone, bool per_axis, double* p) {
  switch (cone.kind) {
    case ConeKind::free:
      return;
    case ConeKind::ball:
      if (!per_axis) return project_on_ball(cone.dim, cone.radius, p);
      for (int r = 0; r < cone.dim; ++r) p[r] = std::clamp(p[r], -cone.radius, cone.radius);
      return;
    case ConeKind::contact:
      break;
  }
  p[0] = std::max(p[0], 0.0);
  int row = 1;
  for (const FrictionBlock& block : problem.friction(cone)) {
    const double radius = block.mu * p[0];
    if (!per_axis) project_on_ball(block.dim, radius, p + row);
    for (int r = 0; r < block.dim && per_axis; ++r) p[row + r] = std::clamp(p[row + r], -radius, radius);
    row += block.dim;
  }
}

/// x_ of copy_ x = rhs_, n rows; whether it is finite.
bool ClipInclusion::solve_dense(int n) {
  x_.assign(rhs_.begin(), rhs_.begin() + n);
  column_.assign(copy_.begin(), copy_.begin() + static_cast<std::ptrdiff_t>(n) * n);
  if (!stickslip::solve_dense(n, copy_.data(), x_.data(), kRankThreshold)) {
    solve_least_norm(n, column_.data(), rhs_.data(), x_.data(), kRankThreshold);
  }
  return std::ranges::all_of(x_, [](double x) { return std::isfinite(x); });
}

/// The rows of joints in p, such that these hold under the others.
bool ClipInclusion::solve_joints(const ConeProblem& problem, std::vector<double>& p) {
  const auto n = static_cast<std::size_t>(problem.size());
  const std::size_t m = joints_.size();
  for (const int row : joints_) p[row] = 0.0;
  copy_.resize(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    const double* row = a_.data() + n * joints_[i];
    rhs_[i] = -problem.b[joints_[i]];
    for (std::size_t k = 0; k < n; ++k) rhs_[i] -= row[k] * p[k];
    for (std::size_t k = 0; k < m; ++k) copy_[i * m + k] = row[joints_[k]];
  }
  if (!solve_dense(static_cast<int>(m))) return false;
  for (std::size_t i = 0; i < m; ++i) p[joints_[i]] = x_[i];
  return true;
}

}  // namespace stickslip
