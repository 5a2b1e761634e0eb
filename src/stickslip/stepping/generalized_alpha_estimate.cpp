// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha_estimate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

/// In smooth motion the velocity jump of a step is O(h^3), in an impact it is of the size of h |a| or more.
constexpr double kJump = 0.1;  // [-]

}  // namespace

double GeneralizedAlphaEstimate::size(const Vector& y) const {
  double worst = 0.0;
  for (std::size_t k = 0; k < system_.bodies().size(); ++k) {
    const Body& body = system_.bodies()[k];
    if (body.n_u == 0) continue;
    const auto M = system_.mass(static_cast<int>(k));
    double sum = 0.0;
    for (int i = 0; i < body.n_u; ++i) {
      for (int j = 0; j < body.n_u; ++j) sum += y(body.u_offset + i) * M(i, j) * y(body.u_offset + j);
    }
    worst = std::max(worst, sum / body.mass);
  }
  return std::sqrt(worst);
}

void GeneralizedAlphaEstimate::add_rotation_error(const GeneralizedAlphaStep& step) {
  const double h3 = step.h * step.h * step.h;
  for (const Body& body : system_.bodies()) {
    if (body.type != BodyType::rigid) continue;
    const Vector3 omega = step.u.segment<3>(body.u_offset + 3);
    const Vector3 alpha = step.x.a.segment<3>(body.u_offset + 3);
    y_.segment<3>(body.u_offset + 3) += h3 / 12.0 * omega.cross(alpha) - h3 / 24.0 * omega.squaredNorm() * omega;
  }
}

void GeneralizedAlphaEstimate::calc(const State& before, const GeneralizedAlphaStep& step, StepEstimate& estimate) {
  const GeneralizedAlphaWeights& w = step.weights;
  const int n_u = system_.n_u();
  const double h = step.h;
  const double c = w.alpha_m - w.alpha_f;
  const auto a = before.memory.head(n_u);
  const auto last_a = step.remembered_accelerations(before);
  const double last_h = step.remembered_step(before);

  y_ = a;
  estimate.acceleration_before = std::max(size(y_), system_.gravity().norm());
  const double acceleration = std::max(size(step.x.a), estimate.acceleration_before);
  estimate.speed = size(step.u);
  estimate.velocity_jump = size(step.x.U);
  estimate.velocity_jumped = estimate.velocity_jump > kJump * h * acceleration;
  estimate.sets_changed = step.remembered_sets(before) != step.closed_sets();
  y_ = step.x.a - a;  // h a'
  estimate.acceleration_jump = size(y_);

  y_ *= h * h * (1.0 / 6.0 - 0.5 * c - w.beta);
  add_rotation_error(step);
  estimate.position_error = size(y_);
  if (last_h == 0.0) return;
  y_ = 2.0 * h / (h + last_h) * (step.x.a - a - h / last_h * (a - last_a));  // h^2 a''
  estimate.velocity_error = std::abs(h * (-1.0 / 12.0 + c * (0.5 - w.alpha_f))) * size(y_);
}

}  // namespace stickslip
