// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/implicit_forces.h"

#include <algorithm>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/math/rotation.h"

namespace stickslip {
ImplicitForces::ImplicitForces(const System& system, StopToken stop) : system_(system), stop_(stop) {
  for (const ForceStiffness& stiffness : find_stiffness(system)) {
    bounds_.resize(system.bodies().size());
    for (const ForceStiffness::Side& side : stiffness.sides) {
      bounds_[side.body].c += side.c;
      bounds_[side.body].k += side.k;
    }
  }
}

bool ImplicitForces::are_needed(double h) const {
  return std::ranges::any_of(bounds_, [h](const Stiffness& b) { return h * b.c + h * h * b.k > kMostExplicit; });
}

void ImplicitForces::prepare() {
  const std::size_t n = system_.bodies().size();
  DisjointSets coupled(n);
  std::vector<bool> is_coupled(n, false);
  const auto couple = [&](const Attachment& first, const Attachment& second) {
    is_coupled[first.body] = is_coupled[second.body] = true;
    if (first.n_u > 0 && second.n_u > 0) coupled.join(first.body, second.body);
  };
  for (std::size_t i = 0; i < n; ++i) is_coupled[i] = system_.bodies()[i].beam.has_value();
  for (const Force& force : system_.forces()) {
    if (std::holds_alternative<Spring>(force.law)) couple(force.first, force.second);
  }
  for (const Joint& joint : system_.joints()) {
    if (joint.options.spring) couple(joint.first, joint.second);
  }
  places_.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    if (system_.bodies()[i].n_u == 0) continue;
    const int r = coupled.find(static_cast<int>(i));
    if (r == static_cast<int>(i)) places_[i].group = static_cast<int>(groups_.size());
    if (r == static_cast<int>(i)) groups_.emplace_back();
    places_[i].group = places_[r].group;
    Group& group = groups_[places_[i].group];
    places_[i].column = group.n;
    group.n += system_.bodies()[i].n_u;
    group.is_coupled = group.is_coupled || is_coupled[i];
  }
  int first = 0;
  for (Group& group : groups_) {
    group.first = first;
    first += group.n;
    group.mass.setZero(group.n, group.n);
  }
  order_.resize(first);
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = system_.bodies()[i];
    if (body.n_u == 0) continue;
    Group& group = groups_[places_[i].group];
    for (int k = 0; k < body.n_u; ++k) order_[group.first + places_[i].column + k] = body.u_offset + k;
    group.mass.block(places_[i].column, places_[i].column, body.n_u, body.n_u) = system_.mass(static_cast<int>(i));
    if (!group.is_coupled) group.inverse = system_.inverse_mass(static_cast<int>(i));
  }
}

/// Adds weight w w^T, w the generalised force of unit_ at (t, q), and pulls by what `of_positions`, h^2 k, is off by:
/// half of what u moves along w where a force is linear and taken at q.
void ImplicitForces::add_row(const Attachment& first, const Attachment& second, double t, const Vector& q,
                             double weight, double of_positions) {
  row_.setZero(system_.n_u());
  system_.add_input_forces(unit_, t, q, row_);
  pull_ -= 0.5 * of_positions * row_.dot(*u_) * row_;
  const auto column = [&](const Attachment& at) {
    return places_[at.body].column + at.u_offset - system_.bodies()[at.body].u_offset;
  };
  for (const Attachment* r : {&first, &second}) {
    for (const Attachment* c : {&first, &second}) {
      if (r->n_u == 0 || c->n_u == 0) continue;
      groups_[places_[r->body].group].inverse.block(column(*r), column(*c), r->n_u, c->n_u).noalias() +=
          weight * row_.segment(r->u_offset, r->n_u) * row_.segment(c->u_offset, c->n_u).transpose();
    }
  }
}

