// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

class System;

/// A force at a point of a body, and a torque on it.
struct BodyInput {
  int body = 0;
  Vector3 force = Vector3::Zero();   // (3) [N]
  Vector3 torque = Vector3::Zero();  // (3) [N m]
  Vector3 at = Vector3::Zero();      // (3) [m] body frame: where the force acts; the origin is the centre of mass
  double parameter = 0.0;            // [-] on a beam: xi of the cross-section that has the frame
  bool body_frame = false;           // components in the body frame, with which they turn, instead of the world's
  bool operator==(const BodyInput&) const = default;
};

/// A force or torque in a joint's free direction, on second; first gets the opposite.
struct JointInput {
  int joint = 0;
  double effort = 0.0;  // [N, N m]
  bool operator==(const JointInput&) const = default;
};

/// The value of an input of the system by name.
struct NamedValue {
  int input = 0;       // into System::inputs()
  double value = 0.0;  // before it is clamped to the input's range
  bool operator==(const NamedValue&) const = default;
};

/// Forces on bodies and efforts in joints that a caller, such as a controller, sets between steps. They stay until they
/// are changed. In a step each input is constant in the frame that it is given in; where bodies go in the step, arms
/// and axes go with them. The cost is in proportion to the inputs, not to the bodies. Numbers that are not finite are
/// accepted here and fail the step.
class Inputs {
 public:
  /// A force and torque in the world frame on a body at its origin, the centre of mass (of a beam: at xi = 0), in the
  /// place of what was set there before. This and what follows throw InputError, and change nothing, where there is no
  /// such body or joint, or where it cannot take the input: a body that cannot move, a torque on a point, a force out
  /// of the plane of a planar system, a joint without a free direction.
  void set_force(const System& system, int body, const Vector3& force, const Vector3& torque = Vector3::Zero());
  /// The same at any point and in either frame. Inputs at different points of a body, or in different frames, add up.
  void set(const System& system, const BodyInput& input);
  /// A force or torque in the free direction of a joint with one coordinate: revolute, prismatic, distance with limits.
  void set_effort(const System& system, int joint, double effort);
  /// The value of an input by name, in the place of the one of the scene. NaN: that of the scene again.
  void set_named(const System& system, int input, double value);
  /// Value of a named input at (t, q, u), clamped to its range.
  double named(const System& system, int input, double t, const Vector& q, const Vector& u) const;
  /// No inputs. Keeps the memory.
  void clear();

  bool empty() const { return bodies_.empty() && joints_.empty() && named_.empty(); }
  const std::vector<BodyInput>& bodies() const { return bodies_; }  // by body, then in the order in which they were set
  const std::vector<JointInput>& joints() const { return joints_; }  // by joint
  const std::vector<NamedValue>& named() const { return named_; }    // by input
  bool operator==(const Inputs&) const = default;

  /// Takes inputs from elsewhere, such as a file. False, and nothing is taken, where they are not in order.
  bool assign(std::vector<BodyInput> bodies, std::vector<JointInput> joints, std::vector<NamedValue> named = {});
  /// Throws InputError where `system` cannot take one of them.
  void check(const System& system) const;

 private:
  std::vector<BodyInput> bodies_;
  std::vector<JointInput> joints_;
  std::vector<NamedValue> named_;
};

}  // namespace stickslip
