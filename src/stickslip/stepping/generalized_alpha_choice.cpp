// SPDX-License-Identifier: BSD-3-Clause
// Where the laws leave a choice, in GeneralizedAlphaStep's terms.
#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/stepping/generalized_alpha_step.h"
#include "stickslip/stepping/rank_revealing_solve.h"

namespace stickslip {

/// A sliding contact whose normal force changes its own normal acceleration by A <= 0 would be held by a force where it
/// opens without one: both 0 and -b / A solve the laws [Capobianco2021, section 10.4]; ours is 0.
void GeneralizedAlphaStep::open_by_choice(StepElement& e) {
  if (e.stick) return;
  double A = e.diagonal[0];
  for (int i = 0; i < e.n_friction(); ++i) A -= e.mu * e.coupling[i] * e.slip[i];
  if (A > 0.0) return;
  A = calc_normal_response(e);
  if (A > 0.0) return;
  if (e.gamma_dot[0] - A * x.lambda(e.offset) <= 0.0) return;
  e.choice = true;
  close_until(e, ContactLevel::velocity);
}

int GeneralizedAlphaStep::count_choices() const {
  return static_cast<int>(
      std::count_if(elements.begin(), elements.end(), [](const StepElement& e) { return e.choice || e.chosen; }));
}

/// gamma (dim) before the step.
void GeneralizedAlphaStep::calc_start_velocity(StepElement& e, const State& state, double* gamma) {
  if (e.has_rows) {
    calc_contact_rows(system, point(e), state.q, state.u, contact_rows_);
    std::copy_n(contact_rows_.gamma.begin(), e.dim, gamma);
  } else {
    const ContactGeometry now = e.geometry;
    system.calc_contact(point(e), state.t, state.q, e.geometry);
    calc_velocity(e, state.t, state.q, state.u, gamma);
    e.geometry = now;
  }
}

bool GeneralizedAlphaStep::could_choose(const StepElement& e, const State& state, double near) {
  if (e.kind != StepElement::Kind::contact || !e.evaluated || e.n_friction() == 0) return false;
  double coupling2 = 0.0;
  for (int i = 0; i < e.n_friction(); ++i) coupling2 += e.coupling[i] * e.coupling[i];
  if (e.diagonal[0] - e.mu * std::sqrt(coupling2) > near * e.diagonal[0]) return false;
  std::array<double, kMaxElementDim> gamma;
  StepElement before = e;
  calc_start_velocity(before, state, gamma.data());
  double speed = 0.0;
  double along = 0.0;
  for (int i = 0; i < e.n_friction(); ++i) {
    speed += gamma[1 + i] * gamma[1 + i];
    along += gamma[1 + i] * e.coupling[i];
  }
  speed = std::sqrt(speed);
  return e.diagonal[0] * speed - e.mu * along <= near * e.diagonal[0] * speed && h * speed > options_.tolerance * way;
}

void GeneralizedAlphaStep::mark_opened(const State& state) {
  for (StepElement& e : elements) {
    if (e.kind != StepElement::Kind::contact || e.level >= ContactLevel::velocity) continue;
    if (start_lambda_(e.offset) > 0.0 && could_choose(e, state, 0.0)) e.chosen = true;
  }
}

/// A of a sliding contact while joints and the other closed contacts hold: with G between all rows that are held and
/// the contact's own, each with the friction that follows it, the Schur complement G_kk - G_kr G_rr^+ G_rk. [1/kg]
double GeneralizedAlphaStep::calc_normal_response(const StepElement& e) const {
  constexpr double kRankThreshold = 1e-11;  // [-] below, rows are the same within round-off
  struct Row {
    const StepElement* element;
    int row;
  };
  std::vector<Row> held;
  for (const StepElement& f : elements) {
    if (&f == &e || f.level < ContactLevel::acceleration) continue;
    const bool sticks = f.kind == StepElement::Kind::joint || f.stick_acceleration;
    const int n = sticks ? f.dim : f.first_friction();
    for (int i = 0; i < n; ++i) held.push_back({&f, i});
  }
  // What a multiplier does to a row: along its own direction and, where it is the normal force of a sliding contact,
  // by friction.
  const auto response = [&](const Row& on, const Row& of) {
    const StepElement& f = *of.element;
    double sum = calc_coupling(*on.element, on.row, f, of.row);
    if (f.kind != StepElement::Kind::contact || of.row > 0 || f.stick_acceleration) return sum;
    for (int i = 0; i < f.n_friction(); ++i) {
      sum -= f.mu * f.slip[i] * calc_coupling(*on.element, on.row, f, 1 + i);
    }
    return sum;
  };
  const Row own{&e, 0};
  const auto n = static_cast<int>(held.size());
  std::vector<double> matrix(held.size() * held.size());
  std::vector<double> given_way(held.size());
  for (int i = 0; i < n; ++i) {
    stop.check();
    for (int j = 0; j < n; ++j) matrix[static_cast<std::size_t>(i) * held.size() + j] = response(held[i], held[j]);
    given_way[i] = response(held[i], own);
  }
  double A = response(own, own);
  if (n == 0) return A;
  solve_least_norm(n, matrix.data(), given_way.data(), given_way.data(), kRankThreshold);
  for (int i = 0; i < n; ++i) A -= response(own, held[i]) * given_way[i];
  return A;
}

/// W_e^T M^-1 W_f of one row of each. [1/kg]
double GeneralizedAlphaStep::calc_coupling(const StepElement& e, int row_e, const StepElement& f, int row_f) const {
  double sum = 0.0;
  for (int k = 0; k < e.n_touches; ++k) {
    for (int m = 0; m < f.n_touches; ++m) {
      if (e.touches[k].block != f.touches[m].block) continue;
      const int n = blocks[e.touches[k].block].n_u;
      const double* w = W.data() + e.touches[k].values + static_cast<std::size_t>(row_e) * n;
      const double* y = MinvW.data() + f.touches[m].values + static_cast<std::size_t>(row_f) * n;
      for (int c = 0; c < n; ++c) sum += w[c] * y[c];
    }
  }
  return sum;
}

}  // namespace stickslip
