// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/phased_impact.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "stickslip/constraints/energetic_impact.h"

namespace stickslip {
namespace {

/// Of the sizes of the terms of the energy that contacts make: above it they make some. [-]
constexpr double kMakesEnergy = 1e-12;
/// Halvings of the interval in which the factor of all e is. [-]
constexpr int kFactorHalvings = 45;
/// Until what a bounding normal percussion of the expansion changes by is round-off; contacts that others close again
/// in the expansion need some ten. [-]
constexpr int kMaxBounds = 100;
constexpr double kSettledBound = 1e-12;

bool is_contact(const ConstraintSet& set, int cone) {
  return set.kind(cone) == ConstraintSet::Kind::contact;
}

/// Calls f(body) for the bodies of a cone that move.
template <class F>
void for_moving_bodies(const System& system, const ConstraintSet& set, const std::vector<ContactPoint>& points,
                       int cone, const F& f) {
  const auto visit = [&](int body) {
    if (system.bodies()[body].n_u > 0) f(body);
  };
  const int index = set.index(cone);
  switch (set.kind(cone)) {
    case ConstraintSet::Kind::contact:
      for (const Side side : {Side::first, Side::second}) visit(system.body(points[index], side));
      break;
    case ConstraintSet::Kind::joint:
      for (int k = 0; k < system.joints()[index].n_sides(); ++k) visit(system.joints()[index].side(k).body);
      break;
    case ConstraintSet::Kind::dry_friction:
      visit(system.dry_frictions()[index].first.body);
      visit(system.dry_frictions()[index].second.body);
      break;
    case ConstraintSet::Kind::servo:  // which does nothing in an impact
      break;
  }
}

}  // namespace

Status PhasedImpact::expand(const ConstraintSet& set, const std::vector<ContactPoint>& points,
                            std::span<const double> e, std::span<const double> added, double tolerance,
                            ConeSolution& solution) {
  find_islands(set, points);
  Status worst = Status::ok;
  bool has_changed = false;
  for (const std::vector<int>& cones : cones_of_) {
    const auto any_expands = [&](double above) {
      return std::ranges::any_of(cones, [&](int i) {
        return is_contact(set, i) && e[i] > above && solution.p[set.problem().cones[i].offset] > 0.0;
      });
    };
    const bool has_path = follows_path(set, points, cones) && any_expands(-1.0);
    if (!has_path && !any_expands(0.0)) continue;
    Island island;
    island.cones = cones;
    take(set, e, added, solution, island);
    if (!has_path || !follow_path(set, island)) {
      if (!any_expands(0.0)) continue;
      worst = std::max(worst, expand(set, tolerance, island));
    }
    if (worst == Status::failed) return worst;
    for (std::size_t r = 0; r < island.rows.size(); ++r) {
      solution.p[island.rows[r]] = island.p(static_cast<Eigen::Index>(r));
      solution.u[island.rows[r]] = island.u(static_cast<Eigen::Index>(r));
    }
    has_changed = true;
  }
  return has_changed ? worst : Status::ok;
}

void PhasedImpact::find_islands(const ConstraintSet& set, const std::vector<ContactPoint>& points) {
  const std::size_t n_bodies = system_.bodies().size();
  bodies_.reset(n_bodies);
  cones_of_.resize(n_bodies);
  for (std::vector<int>& cones : cones_of_) cones.clear();
  for (const bool joins : {true, false}) {
    for (int i = 0; i < set.count(); ++i) {
      stop_.check();
      int first = -1;
      for_moving_bodies(system_, set, points, i, [&](int body) {
        if (joins && first >= 0) bodies_.join(first, body);
        if (first < 0) first = body;
      });
      if (!joins && first >= 0) cones_of_[bodies_.find(first)].push_back(i);
    }
  }
}

void PhasedImpact::take(const ConstraintSet& set, std::span<const double> e, std::span<const double> added,
                        const ConeSolution& solution, Island& island) const {
  const ConeProblem& problem = set.problem();
  for (const int i : island.cones) {
    for (int r = 0; r < problem.cones[i].dim; ++r) island.rows.push_back(problem.cones[i].offset + r);
  }
  const auto m = static_cast<Eigen::Index>(island.rows.size());
  island.W.resize(m, m);
  for (Vector* v : {&island.e, &island.before, &island.added, &island.p, &island.u}) v->setZero(m);
  std::vector<double> unit(problem.b.size(), 0.0);
  std::vector<double> column(problem.b.size());
  for (Eigen::Index c = 0; c < m; ++c) {
    stop_.check();
    const int row = island.rows[c];
    unit[row] = 1.0;
    problem.apply_delassus(unit, column);
    unit[row] = 0.0;
    for (Eigen::Index r = 0; r < m; ++r) island.W(r, c) = column[island.rows[r]];
    island.before(c) = set.gamma()[row];
    island.added(c) = added.empty() ? 0.0 : added[row];
    island.p(c) = solution.p[row];
    island.u(c) = solution.u[row];
  }
  Eigen::Index row = 0;
  for (const int i : island.cones) {
    if (is_contact(set, i)) island.e(row) = std::max(e[i], 0.0);
    row += problem.cones[i].dim;
  }
}

/// Whether an impact is that of one contact, which has the energetic law.
bool PhasedImpact::follows_path(const ConstraintSet& set, const std::vector<ContactPoint>& points,
                                const std::vector<int>& cones) const {
  if (std::ranges::count_if(cones, [&](int i) { return is_contact(set, i); }) != 1) return false;
  const int i = cones.front();  // contacts come first
  return system_.pair(points[set.index(i)]).law().impact == ImpactLaw::energetic &&
         set.problem().cones[i].n_blocks <= 1;
}

/// By the energetic law; false where the impact does not end. Joints hold throughout: the path is that of W without
/// what they take.
bool PhasedImpact::follow_path(const ConstraintSet& set, Island& island) {
  const ConeProblem& problem = set.problem();
  const Cone& cone = problem.cones[island.cones.front()];
  const double mu = cone.n_blocks > 0 ? problem.friction(cone).front().mu : 0.0;
  Eigen::Index held = cone.dim;
  for (const int k : island.cones) held += set.kind(k) == ConstraintSet::Kind::joint ? problem.cones[k].dim : 0;
  const Eigen::Index d = cone.dim;
  const Eigen::Index n_held = held - d;
  const Vector without = island.u - island.W * island.p;
  RowMatrix own = island.W.topLeftCorner(d, d);
  Vector start = without.head(d);
  Matrix gives_way = Matrix::Zero(n_held, d);
  Vector of_held = Vector::Zero(n_held);
  if (n_held > 0) {
    const auto factors = island.W.block(d, d, n_held, n_held).completeOrthogonalDecomposition();
    gives_way = -factors.solve(island.W.block(d, 0, n_held, d));
    of_held = -factors.solve(Vector(without.segment(d, n_held)));
    own += island.W.block(0, d, d, n_held) * gives_way;
    start += island.W.block(0, d, d, n_held) * of_held;
  }
  if (!(start(0) < 0.0)) return false;
  Vector percussion(d);
  if (!calc_energetic_impact({own.data(), static_cast<std::size_t>(own.size())}, mu, island.e(0),
                             {start.data(), static_cast<std::size_t>(d)},
                             {percussion.data(), static_cast<std::size_t>(d)})) {
    return false;
  }
  island.p.setZero();
  island.p.head(d) = percussion;
  island.p.segment(d, n_held) = of_held + gives_way * percussion;
  island.u = without + island.W * island.p;
  return true;
}

/// Poisson's expansion, with the largest factor of all e with which contacts make no energy.
Status PhasedImpact::expand(const ConstraintSet& set, double tolerance, Island& island) {
  Vector p;
  Vector u;
  Status status = expand(set, 1.0, tolerance, island, p, u);
  const double size = (p.cwiseAbs().array() * (island.before.cwiseAbs() + u.cwiseAbs()).array()).sum();
  if (status != Status::failed && calc_made(set, island, p, u) > kMakesEnergy * size) {
    double low = 0.0;
    double high = 1.0;
    for (int i = 0; i < kFactorHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      status = expand(set, middle, tolerance, island, p, u);
      if (status == Status::failed) break;
      (calc_made(set, island, p, u) > 0.0 ? high : low) = middle;
    }
    if (status != Status::failed) status = expand(set, low, tolerance, island, p, u);
  }
  if (status == Status::failed) return status;
  island.p = p;
  island.u = u;
  return status;
}

/// p and u after both phases with e times a factor. The normal percussion is e p_c,N and what keeps the contact from
/// closing again; friction is bounded by both, which are found in turn.
Status PhasedImpact::expand(const ConstraintSet& set, double factor, double tolerance, const Island& island, Vector& p,
                            Vector& u) {
  const ConeProblem& problem = set.problem();
  const auto m = island.W.rows();
  ConeProblem expansion;
  Vector given = Vector::Zero(m);
  std::vector<std::pair<int, Eigen::Index>> bounded;  // balls of friction, and the rows of their normal percussions
  std::vector<double> coefficient;                    // [-] of these
  for (const int i : island.cones) {
    const Cone& cone = problem.cones[i];
    const Eigen::Index row = expansion.size();
    if (cone.kind == ConeKind::free) expansion.add_free(cone.dim);
    if (cone.kind == ConeKind::ball) expansion.add_ball(cone.dim, cone.radius);
    if (cone.kind != ConeKind::contact) continue;
    given(row) = factor * island.e(row) * island.p(row);
    expansion.add_contact({});
    for (const FrictionBlock& block : problem.friction(cone)) {
      bounded.emplace_back(expansion.add_ball(block.dim, block.mu * given(row)), row);
      coefficient.push_back(block.mu);
    }
  }
  std::vector<int> columns;
  std::vector<int> dims;
  for (int i = 0; i < expansion.n_cones(); ++i) {
    columns.push_back(i);
    dims.push_back(expansion.cones[i].dim);
  }
  StoredDelassus stored;
  std::vector<double> values;
  for (const Cone& cone : expansion.cones) {
    values.clear();
    for (const Cone& other : expansion.cones) {
      for (int r = 0; r < cone.dim; ++r) {
        for (int c = 0; c < other.dim; ++c) values.push_back(island.W(cone.offset + r, other.offset + c));
      }
    }
    stored.add_row(columns, dims, cone.dim, values);
  }
  expansion.delassus = std::move(stored);
  Vector::Map(expansion.b.data(), m) = island.u + island.W * given;
  ConeSolution solution;
  solution.p.assign(expansion.b.size(), 0.0);
  Status status = Status::ok;
  bool is_settled = false;
  for (int k = 0; k < kMaxBounds && !is_settled; ++k) {
    stop_.check();
    const SolveReport report = solver_.solve(expansion, {.relative = tolerance}, solution);
    status = report.status;
    if (status == Status::failed) return status;
    double change = 0.0;
    for (std::size_t j = 0; j < bounded.size(); ++j) {
      const auto [ball, row] = bounded[j];
      const double radius = coefficient[j] * (given(row) + std::max(0.0, solution.p[row]));
      change = std::max(change, std::abs(radius - expansion.cones[ball].radius));
      expansion.cones[ball].radius = radius;
    }
    is_settled = !(change > kSettledBound * island.p.cwiseAbs().maxCoeff());
  }
  if (!is_settled) status = std::max(status, Status::inexact);
  const Vector more = given + ConstVectorView(solution.p.data(), m);
  p = island.p + more;
  u = island.u + island.W * more;
  return status;
}

/// [J] The energy that contacts make.
double PhasedImpact::calc_made(const ConstraintSet& set, const Island& island, const Vector& p, const Vector& u) const {
  double made = 0.0;
  Eigen::Index row = 0;
  for (const int i : island.cones) {
    const int dim = set.problem().cones[i].dim;
    if (is_contact(set, i)) {
      const Vector after = (u - island.added).segment(row, dim);
      made += 0.5 * p.segment(row, dim).dot(island.before.segment(row, dim) + after);
    }
    row += dim;
  }
  return made;
}

}  // namespace stickslip
