// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/output_columns.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

using VectorOut = Eigen::Map<Eigen::VectorXd>;  // (n) the place of one column in a row

/// Orientation as (w, x, y, z), R_WB.
Vector4 orientation(const System& system, int body, const State& state) {
  const Body& b = system.bodies()[body];
  if (b.type == BodyType::rigid) return state.q.segment<4>(b.q_offset + 3);
  if (b.type == BodyType::planar) {
    const double half = 0.5 * state.q(b.q_offset + 2);
    return {std::cos(half), 0.0, 0.0, std::sin(half)};
  }
  if (b.type == BodyType::point) return Vector4::UnitX();
  const Eigen::Quaterniond e(system.calc_pose(body, state.t, state.q).R_WB);
  const Vector4 wxyz(e.w(), e.x(), e.y(), e.z());
  return wxyz(0) < 0.0 ? Vector4(-wxyz) : wxyz;  // of the two that mean the same, always the same one
}

/// A force on the second body in the world frame; Contensou's third component is a moment and no part of it.
Vector3 world_force(const ContactReport& c, const std::array<double, kMaxContactDim>& components) {
  Vector3 f = components[0] * c.normal;
  if (c.friction_dim > 0) f += components[1] * c.tangent;
  if (c.friction_dim > 1) f += components[2] * c.normal.cross(c.tangent);
  return f;
}

}  // namespace

std::string contact_group(const System& system, int point) {
  const ContactPoint& p = system.contact_points()[point];
  const ContactPair& pair = system.contacts()[p.pair];
  std::string group = "/contacts/" + pair.options.name;
  if (pair.n_points > 1) group += "/" + std::to_string(p.index);
  return group;
}

OutputColumns::OutputColumns(const System& system, Hdf5Type real) : system_(system) {
  add("/time", Hdf5Type::float64, "s", "instants of the rows of all but /steps; row 0 is the initial state");
  add("/q", real, system.n_q(), "m, rad, 1", "coordinates, body by body: see /layout");
  add("/u", real, system.n_u(), "m/s, rad/s", "velocities, body by body: see /layout");
  add("/a", real, system.n_u(), "m/s^2, rad/s^2", "accelerations; NaN where the scheme knows impulses only");
  for (const Body& body : system.bodies()) add_body(body, real);
  for (std::size_t k = 0; k < system.contact_points().size(); ++k) add_contact(static_cast<int>(k), real);
  for (const Joint& joint : system.joints()) add_joint(joint, real);
}

void OutputColumns::add(std::string path, Hdf5Type type, std::string unit, std::string meaning) {
  columns_.push_back({std::move(path), type, 1, 1, std::move(unit), std::move(meaning)});
}

void OutputColumns::add(std::string path, Hdf5Type type, int width, std::string unit, std::string meaning) {
  columns_.push_back({std::move(path), type, 2, width, std::move(unit), std::move(meaning)});
}

void OutputColumns::add_body(const Body& body, Hdf5Type real) {
  const std::string group = "/bodies/" + body.name;
  add(group + "/position", real, 3, "m", "of the body's origin, its centre of mass, in the world frame");
  add(group + "/orientation", real, 4, "1", "quaternion w, x, y, z from body to world frame");
  add(group + "/velocity", real, 3, "m/s", "of the body's origin in the world frame");
  add(group + "/angular_velocity", real, 3, "rad/s", "in the body frame");
}

void OutputColumns::add_contact(int point, Hdf5Type real) {
  const std::string group = contact_group(system_, point);
  const int n_friction = system_.contacts()[system_.contact_points()[point].pair].friction_dim;
  const int dim = system_.dimension();
  const bool angle = system_.contact_points()[point].turns;  // the limit of a joint that turns
  const char* percussion = angle ? "N m s" : "N s";
  add(group + "/gap", real, angle ? "rad" : "m", "distance, negative in penetration, at the end of the step");
  add(group + "/normal_force", real, angle ? "N m" : "N", "lambda_N >= 0");
  add(group + "/normal_impulse", real, percussion,
      "Lambda_N: the impulsive part; NaN where the scheme does not tell it apart");
  add(group + "/normal_percussion", real, percussion, "P_N: the sum over the step");
  add(group + "/status", Hdf5Type::int32, "1", "0 open, 1 stick, 2 slip");
  if (n_friction > 0) {
    add(group + "/friction_force", real, n_friction, "N",
        "lambda_F on the second body along t1, t2 (third: moment / (3 pi R / 16))");
    add(group + "/friction_impulse", real, n_friction, "N s", "Lambda_F, likewise: the impulsive part");
    add(group + "/friction_percussion", real, n_friction, "N s", "P_F, likewise: the sum over the step");
  }
  add(group + "/point", real, dim, "m", "the contact point on the second body, world frame");
  add(group + "/normal", real, dim, "1", "from the first to the second body, world frame");
  add(group + "/tangent", real, 3, "1", "t1, world frame; t2 = normal x t1");
  add(group + "/force", real, dim, "N", "normal and friction force on the second body, world frame");
  add(group + "/impulse", real, dim, "N s", "normal and friction impulse on the second body, world frame");
  add(group + "/percussion", real, dim, "N s", "normal and friction percussion on the second body, world frame");
}

