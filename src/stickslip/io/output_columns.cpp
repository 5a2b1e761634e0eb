// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/output_columns.h"
#include "stickslip/constraints/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/assert.h"
#include "stickslip/model/site.h"

namespace stickslip {
namespace {

using VectorOut = Eigen::Map<Eigen::VectorXd>;  // (n) the place of a column, or of one item of it, in a row

/// The place of item i in a column of 3 numbers each.
template <class Row>
Eigen::Map<Vector3> triple(Row& row, int column, std::size_t i) {
  return Eigen::Map<Vector3>(row.reals(column) + 3 * i);
}

}  // namespace

std::string contact_name(const System& system, int point) {
  const ContactPoint& p = system.contact_points()[point];
  const ContactPair& pair = system.contacts()[p.pair];
  std::string name = pair.options.name;
  if (pair.n_points > 1) name.append("/").append(std::to_string(p.index));
  return name;
}

std::vector<int> find_joints_with_effort(const System& system) {
  std::vector<int> joints;
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    if (system.joints()[j].has_single_coordinate()) joints.push_back(static_cast<int>(j));
  }
  return joints;
}

double friction_of(const System& system, const ContactReport& contact) {
  return law_of(system, contact).friction;
}

bool is_stop(const System& system, const ContactReport& contact) {
  if (contact.contact < 0) return false;
  const ContactPair& pair = system.contacts()[contact.contact];
  return pair.n_points > 0 && system.contact_points()[pair.first_point].joint >= 0;
}

Vector3 world_force(const ContactReport& contact, const ContactComponents& components) {
  Vector3 f = components[0] * contact.normal;
  if (contact.friction_dim > 0) f += components[1] * contact.tangent;
  if (contact.friction_dim > 1) f += components[2] * contact.normal.cross(contact.tangent);
  return f;
}

bool named_have_moments(const System& system) {
  return std::ranges::any_of(system.contacts(), &ContactPair::has_moments);
}

bool sets_have_moments(const System& system) {
  return named_have_moments(system) || std::ranges::any_of(system.detected_pairs(), &ContactPair::has_moments);
}

bool OutputChoice::wants(std::string_view path) const {
  if (fields.empty()) return true;
  path.remove_prefix(1);
  return std::any_of(fields.begin(), fields.end(), [path](const std::string& field) {
    const auto is_part = [](std::string_view whole, std::string_view part) {
      return part == whole || (part.starts_with(whole) && part[whole.size()] == '/');
    };
    return is_part(field, path) || is_part(path, field);
  });
}

OutputColumns::OutputColumns(const System& system, const OutputChoice& choice) : system_(system), choice_(choice) {
  const Hdf5Type real = choice.single_precision ? Hdf5Type::float32 : Hdf5Type::float64;
  columns_.push_back(
      {"/time", Hdf5Type::float64, {}, "s", "output instant; the other rows of the same index belong to it"});
  q_ = add("/q", real, {system.n_body_q()}, "m, rad, 1", "coordinates, body by body: /bodies/q_offset");
  u_ = add("/u", real, {system.n_u()}, "m/s, rad/s", "velocities, body by body: /bodies/u_offset");
  if (choice.accelerations) a_ = add("/a", real, {system.n_u()}, "m/s^2, rad/s^2", "accelerations, in the order of /u");
  add_bodies(real);
  if (!system.contact_points().empty()) add_contacts(real);
  if (!system.joints().empty()) add_joints(real);
  if (choice.inputs) add_inputs(real);
}

int OutputColumns::add(const std::string& path, Hdf5Type type, Items row, std::string unit, std::string meaning) {
  if (!choice_.wants(path)) return -1;
  columns_.push_back({path, type, std::move(row), std::move(unit), std::move(meaning)});
  return static_cast<int>(columns_.size()) - 1;
}

void OutputColumns::add_bodies(Hdf5Type real) {
  const auto n = static_cast<std::int64_t>(system_.shown_bodies().size());
  bodies_.position =
      add("/bodies/position", real, {n, 3}, "m", "of the body's origin, its centre of mass, world frame");
  bodies_.orientation = add("/bodies/orientation", real, {n, 4}, "1", "quaternion w, x, y, z from body to world frame");
  bodies_.velocity = add("/bodies/velocity", real, {n, 3}, "m/s", "of the body's origin, world frame");
  bodies_.angular_velocity = add("/bodies/angular_velocity", real, {n, 3}, "rad/s", "body frame");
  if (choice_.applied_impulses) {
    bodies_.applied_impulse =
        add("/bodies/applied_impulse", real, {n, 3}, "N s",
            "what acted on the body in the step beside contacts and joints: gravity, loads, springs, dry friction");
  }
}

