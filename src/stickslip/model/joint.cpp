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

/// The free directions of a joint that a coupling has rows for.
PairRows coupled_rows(const Joint& joint, const Joint& coupling) {
  return PairRows::free_directions(joint, 0, coupling.dim);
}

/// The rows of a gear or a coupling, summed over its terms: row(joint, part) of the free directions of each.
template <class Row>
void add_terms(const System& system, const Joint& coupling, JointVector& sum, const Row& row) {
  sum.setZero(coupling.dim);
  JointVector part;
  for (const JointTerm& term : coupling.options.terms) {
    row(coupled_rows(system.joints()[term.joint], coupling), part);
    sum += term.coefficient * part;
  }
}

/// The rates of rows, those of a rotor taken off. u null: velocities zero.
void add_velocities(const System& system, const Joint& coupling, double t, const Vector& q, const Vector* u,
                    JointVector& gamma) {
  add_terms(system, coupling, gamma,
            [&](const PairRows& rows, JointVector& part) { rows.calc_velocity(system, t, q, u, part); });
  if (coupling.rotor >= 0 && u != nullptr) {
    gamma -= u->segment(system.bodies()[coupling.rotor].u_offset, coupling.dim);
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

const JointTraits& joint_traits(JointType type) {
  static constexpr std::array<JointTraits, 13> kTraits = {{{"revolute", 1, true},
                                                           {"prismatic", 1, true},
                                                           {"spherical", 0, true},
                                                           {"cylindrical", 2, true},
                                                           {"universal", 2, true},
                                                           {"planar", 3, true},
                                                           {"weld", 0, true},
                                                           {"distance", 1, false},
                                                           {"knife-edge", 0, false},
                                                           {"screw", 1, true},
                                                           {"rolling", 0, false},
                                                           {"gear", 0, false},
                                                           {"coupling", 0, false}}};
  static_assert(kTraits.size() == static_cast<std::size_t>(JointType::coupling) + 1);
  return kTraits[static_cast<std::size_t>(type)];
}

void System::calc_joint_position(int j, double t, const Vector& q, JointVector& g) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_position(*this, t, q, g);
  g.setZero(joint.dim);
  if (joint.rotor >= 0) return;
  for (const JointTerm& term : joint.options.terms) {
    g(0) += term.coefficient * (calc_joint_coordinate(term.joint, 0, t, q) - term.start);
  }
}

void System::calc_joint_velocity(int j, double t, const Vector& q, const Vector& u, JointVector& gamma) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_velocity(*this, t, q, &u, gamma);
  add_velocities(*this, joint, t, q, &u, gamma);
}

void System::calc_joint_jacobian(int j, double t, const Vector& q, int k, Eigen::Ref<RowMatrix> J) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) {
    return PairRows::constraint(joint).calc_jacobian(*this, t, q, static_cast<Side>(k), J);
  }
  const Attachment& at = joint.coupled[k];
  if (at.n_u == 0) return;
  J.setZero();
  if (at.body == joint.rotor) {
    J.diagonal().setConstant(-1.0);
    return;
  }
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxJointDim, kMaxSideDofs> part(joint.dim,
                                                                                                          at.n_u);
  for (const JointTerm& term : joint.options.terms) {
    const Joint& of_term = joints_[term.joint];
    for (const Side side : {Side::first, Side::second}) {
      if (of_term.side(side).body != at.body) continue;
      coupled_rows(of_term, joint).calc_jacobian(*this, t, q, side, part);
      J += term.coefficient * part;
    }
  }
}

void System::calc_joint_geometry(int j, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_geometry(*this, t, q, u, geometry);
  calc_joint_position(j, t, q, geometry.g);
  add_velocities(*this, joint, t, q, u, geometry.gamma);
  for (int i = 0; i < joint.dim; ++i) {
    geometry.unit[i] = calc_joint_reaction(j, t, q, JointVector::Unit(joint.dim, i));
  }
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
                                   const JointVector& lambda, JointDerivatives& derivatives) const {
  const JointVector force = term.coefficient * lambda;
  PairRows::free_directions(joints_[term.joint], 0, static_cast<int>(lambda.size()))
      .calc_derivatives(*this, t, q, u, &a, force, derivatives);
  derivatives.g_q *= term.coefficient;
  derivatives.gamma_q *= term.coefficient;
  derivatives.gamma_dot_q *= term.coefficient;
  derivatives.gamma_dot_u *= term.coefficient;
}

JointReaction System::calc_joint_reaction(int j, double t, const Vector& q, const JointVector& lambda) const {
  const Joint& joint = joints_[j];
  if (!joint.is_coupling()) return PairRows::constraint(joint).calc_reaction(*this, t, q, lambda);
  const JointTerm& last = joint.options.terms.back();
  return calc_joint_free_reaction(last.joint, t, q, last.coefficient * lambda);
}

JointReaction System::calc_joint_free_reaction(int j, double t, const Vector& q, double force) const {
  return calc_joint_free_reaction(j, t, q, JointVector::Constant(1, force));
}

JointReaction System::calc_joint_free_reaction(int j, double t, const Vector& q, const JointVector& forces) const {
  return PairRows::free_directions(joints_[j], 0, static_cast<int>(forces.size())).calc_reaction(*this, t, q, forces);
}

void System::spin_rotors(double t, const Vector& q, Vector& u) const {
  for (const Joint& joint : std::span(joints_).last(n_rotors_)) {
    JointVector rates;
    coupled_rows(joints_[joint.options.terms.front().joint], joint).calc_velocity(*this, t, q, &u, rates);
    u.segment(bodies_[joint.rotor].u_offset, joint.dim) = rates;
  }
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
  if (c >= joint.n_coordinates) return std::numeric_limits<double>::quiet_NaN();
  const Pair pair(*this, joint.first, joint.second);
  const PairFrames<double> frames = frames_of(pair, t, q, nullptr);
  const double g = has_coordinate_row(joint, c) ? free_row(joint, c, frames.first, frames.second).g : 0.0;
  return coordinate_at(joint, c, t, q, pair, frames, g);
}

double coordinate_at(const Joint& joint, int c, double t, const Vector& q, const Pair& pair,
                     const PairFrames<double>& frames, double g) {
  const JointOptions& o = joint.options;
  const double origin = c == 0 ? o.coordinate_origin : 0.0;
  if (has_coordinate_row(joint, c)) {
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
  return force + calc_joint_damping(j, t, q, u, JointSprings::included)(0);
}

JointVector System::calc_joint_drives(int j, double t, const Vector& q, const Vector& u, JointSprings springs) const {
  const Joint& joint = joints_[j];
  if (joint.n_driven() > 1) return calc_joint_damping(j, t, q, u, springs);
  if (springs == JointSprings::included) return JointVector::Constant(1, calc_joint_drive(j, t, q, u));
  return JointVector::Constant(1, joint.options.force ? joint.options.force->value(*this, t, q, u) : 0.0);
}

JointVector System::calc_joint_damping(int j, double t, const Vector& q, const Vector& u, JointSprings springs) const {
  const Joint& joint = joints_[j];
  JointVector forces = JointVector::Zero(joint.n_driven());
  if (springs == JointSprings::left_out) return forces;
  if (!joint.options.spring || !(joint.options.spring->damping > 0.0)) return forces;
  PairRows::free_directions(joint, 0, joint.n_driven()).calc_velocity(*this, t, q, &u, forces);
  forces *= -joint.options.spring->damping;
  return forces;
}

}  // namespace stickslip
