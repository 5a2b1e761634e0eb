// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/force.h"

#include "stickslip/model/force_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

PairFrames<double> frames_of(const System& system, const Force& force, double t, const Vector& q, const Vector* u) {
  return {frame_at(system.bodies()[force.first.body], force.first, t, q, u),
          frame_at(system.bodies()[force.second.body], force.second, t, q, u)};
}

Vector3 point_velocity(const Frame<double>& f, const Vector3& x) {
  return f.v + f.w.cross(x - f.p);
}

/// Adds the generalised force of F at x (and torque T, world) to h.
void add_force(const System& system, const Attachment& at, const Frame<double>& frame, const Vector& q,
               const Vector3& x, const Vector3& F, const Vector3& T, Vector& h) {
  double f[kMaxSideDofs];
  attachment_force(system.bodies()[at.body], at, q, frame, x, F, T, f);
  for (int i = 0; i < at.n_u; ++i) h(at.u_offset + i) += f[i];
}

void add_spring(const System& system, const Force& force, SpringPart part, double t, const Vector& q, const Vector& u,
                Vector& h) {
  const PairFrames<double> f = frames_of(system, force, t, q, &u);
  const SpringAction<double> s = spring_action(std::get<Spring>(force.law), part, f.first, f.second);
  add_force(system, force.first, f.first, q, s.line.first, s.on_first, Vector3::Zero(), h);
  add_force(system, force.second, f.second, q, s.line.second, -s.on_first, Vector3::Zero(), h);
}

void add_load(const System& system, const Force& force, double t, const Vector& q, Vector& h) {
  const Frame<double> frame = frame_at(system.bodies()[force.second.body], force.second, t, q, nullptr);
  const LoadAction<double> load = load_action(std::get<Load>(force.law), t, frame);
  add_force(system, force.second, frame, q, load.at, load.force, load.torque, h);
}

}  // namespace

void System::calc_applied_forces(double t, const Vector& q, const Vector& u, Vector& h) const {
  h.setZero();
  for (const Body& b : bodies_) {
    if (b.beam) {
      const Vector& mass = b.beam->lumped_mass();
      for (int i = 0; i < b.n_u; ++i) h(b.u_offset + i) = mass(i / 2) * gravity_(i % 2);
      b.beam->add_elastic_force(q.data() + b.q_offset, h.data() + b.u_offset);
      continue;
    }
    const int n = std::min(b.n_u, dimension());
    for (int i = 0; i < n; ++i) h(b.u_offset + i) = b.mass * gravity_(i);
  }
  for (const Force& force : forces_) {
    if (std::holds_alternative<Spring>(force.law)) add_spring(*this, force, SpringPart::all, t, q, u, h);
    if (std::holds_alternative<Load>(force.law)) add_load(*this, force, t, q, h);
  }
}

void System::calc_nonconservative_forces(double t, const Vector& q, const Vector& u, Vector& h) const {
  h.setZero();
  for (const Force& force : forces_) {
    if (const auto* spring = std::get_if<Spring>(&force.law)) {
      if (spring->damping > 0.0) add_spring(*this, force, SpringPart::damping, t, q, u, h);
    }
    if (std::holds_alternative<Load>(force.law)) add_load(*this, force, t, q, h);
  }
}

void System::add_gyroscopic_forces(const Vector& u, Vector& h) const {
  for (const Body& b : bodies_) {
    if (b.type != BodyType::rigid || !b.gyroscopic) continue;
    const Vector3 omega = u.segment<3>(b.u_offset + 3);
    h.segment<3>(b.u_offset + 3) -= omega.cross(b.inertia * omega);
  }
}

double System::calc_prescribed_power(double t, const Vector& q, const Vector& u) const {
  double power = 0.0;
  for (const Force& force : forces_) {
    const auto* spring = std::get_if<Spring>(&force.law);
    if (spring == nullptr) continue;
    const bool first_moves = bodies_[spring->first].type == BodyType::moving;
    const bool second_moves = bodies_[spring->second].type == BodyType::moving;
    if (!first_moves && !second_moves) continue;
    const PairFrames<double> f = frames_of(*this, force, t, q, &u);
    const SpringAction<double> s = spring_action(*spring, SpringPart::all, f.first, f.second);
    if (first_moves) power -= s.on_first.dot(point_velocity(f.first, s.line.first));
    if (second_moves) power += s.on_first.dot(point_velocity(f.second, s.line.second));
  }
  return power;
}

double System::calc_potential_energy(double t, const Vector& q) const {
  double energy = 0.0;
  for (const Body& b : bodies_) {
    if (b.beam) {
      const Vector& mass = b.beam->lumped_mass();
      for (int i = 0; i < b.n_q; ++i) energy -= mass(i / 2) * gravity_(i % 2) * q(b.q_offset + i);
      energy += b.beam->calc_strain_energy(q.data() + b.q_offset);
      continue;
    }
    const int n = b.n_u == 0 ? 0 : dimension();
    for (int i = 0; i < n; ++i) energy -= b.mass * gravity_(i) * q(b.q_offset + i);
  }
  for (const Force& force : forces_) {
    const auto* spring = std::get_if<Spring>(&force.law);
    if (spring == nullptr) continue;
    const PairFrames<double> f = frames_of(*this, force, t, q, nullptr);
    const double stretch = spring_line(*spring, f.first, f.second).length - spring->rest;
    energy += 0.5 * spring->stiffness * stretch * stretch;
  }
  return energy;
}

void System::calc_dry_friction(int force, double t, const Vector& q, DryFrictionGeometry& geometry) const {
  const auto& law = std::get<DryFriction>(forces_[force].law);
  const auto [first, second] = frames_of(*this, forces_[force], t, q, nullptr);
  geometry.position_first = first.p + first.R * law.at_first;
  geometry.position_second = second.p + second.R * law.at_second;
  if (law.axis) {
    geometry.dim = 1;
    geometry.directions.setZero();
    geometry.directions.col(0) = first.R * *law.axis;
  } else {
    geometry.dim = dimension();
    geometry.directions.setIdentity();
  }
}

void System::calc_dry_friction_jacobian(int force, const DryFrictionGeometry& geometry, const Vector& q, Side side,
                                        Eigen::Ref<RowMatrix> J) const {
  const Attachment& at = forces_[force].side(side);
  if (at.n_u == 0) return;
  const Body& body = bodies_[at.body];
  const double sign = side == Side::first ? -1.0 : 1.0;
  const Vector3& x = side == Side::first ? geometry.position_first : geometry.position_second;
  const Frame<double> frame = frame_at(body, at, 0.0, q, nullptr);
  double f[kMaxSideDofs];
  for (int i = 0; i < geometry.dim; ++i) {
    attachment_force(body, at, q, frame, x, sign * geometry.directions.col(i), Vector3::Zero(), f);
    for (int j = 0; j < at.n_u; ++j) J(i, j) = f[j];
  }
}

Vector3 System::calc_dry_friction_velocity(int force, const DryFrictionGeometry& geometry, double t, const Vector& q,
                                           const Vector& u) const {
  const auto [first, second] = frames_of(*this, forces_[force], t, q, &u);
  const Vector3 dv = point_velocity(second, geometry.position_second) - point_velocity(first, geometry.position_first);
  Vector3 gamma = Vector3::Zero();
  for (int i = 0; i < geometry.dim; ++i) gamma(i) = geometry.directions.col(i).dot(dv);
  return gamma;
}

}  // namespace stickslip
