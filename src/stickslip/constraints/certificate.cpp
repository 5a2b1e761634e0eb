// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/model/pair_rows.h"

namespace stickslip {
namespace {

/// What is not a number is larger than any number, and stays.
void raise(double& largest, double x) {
  if (x > largest || std::isnan(x)) largest = x;
}

/// Which point it is, its gap [m], and report.penetration.
void report_gap(const System& system, const ContactPoint& point, double gap, ContactReport& contact,
                StepReport& report) {
  if (point.apart) gap = std::max(gap, 0.0);
  contact.contact = point.pair;
  contact.point = point.index;
  contact.id = point.id;
  contact.body_a = system.body(point, Side::first);
  contact.body_b = system.body(point, Side::second);
  contact.friction_dim = system.pair(point).friction_dim;
  contact.gap = gap;
  if (!system.turns(point)) raise(report.penetration, -gap);
}

/// The whole entry, where the bodies are.
void report_contact_geometry(const BodySnapshot& at, const ContactPoint& point, double impulse, ContactReport& contact,
                             StepReport& report) {
  ContactGeometry geometry;
  calc_contact(at, point, geometry);
  contact = ContactReport{};
  report_gap(at.system(), point, geometry.gap, contact, report);
  contact.position = geometry.position_second;
  contact.normal = geometry.normal;
  contact.tangent = geometry.tangent1;
  contact.impulse.fill(impulse);
}

}  // namespace

void begin_contacts(std::size_t n, StepReport& report) {
  make_room(report.contacts, n);
  report.contacts.resize(n);
  report.penetration = 0.0;
  report.closed_contacts = 0;
}

void begin_contact(ContactReport& contact, bool has_place) {
  contact.gap = has_place ? 0.0 : std::numeric_limits<double>::quiet_NaN();
}

void report_places(const BodySnapshot& at, std::span<const ContactPoint> points, double impulse, StepReport& report) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    prefetch_ahead(at, points, k);
    ContactReport& contact = report.contacts[k];
    if (std::isnan(contact.gap)) {
      report_contact_geometry(at, points[k], impulse, contact, report);
    } else {
      report_gap(at.system(), points[k], calc_gap(at, points[k]), contact, report);
    }
  }
}

void report_geometry(const BodySnapshot& at, std::span<const ContactPoint> points, StepReport& report, double impulse) {
  begin_contacts(points.size(), report);
  for (std::size_t k = 0; k < points.size(); ++k) {
    report_contact_geometry(at, points[k], impulse, report.contacts[k], report);
  }
}

void begin_joints(const System& system, StepReport& report) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  report.joints.resize(system.joints().size());
  report.dry_frictions.assign(system.dry_frictions().size(), kUnknown);
  for (std::size_t i = 0; i < report.joints.size(); ++i) {
    const JointOptions& options = system.joints()[i].options;
    JointReport& joint = report.joints[i];
    joint.drive = kUnknown;
    joint.effort = kUnknown;
    joint.coupling = kUnknown;
    joint.friction = options.friction > 0.0 || options.friction_torque > 0.0 ? kUnknown : 0.0;
    joint.reaction_force.setConstant(kUnknown);
    joint.reaction_torque.setConstant(kUnknown);
  }
}

void report_joints(const System& system, double t, const Vector& q, const Vector& u, StepReport& report) {
  begin_joints(system, report);
  report_joint_places(system, t, q, u, report);
}

void report_joint_places(const System& system, double t, const Vector& q, const Vector& u, StepReport& report) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Joint>& joints = system.joints();
  report.drift_position = 0.0;
  report.drift_angle = 0.0;
  JointPlace place;
  const JointVector& g = place.g;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const int j = static_cast<int>(i);
    calc_joint_place(system, j, t, q, u, place);
    JointReport& joint = report.joints[i];
    for (int c = 0; c < kMaxJointCoordinates; ++c) {
      const JointCoordinate coordinate =
          c < joints[i].n_coordinates ? place.coordinates[c] : JointCoordinate{kUnknown, kUnknown};
      (c == 0 ? joint.coordinate : joint.more_coordinates[c - 1]) = coordinate.coordinate;
      (c == 0 ? joint.rate : joint.more_rates[c - 1]) = coordinate.rate;
    }
    joint.drift_position = g.head(joints[i].dim - joints[i].n_angle_rows).norm();
    joint.drift_angle = g.tail(joints[i].n_angle_rows).norm();
    if (joints[i].options.limits && joints[i].turns()) {
      const JointLimits& limits = *joints[i].options.limits;
      joint.drift_angle = std::max({joint.drift_angle, limits.low - joint.coordinate, joint.coordinate - limits.high});
    }
    if (joints[i].options.type == JointType::coupling) continue;  // in units of its own, which may be mixed
    raise(report.drift_position, joint.drift_position);
    raise(report.drift_angle, joint.drift_angle);
  }
}

