// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/equations.h"

#include <array>

#include "stickslip/math/rotation.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
void set_known(Step& step, const State& state) {
  const MemoryView memory(step.system, state.memory);
  const auto a = memory.a();
  const auto a_bar = memory.a_bar();
  const double h = step.h;
  const double gamma = step.weights.gamma;
  const double beta = step.weights.beta;

  // u' = u_known + dt gamma' a' + U                                    (73)
  // q' = q_known + B (dt^2 beta' a' + Q)                               (125)
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double bar = step.weights.known_bar(a(i), a_bar(i));
    step.u_known(i) = state.u(i) + h * ((1.0 - gamma) * a_bar(i) + gamma * bar);
    step.v(i) = h * state.u(i) + (h * h) * ((0.5 - beta) * a_bar(i) + beta * bar);
  }
  step.u_start = state.u;
  step.q_start = state.q;
  step.q_known = state.q;
  add_coordinate_map(step, step.v, step.q_known);
  for (const Body& body : step.system.bodies()) {
    if (!has_quaternion(body.type)) continue;
    // (d q_dot / dq) q_dot: the quaternion rate of the quaternion rate.
    const Vector3 omega = state.u.segment<3>(body.u_offset + 3);
    const Vector4 e = state.q.segment<4>(body.q_offset + 3);
    const Vector4 e_rate = quaternion_rate<double>(e, omega);
    step.q_known.segment<4>(body.q_offset + 3) += 0.5 * h * h * quaternion_rate<double>(e_rate, omega);
  }
  // P = known_P + dt gamma' lambda' + Lambda, kappa_hat likewise       (95), (102), (113)
  for (StepElement& e : step.elements) {
    step.stop.check();
    for (int i = 0; i < e.dim; ++i) {
      const int k = e.offset + i;
      const double bar = step.weights.known_bar(step.start_lambda(k), step.start_lambda_bar(k));
      step.known_P(k) = h * ((1.0 - gamma) * step.start_lambda_bar(k) + gamma * bar);
      if (i < e.n_pos) {
        step.known_kappa(e.pos_offset + i) = h * h * ((0.5 - beta) * step.start_lambda_bar(k) + beta * bar);
      }
    }
  }
}

void calc_motion(Step& step) {
  step.u = step.u_known + step.gamma_step() * step.x.a + step.x.U;  // (73)
  step.v = step.beta_step() * step.x.a + step.x.Q;
  step.q = step.q_known;
  add_coordinate_map(step, step.v, step.q);  // (125)
  step.system.calc_applied_forces(step.t_end, step.q, step.u, step.force);
  step.system.add_input_forces(step.inputs, step.t_end, step.q, step.force);
  step.system.add_gyroscopic_forces(step.u, step.force);
  if (step.adhesion.exists()) step.force += step.adhesive;
}

void calc_xi(Step& step, StepElement& e) {
  if (e.has_restitution()) {
    std::array<double, kMaxElementDim> tau;
    step.rows.multiply_transposed(e, step.u_start, e.gamma_start.data());
    step.rows.calc_prescribed_velocity(e, step.t_end, step.q, tau.data());
    for (int i = 0; i < e.dim; ++i) e.gamma_start[i] = e.restitution(i) * (e.gamma_start[i] + tau[i]);
  }
  for (int i = 0; i < e.dim; ++i) e.xi[i] = e.gamma[i] + e.gamma_start[i];
}

void calc_multipliers(Step& step, const StepElement& e) {
  for (int i = 0; i < e.dim; ++i) {
    const int k = e.offset + i;
    step.P(k) = step.known_P(k) + step.gamma_step() * step.x.lambda(k) + step.x.Lambda(k);  // (95), (113)
    if (i >= e.n_pos) continue;
    const int j = e.pos_offset + i;
    step.kappa_hat(j) = step.known_kappa(j) + step.beta_step() * step.x.lambda(k) + step.x.kappa(j);  // (102)
  }
}

void set_percussions(Step& step, const StepElement& e, const double* P, const double* kappa_hat) {
  for (int i = 0; i < e.dim; ++i) {
    const int k = e.offset + i;
    step.x.Lambda(k) = P[i] - step.known_P(k) - step.gamma_step() * step.x.lambda(k);
    if (i >= e.n_pos) continue;
    const int j = e.pos_offset + i;
    step.x.kappa(j) = kappa_hat[i] - step.known_kappa(j) - step.beta_step() * step.x.lambda(k);
  }
}

void calc_residuals(Step& step) {
  step.system.multiply_mass(step.x.a, step.r1);
  step.r1 -= step.force;
  step.system.multiply_mass(step.x.U, step.r2);
  step.system.multiply_mass(step.x.Q, step.r3);
  std::array<double, kMaxElementDim> p;
  const Unknowns& x = step.x;
  for (const StepElement& e : step.elements) {
    step.stop.check();
    if (!e.evaluated) continue;
    for (int i = 0; i < e.dim; ++i) p[i] = -x.lambda(e.offset + i);
    step.rows.add_force(e, p.data(), step.r1);
    for (int i = 0; i < e.dim; ++i) p[i] = -x.Lambda(e.offset + i);
    step.rows.add_force(e, p.data(), step.r2);
    for (int i = 0; i < e.dim; ++i) {
      p[i] = i < e.n_pos ? -x.kappa(e.pos_offset + i) : -0.5 * step.h * x.Lambda(e.offset + i);
    }
    step.rows.add_force(e, p.data(), step.r3);
  }
}

void add_coordinate_map(const Step& step, const Vector& y, Vector& result) {
  for (const Body& body : step.system.bodies()) {
    const double* in = y.data() + body.u_offset;
    double* out = result.data() + body.q_offset;
    for (int i = 0; i < n_straight(body); ++i) out[i] += in[i];
    if (!has_quaternion(body.type)) continue;
    const Vector4 start = step.q_start.segment<4>(body.q_offset + 3);
    const Vector4 rate = quaternion_rate<double>(start, Vector3(in[3], in[4], in[5]));
    for (int i = 0; i < 4; ++i) out[3 + i] += rate(i);
  }
}

}  // namespace stickslip::generalized_alpha
