// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/measure.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/round_off.h"
#include "stickslip/math/small_lu.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {
namespace {

/// A solution moves by at most this multiple of what the start values of the step move by: what is beyond is no scale
/// to measure by but an iterate that has gone astray. From 10 to 1e4 steps end alike.
constexpr double kMostGrowth = 100.0;  // [-]
/// Round-off above this part of the body's displacement is not excused; with 1e-9 a stiff spring at rest is not solved.
constexpr double kLargestRoundOff = 0.01;  // [-]
/// Nor is that of percussions above this part: with .01 those that cancel between two walls, however large, would
/// excuse themselves by their size.
constexpr double kLargestOfPercussions = 1e-6;  // [-]

/// y^T M y / m of a body, at least zero: measure_motion() squared. y (n_u of the system)
double square_of_motion(const System& system, int index, const double* y) {
  const Body& body = system.bodies()[index];
  const double* own = y + body.u_offset;
  double sum = 0.0;
  if (system.has_diagonal_mass()) {
    const double* mass = system.mass_diagonal().data() + body.u_offset;
    for (int i = 0; i < body.n_u; ++i) sum += own[i] * (mass[i] * own[i]);
  } else {
    const double* mass = system.mass(index).data();
    for (int i = 0; i < body.n_u; ++i) sum += own[i] * dot(body.n_u, mass + i * body.n_u, own);
  }
  return std::max(sum, 0.0) / body.mass;
}

}  // namespace

double measure_motion(const System& system, int index, const double* y) {
  return system.bodies()[index].n_u == 0 ? 0.0 : std::sqrt(square_of_motion(system, index, y));
}

double measure_motion(const System& system, const Vector& y) {
  double largest = 0.0;
  for (int k = 0; k < static_cast<int>(system.bodies().size()); ++k) {
    largest = std::max(largest, measure_motion(system, k, y.data()));
  }
  return largest;
}

Measure::Measure(const System& system) : bodies_(system.bodies().size()) {
  for (Vector* y : {&coordinate_round_off_, &free_, &work_}) y->setZero(system.n_u());
}

// --- scales

/// Round-off of coordinates: lengths each to that of the largest of the body, angles to theirs or one.
void Measure::start(const Step& step, const State& state, const double* a) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = step.system.bodies()[k];
    if (body.n_u == 0) continue;
    BodyScale& scale = bodies_[k];
    scale.start_speed = measure_motion(step.system, static_cast<int>(k), state.u.data());
    scale.start_acceleration = measure_motion(step.system, static_cast<int>(k), a);
    scale.deviation = step.h * step.h * scale.start_acceleration;
    scale.displacement = step.h * scale.start_speed + scale.deviation;
    work_.segment(body.u_offset, body.n_u) =
        step.u_known.segment(body.u_offset, body.n_u) - step.u_start.segment(body.u_offset, body.n_u);
    scale.remembered = step.h * measure_motion(step.system, static_cast<int>(k), work_.data());
    const int n = n_lengths(body);
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(state.q(body.q_offset + i)));
    double* round_off = coordinate_round_off_.data() + body.u_offset;
    for (int i = 0; i < n; ++i) round_off[i] = kSumRoundOff * size;
    for (int i = n; i < body.n_u; ++i) {
      const double angle = body.type == BodyType::planar ? std::abs(state.q(body.q_offset + i)) : 1.0;
      round_off[i] = kSumRoundOff * std::max(1.0, angle);
    }
    // Internal forces of beams are known to what round-off of the coordinates makes of them.
    scale.beam_round_off = body.beam ? kSumRoundOff * size * body.beam->highest_frequency2() : 0.0;
  }
  longest_ = std::numeric_limits<double>::infinity();
}

