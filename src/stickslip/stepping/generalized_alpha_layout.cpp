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

GeneralizedAlphaStep::GeneralizedAlphaStep(const GeneralizedAlphaOptions& options, const System& s)
    : system(s), weights(options.rho_inf), options_(options) {
  make_blocks();
  make_elements();
  const int n_u = system.n_u();
  for (Vector* y : {&x.a, &x.U, &x.Q, &u, &v, &force, &r1, &r2, &r3, &u_known_, &work_, &work2_, &solved_force_}) {
    y->setZero(n_u);
  }
  for (Vector* y : {&x.Lambda, &x.lambda, &P, &known_P_}) y->setZero(n_rows);
  for (Vector* y : {&x.kappa, &kappa_hat, &known_kappa_}) y->setZero(n_pos);
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
  for (const ForceBlock& part : force_blocks) find_block(part.row.body).has_force_derivatives = true;
  std::erase_if(blocks, [](const VelocityBlock& block) { return block.n_u == 0; });
  for (VelocityBlock& block : blocks) {
    block.matrix = values;
    values += static_cast<std::size_t>(block.n_u) * block.n_u;
  }
}

VelocityBlock& GeneralizedAlphaStep::find_block(int body) {
  return *std::find_if(blocks.begin(), blocks.end(), [&](const VelocityBlock& b) {
    return body >= b.first_body && body < b.first_body + b.n_bodies;
  });
}

void GeneralizedAlphaStep::make_elements() {
  const std::vector<ContactPoint>& points = system.contact_points();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ContactPair& pair = system.contacts()[points[k].pair];
    StepElement e;
    e.kind = StepElement::Kind::contact;
    e.index = static_cast<int>(k);
    e.dim = 1 + pair.friction_dim;
    e.n_pos = 1;
    e.mu = pair.options.friction;
    e.e_normal = pair.options.restitution_normal;
    e.e_tangent = pair.options.restitution_tangential;
    add_element(e, points[k].first, points[k].second);
  }
  for (const int force_index : system.dry_frictions()) {
    const auto& law = std::get<DryFriction>(system.forces()[force_index].law);
    StepElement e;
    e.kind = StepElement::Kind::dry_friction;
    e.index = force_index;
    e.dim = law.axis ? 1 : system.dimension();
    e.bound = law.bound;
    e.level = ContactLevel::acceleration;
    add_element(e, system.forces()[force_index].first, system.forces()[force_index].second);
  }
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
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
    const VelocityBlock& block = find_block(range.body);
    const int index = static_cast<int>(&block - blocks.data());
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
  MinvW.resize(W.size(), 0.0);
  n_rows += e.dim;
  n_pos += e.n_pos;
  elements.push_back(e);
}

}  // namespace stickslip
