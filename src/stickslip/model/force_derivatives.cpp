// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/assert.h"
#include "stickslip/base/overloaded.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/force.h"
#include "stickslip/model/force_kinematics.h"
#include "stickslip/model/inputs.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

DofRange element_range(const Body& body, int index, int element) {
  const int n = 2 * body.beam->n_element_controls();
  return {index, body.q_offset + 2 * element, n, body.u_offset + 2 * element, n};
}

/// The rotational part of a rigid body's coordinates.
DofRange rotation_range(const Body& body, int index) {
  return {index, body.q_offset + 3, 4, body.u_offset + 3, 3};
}

/// d(-omega x J omega) / d omega.
Matrix3 gyroscopic_derivative(const Body& body, const Vector3& omega) {
  const Vector3 momentum = body.inertia * omega;
  return skew<double>(momentum) - skew<double>(omega) * body.inertia;
}

/// Whether a load's generalised force depends on coordinates.
bool load_has_derivative(const Body& body, const Load& load) {
  if (body.n_u == 0) return false;
  if (body.type == BodyType::point) return false;
  if (body.type == BodyType::planar) return load.body_frame || load.at != Vector3::Zero();
  return true;
}

/// The same of an input, whose numbers are known.
bool input_has_derivative(const Body& body, const BodyInput& input) {
  const bool turns = input.torque != Vector3::Zero() && body.type != BodyType::planar;
  return body.type != BodyType::point && (input.body_frame || input.at != Vector3::Zero() || turns);
}

/// dh/dq of a spring over the pair's local coordinates, one direction each.
template <int N>
struct SpringDerivatives {
  using Dual = Jet<double, N>;
  Dual force[kMaxLocalU];

  SpringDerivatives(const Spring& spring, const Pair& pair, double t, const PairCoordinates& at) {
    Dual q[kMaxLocalQ];
    Dual u[kMaxLocalU];
    for (int i = 0; i < pair.n_local_q; ++i) q[i] = Dual::variable(at.q[i], i);
    for (int i = 0; i < pair.n_local_u; ++i) u[i] = Dual(at.u[i]);
    const PairFrames<Dual> f = pair_frames<Dual>(pair, Dual(t), q, u);
    const SpringAction<Dual> s = spring_action<Dual>(spring, SpringPart::all, f.first, f.second);
    pair_force<Dual>(pair, q, f, s.line.first, s.line.second, Vec3<Dual>(-s.on_first),
                     constant_vector<Dual>(Vector3::Zero()), force);
  }
};

/// The four blocks of a spring (those of sides that cannot move are absent), each found by its sides.
struct SpringBlocks {
  ForceBlock* block[2][2] = {};
};

/// Walks over a spring's blocks in the order in which make_force_blocks() makes them.
template <class F>
void for_each_spring_block(const Force& force, F&& f) {
  for (int row = 0; row < 2; ++row) {
    for (int col = 0; col < 2; ++col) {
      const Attachment& r = row == 0 ? force.first : force.second;
      const Attachment& c = col == 0 ? force.first : force.second;
      if (r.n_u > 0 && c.n_u > 0) f(row, col, r, c);
    }
  }
}

void fill_spring(const System& system, const Force& force, double t, const Vector& q, const Vector& u,
                 ForceBlock*& next) {
  const auto& spring = std::get<Spring>(force.law);
  const Pair pair(system, force.first, force.second);
  const PairCoordinates at(pair, q, &u, nullptr);
  SpringBlocks blocks;
  for_each_spring_block(force, [&](int row, int col, const Attachment&, const Attachment&) {
    blocks.block[row][col] = next++;
    blocks.block[row][col]->over_q.setZero();
  });
  const auto add = [&](int i, int j, double value) {
    const int row = i < pair.first_local_u ? 0 : 1;
    const int col = j < pair.first_local_q ? 0 : 1;
    ForceBlock& block = *blocks.block[row][col];
    const Attachment& r = row == 0 ? pair.first : pair.second;
    const Attachment& c = col == 0 ? pair.first : pair.second;
    for_each_of_local(r, i - row * pair.first_local_u, [&](int a, double row_weight) {
      for_each_of_local(c, j - col * pair.first_local_q,
                        [&](int b, double col_weight) { block.over_q(a, b) += row_weight * col_weight * value; });
    });
  };
  with_capacity(pair, [&](auto capacity) {
    const SpringDerivatives<decltype(capacity)::value> d(spring, pair, t, at);
    for (int i = 0; i < pair.n_local_u; ++i) {
      for (int j = 0; j < pair.n_local_q; ++j) add(i, j, d.force[i].derivative(j));
    }
  });
  if (!(spring.damping > 0.0)) return;
  // The tension grows by damping (row . u), and acts along the same row.
  const PairFrames<double> f = pair_frames<double>(pair, t, at.q, at.u);
  const SpringLine<double> line = spring_line(spring, f.first, f.second);
  double rows[2][kMaxSideDofs];
  attachment_force(pair.first_body, pair.first, q, f.first, line.first, -line.direction, Vector3::Zero(), rows[0]);
  attachment_force(pair.second_body, pair.second, q, f.second, line.second, line.direction, Vector3::Zero(), rows[1]);
  for_each_spring_block(force, [&](int row, int col, const Attachment& r, const Attachment& c) {
    const ConstVectorView a(rows[row], r.n_u);
    const ConstVectorView b(rows[col], c.n_u);
    blocks.block[row][col]->over_u.noalias() = -spring.damping * a * b.transpose();
  });
}

