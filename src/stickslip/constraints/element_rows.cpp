// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/element_rows.h"

#include <algorithm>
#include <numeric>

#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// Mechanisms of up to this many velocities are one block, so that Newton's method is exact for them: the matrices
/// are then about as large as those of three rigid bodies.
constexpr int kSmallMechanism = 18;

/// Merges ranges of bodies: begin[i] is the first body of the range that body i is in.
class BodyRanges {
 public:
  explicit BodyRanges(std::size_t n) : begin_(n) { std::iota(begin_.begin(), begin_.end(), 0); }
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

ElementRows::ElementRows(const System& system, const ContactFinder& contacts, StopToken stop)
    : system_(system), contacts_(contacts), stop_(stop), rest_(Vector::Zero(system.n_u())) {
  make_blocks();
}

void ElementRows::make_blocks() {
  const std::vector<Body>& bodies = system_.bodies();
  BodyRanges ranges(bodies.size());
  const auto moves = [&](int body) { return bodies[body].n_u > 0; };
  for (const ForceBlock& part : system_.make_force_blocks()) {
    if (part.row.body != part.col.body) ranges.merge(part.row.body, part.col.body);
  }
  if (system_.n_u() <= kSmallMechanism) {
    for (const ContactPair& pair : system_.contacts()) {
      if (moves(pair.options.first) && moves(pair.options.second))
        ranges.merge(pair.options.first, pair.options.second);
    }
    for (const Joint& joint : system_.joints()) {
      for (int k = 1; k < joint.n_sides(); ++k) {
        if (moves(joint.side(0).body) && moves(joint.side(k).body)) {
          ranges.merge(joint.side(0).body, joint.side(k).body);
        }
      }
    }
  }
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
    stop_.check();
    const Body& body = bodies[i];
    if (ranges.begin(i) == i) {
      VelocityBlock block;
      block.first_body = i;
      block.u_offset = body.u_offset;
      block.q_offset = body.q_offset;
      blocks_.push_back(block);
    }
    VelocityBlock& block = blocks_.back();
    ++block.n_bodies;
    block.n_u += body.n_u;
    block.n_q += body.n_q;
  }
  std::erase_if(blocks_, [](const VelocityBlock& block) { return block.n_u == 0; });
  block_of_body_.assign(bodies.size(), -1);
  std::size_t values = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    VelocityBlock& block = blocks_[k];
    block.matrix = values;
    values += static_cast<std::size_t>(block.n_u) * block.n_u;
    std::fill_n(block_of_body_.begin() + block.first_body, block.n_bodies, static_cast<int>(k));
  }
}

// --- layout

ConstraintElement ElementRows::add_contact(int index) {
  stop_.check();
  const ContactPoint& k = contacts_.points()[index];
  const ContactPair& pair = system_.pair(k);
  ConstraintElement e;
  e.kind = ConstraintElement::Kind::contact;
  e.index = index;
  e.dim = pair.dim();
  e.n_pos = 1;
  e.n_angle_rows = system_.turns(k) ? 1 : 0;
  e.mu = pair.law().friction;
  e.e_normal = pair.law().restitution_normal;
  e.e_tangent = pair.law().restitution_tangential;
  e.friction[e.n_sets++] = {.first = 1, .n = pair.friction_dim};
  int next = 1 + pair.friction_dim;  // row
  for (const FrictionBlock& block : ContactBlocks(pair, e.mu).all().subspan(pair.friction_dim > 0 ? 1 : 0)) {
    e.friction[e.n_sets++] = {next, block.dim, true};
    next += block.dim;
  }
  return place(e, system_.side(k, Side::first), system_.side(k, Side::second));
}

