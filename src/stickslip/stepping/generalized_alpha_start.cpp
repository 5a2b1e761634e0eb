// SPDX-License-Identifier: BSD-3-Clause
// The instant a run starts from, in GeneralizedAlphaStep's terms.
#include <algorithm>
#include <cmath>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

/// A contact is closed at the start where its gap and its separation speed are at most round-off of scenes' numbers.
constexpr double kClosedGap = 1e-10;   // [m]
constexpr double kClosedSpeed = 1e-9;  // [m/s] also: sticks where it slides more slowly

}  // namespace

void GeneralizedAlphaStep::set_instant(const State& state) {
  if (system.detection()) {
    contacts.find_touching(state.t, state.q);
    make_detected_elements();
  }
  t_end = state.t;
  q = state.q;
  u = state.u;
  x.a.setZero();
  x.lambda.setZero();
  P.setZero();
  for (StepElement& e : elements) {
    e.gamma_start.fill(0.0);
    e.evaluated = false;
    if (e.kind == StepElement::Kind::contact) {
      e.level = ContactLevel::open;
      calc_gap(e);
      if (e.gap[0] > kClosedGap) continue;
    }
    calc_rates(e);
    if (e.kind == StepElement::Kind::joint) continue;
    if (e.kind == StepElement::Kind::contact) {
      if (e.xi[0] > kClosedSpeed) continue;
      e.level = ContactLevel::velocity;
    }
    double speed2 = 0.0;
    for (int i = 0; i < e.n_friction(); ++i) speed2 += e.xi[e.first_friction() + i] * e.xi[e.first_friction() + i];
    e.stick = !(speed2 > kClosedSpeed * kClosedSpeed);
    for (int i = 0; i < e.n_friction() && !e.stick; ++i)
      e.direction[i] = e.xi[e.first_friction() + i] / std::sqrt(speed2);
  }
  system.calc_applied_forces(t_end, q, u, force);
  system.add_gyroscopic_forces(u, force);
}

void GeneralizedAlphaStep::evaluate_instant() {
  system.multiply_mass(x.a, r1);
  r1 -= force;
  std::array<double, kMaxElementDim> p;
  for (StepElement& e : elements) {
    if (e.level < ContactLevel::velocity) continue;
    for (int i = 0; i < e.dim; ++i) p[i] = -x.lambda(e.offset + i);
    add_force(e, p.data(), r1);
    calc_accelerations(e);
  }
}

void GeneralizedAlphaStep::classify_percussion(StepElement& e, const double* xi, const double* percussion) {
  if (e.kind == StepElement::Kind::joint) return;
  if (e.kind == StepElement::Kind::contact) {
    const bool closed = r_normal(e) * xi[0] - percussion[0] <= 0.0;
    e.level = closed ? ContactLevel::velocity : ContactLevel::position;
    if (!closed) return;
  }
  std::copy_n(xi, e.dim, e.xi.begin());
  std::copy_n(percussion, e.dim, P.data() + e.offset);
  classify_friction(e);
}

}  // namespace stickslip