/// k d d^T + T/l (I - d d^T) between the points, of the tension at the start where it is one. Along d the length at the
/// end of the step is that at its start and d . (what the points move): exact for d at the middle, as l'^2 - l^2 is
/// twice the middle's line times that. The length at the middle itself is too short where a spring turns, by phi^2 l
/// / 8.
void ImplicitForces::add_spring(const Force& force, const State& state, double t, const Vector& q, double h) {
  const auto& spring = std::get<Spring>(force.law);
  const auto line = [&](double at_t, const Vector& at_q) {
    const Pose first = system_.calc_pose(force.first, at_t, at_q);
    const Pose second = system_.calc_pose(force.second, at_t, at_q);
    return Vector3(second.p_WB + second.R_WB * spring.at_second - first.p_WB - first.R_WB * spring.at_first);
  };
  const auto add_along = [&](const Vector3& direction, double weight, double of_positions) {
    unit_.clear();
    const auto put = [&](const Attachment& side, const Vector3& at, double parameter, double sign) {
      if (side.n_u == 0) return;
      BodyInput input;
      input.body = side.body;
      input.force = sign * direction;
      input.at = at;
      input.parameter = parameter;
      unit_.set(system_, input);
    };
    put(force.first, spring.at_first, spring.parameter_first, -1.0);
    put(force.second, spring.at_second, spring.parameter_second, 1.0);
    add_row(force.first, force.second, t, q, weight, of_positions);
  };
  const Vector3 start = line(state.t, state.q);
  const double length = start.norm();
  const double across = length > spring.rest ? h * h * spring.stiffness * (1.0 - spring.rest / length) : 0.0;
  const double of_positions = h * h * spring.stiffness;
  const double along = h * spring.damping + of_positions;
  const Vector3 middle = line(t, q);
  const Vector3 direction = middle.stableNormalized();
  if (direction.isZero(0.0)) {  // points that coincide: the same in every direction
    for (int i = 0; i < system_.dimension(); ++i) add_along(Vector3::Unit(i), along, of_positions);
    return;
  }
  add_along(direction, along, 0.0);
  const double moved = direction.dot(line(2.0 * t - state.t, state.q) - start);  // [m] by ends that move as prescribed
  pull_ += (h * spring.stiffness * (middle.norm() - length - moved) - of_positions * row_.dot(state.u)) * row_;
  if (across == 0.0) return;
  const Vector3 first_across =
      system_.planar() ? Vector3(-direction(1), direction(0), 0.0) : direction.unitOrthogonal();
  add_along(first_across, across, across);
  if (!system_.planar()) add_along(direction.cross(first_across), across, across);
}

/// The stiffness of each element of a beam, without its negative part.
void ImplicitForces::add_beam(int body, const Vector& q, double h) {
  const Body& b = system_.bodies()[body];
  Group& group = groups_[places_[body].group];
  for (int e = 0; e < b.beam->n_elements(); ++e) {
    stop_.check();
    b.beam->calc_elastic_stiffness(e, q.data() + b.q_offset, element_);
    eigen_.compute(element_);
    element_.noalias() = eigen_.eigenvectors() * (-h * h * eigen_.eigenvalues()).cwiseMax(0.0).asDiagonal() *
                         eigen_.eigenvectors().transpose();
    const int first = places_[body].column + 2 * e;
    group.inverse.block(first, first, element_.rows(), element_.rows()) += element_;
    const int row = b.u_offset + 2 * e;
    pull_.segment(row, element_.rows()).noalias() -= 0.5 * element_ * u_->segment(row, element_.rows());
  }
}

void ImplicitForces::linearise(const State& state, double t, const Vector& q, double h) {
  if (groups_.empty()) prepare();
  u_ = &state.u;
  pull_.setZero(system_.n_u());
  for (Group& group : groups_) {
    if (group.is_coupled) group.inverse = group.mass;
  }
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    if (system_.bodies()[i].beam) add_beam(static_cast<int>(i), q, h);
  }
  for (const Force& force : system_.forces()) {
    stop_.check();
    if (std::holds_alternative<Spring>(force.law)) add_spring(force, state, t, q, h);
  }
  for (std::size_t i = 0; i < system_.joints().size(); ++i) {
    stop_.check();
    const Joint& joint = system_.joints()[i];
    if (!joint.options.spring) continue;
    unit_.clear();
    unit_.set_effort(system_, static_cast<int>(i), 1.0);
    const double of_positions = h * h * joint.options.spring->stiffness;
    add_row(joint.first, joint.second, t, q, h * joint.options.spring->damping + of_positions, of_positions);
  }
  for (Group& group : groups_) {
    if (!group.is_coupled) continue;
    stop_.check();
    group.factor.compute(group.inverse);
    group.inverse.setIdentity();
    group.factor.solveInPlace(group.inverse);
  }
}

void ImplicitForces::solve(const Vector& f, Vector& v) const {
  system_.solve_mass(f, v);
  for (const Group& group : groups_) {
    if (!group.is_coupled) continue;
    group_f_.resize(group.n);
    for (int i = 0; i < group.n; ++i) group_f_(i) = f(order_[group.first + i]);
    group.factor.solveInPlace(group_f_);
    for (int i = 0; i < group.n; ++i) v(order_[group.first + i]) = group_f_(i);
  }
}

}  // namespace stickslip
