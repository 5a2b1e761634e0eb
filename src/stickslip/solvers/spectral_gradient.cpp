// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spectral_gradient.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

/// Share of the expected decrease that is asked for.
constexpr double kSufficient = 1e-4;
/// Every so manieth step is a long one. The pile of 8047 contacts under the exact law takes 3.4 s at 1e-4 with 2, 2.2
/// with 4, 1.8 with 8, 2.6 with 16, 2.8 with 20, that of 1827 takes .10, .11, .10, .13 and .12 s (with one value of the
/// metric for each cone); short steps alone, or the shorter of both where they differ, take 5 times as long or do not
/// get there.
constexpr int kLongEvery = 8;
/// Bounds of the spectral step, in the metric D.
constexpr double kShortest = 1e-6;
constexpr double kLongest = 1e6;

}  // namespace

double SpectralGradient::calc_objective(const ConeProblem& problem) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < p_.size(); ++i) sum += p_[i] * (0.5 * wp_[i] + problem.b[i]);
  return sum;
}

void SpectralGradient::start(const ConeProblem& problem, Iterate& iterate) {
  k_ = 0;
  first_order_.start(problem, iterate);
  for (auto* vector : {&p_, &change_, &wp_, &scratch_}) {
    make_room(*vector, problem.b.size());
    vector->resize(problem.b.size());
  }
  p_.assign(iterate.p().begin(), iterate.p().end());
  first_order_.project(p_);
  first_order_.apply(p_, wp_);
  objectives_.fill(calc_objective(problem));
  alpha_ = 1.0;
  has_objective_ = has_objective(problem);
}

/// k: of this iteration, from 1 on.
void SpectralGradient::iterate_once(const ConeProblem& problem, int k) {
  const std::size_t n = p_.size();
  std::vector<double>& gradient = scratch_;
  first_order_.calc_velocity(wp_, gradient);
  first_order_.step(p_, alpha_, gradient, change_);
  for (std::size_t i = 0; i < n; ++i) change_[i] -= p_[i];
  const double slope = FirstOrder::calc_product(gradient, change_);
  std::vector<double>& w_change = scratch_;
  first_order_.apply(change_, w_change);
  const double curvature = FirstOrder::calc_product(change_, w_change);
  double t = 1.0;
  if (has_objective_) {
    const double reference = *std::max_element(objectives_.begin(), objectives_.end());
    const double present = objectives_[(k - 1) % kMemory];
    if (present + slope + 0.5 * curvature > reference + kSufficient * slope && curvature > 0.0) {
      t = std::min(1.0, -slope / curvature);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    p_[i] += t * change_[i];
    wp_[i] += t * w_change[i];
  }
  if (has_objective_) objectives_[k % kMemory] = calc_objective(problem);
  const double squared = first_order_.calc_metric_product(change_, change_);
  const double squared_w = first_order_.calc_inverse_metric_product(w_change, w_change);
  const double spectral = k % kLongEvery == 0 ? squared / curvature : curvature / squared_w;
  alpha_ = curvature > 0.0 && squared_w > 0.0 ? std::clamp(spectral, kShortest, kLongest) : kLongest;
}

int SpectralGradient::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
                          Iterate& iterate) {
  start(problem, iterate);
  return advance(problem, tolerance, max_iterations, deadline, iterate);
}

int SpectralGradient::advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                              const Deadline& deadline, Iterate& iterate) {
  const int first = k_;
  while (!iterate.best().is_within(tolerance) && k_ - first < max_iterations && !deadline.passed()) {
    iterate_once(problem, ++k_);
    if (k_ % FirstOrder::kJudgeEvery != 0 && k_ - first != max_iterations) continue;
    first_order_.judge(p_, iterate);
    first_order_.apply(p_, wp_);  // free of drift
  }
  return k_ - first;
}

}  // namespace stickslip