void add_reaction(const JointReaction& reaction, JointReport& joint) {
  joint.reaction_force += reaction.force;
  joint.reaction_torque += reaction.torque;
}

void add_joint_reaction(const System& system, int j, double t, const Vector& q, const JointVector& lambda,
                        StepReport& report) {
  const Joint& joint = system.joints()[j];
  if (joint.options.type != JointType::coupling) {
    add_reaction(system.calc_joint_reaction(j, t, q, lambda), report.joints[j]);
  }
  for (const JointTerm& term : joint.options.terms) {
    const JointVector force = term.coefficient * lambda;
    report.joints[term.joint].coupling += force(0);
    add_reaction(system.calc_joint_free_reaction(term.joint, t, q, force), report.joints[term.joint]);
  }
  if (joint.is_coupling()) report.joints[j].coupling += lambda(0);
}

void add_joint_drives(const System& system, const Inputs& inputs, double t, const Vector& q, const Vector& u,
                      StepReport& report, JointSprings springs) {
  std::ranges::fill(report.dry_frictions, 0.0);
  for (std::size_t i = 0; i < system.joints().size(); ++i) {
    const int j = static_cast<int>(i);
    JointReport& joint = report.joints[i];
    // A coupling has no second body.
    const double reaction = system.joints()[i].options.type == JointType::coupling ? JointReport::kNone : 0.0;
    joint.reaction_force.setConstant(reaction);
    joint.reaction_torque.setConstant(reaction);
    joint.drive = 0.0;
    joint.effort = 0.0;
    joint.coupling = 0.0;
    if (!system.joints()[i].is_driven()) continue;
    const std::optional<StateExpression>& force = system.joints()[i].options.force;
    if (force) joint.effort = force->value(system, t, q, u);
    const JointVector drives = system.calc_joint_drives(j, t, q, u, springs);
    joint.drive = drives.size() == 1 ? drives(0) : JointReport::kNone;
    add_reaction(system.calc_joint_free_reaction(j, t, q, drives), joint);
  }
  for (const JointInput& input : inputs.joints()) add_joint_effort(system, input, t, q, report);
}

void add_joint_effort(const System& system, const JointInput& input, double t, const Vector& q, StepReport& report) {
  JointReport& joint = report.joints[input.joint];
  joint.drive += input.effort;
  joint.effort += input.effort;
  add_reaction(system.calc_joint_free_reaction(input.joint, t, q, input.effort), joint);
}

void report_applied_impulse(const System& system, const Vector& impulse, double h, StepReport& report) {
  const std::size_t n = system.bodies().size();
  make_room(report.applied_impulse, n);
  report.applied_impulse.assign(n, Vector3::Zero());
  const int dimension = system.dimension();
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = system.bodies()[i];
    // The velocity of the centre of mass comes first; of a beam those of its control points, whose shape functions sum
    // up to one, so that inner forces cancel.
    const int rows = body.type == BodyType::beam ? body.n_u : std::min(body.n_u, dimension);
    for (int row = 0; row < rows; ++row) report.applied_impulse[i](row % dimension) += impulse(body.u_offset + row);
  }
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const Joint& joint = system.joints()[j];
    if (joint.is_coupling()) continue;
    report.applied_impulse[joint.second.body] -= h * report.joints[j].reaction_force;
    report.applied_impulse[joint.first.body] += h * report.joints[j].reaction_force;
  }
}

void add_dry_friction(const System& system, int k, double t, const Vector& q, const JointVector& lambda,
                      StepReport& report) {
  report.dry_frictions[k] = lambda.norm();
  const DryFrictionElement& element = system.dry_frictions()[k];
  const int j = element.joint;
  if (j < 0) {
    if (report.applied_impulse.empty()) return;
    const Vector3 impulse = report.step * system.calc_dry_friction_reaction(k, t, q, lambda).force;
    report.applied_impulse[element.second.body] += impulse;
    report.applied_impulse[element.first.body] -= impulse;
    return;
  }
  if (element.first_free == 0) report.joints[j].friction = element.dim == 1 ? lambda(0) : lambda.norm();
  add_reaction(system.calc_dry_friction_reaction(k, t, q, lambda), report.joints[j]);
}

void add_joint_limit(const System& system, const ContactPoint& point, double t, const Vector& q, double lambda,
                     StepReport& report) {
  if (point.joint < 0) return;
  add_reaction(system.calc_joint_free_reaction(point.joint, t, q, limit_sign(point) * lambda),
               report.joints[point.joint]);
}

namespace {

void report_worst(int kind, int index, int body_a, int body_b, StepReport& report) {
  report.worst_kind = kind;
  report.worst = index;
  report.worst_a = body_a;
  report.worst_b = body_b;
}

}  // namespace

