// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/first_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "stickslip/base/make_room.h"
#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

/// Cost of an iteration a row, and of a stored entry of W, in multiply-adds of a large factorisation (0.15 ns each):
/// some 65 ns and .5 ns. [-] `auto` compares methods by these.
constexpr double kOperationsOfARow = 430.0;
constexpr double kOperationsOfAnEntry = 4.0;
/// A part of a diagonal below this share of the whole is round-off, and has the value of the whole. [-]
constexpr double kLeastPart = 1e-12;

/// Entries of W where it is stored; the other kinds are as short as their bodies.
double count_stored(const ConeProblem& problem) {
  const auto* w = std::get_if<StoredDelassus>(&problem.delassus);
  if (w == nullptr) return 0.0;
  double count = 0.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    for (const StoredDelassus::Block& block : w->row(i))
      count += problem.cones[i].dim * problem.cones[block.column].dim;
  }
  return count;
}

}  // namespace

bool has_objective(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated ||
         std::ranges::none_of(problem.blocks, [](const FrictionBlock& block) { return block.mu > 0.0; });
}

double FirstOrder::count_operations(const ConeProblem& problem) {
  return kOperationsOfARow * problem.size() + kOperationsOfAnEntry * count_stored(problem);
}

void FirstOrder::start(const ConeProblem& problem, const Iterate& iterate) {
  problem_ = &problem;
  stop_ = iterate.stop();
  least_defect_ = iterate.last().defect();
  work_.resize(problem.delassus_work_size());
  make_room(metric_, problem.b.size());
  metric_.resize(problem.size());
  std::array<double, kMaxConeDim> diagonal;
  for (int i = 0; i < problem.n_cones(); ++i) {
    problem.calc_diagonal(i, diagonal.data());
    set_metric(problem.cones[i], diagonal.data(), metric_.data() + problem.cones[i].offset);
  }
}

/// The mean of each part of the cone's diagonal, or of all of it where a part has none, or 1.
void FirstOrder::set_metric(const Cone& cone, const double* diagonal, double* metric) const {
  const double mean = std::accumulate(diagonal, diagonal + cone.dim, 0.0) / cone.dim;
  const auto set = [&](int row, int dim) {
    const double of_part = std::accumulate(diagonal + row, diagonal + row + dim, 0.0) / dim;
    std::fill_n(metric + row, dim, of_part > kLeastPart * std::abs(mean) ? of_part : mean > 0.0 ? mean : 1.0);
  };
  int row = 0;
  switch (cone.kind) {
    case ConeKind::ball:
      return set(0, cone.dim);
    case ConeKind::free:
      for (; row < cone.dim; ++row) set(row, 1);
      return;
    case ConeKind::contact:
      set(row++, 1);
      for (const FrictionBlock& block : problem_->friction(cone)) {
        set(row, block.dim);
        row += block.dim;
      }
  }
}

void FirstOrder::apply(std::span<const double> p, std::span<double> wp) {
  stop_.check();
  problem_->apply_delassus(p, wp, work_);
}

void FirstOrder::calc_velocity(std::span<const double> wp, std::span<double> u) const {
  for (std::size_t i = 0; i < wp.size(); ++i) u[i] = wp[i] + problem_->b[i];
}

void FirstOrder::project(std::span<double> p) const {
  const bool is_exact = problem_->law == FrictionLaw::coulomb;
  for (const Cone& cone : problem_->cones) {
    double* part = p.data() + cone.offset;
    if (cone.kind != ConeKind::contact) {
      project_on_cone(*problem_, cone, part);
    } else if (is_exact) {
      project_by_normal(cone, part);
    } else {
      project_on_nearest(cone, metric_.data() + cone.offset, part);
    }
  }
}

/// p (dim) = the nearest point of a contact's cone: the Euclidean one of the cone that is stretched as the metric says.
void FirstOrder::project_on_nearest(const Cone& cone, const double* metric, double* p) const {
  std::array<FrictionBlock, kMaxConeDim> blocks;
  std::array<double, kMaxConeDim> stretch;
  int row = 1, n_blocks = 0;
  for (const FrictionBlock& block : problem_->friction(cone)) {
    const double by = std::sqrt(metric[row] / metric[0]);
    blocks[n_blocks] = block;
    blocks[n_blocks++].mu *= by;
    for (int end = row + block.dim; row < end; ++row) {
      stretch[row] = by;
      p[row] *= by;
    }
  }
  project_on_contact_cone(std::span(blocks.data(), n_blocks), p, p);
  for (row = 1; row < cone.dim; ++row) p[row] /= stretch[row];
}

/// p (dim) = of a contact: the nearest normal percussion, then the nearest friction that it allows.
void FirstOrder::project_by_normal(const Cone& cone, double* p) const {
  p[0] = std::max(0.0, p[0]);
  int row = 1;
  for (const FrictionBlock& block : problem_->friction(cone)) {
    project_on_friction_set(block, p[0], p + row, p + row);
    row += block.dim;
  }
}

void FirstOrder::step(std::span<const double> p, double step, std::span<const double> u,
                      std::span<double> result) const {
  for (std::size_t i = 0; i < p.size(); ++i) result[i] = p[i] - step * u[i] / metric_[i];
  project(result);
}

void FirstOrder::judge(std::span<const double> p, Iterate& iterate) {
  std::copy(p.begin(), p.end(), iterate.p().begin());
  iterate.judge();
  least_defect_ = std::min(least_defect_, iterate.last().defect());
}

double FirstOrder::calc_metric_product(std::span<const double> a, std::span<const double> b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += metric_[i] * a[i] * b[i];
  return sum;
}

double FirstOrder::calc_inverse_metric_product(std::span<const double> a, std::span<const double> b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i] / metric_[i];
  return sum;
}

double FirstOrder::calc_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace stickslip
