// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/de_saxce.h"

#include <algorithm>
#include <cmath>

#include "stickslip/cone/de_saxce_shift.h"

namespace stickslip {
namespace {

/// The inner residual sought, as a share of the outer one: below 1, since they begin as one and the same. [-]
constexpr double kShare = 0.1;

}  // namespace

void FixedShift::start(const ConeProblem& problem, const Iterate& iterate) {
  convex_ = problem;
  convex_.law = FrictionLaw::associated;
  newton_.start();
  take(iterate);
  is_inside_ = has_ended_ = is_stuck_ = false;
}

void FixedShift::take(const Iterate& iterate) {
  const std::span<const double> p = iterate.p();
  p_.assign(p.begin(), p.end());
  u_.assign(iterate.u().begin(), iterate.u().end());
  residual_ = iterate.last().absolute;
}

int FixedShift::advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
                        const Deadline& deadline, Iterate& iterate) {
  int used = 0;
  while (!iterate.best().is_within(tolerance) && !has_ended_ && used < max_iterations &&
         operations() < max_operations && !deadline.passed()) {
    // In m/s: where friction is large, the velocities b + s that would make it relative are so, too.
    const Tolerance inner = {.absolute = kShare * residual_};
    ProximalNewton::Report steps;
    if (is_inside_) {
      steps = newton_.resume(convex_, inner, max_iterations - used, max_operations, deadline, inner_);
    } else {
      convex_.b.assign(problem.b.begin(), problem.b.end());
      add_de_saxce_shift(problem, u_, convex_.b);
      guess_.p.assign(p_.begin(), p_.end());
      has_ended_ = !inner_.start(convex_, guess_) || inner_.best().is_within(inner);
      if (has_ended_) break;
      steps = newton_.run(convex_, inner, max_iterations - used, max_operations, ProximalNewton::kFirstParameter,
                          deadline, inner_);
    }
    used += steps.iterations;
    is_inside_ = !steps.is_stuck && !inner_.best().is_within(inner);
    inner_.return_to_best();
    std::copy(inner_.p().begin(), inner_.p().end(), iterate.p().begin());
    iterate.judge();
    if (is_inside_) continue;
    is_stuck_ = steps.is_stuck && !(iterate.last().absolute < residual_);
    take(iterate);
  }
  return used;
}

}  // namespace stickslip
