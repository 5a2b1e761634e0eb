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

double norm(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

// --- the start of a step

void GeneralizedAlphaStep::begin(const State& state, double step, double end, bool again) {
  STICKSLIP_ASSERT(state.memory.size() == memory_size());
  h = step;
  t_end = end;
  slack = 0.0;
  if (system.detection()) {
    if (again) {
      keep_.assign(contacts.ids().begin(), contacts.ids().end());
    } else {
      keep_.clear();
      for (const ContactMemory& contact : state.contacts) keep_.push_back(contact.id);
    }
    contacts.find(state.t, state.q, state.u, t_end, keep_);
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
    if (body.type != BodyType::rigid) continue;
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
    e.gamma_start.fill(0.0);
    if (e.e_normal == 0.0 && e.e_tangent == 0.0) continue;
    if (e.has_rows) {
      calc_contact_rows(system, point(e), state.q, state.u, contact_rows_);
      std::copy_n(contact_rows_.gamma.begin(), e.dim, e.gamma_start.begin());
    } else {
      system.calc_contact(point(e), state.t, state.q, e.geometry);
      calc_velocity(e, state.t, state.q, state.u, e.gamma_start.data());
    }
    e.gamma_start[0] *= e.e_normal;
    for (int i = 1; i < e.dim; ++i) e.gamma_start[i] *= e.e_tangent;
  }
  start_speed_ = 0.0;
  start_acceleration_ = 0.0;
  for (const Body& body : system.bodies()) {
    if (body.n_u == 0) continue;
    const double* mass = system.mass(static_cast<int>(&body - system.bodies().data())).data();
    const auto size = [&](const double* y) {
      double sum = 0.0;
      for (int i = 0; i < body.n_u; ++i) {
        for (int j = 0; j < body.n_u; ++j) sum += y[i] * mass[i * body.n_u + j] * y[j];
      }
      return std::sqrt(sum / body.mass);
    };
    start_speed_ = std::max(start_speed_, size(state.u.data() + body.u_offset));
    start_acceleration_ = std::max(start_acceleration_, size(a.data() + body.u_offset));
  }
  coordinate_size_ = state.q.size() == 0 ? 0.0 : state.q.cwiseAbs().maxCoeff();
  set_start_values(state, true);
}

void GeneralizedAlphaStep::set_start_values(const State& state, bool extrapolate) {
  const int n_u = system.n_u();
  x.a = state.memory.head(n_u);
  x.lambda = start_lambda_;
  if (extrapolate) {
    x.a += x.a - state.memory.segment(2 * (n_u + n_fixed_rows_), n_u);
    x.lambda += start_lambda_ - start_last_;
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
    const int n_straight = body.type == BodyType::rigid ? 3 : body.n_q;
    for (int i = 0; i < n_straight; ++i) out[i] += in[i];
    if (body.type != BodyType::rigid) continue;
    const Vector4 rate = quaternion_rate<double>(q_start_.segment<4>(body.q_offset + 3), Vector3(in[3], in[4], in[5]));
    for (int i = 0; i < 4; ++i) out[3 + i] += rate(i);
  }
}

// --- the equations at an iterate

double GeneralizedAlphaStep::r_normal(const StepElement& e) const {
  return e.r_scale * (options_.r ? *options_.r : kProxFactor / e.diagonal[0]);
}

double GeneralizedAlphaStep::r_friction(const StepElement& e) const {
  if (options_.r) return e.r_scale * *options_.r;
  return e.norm_friction > 0.0 ? e.r_scale * kProxFactor / e.norm_friction : e.r_scale;
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
  e.evaluated = false;
  e.stick = false;
  e.stick_acceleration = false;
  e.choice = false;
  e.apart = false;
  calc_gap(e);
  const double kappa = kappa_hat(e.pos_offset);
  bool remembers = kappa != 0.0;
  for (int i = 0; i < e.dim; ++i) {
    remembers |= known_P_(e.offset + i) != 0.0 || x.Lambda(e.offset + i) != 0.0 || x.lambda(e.offset + i) != 0.0;
  }
  if (e.gap[0] > slack && !remembers) {
    e.level = ContactLevel::open;
    return;
  }
  calc_rates(e);
  if (r_normal(e) * e.gap[0] - kappa > 0.0) {
    e.apart = e.gap[0] > 0.0 && e.gap[0] <= slack;
    if (!e.apart) return close_until(e, ContactLevel::open);
    kappa_hat(e.pos_offset) = 0.0;
    x.kappa(e.pos_offset) = -known_kappa_(e.pos_offset) - beta_step() * x.lambda(e.offset);
  }
  calc_accelerations(e);
  if (r_normal(e) * e.xi[0] - P(e.offset) > 0.0) return close_until(e, ContactLevel::position);
  classify_friction(e);
  if (r_normal(e) * e.gamma_dot[0] - x.lambda(e.offset) > 0.0) return close_until(e, ContactLevel::velocity);
  e.level = ContactLevel::acceleration;
  classify_friction_acceleration(e);
}

void GeneralizedAlphaStep::classify_friction(StepElement& e) {
  const int first = e.first_friction();
  const int n = e.n_friction();
  const double r = r_friction(e);
  for (int i = 0; i < n; ++i) e.direction[i] = r * e.xi[first + i] - P(e.offset + first + i);
  e.friction_size = norm(e.direction.data(), n);
  const double radius = friction_radius(e, P(e.offset));
  e.stick = radius > 0.0 && e.friction_size <= radius;
  if (e.friction_size > 0.0) {
    for (int i = 0; i < n; ++i) e.direction[i] /= e.friction_size;
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
    e.direction_acceleration = e.direction;
    e.friction_size_acceleration = e.friction_size;
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
  measure_balances();
  merit_ = error_ * error_;
  for (const StepElement& e : elements) {
    const double error = measure_element(e);
    error_ = std::max(error_, error);
    merit_ += error * error;
  }
  merit_ = std::sqrt(merit_);
  if (!is_finite()) error_ = std::numeric_limits<double>::infinity();
  return error_;
}

double GeneralizedAlphaStep::evaluate_held() {
  calc_coordinates();
  for (StepElement& e : elements) {
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

void GeneralizedAlphaStep::measure_balances() {
  calc_residuals();
  calc_tolerances();
  error_ = h * h * measure_balance(r1, work_) / tolerance_acceleration;
  error_ = std::max(error_, h * measure_balance(r2, work_) / tolerance_position);
  error_ = std::max(error_, measure_balance(r3, work_) / tolerance_position);
}

/// (127): R1 = M a - h - W lambda, R2 = M U - W Lambda, R3 = M Q - W_pos kappa - dt/2 W_vel Lambda.
void GeneralizedAlphaStep::calc_residuals() {
  system.multiply_mass(x.a, r1);
  r1 -= force;
  system.multiply_mass(x.U, r2);
  system.multiply_mass(x.Q, r3);
  std::array<double, kMaxElementDim> p;
  for (const StepElement& e : elements) {
    if (e.kind == StepElement::Kind::contact && !e.evaluated) continue;
    for (int i = 0; i < e.dim; ++i) p[i] = -x.lambda(e.offset + i);
    add_force(e, p.data(), r1);
    for (int i = 0; i < e.dim; ++i) p[i] = -x.Lambda(e.offset + i);
    add_force(e, p.data(), r2);
    for (int i = 0; i < e.dim; ++i) p[i] = i < e.n_pos ? -x.kappa(e.pos_offset + i) : -0.5 * h * x.Lambda(e.offset + i);
    add_force(e, p.data(), r3);
  }
}

void GeneralizedAlphaStep::calc_tolerances() {
  // Gaps are differences of coordinates, each rounded a few times.
  constexpr double kRoundOff = 8.0 * std::numeric_limits<double>::epsilon();  // [-]
  system.solve_mass(force, solved_force_);
  double acceleration = start_acceleration_;
  double speed = start_speed_;
  double stiffest = 0.0;  // [1/s^2]
  const std::vector<Body>& bodies = system.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (body.n_u == 0) continue;
    const double free2 = solved_force_.segment(body.u_offset, body.n_u).dot(force.segment(body.u_offset, body.n_u));
    // Where a wall turns what flies freely, a' is all there is.
    const auto a = x.a.segment(body.u_offset, body.n_u);
    const double turned2 = a.dot(system.mass(static_cast<int>(i)) * a);
    acceleration = std::max(acceleration, std::sqrt(std::max(free2, turned2) / body.mass));
    if (body.beam) stiffest = std::max(stiffest, body.beam->highest_frequency2());
  }
  tolerance_position = options_.tolerance * (h * speed + h * h * acceleration) + kRoundOff * coordinate_size_;
  // Internal forces of beams are known to what round-off of the coordinates makes of them.
  fall = h * h * acceleration;
  tolerance_acceleration = options_.tolerance * fall + h * h * kRoundOff * stiffest * coordinate_size_;
  // A system that nothing moves: only exact zeros pass.
  constexpr double kTiny = std::numeric_limits<double>::min();
  tolerance_position = std::max(tolerance_position, kTiny);
  tolerance_acceleration = std::max(tolerance_acceleration, kTiny);
}

/// The largest sqrt(R^T M^-1 R / m) over the bodies: a length per unit of mass. `solved` is scratch.
double GeneralizedAlphaStep::measure_balance(const Vector& residual, Vector& solved) const {
  system.solve_mass(residual, solved);
  double worst = 0.0;
  for (const Body& body : system.bodies()) {
    if (body.n_u == 0) continue;
    double sum = 0.0;
    for (int i = 0; i < body.n_u; ++i) sum += solved(body.u_offset + i) * residual(body.u_offset + i);
    worst = std::max(worst, sum / body.mass);
  }
  return std::sqrt(worst);
}

double GeneralizedAlphaStep::measure_joint(const StepElement& e) const {
  double worst = 0.0;
  for (int i = 0; i < e.dim; ++i) {
    const double lever = e.lever(i);
    const double gap = i < e.n_pos ? std::abs(e.gap[i]) : 0.0;
    worst = std::max({worst, lever * gap / tolerance_position, lever * h * std::abs(e.xi[i]) / tolerance_position,
                      lever * h * h * std::abs(e.gamma_dot[i]) / tolerance_acceleration});
  }
  return worst;
}

double GeneralizedAlphaStep::measure_element(const StepElement& e) const {
  const int first = e.first_friction();
  const int n = e.n_friction();
  const double h2 = h * h;
  if (e.kind == StepElement::Kind::joint) return measure_joint(e);
  double position = 0.0;
  double acceleration = 0.0;
  const double lever = e.lever(0);  // only rows that stand alone are angles
  if (e.kind == StepElement::Kind::contact) {
    if (e.level == ContactLevel::open) return lever * std::max(0.0, -e.gap[0]) / tolerance_position;
    position = e.apart ? 0.0 : std::abs(e.gap[0]);
    if (e.level == ContactLevel::position) return lever * std::max(position, -h * e.xi[0]) / tolerance_position;
    position = std::max(position, h * std::abs(e.xi[0]));
    acceleration =
        e.level == ContactLevel::velocity ? std::max(0.0, -h2 * e.gamma_dot[0]) : h2 * std::abs(e.gamma_dot[0]);
  }
  const double radius = friction_radius(e, P(e.offset));
  const double radius_acceleration = friction_radius_acceleration(e, x.lambda(e.offset));
  for (int i = 0; i < n; ++i) {
    const int k = e.offset + first + i;
    const double G = e.diagonal[first + i];
    position =
        std::max(position, h * (e.stick ? std::abs(e.xi[first + i]) : G * std::abs(P(k) + radius * e.direction[i])));
    if (e.level != ContactLevel::acceleration) continue;
    acceleration = std::max(
        acceleration,
        h2 * (e.stick_acceleration ? std::abs(e.gamma_dot[first + i])
                                   : G * std::abs(x.lambda(k) + radius_acceleration * e.direction_acceleration[i])));
  }
  return lever * std::max(position / tolerance_position, acceleration / tolerance_acceleration);
}

std::uint64_t GeneralizedAlphaStep::signature() const {
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
  for (const StepElement& e : elements) hash = (hash ^ e.signature()) * 1099511628211ull;
  return hash;
}

int GeneralizedAlphaStep::count_apart() const {
  return static_cast<int>(std::count_if(elements.begin(), elements.end(), [](const StepElement& e) {
    return e.apart && e.level >= ContactLevel::velocity;
  }));
}

int GeneralizedAlphaStep::count_choices() const {
  return static_cast<int>(
      std::count_if(elements.begin(), elements.end(), [](const StepElement& e) { return e.choice; }));
}

}  // namespace stickslip
