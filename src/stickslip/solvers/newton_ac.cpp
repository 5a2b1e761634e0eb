// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_ac.h"

#include <algorithm>
#include <limits>

#include "stickslip/solvers/line_search.h"

namespace stickslip {
namespace {

/// Bounds of the proximal term, as a share of the diagonal, and what it is multiplied by.
constexpr double kAcLeastProximal = 1e-10;
constexpr double kAcLargestProximal = 1e2;
constexpr double kAcRise = 30.0;
constexpr double kAcFall = 0.1;
/// Halvings of a step that does not lower the residual.
constexpr int kAcMaxHalvings = 4;

}  // namespace

int AlartCurnier::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
                      Iterate& iterate) {
  newton_.start();
  double proximal = kAcLeastProximal;
  int k = 0;
  while (!iterate.best().is_within(tolerance) && k < max_iterations && proximal <= kAcLargestProximal &&
         !deadline.passed()) {
    ++k;
    base_.assign(iterate.p().begin(), iterate.p().end());
    const double before = iterate.last().absolute;
    std::optional<double> length;
    if (newton_.calc_step(problem, iterate.rows(), base_, iterate.u(), proximal, std::numeric_limits<int>::max())) {
      length = halve_until_lower(before, kAcMaxHalvings, [&](double trial) {
        newton_.apply_step(problem, trial, base_, iterate.p());
        iterate.judge();
        return iterate.last().absolute;
      });
    }
    if (length) {
      if (*length == 1.0) proximal = std::max(kAcLeastProximal, kAcFall * proximal);
      continue;
    }
    proximal *= kAcRise;
    std::copy(base_.begin(), base_.end(), iterate.p().begin());
    iterate.judge();
  }
  return k;
}

}  // namespace stickslip
