// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/estimate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
void Estimate::add_rotation_error(const Step& step) {
  const double h3 = step.h * step.h * step.h;
  for (const Body& body : system_.bodies()) {
    if (body.type != BodyType::rigid) continue;
    const Vector3 omega = step.u.segment<3>(body.u_offset + 3);
    const Vector3 alpha = step.x.a.segment<3>(body.u_offset + 3);
    y_.segment<3>(body.u_offset + 3) += h3 / 12.0 * omega.cross(alpha) - h3 / 24.0 * omega.squaredNorm() * omega;
  }
}

void Estimate::calc(const State& before, const Step& step, StepEstimate& estimate) {
  const Weights& w = step.weights;
  const double h = step.h;
  const double c = w.alpha_m - w.alpha_f;
  const MemoryView memory(system_, before.memory);
  const auto a = memory.a();
  const auto last_a = memory.last_a();
  const double last_h = memory.step();
  const auto size = [this](const Vector& y) { return measure_motion(system_, y); };

  y_ = a;
  estimate.acceleration_before = std::max(size(y_), system_.gravity().norm());
  const double acceleration = std::max(size(step.x.a), estimate.acceleration_before);
  estimate.speed = size(step.u);
  estimate.velocity_jump = size(step.x.U);
  estimate.velocity_jumped = estimate.velocity_jump > kImpulsive * h * acceleration;
  estimate.sets_changed = memory.sets() != find_sets(step);
  y_ = step.x.a - a;  // h a'
  estimate.acceleration_jump = size(y_);

  y_ *= h * h * (1.0 / 6.0 - 0.5 * c - w.beta);
  add_rotation_error(step);
  estimate.position_error = size(y_);
  if (last_h == 0.0) return;
  y_ = 2.0 * h / (h + last_h) * (step.x.a - a - h / last_h * (a - last_a));  // h^2 a''
  estimate.velocity_error = std::abs(h * (-1.0 / 12.0 + c * (0.5 - w.alpha_f))) * size(y_);
}

}  // namespace stickslip::generalized_alpha
