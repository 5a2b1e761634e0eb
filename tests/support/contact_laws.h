// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip::test {

// For tests of solvers only. The laws of contact one by one, with neither the projections nor the natural map by which
// solvers judge themselves: p in K, u + s in K*, p . (u + s) = 0, each in its own words.

/// The largest violations of an answer. [m/s], percussions by w = mean(diag W)
struct LawViolations {
  double cone = 0.0;             // w times how far p is outside K
  double dual = 0.0;             // how far u + s is outside K*
  double complementarity = 0.0;  // w |p . (u + s)| of a cone over its w |p| + |u + s|
  double scale = 0.0;            // max(|b|, |u|)
  double round_off = 0.0;        // of u
};

/// Checks one cone after the other.
class LawCheck {
 public:
  LawCheck(const ConeProblem& problem, const std::vector<double>& p) : problem_(problem), p_(p), u_(problem.size()) {
    problem.apply_delassus(p, u_);
    for (int i = 0; i < problem.size(); ++i) u_[i] += problem.b[i];
    std::vector<double> b = problem.b;
    for (const Stretch& s : problem.stretches) {
      s.apply(u_.data() + s.row);
      s.apply(b.data() + s.row);
    }
    double largest_p = 0.0;
    double squared_b = 0.0;
    double squared_u = 0.0;
    for (int i = 0; i < problem.size(); ++i) {
      squared_u += u_[i] * u_[i];
      squared_b += b[i] * b[i];
      largest_p = std::max(largest_p, std::abs(p[i]));
    }
    w_ = problem.calc_residual_scale();
    found_.scale = std::sqrt(std::max(squared_b, squared_u));
    found_.round_off =
        kRoundings * std::numeric_limits<double>::epsilon() * (found_.scale + problem.size() * w_ * largest_p);
    for (const Cone& cone : problem.cones) {
      if (cone.kind == ConeKind::contact) check_contact(cone);
      if (cone.kind == ConeKind::ball) check_ball(cone);
      if (cone.kind == ConeKind::free) found_.dual = std::max(found_.dual, norm(&u_[cone.offset], cone.dim));
    }
  }

  const LawViolations& found() const { return found_; }

 private:
  static constexpr double kRoundings = 16.0;  // [-] of each term of u

  static double norm(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return std::sqrt(sum);
  }
  static double dot(const double* x, const double* y, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
  }
  /// Direction of a polygon's corner k, or of the middle of the edge behind it (k + 1/2), times the block's vector x.
  static double along(const FrictionBlock& block, double k, const double* x) {
    const double angle = block.orientation + 2.0 * std::numbers::pi * k / block.facets;
    return std::cos(angle) * x[0] + std::sin(angle) * x[1];
  }

  /// By how much p_b is outside p_N D_b. [N s]
  static double calc_excess(const FrictionBlock& block, double p_normal, const double* p) {
    if (block.facets == 0) return norm(p, block.dim) - block.mu * p_normal;
    double farthest = -HUGE_VAL;
    for (int k = 0; k < block.facets; ++k) farthest = std::max(farthest, along(block, k + 0.5, p));
    return farthest - block.mu * std::cos(std::numbers::pi / block.facets) * p_normal;
  }
  /// The most that friction can take out of sliding at u_b for p_N = 1: max over d in D_b of -d . u_b. [m/s]
  static double calc_most_power(const FrictionBlock& block, const double* u) {
    if (block.facets == 0) return block.mu * norm(u, block.dim);
    double most = -HUGE_VAL;
    for (int k = 0; k < block.facets; ++k) most = std::max(most, -block.mu * along(block, k, u));
    return most;
  }

  void note(double cone, double dual, double power, double p_norm, double u_norm) {
    found_.cone = std::max(found_.cone, w_ * cone);
    found_.dual = std::max(found_.dual, dual);
    const double sizes = w_ * p_norm + u_norm;
    if (sizes > 0.0) found_.complementarity = std::max(found_.complementarity, w_ * std::abs(power) / sizes);
  }

  void check_contact(const Cone& cone) {
    const double* p = &p_[cone.offset];
    std::vector<double> u(u_.begin() + cone.offset, u_.begin() + cone.offset + cone.dim);
    double excess = -p[0];
    double most_power = 0.0;
    double slope = 1.0;  // by how much the excess and the power may change more than p and u
    int row = 1;
    for (const FrictionBlock& block : problem_.friction(cone)) {
      excess = std::max(excess, calc_excess(block, p[0], p + row));
      most_power += calc_most_power(block, u.data() + row);
      slope += block.mu;
      row += block.dim;
    }
    if (problem_.law == FrictionLaw::coulomb) u[0] += most_power;
    note(excess / slope, (most_power - u[0]) / slope, dot(p, u.data(), cone.dim), norm(p, cone.dim),
         norm(u.data(), cone.dim));
  }

  void check_ball(const Cone& cone) {
    const double* p = &p_[cone.offset];
    const double* u = &u_[cone.offset];
    const double speed = norm(u, cone.dim);
    note(norm(p, cone.dim) - cone.radius, 0.0, dot(p, u, cone.dim) + cone.radius * speed, cone.radius, speed);
  }

  const ConeProblem& problem_;
  const std::vector<double>& p_;
  std::vector<double> u_;  // (n) [m/s] S u
  double w_ = 1.0;         // [1/kg]
  LawViolations found_;
};

/// Whether an answer obeys the laws to the relative tolerance at which a solver calls it ok. A natural map e shifts p
/// by e / w and u by e to where the laws hold exactly, which bounds the first two violations by |e| and the third by
/// 2 |e|.
inline testing::AssertionResult obeys_laws(const ConeProblem& problem, const std::vector<double>& p, double tolerance) {
  const LawViolations found = LawCheck(problem, p).found();
  const double bound = tolerance * found.scale + found.round_off;
  if (found.cone <= bound && found.dual <= bound && found.complementarity <= 2.0 * bound) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "p outside K by " << found.cone << ", u + s outside K* by " << found.dual
                                     << ", p . (u + s) " << found.complementarity << ", bound " << bound;
}

}  // namespace stickslip::test
