// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/radau.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/round_off.h"

namespace stickslip::event_driven {
namespace {

/// sqrt(6).
constexpr double kRoot = 2.449489742783178;
/// [Hairer1996 table IV.5.6]
constexpr std::array<double, 3> kRadauNodes = {(4.0 - kRoot) / 10.0, (4.0 + kRoot) / 10.0, 1.0};
constexpr double kWeights[3][3] = {
    {(88.0 - 7.0 * kRoot) / 360.0, (296.0 - 169.0 * kRoot) / 1800.0, (-2.0 + 3.0 * kRoot) / 225.0},
    {(296.0 + 169.0 * kRoot) / 1800.0, (88.0 + 7.0 * kRoot) / 360.0, (-2.0 - 3.0 * kRoot) / 225.0},
    {(16.0 - kRoot) / 36.0, (16.0 + kRoot) / 36.0, 1.0 / 9.0}};
/// The embedded formula [Hairer1996 eq. IV.8.17 to IV.8.19]: 1 / gamma_0 is the real eigenvalue of the inverse matrix.
constexpr double kInverseGamma = 3.6378342527444957;
constexpr std::array<double, 3> kRadauError = {-(13.0 + 7.0 * kRoot) / 3.0, (-13.0 + 7.0 * kRoot) / 3.0, -1.0 / 3.0};

/// What Newton's method leaves, in units of what a step may err by. [-]
constexpr double kSettled = 0.01;
constexpr int kMaxIterations = 20;

}  // namespace

bool Radau::start(double t, const Vector& y) {
  t_ = t;
  y_ = y;
  start_rates_.resize(y.size());
  start_slopes_.resize(count_, count_);
  for (int i = 0; i < kStages; ++i) {
    stage_rates_[i].resize(y.size());
    stage_slopes_[i].resize(count_, count_);
  }
  newton_.resize(kStages * count_, kStages * count_);
  off_.resize(kStages * count_);
  if (!rates_(t, y, start_rates_)) return false;
  slopes_(start_slopes_);
  return true;
}

/// A step of Euler's linearly implicit method to each stage.
void Radau::predict(double h) {
  const Matrix identity = Matrix::Identity(count_, count_);
  for (int i = 0; i < kStages; ++i) {
    const double way = kRadauNodes[i] * h;
    stages_[i] = y_ + way * start_rates_;
    const Matrix implicit = identity - way * start_slopes_;
    const Vector change = Eigen::PartialPivLU<Matrix>(implicit).solve(Vector(start_rates_.segment(first_, count_)));
    stages_[i].segment(first_, count_) = y_.segment(first_, count_) + way * change;
  }
}

bool Radau::settle(double h) {
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    for (int i = 0; i < kStages; ++i) {
      if (!rates_(t_ + kRadauNodes[i] * h, stages_[i], stage_rates_[i])) return false;
      slopes_(stage_slopes_[i]);
    }
    newton_.setIdentity();
    for (int i = 0; i < kStages; ++i) {
      const Vector velocity = stages_[i].segment(first_, count_);
      stages_[i] = y_;
      for (int j = 0; j < kStages; ++j) {
        stages_[i] += h * kWeights[i][j] * stage_rates_[j];
        newton_.block(i * count_, j * count_, count_, count_) -= h * kWeights[i][j] * stage_slopes_[j];
      }
      off_.segment(i * count_, count_) = stages_[i].segment(first_, count_) - velocity;
      stages_[i].segment(first_, count_) = velocity;
    }
    change_ = Eigen::PartialPivLU<Matrix>(newton_).solve(off_);
    if (!change_.allFinite()) return false;
    double largest = 0.0;
    for (int i = 0; i < kStages; ++i) {
      stages_[i].segment(first_, count_) += change_.segment(i * count_, count_);
      const double size = stages_[i].segment(first_, count_).lpNorm<Eigen::Infinity>();
      for (Eigen::Index k = 0; k < count_; ++k) {
        const double allowed = absolute_ + relative_ * std::abs(stages_[i](first_ + k));
        const double change = std::abs(change_(i * count_ + k));
        largest = std::max(largest, change / std::max(kSettled * allowed, 4.0 * kEpsilon * size));
      }
    }
    if (largest <= 1.0) return true;
    if (iteration > 3 && !(largest < before)) return false;
    before = largest;
  }
  return false;
}

void Radau::estimate_error(double h) {
  error_ = start_rates_;
  for (int i = 0; i < kStages; ++i) error_ += kRadauError[i] / h * (stages_[i] - y_);
  error_ *= h / kInverseGamma;
  const Matrix filter = Matrix::Identity(count_, count_) - h / kInverseGamma * stage_slopes_[2];
  const Vector of_velocities = error_.segment(first_, count_);
  error_.segment(first_, count_) = Eigen::PartialPivLU<Matrix>(filter).solve(of_velocities);
}

bool Radau::step(double h) {
  predict(h);
  if (!settle(h)) return false;
  estimate_error(h);
  return true;
}

void Radau::interpolate(double theta, Vector& y) const {
  const auto weigh = [theta](double own, double a, double b, double c) {
    return (theta - a) * (theta - b) * (theta - c) / ((own - a) * (own - b) * (own - c));
  };
  const auto& c = kRadauNodes;
  y = weigh(0.0, c[0], c[1], c[2]) * y_ + weigh(c[0], 0.0, c[1], c[2]) * stages_[0] +
      weigh(c[1], 0.0, c[0], c[2]) * stages_[1] + weigh(c[2], 0.0, c[0], c[1]) * stages_[2];
}

}  // namespace stickslip::event_driven
