// SPDX-License-Identifier: BSD-3-Clause
// What counts as solved, in GeneralizedAlphaStep's terms: the scales of bodies and the residuals over them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

/// Gaps are differences of coordinates, each rounded a few times.
constexpr double kGapRoundOff = 8.0 * std::numeric_limits<double>::epsilon();  // [-]
/// A solution moves by at most this multiple of what the start values of the step move by: what is beyond is no scale
/// to measure by but an iterate that has gone astray.
constexpr double kMostGrowth = 100.0;  // [-]
/// Round-off above this part of the body's way is not excused.
constexpr double kLargestRoundOff = 0.01;  // [-]
/// Keeps quotients finite where nothing moves at all: only exact zeros pass.
constexpr double kTiny = std::numeric_limits<double>::min();  // [m]

/// y^T A y, at least zero. A (n, n) symmetric, positive semidefinite, a whole matrix
double quadratic_form(const Eigen::Ref<const Matrix>& A, const double* y, int n) {
  double sum = 0.0;
  with_size(n, [&](auto size) {
    for (int i = 0; i < size; ++i) {
      const double* column = A.data() + static_cast<std::ptrdiff_t>(i) * size;
      double product = 0.0;
      for (int j = 0; j < size; ++j) product += column[j] * y[j];
      sum += y[i] * product;
    }
  });
  return std::max(sum, 0.0);
}

}  // namespace

/// Speeds and accelerations before the step, and the round-off of coordinates: lengths each to that of the largest of
/// the body, angles to theirs or one.
void GeneralizedAlphaStep::calc_start_scales(const State& state, const Eigen::Ref<const Vector>& a) {
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const Body& body = system.bodies()[k];
    if (body.n_u == 0) continue;
    BodyScale& scale = scales[k];
    const auto mass = system.mass(static_cast<int>(k));
    scale.start_speed = std::sqrt(quadratic_form(mass, state.u.data() + body.u_offset, body.n_u) / body.mass);
    scale.start_acceleration = std::sqrt(quadratic_form(mass, a.data() + body.u_offset, body.n_u) / body.mass);
    const int n = n_lengths(body);
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(state.q(body.q_offset + i)));
    double* round_off = coordinate_round_off.data() + body.u_offset;
    for (int i = 0; i < n; ++i) round_off[i] = kGapRoundOff * size;
    for (int i = n; i < body.n_u; ++i) {
      const double angle = body.type == BodyType::planar ? std::abs(state.q(body.q_offset + i)) : 1.0;
      round_off[i] = kGapRoundOff * std::max(1.0, angle);
    }
    // Internal forces of beams are known to what round-off of the coordinates makes of them.
    scale.beam_round_off = body.beam ? kGapRoundOff * size * body.beam->highest_frequency2() : 0.0;
  }
  longest_way_ = std::numeric_limits<double>::infinity();
}

void GeneralizedAlphaStep::forget_round_off() {
  for (BodyScale& scale : scales) scale.round_off = {0.0, 0.0, scale.beam_round_off};
  for (StepElement& e : elements) e.round_off = {};
}

/// From the first evaluation in a step; prescribed motions show in xi alone, and weight that springs carry in nothing.
void GeneralizedAlphaStep::limit_scales() {
  double longest = std::max(way, h * h * system.gravity().norm());
  for (const StepElement& e : elements) {
    if (!e.evaluated) continue;
    for (int i = 0; i < e.dim; ++i) longest = std::max(longest, h * e.lever(i) * std::abs(e.xi[i]));
  }
  if (longest > 0.0 && std::isfinite(longest)) longest_way_ = kMostGrowth * longest;
}

