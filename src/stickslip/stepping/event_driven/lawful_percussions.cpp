// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/lawful_percussions.h"

#include <algorithm>
#include <cmath>

namespace stickslip::event_driven {
namespace {

/// Friction within this part of its bound is in the cone: the error of an integral. [-]
constexpr double kInCone = 1e-10;

}  // namespace

void LawfulPercussions::project_into_cones(SmoothMotion& motion, std::vector<ContactComponents>& percussions) {
  if (motion.determined() || !find_members(motion, percussions)) return;
  ConstraintSet& set = motion.constraints();
  shortest_.set_structure(dims_, parts_);
  set_blocks(set);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const bool is_contact = set.kind(members_[k]) == ConstraintSet::Kind::contact;
    for (int r = 0; r < parts_[k].dim; ++r) {
      shortest_.value(k)[r] = is_contact ? percussions[set.index(members_[k])][r] : 0.0;
    }
  }
  if (!shortest_.solve()) return;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (set.kind(members_[k]) != ConstraintSet::Kind::contact) continue;
    std::copy_n(shortest_.value(k), parts_[k].dim, percussions[set.index(members_[k])].begin());
  }
}

/// Joints and contacts that stick; whether one of these is outside its cone, and all can be put right.
bool LawfulPercussions::find_members(SmoothMotion& motion, const std::vector<ContactComponents>& percussions) {
  const ConstraintSet& set = motion.constraints();
  members_.clear();
  parts_.clear();
  bodies_.clear();
  dims_.clear();
  node_of_body_.assign(system_.bodies().size(), -1);
  bool is_outside = false;
  for (int i = 0; i < set.count(); ++i) {
    const int k = set.index(i);
    if (set.kind(i) == ConstraintSet::Kind::joint) {
      const Joint& joint = system_.joints()[k];
      if (joint.is_coupling()) return false;
      add_member(set, i, joint.first.body, joint.second.body);
    }
    if (set.kind(i) != ConstraintSet::Kind::contact || !motion.modes().contacts[k].sticks) continue;
    if (motion.has_polygon(k)) return false;
    const ContactPoint& point = system_.contact_points()[k];
    add_member(set, i, system_.body(point, Side::first), system_.body(point, Side::second));
    parts_.back().kind = ShortestInCones::Part::Kind::cone;
    parts_.back().size = motion.friction_of(k);
    double friction = 0.0;
    for (int r = 1; r < parts_.back().dim; ++r) friction = std::hypot(friction, percussions[k][r]);
    is_outside |= friction > (1.0 + kInCone) * parts_.back().size * percussions[k][0] || percussions[k][0] < 0.0;
  }
  return is_outside;
}

void LawfulPercussions::add_member(const ConstraintSet& set, int cone, int first_body, int second_body) {
  members_.push_back(cone);
  bodies_.push_back({first_body, second_body});
  ShortestInCones::Part part;
  part.dim = set.problem().cones[cone].dim;
  for (const std::size_t s : {0, 1}) {
    int& body = bodies_.back()[s];
    if (body >= 0 && system_.bodies()[body].n_u == 0) body = -1;
    if (body < 0) continue;
    if (node_of_body_[body] < 0) {
      node_of_body_[body] = static_cast<int>(dims_.size());
      dims_.push_back(system_.bodies()[body].n_u);
    }
    part.nodes[s] = node_of_body_[body];
  }
  parts_.push_back(part);
}

/// What a unit of each row does to the bodies.
void LawfulPercussions::set_blocks(ConstraintSet& set) {
  unit_.assign(set.size(), 0.0);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    for (int r = 0; r < parts_[k].dim; ++r) {
      const int row = set.problem().cones[members_[k]].offset + r;
      unit_[row] = 1.0;
      set.calc_generalized_percussions(unit_, force_);
      unit_[row] = 0.0;
      for (const int s : {0, 1}) {
        const int body = bodies_[k][s];
        if (body < 0) continue;
        const int n_u = system_.bodies()[body].n_u;
        std::copy_n(force_.data() + system_.bodies()[body].u_offset, n_u, shortest_.block(k, s) + r * n_u);
      }
    }
  }
}

}  // namespace stickslip::event_driven
