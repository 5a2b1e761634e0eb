// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/momentum_balance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/round_off.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
namespace {

/// Of the speed of a body: what averages of forces that have ended may still give it. Where rho_inf > 1/2 they change
/// sign as they fade, and so push off a body that was pressed on, which zero calls unbalanced; with 1e3 a kicked ball
/// passes.
constexpr double kOfSpeed = 1e-3;  // [-]

/// Of the energy that a step can have gained: at most 2.2 times where steps are right, 33 times and more where a stiff
/// leg that rings takes another solution. [-]
constexpr double kMostGain = 10.0;

/// Of the energy in motion and in springs: what a step may make of it, or lose by its ledger, beside forces that it
/// does not resolve. Errors of second order in what it does resolve stay below it (h w of .1 in a step), and what it
/// forbids is a hundred times the energy. [-]
constexpr double kMostElasticGain = 1e-3;
constexpr double kMostElasticError = 1e-2;

}  // namespace

MomentumBalance::MomentumBalance(const System& system)
    : acts_(system.bodies().size()), averages_(acts_.size()), allowed_(acts_.size()) {
  for (const Body& body : system.bodies()) mass_ += body.n_u > 0 ? body.mass : 0.0;
  for (Vector* y : {&free_, &off_, &response_}) y->setZero(system.n_u());
}

/// M^-1 W' P; takes its impulsive part away from what is off, and adds |W_e P_e| to what acts, the same of the smooth
/// part to the averages: all in one pass over the rows.
void MomentumBalance::add_elements(const Step& step) {
  std::array<double, kMaxElementDim> smooth;
  response_.setZero();
  for (const StepElement& e : step.elements) {
    if (!e.evaluated) continue;
    const double* P = step.P.data() + e.offset;
    bool acts = false;
    for (int i = 0; i < e.dim; ++i) {
      const int row = e.offset + i;
      smooth[i] = step.known_P(row) + step.gamma_step() * step.x.lambda(row);
      acts |= P[i] != 0.0 || smooth[i] != 0.0;
    }
    if (!acts) continue;
    for (const ConstraintElement::SideRange& side : e.sides()) {
      const bool is_again = &side != e.sides().data() && e.sides()[0].touch >= 0 && side.body == e.sides()[0].body;
      if (side.touch < 0 || is_again) continue;
      const ConstraintElement::Touch& touch = e.touches()[side.touch];
      const VelocityBlock& block = step.rows.blocks()[touch.block];
      const Body& body = step.system.bodies()[side.body];
      const int first = body.u_offset - block.u_offset;
      double squared = 0.0;
      double squared_smooth = 0.0;
      for (int c = 0; c < body.n_u; ++c) {
        double force = 0.0, response = 0.0, force_smooth = 0.0, response_smooth = 0.0, off = 0.0;
        std::size_t at = touch.values + first + c;
        for (int i = 0; i < e.dim; ++i, at += block.n_u) {
          const double w = step.rows.W()[at];
          const double y = step.rows.MinvW()[at];
          force += w * P[i];
          response += y * P[i];
          force_smooth += w * smooth[i];
          response_smooth += y * smooth[i];
          off += y * (smooth[i] - P[i]);  // here, since both may be much larger
        }
        squared += force * response;
        squared_smooth += force_smooth * response_smooth;
        off_(body.u_offset + c) += off;
        response_(body.u_offset + c) += response;
      }
      acts_[side.body] += std::sqrt(std::max(squared, 0.0) / body.mass);
      averages_[side.body] += std::sqrt(std::max(squared_smooth, 0.0) / body.mass);
    }
  }
}

