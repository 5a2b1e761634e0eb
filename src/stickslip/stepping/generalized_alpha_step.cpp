// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/math/rotation.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// r = kProxFactor / G: of the interval (0, 2) in which the prox iteration of one contact contracts, the part in which
/// a slip velocity that changes sign is not overshot.
constexpr double kProxFactor = 0.6;  // [-]

}  // namespace

// --- the start of a step

bool GeneralizedAlphaStep::meets_others() {
  if (!contacts.detects()) return false;
  snapshot_.take(t_end, q, nullptr);
  return contacts.extend(snapshot_);
}

void GeneralizedAlphaStep::begin(const State& state, double step, double end, bool again) {
  STICKSLIP_ASSERT(state.memory.size() == memory_size());
  inputs = state.inputs;
  h = step;
  t_end = end;
  tie = 0.0;
  if (system.detection()) {
    if (again) {
      keep_.assign(contacts.ids().begin(), contacts.ids().end());
    } else {
      keep_.assign(state.contacts.ids().begin(), state.contacts.ids().end());
    }
    snapshot_.take(state.t, state.q, &state.u);
    contacts.find(snapshot_, t_end, keep_);
    make_detected_elements();
  }
  load_memory(state);
  const int n_u = system.n_u();
  const auto a = state.memory.head(n_u);
  const auto a_bar = state.memory.segment(n_u, n_u);
  const Vector& lambda = start_lambda_;
  const Vector& lambda_bar = start_bar_;
  const double gamma = weights.gamma;
  const double beta = weights.beta;

  // u' = u_known + dt gamma' a' + U                                    (73)
  work_ = (weights.alpha_f * a - weights.alpha_m * a_bar) / (1.0 - weights.alpha_m);
  u_known_ = state.u + h * ((1.0 - gamma) * a_bar + gamma * work_);
  // q' = q_known + B (dt^2 beta' a' + Q)                               (125)
  q_start_ = state.q;
  q_known_ = state.q;
  work_ = h * state.u + (h * h) * ((0.5 - beta) * a_bar + beta * work_);
  add_coordinate_map(work_, q_known_);
  for (const Body& body : system.bodies()) {
    if (!has_quaternion(body.type)) continue;
    // (d q_dot / dq) q_dot: the quaternion rate of the quaternion rate.
    const Vector3 omega = state.u.segment<3>(body.u_offset + 3);
    const Vector4 e = state.q.segment<4>(body.q_offset + 3);
    const Vector4 e_rate = quaternion_rate<double>(e, omega);
    q_known_.segment<4>(body.q_offset + 3) += 0.5 * h * h * quaternion_rate<double>(e_rate, omega);
  }
  // P = known_P + dt gamma' lambda' + Lambda, kappa_hat likewise       (95), (102), (113)
  for (const StepElement& e : elements) {
    for (int i = 0; i < e.dim; ++i) {
      const int k = e.offset + i;
      const double bar = weights.known_bar(lambda(k), lambda_bar(k));
      known_P_(k) = h * ((1.0 - gamma) * lambda_bar(k) + gamma * bar);
      if (i < e.n_pos) known_kappa_(e.pos_offset + i) = h * h * ((0.5 - beta) * lambda_bar(k) + beta * bar);
    }
  }
  for (StepElement& e : elements) {
    stop.check();
    e.held = Held::no;
    e.chosen = false;
    e.gamma_start.fill(0.0);
    e.stretch = {};
    if (options_.friction == GeneralizedAlphaFriction::second_order) set_stretch(e, state);
    if (e.e_normal == 0.0 && e.e_tangent == 0.0) continue;
    calc_start_velocity(e, state, e.gamma_start.data());
    e.gamma_start[0] *= e.e_normal;
    for (int i = 1; i < e.dim; ++i) e.gamma_start[i] *= e.e_tangent;
  }
  calc_start_scales(state, a);
  set_start_values(state, true);
}

void GeneralizedAlphaStep::set_start_values(const State& state, bool extrapolate) {
  forget_round_off();
  const int n_u = system.n_u();
  x.a = state.memory.head(n_u);
  x.lambda = start_lambda_;
  if (extrapolate) {
    x.a += x.a - remembered_accelerations(state);
    x.lambda += start_lambda_ - start_last_;
  }
  // By a parabola also the second differences, where there are three values of one motion. Of detected contacts, which
  // come and go, two are remembered, and among many contacts sets seldom stand for three steps.
  constexpr int kFewContacts = 16;  // [-]
  if (extrapolate && remembered_history(state) >= 2.0 && !system.detection() && contacts.n_named() <= kFewContacts) {
    const int n = n_fixed_rows_;
    const double* now = state.memory.data();
    const double* last = now + 2 * (n_u + n);
    const double* earlier = last + n_u + n;
    for (int i = 0; i < n_u; ++i) x.a(i) += now[i] - 2.0 * last[i] + earlier[i];
    now += 2 * n_u;
    last += n_u;
    earlier += n_u;
    for (int i = 0; i < n; ++i) x.lambda(i) += now[i] - 2.0 * last[i] + earlier[i];
  }
  x.U.setZero();
  x.Q.setZero();
  x.kappa.setZero();
  x.Lambda.setZero();
}