/// Walks over the blocks of a joint's drive; a force alone depends on coordinates only where its row does.
template <class F>
void for_each_drive_block(const System& system, const Joint& joint, bool has_spring, F&& f) {
  const auto is_beam = [&](const Attachment& at) { return system.bodies()[at.body].type == BodyType::beam; };
  const bool constant_row = joint.turns() && !joint.spatial && !is_beam(joint.first) && !is_beam(joint.second);
  if (constant_row && !has_spring) return;
  for (const Side row : {Side::first, Side::second}) {
    for (const Side col : {Side::first, Side::second}) {
      if (joint.side(row).n_u > 0 && joint.side(col).n_u > 0) f(row, col);
    }
  }
}

void fill_input(const System& system, const BodyInput& input, const Attachment& at, double t, const Vector& q,
                ForceBlock& block) {
  const Body& body = system.bodies()[at.body];
  constexpr int N = kMaxLocalSide;
  using Dual = Jet<double, N>;
  double q_local[N];
  to_local(at, q.data() + at.q_offset, at.n_q, q_local);
  Dual q_jet[N];
  Dual u_jet[N];
  const int n_q = local_n_q(body);
  const int n_u = local_n_u(body);
  for (int i = 0; i < n_q; ++i) q_jet[i] = Dual::variable(q_local[i], i);
  for (int i = 0; i < n_u; ++i) u_jet[i] = Dual(0.0);
  const Frame<Dual> frame = body_frame<Dual>(body, Dual(t), q_jet, u_jet);
  const InputAction<Dual> action = input_action<Dual>(input, frame);
  Dual f[N];
  body_generalized_force<Dual>(body, q_jet, frame, action.at, action.force, action.torque, f);
  block.over_q.setZero();
  for (int i = 0; i < n_u; ++i) {
    for (int j = 0; j < n_q; ++j) {
      for_each_of_local(at, i, [&](int a, double row_weight) {
        for_each_of_local(at, j, [&](int b, double col_weight) {
          block.over_q(a, b) += row_weight * col_weight * f[i].derivative(j);
        });
      });
    }
  }
}

}  // namespace

/// h = W F, F = force - stiffness (x - rest) - damping x':  dh/dq = d(W F)/dq at held F + W dF/dq, dh/du = W dF/du.
/// Without a spring F is constant.
void System::fill_joint_drive(int j, const JointVector& F, const JointSpring* spring, double t, const Vector& q,
                              const Vector& u, ForceBlock*& next) const {
  const Joint& joint = joints_[j];
  const auto n = static_cast<int>(F.size());
  const PairRows rows = PairRows::free_directions(joint, 0, n);
  JointDerivatives d;
  bool known = false;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxJointDim, kMaxPairU> w;
  const int n_first = joint.first.n_u;
  const int q_first = joint.first.n_q;
  for_each_drive_block(*this, joint, spring != nullptr, [&](Side row, Side col) {
    if (!known) {
      known = true;
      rows.calc_derivatives(*this, t, q, u, nullptr, F, d);
      w.setZero(n, n_first + joint.second.n_u);
      if (n_first > 0) rows.calc_jacobian(*this, t, q, Side::first, w.leftCols(n_first));
      if (joint.second.n_u > 0) rows.calc_jacobian(*this, t, q, Side::second, w.rightCols(joint.second.n_u));
    }
    const Attachment& r = joint.side(row);
    const Attachment& c = joint.side(col);
    const int r_u = row == Side::first ? 0 : n_first;
    const int c_u = col == Side::first ? 0 : n_first;
    const int c_q = col == Side::first ? 0 : q_first;
    ForceBlock& block = *next++;
    block.over_q = d.force_q.block(r_u, c_q, r.n_u, c.n_q);
    if (spring == nullptr) return;
    const auto w_row = w.middleCols(r_u, r.n_u).transpose();
    block.over_q -= (spring->stiffness * w_row).lazyProduct(d.g_q.middleCols(c_q, c.n_q));
    if (!(spring->damping > 0.0)) return;
    block.over_q -= (spring->damping * w_row).lazyProduct(d.gamma_q.middleCols(c_q, c.n_q));
    block.over_u = -(spring->damping * w_row).lazyProduct(w.middleCols(c_u, c.n_u));
  });
}