ConstraintElement ElementRows::add_dry_friction(int index) {
  const DryFrictionElement& friction = system_.dry_frictions()[index];
  ConstraintElement e;
  e.kind = ConstraintElement::Kind::dry_friction;
  e.index = index;
  e.dim = friction.dim;
  e.n_angle_rows = friction.turns ? friction.dim : 0;
  e.bound = friction.bound;
  e.friction[e.n_sets++] = {.first = 0, .n = e.dim};
  return place(e, friction.first, friction.second);
}

ConstraintElement ElementRows::add_joint(int index) {
  stop_.check();
  const Joint& joint = system_.joints()[index];
  ConstraintElement e;
  e.kind = ConstraintElement::Kind::joint;
  e.index = index;
  e.dim = joint.dim;
  e.n_pos = joint.n_position_rows;
  e.n_angle_rows = joint.n_angle_rows;
  if (!joint.is_coupling()) return place(e, joint.first, joint.second);
  if (joint.options.type == JointType::coupling)
    e.n_angle_rows = e.dim;  // its units may be any: the lever makes lengths
  return place_coupling(e, joint);
}

void ElementRows::begin_place(ConstraintElement& e) const {
  e.offset = n_rows_;
  e.pos_offset = n_pos_;
}

void ElementRows::end_place(const ConstraintElement& e) {
  MinvW_.resize(W_.size(), 0.0);
  n_rows_ += e.dim;
  n_pos_ += e.n_pos;
}

/// Room for the rows of an element in one more block; where it begins.
std::size_t ElementRows::add_values(const ConstraintElement& e, int block) {
  const std::size_t begin = W_.size();
  W_.resize(begin + static_cast<std::size_t>(e.dim) * blocks_[block].n_u, 0.0);
  return begin;
}

ConstraintElement::SideRange ElementRows::side_of(const ConstraintElement& e, const DofRange& range) const {
  ConstraintElement::SideRange side;
  side.body = range.body;
  side.n_u = range.n_u;
  side.n_q = range.n_q;
  if (range.n_u == 0) return side;
  const int block = block_of_body_[range.body];
  side.u_offset = range.u_offset - blocks_[block].u_offset;
  for (const ConstraintElement::Touch& touch : e.touches()) {
    if (touch.block == block) side.touch = static_cast<int>(&touch - e.touches().data());
  }
  return side;
}

ConstraintElement ElementRows::place(ConstraintElement e, const DofRange& first, const DofRange& second) {
  begin_place(e);
  const std::array<const DofRange*, 2> ranges = {&first, &second};
  for (int s = 0; s < 2; ++s) {
    const DofRange& range = *ranges[s];
    ConstraintElement::SideRange& side = e.own_sides[s];
    side = side_of(e, range);
    if (range.n_u == 0) continue;
    const double mass = system_.bodies()[range.body].mass;
    e.mass = e.mass > 0.0 ? std::min(e.mass, mass) : mass;
    if (side.touch >= 0) continue;
    const int block = block_of_body_[range.body];
    side.touch = e.n_touches++;
    e.own_touches[side.touch] = {block, add_values(e, block)};
  }
  end_place(e);
  return e;
}

ConstraintElement ElementRows::place_coupling(ConstraintElement e, const Joint& joint) {
  begin_place(e);
  auto& touches = touches_.emplace_back();
  for (const Attachment& at : joint.coupled) {
    if (at.n_u == 0) continue;
    const double mass = system_.bodies()[at.body].mass;
    if (at.body != joint.rotor) e.mass = e.mass > 0.0 ? std::min(e.mass, mass) : mass;
    const int block = block_of_body_[at.body];
    const auto same = [&](const ConstraintElement::Touch& touch) { return touch.block == block; };
    if (std::ranges::none_of(touches, same)) touches.push_back({block, add_values(e, block)});
  }
  e.all_touches = touches;
  e.n_touches = static_cast<int>(touches.size());
  auto& sides = sides_.emplace_back();
  for (const Attachment& at : joint.coupled) sides.push_back(side_of(e, at));
  e.all_sides = sides;
  end_place(e);
  return e;
}