void OutputColumns::add_contacts(Hdf5Type real) {
  const auto n = static_cast<std::int64_t>(system_.contact_points().size());
  const auto path = [](const char* name) { return std::string("/contacts/") + name; };
  contacts_.gap = add(path("gap"), real, {n}, "m, rad", "distance, negative in penetration, at the end of the step");
  contacts_.status = add(path("status"), Hdf5Type::int32, {n}, "1", "0 open, 1 stick, 2 slip");
  contacts_.point = add(path("point"), real, {n, 3}, "m", "the contact point on the second body, world frame");
  contacts_.normal = add(path("normal"), real, {n, 3}, "1", "from the first to the second body, world frame");
  contacts_.tangent = add(path("tangent"), real, {n, 3}, "1", "t1, world frame; t2 = normal x t1");
  const auto add_forces = [&](const std::string& kind, const char* letter, const char* unit, const char* meaning) {
    Forces f;
    f.normal = add("/contacts/normal_" + kind, real, {n}, unit, fmt::format("{}_N >= 0: {}", letter, meaning));
    f.friction =
        add("/contacts/friction_" + kind, real, {n, 3}, unit,
            fmt::format("{}_F on the second body along t1, t2 (third: moment / (3 pi R / 16)): {}", letter, meaning));
    f.world =
        add("/contacts/" + kind, real, {n, 3}, unit, "normal and friction together, on the second body, world frame");
    return f;
  };
  contacts_.force = add_forces("force", "lambda", "N, N m", "force");
  if (choice_.impulses) {
    contacts_.impulse = add_forces("impulse", "Lambda", "N s, N m s", "the impulsive part of the percussion");
  }
  contacts_.percussion = add_forces("percussion", "P", "N s, N m s", "the sum over the step");
  if (!named_have_moments(system_)) return;
  contacts_.moment = add(path("moment"), real, {n, 3}, "N m s",
                         "percussion of rolling and spinning friction on the second body, world frame");
}

void OutputColumns::add_joints(Hdf5Type real) {
  const auto n = static_cast<std::int64_t>(system_.shown_joints().size());
  const auto path = [](const char* name) { return std::string("/joints/") + name; };
  joints_.point = add(path("point"), real, {n, 3}, "m", "the joint's point on the second body, world frame");
  joints_.coordinate = add(path("coordinate"), real, {n, 3}, "rad, m", "of the second body relative to the first");
  joints_.rate = add(path("rate"), real, {n, 3}, "rad/s, m/s", "of the coordinates");
  joints_.drift = add(path("drift"), real, {n, 2}, "m, rad",
                      "distance and angle by which the joint is violated at the end of the step");
  joints_.drive =
      add(path("drive"), real, {n}, "N, N m", "of its motion, spring, damper and force, on the second body");
  joints_.effort = add(path("effort"), real, {n}, "N, N m", "of its servos, inputs and force, on the second body");
  joints_.power = add(path("power"), real, {n}, "W", "effort times the rate at the end of the step");
  joints_.friction = add(path("friction"), real, {n}, "N, N m", "of its dry friction, on the second body");
  if (std::ranges::any_of(system_.shown_joints(), &Joint::is_coupling)) {
    joints_.multiplier = add(path("multiplier"), real, {n}, "N, N m",
                             "of gears and couplings: a joint that they couple has its coefficient times it");
  }
  joints_.force =
      add(path("reaction_force"), real, {n, 3}, "N", "all that the joint does to the second body, world frame");
  joints_.torque = add(path("reaction_torque"), real, {n, 3}, "N m",
                       "on the second body about the joint's point on it, world frame");
}

void OutputColumns::add_inputs(Hdf5Type real) {
  const auto add_column = [&](const char* path, Items row, const char* unit, const char* meaning) {
    columns_.push_back({path, real, std::move(row), unit, meaning, true});
    return static_cast<int>(columns_.size()) - 1;
  };
  const auto n = static_cast<std::int64_t>(system_.shown_bodies().size());
  bodies_.input_impulse =
      add_column("/bodies/input_impulse", {n, 3}, "N s",
                 "of the forces and efforts that a program put on the body in the step, world frame at its end");
  with_effort_ = find_joints_with_effort(system_);
  if (with_effort_.empty()) return;
  inputs_ = add_column("/inputs/value", {static_cast<std::int64_t>(with_effort_.size())}, "N, N m",
                       "efforts of the step, on the second body of the joint that gives the name");
}

std::int64_t OutputColumns::row_bytes() const {
  std::int64_t bytes = 0;
  for (const Column& column : columns_) bytes += column.row_bytes();
  return bytes;
}