void GeneralizedAlphaStep::calc_scales() {
  system.solve_mass(force, solved_force_);
  way = 0.0;
  fall = 0.0;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const Body& body = system.bodies()[k];
    if (body.n_u == 0) continue;
    BodyScale& scale = scales[k];
    const auto mass = system.mass(static_cast<int>(k));
    double free2 = 0.0;
    for (int i = body.u_offset; i < body.u_offset + body.n_u; ++i) free2 += solved_force_(i) * force(i);
    // Where a wall turns what flies freely, a' is all there is; where a body is pushed off, u'.
    const double turned2 = quadratic_form(mass, x.a.data() + body.u_offset, body.n_u);
    const double moved2 = quadratic_form(mass, u.data() + body.u_offset, body.n_u);
    scale.fall = h * h * std::max(scale.start_acceleration, std::sqrt(std::max({free2, turned2, 0.0}) / body.mass));
    scale.way = h * std::max(scale.start_speed, std::sqrt(std::max(moved2, 0.0) / body.mass)) + scale.fall;
    scale.fall = std::min(scale.fall, longest_way_);
    scale.way = std::min(scale.way, longest_way_);
    way = std::max(way, scale.way);
    fall = std::max(fall, scale.fall);
  }
}

/// The way by its own weight counts too: weight that springs carry shows in no acceleration.
double GeneralizedAlphaStep::largest_round_off(int body) const {
  return kLargestRoundOff * std::max(scales[body].way, h * h * system.gravity().norm());
}

double GeneralizedAlphaStep::element_way(const StepElement& e) const {
  return std::max(scales[e.sides[0].body].way, scales[e.sides[1].body].way);
}

double GeneralizedAlphaStep::element_fall(const StepElement& e) const {
  return std::max(scales[e.sides[0].body].fall, scales[e.sides[1].body].fall);
}

/// What round-off of the coordinates makes of a row on position level.
double GeneralizedAlphaStep::row_round_off(const StepElement& e, int row) const {
  double sum = 0.0;
  for (int t = 0; t < e.n_touches; ++t) {
    const VelocityBlock& block = blocks[e.touches[t].block];
    const double* w = W.data() + e.touches[t].values + static_cast<std::ptrdiff_t>(row) * block.n_u;
    const double* round_off = coordinate_round_off.data() + block.u_offset;
    for (int c = 0; c < block.n_u; ++c) sum += std::abs(w[c]) * round_off[c];
  }
  return sum;
}

double GeneralizedAlphaStep::tolerance_position(const StepElement& e) const {
  return options_.tolerance * element_way(e) + e.lever(0) * row_round_off(e, 0) + kTiny;
}

double GeneralizedAlphaStep::tolerance_velocity(const StepElement& e) const {
  return options_.tolerance * element_way(e) + h * e.round_off.velocity + kTiny;
}

double GeneralizedAlphaStep::tolerance_acceleration(const StepElement& e) const {
  return options_.tolerance * element_fall(e) + h * h * e.round_off.acceleration + kTiny;
}

/// R^T M^-1 R of a body, of R (n_u of the system).
double GeneralizedAlphaStep::calc_balance(std::size_t index, const Vector& residual) {
  const Body& body = system.bodies()[index];
  const double* r = residual.data() + body.u_offset;
  if (std::all_of(r, r + body.n_u, [](double value) { return value == 0.0; })) return 0.0;
  double* solved = work_.data() + body.u_offset;
  if (body.beam) {
    body.beam->solve_mass(r, solved);
  } else {
    set_product(body.n_u, body.n_u, system.inverse_mass(static_cast<int>(index)).data(), r, solved);
  }
  double sum = 0.0;
  for (int i = 0; i < body.n_u; ++i) sum += solved[i] * r[i];
  return std::abs(sum);
}