void ElementRows::keep_added() {
  kept_rows_ = n_rows_;
  kept_pos_ = n_pos_;
  kept_values_ = W_.size();
}

void ElementRows::drop_others() {
  n_rows_ = kept_rows_;
  n_pos_ = kept_pos_;
  W_.resize(kept_values_);
  MinvW_.resize(kept_values_);
}

// --- kinematics

void ElementRows::calc_gap(ConstraintElement& e, double t, const Vector& q, const Vector& u) {
  if (has_rows(e)) {
    calc_contact_rows(system_, point(e), q, u, contact_rows_);
    e.gap[0] = contact_rows_.gap;
  } else {
    system_.calc_contact(point(e), t, q, e.geometry);
    e.gap[0] = e.geometry.gap;
  }
}

void ElementRows::calc_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u) {
  e.evaluated = true;
  switch (e.kind) {
    case ConstraintElement::Kind::contact:
      calc_contact_rates(e, t, q, u);
      break;
    case ConstraintElement::Kind::dry_friction:
      calc_dry_friction_rates(e, t, q, u);
      break;
    case ConstraintElement::Kind::joint:
      calc_joint_rates(e, t, q, u);
      break;
  }
  calc_responses(e);
}

/// fill(side, rows) for each side that moves, rows (dim, n_u of the side) in their place.
template <class FillJacobian>
void ElementRows::set_directions(const ConstraintElement& e, FillJacobian&& fill) {
  for (int s = 0; s < static_cast<int>(e.sides().size()); ++s) {
    const ConstraintElement::SideRange& side = e.sides()[s];
    if (side.touch < 0) continue;
    const ConstraintElement::Touch& touch = e.touches()[side.touch];
    fill(s, Eigen::Map<RowMatrix, 0, Eigen::OuterStride<>>(W_.data() + touch.values + side.u_offset, e.dim, side.n_u,
                                                           Eigen::OuterStride<>(blocks_[touch.block].n_u)));
  }
}

void ElementRows::calc_contact_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u) {
  if (has_rows(e)) {
    set_directions(e, [&](int, auto rows) {
      rows = Eigen::Map<const RowMatrix>(contact_rows_.W.data(), rows.rows(), rows.cols());
    });
    std::copy_n(contact_rows_.gamma.begin(), e.dim, e.gamma.begin());
    std::copy_n(contact_rows_.zeta.begin(), e.dim, e.zeta.begin());
    return;
  }
  set_directions(
      e, [&](int s, auto rows) { system_.calc_contact_jacobian(point(e), e.geometry, q, static_cast<Side>(s), rows); });
  const ContactVector gamma = system_.calc_contact_velocity(point(e), e.geometry, t, q, u);
  std::copy_n(gamma.data(), e.dim, e.gamma.data());
}

void ElementRows::calc_dry_friction_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u) {
  set_directions(
      e, [&](int s, auto rows) { system_.calc_dry_friction_jacobian(e.index, t, q, static_cast<Side>(s), rows); });
  JointVector gamma;
  system_.calc_dry_friction_velocity(e.index, t, q, u, gamma);
  std::copy_n(gamma.data(), e.dim, e.gamma.data());
}

void ElementRows::calc_joint_rates(ConstraintElement& e, double t, const Vector& q, const Vector& u) {
  calc_joint_rows(system_, e.index, t, q, u, joint_rows_);
  if (system_.joints()[e.index].is_coupling()) {
    set_directions(e, [&](int s, auto rows) { system_.calc_joint_jacobian(e.index, t, q, s, rows); });
  } else {
    set_directions(e, [&](int s, auto rows) { rows = joint_rows_.W[s].topRows(rows.rows()); });
  }
  std::copy_n(joint_rows_.gamma.data(), e.dim, e.gamma.begin());
  std::copy_n(joint_rows_.zeta.data(), e.dim, e.zeta.begin());
  if (e.n_pos > 0) std::copy_n(joint_rows_.g.data(), e.dim, e.gap.begin());
}

