// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "stickslip/math/types.h"

namespace stickslip {

/// Which method of SUNDIALS [Hindmarsh2005].
enum class SundialsMethod : int {
  erk,   // ARKODE, ERKStep: the explicit pair of Dormand and Prince of orders 5 and 4
  dirk,  // ARKODE, ARKStep: a diagonally implicit, L-stable pair of orders 5 and 4 [Kennedy2003, ARK5(4)8L[2]SA]
  bdf,   // CVODE: backward differentiation formulas of orders 1 to 5
};

/// Whether the library was built with SUNDIALS.
bool has_sundials();
/// What is said where it was not, behind what is allowed then.
inline constexpr const char* kWithoutSundials =
    ": this program was built without SUNDIALS, which scripts/setup fetches before a build";
/// Throws InputError where it was not: scheme.integrator = `name`, or else what is `available`.
void require_sundials(std::string_view name, const std::string& available);

/// y' = f(t, y) by a method of SUNDIALS, step by step of its own choice, to tolerances: the first numbers of y are the
/// motion, the rest integrals, on which f does not depend, each with a tolerance of its own; of their local errors e
///
///   sum_i (e_i / tolerance_i)^2 <= 1,   tolerance_i = absolute + relative |y_i| of the motion,
///
/// so that each is within its own. The implicit methods solve by Newton's method: with a dense matrix of differences
/// over the motion, or, where this has many numbers, by GMRES without a matrix [Saad1986], whose products are
/// differences, too: what is stiff in our equations is a projection on what contacts and joints hold, so that it has
/// few eigenvalues, and some products are enough, however many bodies there are.
///
/// start() forgets all that was before: the same start has the same bits.
class SundialsIntegrator {
 public:
  /// y' (n) at (t, y); false where it cannot be had: a shorter step is tried. What it throws passes through step() and
  /// start().
  using Rates = std::function<bool(double t, const Vector& y, Vector& rates)>;

  /// Tolerances [-] and [units of y] > 0. The library must have SUNDIALS.
  SundialsIntegrator(SundialsMethod method, double relative, double absolute, Rates rates);
  SundialsIntegrator(const SundialsIntegrator&) = delete;
  SundialsIntegrator& operator=(const SundialsIntegrator&) = delete;
  ~SundialsIntegrator();

  /// Begins at (t, y), to go to t_end > t, beyond which f is not asked for. tolerances (n - n of the motion) > 0 [units
  /// of y]: of the integrals. Whether that could be begun.
  bool start(double t, const Vector& y, const Vector& tolerances, double t_end);
  /// One step, not beyond t_most, the last one to t_end exactly. False: message() says why it cannot be made.
  bool step(double t_most = std::numeric_limits<double>::infinity());

  double start_time() const { return t_start_; }  // [s] of the last step
  double time() const { return t_; }              // [s] its end
  const Vector& start() const { return start_; }  // (n)
  const Vector& end() const { return end_; }      // (n)
  /// y (n) at a time within the last step, by the method's own polynomial.
  void interpolate(double t, Vector& y);

  const std::string& message() const { return message_; }
  long evaluations() const { return evaluations_; }  // of f since the integrator was made

 private:
  struct Memory;
  friend struct Memory;

  SundialsMethod method_;
  double relative_, absolute_;
  Rates rates_;
  std::unique_ptr<Memory> memory_;
  double t_start_ = 0.0, t_ = 0.0, t_end_ = 0.0;
  Vector start_, end_;
  std::string message_;
  long evaluations_ = 0;
};

}  // namespace stickslip
