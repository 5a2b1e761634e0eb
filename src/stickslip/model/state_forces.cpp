// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/assert.h"
#include "stickslip/model/force.h"
#include "stickslip/model/force_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

using Quantity = StateVariable::Quantity;

/// Over the coordinates, or the velocities, of one range.
using RangeRow = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMaxSideDofs>;

/// Calls f(range, k) for each range of coordinates and velocities that a variable depends on: the body's, of a beam
/// that of each control point k, of a joint those of both sides k.
template <class F>
void for_each_range(const System& system, const StateVariable& variable, F&& f) {
  if (variable.is_of_joint()) {
    for (const int side : {0, 1}) {
      const Attachment& at = system.joints()[variable.index].side(static_cast<Side>(side));
      if (at.n_u > 0) f(at, side);
    }
    return;
  }
  const Body& body = system.bodies()[variable.index];
  DofRange range = {variable.index, body.q_offset, body.n_q, body.u_offset, body.n_u};
  if (!body.beam) {
    if (body.n_u > 0) f(range, 0);
    return;
  }
  range.n_q = range.n_u = 2;
  for (int k = 0; k < body.beam->n_control(); ++k, range.q_offset += 2, range.u_offset += 2) f(range, k);
}

/// d(variable)/dq or, of a velocity, d(variable)/du of what is no joint's. (n)
void calc_body_row(const System& system, const StateVariable& variable, int n, int k, RangeRow& row) {
  const Body& body = system.bodies()[variable.index];
  const bool turns = variable.quantity == Quantity::angular_velocity && body.type == BodyType::rigid;
  row.setZero(n);
  row(variable.component + (turns ? 3 : 0)) = body.beam ? body.beam->lumped_mass()(k) / body.beam->mass() : 1.0;
}

/// Calls f(range, side) for each range that a state force acts on.
template <class F>
void for_each_target(const System& system, const StateForce& force, F&& f) {
  if (force.joint < 0) return f(system.forces()[force.force].second, Side::second);
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = system.joints()[force.joint].side(side);
    if (at.n_u > 0) f(at, side);
  }
}

/// W of a state force: what a unit of it adds to the rows of one range. (n_u of it)
void calc_direction(const System& system, const StateForce& force, Side side, double t, const Vector& q, RangeRow& w) {
  if (force.joint >= 0) {
    const Joint& joint = system.joints()[force.joint];
    w.resize(joint.side(side).n_u);
    return PairRows::free_direction(joint).calc_jacobian(system, t, q, side, w);
  }
  const Attachment& at = system.forces()[force.force].second;
  const Body& body = system.bodies()[at.body];
  const Frame<double> frame = frame_at(body, at, t, q, nullptr);
  const InputAction<double> action =
      input_action(component_of(std::get<Load>(system.forces()[force.force].law), force.component, 1.0), frame);
  double f[kMaxSideDofs];
  attachment_force(body, at, q, frame, action.at, action.force, action.torque, f);
  w = Eigen::Map<const Eigen::RowVectorXd>(f, at.n_u);
}

}  // namespace

double System::calc_variable(const StateVariable& variable, double t, const Vector& q, const Vector& u) const {
  switch (variable.quantity) {
    case Quantity::coordinate:
      return calc_joint_coordinate(variable.index, variable.component, t, q);
    case Quantity::rate:
      return calc_joint_rate(variable.index, variable.component, t, q, u);
    case Quantity::angle:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::angular_velocity:
      break;
    case Quantity::given:
      STICKSLIP_ASSERT(false);
  }
  const Body& body = bodies_[variable.index];
  const bool turns = variable.quantity == Quantity::angular_velocity;
  const int i = variable.component;
  if (body.n_u == 0) {
    const Pose pose = calc_pose(variable.index, t, q);
    if (variable.quantity == Quantity::position) return pose.p_WB(i);
    const Twist twist = calc_twist(variable.index, t, q, u);
    return turns ? (pose.R_WB.transpose() * twist.w_WB)(i) : twist.v_WB(i);
  }
  const double* x = variable.is_velocity() ? u.data() + body.u_offset : q.data() + body.q_offset;
  if (!body.beam) return x[i + (turns && body.type == BodyType::rigid ? 3 : 0)];
  double sum = 0.0;
  for (int k = 0; k < body.beam->n_control(); ++k) sum += body.beam->lumped_mass()(k) * x[2 * k + i];
  return sum / body.beam->mass();
}

