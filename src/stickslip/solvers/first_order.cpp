// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/first_order.h"

#include <algorithm>

#include "stickslip/base/make_room.h"
#include "stickslip/cone/de_saxce_shift.h"

namespace stickslip {
namespace {

/// An iteration takes as long a row as so many multiply-adds of a large factorisation, and an entry of W that is stored
/// as so many: 65 ns and .5 ns where these are 6.7 a ns (planted problems of 91 to 393 contacts, piles of 385 to 8502).
constexpr double kOperationsOfARow = 430.0;
constexpr double kOperationsOfAnEntry = 4.0;

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

double FirstOrder::count_operations(const ConeProblem& problem) {
  return kOperationsOfARow * problem.size() + kOperationsOfAnEntry * count_stored(problem);
}

void FirstOrder::start(const ConeProblem& problem, const Iterate& iterate) {
  problem_ = &problem;
  stop_ = iterate.stop();
  work_.resize(problem.delassus_work_size());
  make_room(metric_, problem.b.size());
  metric_.resize(problem.size());
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const double scale = iterate.rows().scale(i);
    std::fill_n(metric_.begin() + cone.offset, cone.dim, scale > 0.0 ? scale : 1.0);
  }
}

void FirstOrder::apply(std::span<const double> p, std::span<double> wp) {
  stop_.check();
  problem_->apply_delassus(p, wp, work_);
}

void FirstOrder::calc_gradient(std::span<const double> wp, std::span<double> u_hat) const {
  for (std::size_t i = 0; i < wp.size(); ++i) u_hat[i] = wp[i] + problem_->b[i];
  add_de_saxce_shift(*problem_, u_hat, u_hat);
}

void FirstOrder::step(std::span<const double> p, double step, std::span<const double> u_hat,
                      std::span<double> result) const {
  for (std::size_t i = 0; i < p.size(); ++i) result[i] = p[i] - step * u_hat[i] / metric_[i];
  project_on_cones(*problem_, result);
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
