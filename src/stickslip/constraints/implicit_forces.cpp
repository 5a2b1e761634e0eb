// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/implicit_forces.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

/// Calls f(body) for each body that a state force acts on or that it depends on.
template <class F>
void for_each_body(const System& system, const StateForce& force, F&& f) {
  const auto call_sides = [&](int j) {
    f(system.joints()[j].first.body);
    f(system.joints()[j].second.body);
  };
  force.joint >= 0 ? call_sides(force.joint) : f(system.forces()[force.force].second.body);
  for (const StateVariable& variable : system.expression(force).variables()) {
    variable.is_of_joint() ? call_sides(variable.index) : f(variable.index);
  }
}

}  // namespace

ImplicitForces::ImplicitForces(const System& system, StopToken stop)
    : system_(system), stop_(stop), state_stiffness_(system), change_mass_(!system.state_forces().empty()) {
  for (const ForceStiffness& stiffness : find_stiffness(system)) {
    bounds_.resize(system.bodies().size());
    change_mass_ = change_mass_ || stiffness.kind != ForceStiffness::Kind::joint;
    for (const ForceStiffness::Side& side : stiffness.sides) {
      bounds_[side.body].c += side.c;
      bounds_[side.body].k += side.k;
    }
  }
}

bool ImplicitForces::are_needed(const State& state, double h) {
  const auto is_stiff = [h](const Stiffness& b) { return h * b.c + h * h * b.k > kMostExplicit; };
  if (system_.state_forces().empty()) return std::ranges::any_of(bounds_, is_stiff);
  bounds_with_state_ = bounds_;
  bounds_with_state_.resize(system_.bodies().size());
  for (const ForceStiffness& stiffness : state_stiffness_.calc(state.t, state.q, state.u)) {
    for (const ForceStiffness::Side& side : stiffness.sides) {
      bounds_with_state_[side.body].c += side.c;
      bounds_with_state_[side.body].k += side.k;
    }
  }
  return std::ranges::any_of(bounds_with_state_, is_stiff);
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
  for (const StateForce& force : system_.state_forces()) {
    int other = -1;
    for_each_body(system_, force, [&](int body) {
      if (system_.bodies()[body].n_u == 0) return;
      is_coupled[body] = true;
      if (other >= 0) coupled.join(other, body);
      other = body;
    });
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
  prepare_state_groups();
}

void ImplicitForces::prepare_state_groups() {
  state_impulse_.setZero(system_.n_u());
  std::vector<char> takes_part(system_.bodies().size(), 0);
  for (const StateForce& force : system_.state_forces()) {
    for_each_body(system_, force, [&](int body) { takes_part[body] = 1; });
  }
  for (std::size_t i = 0; i < takes_part.size(); ++i) {
    const Body& body = system_.bodies()[i];
    if (takes_part[i] == 0 || body.n_u == 0) continue;
    const Place& place = places_[i];
    auto found = std::ranges::find(state_groups_, place.group, &StateGroup::group);
    if (found == state_groups_.end()) {
      found = state_groups_.emplace(found);
      found->group = place.group;
    }
    for (int k = 0; k < body.n_u; ++k) {
      found->rows.push_back(body.u_offset + k);
      found->columns.push_back(place.column + k);
    }
  }
  for (StateGroup& group : state_groups_) {
    const auto m = static_cast<Eigen::Index>(group.rows.size());
    group.scale.resize(m);
    group.u.resize(m);
    group.change.resize(m);
    group.damping.resize(m, m);
    group.stiffness.resize(m, m);
    for (Eigen::Index i = 0; i < m; ++i) {
      group.scale(i) = std::sqrt(groups_[group.group].mass(group.columns[i], group.columns[i]));
    }
  }
}

/// What is mutual in a matrix, without its negative part: off the diagonal the smaller of two entries with the same
/// sign. Half of a force that one body alone feels would move the other.
void ImplicitForces::keep_resisting_part(StateGroup& group, Matrix& matrix) {
  const Eigen::Index m = matrix.rows();
  bool is_diagonal = true;
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double a = matrix(i, j);
      const double b = matrix(j, i);
      matrix(i, j) = matrix(j, i) = !(a * b > 0.0) ? 0.0 : std::abs(a) < std::abs(b) ? a : b;
      is_diagonal = is_diagonal && matrix(i, j) == 0.0;
    }
  }
  if (is_diagonal) {
    for (Eigen::Index i = 0; i < m; ++i) matrix(i, i) = std::max(matrix(i, i), 0.0);
    return;
  }
  for (Eigen::Index j = 0; j < m; ++j) {
    for (Eigen::Index i = 0; i < m; ++i) matrix(i, j) /= group.scale(i) * group.scale(j);
  }
  group.eigen.compute(matrix);
  group.work = group.eigen.eigenvectors();
  for (Eigen::Index j = 0; j < m; ++j) group.work.col(j) *= std::max(group.eigen.eigenvalues()(j), 0.0);
  matrix.noalias() = group.work * group.eigen.eigenvectors().transpose();
  for (Eigen::Index j = 0; j < m; ++j) {
    for (Eigen::Index i = 0; i < m; ++i) matrix(i, j) *= group.scale(i) * group.scale(j);
  }
}

