// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/free_rotation.h"

#include <Eigen/LU>
#include <limits>

#include "stickslip/math/rotation.h"

namespace stickslip {

namespace {

/// Newton's method on omega. calc_step(omega): (3) [rad/s] what it adds.
template <class CalcStep>
FreeRotation iterate(const Vector3& start, const CalcStep& calc_step) {
  constexpr int kMaxIterations = 30;
  constexpr double kTolerance = 4.0 * std::numeric_limits<double>::epsilon();  // [-] relative step: round-off
  FreeRotation result;
  result.omega = start;
  double last_step = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vector3 step = calc_step(result.omega);
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

}  // namespace

FreeRotation solve_free_rotation(const Matrix3& J, const Matrix3& J_inverse, const Vector3& omega0,
                                 const Vector3& angular_impulse, double h1, double h2) {
  const Vector3 m = rotate(-h1 * omega0, J * omega0) + angular_impulse;
  // F(omega) = J omega - exp(-h2 omega^) m. With y = exp(-h2 omega^) m,
  // dF = J - h2 y^ J_r(h2 omega), and the right Jacobian J_r(phi) = I - phi^ / 2 + O(phi^2).
  return iterate(J_inverse * m, [&](const Vector3& omega) {
    const Vector3 phi = h2 * omega;
    const Vector3 y = rotate(-phi, m);
    const Matrix3 dF = J - h2 * skew<double>(y) * (Matrix3::Identity() - 0.5 * skew<double>(phi));
    return Vector3(dF.inverse() * (y - J * omega));
  });
}

FreeRotation solve_mean_rotation(const Matrix3& J, const Matrix3& J_inverse, const Vector3& omega0, double h) {
  const Vector3 torque = omega0.cross(J * omega0);
  if (torque.isZero(0.0)) return {omega0, true};
  return iterate(omega0 - h * (J_inverse * torque), [&](const Vector3& omega) {
    const Vector3 mean = 0.5 * (omega0 + omega);
    const Vector3 momentum = J * mean;
    const Matrix3 dF = J + 0.5 * h * (skew<double>(mean) * J - skew<double>(momentum));
    return Vector3(-(dF.inverse() * (J * (omega - omega0) + h * mean.cross(momentum))));
  });
}

std::vector<Gyroscopic> find_gyroscopic(const System& system) {
  std::vector<Gyroscopic> gyroscopic;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const int k = static_cast<int>(i);
    const Body& body = system.bodies()[i];
    if (body.type != BodyType::rigid || !body.gyroscopic) continue;
    gyroscopic.push_back({k, body.u_offset + 3, body.inertia, system.inverse_mass(k).bottomRightCorner<3, 3>()});
  }
  return gyroscopic;
}

std::string calc_mean_rotations(const System& system, const std::vector<Gyroscopic>& gyroscopic, const Vector& u,
                                double h, StopToken stop, Vector& u_work) {
  u_work = u;
  for (const Gyroscopic& k : gyroscopic) {
    stop.check();
    const FreeRotation rotation = solve_mean_rotation(k.inertia, k.inverse_inertia, u.segment<3>(k.row), h);
    if (!rotation.converged) return turns_too_far(system, k.body);
    u_work.segment<3>(k.row) = rotation.omega;
  }
  return {};
}

void calc_mean_velocity(const std::vector<Gyroscopic>& gyroscopic, const Vector& u, const Vector& u_work,
                        const Vector& u_end, Vector& u_move) {
  u_move = u_end;
  for (const Gyroscopic& k : gyroscopic) {
    u_move.segment<3>(k.row) += 0.5 * (u.segment<3>(k.row) - u_work.segment<3>(k.row));
  }
}

std::string turns_too_far(const System& system, int body) {
  return "body '" + system.bodies()[body].name + "': turns too far in one step, reduce time.step";
}

}  // namespace stickslip
