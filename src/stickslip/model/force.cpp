// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/force.h"

#include "stickslip/base/overloaded.h"
#include "stickslip/model/force_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
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

void add_input(const System& system, const BodyInput& input, const Attachment& at, double t, const Vector& q,
               Vector& h) {
  const Frame<double> frame = frame_at(system.bodies()[at.body], at, t, q, nullptr);
  const InputAction<double> action = input_action(input, frame);
  add_force(system, at, frame, q, action.at, action.force, action.torque, h);
}

void add_load(const System& system, const Force& force, double t, const Vector& q, const Vector& u, Vector& h) {
  add_input(system, system.calc_load(std::get<Load>(force.law), t, q, u), force.second, t, q, h);
}

}  // namespace

BodyInput System::calc_load(const Load& load, double t, const Vector& q, const Vector& u) const {
  BodyInput input = place_of(load);
  for (int i = 0; i < 3; ++i) {
    input.force(i) = load.force[i].value(*this, t, q, u);
    input.torque(i) = load.torque[i].value(*this, t, q, u);
  }
  return input;
}

void System::add_state_force(const StateForce& force, double value, double t, const Vector& q, Vector& h) const {
  if (force.joint >= 0) return add_joint_drive(force.joint, JointVector::Constant(1, value), t, q, h);
  const auto& load = std::get<Load>(forces_[force.force].law);
  add_input(*this, component_of(load, force.component, value), forces_[force.force].second, t, q, h);
}

/// Adds the generalised force of `forces` in a joint's first free directions.
void System::add_joint_drive(int j, const JointVector& forces, double t, const Vector& q, Vector& h) const {
  const Joint& joint = joints_[j];
  const PairRows rows = PairRows::free_directions(joint, 0, static_cast<int>(forces.size()));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxJointDim, kMaxSideDofs> J;
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = joint.side(side);
    if (at.n_u == 0) continue;
    J.resize(forces.size(), at.n_u);
    rows.calc_jacobian(*this, t, q, side, J);
    h.segment(at.u_offset, at.n_u) += J.transpose().lazyProduct(forces);
  }
}

void System::calc_applied_forces(double t, const Vector& q, const Vector& u, Vector& h, JointSprings springs) const {
  h.setZero();
  for (const Body& b : bodies_) {
    if (!is_present(b)) continue;
    if (b.beam) {
      const Vector& mass = b.beam->lumped_mass();
      for (int i = 0; i < b.n_u; ++i) h(b.u_offset + i) = mass(i / 2) * gravity_(i % 2);
      b.beam->add_elastic_force(q.data() + b.q_offset, h.data() + b.u_offset);
      continue;
    }
    const int n = std::min(b.n_u, dimension());
    for (int i = 0; i < n && b.has_weight(); ++i) h(b.u_offset + i) = b.mass * gravity_(i);
  }
  for (const Force& force : forces_) {
    std::visit(Overloaded{[&](const Spring&) { add_spring(*this, force, SpringPart::all, t, q, u, h); },
                          [&](const Load&) { add_load(*this, force, t, q, u, h); },
                          [](const DryFriction&) {}},  // rows of the step's problem
               force.law);
  }
  for (const int j : driven_joints_) {
    if (joints_[j].is_driven(springs)) add_joint_drive(j, calc_joint_drives(j, t, q, u, springs), t, q, h);
  }
}

void System::calc_nonconservative_forces(double t, const Vector& q, const Vector& u, Vector& h,
                                         JointSprings springs) const {
  h.setZero();
  for (const Force& force : forces_) {
    const auto add_damper = [&](const Spring& spring) {
      if (spring.damping > 0.0) add_spring(*this, force, SpringPart::damping, t, q, u, h);
    };
    std::visit(
        Overloaded{add_damper, [&](const Load&) { add_load(*this, force, t, q, u, h); }, [](const DryFriction&) {}},
        force.law);
  }
  for (const int j : driven_joints_) {
    if (!joints_[j].is_driven(springs)) continue;
    const JointOptions& o = joints_[j].options;
    JointVector forces = calc_joint_damping(j, t, q, u, springs);
    if (o.force) forces(0) += o.force->value(*this, t, q, u);
    add_joint_drive(j, forces, t, q, h);
  }
}

void System::add_input_forces(const Inputs& inputs, double t, const Vector& q, Vector& h) const {
  for (const BodyInput& input : inputs.bodies()) {
    if (!is_present(input.body)) continue;
    add_input(*this, input, attach(input.body, input.parameter), t, q, h);
  }
  for (const JointInput& input : inputs.joints()) {
    add_joint_drive(input.joint, JointVector::Constant(1, input.effort), t, q, h);
  }
}

double System::calc_signal(const Signal& signal, const Inputs& inputs, double t, const Vector& q,
                           const Vector& u) const {
  if (signal.input < 0) return signal.value.value(*this, t, q, u);
  return signal.offset + signal.gain * inputs.named(*this, signal.input, t, q, u);
}

void System::add_gyroscopic_forces(const Vector& u, Vector& h) const {
  for (const Body& b : bodies_) {
    if (b.type != BodyType::rigid || !b.gyroscopic) continue;
    const Vector3 omega = u.segment<3>(b.u_offset + 3);
    h.segment<3>(b.u_offset + 3) -= omega.cross(b.inertia * omega);
  }
}

