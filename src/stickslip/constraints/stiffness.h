// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// How stiff a spring, a damper or a beam is for the bodies that it acts on: upper bounds of c/m and k/m that do not
/// depend on the state. Of a spring 1/m + |arm|^2 / I on each side, twice that where both sides can move; of a joint
/// likewise, about its axis where it turns; of a beam the square of its highest frequency.
struct ForceStiffness {
  enum class Kind { force, joint, beam };
  /// What a body gets.
  struct Side {
    int body = 0;
    double c = 0.0, k = 0.0;  // [1/s], [1/s^2]
    /// h c/m + h^2 k/m [-]
    double ratio(double h) const { return h * c + h * h * k; }
    /// The largest rate lambda of lambda^2 = c/m lambda + k/m, which bounds those of a body on the spring and damper.
    /// [1/s]
    double rate() const { return 0.5 * c + std::sqrt(0.25 * c * c + k); }
  };
  Kind kind = Kind::force;
  int index = 0;  // into System::forces(), joints() or bodies()
  std::array<Side, 2> sides;
  bool is_spring = true;  // of a joint; else its force
  /// The larger of both sides. [-]
  double ratio(double h) const { return std::max(sides[0].ratio(h), sides[1].ratio(h)); }
};

/// Of all springs, dampers and beams of a system, beams first, then forces, then joints.
std::vector<ForceStiffness> find_stiffness(const System& system);

/// Of forces that depend on the state, from their slopes at a state: those of linear ones are the same at each. A force
/// W F(x) that depends on a quantity x with x' = R u has c or k |W_i| |R_j| between two bodies, in the norm of M^-1; a
/// body gets the sum over j. So -k x - c x' on a body or in a joint counts as the spring and damper does.
class StateStiffness {
 public:
  /// The system must outlive this.
  explicit StateStiffness(const System& system);
  /// One for each, which stay until the next call. Does not allocate.
  std::span<const ForceStiffness> calc(double t, const Vector& q, const Vector& u);

 private:
  const System& system_;
  std::vector<std::array<double, 2>> of_forces_;   // (state forces) |W_i| on the sides of found_
  std::vector<std::vector<double>> of_variables_;  // (state forces, their variables) sum of |R_j|
  std::vector<ForceStiffness> found_;              // (state forces)
};

/// A force that is too stiff to be taken explicitly.
struct UnstableForce {
  std::string path;  // in the scene
  std::string text;  // what it is, h c/m and h^2 k/m, and the step that it needs
};

/// The stiffest force of the body where h times the rate of all that acts on it is largest; none where that is at most
/// `most` [-], up to which steps of h are stable.
std::optional<UnstableForce> find_unstable_force(const System& system, double t, const Vector& q, const Vector& u,
                                                 double h, double most);

/// The spring whose tension is largest by what ImplicitForces takes explicitly: the torque of a tension T on an arm,
/// h^2 T |arm| (1 + |arm| / l) / I, and a strut under compression, h^2 |T| / (l m). None where that is at most 4, up to
/// which an explicit oscillator is stable.
std::optional<UnstableForce> find_unstable_tension(const System& system, double t, const Vector& q, double h);

}  // namespace stickslip
