// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"

namespace stickslip::generalized_alpha {

struct Step;
struct StepElement;

/// What rounding of coordinates, velocities, accelerations and multipliers leaves in a residual, at least.
struct RoundOff {
  double position = 0.0;      // [m]
  double velocity = 0.0;      // [m/s]
  double acceleration = 0.0;  // [m/s^2]
};

/// What is shorter is no motion. A body that another stops has 1e-36 m/s left where gravity gives no scale, of which
/// nothing is solved for to ten digits: with zero a row of balls that is struck has inexact steps. [m]
inline constexpr double kNoLength = 1e-30;

/// sqrt(y^T M y / m) of a body, and the largest over the bodies: of velocities y (n_u), those of the bodies' points.
double measure_motion(const System& system, int body, const double* y);
double measure_motion(const System& system, const Vector& y);

/// How near an iterate is to a solution of its step.
///
/// Residuals are lengths: each block of R1, R2, R3 by body as sqrt(R^T M^-1 R / m) times dt^2, dt, 1; g, dt xi,
/// dt^2 gamma_dot; by how much friction in sliding is off its law, times dt G, dt^2 G. They are divided by
///   tolerance * displacement,  displacement = dt |u| + deviation             on position and velocity level,
///   tolerance * deviation,     deviation = dt^2 max(|a|, |M^-1 h|)           on acceleration level,
/// of the body, or of that of a contact's or joint's two bodies which moves more, plus what round-off makes of the
/// residual (RoundOff), so that error() <= 1 means solved. What one body does says nothing about another's tolerance,
/// and units play no part.
class Measure {
 public:
  /// error() of start values that are taken as they are. [-] Continued from earlier steps they err to the same side in
  /// each step: with 1 what they leave adds up to a drift; with 0 each step takes a Newton step.
  static constexpr double kContinued = 0.01;
  /// How many times a tolerance a second reading of a solved step may be off, in which residuals of several rows and
  /// levels add up, and the round-off of a sum of what acts: the natural map of an element, over 1 + mu (Certificate,
  /// Nested), and the momentum of a body (MomentumBalance). With 1e6 a state that was tampered with passes. [-]
  static constexpr double kSolved = 10.0;

  explicit Measure(const System& system);

  /// Takes the scales before a step from a state, and the accelerations (n_u) at it.
  void start(const Step& step, const State& state, const double* a);
  /// Takes those of the iterate, and sets error() and merit().
  void update(const Step& step);
  /// error() and merit() again, with other round-off.
  void judge(const Step& step);
  /// error() of the balances and of all elements but contacts.
  void update_smooth(const Step& step);

  /// The largest residual over its tolerance, <= 1: solved.
  double error() const { return error_; }
  /// The root of the sum of squares of the elements' residuals over their tolerances: what a line search lowers.
  double merit() const { return merit_; }
  /// The largest scales of all bodies. [m]
  double displacement() const { return displacement_; }
  double deviation() const { return deviation_; }
  /// Those of a body, and its speed before the step. [m], [m], [m/s]
  double displacement(int body) const { return bodies_[body].displacement; }
  double deviation(int body) const { return bodies_[body].deviation; }
  double start_speed(int body) const { return bodies_[body].start_speed; }

  /// What error() divides the residuals of an element by. [m]
  double tolerance_position(const Step& step, const StepElement& e) const;
  double tolerance_velocity(const Step& step, const StepElement& e) const;
  double tolerance_acceleration(const Step& step, const StepElement& e) const;
  /// Gaps of a contact that count as none beside what bodies move by. [m], angles of limits
  double negligible_gap(const Step& step, const StepElement& e) const;

  /// Round-off of the coordinates, in terms of velocities. (n_u) [m, rad]
  const Vector& coordinate_round_off() const { return coordinate_round_off_; }
  const RoundOff& round_off(int body) const { return bodies_[body].round_off; }
  /// Of a body's balances, no more than is excused. `force`, `percussion`: what forces [m/s^2] and percussions [m/s]
  /// are off by; `acceleration`, `velocity`: what M a and M U are.
  void set_round_off(const Step& step, int body, double force, double percussion, double acceleration, double velocity);
  /// The most that round-off may add to the tolerances of a body. [m]
  double largest_round_off(const Step& step, int body) const;
  /// Round-off as it is before derivatives are known, for an iterate that does not come from the last.
  void forget_round_off(Step& step);

 private:
  struct BodyScale {
    double start_speed = 0.0, start_acceleration = 0.0;  // [m/s], [m/s^2] before the step
    double displacement = 0.0, deviation = 0.0;          // [m]
    double remembered = 0.0;                             // [m] dt |u_known - u|: of what averages of forces move
    double beam_round_off = 0.0;                         // [m/s^2] of its internal forces, in any case
    RoundOff round_off;                                  // of its balances R3, R2, R1
  };
  void calc_scales(const Step& step);
  void limit_scales(const Step& step);
  double calc_balance(const Step& step, int body, const Vector& residual);
  void measure_balances(const Step& step);
  double displacement_of(const StepElement& e) const;
  double deviation_of(const StepElement& e) const;
  double row_round_off(const Step& step, const StepElement& e, int row) const;
  double measure_element(const Step& step, const StepElement& e) const;
  double measure_joint(const Step& step, const StepElement& e) const;

  std::vector<BodyScale> bodies_;
  Vector coordinate_round_off_;
  Vector free_, work_;                           // (n_u)
  double displacement_ = 0.0, deviation_ = 0.0;  // [m]
  double longest_ = 0.0;                         // [m] limit of the scales
  double error_ = std::numeric_limits<double>::infinity();
  double merit_ = std::numeric_limits<double>::infinity();
};

}  // namespace stickslip::generalized_alpha