void Measure::calc_scales(const Step& step) {
  step.system.solve_mass(step.force, free_);
  displacement_ = 0.0;
  deviation_ = 0.0;
  const double h = step.h;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = step.system.bodies()[k];
    if (body.n_u == 0) continue;
    BodyScale& scale = bodies_[k];
    double free2 = 0.0;
    for (int i = body.u_offset; i < body.u_offset + body.n_u; ++i) free2 += free_(i) * step.force(i);
    // Where a wall turns what flies freely, a' is all there is; where a body is pushed off, u'.
    const double turned2 = square_of_motion(step.system, static_cast<int>(k), step.x.a.data());
    const double moved = measure_motion(step.system, static_cast<int>(k), step.u.data());
    const double fallen = std::sqrt(std::max(free2 / body.mass, turned2));
    scale.deviation = h * h * std::max(scale.start_acceleration, fallen);
    scale.displacement = h * std::max(scale.start_speed, moved) + scale.deviation;
    scale.deviation = std::min(scale.deviation, longest_);
    scale.displacement = std::min(scale.displacement, longest_);
    displacement_ = std::max(displacement_, scale.displacement);
    deviation_ = std::max(deviation_, scale.deviation);
  }
}

/// From the first evaluation in a step; prescribed motions show in xi alone, and weight that springs carry in nothing.
void Measure::limit_scales(const Step& step) {
  double longest = std::max(displacement_, step.h * step.h * step.system.gravity().norm());
  for (const StepElement& e : step.elements) {
    if (!e.evaluated) continue;
    for (int i = 0; i < e.dim; ++i) longest = std::max(longest, step.h * e.lever(i) * std::abs(e.xi[i]));
  }
  if (longest > 0.0 && std::isfinite(longest)) longest_ = kMostGrowth * longest;
}

double Measure::displacement_of(const StepElement& e) const {
  double largest = 0.0;
  for (const ConstraintElement::SideRange& side : e.sides()) {
    largest = std::max(largest, bodies_[side.body].displacement);
  }
  return largest;
}

double Measure::deviation_of(const StepElement& e) const {
  double largest = 0.0;
  for (const ConstraintElement::SideRange& side : e.sides()) {
    largest = std::max(largest, bodies_[side.body].deviation);
  }
  return largest;
}

// --- round-off

void Measure::forget_round_off(Step& step) {
  for (BodyScale& scale : bodies_) scale.round_off = {0.0, 0.0, scale.beam_round_off};
  for (StepElement& e : step.elements) e.round_off = {};
}

/// The displacement by its own weight counts too: weight that springs carry shows in no acceleration. And what averages
/// of forces move: where a body has come to rest percussions take that back, to the round-off of both.
double Measure::largest_round_off(const Step& step, int body) const {
  const double weight = step.h * step.h * step.system.gravity().norm();
  return kLargestRoundOff * std::max({bodies_[body].displacement, bodies_[body].remembered, weight});
}

void Measure::set_round_off(const Step& step, int body, double force, double percussion, double acceleration,
                            double velocity) {
  const double largest = largest_round_off(step, body);
  BodyScale& scale = bodies_[body];
  RoundOff& round_off = scale.round_off;
  round_off.acceleration = std::min(std::max(scale.beam_round_off, force + acceleration), largest / (step.h * step.h));
  const double most = kLargestOfPercussions / kLargestRoundOff * largest;
  round_off.velocity = std::min(std::min(percussion, most / step.h) + velocity, largest / step.h);
  // kappa is of the size of h Lambda, or of h^2 lambda.
  round_off.position = std::min(step.h * round_off.velocity + step.h * step.h * force, largest);
}

/// What round-off of the coordinates makes of a row on position level.
double Measure::row_round_off(const Step& step, const StepElement& e, int row) const {
  double sum = 0.0;
  for (int t = 0; t < e.n_touches; ++t) {
    const VelocityBlock& block = step.rows.blocks()[e.touches()[t].block];
    const double* w = step.rows.W() + e.touches()[t].values + static_cast<std::size_t>(row) * block.n_u;
    const double* round_off = coordinate_round_off_.data() + block.u_offset;
    for (int c = 0; c < block.n_u; ++c) sum += std::abs(w[c]) * round_off[c];
  }
  return sum;
}