void GeneralizedAlphaStep::add_coordinate_map(const Vector& y, Vector& result) const {
  for (const Body& body : system.bodies()) {
    const double* in = y.data() + body.u_offset;
    double* out = result.data() + body.q_offset;
    for (int i = 0; i < n_straight(body); ++i) out[i] += in[i];
    if (!has_quaternion(body.type)) continue;
    const Vector4 rate = quaternion_rate<double>(q_start_.segment<4>(body.q_offset + 3), Vector3(in[3], in[4], in[5]));
    for (int i = 0; i < 4; ++i) out[3 + i] += rate(i);
  }
}

// --- the equations at an iterate

double GeneralizedAlphaStep::r_normal(const StepElement& e) const {
  return r_scale * (options_.r ? *options_.r : kProxFactor / e.diagonal[0]);
}

double GeneralizedAlphaStep::r_friction(const StepElement& e) const {
  if (options_.r) return r_scale * *options_.r;
  return e.norm_friction > 0.0 ? r_scale * kProxFactor / (e.norm_friction * (1.0 + e.stretch.tau)) : 1.0;
}

double GeneralizedAlphaStep::friction_radius(const StepElement& e, double normal_percussion) const {
  return e.kind == StepElement::Kind::contact ? e.mu * normal_percussion : e.bound * h;
}

double GeneralizedAlphaStep::friction_radius_acceleration(const StepElement& e, double normal_force) const {
  return e.kind == StepElement::Kind::contact ? e.mu * normal_force : e.bound;
}

void GeneralizedAlphaStep::calc_coordinates() {
  u = u_known_ + gamma_step() * x.a + x.U;
  v = beta_step() * x.a + x.Q;
  q = q_known_;
  add_coordinate_map(v, q);
  system.calc_applied_forces(t_end, q, u, force);
  system.add_input_forces(inputs, t_end, q, force);
  system.add_gyroscopic_forces(u, force);
}

void GeneralizedAlphaStep::calc_multipliers(const StepElement& e) {
  for (int i = 0; i < e.dim; ++i) {
    const int k = e.offset + i;
    P(k) = known_P_(k) + gamma_step() * x.lambda(k) + x.Lambda(k);
    if (i < e.n_pos) {
      kappa_hat(e.pos_offset + i) =
          known_kappa_(e.pos_offset + i) + beta_step() * x.lambda(k) + x.kappa(e.pos_offset + i);
    }
  }
}

/// Zeroes the multipliers on the levels above `level` and keeps the others.
void GeneralizedAlphaStep::close_until(StepElement& e, ContactLevel level) {
  e.level = level;
  if (level == ContactLevel::acceleration) return;
  for (int i = 0; i < e.dim; ++i) x.lambda(e.offset + i) = 0.0;
  if (level < ContactLevel::velocity) {
    for (int i = 0; i < e.dim; ++i) P(e.offset + i) = 0.0;
  }
  if (level < ContactLevel::position) kappa_hat(e.pos_offset) = 0.0;
  for (int i = 0; i < e.dim; ++i) x.Lambda(e.offset + i) = P(e.offset + i) - known_P_(e.offset + i);
  x.kappa(e.pos_offset) = kappa_hat(e.pos_offset) - known_kappa_(e.pos_offset);
}

/// The index sets of a contact (130), (133), (136), (139), (141).
void GeneralizedAlphaStep::classify_contact(StepElement& e) {
  const bool was_closed = e.level >= ContactLevel::velocity;
  const bool was_stick = e.stick;
  e.evaluated = false;
  e.stick = false;
  e.stick_acceleration = false;
  e.choice = false;
  calc_gap(e);
  const double kappa = kappa_hat(e.pos_offset);
  bool remembers = kappa != 0.0;
  for (int i = 0; i < e.dim; ++i) {
    remembers |= known_P_(e.offset + i) != 0.0 || x.Lambda(e.offset + i) != 0.0 || x.lambda(e.offset + i) != 0.0;
  }
  if (e.gap[0] > 0.0 && !remembers) {
    e.level = ContactLevel::open;
    return;
  }
  calc_rates(e);
  if (r_normal(e) * e.gap[0] - kappa > 0.0) return close_until(e, ContactLevel::open);
  calc_accelerations(e);
  if ((holds && e.held == Held::open) || r_normal(e) * (e.xi[0] - calc_tie(e, was_closed)) - P(e.offset) > 0.0) {
    return close_until(e, ContactLevel::position);
  }
  e.stick = was_stick;
  classify_friction(e);
  if (r_normal(e) * e.gamma_dot[0] - x.lambda(e.offset) > 0.0) return close_until(e, ContactLevel::velocity);
  e.level = ContactLevel::acceleration;
  classify_friction_acceleration(e);
}

