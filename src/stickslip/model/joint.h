// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/model/attachment.h"
#include "stickslip/model/body.h"
#include "stickslip/model/state_expression.h"

namespace stickslip {

/// Most constraint rows of one joint.
inline constexpr int kMaxJointDim = 6;

/// What a joint leaves free, its axis the z axis of its frame in the first body:
///   revolute     the rotation about its axis through its point; in a plane about its point
///   prismatic    the translation along its axis; in a plane along the x axis of the frame
///   spherical    all rotations about its point (spatial)
///   cylindrical  the translation along its axis and the rotation about it (spatial)
///   universal    the rotations about its axis, and about the z axis of the second body's frame, which stays
///                perpendicular to it (spatial)
///   planar       the translations across its axis and the rotation about it (spatial)
///   weld         nothing
///   distance     all but the distance of two points; with limits that, too
///   knife_edge   nonholonomic: all but the velocity of the second body's point across its blade, the x axis of its
///                frame in the second body; in space across the axis in the first body, too
///   screw        the rotation about its axis, along which it moves by its pitch a turn (spatial)
///   rolling      all motions in which the disc that is fixed in the second body rolls on the plane across the axis in
///                the first, its lowest point at rest there (spatial): a height, and two rows that are nonholonomic
///   gear         all but one combination of two joints' coordinates: see JointTerm
///   coupling     all but one combination of any number of joints' coordinates: see JointTerm
enum class JointType {
  revolute,
  prismatic,
  spherical,
  cylindrical,
  universal,
  planar,
  weld,
  distance,
  knife_edge,
  screw,
  rolling,
  gear,
  coupling
};

/// Properties of a type of joint.
struct JointTraits {
  std::string_view name;       // in scene files
  int n_coordinates = 0;       // that a scene gives numbers for; of a distance where it has limits
  bool places_bodies = false;  // one of its bodies follows from the other and the coordinates
};
const JointTraits& joint_traits(JointType type);
inline std::string_view joint_type_name(JointType type) {
  return joint_traits(type).name;
}

/// Most coordinates that a joint leaves free: lengths first, then angles.
inline constexpr int kMaxJointCoordinates = 3;

/// Where a joint sits on a body: x_B = at + frame x_J. The z axis is the joint's; in a plane the x axis is the free
/// direction of a prismatic joint and the blade of a knife-edge.
struct JointFrame {
  Vector3 at = Vector3::Zero();        // (3) [m] body frame
  Matrix3 axes = Matrix3::Identity();  // (3, 3) [-] joint to body frame
  double parameter = 0.0;              // [-] on a beam: xi of the cross-section whose frame stands for the body's