template <class Row>
void OutputColumns::fill_row(Row& row, const State& state, const StepReport& report) const {
  *row.reals(0) = state.t;
  if (q_ >= 0) VectorOut(row.reals(q_), system_.n_body_q()) = state.q.head(system_.n_body_q());
  if (u_ >= 0) VectorOut(row.reals(u_), system_.n_u()) = state.u;
  if (a_ >= 0) VectorOut(row.reals(a_), system_.n_u()) = report.a;
  if (bodies_.any()) fill_bodies(row, state);
  if (bodies_.applied_impulse >= 0) {
    STICKSLIP_ASSERT(report.applied_impulse.size() == system_.bodies().size());
    for (std::size_t i = 0; i < system_.shown_bodies().size(); ++i) {
      triple(row, bodies_.applied_impulse, i) = report.applied_impulse[i];
    }
  }
  if (!system_.all_are_present()) blank_absent(row);
  if (!system_.contact_points().empty()) fill_contacts(row, report);
  if (!system_.joints().empty()) fill_joints(row, state, report);
  if (choice_.inputs) fill_inputs(row, state, report);
}

/// Those of the state at the end of a step are the ones of the step.
template <class Row>
void OutputColumns::fill_inputs(Row& row, const State& state, const StepReport& report) const {
  for (std::size_t i = 0; i < system_.shown_bodies().size(); ++i) triple(row, bodies_.input_impulse, i).setZero();
  for (const BodyInput& input : state.inputs.bodies()) {
    const Pose pose = system_.calc_pose(system_.attach(input.body, input.parameter), state.t, state.q);
    triple(row, bodies_.input_impulse, input.body) +=
        report.step * (input.body_frame ? Vector3(pose.R_WB * input.force) : input.force);
  }
  for (const JointInput& input : state.inputs.joints()) {
    const Joint& joint = system_.joints()[input.joint];
    const Vector3 impulse =
        report.step * system_.calc_joint_free_reaction(input.joint, state.t, state.q, input.effort).force;
    triple(row, bodies_.input_impulse, joint.second.body) += impulse;
    triple(row, bodies_.input_impulse, joint.first.body) -= impulse;
  }
  if (inputs_ < 0) return;
  double* values = row.reals(inputs_);
  std::fill_n(values, with_effort_.size(), 0.0);
  for (const JointInput& input : state.inputs.joints()) {
    values[std::ranges::lower_bound(with_effort_, input.joint) - with_effort_.begin()] = input.effort;
  }
}

template <class Row>
void OutputColumns::fill_bodies(Row& row, const State& state) const {
  const bool moves = bodies_.velocity >= 0 || bodies_.angular_velocity >= 0;
  for (std::size_t i = 0; i < system_.shown_bodies().size(); ++i) {
    const Body& body = system_.bodies()[i];
    const int index = static_cast<int>(i);
    const Pose pose = system_.calc_pose(index, state.t, state.q);
    if (bodies_.position >= 0) triple(row, bodies_.position, i) = pose.p_WB;
    if (bodies_.orientation >= 0) {
      Eigen::Map<Vector4>(row.reals(bodies_.orientation) + 4 * i) = calc_body_orientation(body, pose, state.q);
    }
    if (!moves) continue;
    const Twist twist = system_.calc_twist(index, state.t, state.q, state.u);
    if (bodies_.velocity >= 0) triple(row, bodies_.velocity, i) = twist.v_WB;
    if (bodies_.angular_velocity < 0) continue;
    const bool rigid = body.type == BodyType::rigid;  // whose u has it already, to the last bit
    triple(row, bodies_.angular_velocity, i) =
        rigid ? Vector3(state.u.segment<3>(body.u_offset + 3)) : Vector3(pose.R_WB.transpose() * twist.w_WB);
  }
}

/// Bodies that take no part have no figures.
template <class Row>
void OutputColumns::blank_absent(Row& row) const {
  const auto blank = [&](int column, int offset, int size) {
    if (column >= 0) std::fill_n(row.reals(column) + offset, size, std::numeric_limits<double>::quiet_NaN());
  };
  for (std::size_t i = 0; i < system_.shown_bodies().size(); ++i) {
    const Body& body = system_.bodies()[i];
    if (system_.is_present(body)) continue;
    const int index = static_cast<int>(i);
    blank(q_, body.q_offset, body.n_q);
    blank(u_, body.u_offset, body.n_u);
    blank(a_, body.u_offset, body.n_u);
    for (const int column : {bodies_.position, bodies_.velocity, bodies_.angular_velocity, bodies_.applied_impulse}) {
      blank(column, 3 * index, 3);
    }
    blank(bodies_.orientation, 4 * index, 4);
  }
}

