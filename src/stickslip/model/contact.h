// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/model/attachment.h"

namespace stickslip {

/// (dim) [m/s], [m/s^2], [N], ...: rows of one contact, the normal first; the rest is zero.
using ContactVector = Eigen::Matrix<double, kMaxContactDim, 1>;

/// What a named contact is, as the builder is told.
struct ContactPairOptions {
  std::string name;
  int first = 0, second = 0;                // bodies; the normal points from first to second
  int first_shape = -1, second_shape = -1;  // index into Body::shapes, -1: all shapes that can touch
  double friction = 0.0;                    // [-] mu >= 0
  double restitution_normal = 0.0;          // [-] in [0, 1]
  double restitution_tangential = 0.0;      // [-] in [0, 1]
  double contensou_radius = 0.0;            // [m] 0: none; > 0 adds the friction velocity 3 pi / 16 R (n . omega)
};

/// A named contact with its points, which are fixed by its shapes (a box on a half-space: its corners).
struct ContactPair {
  ContactPairOptions options;
  int first_point = 0;  // index into System::contact_points()
  int n_points = 0;
  int friction_dim = 0;  // n_F: 1 planar, 2 spatial, 3 with Contensou, also when mu = 0; none in limits of joints
};

/// A shape of a body, or all of them.
struct ShapeSelection {
  int body = 0;
  int shape = -1;  // index into Body::shapes; -1: all of the body's
};

/// The law of contacts between shapes that no pair names, and between which of them there are none.
struct ContactDetectionOptions {
  double friction = 0.0;                // [-] mu >= 0
  double restitution_normal = 0.0;      // [-] in [0, 1]
  double restitution_tangential = 0.0;  // [-] in [0, 1]
  double envelope = 0.0;                // [m] >= 0: how far beyond their way in a step shapes are looked for, at least
  struct Except {
    std::vector<ShapeSelection> first, second;
  };
  std::vector<Except> except;  // no contacts between a shape of `first` and one of `second`
};

/// The gap functions there are. "Ball" is a sphere or, with radius 0, a point or a corner. A joint's limit has the
/// free coordinate for a gap, an angle [rad] in a revolute joint.
enum class GapKind { half_space_ball, ball_ball, container_sphere_ball, container_cylinder_ball, joint_limit };

inline std::uint64_t make_contact_id(int pair, int point) {
  return (static_cast<std::uint64_t>(pair) << 32) | static_cast<std::uint64_t>(point);
}

/// Ids of detected contacts have this bit. Those of named ones are below it, a scheme's of other elements above.
inline constexpr std::uint64_t kDetectedBit = std::uint64_t{1} << 61;

/// ContactPoint::pair of a detected contact.
inline constexpr int kDetected = -1;

/// One point of a pair: the two features between which a gap is measured.
struct ContactPoint {
  int pair = 0;          // index into System::contacts(), or kDetected
  int index = 0;         // which point of the pair
  std::uint64_t id = 0;  // named: pair << 32 | index; detected: see detected_id()
  GapKind kind = GapKind::half_space_ball;
  Attachment first, second;            // the pair's sides at this point
  bool flipped = false;                // the kernel's first feature is on the pair's second body
  int body_a = 0, body_b = 0;          // the kernel's bodies: a carries the surface, b the ball
  Vector3 center_a = Vector3::Zero();  // (3) [m] body frame of a: sphere or cylinder centre, a point of the plane
  Vector3 axis_a = Vector3::UnitZ();   // (3) [-] body frame of a: plane normal or cylinder axis
  double radius_a = 0.0;               // [m]
  Vector3 center_b = Vector3::Zero();  // (3) [m] body frame of b
  double radius_b = 0.0;               // [m]
  int joint = -1;                      // joint_limit: index into System::joints()
  double sign = 1.0;                   // [-] joint_limit: gap = sign (coordinate - limit)
  double limit = 0.0;                  // [m, rad]
  bool turns = false;                  // whether the gap is an angle

  const Attachment& side(Side s) const { return s == Side::first ? first : second; }
};

/// A contact point at one instant; world frame. position_second - position_first = gap normal. At a joint's limit both
/// are the joint's points, normal is the direction of the force on second (zero where it is a torque), tangents zero.
struct ContactGeometry {
  double gap = 0.0;                           // [m]
  Vector3 position_first = Vector3::Zero();   // (3) [m] on the pair's first body
  Vector3 position_second = Vector3::Zero();  // (3) [m] on the pair's second body
  Vector3 normal = Vector3::Zero();           // (3) [-] from first to second
  Vector3 tangent1 = Vector3::Zero();         // (3) [-] see docs/scene-format.md
  Vector3 tangent2 = Vector3::Zero();         // (3) [-] normal x tangent1; zero in planar systems
};

/// Exact derivatives at one contact over the pair's own coordinates: q = (q_first, q_second) of
/// n_q, u likewise of n_u, each side's as its Attachment says; dim rows = normal, then friction directions.
struct ContactDerivatives {
  using GammaQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxContactDim, kMaxPairQ>;
  using GammaU = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxContactDim, kMaxPairU>;
  using ForceQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPairU, kMaxPairQ>;
  using GapQ = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMaxPairQ>;
  GapQ gap_q;          // (1, n_q) d g / dq
  GammaQ gamma_q;      // (dim, n_q) d gamma / dq
  GammaQ gamma_dot_q;  // (dim, n_q) d gamma' / dq
  GammaU gamma_dot_u;  // (dim, n_u) d gamma' / du
  ForceQ force_q;      // (n_u, n_q) d (W lambda) / dq
};

}  // namespace stickslip