  /// The frame that is at `at` with axes `axes`, in the world, when the body has that pose.
  static JointFrame from_world(const Pose& body, const Vector3& at, const Matrix3& axes) {
    return {body.R_WB.transpose() * (at - body.p_WB), body.R_WB.transpose() * axes, 0.0};
  }
};

/// A linear spring and damper in a joint's free direction: -(stiffness (coordinate - rest) + damping rate) on second.
struct JointSpring {
  double stiffness = 0.0;  // [N/m, N m/rad] >= 0
  double damping = 0.0;    // [N s/m, N m s/rad] >= 0
  double rest = 0.0;       // [m, rad]
  bool operator==(const JointSpring&) const = default;
};

/// Whether forces include those of joint springs and dampers, which may be rows of a step's problem instead.
enum class JointSprings { included, left_out };

/// Stops of a joint: low <= coordinate <= high, each a frictionless contact on the coordinate.
struct JointLimits {
  double low = 0.0, high = 0.0;  // [m, rad] low < high
  double restitution = 0.0;      // [-] in [0, 1]
  bool operator==(const JointLimits&) const = default;
};

/// One joint of a linear relation between the coordinates of joints that have one coordinate each:
///   sum of coefficient (x - start) = 0.
/// Such a relation is a gear (two joints, -ratio and 1) or a coupling. Its force lambda acts on the coordinate of each
/// joint as a drive there does: coefficient lambda on second, against first.
struct JointTerm {
  int joint = -1;            // into System::joints()
  double coefficient = 1.0;  // [-, rad/m, m/rad] not 0
  double start = 0.0;        // [rad, m] coordinates that belong together
  bool operator==(const JointTerm&) const = default;
};

/// What a servo or a force of a joint follows: a number, an expression of t and the state, or an input of the system.
struct Signal {
  StateExpression value;  // where there is no input
  int input = -1;         // into System::inputs()
  double gain = 1.0, offset = 0.0;
};

/// A servo in a joint's free direction, on second:
///   effort = stiffness (target - coordinate) + damping (rate - its rate), projected on [low, high],
/// with the coordinate and its rate at the end of the step: a row of the step's problem.
struct JointServo {
  double stiffness = 0.0;  // [N/m, N m/rad] >= 0; 0: of velocities
  double damping = 0.0;    // [N s/m, N m s/rad] >= 0
  Signal target;           // [m, rad]
  Signal rate;             // [m/s, rad/s]
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // [N, N m]
};

/// Bounds of what servos, forces and inputs of a joint do together. [N, N m]
struct EffortLimit {
  double low = 0.0, high = 0.0;  // low <= high
  bool operator==(const EffortLimit&) const = default;
};

/// The description of a joint for the builder. The two frames coincide where the joint's coordinates are 0, but for a
/// universal joint, where the z axis of the second is the x axis of the first and the other way round; of a distance
/// and of a spherical joint only the points count.
struct JointOptions {
  std::string name;
  JointType type = JointType::revolute;
  int first = 0, second = 0;  // bodies; coordinates and reactions are those of second relative to first
  JointFrame on_first, on_second;
  double length = 0.0;               // [m] distance only, > 0; without a meaning where it has limits
  double pitch = 0.0;                // [m a turn] screw only, not 0; left-handed where negative
  double radius = 0.0;               // [m] rolling only, > 0: of the disc
  std::optional<Expression> motion;  // prescribed coordinate [rad] or [m]: revolute, screw and prismatic
  double coordinate_origin = 0.0;    // [rad] or [m] the (first) coordinate where the frames coincide
  std::optional<JointSpring>
      spring;  // this and force: revolute, screw, prismatic, distance with limits: in the free direction; of a
               // spherical joint the damping alone, times the relative angular velocity
  std::optional<StateExpression> force;  // [N, N m] applied to second; one that depends on the state may be set later
  double friction = 0.0;          // [N, N m] >= 0: bound of the dry friction in the free directions, isotropic; of
                                  // the force where lengths and angles are free, about each axis of a universal one
  double friction_torque = 0.0;   // [N m] >= 0: that of the torque where lengths and angles are free
  double friction_of_load = 0.0;  // [-] prismatic, [m] revolute, coefficient times radius, >= 0: of the joint's load
                                  // in the step before (calc_joint_load), added to the bound
  std::optional<JointLimits> limits;  // revolute, screw, prismatic, distance, of which the coordinate is then the
                                      // distance; not with a motion
  std::vector<JointServo> servos;     // of joints with one coordinate, as what follows
  std::vector<Signal> forces;         // [N, N m] added to force: of inputs
  std::optional<EffortLimit> effort_limit;
  double armature = 0.0;         // [kg, kg m^2] >= 0: armature rate^2 / 2 more kinetic energy; of joints with one
                                 // coordinate, and of spherical ones with the relative angular velocity
  std::vector<JointTerm> terms;  // of a gear or a coupling, whose bodies follow from its joints
  double relative_angle = 0.0;   // [rad] planar: phi_second - phi_first where the frames coincide, whole turns
                                 // included; the builder takes the nearest that agrees with the frames
};

/// A bilateral constraint, its rows
///   g(t, q) = 0                             of the first n_position_rows,
///   gamma(t, q, u) = W^T u + tau(t) = 0     of all; gamma = g' where there is a g.
/// Length rows in m are first, angle rows in rad last. A motion adds a row.
struct Joint {
  JointOptions options;
  Attachment first, second;                     // of a gear or a coupling those of its last joint
  std::vector<Attachment> coupled;              // all bodies of a gear's or coupling's joints, those that move first
  int rotor = -1;                               // a coupling that ties a rotor to its joint: the body, which is coupled
  int dim = 0;                                  // rows
  int n_angle_rows = 0;                         // the last ones
  int n_position_rows = 0;                      // the first ones: the others are nonholonomic, of g they have zeros
  bool spatial = false;                         // in a spatial system
  int n_free = 0;                               // free directions with rows: those of coordinates, or a ball's torques
  int n_free_lengths = 0;                       // the first of them
  int n_coordinates = 0;                        // n_free, or none
  int turns_offset = -1;                        // in space: where q has the whole turns of the first angle, -1: none
  Expression motion_rate, motion_acceleration;  // exact derivatives of options.motion