/// function(columns) for each body that an element moves, once.
template <class Function>
void ElementRows::for_bodies(const ConstraintElement& e, const Function& function) const {
  const std::span<const ConstraintElement::SideRange> sides = e.sides();
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const int body = sides[s].body;
    const auto is_same = [body](const ConstraintElement::SideRange& side) {
      return side.touch >= 0 && side.body == body;
    };
    if (sides[s].touch < 0 || std::ranges::any_of(sides.first(s), is_same)) continue;
    const ConstraintElement::Touch& touch = e.touches()[sides[s].touch];
    const VelocityBlock& block = blocks_[touch.block];
    const Body& moved = system_.bodies()[body];
    const std::size_t values = touch.values + static_cast<std::size_t>(moved.u_offset - block.u_offset);
    function(BodyColumns{body, values, block.n_u, moved.n_u, moved.u_offset});
  }
}

/// M^-1 W and what of W^T M^-1 W is needed.
void ElementRows::calc_responses(ConstraintElement& e) {
  std::array<double, kMaxElementDim * kMaxElementDim> G;  // (dim, dim) its upper half
  std::fill_n(G.begin(), e.dim * e.dim, 0.0);
  for_bodies(e, [&](const BodyColumns& columns) {
    const double* w = W_.data() + columns.values;
    double* y = MinvW_.data() + columns.values;
    const int stride = columns.stride;
    with_size(columns.n, [&](auto n) {
      if (system_.has_diagonal_mass()) {
        const double* inverse = system_.inverse_mass_diagonal().data() + columns.u_offset;
        for (int i = 0; i < e.dim; ++i) {
          for (int c = 0; c < n; ++c) y[i * stride + c] = inverse[c] * w[i * stride + c];
        }
      } else {
        const double* inverse = system_.inverse_mass(columns.body).data();
        for (int i = 0; i < e.dim; ++i) set_product(n, n, inverse, w + i * stride, y + i * stride);
      }
      for (int i = 0; i < e.dim; ++i) {
        for (int j = i; j < e.dim; ++j) {
          double sum = G[i * e.dim + j];
          for (int c = 0; c < n; ++c) sum += w[i * stride + c] * y[j * stride + c];
          G[i * e.dim + j] = sum;
        }
      }
    });
  });
  for (int i = 0; i < e.dim; ++i) e.diagonal[i] = G[i * e.dim + i];
  for (FrictionSet& set : std::span(e.friction).first(e.n_sets)) {
    set.norm = 0.0;
    for (int i = set.first; i < set.first + set.n; ++i) {
      double sum = 0.0;
      for (int j = set.first; j < set.first + set.n; ++j) sum += std::abs(G[std::min(i, j) * e.dim + std::max(i, j)]);
      set.norm = std::max(set.norm, sum);
    }
  }
  if (e.kind != ConstraintElement::Kind::contact) return;
  for (int i = 1; i < e.dim; ++i) e.coupling[i] = G[i];
}

void ElementRows::calc_accelerations(ConstraintElement& e, double t, const Vector& q, const Vector& u,
                                     const Vector& a) const {
  if (e.kind == ConstraintElement::Kind::contact && !has_rows(e)) {
    const ContactVector zeta = system_.calc_contact_acceleration_bias(point(e), t, q, u);
    std::copy_n(zeta.data(), e.dim, e.zeta.data());
  } else if (e.kind == ConstraintElement::Kind::dry_friction) {
    JointVector zeta;
    system_.calc_dry_friction_acceleration_bias(e.index, t, q, u, zeta);
    std::copy_n(zeta.data(), e.dim, e.zeta.data());
  }  // of all else calc_rates has found it
  multiply_transposed(e, a, e.gamma_dot.data());
  for (int i = 0; i < e.dim; ++i) e.gamma_dot[i] += e.zeta[i];
}