void System::add_variable_row(const StateVariable& variable, double factor, double t, const Vector& q,
                              Vector& row) const {
  RangeRow own;
  for_each_range(*this, variable, [&](const DofRange& range, int k) {
    if (variable.is_of_joint()) {
      own.resize(range.n_u);
      PairRows::free_directions(joints_[variable.index], variable.component, 1)
          .calc_jacobian(*this, t, q, static_cast<Side>(k), own);
    } else {
      calc_body_row(*this, variable, range.n_u, k, own);
    }
    row.segment(range.u_offset, range.n_u) += factor * own.transpose();
  });
}

const StateExpression& System::expression(const StateForce& force) const {
  if (force.joint >= 0) return *joints_[force.joint].options.force;
  return std::get<Load>(forces_[force.force].law).component(force.component);
}

void System::calc_state_forces(double t, const Vector& q, const Vector& u, Vector& h) const {
  h.setZero();
  for (const StateForce& force : state_forces_) {
    add_state_force(force, expression(force).value(*this, t, q, u), t, q, h);
  }
}

/// For each force and each variable that it depends on, for each range of the variable and each range that it acts on.
void System::add_state_blocks(std::vector<ForceBlock>& blocks) const {
  for (const StateForce& force : state_forces_) {
    for (const StateVariable& variable : expression(force).variables()) {
      const bool over_q = !variable.is_velocity() || variable.is_of_joint();
      for_each_range(*this, variable, [&](const DofRange& col, int) {
        for_each_target(*this, force, [&](const DofRange& row, Side) {
          ForceBlock block;
          block.row = row;
          block.col = col;
          if (over_q) block.over_q.setZero(row.n_u, col.n_q);
          if (variable.is_velocity()) block.over_u.setZero(row.n_u, col.n_u);
          blocks.push_back(block);
        });
      });
    }
  }
}

/// h = W F(t, x): beside d(W F)/dq at held F it changes by W dF/dx dx/d(q, u).
void System::fill_state_blocks(double t, const Vector& q, const Vector& u, ForceBlock*& next) const {
  RangeRow w;
  RangeRow over_q;
  RangeRow over_u;
  JointDerivatives of_joint;
  for (const StateForce& force : state_forces_) {
    const StateExpression& f = expression(force);
    const StateExpression::Arguments at(f, *this, t, q, u);
    for (std::size_t v = 0; v < f.variables().size(); ++v) {
      const StateVariable& variable = f.variables()[v];
      const double slope = f.slope(static_cast<int>(v), at);
      const Joint* joint = variable.is_of_joint() ? &joints_[variable.index] : nullptr;
      if (joint != nullptr) {
        PairRows::free_directions(*joint, variable.component, 1)
            .calc_derivatives(*this, t, q, u, nullptr, JointVector::Zero(1), of_joint);
      }
      for_each_range(*this, variable, [&](const DofRange& col, int k) {
        if (joint == nullptr) {
          calc_body_row(*this, variable, variable.is_velocity() ? col.n_u : col.n_q, k,
                        variable.is_velocity() ? over_u : over_q);
        } else {
          over_q = (variable.is_velocity() ? of_joint.gamma_q : of_joint.g_q)
                       .block(0, k == 0 ? 0 : joint->first.n_q, 1, col.n_q);
          over_u.resize(col.n_u);
          PairRows::free_directions(*joint, variable.component, 1)
              .calc_jacobian(*this, t, q, static_cast<Side>(k), over_u);
        }
        for_each_target(*this, force, [&](const DofRange&, Side side) {
          ForceBlock& block = *next++;
          calc_direction(*this, force, side, t, q, w);
          if (block.over_q.size() > 0) block.over_q.noalias() = slope * w.transpose() * over_q;
          if (block.over_u.size() > 0) block.over_u.noalias() = slope * w.transpose() * over_u;
        });
      });
    }
  }
}

}  // namespace stickslip