void report_worst_contact(const System& system, const ContactPoint& point, int index, StepReport& report) {
  const bool detected = point.pair == kDetected;
  report_worst(detected ? 2 : 1, detected ? -1 : index, system.side(point, Side::first).body,
               system.side(point, Side::second).body, report);
}

void report_worst_joint(const System& system, int joint, StepReport& report) {
  const JointOptions& options = system.joints()[joint].options;
  report_worst(3, joint, options.first, options.second, report);
}

void report_worst_dry_friction(const System& system, int k, StepReport& report) {
  const DryFrictionElement& element = system.dry_frictions()[k];
  if (element.joint >= 0) return report_worst_joint(system, element.joint, report);
  report_worst(4, element.force, element.first.body, element.second.body, report);
}

void report_no_worst(StepReport& report) {
  report_worst(0, -1, -1, -1, report);
}

void report_energy(const System& system, const State& state, StepReport& report) {
  report.kinetic_energy = system.calc_kinetic_energy(state.u);
  report.potential_energy = system.calc_potential_energy(state.t, state.q);
  report.work = state.energy.work;
  report.dissipated = state.energy.dissipated;
  report.projection_energy = state.energy.projection;
  report.energy_error = report.kinetic_energy + report.potential_energy - state.energy.initial - state.energy.work +
                        state.energy.dissipated - state.energy.projection;
}

ContactStatus contact_status(const double* p, const double* u, int dim, double mu, double w) {
  if (!(p[0] > 0.0)) return ContactStatus::open;
  double norm2 = 0.0;
  for (int i = 1; i < dim; ++i) {
    const double x = u[i] / w - p[i];
    norm2 += x * x;
  }
  // On the boundary of the ball round-off decides; it is given to stick.
  constexpr double kRoundOff = 1e-12;  // [-]
  return std::sqrt(norm2) <= mu * p[0] * (1.0 + kRoundOff) ? ContactStatus::stick : ContactStatus::slip;
}

const ContactLaw& law_of(const System& system, const ContactReport& contact) {
  if (contact.contact != kDetected) return system.contacts()[contact.contact].law();
  return system.detected_pair(contact.id).law();
}

void restore_second_tangents(const System& system, StepReport& report) {
  for (ContactReport& contact : report.contacts) {
    const ContactLaw& law = law_of(system, contact);
    if (!law.ellipse) continue;
    const double length = law.second_tangent();
    for (ContactComponents* forces : {&contact.force, &contact.impulse, &contact.percussion}) (*forces)[2] *= length;
    contact.velocity[2] /= length;
  }
}

std::string describe_non_finite(const System& system, const Vector& q, const Vector& u) {
  // Eigen's allFinite() takes ten times as long for the few entries of a small system.
  const auto is_finite = [](const Vector& y) {
    return std::all_of(y.data(), y.data() + y.size(), [](double x) { return std::isfinite(x); });
  };
  if (is_finite(q) && is_finite(u)) return {};
  for (const Body& body : system.bodies()) {
    const bool q_ok = q.segment(body.q_offset, body.n_q).allFinite();
    const bool u_ok = u.segment(body.u_offset, body.n_u).allFinite();
    if (!u_ok) return "body '" + body.name + "': velocity is not finite";
    if (!q_ok) return "body '" + body.name + "': position is not finite";
  }
  return {};
}

std::string describe_non_finite_input(const System& system, const Inputs& inputs) {
  for (const BodyInput& input : inputs.bodies()) {
    if (!input.force.array().isFinite().all() || !input.torque.array().isFinite().all()) {
      return "body '" + system.bodies()[input.body].name + "': an input is not finite";
    }
  }
  for (const JointInput& input : inputs.joints()) {
    if (!std::isfinite(input.effort)) {
      return "joint '" + system.joints()[input.joint].options.name + "': an input is not finite";
    }
  }
  return {};
}

std::string describe_non_finite_motion(const System& system, double t) {
  if (const std::string shape = system.find_non_finite_surface(t); !shape.empty()) {
    return "shape '" + shape + "': its surface velocity is not finite";
  }
  static const Vector kNone;  // a moving body has no coordinates
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.type != BodyType::moving) continue;
    const Pose pose = system.calc_pose(static_cast<int>(i), t, kNone);
    const Twist twist = system.calc_twist(static_cast<int>(i), t, kNone, kNone);
    if (!pose.p_WB.allFinite() || !pose.R_WB.allFinite()) {
      return "body '" + body.name + "': its prescribed position or rotation is not finite";
    }
    if (!twist.v_WB.allFinite() || !twist.w_WB.allFinite()) {
      return "body '" + body.name + "': its prescribed velocity is not finite";
    }
  }
  return {};
}

}  // namespace stickslip
