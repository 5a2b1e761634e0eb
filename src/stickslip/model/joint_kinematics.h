// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>

#include "stickslip/model/force.h"
#include "stickslip/model/joint.h"
#include "stickslip/model/kinematics.h"

namespace stickslip {

// The rows of joints, written once over the scalar S like kinematics.h. Included by the .cpp files of model/ only.

/// The angle of (c, s), in (-pi, pi]; exact derivatives away from c = s = 0.
inline double angle_of(double c, double s) {
  return std::atan2(s, c);
}
template <class V, int N>
Jet<V, N> angle_of(const Jet<V, N>& c, const Jet<V, N>& s) {
  const V norm2 = c.value() * c.value() + s.value() * s.value();
  const V along = c.value() / norm2;
  const V across = s.value() / norm2;
  Jet<V, N> angle(angle_of(c.value(), s.value()));
  for (int i = 0; i < N; ++i) angle.set_derivative(i, along * s.derivative(i) - across * c.derivative(i));
  return angle;
}

/// One row: gamma = direction . (velocity of second at on_second - of first at on_first) + axis . (w_second - w_first)
/// + tau. A unit force along it pulls second along `direction` at on_second, first the other way at on_first,
/// and turns second about `axis`.
template <class S>
struct JointRow {
  S g;
  Vec3<S> direction;            // (3) [-] world
  Vec3<S> on_first, on_second;  // (3) [m] world: material points of the two bodies
  Vec3<S> axis;                 // (3) [-] world
  S tau;                        // [m/s, rad/s] of a motion
};

/// The joint's frames in the world.
template <class S>
struct JointPlacement {
  Vec3<S> p_first, p_second;  // (3) [m]
  Mat3<S> R_first, R_second;  // (3, 3) [-]
};

template <class S>
JointPlacement<S> joint_placement(const Joint& joint, const Frame<S>& first, const Frame<S>& second) {
  const JointOptions& o = joint.options;
  return {first.p + first.R * constant_vector<S>(o.on_first.at),
          second.p + second.R * constant_vector<S>(o.on_second.at), first.R * constant_matrix<S>(o.on_first.axes),
          second.R * constant_matrix<S>(o.on_second.axes)};
}

/// A prescribed coordinate near the instant t, relative to where the joint's frames coincide: value and first rate.
template <class S>
struct JointTarget {
  S value, rate;
};

template <class S>
JointTarget<S> joint_target(const Joint& joint, const S& t) {
  if (!joint.options.motion) return {S(0.0), S(0.0)};
  const double t0 = plain_value(t);
  const S dt = t - S(t0);
  const double rate = joint.motion_rate.value(t0);
  return {S(joint.options.motion->value(t0) - joint.options.coordinate_origin) + dt * S(rate),
          S(rate) + dt * S(joint.motion_acceleration.value(t0))};
}

/// The planar angle of second relative to first less `target`, in (-pi, pi]: taken from rotated components, so that
/// it is continuous as long as the constraint is not violated by half a turn, however far the bodies have turned.
template <class S>
JointRow<S> angle_row(const JointPlacement<S>& place, const JointTarget<S>& target) {
  using std::cos;
  using std::sin;
  const Vec3<S> e1 = place.R_first.col(0);
  const Vec3<S> e2 = place.R_second.col(0);
  const S c = e1(0) * e2(0) + e1(1) * e2(1);
  const S s = e1(0) * e2(1) - e1(1) * e2(0);
  const S ct = cos(target.value);
  const S st = sin(target.value);
  const Vec3<S> zero = constant_vector<S>(Vector3::Zero());
  return {angle_of(S(c * ct + s * st), S(s * ct - c * st)),
          zero,
          place.p_first,
          place.p_second,
          constant_vector<S>(Vector3::UnitZ()),
          S(-target.rate)};
}

/// The angle of (c, s) less `target`, in (-pi, pi], where c and s change by c_axis and s_axis times the angular
/// velocity of second relative to first.
template <class S>
JointRow<S> angle_row(const JointPlacement<S>& place, const S& c, const Vec3<S>& c_axis, const S& s,
                      const Vec3<S>& s_axis, const JointTarget<S>& target) {
  using std::cos;
  using std::sin;
  const S ct = cos(target.value);
  const S st = sin(target.value);
  const S scale = S(1.0) / (c * c + s * s);
  const Vec3<S> axis = s_axis * S(c * scale) - c_axis * S(s * scale);
  return {angle_of(S(c * ct + s * st), S(s * ct - c * st)),
          constant_vector<S>(Vector3::Zero()),
          place.p_first,
          place.p_second,
          axis,
          S(-target.rate)};
}

/// In space: the angle about first's z axis from its x axis to second's.
template <class S>
JointRow<S> turn_row(const JointPlacement<S>& place, const JointTarget<S>& target) {
  const Vec3<S> x = place.R_first.col(0);
  const Vec3<S> y = place.R_first.col(1);
  const Vec3<S> e = place.R_second.col(0);
  return angle_row<S>(place, x.dot(e), e.cross(x), y.dot(e), e.cross(y), target);
}

/// The angles of a universal joint: of second's axis about first's (0), of second about its own axis (1). Each is taken
/// from the other's axis, which is the x axis where the angle is 0.
template <class S>
JointRow<S> cross_row(const JointPlacement<S>& place, int angle) {
  const JointTarget<S> origin = {S(0.0), S(0.0)};
  const Mat3<S>& R = angle == 0 ? place.R_first : place.R_second;
  const Vec3<S> x = R.col(0);
  const Vec3<S> y = R.col(1);
  const Vec3<S> e = angle == 0 ? place.R_second.col(2) : place.R_first.col(2);
  if (angle == 0) return angle_row<S>(place, x.dot(e), e.cross(x), y.dot(e), e.cross(y), origin);
  return angle_row<S>(place, x.dot(e), x.cross(e), S(-y.dot(e)), e.cross(y), origin);
}

/// A direction fixed in first (an axis of its joint frame) stays perpendicular to second's z axis: the sine of the
/// angle by which it does not. Where z axes are to agree it vanishes where they are opposite, too.
template <class S>
JointRow<S> tilt_row(const JointPlacement<S>& place, int axis) {
  const Vec3<S> e = place.R_first.col(axis);
  const Vec3<S> z = place.R_second.col(2);
  return {e.dot(z), constant_vector<S>(Vector3::Zero()), place.p_first, place.p_second, z.cross(e), S(0.0)};
}

/// A component, along an axis of first's joint frame, of the rotation from first to second: sin(angle) times its axis,
/// of which each component is half the difference of two scalar products. Vanishes at half a turn, too.
template <class S>
JointRow<S> twist_row(const JointPlacement<S>& place, int axis) {
  const int j = (axis + 1) % 3;
  const int k = (axis + 2) % 3;
  const Vec3<S> first_j = place.R_first.col(j);
  const Vec3<S> first_k = place.R_first.col(k);
  const Vec3<S> second_j = place.R_second.col(j);
  const Vec3<S> second_k = place.R_second.col(k);
  const Vec3<S> turning = second_j.cross(first_k) - second_k.cross(first_j);
  return {S(S(0.5) * (first_k.dot(second_j) - first_j.dot(second_k))),
          constant_vector<S>(Vector3::Zero()),
          place.p_first,
          place.p_second,
          turning * S(0.5),
          S(0.0)};
}

/// The relative rotation about an axis in the world: the direction alone, g is zero.
template <class S>
JointRow<S> spin_row(const JointPlacement<S>& place, const Vec3<S>& axis) {
  return {S(0.0), constant_vector<S>(Vector3::Zero()), place.p_first, place.p_second, axis, S(0.0)};
}

/// The offset of second's point along a direction fixed in first (an axis of its joint frame), less `target`. The
/// force acts on first where second's point is.
template <class S>
JointRow<S> slide_row(const JointPlacement<S>& place, int axis, const JointTarget<S>& target) {
  const Vec3<S> d = place.R_first.col(axis);
  return {S(d.dot(Vec3<S>(place.p_second - place.p_first)) - target.value),
          d,
          place.p_second,
          place.p_second,
          constant_vector<S>(Vector3::Zero()),
          S(-target.rate)};
}

/// The two points coincide along a world direction.
template <class S>
JointRow<S> point_row(const JointPlacement<S>& place, int axis) {
  const Vec3<S> zero = constant_vector<S>(Vector3::Zero());
  return {S(place.p_second(axis) - place.p_first(axis)),
          constant_vector<S>(Vector3::Unit(axis)),
          place.p_first,
          place.p_second,
          zero,
          S(0.0)};
}

template <class S>
JointRow<S> distance_row(const JointPlacement<S>& place, double length) {
  Vec3<S> d = place.p_second - place.p_first;
  const S distance = normalize_or<S>(d, place.R_first.col(0));
  return {S(distance - S(length)), d, place.p_first, place.p_second, constant_vector<S>(Vector3::Zero()), S(0.0)};
}

/// No velocity across the blade, relative to first at the same place: in a plane along the y axis of second's joint
/// frame, in space across first's z axis and second's x axis, the blade.
template <class S>
JointRow<S> knife_edge_row(const Joint& joint, const JointPlacement<S>& place) {
  Vec3<S> across = place.R_second.col(1);
  if (joint.spatial) {
    across = Vec3<S>(place.R_first.col(2)).cross(Vec3<S>(place.R_second.col(0)));
    normalize_or<S>(across, place.R_second.col(1));
  }
  return {S(0.0), across, place.p_second, place.p_second, constant_vector<S>(Vector3::Zero()), S(0.0)};
}

/// The offset along first's z axis less what the turning about it makes of it, in half a pitch to either side: whole
/// turns do not count, so that poses tell it.
template <class S>
JointRow<S> screw_row(const JointPlacement<S>& place, double pitch) {
  const double per_angle = pitch / (2.0 * std::numbers::pi);
  const JointTarget<S> still = {S(0.0), S(0.0)};
  JointRow<S> row = slide_row(place, 2, still);
  const JointRow<S> turn = turn_row<S>(place, {S(row.g * S(1.0 / per_angle)), S(0.0)});
  row.g = S(-per_angle) * turn.g;
  row.axis = turn.axis * S(-per_angle);
  return row;
}

/// The disc of radius R about second's point, second's z axis its axle, on the plane through first's point across
/// first's z axis: the velocity of its lowest point relative to first, along an axis of first's joint frame; along z
/// with its height. The lowest point is the place of least height on the rim, so that the rate of the height is the
/// velocity of the material point there.
template <class S>
JointRow<S> rolling_row(const JointPlacement<S>& place, int axis, double radius) {
  using std::sqrt;
  const Vec3<S> n = place.R_first.col(2);
  const Vec3<S> axle = place.R_second.col(2);
  const S along = n.dot(axle);
  const Vec3<S> up = n - axle * along;
  const S sine = sqrt(up.squaredNorm());
  const Vec3<S> lowest = place.p_second - up * S(S(radius) / sine);
  const S height = n.dot(Vec3<S>(place.p_second - place.p_first)) - S(radius) * sine;
  return {axis == 2 ? height : S(0.0),
          place.R_first.col(axis),
          lowest,
          lowest,
          constant_vector<S>(Vector3::Zero()),
          S(0.0)};
}

/// All rows of a joint in space; rows (joint.dim). Forces first, torques last.
template <class S>
void spatial_joint_rows(const Joint& joint, const S& t, const JointPlacement<S>& place, JointRow<S>* rows) {
  const JointTarget<S> still = {S(0.0), S(0.0)};
  const bool driven = joint.options.motion.has_value();
  const auto meet = [&] {
    for (int i = 0; i < 3; ++i) *rows++ = point_row(place, i);
  };
  const auto stay_on_axis = [&] {
    for (int i = 0; i < 2; ++i) *rows++ = slide_row(place, i, still);
  };
  const auto keep_axis = [&] {
    for (int i = 0; i < 2; ++i) *rows++ = tilt_row(place, i);
  };
  const auto keep_rotation = [&] {
    for (int i = 0; i < 3; ++i) *rows++ = twist_row(place, i);
  };
  switch (joint.options.type) {
    case JointType::revolute:
      meet();
      keep_axis();
      if (driven) *rows = turn_row(place, joint_target(joint, t));
      break;
    case JointType::prismatic:
      if (driven) *rows++ = slide_row(place, 2, joint_target(joint, t));
      stay_on_axis();
      keep_rotation();
      break;
    case JointType::spherical:
      meet();
      break;
    case JointType::cylindrical:
      stay_on_axis();
      keep_axis();
      break;
    case JointType::universal:
      meet();
      *rows = tilt_row(place, 2);
      break;
    case JointType::planar:
      *rows++ = slide_row(place, 2, still);
      keep_axis();
      break;
    case JointType::weld:
      meet();
      keep_rotation();
      break;
    case JointType::distance:
      if (joint.dim > 0) *rows = distance_row(place, joint.options.length);
      break;
    case JointType::knife_edge:
      *rows = knife_edge_row(joint, place);
      break;
    case JointType::screw:
      stay_on_axis();
      *rows++ = screw_row(place, joint.options.pitch);
      keep_axis();
      if (driven) *rows = turn_row(place, joint_target(joint, t));
      break;
    case JointType::rolling:
      for (const int axis : {2, 0, 1}) *rows++ = rolling_row(place, axis, joint.options.radius);
      break;
    case JointType::gear:
    case JointType::coupling:
      break;
  }
}

/// All rows of a joint; rows (joint.dim).
template <class S>
void joint_rows(const Joint& joint, const S& t, const Frame<S>& first, const Frame<S>& second, JointRow<S>* rows) {
  const JointPlacement<S> place = joint_placement(joint, first, second);
  if (joint.spatial) return spatial_joint_rows(joint, t, place, rows);
  const JointTarget<S> target = joint_target(joint, t);
  const JointTarget<S> still = {S(0.0), S(0.0)};
  switch (joint.options.type) {
    case JointType::revolute:
      rows[0] = point_row(place, 0);
      rows[1] = point_row(place, 1);
      if (joint.options.motion) rows[2] = angle_row(place, target);
      break;
    case JointType::prismatic: {
      const int driven = joint.options.motion ? 1 : 0;
      if (driven) rows[0] = slide_row(place, 0, target);
      rows[driven] = slide_row(place, 1, still);
      rows[driven + 1] = angle_row(place, still);
      break;
    }
    case JointType::weld:
      rows[0] = point_row(place, 0);
      rows[1] = point_row(place, 1);
      rows[2] = angle_row(place, still);
      break;
    case JointType::distance:
      if (joint.dim > 0) rows[0] = distance_row(place, joint.options.length);
      break;
    case JointType::knife_edge:
      rows[0] = knife_edge_row(joint, place);
      break;
    case JointType::spherical:
    case JointType::cylindrical:
    case JointType::universal:
    case JointType::planar:
    case JointType::screw:
    case JointType::rolling:  // those up to here are in space only
    case JointType::gear:
    case JointType::coupling:  // sums over other joints
      break;
  }
}

/// A free direction of a joint, its coordinate relative to where the joint's frames coincide.
template <class S>
JointRow<S> free_row(const Joint& joint, int direction, const Frame<S>& first, const Frame<S>& second) {
  const JointPlacement<S> place = joint_placement(joint, first, second);
  const JointTarget<S> origin = {S(0.0), S(0.0)};
  switch (joint.options.type) {
    case JointType::spherical:
      return joint.options.armature > 0.0 ? spin_row<S>(place, place.R_first.col(direction))
                                          : spin_row<S>(place, constant_vector<S>(Vector3::Unit(direction)));
    case JointType::cylindrical:
      return direction == 0 ? slide_row(place, 2, origin) : turn_row(place, origin);
    case JointType::universal:
      return cross_row(place, direction);
    case JointType::planar:
      return direction < 2 ? slide_row(place, direction, origin) : turn_row(place, origin);
    case JointType::distance:
      return distance_row(place, 0.0);
    case JointType::revolute:
    case JointType::screw:
      return joint.spatial ? turn_row(place, origin) : angle_row(place, origin);
    case JointType::prismatic:
    case JointType::weld:
    case JointType::knife_edge:
    case JointType::rolling:
    case JointType::gear:
    case JointType::coupling:
      break;
  }
  return slide_row(place, joint.spatial ? 2 : 0, origin);
}

/// The relative velocity of two material points: along an axis fixed in first, or along the axes of the world.
template <class S>
void friction_rows(const DryFriction& law, int dim, const Frame<S>& first, const Frame<S>& second, JointRow<S>* rows) {
  const Vec3<S> on_first = first.p + first.R * constant_vector<S>(law.at_first);
  const Vec3<S> on_second = second.p + second.R * constant_vector<S>(law.at_second);
  const Vec3<S> zero = constant_vector<S>(Vector3::Zero());
  for (int i = 0; i < dim; ++i) {
    const Vec3<S> direction =
        law.axis ? Vec3<S>(first.R * constant_vector<S>(*law.axis)) : constant_vector<S>(Vector3::Unit(i));
    rows[i] = {S(0.0), direction, on_first, on_second, zero, S(0.0)};
  }
}

template <class S>
S joint_row_velocity(const JointRow<S>& row, const Frame<S>& first, const Frame<S>& second) {
  const Vec3<S> v_second = second.v + second.w.cross(Vec3<S>(row.on_second - second.p));
  const Vec3<S> v_first = first.v + first.w.cross(Vec3<S>(row.on_first - first.p));
  const Vec3<S> w = second.w - first.w;
  return row.direction.dot(Vec3<S>(v_second - v_first)) + row.axis.dot(w) + row.tau;
}

}  // namespace stickslip