/// -W F_x R of each force and each quantity x that it depends on, and what is mutual in their sum.
void ImplicitForces::add_state_forces(const State& state, double t, const Vector& q, double h) {
  system_.calc_state_forces(t, q, state.u, state_impulse_);
  state_impulse_ *= h;
  for (StateGroup& group : state_groups_) {
    group.damping.setZero();
    group.stiffness.setZero();
  }
  for (const StateForce& force : system_.state_forces()) {
    stop_.check();
    const StateExpression& f = system_.expression(force);
    const StateExpression::Arguments at(f, system_, t, q, state.u);
    row_.setZero(system_.n_u());
    system_.add_state_force(force, 1.0, t, q, row_);
    int body = -1;
    for_each_body(system_, force, [&](int b) { body = system_.bodies()[b].n_u > 0 ? b : body; });
    const auto group = std::ranges::find(state_groups_, places_[body].group, &StateGroup::group);
    for (std::size_t v = 0; v < f.variables().size(); ++v) {
      const StateVariable& variable = f.variables()[v];
      state_row_.setZero(system_.n_u());
      const double factor = -f.slope(static_cast<int>(v), at) * (variable.is_velocity() ? h : h * h);
      system_.add_variable_row(variable, factor, t, q, state_row_);
      Matrix& matrix = variable.is_velocity() ? group->damping : group->stiffness;
      for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
          matrix(i, j) += row_(group->rows[i]) * state_row_(group->rows[j]);
        }
      }
    }
  }
  for (StateGroup& group : state_groups_) {
    keep_resisting_part(group, group.damping);
    keep_resisting_part(group, group.stiffness);
    Matrix& mass = groups_[group.group].inverse;
    for (Eigen::Index i = 0; i < group.u.size(); ++i) group.u(i) = state.u(group.rows[i]);
    group.change.noalias() = 0.5 * group.stiffness * group.u;
    for (Eigen::Index i = 0; i < group.u.size(); ++i) {
      pull_(group.rows[i]) -= group.change(i);
      for (Eigen::Index j = 0; j < group.u.size(); ++j) {
        mass(group.columns[i], group.columns[j]) += group.damping(i, j) + group.stiffness(i, j);
      }
    }
  }
}

void ImplicitForces::add_state_impulse(const Vector& u_end, Vector& impulse) const {
  if (state_groups_.empty()) return;
  impulse += state_impulse_;
  for (const StateGroup& group : state_groups_) {
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      double change = 0.0;
      for (std::size_t j = 0; j < group.rows.size(); ++j) {
        const double moved = u_end(group.rows[j]) - group.u(j);
        change += group.damping(i, j) * moved + group.stiffness(i, j) * (moved + 0.5 * group.u(j));
      }
      impulse(group.rows[i]) -= change;
    }
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
  pull_.setZero(system_.n_u());
  if (!change_mass_) return;
  if (groups_.empty()) prepare();
  u_ = &state.u;
  for (Group& group : groups_) {
    if (group.is_coupled) group.inverse = group.mass;
  }
  for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
    if (system_.bodies()[i].beam && system_.is_present(static_cast<int>(i))) add_beam(static_cast<int>(i), q, h);
  }
  for (const Force& force : system_.forces()) {
    stop_.check();
    if (std::holds_alternative<Spring>(force.law)) add_spring(force, state, t, q, h);
  }
  if (!state_groups_.empty()) add_state_forces(state, t, q, h);
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