double System::calc_prescribed_power(double t, const Vector& q, const Vector& u, JointSprings springs) const {
  double power = 0.0;
  for (const Force& force : forces_) {
    const auto add_power = [&](const Spring& spring) {
      const bool first_moves = bodies_[spring.first].type == BodyType::moving;
      const bool second_moves = bodies_[spring.second].type == BodyType::moving;
      if (!first_moves && !second_moves) return;
      const PairFrames<double> f = frames_of(*this, force, t, q, &u);
      const SpringAction<double> s = spring_action(spring, SpringPart::elastic, f.first, f.second);
      if (first_moves) power -= s.on_first.dot(point_velocity(f.first, s.line.first));
      if (second_moves) power += s.on_first.dot(point_velocity(f.second, s.line.second));
    };
    std::visit(Overloaded{add_power, [](const Load&) {}, [](const DryFriction&) {}}, force.law);
  }
  if (springs == JointSprings::left_out) return power;
  for (const int j : driven_joints_) power += calc_joint_prescribed_power(j, t, q);
  return power;
}

/// The part tau of a joint's rate that moving bodies give it takes energy from its spring.
double System::calc_joint_prescribed_power(int j, double t, const Vector& q) const {
  const Joint& joint = joints_[j];
  const auto moves = [&](Side side) { return bodies_[joint.side(side).body].type == BodyType::moving; };
  if (!joint.options.spring || joint.options.spring->stiffness == 0.0 || (!moves(Side::first) && !moves(Side::second)))
    return 0.0;
  JointVector tau;
  PairRows::free_direction(joint).calc_velocity(*this, t, q, nullptr, tau);
  return joint.options.spring->stiffness * (calc_joint_coordinate(j, t, q) - joint.options.spring->rest) * tau(0);
}

double System::calc_potential_energy(double t, const Vector& q) const {
  double energy = 0.0;
  for (const Body& b : bodies_) {
    if (!is_present(b)) continue;
    if (b.beam) {
      const Vector& mass = b.beam->lumped_mass();
      for (int i = 0; i < b.n_q; ++i) energy -= mass(i / 2) * gravity_(i % 2) * q(b.q_offset + i);
      continue;
    }
    const int n = b.n_u == 0 || !b.has_weight() ? 0 : dimension();
    for (int i = 0; i < n; ++i) energy -= b.mass * gravity_(i) * q(b.q_offset + i);
  }
  return energy + calc_elastic_energy(t, q);
}

double System::calc_elastic_energy(double t, const Vector& q) const {
  double energy = 0.0;
  for (const Body& b : bodies_) {
    if (b.beam && is_present(b)) energy += b.beam->calc_strain_energy(q.data() + b.q_offset);
  }
  for (const Force& force : forces_) {
    const auto add_energy = [&](const Spring& spring) {
      const PairFrames<double> f = frames_of(*this, force, t, q, nullptr);
      const double stretch = spring_line(spring, f.first, f.second).length - spring.rest;
      energy += 0.5 * spring.stiffness * stretch * stretch;
    };
    std::visit(Overloaded{add_energy, [](const Load&) {}, [](const DryFriction&) {}}, force.law);
  }
  for (const int j : driven_joints_) {
    const std::optional<JointSpring>& spring = joints_[j].options.spring;
    if (!spring || spring->stiffness == 0.0) continue;
    const double turned = calc_joint_coordinate(j, t, q) - spring->rest;
    energy += 0.5 * spring->stiffness * turned * turned;
  }
  return energy;
}

PairRows System::dry_friction_rows(int k) const {
  const DryFrictionElement& e = dry_frictions_[k];
  if (e.joint >= 0) return PairRows::free_directions(joints_[e.joint], e.first_free, e.dim);
  return PairRows::relative_velocity(std::get<DryFriction>(forces_[e.force].law), e.first, e.second, e.dim);
}

void System::calc_dry_friction_velocity(int k, double t, const Vector& q, const Vector& u, JointVector& gamma) const {
  dry_friction_rows(k).calc_velocity(*this, t, q, &u, gamma);
}

void System::calc_dry_friction_jacobian(int k, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const {
  dry_friction_rows(k).calc_jacobian(*this, t, q, side, J);
}

void System::calc_dry_friction_geometry(int k, double t, const Vector& q, const Vector* u,
                                        PairGeometry& geometry) const {
  dry_friction_rows(k).calc_geometry(*this, t, q, u, geometry);
}

bool System::dry_friction_has_prescribed_motion(int k) const {
  const DryFrictionElement& e = dry_frictions_[k];
  return bodies_[e.first.body].type == BodyType::moving || bodies_[e.second.body].type == BodyType::moving;
}

void System::calc_dry_friction_acceleration_bias(int k, double t, const Vector& q, const Vector& u,
                                                 JointVector& zeta) const {
  dry_friction_rows(k).calc_acceleration_bias(*this, t, q, u, zeta);
}

void System::calc_dry_friction_derivatives(int k, double t, const Vector& q, const Vector& u, const Vector& a,
                                           const JointVector& lambda, JointDerivatives& derivatives) const {
  dry_friction_rows(k).calc_derivatives(*this, t, q, u, &a, lambda, derivatives);
}

}  // namespace stickslip
