// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/held_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::event_driven {
namespace {

/// Pivots below this part of the largest are round-off of rows that depend on each other. [-]
constexpr double kDependent = 1e-11;

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
    p[own.row] = 1.0;
    respond();
    scale_[k] = rates[own.row] > 0.0 ? 1.0 / std::sqrt(rates[own.row]) : 0.0;
    if (own.count > 0) {
      for (int i = 0; i < own.count; ++i) p[own.first_row + i] = friction_[own.first + i];
      respond();
      for (int i = 0; i < own.count; ++i) p[own.first_row + i] = 0.0;
    }
    p[own.row] = 0.0;
    response_.col(k) = v * scale_[k];
    for (Eigen::Index i = 0; i < n; ++i) matrix_(i, k) = rates[rows_[i].row] * scale_[k];
  }
  for (Eigen::Index i = 0; i < n; ++i) matrix_.row(i) *= scale_[i];
  determined_ = true;
  if (n == 0) return;
  factors_.emplace(matrix_, kDependent);
  determined_ = factors_->rank() == n;
}

double HeldRows::calc_response(int row) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k].row == row && scale_[k] > 0.0) return 1.0 / (scale_[k] * scale_[k]);
  }
  return 0.0;
}

double HeldRows::calc_yield(int k) const {
  const double response = factors_->solve(Vector(Vector::Unit(matrix_.rows(), k)))(k);
  return response == 0.0 ? std::numeric_limits<double>::infinity() : 1.0 / response;
}

void HeldRows::hold(std::span<const double> rates, std::vector<double>& p, Vector& v) const {
  if (rows_.empty()) return;
  const auto n = static_cast<Eigen::Index>(rows_.size());
  Vector target(n);
  for (Eigen::Index i = 0; i < n; ++i) target(i) = -scale_[i] * rates[rows_[i].row];
  const Vector x = determined_ ? factors_->solve(target) : solve_least_norm(matrix_, target, kDependent);
  v += response_ * x;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Friction& own = rows_[k];
    const double size = scale_[k] * x(k);
    p[own.row] += size;
    for (int i = 0; i < own.count; ++i) p[own.first_row + i] += size * friction_[own.first + i];
  }
}

}  // namespace stickslip::event_driven
