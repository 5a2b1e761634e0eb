// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/stiffness.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

/// 1/m that a force at `at` of a body meets at most, at xi on a beam. [1/kg]
double mobility_at(const System& system, const Attachment& side, const Vector3& at) {
  const Body& body = system.bodies()[side.body];
  if (body.n_u == 0) return 0.0;
  const System::MassBlock& inverse_mass = system.inverse_mass(side.body);
  switch (body.type) {
    case BodyType::planar:
      return inverse_mass(0, 0) + at.squaredNorm() * inverse_mass(2, 2);
    case BodyType::rigid: {
      const Matrix3 inverse_inertia = inverse_mass.bottomRightCorner<3, 3>();
      return inverse_mass(0, 0) + at.squaredNorm() * inverse_inertia.eigenvalues().real().maxCoeff();
    }
    case BodyType::beam: {
      double mobility = 0.0;
      const int first = side.u_offset - body.u_offset;
      for (int i = 0; i < side.n_control; ++i) {
        for (int j = 0; j < side.n_control; ++j) {
          mobility += side.shape[i] * side.shape[j] * inverse_mass(first + 2 * i, first + 2 * j);
        }
      }
      return mobility;
    }
    case BodyType::point:
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
  return inverse_mass(0, 0);
}

/// 1/I that a torque about an axis of a body meets, at xi on a beam whose length is that undeformed. [1/(kg m^2)]
double angular_mobility(const System& system, const Attachment& side, const Vector3& axis) {
  const Body& body = system.bodies()[side.body];
  if (body.n_u == 0) return 0.0;
  const System::MassBlock& inverse_mass = system.inverse_mass(side.body);
  if (body.type == BodyType::planar) return inverse_mass(2, 2);
  if (body.type == BodyType::rigid) return axis.dot(inverse_mass.bottomRightCorner<3, 3>() * axis);
  if (!body.beam) return 0.0;
  double mobility = 0.0;
  const int first = side.u_offset - body.u_offset;
  for (int i = 0; i < side.n_control; ++i) {
    for (int j = 0; j < side.n_control; ++j) {
      mobility += side.slope[i] * side.slope[j] * inverse_mass(first + 2 * i, first + 2 * j);
    }
  }
  const double length = body.beam->options().length;
  return mobility / (length * length);
}

std::string path_of(const System& system, const ForceStiffness& stiffness) {
  switch (stiffness.kind) {
    case ForceStiffness::Kind::force:
      return "forces." + system.forces()[stiffness.index].name;
    case ForceStiffness::Kind::joint:
      return "joints." + system.joints()[stiffness.index].options.name + (stiffness.is_spring ? ".spring" : ".force");
    case ForceStiffness::Kind::beam:
      break;
  }
  return "bodies." + system.bodies()[stiffness.index].name;
}

/// Of a force or a torque in the free direction of a joint.
double joint_mobility(const System& system, const Attachment& side, const JointFrame& frame, bool turns) {
  if (!turns) return mobility_at(system, side, frame.at);
  return angular_mobility(system, side, frame.axes.col(2));
}

/// The largest 1/I of a body. [1/(kg m^2)]
double largest_angular_mobility(const System& system, const Attachment& side) {
  if (system.bodies()[side.body].type != BodyType::rigid) return angular_mobility(system, side, Vector3::UnitZ());
  const Matrix3 inverse_inertia = system.inverse_mass(side.body).bottomRightCorner<3, 3>();
  return inverse_inertia.eigenvalues().real().maxCoeff();
}

/// The sum over bodies of the square root of 1/m that a quantity meets.
double variable_mobility(const System& system, const StateVariable& variable) {
  if (variable.is_of_joint()) {
    const Joint& joint = system.joints()[variable.index];
    const bool turns = variable.component >= joint.n_free_lengths;
    double sum = 0.0;
    for (const Side side : {Side::first, Side::second}) {
      const JointFrame& frame = side == Side::first ? joint.options.on_first : joint.options.on_second;
      const bool about_z = variable.component == joint.n_free_lengths && joint.options.type != JointType::universal;
      sum += std::sqrt(turns && !about_z && system.bodies()[joint.side(side).body].n_u > 0
                           ? largest_angular_mobility(system, joint.side(side))
                           : joint_mobility(system, joint.side(side), frame, turns));
    }
    return sum;
  }
  const Body& body = system.bodies()[variable.index];
  if (body.n_u == 0) return 0.0;
  const System::MassBlock& inverse_mass = system.inverse_mass(variable.index);
  switch (variable.quantity) {
    case StateVariable::Quantity::angle:
    case StateVariable::Quantity::angular_velocity: {
      const int row = body.type == BodyType::rigid ? 3 + variable.component : 2;
      return std::sqrt(inverse_mass(row, row));
    }
    default:
      return std::sqrt(body.beam ? 1.0 / body.beam->mass() : inverse_mass(0, 0));
  }
}

/// Of a force between two points that meets these mobilities: k w w^T is at most 2 k of its two diagonal blocks.
void add_pair(const Attachment& first, const Attachment& second, double first_mobility, double second_mobility,
              double c, double k, ForceStiffness stiffness, std::vector<ForceStiffness>& all) {
  const double sides = first_mobility > 0.0 && second_mobility > 0.0 ? 2.0 : 1.0;
  stiffness.sides[0] = {first.body, sides * c * first_mobility, sides * k * first_mobility};
  stiffness.sides[1] = {second.body, sides * c * second_mobility, sides * k * second_mobility};
  all.push_back(stiffness);
}

}  // namespace