void ElementRows::calc_velocity(const ConstraintElement& e, double t, const Vector& q, const Vector& u, double* gamma) {
  if (has_rows(e)) {
    calc_contact_rows(system_, point(e), q, u, contact_rows_);
    std::copy_n(contact_rows_.gamma.begin(), e.dim, gamma);
    return;
  }
  ContactGeometry geometry;
  system_.calc_contact(point(e), t, q, geometry);
  const ContactVector g = system_.calc_contact_velocity(point(e), geometry, t, q, u);
  std::copy_n(g.data(), e.dim, gamma);
}

bool ElementRows::calc_prescribed_velocity(const ConstraintElement& e, double t, const Vector& q, double* tau) const {
  std::fill_n(tau, e.dim, 0.0);
  JointVector values;
  switch (e.kind) {
    case ConstraintElement::Kind::contact: {
      if (!system_.has_prescribed_motion(point(e))) return false;
      ContactGeometry geometry;
      system_.calc_contact(point(e), t, q, geometry);
      const ContactVector g = system_.calc_contact_velocity(point(e), geometry, t, q, rest_);
      std::copy_n(g.data(), e.dim, tau);
      return true;
    }
    case ConstraintElement::Kind::joint:
      if (!system_.joint_has_prescribed_motion(e.index)) return false;
      system_.calc_joint_velocity(e.index, t, q, rest_, values);
      break;
    case ConstraintElement::Kind::dry_friction:
      system_.calc_dry_friction_velocity(e.index, t, q, rest_, values);
      break;
  }
  std::copy_n(values.data(), e.dim, tau);
  return true;
}

// --- products

void ElementRows::multiply_transposed(const ConstraintElement& e, const Vector& y, double* result) const {
  std::fill_n(result, e.dim, 0.0);
  for_bodies(e, [&](const BodyColumns& columns) {
    const double* w = W() + columns.values;
    const double* of_body = y.data() + columns.u_offset;
    with_size(columns.n, [&](auto n) {
      for (int i = 0; i < e.dim; ++i) {
        double sum = 0.0;
        for (int c = 0; c < n; ++c) sum += w[i * columns.stride + c] * of_body[c];
        result[i] += sum;
      }
    });
  });
}

void ElementRows::add_transposed(const ConstraintElement& e, const std::vector<double>& rows, const double* p,
                                 Vector& y) const {
  for_bodies(e, [&](const BodyColumns& columns) {
    const double* w = rows.data() + columns.values;
    double* of_body = y.data() + columns.u_offset;
    with_size(columns.n, [&](auto n) {
      if (columns.stride == n) return add_transposed_product(e.dim, n, w, p, of_body);
      for (int i = 0; i < e.dim; ++i) {
        for (int c = 0; c < n; ++c) of_body[c] += w[i * columns.stride + c] * p[i];
      }
    });
  });
}

void ElementRows::add_force(const ConstraintElement& e, const double* p, Vector& y) const {
  add_transposed(e, W_, p, y);
}

void ElementRows::add_response(const ConstraintElement& e, const double* p, Vector& y) const {
  add_transposed(e, MinvW_, p, y);
}

double ElementRows::calc_coupling(const ConstraintElement& e, int row_e, const ConstraintElement& f, int row_f) const {
  double sum = 0.0;
  for_bodies(e, [&](const BodyColumns& of_e) {
    for_bodies(f, [&](const BodyColumns& of_f) {
      if (of_e.body != of_f.body) return;
      const double* w = W() + of_e.values + static_cast<std::size_t>(row_e) * of_e.stride;
      const double* y = MinvW() + of_f.values + static_cast<std::size_t>(row_f) * of_f.stride;
      for (int c = 0; c < of_e.n; ++c) sum += w[c] * y[c];
    });
  });
  return sum;
}

}  // namespace stickslip
