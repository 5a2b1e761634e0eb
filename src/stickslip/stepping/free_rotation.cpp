// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/free_rotation.h"

#include <Eigen/LU>
#include <limits>

#include "stickslip/math/rotation.h"

namespace stickslip {

FreeRotation solve_free_rotation(const Matrix3& J, const Matrix3& J_inverse, const Vector3& omega0,
                                 const Vector3& angular_impulse, double h1, double h2) {
  const Vector3 m = rotate(-h1 * omega0, J * omega0) + angular_impulse;
  // Newton on F(omega) = J omega - exp(-h2 omega^) m. With y = exp(-h2 omega^) m,
  // dF = J - h2 y^ J_r(h2 omega), and the right Jacobian J_r(phi) = I - phi^ / 2 + O(phi^2).
  constexpr int kMaxIterations = 30;
  constexpr double kTolerance = 4.0 * std::numeric_limits<double>::epsilon();  // [-] relative step: round-off
  FreeRotation result;
  result.omega = J_inverse * m;
  double last_step = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vector3 phi = h2 * result.omega;
    const Vector3 y = rotate(-phi, m);
    const Matrix3 dF = J - h2 * skew<double>(y) * (Matrix3::Identity() - 0.5 * skew<double>(phi));
    const Vector3 step = dF.inverse() * (y - J * result.omega);
    result.omega += step;
    const double size = step.norm();
    // The step stops shrinking when round-off is reached; a step that small is as good as it gets.
    constexpr double kStalled = 1e-12;  // [-] relative
    const double scale = result.omega.norm();
    if (size <= kTolerance * scale || (size <= kStalled * scale && size >= last_step)) {
      result.converged = true;
      return result;
    }
    last_step = size;
  }
  return result;
}

}  // namespace stickslip