/// The largest sqrt(R^T M^-1 R / m) of R1, R2 and R3 over the bodies, each over its tolerance: lengths per unit of
/// mass.
void GeneralizedAlphaStep::measure_balances() {
  error_ = 0.0;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const Body& body = system.bodies()[k];
    if (body.n_u == 0) continue;
    const BodyScale& scale = scales[k];
    const double allowed = options_.tolerance * scale.way + kTiny;
    const double acceleration = h * h * std::sqrt(calc_balance(k, r1) / body.mass) /
                                (options_.tolerance * scale.fall + h * h * scale.round_off.acceleration + kTiny);
    const double velocity = h * std::sqrt(calc_balance(k, r2) / body.mass) / (allowed + h * scale.round_off.velocity);
    const double position = std::sqrt(calc_balance(k, r3) / body.mass) / (allowed + scale.round_off.position);
    error_ = std::max({error_, acceleration, velocity, position});
  }
}

double GeneralizedAlphaStep::measure_joint(const StepElement& e) const {
  const double way_tolerance = options_.tolerance * element_way(e) + kTiny;
  const double velocity_tolerance = tolerance_velocity(e);
  const double acceleration_tolerance = tolerance_acceleration(e);
  double worst = 0.0;
  for (int i = 0; i < e.dim; ++i) {
    const double lever = e.lever(i);
    if (i < e.n_pos && e.gap[i] != 0.0) {
      worst = std::max(worst, lever * std::abs(e.gap[i]) / (way_tolerance + lever * row_round_off(e, i)));
    }
    worst = std::max({worst, lever * h * std::abs(e.xi[i]) / velocity_tolerance,
                      lever * h * h * std::abs(e.gamma_dot[i]) / acceleration_tolerance});
  }
  return worst;
}

double GeneralizedAlphaStep::measure_element(const StepElement& e) const {
  if (e.kind == StepElement::Kind::joint) return measure_joint(e);
  const int first = e.first_friction();
  const int n = e.n_friction();
  const double h2 = h * h;
  double position = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;
  const double lever = e.lever(0);  // only rows that stand alone are angles
  if (e.kind == StepElement::Kind::contact) {
    if (e.level == ContactLevel::open && e.gap[0] >= 0.0) return 0.0;
    position = lever * std::abs(e.gap[0]) / tolerance_position(e);
    if (e.level == ContactLevel::open) return position;
    if (e.level == ContactLevel::position) {
      return std::max(position, lever * h * std::max(0.0, -e.xi[0]) / tolerance_velocity(e));
    }
    velocity = h * std::abs(e.xi[0]);
    acceleration =
        e.level == ContactLevel::velocity ? std::max(0.0, -h2 * e.gamma_dot[0]) : h2 * std::abs(e.gamma_dot[0]);
  }
  const double radius = friction_radius(e, P(e.offset));
  const double radius_acceleration = friction_radius_acceleration(e, x.lambda(e.offset));
  for (int i = 0; i < n; ++i) {
    const int k = e.offset + first + i;
    const double G = e.diagonal[first + i];
    velocity =
        std::max(velocity, h * (e.stick ? std::abs(e.xi[first + i]) : G * std::abs(P(k) + radius * e.direction[i])));
    if (e.level != ContactLevel::acceleration) continue;
    acceleration = std::max(
        acceleration,
        h2 * (e.stick_acceleration ? std::abs(e.gamma_dot[first + i])
                                   : G * std::abs(x.lambda(k) + radius_acceleration * e.direction_acceleration[i])));
  }
  return std::max(
      {position, lever * velocity / tolerance_velocity(e), lever * acceleration / tolerance_acceleration(e)});
}

double GeneralizedAlphaStep::measure_motion(int index, const Eigen::Ref<const Vector>& y) const {
  const Body& body = system.bodies()[index];
  if (body.n_u == 0) return 0.0;
  return std::sqrt(quadratic_form(system.mass(index), y.data() + body.u_offset, body.n_u) / body.mass);
}

double GeneralizedAlphaStep::measure_motion(const Eigen::Ref<const Vector>& y) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < system.bodies().size(); ++k) {
    largest = std::max(largest, measure_motion(static_cast<int>(k), y));
  }
  return largest;
}

}  // namespace stickslip