void OutputColumns::add_joint(const Joint& joint, Hdf5Type real) {
  const std::string group = "/joints/" + joint.options.name;
  add(group + "/coordinate", real, "rad, m", "of the second body relative to the first; NaN where the joint has none");
  add(group + "/rate", real, "rad/s, m/s", "of the coordinate");
  add(group + "/drift", real, "m", "distance by which the joint is violated at the end of the step");
  add(group + "/drift_angle", real, "rad", "angle by which it is violated");
  add(group + "/drive", real, "N, N m", "of its spring, damper and force along the coordinate, on the second body");
  add(group + "/friction", real, "N, N m", "of its dry friction along the coordinate, on the second body");
  add(group + "/reaction_force", real, system_.dimension(), "N",
      "all that the joint does to the second body, world frame");
  add(group + "/reaction_torque", real, 3, "N m", "on the second body about the joint's point on it, world frame");
}

void OutputColumns::fill(Table& table, const State& state, const StepReport& report) const {
  STICKSLIP_ASSERT(report.contacts.size() >= system_.contact_points().size() && report.a.size() == system_.n_u());
  STICKSLIP_ASSERT(report.joints.size() == system_.joints().size());
  *table.reals(0) = state.t;
  VectorOut(table.reals(1), system_.n_q()) = state.q;
  VectorOut(table.reals(2), system_.n_u()) = state.u;
  VectorOut(table.reals(3), system_.n_u()) = report.a;
  int column = 4;
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    column = fill_body(table, column, static_cast<int>(i), state);
  }
  for (std::size_t k = 0; k < system_.contact_points().size(); ++k) {
    column = fill_contact(table, column, report.contacts[k]);
  }
  for (const JointReport& joint : report.joints) column = fill_joint(table, column, joint);
}

int OutputColumns::fill_body(Table& table, int column, int body, const State& state) const {
  const Pose pose = system_.calc_pose(body, state.t, state.q);
  const Twist twist = system_.calc_twist(body, state.t, state.q, state.u);
  VectorOut(table.reals(column++), 3) = pose.p_WB;
  VectorOut(table.reals(column++), 4) = orientation(system_, body, state);
  VectorOut(table.reals(column++), 3) = twist.v_WB;
  const Body& b = system_.bodies()[body];
  const bool rigid = b.type == BodyType::rigid;  // whose u has it already, to the last bit
  VectorOut(table.reals(column++), 3) =
      rigid ? Vector3(state.u.segment<3>(b.u_offset + 3)) : Vector3(pose.R_WB.transpose() * twist.w_WB);
  return column;
}

int OutputColumns::fill_contact(Table& table, int column, const ContactReport& c) const {
  const int dim = system_.dimension();
  const auto friction = [&](const std::array<double, kMaxContactDim>& components) {
    std::copy_n(components.begin() + 1, c.friction_dim, table.reals(column++));
  };
  const auto world = [&](const Vector3& v) { VectorOut(table.reals(column++), dim) = v.head(dim); };
  *table.reals(column++) = c.gap;
  *table.reals(column++) = c.force[0];
  *table.reals(column++) = c.impulse[0];
  *table.reals(column++) = c.percussion[0];
  *table.integers(column++) = static_cast<int>(c.status);
  if (c.friction_dim > 0) {
    friction(c.force);
    friction(c.impulse);
    friction(c.percussion);
  }
  world(c.position);
  world(c.normal);
  VectorOut(table.reals(column++), 3) = c.tangent;
  world(world_force(c, c.force));
  world(world_force(c, c.impulse));
  world(world_force(c, c.percussion));
  return column;
}

int OutputColumns::fill_joint(Table& table, int column, const JointReport& joint) const {
  const int dim = system_.dimension();
  *table.reals(column++) = joint.coordinate;
  *table.reals(column++) = joint.rate;
  *table.reals(column++) = joint.drift_position;
  *table.reals(column++) = joint.drift_angle;
  *table.reals(column++) = joint.drive;
  *table.reals(column++) = joint.friction;
  VectorOut(table.reals(column++), dim) = joint.reaction_force.head(dim);
  VectorOut(table.reals(column++), 3) = joint.reaction_torque;
  return column;
}

}  // namespace stickslip
