// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/extragradient.h"

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

constexpr int kExtraJudgeEvery = 10;
/// The step's bound on alpha |u(p) - u(q)| / |p - q|, and below which it is raised.
constexpr double kSafe = 0.9;
constexpr double kRoom = 0.4;
constexpr double kCut = 0.67;
constexpr double kRaise = 1.5;
constexpr int kMaxCuts = 40;

}  // namespace

int Extragradient::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
                       Iterate& iterate) {
  const std::size_t n = problem.b.size();
  first_order_.start(problem, iterate);
  for (auto* vector : {&p_, &q_, &wp_, &at_p_, &at_q_, &difference_}) vector->resize(n);
  std::copy(iterate.p().begin(), iterate.p().end(), p_.begin());
  first_order_.project(p_);
  double alpha = 1.0;
  int k = 0;
  while (!iterate.best().is_within(tolerance) && k < max_iterations && !deadline.passed()) {
    ++k;
    first_order_.apply(p_, wp_);
    first_order_.calc_velocity(wp_, at_p_);
    double ratio = 0.0;
    for (int cuts = 0; cuts < kMaxCuts; ++cuts) {
      first_order_.step(p_, alpha, at_p_, q_);
      first_order_.apply(q_, wp_);
      first_order_.calc_velocity(wp_, at_q_);
      for (std::size_t i = 0; i < n; ++i) difference_[i] = at_p_[i] - at_q_[i];
      const double squared_u = first_order_.calc_inverse_metric_product(difference_, difference_);
      for (std::size_t i = 0; i < n; ++i) difference_[i] = p_[i] - q_[i];
      const double squared_p = first_order_.calc_metric_product(difference_, difference_);
      ratio = squared_p > 0.0 ? alpha * std::sqrt(squared_u / squared_p) : 0.0;
      if (!(ratio > kSafe)) break;
      alpha *= kCut * std::min(1.0, 1.0 / ratio);
    }
    first_order_.step(p_, alpha, at_q_, p_);
    if (ratio < kRoom) alpha *= kRaise;
    if (k % kExtraJudgeEvery != 0 && k != max_iterations) continue;
    first_order_.judge(p_, iterate);
  }
  return k;
}

}  // namespace stickslip