// --- tolerances and residuals

double Measure::tolerance_position(const Step& step, const StepElement& e) const {
  return step.options.tolerance * displacement_of(e) + e.lever(0) * row_round_off(step, e, 0) + kNoLength;
}

double Measure::tolerance_velocity(const Step& step, const StepElement& e) const {
  return step.options.tolerance * displacement_of(e) + step.h * e.round_off.velocity + kNoLength;
}

double Measure::tolerance_acceleration(const Step& step, const StepElement& e) const {
  return step.options.tolerance * deviation_of(e) + step.h * step.h * e.round_off.acceleration + kNoLength;
}

double Measure::negligible_gap(const Step& step, const StepElement& e) const {
  double round_off = 0.0;
  for (const ConstraintElement::SideRange& side : e.sides()) {
    round_off = std::max(round_off, largest_round_off(step, side.body));
  }
  const double largest = step.options.tolerance * displacement_of(e) + round_off;
  return std::min(tolerance_position(step, e), largest) / e.lever(0);
}

void Measure::update(const Step& step) {
  calc_scales(step);
  if (std::isinf(longest_)) limit_scales(step);
  judge(step);
}

void Measure::judge(const Step& step) {
  measure_balances(step);
  merit_ = error_ * error_;
  for (const StepElement& e : step.elements) {
    step.stop.check();
    const double error = measure_element(step, e);
    error_ = std::max(error_, error);
    merit_ += error * error;
  }
  merit_ = std::sqrt(merit_);
}

void Measure::update_smooth(const Step& step) {
  calc_scales(step);
  measure_balances(step);
  for (const StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact) error_ = std::max(error_, measure_element(step, e));
  }
}

/// R^T M^-1 R of a body, of R (n_u of the system).
double Measure::calc_balance(const Step& step, int index, const Vector& residual) {
  const Body& body = step.system.bodies()[index];
  const double* r = residual.data() + body.u_offset;
  if (step.system.has_diagonal_mass()) {
    const double* inverse = step.system.inverse_mass_diagonal().data() + body.u_offset;
    double sum = 0.0;
    for (int i = 0; i < body.n_u; ++i) sum += (inverse[i] * r[i]) * r[i];
    return std::abs(sum);
  }
  if (std::all_of(r, r + body.n_u, [](double value) { return value == 0.0; })) return 0.0;
  double* solved = work_.data() + body.u_offset;
  if (body.beam) {
    body.beam->solve_mass(r, solved);
  } else {
    set_product(body.n_u, body.n_u, step.system.inverse_mass(index).data(), r, solved);
  }
  double sum = 0.0;
  for (int i = 0; i < body.n_u; ++i) sum += solved[i] * r[i];
  return std::abs(sum);
}

/// The largest sqrt(R^T M^-1 R / m) of R1, R2 and R3 (127) over the bodies, each over its tolerance: lengths per unit
/// of mass. What is not finite in any unknown, force or multiplier shows in one of these.
void Measure::measure_balances(const Step& step) {
  error_ = 0.0;
  double sum = 0.0;
  const double h = step.h;
  for (int k = 0; k < static_cast<int>(bodies_.size()); ++k) {
    const Body& body = step.system.bodies()[k];
    if (body.n_u == 0) continue;
    const BodyScale& scale = bodies_[k];
    const double allowed = step.options.tolerance * scale.displacement + kNoLength;
    const double allowed_acceleration =
        step.options.tolerance * scale.deviation + h * h * scale.round_off.acceleration + kNoLength;
    const auto measure = [&](const Vector& r) {
      const double squared = calc_balance(step, k, r);
      sum += squared;
      return std::sqrt(squared / body.mass);
    };
    error_ = std::max({error_, h * h * measure(step.r1) / allowed_acceleration,
                       h * measure(step.r2) / (allowed + h * scale.round_off.velocity),
                       measure(step.r3) / (allowed + scale.round_off.position)});
  }
  if (!std::isfinite(sum)) error_ = std::numeric_limits<double>::infinity();
}

