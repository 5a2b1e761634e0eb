// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/held_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::event_driven {
namespace {

/// Pivots below this part of the largest are round-off of rows that depend on each other. [-]
constexpr double kDependent = 1e-11;
/// What rows that depend on each other ask for and do not get, beyond round-off. [-]
constexpr double kContradicts = 1e-8;
/// Bounds are kept within this part of the largest force, well above round-off and below what counts as a force. [-]
constexpr double kAtBound = 1e-12;
/// Changes of what is at its bound, a row at most.
constexpr int kMostChanges = 4;

}  // namespace

void HeldRows::clear(ConstraintSet& set) {
  set_ = &set;
  rows_.clear();
  friction_.clear();
}

void HeldRows::add(int row, int first, std::span<const double> friction) {
  rows_.push_back({row, first, static_cast<int>(friction_.size()), static_cast<int>(friction.size())});
  friction_.insert(friction_.end(), friction.begin(), friction.end());
}

void HeldRows::add_along(int first, const std::array<double, 2>& direction) {
  rows_.push_back({first, first, static_cast<int>(friction_.size()), 0, 2, direction});
}

double HeldRows::rate_of(const Friction& own, std::span<const double> rates) {
  double rate = 0.0;
  for (int i = 0; i < own.n; ++i) rate += own.direction[i] * rates[own.row + i];
  return rate;
}

void HeldRows::factorise() {
  const auto n = static_cast<Eigen::Index>(rows_.size());
  response_.resize(system_.n_u(), n);
  matrix_.resize(n, n);
  scale_.resize(rows_.size());
  std::vector<double> p(set_->size(), 0.0);
  std::vector<double> rates(set_->size());
  Vector force;
  Vector v(system_.n_u());
  const auto respond = [&] {
    set_->calc_generalized_percussions(p, force);
    system_.solve_mass(force, v);
    std::ranges::fill(rates, 0.0);
    set_->add_relative_velocities(v, rates);
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const Friction& own = rows_[k];
    for (int i = 0; i < own.n; ++i) p[own.row + i] = own.direction[i];
    respond();
    const double alone = rate_of(own, rates);
    scale_[k] = alone > 0.0 ? 1.0 / std::sqrt(alone) : 0.0;
    if (own.count > 0) {
      for (int i = 0; i < own.count; ++i) p[own.first_row + i] = friction_[own.first + i];
      respond();
      for (int i = 0; i < own.count; ++i) p[own.first_row + i] = 0.0;
    }
    for (int i = 0; i < own.n; ++i) p[own.row + i] = 0.0;
    response_.col(k) = v * scale_[k];
    for (Eigen::Index i = 0; i < n; ++i) matrix_(i, k) = rate_of(rows_[i], rates) * scale_[k];
  }
  for (Eigen::Index i = 0; i < n; ++i) matrix_.row(i) *= scale_[i];
  determined_ = true;
  if (n == 0) return;
  factors_.emplace(matrix_, kDependent);
  determined_ = factors_->rank() == n;
}

double HeldRows::calc_response(int row) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const bool is_held = row >= rows_[k].row && row < rows_[k].row + rows_[k].n;
    if (is_held && scale_[k] > 0.0) return 1.0 / (scale_[k] * scale_[k]);
  }
  return 0.0;
}

double HeldRows::calc_yield(int k) const {
  const double response = factors_->solve(Vector(Vector::Unit(matrix_.rows(), k)))(k);
  return response == 0.0 ? std::numeric_limits<double>::infinity() : 1.0 / response;
}

bool HeldRows::reaches(const Vector& x, const Vector& target) const {
  return (target - matrix_ * x).norm() <= kContradicts * target.norm();
}

/// The shortest x with A x = target and x >= its bounds, by an active set: those that are beyond their bound are put
/// on it one by one, and let go where their multiplier has the wrong sign. Without bounds, where none is found.
Vector HeldRows::solve_bounded(const Vector& target, std::span<const double> least) const {
  const Vector unbounded = solve_least_norm(matrix_, target, kDependent);
  const Eigen::Index n = target.size();
  Vector low = Vector::Constant(n, -std::numeric_limits<double>::infinity());
  for (Eigen::Index k = 0; k < n; ++k) {
    if (rows_[k].n == 1 && scale_[k] > 0.0) low(k) = least[rows_[k].row] / scale_[k];
  }
  if ((unbounded.array() >= low.array()).all() || !reaches(unbounded, target)) return unbounded;
  std::vector<char> at_bound(static_cast<std::size_t>(n), 0);
  Vector x = unbounded;
  for (Eigen::Index change = 0; change < kMostChanges * n; ++change) {
    const double zero = kAtBound * x.lpNorm<Eigen::Infinity>();
    Eigen::Index worst = -1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (at_bound[k] == 0 && low(k) - x(k) > zero && (worst < 0 || low(k) - x(k) > low(worst) - x(worst))) worst = k;
    }
    if (worst < 0) {
      Matrix free = matrix_;
      Vector shortest = x;
      for (Eigen::Index k = 0; k < n; ++k) {
        if (at_bound[k] != 0) free.col(k).setZero(), shortest(k) = 0.0;
      }
      const Vector y = solve_least_norm(free.transpose(), shortest, kDependent);
      const Vector multiplier = x - matrix_.transpose() * y;
      for (Eigen::Index k = 0; k < n; ++k) {
        if (at_bound[k] != 0 && multiplier(k) < -zero && (worst < 0 || multiplier(k) < multiplier(worst))) worst = k;
      }
      if (worst < 0) return x;
    }
    at_bound[worst] = at_bound[worst] == 0 ? 1 : 0;
    Matrix free = matrix_;
    Vector rest = target;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (at_bound[k] == 0) continue;
      rest -= matrix_.col(k) * low(k);
      free.col(k).setZero();
    }
    x = solve_least_norm(free, rest, kDependent);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (at_bound[k] != 0) x(k) = low(k);
    }
    if (!reaches(x, target)) break;
  }
  return unbounded;
}

bool HeldRows::hold(std::span<const double> rates, std::vector<double>& p, Vector& v,
                    std::span<const double> least) const {
  if (rows_.empty()) return true;
  const auto n = static_cast<Eigen::Index>(rows_.size());
  Vector target(n);
  for (Eigen::Index i = 0; i < n; ++i) target(i) = -scale_[i] * rate_of(rows_[i], rates);
  const Vector x = determined_     ? factors_->solve(target)
                   : least.empty() ? solve_least_norm(matrix_, target, kDependent)
                                   : solve_bounded(target, least);
  v += response_ * x;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Friction& own = rows_[k];
    const double size = scale_[k] * x(k);
    for (int i = 0; i < own.n; ++i) p[own.row + i] += size * own.direction[i];
    for (int i = 0; i < own.count; ++i) p[own.first_row + i] += size * friction_[own.first + i];
  }
  return determined_ || reaches(x, target);
}

}  // namespace stickslip::event_driven
