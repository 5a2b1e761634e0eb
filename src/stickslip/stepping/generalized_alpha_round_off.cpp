// SPDX-License-Identifier: BSD-3-Clause
// What rounding leaves in the residuals of a step, by the derivatives that GeneralizedAlphaNewton has at hand: a stiff
// spring's force is known to its stiffness times the round-off of its ends, the balance of a light body under a heavy
// one to the round-off of the forces that nearly cancel on it. No iterate can be better than that.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/stepping/generalized_alpha_newton.h"

namespace stickslip {
namespace {

/// Of products and sums of a few terms.
constexpr double kSumRoundOff = 8.0 * std::numeric_limits<double>::epsilon();  // [-]

}  // namespace

void GeneralizedAlphaNewton::calc_round_off(GeneralizedAlphaStep& step) {
  const double h = step.h;
  const Vector& places = step.coordinate_round_off;
  // Bounds of what each force and each percussion, by component, is off by.
  Vector& force = round_off_force_;
  Vector& percussion = round_off_percussion_;
  force = kSumRoundOff * step.force.cwiseAbs();
  percussion.setZero();
  for (std::size_t k = 0; k < step.blocks.size(); ++k) {
    if (!touched_[k]) continue;
    const VelocityBlock& block = step.blocks[k];
    for (int i = 0; i < block.n_u; ++i) {
      const std::size_t row = block.matrix + static_cast<std::size_t>(i) * block.n_u;
      double sum = 0.0;
      for (int j = 0; j < block.n_u; ++j) {
        const int c = block.u_offset + j;
        sum += std::abs(K_[row + j]) * places(c) + kSumRoundOff * std::abs(H_u_[row + j] * step.u(c));
      }
      force(block.u_offset + i) += sum;
    }
  }
  for (const Group& group : groups_) {
    const StepElement& e = step.elements[group.element];
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.blocks[e.touches[t].block];
      for (int i = 0; i < e.dim; ++i) {
        const int row = e.offset + i;
        const double lambda = kSumRoundOff * std::abs(step.x.lambda(row));
        const double P = kSumRoundOff * (std::abs(step.P(row)) + std::abs(step.x.Lambda(row))) + h * lambda;
        const double* w = step.W.data() + e.touches[t].values + static_cast<std::size_t>(i) * block.n_u;
        for (int c = 0; c < block.n_u; ++c) {
          force(block.u_offset + c) += std::abs(w[c]) * lambda;
          percussion(block.u_offset + c) += std::abs(w[c]) * P;
        }
      }
    }
  }
  set_body_round_off(step);
  for (const Group& group : groups_) set_row_round_off(step, step.elements[group.element]);
}

/// The bounds as accelerations and velocities, in the measure of the balances.
void GeneralizedAlphaNewton::set_body_round_off(GeneralizedAlphaStep& step) {
  for (std::size_t k = 0; k < step.scales.size(); ++k) {
    const Body& body = step.system.bodies()[k];
    const int n = body.n_u;
    if (n == 0) continue;
    const auto inverse = step.system.inverse_mass(static_cast<int>(k));
    const auto mass = step.system.mass(static_cast<int>(k));
    const double* force = round_off_force_.data() + body.u_offset;
    const double* percussion = round_off_percussion_.data() + body.u_offset;
    double force2 = 0.0;
    double percussion2 = 0.0;
    double a2 = 0.0;
    double u2 = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int ui = body.u_offset + i;
        const int uj = body.u_offset + j;
        force2 += std::abs(inverse(i, j)) * force[i] * force[j];
        percussion2 += std::abs(inverse(i, j)) * percussion[i] * percussion[j];
        a2 += std::abs(mass(i, j) * step.x.a(ui) * step.x.a(uj));
        u2 += std::abs(mass(i, j) * step.x.U(ui) * step.x.U(uj));
      }
    }
    const double of_forces = std::sqrt(force2 / body.mass);
    const double largest = step.largest_round_off(static_cast<int>(k));
    BodyScale& scale = step.scales[k];
    RoundOff& round_off = scale.round_off;
    round_off.acceleration =
        std::min(std::max(scale.beam_round_off, of_forces + kSumRoundOff * std::sqrt(a2 / body.mass)),
                 largest / (step.h * step.h));
    round_off.velocity =
        std::min(std::sqrt(percussion2 / body.mass) + kSumRoundOff * std::sqrt(u2 / body.mass), largest / step.h);
    // kappa is of the size of h Lambda, or of h^2 lambda.
    round_off.position = std::min(step.h * round_off.velocity + step.h * step.h * of_forces, largest);
  }
}

void GeneralizedAlphaNewton::set_row_round_off(GeneralizedAlphaStep& step, StepElement& e) {
  e.round_off = {};
  double of_bodies = 0.0;           // [m/s^2]
  double of_bodies_velocity = 0.0;  // [m/s]
  for (const StepElement::SideRange& side : e.sides) {
    if (side.touch < 0) continue;
    of_bodies = std::max(of_bodies, step.scales[side.body].round_off.acceleration);
    of_bodies_velocity = std::max(of_bodies_velocity, step.scales[side.body].round_off.velocity);
  }
  for (int i = 0; i < e.dim; ++i) {
    double velocity = 0.0;
    double acceleration = 0.0;
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.blocks[e.touches[t].block];
      const std::size_t at = e.touches[t].values + static_cast<std::size_t>(i) * block.n_u;
      for (int j = 0; j < block.n_u; ++j) {
        const int c = block.u_offset + j;
        const double place = step.coordinate_round_off(c);
        const double w = kSumRoundOff * std::abs(step.W[at + j]);
        const double speed = std::abs(step.u(c));
        velocity += w * speed + std::abs(xi_v_[at + j]) * place;
        acceleration += w * std::abs(step.x.a(c)) + kSumRoundOff * std::abs(gamma_dot_u_[at + j]) * speed +
                        std::abs(gamma_dot_v_[at + j]) * place;
      }
    }
    const double lever = e.lever(i);
    e.round_off.velocity = std::max(e.round_off.velocity, lever * velocity);
    e.round_off.acceleration = std::max(e.round_off.acceleration, lever * acceleration);
  }
  // What the bodies' balances are off by moves the rows, in the units of the first of them (Cauchy-Schwarz).
  const double unit = e.lever(0) * std::sqrt(e.diagonal[0] * e.mass);
  e.round_off.velocity += unit * of_bodies_velocity;
  e.round_off.acceleration += unit * of_bodies;
  const double largest = std::max(step.largest_round_off(e.sides[0].body), step.largest_round_off(e.sides[1].body));
  e.round_off.velocity = std::min(e.round_off.velocity, largest / step.h);
  e.round_off.acceleration = std::min(e.round_off.acceleration, largest / (step.h * step.h));
}

}  // namespace stickslip
