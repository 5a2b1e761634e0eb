// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/round_off.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/round_off.h"

namespace stickslip::generalized_alpha {
namespace {

/// |u'| as the sum that it is: of parts that cancel, each is rounded.
double sum_of_speeds(const Step& step, int c) {
  return std::abs(step.u_known(c)) + step.gamma_step() * std::abs(step.x.a(c)) + std::abs(step.x.U(c));
}

}  // namespace

void RoundOffBounds::set_row(Step& step, const ElementDerivatives& derivatives, StepElement& e) const {
  e.round_off = {};
  RoundOff of_bodies;
  double largest = 0.0;  // [m]
  for (const ConstraintElement::SideRange& side : e.sides()) {
    largest = std::max(largest, step.measure.largest_round_off(step, side.body));
    if (side.touch < 0) continue;
    const RoundOff& body = step.measure.round_off(side.body);
    of_bodies.acceleration = std::max(of_bodies.acceleration, body.acceleration);
    of_bodies.velocity = std::max(of_bodies.velocity, body.velocity);
  }
  for (int i = 0; i < e.dim; ++i) {
    double velocity = 0.0;
    double acceleration = 0.0;
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.rows.blocks()[e.touches()[t].block];
      const std::size_t at = e.touches()[t].values + static_cast<std::size_t>(i) * block.n_u;
      for (int j = 0; j < block.n_u; ++j) {
        const int c = block.u_offset + j;
        const double place = step.measure.coordinate_round_off()(c);
        const double w = kSumRoundOff * std::abs(step.rows.W()[at + j]);
        velocity += w * speed_(c) + std::abs(derivatives.xi_v()[at + j]) * place;
        acceleration += w * (acceleration_(c) + turn_(c) * speed_(c)) +
                        kSumRoundOff * std::abs(derivatives.gamma_dot_u()[at + j]) * speed_(c) +
                        std::abs(derivatives.gamma_dot_v()[at + j]) * place;
      }
    }
    e.round_off.velocity = std::max(e.round_off.velocity, e.lever(i) * velocity);
    e.round_off.acceleration = std::max(e.round_off.acceleration, e.lever(i) * acceleration);
  }
  // What the bodies' balances are off by moves the rows, in the units of the first of them (Cauchy-Schwarz).
  const double unit = e.lever(0) * std::sqrt(e.diagonal[0] * e.mass);
  e.round_off.velocity = std::min(e.round_off.velocity + unit * of_bodies.velocity, largest / step.h);
  e.round_off.acceleration =
      std::min(e.round_off.acceleration + unit * of_bodies.acceleration, largest / (step.h * step.h));
}

void RoundOffBounds::set(Step& step, const NewtonSystem& system) {
  calc_motions(step);
  calc(step, system);
  for (int k = 0; k < static_cast<int>(step.system.bodies().size()); ++k) {
    if (step.system.bodies()[k].n_u > 0) set_body(step, k);
  }
  for (const int k : system.elements()) set_row(step, system.derivatives(), step.elements[k]);
}

/// Rows are computed in the world frame: of rotations each component counts by the size of all three, although those of
/// the body frame that a row has may vanish. And directions of rows turn with the body, which gamma_dot takes away
/// again.
void RoundOffBounds::calc_motions(const Step& step) {
  for (const Body& body : step.system.bodies()) {
    for (int c = body.u_offset; c < body.u_offset + body.n_u; ++c) {
      speed_(c) = sum_of_speeds(step, c);
      acceleration_(c) = std::abs(step.x.a(c));
    }
    auto turn = turn_.segment(body.u_offset, body.n_u);
    turn.setZero();
    if (body.type == BodyType::planar) turn.setConstant(speed_(body.u_offset + 2));
    if (body.type != BodyType::rigid) continue;
    turn.setConstant(speed_.segment<3>(body.u_offset + 3).norm());
    speed_.segment<3>(body.u_offset + 3).setConstant(turn(0));
    acceleration_.segment<3>(body.u_offset + 3).setConstant(acceleration_.segment<3>(body.u_offset + 3).norm());
  }
}

void RoundOffBounds::calc(const Step& step, const NewtonSystem& system) {
  const ElementDerivatives& derivatives = system.derivatives();
  const Vector& places = step.measure.coordinate_round_off();
  force_ = kSumRoundOff * step.force.cwiseAbs();
  percussion_.setZero();
  for (int k = 0; k < static_cast<int>(step.rows.blocks().size()); ++k) {
    if (!derivatives.touched(k)) continue;
    const VelocityBlock& block = step.rows.blocks()[k];
    for (int i = 0; i < block.n_u; ++i) {
      const double* by_place = derivatives.dh_dv(k) + static_cast<std::ptrdiff_t>(i) * block.n_u;
      const double* by_speed = derivatives.dh_du(k) + static_cast<std::ptrdiff_t>(i) * block.n_u;
      double sum = 0.0;
      for (int j = 0; j < block.n_u; ++j) {
        const int c = block.u_offset + j;
        sum += std::abs(by_place[j]) * places(c) + kSumRoundOff * std::abs(by_speed[j]) * sum_of_speeds(step, c);
      }
      force_(block.u_offset + i) += sum;
    }
  }
  for (const int k : system.elements()) {
    const StepElement& e = step.elements[k];
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.rows.blocks()[e.touches()[t].block];
      for (int i = 0; i < e.dim; ++i) {
        const int row = e.offset + i;
        const double lambda = kSumRoundOff * std::abs(step.x.lambda(row));
        const double P = kSumRoundOff * (std::abs(step.P(row)) + std::abs(step.x.Lambda(row))) + step.h * lambda;
        const double* w = step.rows.W() + e.touches()[t].values + static_cast<std::size_t>(i) * block.n_u;
        for (int c = 0; c < block.n_u; ++c) {
          force_(block.u_offset + c) += std::abs(w[c]) * lambda;
          percussion_(block.u_offset + c) += std::abs(w[c]) * P;
        }
      }
    }
  }
}

/// The bounds as accelerations and velocities, in the measure of the balances.
void RoundOffBounds::set_body(Step& step, int index) const {
  const Body& body = step.system.bodies()[index];
  const auto set = [&](const auto& form_inverse, const auto& form) {
    step.measure.set_round_off(step, index, form_inverse(force_), form_inverse(percussion_),
                               kSumRoundOff * form(step.x.a), kSumRoundOff * form(step.x.U));
  };
  if (step.system.has_diagonal_mass()) {
    const auto form_of = [&body](const Vector& diagonal) {
      return [&body, &diagonal](const Vector& y) {
        double sum = 0.0;
        for (int i = body.u_offset; i < body.u_offset + body.n_u; ++i) sum += std::abs(diagonal(i) * y(i) * y(i));
        return std::sqrt(sum / body.mass);
      };
    };
    return set(form_of(step.system.inverse_mass_diagonal()), form_of(step.system.mass_diagonal()));
  }
  const auto form_of = [&body](const System::MassBlock& A) {
    return [&body, &A](const Vector& y) {
      double sum = 0.0;
      for (int i = 0; i < body.n_u; ++i) {
        for (int j = 0; j < body.n_u; ++j) sum += std::abs(A(i, j) * y(body.u_offset + i) * y(body.u_offset + j));
      }
      return std::sqrt(sum / body.mass);
    };
  };
  const System::MassBlock& inverse = step.system.inverse_mass(index);
  const System::MassBlock& mass = step.system.mass(index);
  set(form_of(inverse), form_of(mass));
}

}  // namespace stickslip::generalized_alpha
