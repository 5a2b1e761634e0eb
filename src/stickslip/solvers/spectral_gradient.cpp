// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spectral_gradient.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

/// Required share of the expected decrease. [-]
constexpr double kSufficient = 1e-4;
/// Each step whose number is a multiple of this one is long. [-] In large piles under the exact law 2 and 16 take half
/// as long again; short steps alone take several times as long or do not converge.
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
