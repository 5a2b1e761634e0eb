// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/body_sizes.h"

#include <algorithm>
#include <limits>

#include "stickslip/geometry/enclosing_ball.h"

namespace stickslip {
namespace {

constexpr double kWithoutSizes = 1.0;  // [m]

bool has_center(const Body& body) {
  return body.type != BodyType::fixed && body.type != BodyType::moving;
}

}  // namespace

BodySizes::BodySizes(const System& system) {
  std::vector<double> joint_distances(system.bodies().size(), 0.0);
  for (const Joint& joint : system.joints()) {
    const JointOptions& o = joint.options;
    joint_distances[o.first] = std::max(joint_distances[o.first], o.on_first.at.norm());
    joint_distances[o.second] = std::max(joint_distances[o.second], o.on_second.at.norm());
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    double size = 0.0;
    if (body.beam) {
      size = body.beam->options().length;
    } else if (const auto ball = calc_enclosing_ball(body.shapes, system.planar())) {
      size = 2.0 * ball->radius;
    }
    if (size == 0.0 && has_center(body)) size = joint_distances[i];
    sizes_.push_back(size);
    if (size > 0.0) least = std::min(least, size);
  }
  least_ = std::min(least, kWithoutSizes);
}

double BodySizes::of_pair(int body_a, int body_b) const {
  const double a = sizes_[body_a];
  const double b = sizes_[body_b];
  if (a > 0.0 && b > 0.0) return std::min(a, b);
  return std::max(a, b) > 0.0 ? std::max(a, b) : kWithoutSizes;
}

}  // namespace stickslip