template <class Row>
void OutputColumns::fill_contacts(Row& row, const StepReport& report) const {
  const std::size_t n = system_.contact_points().size();
  STICKSLIP_ASSERT(report.contacts.size() >= n);
  for (std::size_t k = 0; k < n; ++k) {
    const ContactReport& c = report.contacts[k];
    if (contacts_.gap >= 0) row.reals(contacts_.gap)[k] = c.gap;
    if (contacts_.status >= 0) row.integers(contacts_.status)[k] = static_cast<int>(c.status);
    if (contacts_.point >= 0) triple(row, contacts_.point, k) = c.position;
    if (contacts_.normal >= 0) triple(row, contacts_.normal, k) = c.normal;
    if (contacts_.tangent >= 0) triple(row, contacts_.tangent, k) = c.tangent;
    const auto fill_forces = [&](const Forces& columns, const auto& components) {
      if (columns.normal >= 0) row.reals(columns.normal)[k] = components[0];
      if (columns.friction >= 0) {
        double* friction = row.reals(columns.friction) + 3 * k;
        for (int i = 0; i < 3; ++i) friction[i] = i < c.friction_dim ? components[1 + i] : 0.0;
      }
      if (columns.world >= 0) triple(row, columns.world, k) = world_force(c, components);
    };
    fill_forces(contacts_.force, c.force);
    fill_forces(contacts_.impulse, c.impulse);
    fill_forces(contacts_.percussion, c.percussion);
    if (contacts_.moment >= 0) triple(row, contacts_.moment, k) = c.moment;
  }
}

namespace {

/// Along the coordinate. What a motion takes is a reaction: its part there, with all else that acts along it but gears
/// and couplings.
double calc_drive(const System& system, int j, const State& state, const JointReport& joint) {
  if (!system.joints()[j].options.motion) return joint.drive;
  const JointReaction unit = system.calc_joint_free_reaction(j, state.t, state.q, 1.0);
  return (unit.force.dot(joint.reaction_force) + unit.torque.dot(joint.reaction_torque)) /
             (unit.force.squaredNorm() + unit.torque.squaredNorm()) -
         joint.coupling;
}

}  // namespace

template <class Row>
void OutputColumns::fill_joints(Row& row, const State& state, const StepReport& report) const {
  STICKSLIP_ASSERT(report.joints.size() == system_.joints().size());
  for (std::size_t j = 0; j < system_.shown_joints().size(); ++j) {
    const JointReport& joint = report.joints[j];
    if (joints_.point >= 0) {
      const Joint& described = system_.joints()[j];
      const Pose pose = system_.calc_pose(described.second, state.t, state.q);
      triple(row, joints_.point, j) = pose.p_WB + pose.R_WB * described.options.on_second.at;
      if (described.options.type == JointType::coupling) triple(row, joints_.point, j).setConstant(JointReport::kNone);
    }
    if (joints_.coordinate >= 0) {
      triple(row, joints_.coordinate, j) << joint.coordinate, joint.more_coordinates[0], joint.more_coordinates[1];
    }
    if (joints_.rate >= 0) triple(row, joints_.rate, j) << joint.rate, joint.more_rates[0], joint.more_rates[1];
    if (joints_.drift >= 0) {
      Eigen::Map<Eigen::Vector2d>(row.reals(joints_.drift) + 2 * j) << joint.drift_position, joint.drift_angle;
    }
    if (joints_.drive >= 0) row.reals(joints_.drive)[j] = calc_drive(system_, static_cast<int>(j), state, joint);
    if (joints_.effort >= 0) row.reals(joints_.effort)[j] = joint.effort;
    if (joints_.power >= 0) row.reals(joints_.power)[j] = joint.effort * joint.rate;
    if (joints_.friction >= 0) row.reals(joints_.friction)[j] = joint.friction;
    if (joints_.multiplier >= 0) {
      const bool has_multiplier = system_.joints()[j].is_coupling();
      row.reals(joints_.multiplier)[j] = has_multiplier ? joint.coupling : JointReport::kNone;
    }
    if (joints_.force >= 0) triple(row, joints_.force, j) = joint.reaction_force;
    if (joints_.torque >= 0) triple(row, joints_.torque, j) = joint.reaction_torque;
  }
}

void OutputColumns::fill(Table& table, const State& state, const StepReport& report) const {
  fill_row(table, state, report);
}
void OutputColumns::fill(RowBuffer& row, const State& state, const StepReport& report) const {
  fill_row(row, state, report);
}

}  // namespace stickslip