std::vector<ForceBlock> System::make_force_blocks() const {
  std::vector<ForceBlock> blocks;
  const auto add = [&blocks](const DofRange& row, const DofRange& col, bool over_q, bool over_u) {
    ForceBlock block;
    block.row = row;
    block.col = col;
    if (over_q) block.over_q.setZero(row.n_u, col.n_q);
    if (over_u) block.over_u.setZero(row.n_u, col.n_u);
    blocks.push_back(block);
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    const int index = static_cast<int>(i);
    for (int e = 0; b.beam && e < b.beam->n_elements(); ++e) {
      const DofRange range = element_range(b, index, e);
      add(range, range, true, false);
    }
    if (b.type == BodyType::rigid && b.gyroscopic) {
      const DofRange range = rotation_range(b, index);
      add(range, range, false, true);
    }
  }
  for (const Force& force : forces_) {
    const auto add_spring = [&](const Spring& spring) {
      for_each_spring_block(force, [&](int, int, const Attachment& row, const Attachment& col) {
        add(row, col, true, spring.damping > 0.0);
      });
    };
    const auto add_load = [&](const Load& load) {
      if (load_has_derivative(bodies_[load.body], load)) add(force.second, force.second, true, false);
    };
    std::visit(Overloaded{add_spring, add_load, [](const DryFriction&) {}}, force.law);
  }
  for (const int j : driven_joints_) {
    const Joint& joint = joints_[j];
    const bool damped = joint.options.spring && joint.options.spring->damping > 0.0;
    for_each_drive_block(*this, joint, joint.options.spring.has_value(),
                         [&](Side row, Side col) { add(joint.side(row), joint.side(col), true, damped); });
  }
  add_state_blocks(blocks);
  return blocks;
}

void System::calc_force_derivatives(double t, const Vector& q, const Vector& u, std::vector<ForceBlock>& blocks) const {
  ForceBlock* next = blocks.data();
  for (const Body& b : bodies_) {
    for (int e = 0; b.beam && e < b.beam->n_elements(); ++e) {
      b.beam->calc_elastic_stiffness(e, q.data() + b.q_offset, (next++)->over_q);
    }
    if (b.type == BodyType::rigid && b.gyroscopic) {
      (next++)->over_u = gyroscopic_derivative(b, u.segment<3>(b.u_offset + 3));
    }
  }
  for (const Force& force : forces_) {
    const auto fill_load = [&](const Load& load) {
      if (!load_has_derivative(bodies_[load.body], load)) return;
      fill_input(*this, calc_load(load, t, q, u), force.second, t, q, *next++);
    };
    std::visit(Overloaded{[&](const Spring&) { fill_spring(*this, force, t, q, u, next); }, fill_load,
                          [](const DryFriction&) {}},
               force.law);
  }
  for (const int j : driven_joints_) {
    const std::optional<JointSpring>& spring = joints_[j].options.spring;
    fill_joint_drive(j, calc_joint_drives(j, t, q, u), spring ? &*spring : nullptr, t, q, u, next);
  }
  fill_state_blocks(t, q, u, next);
  STICKSLIP_ASSERT(next == blocks.data() + blocks.size());
}

void System::calc_input_derivatives(const Inputs& inputs, double t, const Vector& q, const Vector& u,
                                    std::vector<ForceBlock>& blocks) const {
  blocks.clear();
  const auto add = [&blocks](const DofRange& row, const DofRange& col) -> ForceBlock& {
    ForceBlock& block = blocks.emplace_back();
    block.row = row;
    block.col = col;
    block.over_q.setZero(row.n_u, col.n_q);
    return block;
  };
  for (const BodyInput& input : inputs.bodies()) {
    if (!input_has_derivative(bodies_[input.body], input)) continue;
    const Attachment at = attach(input.body, input.parameter);
    fill_input(*this, input, at, t, q, add(at, at));
  }
  for (const JointInput& input : inputs.joints()) {
    const Joint& joint = joints_[input.joint];
    const std::size_t first = blocks.size();
    for_each_drive_block(*this, joint, false, [&](Side row, Side col) { add(joint.side(row), joint.side(col)); });
    ForceBlock* next = blocks.data() + first;
    fill_joint_drive(input.joint, JointVector::Constant(1, input.effort), nullptr, t, q, u, next);
  }
}

}  // namespace stickslip
