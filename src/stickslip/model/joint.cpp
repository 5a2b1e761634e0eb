// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/joint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stickslip/base/assert.h"
#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// The angle of a body of a planar system, whole turns counted where it has a coordinate for it.
double planar_angle(const Body& body, const Frame<double>& frame, double t, const Vector& q) {
  if (body.type == BodyType::planar) return q(body.q_offset + 2);
  const auto angle_of_matrix = [](const Matrix3& R) { return std::atan2(R(1, 0), R(0, 0)); };
  if (body.type != BodyType::moving) return angle_of_matrix(frame.R);
  return body.motion->angle.value(t) * body.motion->axis.z() + angle_of_matrix(body.motion->rotation0);
}

/// The coordinate that a motion asks for, relative to where the frames coincide; 0 without a motion.
double driven_angle(const Joint& joint, double t) {
  return joint.options.motion ? joint.options.motion->value(t) - joint.options.coordinate_origin : 0.0;
}

/// The one row of a gear or a coupling, summed over its terms: row(joint, part) of the free direction of each.
template <class Row>
void add_terms(const System& system, const Joint& coupling, JointVector& sum, const Row& row) {
  sum.setZero(1);
  JointVector part;
  for (const JointTerm& term : coupling.options.terms) {
    row(PairRows::free_direction(system.joints()[term.joint]), part);
    sum(0) += term.coefficient * part(0);
  }
}

/// The offset of second's point along first's axis. [m]
double slide_along_axis(const Joint& joint, const Frame<double>& first, const Frame<double>& second) {
  return slide_row<double>(joint_placement(joint, first, second), 2, {0.0, 0.0}).g;
}

/// `angle`, moved by whole turns as near to `near` as it gets: a beam's tangent does not count its turns.
double wrap_to(double near, double angle) {
  return near + std::remainder(angle - near, 2.0 * std::numbers::pi);
}

}  // namespace

std::string_view joint_type_name(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::spherical:
      return "spherical";
    case JointType::cylindrical:
      return "cylindrical";
    case JointType::universal:
      return "universal";
    case JointType::planar:
      return "planar";
    case JointType::weld:
      return "weld";
    case JointType::distance:
      return "distance";
    case JointType::knife_edge:
      return "knife-edge";
    case JointType::screw:
      return "screw";
    case JointType::rolling:
      return "rolling";
    case JointType::gear:
      return "gear";
    case JointType::coupling:
      return "coupling";
  }
  return "";
}

void System::calc_joint_position(int j, double t, const Vector& q, JointVector& g) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_position(*this, t, q, g);
  g.setZero(1);
  for (const JointTerm& term : joint.options.terms) {
    g(0) += term.coefficient * (calc_joint_coordinate(term.joint, 0, t, q) - term.start);
  }
}

void System::calc_joint_velocity(int j, double t, const Vector& q, const Vector& u, JointVector& gamma) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_velocity(*this, t, q, &u, gamma);
  add_terms(*this, joint, gamma,
            [&](const PairRows& rows, JointVector& part) { rows.calc_velocity(*this, t, q, &u, part); });
}

void System::calc_joint_jacobian(int j, double t, const Vector& q, int k, Eigen::Ref<RowMatrix> J) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) {
    return PairRows::constraint(joint).calc_jacobian(*this, t, q, static_cast<Side>(k), J);
  }
  const Attachment& at = joint.coupled[k];
  if (at.n_u == 0) return;
  J.setZero();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 1, kMaxSideDofs> part(1, at.n_u);
  for (const JointTerm& term : joint.options.terms) {
    const Joint& of_term = joints_[term.joint];
    for (const Side side : {Side::first, Side::second}) {
      if (of_term.side(side).body != at.body) continue;
      PairRows::free_direction(of_term).calc_jacobian(*this, t, q, side, part);
      J += term.coefficient * part;
    }
  }
}

void System::calc_joint_geometry(int j, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_geometry(*this, t, q, u, geometry);
  calc_joint_position(j, t, q, geometry.g);
  add_terms(*this, joint, geometry.gamma,
            [&](const PairRows& rows, JointVector& part) { rows.calc_velocity(*this, t, q, u, part); });
  geometry.unit[0] = calc_joint_reaction(j, t, q, JointVector::Ones(1));
}

void System::calc_joint_acceleration_bias(int j, double t, const Vector& q, const Vector& u, JointVector& zeta) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_acceleration_bias(*this, t, q, u, zeta);
  add_terms(*this, joint, zeta,
            [&](const PairRows& rows, JointVector& part) { rows.calc_acceleration_bias(*this, t, q, u, part); });
}

void System::calc_joint_derivatives(int j, double t, const Vector& q, const Vector& u, const Vector& a,
                                    const JointVector& lambda, JointDerivatives& derivatives) const {
  STICKSLIP_ASSERT(!joints_[j].is_coupling());
  PairRows::constraint(joints_[j]).calc_derivatives(*this, t, q, u, &a, lambda, derivatives);
}

