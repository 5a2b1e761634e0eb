// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spectral_gradient.h"

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

constexpr int kJudgeEvery = 10;
/// Share of the expected decrease that is asked for.
constexpr double kSufficient = 1e-4;
/// Bounds of the spectral step, in the metric D.
constexpr double kShortest = 1e-6;
constexpr double kLongest = 1e6;
/// Judgements before they say how the residual falls: earlier ones foretell ten times what is needed (settled piles of
/// 1000 and 4000 spheres at 1e-3; 16 do so for the larger one, 32 for none).
constexpr std::size_t kLeastJudgements = 32;

/// Iterations in all until the residual is at the tolerance, if it goes on falling with the power of their number with
/// which it fell since a quarter of them: best[i] is that of (i + 1) kJudgeEvery iterations.
double promise(const std::vector<double>& best, double tolerance) {
  const std::size_t now = best.size();
  const std::size_t then = now / 4;
  const double longer = static_cast<double>(now) / static_cast<double>(then);
  const double power = std::log(best[then - 1] / best[now - 1]) / std::log(longer);
  if (!(power > 0.0)) return HUGE_VAL;
  return static_cast<double>(now) * kJudgeEvery * std::pow(best[now - 1] / tolerance, 1.0 / power);
}

}  // namespace

double SpectralGradient::calc_objective(const ConeProblem& problem) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < p_.size(); ++i) sum += p_[i] * (0.5 * wp_[i] + problem.b[i]);
  return sum;
}

void SpectralGradient::begin(const ConeProblem& problem, Iterate& iterate) {
  first_order_.start(problem, iterate);
  for (auto* vector : {&p_, &gradient_, &change_, &wp_, &w_change_}) vector->resize(problem.b.size());
  std::copy(iterate.p().begin(), iterate.p().end(), p_.begin());
  project_on_cones(problem, p_);
  first_order_.apply(p_, wp_);
  objectives_.fill(calc_objective(problem));
  alpha_ = 1.0;
  best_.clear();
}

/// k: of this iteration, from 1 on.
void SpectralGradient::iterate_once(const ConeProblem& problem, int k) {
  const std::size_t n = p_.size();
  const bool is_convex = problem.law == FrictionLaw::associated;
  first_order_.calc_gradient(wp_, gradient_);
  first_order_.step(p_, alpha_, gradient_, change_);
  for (std::size_t i = 0; i < n; ++i) change_[i] -= p_[i];
  first_order_.apply(change_, w_change_);
  const double slope = FirstOrder::calc_product(gradient_, change_);
  const double curvature = FirstOrder::calc_product(change_, w_change_);
  double t = 1.0;
  if (is_convex) {
    const double reference = *std::max_element(objectives_.begin(), objectives_.end());
    const double present = objectives_[(k - 1) % kMemory];
    if (present + slope + 0.5 * curvature > reference + kSufficient * slope && curvature > 0.0) {
      t = std::min(1.0, -slope / curvature);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    p_[i] += t * change_[i];
    wp_[i] += t * w_change_[i];
  }
  if (is_convex) objectives_[k % kMemory] = calc_objective(problem);
  const double squared = first_order_.calc_metric_product(change_, change_);
  const double squared_w = first_order_.calc_inverse_metric_product(w_change_, w_change_);
  const double spectral = k % 2 == 0 ? squared / curvature : curvature / squared_w;
  alpha_ = curvature > 0.0 && squared_w > 0.0 ? std::clamp(spectral, kShortest, kLongest) : kLongest;
}

int SpectralGradient::run(const ConeProblem& problem, double tolerance, int max_iterations, double max_promised,
                          const Deadline& deadline, Iterate& iterate) {
  begin(problem, iterate);
  int k = 0;
  while (iterate.best().relative > tolerance && k < max_iterations && !deadline.passed()) {
    iterate_once(problem, ++k);
    if (k % kJudgeEvery != 0 && k != max_iterations) continue;
    std::copy(p_.begin(), p_.end(), iterate.p().begin());
    iterate.judge();
    first_order_.apply(p_, wp_);  // free of drift
    best_.push_back(iterate.best().relative);
    if (best_.size() >= kLeastJudgements && promise(best_, tolerance) > max_promised) break;
  }
  return k;
}

}  // namespace stickslip
