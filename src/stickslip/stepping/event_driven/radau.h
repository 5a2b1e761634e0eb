// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

#include "stickslip/math/types.h"

namespace stickslip::event_driven {

/// One step of y' = f(t, y) by the collocation method of Radau (type IIA) with three stages, which is of fifth order
/// and L-stable [Hairer1996 section IV.8, the code RADAU5]: for motion whose friction turns to the direction of slip
/// far quicker than anything else changes, as where a body has just begun to slide. The last stage is the end, so that
/// a start at rest, where that friction has no derivative, is never looked at. With A the matrix of the method,
///
///   Y_i = y_0 + h sum_j A_ij f(t_0 + c_j h, Y_j)
///
/// is solved by Newton's method for the velocities in y, each stage with its own stiff part K of du'/du; all else
/// follows by repetition. The error is that of an embedded formula of third order, filtered by K.
class Radau {
 public:
  /// y' (n) at (t, y); false where it is not finite.
  using Rates = std::function<bool(double t, const Vector& y, Vector& rates)>;
  /// The stiff part of du'/du (n_u, n_u) [1/s], where rates were taken last.
  using Slopes = std::function<void(Matrix& slopes)>;

  /// Velocities are y.segment(first, count). What Newton's method leaves is a hundredth of absolute + relative |u|.
  Radau(Rates rates, Slopes slopes, Eigen::Index first, Eigen::Index count, double relative, double absolute)
      : rates_(std::move(rates)),
        slopes_(std::move(slopes)),
        first_(first),
        count_(count),
        relative_(relative),
        absolute_(absolute) {}

  /// Where the steps to come start; false where the rates there are not finite.
  bool start(double t, const Vector& y);
  /// A step of length h > 0 from there; may be called again with another one. False where rates on the way are not
  /// finite, or Newton's method does not settle: there is no end then.
  bool step(double h);

  double start_time() const { return t_; }          // [s]
  const Vector& start() const { return y_; }        // (n)
  const Vector& end() const { return stages_[2]; }  // (n)
  const Vector& error() const { return error_; }    // (n) of a result of third order
  /// y (n) at t + theta h, theta in [0, 1], by the polynomial of collocation.
  void interpolate(double theta, Vector& y) const;

 private:
  static constexpr int kStages = 3;

  void predict(double h);
  bool settle(double h);
  void estimate_error(double h);

  Rates rates_;
  Slopes slopes_;
  Eigen::Index first_, count_;
  double relative_, absolute_;
  double t_ = 0.0;
  Vector y_, start_rates_, error_;
  Matrix start_slopes_;
  std::array<Vector, kStages> stages_, stage_rates_;
  std::array<Matrix, kStages> stage_slopes_;
  Matrix newton_;        // (3 n_u, 3 n_u)
  Vector off_, change_;  // (3 n_u)
};

}  // namespace stickslip::event_driven
