// SPDX-License-Identifier: BSD-3-Clause
// Friction in GeneralizedAlphaStep's equations: stick and slip, and the stretch of second-order friction.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

double norm(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// tau in S of second-order friction, by z = mu G dt lambda_N / |gamma_F| of the start of the step: what friction takes
/// off the slip in it, over that. A step with a constant force along and across then leaves exp(-z) of a small motion
/// across the slip, as the equations of motion do. [-]
double calc_stretch(double z) {
  constexpr double kSmall = 1e-3;  // [-] below, the series is off by z^2/18 < 1e-7 and the function by round-off
  if (z < kSmall) return 1.0 - z / 3.0;
  const double theta = -1.0 / std::expm1(-z) - 1.0 / z;
  return 1.0 / theta - 1.0;
}

}  // namespace

/// e.stick is the last answer on entry.
void GeneralizedAlphaStep::classify_friction(StepElement& e) {
  const int first = e.first_friction();
  const int n = e.n_friction();
  const double r = r_friction(e);
  std::copy_n(e.xi.data() + first, n, e.direction.data());
  e.stretch.apply(e.direction.data());
  for (int i = 0; i < n; ++i) e.direction[i] = r * e.direction[i] - P(e.offset + first + i);
  e.slip = e.direction;
  e.stretch.apply_inverse(e.slip.data());
  e.friction_size = norm(e.direction.data(), n);
  const double radius = friction_radius(e, P(e.offset));
  e.stick = radius > 0.0 && e.friction_size <= radius + r * calc_tie(e, e.stick);
  if (holds && e.held >= Held::sliding) e.stick = e.held == Held::stopped;
  if (e.friction_size > 0.0) {
    for (int i = 0; i < n; ++i) e.direction[i] /= e.friction_size;
  }
  e.slip_size = e.stretch.tau > 0.0 ? norm(e.slip.data(), n) : e.friction_size;
  if (e.slip_size > 0.0) {
    for (int i = 0; i < n; ++i) e.slip[i] /= e.slip_size;
  }
}

void GeneralizedAlphaStep::classify_friction_acceleration(StepElement& e) {
  const int first = e.first_friction();
  const int n = e.n_friction();
  e.stick_acceleration = false;
  if (e.stick) {
    const double r = r_friction(e);
    for (int i = 0; i < n; ++i)
      e.direction_acceleration[i] = r * e.gamma_dot[first + i] - x.lambda(e.offset + first + i);
  } else if (e.e_tangent == 0.0) {
    e.direction_acceleration = e.slip;
    e.friction_size_acceleration = e.slip_size;
    return;
  } else {
    for (int i = 0; i < n; ++i) e.direction_acceleration[i] = e.xi[first + i] - e.gamma_start[first + i];
  }
  e.friction_size_acceleration = norm(e.direction_acceleration.data(), n);
  const double radius = friction_radius_acceleration(e, x.lambda(e.offset));
  e.stick_acceleration = e.stick && radius > 0.0 && e.friction_size_acceleration <= radius;
  if (e.friction_size_acceleration > 0.0) {
    for (int i = 0; i < n; ++i) e.direction_acceleration[i] /= e.friction_size_acceleration;
  }
}

bool GeneralizedAlphaStep::drop_stretches() {
  bool dropped = false;
  for (StepElement& e : elements) {
    if (e.kind != StepElement::Kind::contact || e.stretch.tau == 0.0) continue;
    if (!(x.Lambda(e.offset) > h * start_lambda_(e.offset))) continue;
    e.stretch = {};
    dropped = true;
  }
  return dropped;
}

/// Whether the slip direction can turn, and along which it is before the step: S of an element that slides there.
void GeneralizedAlphaStep::set_stretch(StepElement& e, const State& state) {
  const int first = e.first_friction();
  const int n = e.n_friction();
  if (e.kind == StepElement::Kind::joint || n < 2) return;
  const double radius = friction_radius_acceleration(e, start_lambda_(e.offset));  // [N]
  if (!(radius > 0.0)) return;
  StepElement start = e;
  if (e.has_rows) {
    calc_contact_rows(system, point(e), state.q, state.u, contact_rows_);
    calc_contact_rates(start);
  } else {
    if (e.kind == StepElement::Kind::contact) system.calc_contact(point(e), state.t, state.q, start.geometry);
    calc_directions(start, state.t, state.q);
    calc_velocity(start, state.t, state.q, state.u, start.xi.data());
  }
  double mean = 0.0;  // [1/kg]
  for (int i = 0; i < n; ++i) mean += start.diagonal[first + i] / n;
  const double loss = mean * h * radius;  // [m/s]
  const double speed = norm(start.xi.data() + first, n);
  if (!(speed > std::numeric_limits<double>::epsilon() * loss)) return;  // at rest S is 1 within round-off
  e.stretch.dim = n;
  e.stretch.tau = calc_stretch(loss / speed) * (1.0 - e.e_tangent) / (1.0 + e.e_tangent);
  for (int i = 0; i < n; ++i) e.stretch.along[i] = start.xi[first + i] / speed;
}

}  // namespace stickslip
