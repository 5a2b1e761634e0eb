// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/body_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "stickslip/geometry/enclosing_ball.h"

namespace stickslip {
namespace {

constexpr double kWithoutSizes = 1.0;  // [m]

/// A joint nearer to the centre than this share of the body's radius of gyration, or of its distance from the other
/// body's centre, is at it: coordinates of one place differ by their round-off.
constexpr double kAtCenter = 1e-9;  // [-]

/// [m] sqrt(J / m), none where there is no inertia
double calc_gyration_radius(const Body& body) {
  return body.mass > 0.0 ? std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass) : 0.0;
}

std::optional<EnclosingBall> calc_touching_ball(const Body& body, bool planar) {
  const auto is_visual = [](const Shape& shape) { return shape.contact.visual; };
  if (std::ranges::none_of(body.shapes, is_visual)) return calc_enclosing_ball(body.shapes, planar);
  std::vector<Shape> shapes = body.shapes;
  std::erase_if(shapes, is_visual);
  return calc_enclosing_ball(shapes, planar);
}

bool has_center(const Body& body) {
  return body.type != BodyType::fixed && body.type != BodyType::moving;
}

}  // namespace

BodySizes::BodySizes(const System& system) {
  std::vector<double> joint_distances(system.bodies().size(), 0.0);
  for (const Joint& joint : system.joints()) {
    const JointOptions& o = joint.options;
    const double on_first = o.on_first.at.norm();
    const double on_second = o.on_second.at.norm();
    const auto add = [&](int body, double distance, double of_other) {
      const double scale = std::max(calc_gyration_radius(system.bodies()[body]), of_other);
      if (distance > kAtCenter * scale) joint_distances[body] = std::max(joint_distances[body], distance);
    };
    add(o.first, on_first, on_second);
    add(o.second, on_second, on_first);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    double size = 0.0;
    if (body.beam) {
      size = body.beam->options().length;
    } else if (const auto ball = calc_touching_ball(body, system.planar())) {
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
