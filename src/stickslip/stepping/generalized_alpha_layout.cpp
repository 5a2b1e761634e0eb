// SPDX-License-Identifier: BSD-3-Clause
// The parts of GeneralizedAlphaStep that are fixed once the system is known: blocks and elements.
#include <algorithm>
#include <numeric>

#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {
namespace {

/// Mechanisms of up to this many velocities are one block, so that Newton's method is exact for them: the matrices
/// are then about as large as those of three rigid bodies.
constexpr int kSmallMechanism = 18;

/// Merges ranges of bodies: begin[i] is the first body of the range that body i is in.
class Ranges {
 public:
  explicit Ranges(std::size_t n) : begin_(n) { std::iota(begin_.begin(), begin_.end(), 0); }
  int begin(int body) const { return begin_[body]; }
  /// Makes one range of all bodies from one to the other.
  void merge(int a, int b) {
    const auto [first, last] = std::minmax(a, b);
    const int target = begin_[first];
    int end = last;
    while (end + 1 < static_cast<int>(begin_.size()) && begin_[end + 1] == begin_[last]) ++end;
    for (int i = target; i <= end; ++i) begin_[i] = target;
  }

 private:
  std::vector<int> begin_;
};

}  // namespace

GeneralizedAlphaStep::GeneralizedAlphaStep(const GeneralizedAlphaOptions& options, const System& s, StopToken token)
    : system(s), stop(token), weights(options.rho_inf), contacts(s, token), options_(options), snapshot_(s) {
  make_blocks();
  make_elements();
  const int n_u = system.n_u();
  for (Vector* y :
       {&x.a, &x.U, &x.Q, &u, &v, &force, &r1, &r2, &r3, &u_known_, &work_, &solved_force_, &no_velocity_}) {
    y->setZero(n_u);
  }
  scales.resize(system.bodies().size());
  coordinate_round_off.setZero(n_u);
  resize_rows();
  for (Vector* y : {&q, &q_start_, &q_known_}) y->setZero(system.n_q());
}

void GeneralizedAlphaStep::make_blocks() {
  const std::vector<Body>& bodies = system.bodies();
  Ranges ranges(bodies.size());
  const auto moves = [&](int body) { return bodies[body].n_u > 0; };
  for (const ForceBlock& part : system.make_force_blocks()) {
    if (part.row.body != part.col.body) ranges.merge(part.row.body, part.col.body);
  }
  if (system.n_u() <= kSmallMechanism) {
    for (const ContactPair& pair : system.contacts()) {
      if (moves(pair.options.first) && moves(pair.options.second))
        ranges.merge(pair.options.first, pair.options.second);
    }
    for (const Joint& joint : system.joints()) {
      if (moves(joint.first.body) && moves(joint.second.body)) ranges.merge(joint.first.body, joint.second.body);
    }
  }
  std::size_t values = 0;
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
    stop.check();
    const Body& body = bodies[i];
    const bool opens_range = ranges.begin(i) == i;
    if (opens_range) {
      VelocityBlock block;
      block.first_body = i;
      block.u_offset = body.u_offset;
      block.q_offset = body.q_offset;
      blocks.push_back(block);
    }
    VelocityBlock& block = blocks.back();
    ++block.n_bodies;
    block.n_u += body.n_u;
    block.n_q += body.n_q;
  }
  force_blocks = system.make_force_blocks();
  std::erase_if(blocks, [](const VelocityBlock& block) { return block.n_u == 0; });
  block_of_body_.assign(bodies.size(), -1);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    VelocityBlock& block = blocks[k];
    block.matrix = values;
    values += static_cast<std::size_t>(block.n_u) * block.n_u;
    std::fill_n(block_of_body_.begin() + block.first_body, block.n_bodies, static_cast<int>(k));
  }
  for (const ForceBlock& part : force_blocks) blocks[block_of_body_[part.row.body]].has_force_derivatives = true;
}