/// How far, as a velocity, an answer of the velocity level may be on the wrong side and stay, or on its own side and
/// not be taken, where ties are kept: by as much the laws hold anyway. [m/s]
double GeneralizedAlphaStep::calc_tie(const StepElement& e, bool was) const {
  if (tie == 0.0) return 0.0;
  return (was ? tie : -tie) * tolerance_velocity(e) / h;
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

/// A joint or a dry friction element.
void GeneralizedAlphaStep::evaluate_constraint(StepElement& e) {
  calc_rates(e);
  calc_accelerations(e);
  if (e.kind == StepElement::Kind::dry_friction) {
    classify_friction(e);
    classify_friction_acceleration(e);
  }
}

double GeneralizedAlphaStep::evaluate() {
  calc_coordinates();
  for (StepElement& e : elements) {
    stop.check();
    calc_multipliers(e);
    if (e.kind == StepElement::Kind::contact) {
      classify_contact(e);
    } else {
      evaluate_constraint(e);
    }
  }
  for (StepElement& e : elements) {
    if (e.kind == StepElement::Kind::contact && e.level >= ContactLevel::velocity) open_by_choice(e);
  }
  calc_residuals();
  calc_scales();
  if (std::isinf(longest_way_)) limit_scales();
  measure();
  return error_;
}

void GeneralizedAlphaStep::measure() {
  measure_balances();
  merit_ = error_ * error_;
  for (const StepElement& e : elements) {
    stop.check();
    const double error = measure_element(e);
    error_ = std::max(error_, error);
    merit_ += error * error;
  }
  merit_ = std::sqrt(merit_);
  if (!is_finite()) error_ = std::numeric_limits<double>::infinity();
}

void GeneralizedAlphaStep::set_fastest() {
  constexpr double kMuchFaster = 10.0;  // [-] a blow turns a slender body some times as fast
  fastest = measure_motion(u);
  for (const StepElement& e : elements) {
    for (int i = 0; i < e.dim && e.evaluated; ++i) fastest = std::max(fastest, e.lever(i) * std::abs(e.xi[i]));
  }
  fastest *= kMuchFaster;
}

void GeneralizedAlphaStep::balance() {
  constexpr int kMaxRounds = 4;  // [-] index sets may change again
  for (int i = 0; i < kMaxRounds; ++i) {
    system.solve_mass(r2, work_);
    x.U -= work_;
    system.solve_mass(r3, work_);
    x.Q -= work_;
    system.solve_mass(r1, work_);
    const double before = r1.dot(work_);
    start_a_ = x.a;
    x.a -= work_;
    evaluate();
    system.solve_mass(r1, work_);
    if (is_finite() && r1.dot(work_) <= before) continue;
    x.a = start_a_;  // stiff forces answer by more than they were off
    evaluate();
  }
}

double GeneralizedAlphaStep::evaluate_held() {
  calc_coordinates();
  for (StepElement& e : elements) {
    stop.check();
    calc_multipliers(e);
    if (e.kind == StepElement::Kind::contact) {
      e.level = ContactLevel::open;
      calc_gap(e);
      calc_rates(e);
      calc_accelerations(e);
    } else {
      evaluate_constraint(e);
    }
  }
  calc_residuals();
  calc_scales();
  measure_balances();
  for (const StepElement& e : elements) {
    if (e.kind != StepElement::Kind::contact) error_ = std::max(error_, measure_element(e));
  }
  if (!is_finite()) error_ = std::numeric_limits<double>::infinity();
  return error_;
}

bool GeneralizedAlphaStep::is_finite() const {
  return q.allFinite() && u.allFinite() && r1.allFinite() && r2.allFinite() && r3.allFinite();
}

/// (127): R1 = M a - h - W lambda, R2 = M U - W Lambda, R3 = M Q - W_pos kappa - dt/2 W_vel Lambda.
void GeneralizedAlphaStep::calc_residuals() {
  system.multiply_mass(x.a, r1);
  r1 -= force;
  system.multiply_mass(x.U, r2);
  system.multiply_mass(x.Q, r3);
  std::array<double, kMaxElementDim> p;
  for (const StepElement& e : elements) {
    stop.check();
    if (e.kind == StepElement::Kind::contact && !e.evaluated) continue;
    for (int i = 0; i < e.dim; ++i) p[i] = -x.lambda(e.offset + i);
    add_force(e, p.data(), r1);
    for (int i = 0; i < e.dim; ++i) p[i] = -x.Lambda(e.offset + i);
    add_force(e, p.data(), r2);
    for (int i = 0; i < e.dim; ++i) p[i] = i < e.n_pos ? -x.kappa(e.pos_offset + i) : -0.5 * h * x.Lambda(e.offset + i);
    add_force(e, p.data(), r3);
  }
}

std::uint64_t GeneralizedAlphaStep::signature() const {
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
  for (const StepElement& e : elements) hash = (hash ^ e.signature()) * 1099511628211ull;
  return hash;
}

}  // namespace stickslip
