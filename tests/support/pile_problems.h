// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/cone/cone_problem.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {

/// The next contact problem of a pile of tests/data/piles, `name`: balls in a box with its walls at -half and half and
/// its floor at 0, as they fall for a step. All gaps below `near` [m] may close.
inline ConeProblem make_pile(const std::string& name, double near, FrictionLaw law) {
  constexpr double kStep = 1e-3;  // [s]
  const bool is_large = name == "settled_1000";
  const double half = is_large ? 1.25 : 0.62;  // [m]
  const double mu = is_large ? 0.3 : 0.5;
  struct Ball {
    double radius;
    Vector3 center, velocity;
  };
  std::vector<Ball> balls;
  ConeProblem problem;
  problem.law = law;
  PackedDelassus w;
  for (const std::vector<double>& row : read_table("piles/" + name + ".csv")) {
    balls.push_back({row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6] - 9.81 * kStep}});
    const double mass = 1000.0 * 4.0 / 3.0 * M_PI * std::pow(row[0], 3);
    w.add_body(1.0 / mass, Matrix3::Identity() / (0.4 * mass * row[0] * row[0]));
  }
  const FrictionBlock block{2, mu, 0, 0.0};
  const auto add = [&](int first, int second, const Vector3& n) {
    const auto k = static_cast<std::size_t>(second);
    const Vector3 t = n.unitOrthogonal();
    const bool is_wall = first == PackedDelassus::kFixed;
    const double radius = is_wall ? 0.0 : balls[static_cast<std::size_t>(first)].radius;
    w.add_contact({n, t, radius * n, -balls[k].radius * n, first, second});
    const Vector3 v = balls[k].velocity - (is_wall ? Vector3::Zero() : balls[static_cast<std::size_t>(first)].velocity);
    const int row = problem.size();
    problem.add_contact({&block, 1});
    problem.b[row] = n.dot(v);
    problem.b[row + 1] = t.dot(v);
    problem.b[row + 2] = n.cross(t).dot(v);
  };
  for (int j = 0; j < static_cast<int>(balls.size()); ++j) {
    const Ball& b = balls[static_cast<std::size_t>(j)];
    for (int axis = 0; axis < 3; ++axis) {
      const double low = axis < 2 ? half : 0.0;
      if (b.center(axis) + low - b.radius < near) add(PackedDelassus::kFixed, j, Vector3::Unit(axis));
      if (axis < 2 && half - b.center(axis) - b.radius < near) add(PackedDelassus::kFixed, j, -Vector3::Unit(axis));
    }
    for (int i = 0; i < j; ++i) {
      const Ball& a = balls[static_cast<std::size_t>(i)];
      const Vector3 way = b.center - a.center;
      if (way.norm() - a.radius - b.radius < near) add(i, j, way.normalized());
    }
  }
  problem.delassus = w;
  return problem;
}

}  // namespace stickslip::test
