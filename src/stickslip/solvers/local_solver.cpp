// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/local_solver.h"

#include <algorithm>
#include <array>

namespace stickslip {

void LocalSolver::prepare(const ConeProblem& problem, const DelassusRows& rows) {
  problem_ = &problem;
  rows_ = &rows;
  contacts_.clear();
  associated_.clear();
  polygons_.clear();
  free_.clear();
  general_.clear();
  slots_.assign(problem.n_cones(), {Method::not_prepared, 0});
}

void LocalSolver::prepare_cone(int i) {
  const Cone& cone = problem_->cones[i];
  const double* w = rows_->diagonal(i);
  switch (cone.kind) {
    case ConeKind::contact:
      slots_[i] = prepare_contact(*problem_, cone, w);
      break;
    case ConeKind::ball:
      slots_[i] = prepare_ball(*problem_, cone, w);
      break;
    case ConeKind::free:
      free_.emplace_back().prepare(cone.dim, w);
      slots_[i] = {Method::free, static_cast<int>(free_.size()) - 1};
      break;
  }
}

LocalSolver::Slot LocalSolver::prepare_contact(const ConeProblem& problem, const Cone& cone, const double* w) {
  const auto friction = problem.friction(cone);
  if (friction.size() == 1 && friction[0].facets != 0 && problem.law == FrictionLaw::coulomb) {
    polygons_.emplace_back().prepare(friction[0], w);
    return {Method::polygon, static_cast<int>(polygons_.size()) - 1};
  }
  if (friction.size() > 1 || (friction.size() == 1 && friction[0].facets != 0)) {
    return prepare_general(problem, cone, w);
  }
  const double mu = friction.empty() ? 0.0 : friction[0].mu;
  if (problem.law == FrictionLaw::associated && mu > 0.0) {
    associated_.emplace_back().prepare(cone.dim - 1, mu, w);
    return {Method::associated, static_cast<int>(associated_.size()) - 1};
  }
  contacts_.emplace_back().prepare(cone.dim - 1, mu, w);
  return {Method::one_contact, static_cast<int>(contacts_.size()) - 1};
}

LocalSolver::Slot LocalSolver::prepare_ball(const ConeProblem& problem, const Cone& cone, const double* w) {
  if (cone.dim > kMaxFrictionDim) return prepare_general(problem, cone, w);
  const int n = 1 + cone.dim;
  std::array<double, kMaxContactDim* kMaxContactDim> extended = {1.0};
  for (int i = 0; i < cone.dim; ++i) {
    for (int j = 0; j < cone.dim; ++j) extended[(i + 1) * n + j + 1] = w[i * cone.dim + j];
  }
  contacts_.emplace_back().prepare(cone.dim, 1.0, extended.data());
  return {Method::constant_ball, static_cast<int>(contacts_.size()) - 1};
}

LocalSolver::Slot LocalSolver::prepare_general(const ConeProblem& problem, const Cone& cone, const double* w) {
  general_.emplace_back().prepare(problem.law, cone, problem.friction(cone), w);
  return {Method::general, static_cast<int>(general_.size()) - 1};
}

int LocalSolver::solve_ball(int i, const OneContact& ball, const double* b, double* p) const {
  const Cone& cone = problem_->cones[i];
  std::array<double, kMaxContactDim> extended_b = {-cone.radius};
  std::array<double, kMaxContactDim> extended_p = {cone.radius};
  std::copy_n(b, cone.dim, extended_b.begin() + 1);
  std::copy_n(p, cone.dim, extended_p.begin() + 1);
  const int n = ball.solve(extended_b.data(), extended_p.data());
  std::copy_n(extended_p.begin() + 1, cone.dim, p);
  return n;
}

int LocalSolver::solve_polygon(int i, const PolygonContact& polygon, const double* b, double* p) const {
  if (const int n = polygon.solve(b, p); n > 0) return n;
  GeneralCone general;
  general.prepare(problem_->law, problem_->cones[i], problem_->friction(problem_->cones[i]), rows_->diagonal(i));
  return general.solve(b, p) ? 1 : 0;
}

int LocalSolver::solve(int i, const double* b, double* p) {
  if (slots_[i].method == Method::not_prepared) prepare_cone(i);
  const Slot slot = slots_[i];
  switch (slot.method) {
    case Method::one_contact:
      return contacts_[slot.index].solve(b, p);
    case Method::associated:
      associated_[slot.index].solve(b, p);
      return 1;
    case Method::constant_ball:
      return solve_ball(i, contacts_[slot.index], b, p);
    case Method::polygon:
      return solve_polygon(i, polygons_[slot.index], b, p);
    case Method::free:
      free_[slot.index].solve(b, p);
      return 1;
    case Method::general:
      return general_[slot.index].solve(b, p) ? 1 : 0;
    case Method::not_prepared:
      break;
  }
  return 0;
}

}  // namespace stickslip