MomentumBalance::Worst MomentumBalance::find_exact(const Step& step, const State& start) {
  const System& system = step.system;
  const Weights& weights = step.weights;
  const MemoryView memory(system, start.memory);
  const auto a = memory.a();
  const auto a_bar = memory.a_bar();
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double next_bar = weights.next_bar(a(i), step.x.a(i), a_bar(i));
    off_(i) = step.u(i) - start.u(i) - step.h * ((1.0 - weights.gamma) * a_bar(i) + weights.gamma * next_bar);
  }
  for (std::size_t k = 0; k < acts_.size(); ++k) acts_[k] = 3.0 * step.measure.deviation(static_cast<int>(k)) / step.h;
  std::ranges::fill(averages_, 0.0);
  add_elements(step);
  slack_ = 0.0;
  free_ = step.u_known - step.u_start;  // what averages move: no excuse, but rounded like all that acts
  Worst worst;
  for (std::size_t k = 0; k < acts_.size(); ++k) {
    if (system.bodies()[k].n_u == 0) continue;
    const int body = static_cast<int>(k);
    const double tolerance = Measure::kSolved * step.options.tolerance * step.measure.displacement(body) / step.h +
                             Measure::kSolved * kSumRoundOff * (acts_[k] + measure_motion(system, body, free_.data())) +
                             kNoLength / step.h;
    slack_ += 0.5 * system.bodies()[k].mass * tolerance * tolerance;
    allowed_[k] = acts_[k] + tolerance + kOfSpeed * step.measure.start_speed(body);
    const double off = measure_motion(system, body, off_.data()) / tolerance;
    if (off <= worst.off) continue;
    worst = {body, off};
    if (std::isnan(off)) break;
  }
  return worst;
}

int MomentumBalance::find_unbalanced(const Step& step, const State& start) {
  const Worst exact = find_exact(step, start);
  if (std::isnan(exact.off)) return exact.body;
  bool may_push = false;
  for (std::size_t k = 0; k < acts_.size(); ++k) may_push |= averages_[k] > allowed_[k];
  if (may_push) {
    const Worst gross = find_gross(step, start);
    if (gross.off > std::max(1.0, exact.off)) return gross.body;
  }
  return exact.off > 1.0 ? exact.body : -1;
}

MomentumBalance::Worst MomentumBalance::find_gross(const Step& step, const State& start) {
  const System& system = step.system;
  system.solve_mass(step.force, free_);
  off_ = step.u - start.u - step.h * free_ - response_;
  Worst worst;
  for (std::size_t k = 0; k < acts_.size(); ++k) {
    if (system.bodies()[k].n_u == 0) continue;
    const int body = static_cast<int>(k);
    const double off = std::min(measure_motion(system, body, off_.data()), averages_[k]) / allowed_[k];
    if (off > worst.off) worst = {body, off};
  }
  return worst;
}

bool MomentumBalance::gains_energy(const Step& step, const State& start, double work) {
  const System& system = step.system;
  const double elastic = system.calc_elastic_energy(start.t, start.q);
  const double end = system.calc_kinetic_energy(step.u) + system.calc_elastic_energy(step.t_end, step.q) - elastic;
  double explained = system.calc_kinetic_energy(start.u) + elastic;
  if (!(end > kMostGain * explained)) return false;
  free_ = MemoryView(system, start.memory).a();
  const double weight = 0.5 * mass_ * system.gravity().squaredNorm();
  explained += step.h * step.h * (system.calc_kinetic_energy(free_) + weight) + std::abs(work) + slack_ +
               std::abs(system.calc_elastic_energy(step.t_end, start.q) - elastic);
  return end > kMostGain * explained;
}

bool MomentumBalance::makes_elastic_energy(const Step& step, const State& start, const EnergyLedger& end) const {
  const System& system = step.system;
  const double weight = 0.5 * mass_ * system.gravity().squaredNorm();
  const double scale = system.calc_kinetic_energy(start.u) + system.calc_elastic_energy(start.t, start.q) +
                       step.h * step.h * weight + slack_;
  const double work = end.work - start.energy.work;
  const double dissipated = end.dissipated - start.energy.dissipated;
  const double gain = system.calc_kinetic_energy(step.u) + system.calc_potential_energy(step.t_end, step.q) -
                      system.calc_kinetic_energy(start.u) - system.calc_potential_energy(start.t, start.q);
  const double put_in = std::max(work, 0.0) + std::max(-dissipated, 0.0);
  return gain > kMostElasticGain * scale + 2.0 * put_in ||
         gain - work + dissipated > kMostElasticError * scale + put_in;
}

}  // namespace stickslip::generalized_alpha
