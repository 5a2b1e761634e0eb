// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/stiff_joints.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

namespace stickslip::generalized_alpha {
namespace {

/// The share of a joint's inertia above which its gain has a row. Passes take softer forces as they are, and contract a
/// thousand times each.
constexpr double kStiff = 1e-3;

}  // namespace

StiffJoints::StiffJoints(const System& system, FactoredDelassus& delassus) : system_(system) {
  std::vector<char> has_forces(system.joints().size(), 0);
  for (const StateForce& force : system.state_forces()) {
    if (force.joint >= 0) has_forces[force.joint] = 1;
  }
  for (std::size_t j = 0; j < has_forces.size(); ++j) {
    const Joint& joint = system.joints()[j];
    if (has_forces[j] == 0 && !joint.options.spring) continue;
    if (joint.n_free != 1 || joint.first.body == joint.second.body) continue;
    const auto is_beam = [&](const Attachment& at) { return at.n_u != system.bodies()[at.body].n_u; };
    if (is_beam(joint.first) || is_beam(joint.second)) continue;
    joints_.push_back(static_cast<int>(j));
    bodies_.push_back(delassus.add_body(Matrix::Identity(1, 1)));
  }
  gains_.resize(joints_.size());
  work_.setZero(system.n_u());
  response_.setZero(system.n_u());
}

void StiffJoints::begin(const Step& step) {
  rows_.clear();
  values_.clear();
  if (joints_.empty()) return;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const std::optional<JointSpring>& spring = system_.joints()[joints_[i]].options.spring;
    gains_[i] = spring ? step.beta_step() * spring->stiffness + step.gamma_step() * spring->damping : 0.0;
  }
  for (const StateForce& force : system_.state_forces()) {
    const auto found = std::ranges::lower_bound(joints_, force.joint);
    if (found == joints_.end() || *found != force.joint) continue;
    const StateExpression& f = system_.expression(force);
    const StateExpression::Arguments at(f, system_, step.t_end, step.q, step.u);
    for (std::size_t v = 0; v < f.variables().size(); ++v) {
      const StateVariable& variable = f.variables()[v];
      if (!variable.is_of_joint() || variable.index != force.joint) continue;
      const double factor = variable.is_velocity() ? step.gamma_step() : step.beta_step();
      gains_[found - joints_.begin()] -= factor * f.slope(static_cast<int>(v), at);
    }
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (gains_[i] > 0.0) add_row(step, static_cast<int>(i), gains_[i]);
  }
}

void StiffJoints::add_row(const Step& step, int index, double gain) {
  Row row;
  row.joint = joints_[index];
  row.body = bodies_[index];
  row.values = values_.size();
  const StateVariable rate = {StateVariable::Quantity::rate, row.joint, 0};
  system_.add_variable_row(rate, 1.0, step.t_end, step.q, work_);
  double inverse_mass = 0.0;
  const Joint& joint = system_.joints()[row.joint];
  for (const Attachment* at : {&joint.first, &joint.second}) {
    if (at->n_u == 0) continue;
    const auto w = work_.segment(at->u_offset, at->n_u);
    auto y = response_.segment(at->u_offset, at->n_u);
    y.noalias() = system_.inverse_mass(at->body) * w;
    inverse_mass += w.dot(y);
    values_.insert(values_.end(), w.begin(), w.end());
    values_.insert(values_.end(), y.begin(), y.end());
  }
  for (const Attachment* at : {&joint.first, &joint.second}) work_.segment(at->u_offset, at->n_u).setZero();
  if (!(inverse_mass * gain > kStiff)) return values_.resize(row.values);
  const double compliance = 1.0 / gain;
  row.scale = 1.0 / std::sqrt(1.0 + compliance / inverse_mass);
  row.compliance = compliance * row.scale * row.scale;
  rows_.push_back(row);
}

/// Calls f(side, w, M^-1 w) for each side that moves.
template <class F>
void StiffJoints::for_sides(const Row& row, F&& f) const {
  const Joint& joint = system_.joints()[row.joint];
  const double* values = values_.data() + row.values;
  for (const Attachment* at : {&joint.first, &joint.second}) {
    if (at->n_u == 0) continue;
    f(*at, ConstVectorView(values, at->n_u), ConstVectorView(values + at->n_u, at->n_u));
    values += 2 * at->n_u;
  }
}

double StiffJoints::multiply(const Row& row, const Vector& a) const {
  double sum = 0.0;
  for_sides(row,
            [&](const Attachment& at, const auto& w, const auto&) { sum += w.dot(a.segment(at.u_offset, at.n_u)); });
  return sum;
}

void StiffJoints::add_rows(const Vector& da, const std::vector<int>& delassus_body, ConeProblem& problem,
                           std::vector<double>& p) {
  auto& delassus = std::get<FactoredDelassus>(problem.delassus);
  for (Row& row : rows_) {
    row.offset = problem.size();
    problem.add_free(1);
    delassus.begin_row(1);
    for_sides(row, [&](const Attachment& at, const auto& w, const auto&) {
      delassus.add_block(delassus_body[at.body]) = row.scale * w.transpose();
    });
    delassus.add_block(row.body)(0, 0) = std::sqrt(row.compliance);
    problem.b[row.offset] = row.scale * multiply(row, da);
    p.push_back(row.force / row.scale);
  }
}

void StiffJoints::subtract_velocities(const Vector& da, ConeProblem& problem) const {
  for (const Row& row : rows_) problem.b[row.offset] -= row.scale * multiply(row, da);
}

void StiffJoints::take_solution(const std::vector<double>& p) {
  for (Row& row : rows_) row.force = row.scale * p[row.offset];
}

void StiffJoints::add_forces(double factor, Vector& force) const {
  for (const Row& row : rows_) {
    for_sides(row, [&](const Attachment& at, const auto& w, const auto&) {
      force.segment(at.u_offset, at.n_u) += factor * row.force * w;
    });
  }
}

void StiffJoints::add_response(const std::vector<double>& p, Vector& a) const {
  for (const Row& row : rows_) {
    const double force = row.scale * p[row.offset];
    for_sides(row,
              [&](const Attachment& at, const auto&, const auto& y) { a.segment(at.u_offset, at.n_u) += force * y; });
  }
}

}  // namespace stickslip::generalized_alpha
