// SPDX-License-Identifier: BSD-3-Clause
// The instant a run starts from, in GeneralizedAlphaStep's terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

/// Numbers in scenes are often written with ten digits. A contact is closed at the start where its gap is at most
/// this part of the lengths that it is the difference of, and its separation speed of the speeds there; it sticks where
/// it slides by less.
constexpr double kWritten = 1e-9;  // [-]

}  // namespace

/// The larger of the coordinates and the radii of gyration of the two bodies [m], and of their speeds and those that
/// forces give them over that length [m/s].
void GeneralizedAlphaStep::calc_start_sizes(const StepElement& e, double& length, double& speed) const {
  length = 0.0;
  speed = 0.0;
  double acceleration = 0.0;
  for (const StepElement::SideRange& side : e.sides) {
    const Body& body = system.bodies()[side.body];
    if (body.n_u == 0) {
      length = std::max(length, system.calc_pose(side.body, t_end, q).p_WB.cwiseAbs().maxCoeff());
      continue;
    }
    length = std::max(length, q.segment(body.q_offset, n_lengths(body)).cwiseAbs().maxCoeff());
    length = std::max(length, std::sqrt(body.inertia.cwiseAbs().maxCoeff() / body.mass));
    const auto of_body = u.segment(body.u_offset, body.n_u);
    const auto f = force.segment(body.u_offset, body.n_u);
    speed = std::max(speed, std::sqrt(of_body.dot(system.mass(side.body) * of_body) / body.mass));
    acceleration = std::max(acceleration, std::sqrt(f.dot(system.inverse_mass(side.body) * f) / body.mass));
  }
  speed = std::max(speed, std::sqrt(acceleration * length));
}

void GeneralizedAlphaStep::set_instant(const State& state) {
  if (system.detection()) {
    snapshot_.take(state.t, state.q, nullptr);
    contacts.find_touching(snapshot_);
    make_detected_elements();
  }
  inputs = state.inputs;
  t_end = state.t;
  q = state.q;
  u = state.u;
  x.a.setZero();
  x.lambda.setZero();
  P.setZero();
  system.calc_applied_forces(t_end, q, u, force);
  system.add_input_forces(inputs, t_end, q, force);
  system.add_gyroscopic_forces(u, force);
  double length = 0.0;
  double fast = 0.0;
  for (StepElement& e : elements) {
    stop.check();
    e.gamma_start.fill(0.0);
    e.evaluated = false;
    if (e.kind == StepElement::Kind::contact) {
      e.level = ContactLevel::open;
      calc_gap(e);
      calc_start_sizes(e, length, fast);
      if (e.gap[0] > kWritten * length) continue;
    }
    calc_rates(e);
    if (e.kind == StepElement::Kind::joint) continue;
    if (e.kind == StepElement::Kind::dry_friction) calc_start_sizes(e, length, fast);
    if (e.kind == StepElement::Kind::contact) {
      if (e.xi[0] > kWritten * fast) continue;
      e.level = ContactLevel::velocity;
    }
    double speed2 = 0.0;
    for (int i = 0; i < e.n_friction(); ++i) speed2 += e.xi[e.first_friction() + i] * e.xi[e.first_friction() + i];
    // Angular rates of joints as lengths.
    const double lever = e.n_angle_rows > 0 ? e.lever(0) : 1.0;
    e.stick = !(lever * std::sqrt(speed2) > kWritten * fast);
    for (int i = 0; i < e.n_friction() && !e.stick; ++i)
      e.direction[i] = e.xi[e.first_friction() + i] / std::sqrt(speed2);
  }
}

bool GeneralizedAlphaStep::hold_what_stops(const State& state, double step) {
  set_instant(state);
  load_memory(state);
  x.a = state.memory.head(system.n_u());
  bool any = false;
  for (StepElement& e : elements) {
    if (e.kind != StepElement::Kind::contact || e.level < ContactLevel::velocity || e.stick) continue;
    calc_accelerations(e);
    double speed = 0.0;
    double slowed = 0.0;
    for (int i = 0; i < e.n_friction(); ++i) {
      speed += e.direction[i] * e.xi[1 + i];
      slowed -= e.direction[i] * e.gamma_dot[1 + i] * step;
    }
    e.stick = slowed > speed;
    any |= e.stick;
  }
  x.a.setZero();
  return any;
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

bool GeneralizedAlphaStep::instant_holds() {
  // Of what forces and centripetal terms alone make; far above the solver's tolerance.
  constexpr double kHolds = 1e-4;                                              // [-]
  constexpr double kRoundOff = 16.0 * std::numeric_limits<double>::epsilon();  // [-] of forces that nearly cancel
  evaluate_instant();
  double free2 = 0.0;
  double off2 = 0.0;
  system.solve_mass(force, work_);
  system.solve_mass(r1, work2_);
  for (const Body& body : system.bodies()) {
    if (body.n_u == 0) continue;
    const auto of_body = [&](const Vector& y, const Vector& solved) {
      return y.segment(body.u_offset, body.n_u).dot(solved.segment(body.u_offset, body.n_u)) / body.mass;
    };
    free2 = std::max(free2, of_body(force, work_));
    off2 = std::max(off2, of_body(r1, work2_));
  }
  double largest = 0.0;  // [m/s^2] of what contacts and joints make
  double bias = 0.0;     // [m/s^2]
  for (const StepElement& e : elements) {
    if (e.level < ContactLevel::velocity) continue;
    for (int i = 0; i < e.dim; ++i) {
      largest = std::max(largest, e.lever(i) * e.diagonal[i] * std::abs(x.lambda(e.offset + i)));
      bias = std::max(bias, e.lever(i) * std::abs(e.zeta[i]));
    }
  }
  const double allowed = kHolds * (std::sqrt(free2) + bias);
  if (!(std::sqrt(off2) <= allowed + kRoundOff * largest)) return false;
  for (const StepElement& e : elements) {
    if (e.kind != StepElement::Kind::contact || e.level < ContactLevel::velocity) continue;
    const double response = e.diagonal[0] * x.lambda(e.offset);
    const double off = std::abs(response - std::max(0.0, response - e.gamma_dot[0]));
    if (!(off <= std::max(1.0, std::sqrt(e.diagonal[0] * e.mass)) * allowed + kRoundOff * response)) return false;
  }
  return true;
}

bool GeneralizedAlphaStep::instant_jumps() const {
  for (const StepElement& e : elements) {
    if (e.kind != StepElement::Kind::joint) continue;
    double length = 0.0;
    double fast = 0.0;
    calc_start_sizes(e, length, fast);
    for (int i = 0; i < e.dim; ++i) {
      if (e.lever(i) * std::abs(e.xi[i]) > kWritten * fast) return true;
    }
  }
  return false;
}

void GeneralizedAlphaStep::classify_percussion(StepElement& e, const double* xi, const double* percussion) {
  if (e.kind == StepElement::Kind::joint) return;
  if (e.kind == StepElement::Kind::contact) {
    const double off = calc_tie(e, e.level >= ContactLevel::velocity);
    const bool closed = r_normal(e) * (xi[0] - off) - percussion[0] <= 0.0;
    e.level = closed ? ContactLevel::velocity : ContactLevel::position;
    if (!closed) return;
  }
  std::copy_n(xi, e.dim, e.xi.begin());
  std::copy_n(percussion, e.dim, P.data() + e.offset);
  classify_friction(e);
}

}  // namespace stickslip
