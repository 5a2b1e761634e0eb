// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/momentum_balance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/round_off.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
namespace {

/// Of the tolerance of velocities: residuals of several levels add up; and of the round-off of a sum: what acts is the
/// sum of such.
constexpr double kSlack = 10.0;  // [-]
/// Of the speed of a body: what averages of forces that have ended may still give it. Where rho_inf > 1/2 they change
/// sign as they fade, and so push off a body that was pressed on.
constexpr double kOfSpeed = 1e-3;  // [-]

}  // namespace

MomentumBalance::MomentumBalance(const System& system)
    : acts_(system.bodies().size()), averages_(system.bodies().size()) {
  for (Vector* y : {&work_, &off_, &off_by_force_}) y->setZero(system.n_u());
}

/// Takes W' P and its impulsive part away, and adds |W_e P_e| to what acts, the same of the smooth part to the
/// averages.
void MomentumBalance::add_elements(const Step& step) {
  std::array<double, kMaxElementDim> p, smooth;
  for (const StepElement& e : step.elements) {
    if (!e.evaluated) continue;
    const double* P = step.P.data() + e.offset;
    for (int i = 0; i < e.dim; ++i) p[i] = -P[i];
    step.rows.add_response(e, p.data(), off_by_force_);
    for (int i = 0; i < e.dim; ++i) {
      const int row = e.offset + i;
      smooth[i] = step.known_P(row) + step.gamma_step() * step.x.lambda(row);
      p[i] = smooth[i] - P[i];
    }
    step.rows.add_response(e, p.data(), off_);
    for (const ConstraintElement::SideRange& side : e.sides) {
      if (side.touch < 0) continue;
      const ConstraintElement::Touch& touch = e.touches[side.touch];
      const int n = step.rows.blocks()[touch.block].n_u;
      const Body& body = step.system.bodies()[side.body];
      const int first = body.u_offset - step.rows.blocks()[touch.block].u_offset;
      const auto measure = [&](const double* y) {
        double squared = 0.0;
        for (int c = first; c < first + body.n_u; ++c) {
          double force = 0.0;
          double response = 0.0;
          for (int i = 0; i < e.dim; ++i) {
            const std::size_t at = touch.values + static_cast<std::size_t>(i) * n + c;
            force += step.rows.W()[at] * y[i];
            response += step.rows.MinvW()[at] * y[i];
          }
          squared += force * response;
        }
        return std::sqrt(std::max(squared, 0.0) / body.mass);
      };
      acts_[side.body] += measure(P);
      averages_[side.body] += measure(smooth.data());
    }
  }
}

int MomentumBalance::find_unbalanced(const Step& step, const State& start) {
  const System& system = step.system;
  const Weights& weights = step.weights;
  const int n_u = system.n_u();
  const MemoryView memory(system, start.memory);
  const auto a = memory.a();
  const auto a_bar = memory.a_bar();
  system.solve_mass(step.force, work_);
  for (int i = 0; i < n_u; ++i) {
    const double change = step.u(i) - start.u(i);
    const double next_bar = weights.next_bar(a(i), step.x.a(i), a_bar(i));
    off_(i) = change - step.h * ((1.0 - weights.gamma) * a_bar(i) + weights.gamma * next_bar);
    off_by_force_(i) = change - step.h * work_(i);
  }
  for (std::size_t k = 0; k < acts_.size(); ++k) acts_[k] = 3.0 * step.measure.deviation(static_cast<int>(k)) / step.h;
  std::ranges::fill(averages_, 0.0);
  add_elements(step);
  exact_ = 0.0;
  gross_ = 0.0;
  int worst = -1;
  double most = 1.0;
  for (std::size_t k = 0; k < acts_.size(); ++k) {
    if (system.bodies()[k].n_u == 0) continue;
    const int body = static_cast<int>(k);
    const double tolerance = kSlack * step.options.tolerance * step.measure.displacement(body) / step.h +
                             kSlack * kSumRoundOff * acts_[k] + kNoLength / step.h;
    const double exact = measure_motion(system, body, off_) / tolerance;
    const double allowed = acts_[k] + tolerance + kOfSpeed * step.measure.start_speed(body);
    const double gross = std::min(measure_motion(system, body, off_by_force_), averages_[k]) / allowed;
    exact_ = std::max(exact_, exact);
    gross_ = std::max(gross_, gross);
    if (exact <= most && gross <= most) continue;
    most = std::max(exact, gross);
    worst = body;
  }
  return worst;
}

}  // namespace stickslip::generalized_alpha