void GeneralizedAlphaStep::add_contact(int index) {
  stop.check();
  const ContactPoint& k = contacts.points()[index];
  const ContactPair& pair = system.pair(k);
  StepElement e;
  e.kind = StepElement::Kind::contact;
  e.index = index;
  e.dim = 1 + pair.friction_dim;
  e.n_pos = 1;
  e.n_angle_rows = system.turns(k) ? 1 : 0;
  e.mu = pair.law().friction;
  e.e_normal = pair.law().restitution_normal;
  e.e_tangent = pair.law().restitution_tangential;
  e.has_rows = has_contact_rows(system, k);
  add_element(e, system.side(k, Side::first), system.side(k, Side::second));
}

void GeneralizedAlphaStep::make_elements() {
  for (int k = 0; k < contacts.n_named(); ++k) add_contact(k);
  for (std::size_t k = 0; k < system.dry_frictions().size(); ++k) {
    const DryFrictionElement& friction = system.dry_frictions()[k];
    StepElement e;
    e.kind = StepElement::Kind::dry_friction;
    e.index = static_cast<int>(k);
    e.dim = friction.dim;
    e.n_angle_rows = friction.turns ? 1 : 0;
    e.bound = friction.bound;
    e.level = ContactLevel::acceleration;
    add_element(e, friction.first, friction.second);
  }
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    stop.check();
    const Joint& joint = system.joints()[j];
    StepElement e;
    e.kind = StepElement::Kind::joint;
    e.index = static_cast<int>(j);
    e.dim = joint.dim;
    e.n_pos = joint.holonomic ? joint.dim : 0;
    e.n_angle_rows = joint.n_angle_rows;
    e.level = ContactLevel::acceleration;
    add_element(e, joint.first, joint.second);
  }
  n_fixed_elements_ = elements.size();
  n_fixed_rows_ = n_rows;
  n_fixed_pos_ = n_pos;
  n_fixed_values_ = W.size();
}

/// The elements of the detected contacts, anew.
void GeneralizedAlphaStep::make_detected_elements() {
  if (!system.detection()) return;
  elements.resize(n_fixed_elements_);
  n_rows = n_fixed_rows_;
  n_pos = n_fixed_pos_;
  W.resize(n_fixed_values_);
  for (int k = contacts.n_named(); k < static_cast<int>(contacts.points().size()); ++k) add_contact(k);
  resize_rows();
}

void GeneralizedAlphaStep::resize_rows() {
  MinvW.resize(W.size(), 0.0);
  if (x.lambda.size() >= n_rows && x.kappa.size() >= n_pos && x.lambda.size() > 0) return;
  // Contacts come and go: half as many again as there are now spare growing with each.
  const int spare = system.detection() ? 2 : 0;
  for (Vector* y : {&x.Lambda, &x.lambda, &P, &known_P_, &start_lambda_, &start_bar_, &start_last_}) {
    y->setZero(n_rows + n_rows * spare / 4);
  }
  for (Vector* y : {&x.kappa, &kappa_hat, &known_kappa_}) y->setZero(n_pos + n_pos * spare / 4);
}

void GeneralizedAlphaStep::add_element(StepElement e, const DofRange& first, const DofRange& second) {
  e.offset = n_rows;
  e.pos_offset = n_pos;
  const std::array<const DofRange*, 2> ranges = {&first, &second};
  for (int s = 0; s < 2; ++s) {
    const DofRange& range = *ranges[s];
    StepElement::SideRange& side = e.sides[s];
    side.body = range.body;
    side.n_u = range.n_u;
    side.n_q = range.n_q;
    if (range.n_u == 0) continue;
    const int index = block_of_body_[range.body];
    const VelocityBlock& block = blocks[index];
    side.u_offset = range.u_offset - block.u_offset;
    e.mass = e.mass > 0.0 ? std::min(e.mass, system.bodies()[range.body].mass) : system.bodies()[range.body].mass;
    if (e.n_touches > 0 && e.touches[0].block == index) {
      side.touch = 0;
      continue;
    }
    side.touch = e.n_touches++;
    e.touches[side.touch] = {index, W.size()};
    W.resize(W.size() + static_cast<std::size_t>(e.dim) * block.n_u, 0.0);
  }
  n_rows += e.dim;
  n_pos += e.n_pos;
  elements.push_back(e);
}

}  // namespace stickslip
