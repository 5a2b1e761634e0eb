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
  const Matrix& inverse_mass = system.inverse_mass(side.body);
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
  const Matrix& inverse_mass = system.inverse_mass(side.body);
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
      return "joints." + system.joints()[stiffness.index].options.name + ".spring";
    case ForceStiffness::Kind::beam:
      break;
  }
  return "bodies." + system.bodies()[stiffness.index].name;
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
      return joint.turns() ? angular_mobility(system, side, frame.axes.col(2)) : mobility_at(system, side, frame.at);
    };
    add_pair(joint.first, joint.second, mobility(joint.first, joint.options.on_first),
             mobility(joint.second, joint.options.on_second), joint.options.spring->damping,
             joint.options.spring->stiffness, {ForceStiffness::Kind::joint, i, {}}, all);
  }
  return all;
}

std::optional<UnstableForce> find_unstable_force(const System& system, double h, double most) {
  const std::vector<ForceStiffness> all = find_stiffness(system);
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