void System::calc_term_derivatives(const JointTerm& term, double t, const Vector& q, const Vector& u, const Vector& a,
                                   double lambda, JointDerivatives& derivatives) const {
  const JointVector force = JointVector::Constant(1, term.coefficient * lambda);
  PairRows::free_direction(joints_[term.joint]).calc_derivatives(*this, t, q, u, &a, force, derivatives);
  derivatives.g_q *= term.coefficient;
  derivatives.gamma_q *= term.coefficient;
  derivatives.gamma_dot_q *= term.coefficient;
  derivatives.gamma_dot_u *= term.coefficient;
}

JointReaction System::calc_joint_reaction(int j, double t, const Vector& q, const JointVector& lambda) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_reaction(*this, t, q, lambda);
  const JointTerm& last = joint.options.terms.back();
  return calc_joint_free_reaction(last.joint, t, q, last.coefficient * lambda(0));
}

JointReaction System::calc_joint_free_reaction(int j, double t, const Vector& q, double force) const {
  return PairRows::free_direction(joints_[j]).calc_reaction(*this, t, q, JointVector::Constant(1, force));
}

JointReaction System::calc_dry_friction_reaction(int k, double t, const Vector& q, const JointVector& lambda) const {
  return dry_friction_rows(k).calc_reaction(*this, t, q, lambda);
}

bool System::joint_has_prescribed_motion(int j) const {
  const Joint& joint = joints_[j];
  const auto on_moving = [this](const Joint& at) {
    return bodies_[at.first.body].type == BodyType::moving || bodies_[at.second.body].type == BodyType::moving;
  };
  if (joint.is_coupling()) {
    return std::ranges::any_of(joint.options.terms,
                               [&](const JointTerm& term) { return on_moving(joints_[term.joint]); });
  }
  return joint.options.motion.has_value() || on_moving(joint);
}

double System::calc_joint_coordinate(int j, int c, double t, const Vector& q) const {
  const Joint& joint = joints_[j];
  const JointOptions& o = joint.options;
  if (c >= joint.n_coordinates) return std::numeric_limits<double>::quiet_NaN();
  const double origin = c == 0 ? o.coordinate_origin : 0.0;
  const Pair pair(*this, joint.first, joint.second);
  const PairCoordinates local(pair, q, nullptr, nullptr);
  const PairFrames<double> frames = pair_frames<double>(pair, t, local.q, local.u);
  if (joint.spatial || c < joint.n_free_lengths) {
    const double g = free_row(joint, c, frames.first, frames.second).g;
    if (c < joint.n_free_lengths) return g + origin;
    // A motion says how often its joint has turned, in however few steps; so does the offset of a screw.
    const double near = o.motion ? driven_angle(joint, t)
                        : o.type == JointType::screw
                            ? 2.0 * std::numbers::pi / o.pitch * slide_along_axis(joint, frames.first, frames.second)
                            : q(joint.turns_offset + c - joint.n_free_lengths);
    return wrap_to(near, g) + origin;
  }
  double turned = planar_angle(pair.second_body, frames.second, t, q) -
                  planar_angle(pair.first_body, frames.first, t, q) - o.relative_angle;
  if (pair.first.n_control > 0 || pair.second.n_control > 0) turned = wrap_to(driven_angle(joint, t), turned);
  return turned + origin;
}

double System::calc_joint_rate(int j, int c, double t, const Vector& q, const Vector& u) const {
  if (c >= joints_[j].n_coordinates) return std::numeric_limits<double>::quiet_NaN();
  JointVector rate;
  PairRows::free_directions(joints_[j], c, 1).calc_velocity(*this, t, q, &u, rate);
  return rate(0);
}

JointCoordinate System::calc_joint_coordinate(int j, int c, double t, const Vector& q, const Vector& u) const {
  return {calc_joint_coordinate(j, c, t, q), calc_joint_rate(j, c, t, q, u)};
}

void System::count_turns(double t, Vector& q) const {
  for (std::size_t i = 0; n_turns_ > 0 && i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.turns_offset < 0) continue;
    const auto j = static_cast<int>(i);
    for (int c = joint.n_free_lengths; c < joint.n_coordinates; ++c) {
      const double origin = c == 0 ? joint.options.coordinate_origin : 0.0;
      q(joint.turns_offset + c - joint.n_free_lengths) = calc_joint_coordinate(j, c, t, q) - origin;
    }
  }
}

double System::calc_joint_drive(int j, double t, const Vector& q, const Vector& u) const {
  const JointOptions& o = joints_[j].options;
  double force = o.force ? o.force->value(*this, t, q, u) : 0.0;
  if (o.spring) force -= o.spring->stiffness * (calc_joint_coordinate(j, t, q) - o.spring->rest);
  return force + calc_joint_damping(j, t, q, u);
}

double System::calc_joint_damping(int j, double t, const Vector& q, const Vector& u) const {
  const JointOptions& o = joints_[j].options;
  return o.spring && o.spring->damping > 0.0 ? -o.spring->damping * calc_joint_rate(j, 0, t, q, u) : 0.0;
}

}  // namespace stickslip