std::vector<ForceStiffness> find_stiffness(const System& system) {
  std::vector<ForceStiffness> all;
  for (int i = 0; i < static_cast<int>(system.bodies().size()); ++i) {
    const Body& body = system.bodies()[i];
    if (!body.beam) continue;
    const double k = body.beam->highest_frequency2();
    all.push_back({ForceStiffness::Kind::beam, i, {{{i, 0.0, k}, {i, 0.0, 0.0}}}});
  }
  for (int i = 0; i < static_cast<int>(system.forces().size()); ++i) {
    const Force& force = system.forces()[i];
    const auto* spring = std::get_if<Spring>(&force.law);
    if (spring == nullptr) continue;
    add_pair(force.first, force.second, mobility_at(system, force.first, spring->at_first),
             mobility_at(system, force.second, spring->at_second), spring->damping, spring->stiffness,
             {ForceStiffness::Kind::force, i, {}}, all);
  }
  for (int i = 0; i < static_cast<int>(system.joints().size()); ++i) {
    const Joint& joint = system.joints()[i];
    if (!joint.options.spring) continue;
    const auto mobility = [&](const Attachment& side, const JointFrame& frame) {
      if (joint.n_driven() > 1) return largest_angular_mobility(system, side);
      return joint_mobility(system, side, frame, joint.turns());
    };
    add_pair(joint.first, joint.second, mobility(joint.first, joint.options.on_first),
             mobility(joint.second, joint.options.on_second), joint.options.spring->damping,
             joint.options.spring->stiffness, {ForceStiffness::Kind::joint, i, {}}, all);
  }
  return all;
}

StateStiffness::StateStiffness(const System& system) : system_(system) {
  for (const StateForce& force : system.state_forces()) {
    std::array<double, 2> sides = {};
    ForceStiffness stiffness;
    if (force.joint >= 0) {
      const Joint& joint = system.joints()[force.joint];
      stiffness.kind = ForceStiffness::Kind::joint;
      stiffness.is_spring = false;
      stiffness.index = force.joint;
      stiffness.sides = {{{joint.first.body, 0.0, 0.0}, {joint.second.body, 0.0, 0.0}}};
      sides[0] = joint_mobility(system, joint.first, joint.options.on_first, joint.turns());
      sides[1] = joint_mobility(system, joint.second, joint.options.on_second, joint.turns());
    } else {
      const Attachment& at = system.forces()[force.force].second;
      stiffness.index = force.force;
      stiffness.sides = {{{at.body, 0.0, 0.0}, {at.body, 0.0, 0.0}}};
      sides[0] = force.component >= 3 ? largest_angular_mobility(system, at)
                                      : mobility_at(system, at, std::get<Load>(system.forces()[force.force].law).at);
    }
    for (double& mobility : sides) mobility = std::sqrt(mobility);
    of_forces_.push_back(sides);
    found_.push_back(stiffness);
    std::vector<double>& of_variables = of_variables_.emplace_back();
    for (const StateVariable& variable : system.expression(force).variables()) {
      of_variables.push_back(variable_mobility(system, variable));
    }
  }
}

