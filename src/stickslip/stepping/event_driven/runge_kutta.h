// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

#include "stickslip/math/types.h"

namespace stickslip::event_driven {

/// One step of y' = f(t, y) by the explicit Runge-Kutta pair of Dormand and Prince: the result is of fifth order, the
/// difference to the one of fourth order that is embedded estimates its error, and a polynomial of fourth order runs
/// through the step [Dormand1980, Hairer1993 section II.5].
class RungeKutta {
 public:
  /// y' (n) at (t, y); false where it is not finite.
  using Rates = std::function<bool(double t, const Vector& y, Vector& rates)>;

  explicit RungeKutta(Rates rates) : rates_(std::move(rates)) {}

  /// Where the steps to come start; false where the rates there are not finite.
  bool start(double t, const Vector& y);
  /// A step of length h > 0 from there; may be called again with another one. False where rates on the way are not
  /// finite: there is no end then.
  bool step(double h);

  double start_time() const { return t_; }        // [s]
  double length() const { return h_; }            // [s]
  const Vector& start() const { return y_; }      // (n)
  const Vector& end() const { return end_; }      // (n)
  const Vector& error() const { return error_; }  // (n) of the result of fourth order
  /// y (n) at t + theta h, theta in [0, 1].
  void interpolate(double theta, Vector& y) const;

 private:
  Rates rates_;
  double t_ = 0.0, h_ = 0.0;
  Vector y_, end_, error_, at_;
  std::array<Vector, 7> k_;
};

}  // namespace stickslip::event_driven