  const Attachment& side(Side s) const { return s == Side::first ? first : second; }
  /// Whether it relates coordinates of joints: a gear or a coupling.
  bool is_coupling() const { return !options.terms.empty(); }
  /// The bodies that its rows act on: first and second, or all that it couples.
  int n_sides() const { return is_coupling() ? static_cast<int>(coupled.size()) : 2; }
  const Attachment& side(int k) const { return is_coupling() ? coupled[k] : (k == 0 ? first : second); }
  /// Whether a lever makes a length of it: also of a coupling, whose units may be mixed.
  bool is_angle_row(int row) const { return row >= dim - n_angle_rows || options.type == JointType::coupling; }
  /// Whether there is one free direction, in which springs, forces and limits act.
  bool has_single_coordinate() const { return n_coordinates == 1; }
  /// The directions in which springs and dampers act: of a spherical joint all, for dampers.
  int n_driven() const { return options.type == JointType::spherical ? n_free : 1; }
  /// Whether the only coordinate is an angle.
  bool turns() const { return n_coordinates == 1 && n_free_lengths == 0; }
  /// Whether a spring or a force acts in the free direction.
  bool is_driven(JointSprings springs = JointSprings::included) const {
    return options.force.has_value() || (options.spring.has_value() && springs == JointSprings::included);
  }
  /// Whether what acts there is found by the step: servos, inputs by name, limits of the effort.
  bool has_servos() const { return !options.servos.empty() || !options.forces.empty() || options.effort_limit; }
};

/// A free coordinate of a joint, positive for second relative to first; NaN where a joint has none. cylindrical:
/// offset, angle; planar: offsets along the x and y axes of the frame in first, angle; universal: the angle about the
/// axis in first, then about that in second.
struct JointCoordinate {
  double coordinate;  // [rad] whole turns counted, or [m]
  double rate;        // [rad/s] or [m/s]
};

/// What a joint does to its second body, world frame; the torque is about the joint's point on it.
struct JointReaction {
  Vector3 force;   // (3) [N]
  Vector3 torque;  // (3) [N m]
};

/// (dim) [m, rad], [m/s, rad/s], ...: rows of one joint.
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxJointDim, 1>;

/// An input of a system by name, which servos and forces may follow.
struct NamedInput {
  std::string name;
  StateExpression value;  // until a caller gives another
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // clamped
};

/// All that a step on velocities needs of a joint or a dry friction element at one instant.
struct PairGeometry {
  JointVector g;      // (dim) [m, rad]; zero where there is none
  JointVector gamma;  // (dim) [m/s, rad/s]
  // W^T of first and second, each (dim, n_u of its side); not set of gears and couplings.
  std::array<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxJointDim, kMaxSideDofs>, 2> W;
  std::array<JointReaction, kMaxJointDim> unit;  // (dim) what one unit of each row does to second
};

/// Exact derivatives of one joint's rows over the pair's own coordinates q = (q_first, q_second) of n_q, u likewise
/// of n_u, each side's as its Attachment says. lambda and a are held constant.
struct JointDerivatives {
  using RowsQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxJointDim, kMaxPairQ>;
  using RowsU = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxJointDim, kMaxPairU>;
  using ForceQ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPairU, kMaxPairQ>;
  RowsQ g_q;          // (dim, n_q) d g / dq; zero in rows that are nonholonomic
  RowsQ gamma_q;      // (dim, n_q) d gamma / dq
  RowsQ gamma_dot_q;  // (dim, n_q) d gamma' / dq, gamma' = W^T a + zeta(t, q, u)
  RowsU gamma_dot_u;  // (dim, n_u) d gamma' / du
  ForceQ force_q;     // (n_u, n_q) d (W lambda) / dq
};

}  // namespace stickslip