std::span<const ForceStiffness> StateStiffness::calc(double t, const Vector& q, const Vector& u) {
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const StateExpression& f = system_.expression(system_.state_forces()[i]);
    const StateExpression::Arguments at(f, system_, t, q, u);
    double c = 0.0;
    double k = 0.0;
    for (std::size_t v = 0; v < of_variables_[i].size(); ++v) {
      const double slope = std::abs(f.slope(static_cast<int>(v), at)) * of_variables_[i][v];
      (f.variables()[v].is_velocity() ? c : k) += slope;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      found_[i].sides[side].c = of_forces_[i][side] * c;
      found_[i].sides[side].k = of_forces_[i][side] * k;
    }
  }
  return found_;
}

std::optional<UnstableForce> find_unstable_force(const System& system, double t, const Vector& q, const Vector& u,
                                                 double h, double most) {
  std::vector<ForceStiffness> all = find_stiffness(system);
  StateStiffness of_state(system);
  for (const ForceStiffness& stiffness : of_state.calc(t, q, u)) all.push_back(stiffness);
  std::vector<ForceStiffness::Side> bodies(system.bodies().size());
  for (const ForceStiffness& stiffness : all) {
    for (const ForceStiffness::Side& side : stiffness.sides) {
      bodies[side.body].c += side.c;
      bodies[side.body].k += side.k;
    }
  }
  const auto by_rate = [](const ForceStiffness::Side& a, const ForceStiffness::Side& b) { return a.rate() < b.rate(); };
  const auto worst = std::ranges::max_element(bodies, by_rate);
  if (worst == bodies.end() || !(h * worst->rate() > most)) return std::nullopt;
  const auto body = static_cast<int>(worst - bodies.begin());
  ForceStiffness::Side stiffest;
  UnstableForce found;
  for (const ForceStiffness& stiffness : all) {
    for (const ForceStiffness::Side& side : stiffness.sides) {
      if (side.body != body || !(side.rate() > stiffest.rate())) continue;
      stiffest = side;
      found.path = path_of(system, stiffness);
    }
  }
  found.text = fmt::format(
      "h c/m = {:.3g} and h^2 k/m = {:.3g} on '{}', where forces are taken explicitly: steps above {:.3g} s may not be "
      "stable",
      h * stiffest.c, h * h * stiffest.k, system.bodies()[body].name, most / worst->rate());
  return found;
}

std::optional<UnstableForce> find_unstable_tension(const System& system, double t, const Vector& q, double h) {
  constexpr double kStable = 4.0;  // [-] (h omega)^2 of an explicit oscillator
  double largest = kStable / (h * h);
  std::optional<UnstableForce> found;
  for (const Force& force : system.forces()) {
    const auto* spring = std::get_if<Spring>(&force.law);
    if (spring == nullptr || spring->stiffness == 0.0) continue;
    const Pose first = system.calc_pose(force.first, t, q);
    const Pose second = system.calc_pose(force.second, t, q);
    const Vector3 line = second.p_WB + second.R_WB * spring->at_second - first.p_WB - first.R_WB * spring->at_first;
    const double length = line.stableNorm();
    if (!(length > 0.0)) continue;
    const double tension = spring->stiffness * (length - spring->rest);
    const auto rate2 = [&](const Attachment& side, const Vector3& at) {
      const Vector3 center = Vector3::Zero();
      const double straight = mobility_at(system, side, center);
      const double turning = at.isZero(0.0) ? 0.0 : (mobility_at(system, side, at) - straight) / at.squaredNorm();
      const double arm = at.norm();
      return std::abs(tension) * arm * (1.0 + arm / length) * turning +
             (tension < 0.0 ? -tension / length * straight : 0.0);
    };
    const double k = rate2(force.first, spring->at_first) + rate2(force.second, spring->at_second);
    if (!(k > largest)) continue;
    largest = k;
    found = UnstableForce{
        "forces." + force.name,
        fmt::format(
            "its tension of {:.3g} N turns bodies with h^2 k/m = {:.3g}, which is taken explicitly: steps above "
            "{:.3g} s may not be stable",
            tension, h * h * k, std::sqrt(kStable / k))};
  }
  return found;
}

}  // namespace stickslip