double Measure::measure_joint(const Step& step, const StepElement& e) const {
  const double allowed = step.options.tolerance * displacement_of(e) + kNoLength;
  const double allowed_velocity = tolerance_velocity(step, e);
  const double allowed_acceleration = tolerance_acceleration(step, e);
  double worst = 0.0;
  for (int i = 0; i < e.dim; ++i) {
    const double lever = e.lever(i);
    if (i < e.n_pos && e.gap[i] != 0.0) {
      worst = std::max(worst, lever * std::abs(e.gap[i]) / (allowed + lever * row_round_off(step, e, i)));
    }
    worst = std::max({worst, lever * step.h * std::abs(e.xi[i]) / allowed_velocity,
                      lever * step.h * step.h * std::abs(e.gamma_dot[i]) / allowed_acceleration});
  }
  return worst;
}

/// The residuals by the index sets of the iterate; multipliers that the sets exclude are zero in x:
///   g = 0 on A (129), xi_N = 0 on B (132), gamma_dot_N = 0 on C (135),
///   xi_F = 0 on D_st, P_F = -mu P_N n on D_sl (138),
///   gamma_dot_F = 0 on E_st, lambda_F = -mu lambda_N n on E_sl and D_sl (142).
double Measure::measure_element(const Step& step, const StepElement& e) const {
  if (e.kind == ConstraintElement::Kind::joint) return measure_joint(step, e);
  const double h = step.h;
  const double h2 = h * h;
  double position = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;
  const double lever = e.lever(0);  // only rows that stand alone are angles
  if (e.kind == ConstraintElement::Kind::contact) {
    if (e.level == Level::open && e.gap[0] >= 0.0) return 0.0;
    position = lever * std::abs(e.gap[0]) / tolerance_position(step, e);  // (129)
    if (e.level == Level::open) return position;
    if (e.level == Level::position) {
      return std::max(position, lever * h * std::max(0.0, -e.xi[0]) / tolerance_velocity(step, e));
    }
    velocity = h * std::abs(e.xi[0]);  // (132)
    acceleration = e.level == Level::velocity ? std::max(0.0, -h2 * e.gamma_dot[0]) : h2 * std::abs(e.gamma_dot[0]);
  }
  for (int set = 0; set < e.n_sets; ++set) {
    const FrictionSet& rows = e.friction[set];
    const FrictionState& state = e.states[set];
    const double radius = friction_radius(step, e, set, step.P(e.offset));
    const double radius_acceleration = friction_radius_acceleration(e, set, step.x.lambda(e.offset));
    for (int i = rows.first; i < rows.first + rows.n; ++i) {
      const int k = e.offset + i;
      // Turning has the lever of its friction, which may be short: it counts as motion along the normal does.
      const bool is_short = rows.turns && e.diagonal[i] > 0.0 && e.diagonal[i] < e.diagonal[0];
      const double unit = is_short ? std::sqrt(e.diagonal[0] / e.diagonal[i]) : 1.0;
      const double G = is_short ? e.diagonal[0] : e.diagonal[i];
      const double off = state.stick ? unit * std::abs(e.xi[i]) : G * std::abs(step.P(k) + radius * e.direction[i]);
      velocity = std::max(velocity, h * off);
      if (e.level != Level::acceleration) continue;
      const double off_acceleration =
          state.stick_acceleration ? unit * std::abs(e.gamma_dot[i])
                                   : G * std::abs(step.x.lambda(k) + radius_acceleration * e.direction_acceleration[i]);
      acceleration = std::max(acceleration, h2 * off_acceleration);
    }
  }
  return std::max({position, lever * velocity / tolerance_velocity(step, e),
                   lever * acceleration / tolerance_acceleration(step, e)});
}

}  // namespace stickslip::generalized_alpha
