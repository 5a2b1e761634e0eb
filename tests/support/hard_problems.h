// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/planted_problem.h"

namespace stickslip::test {

// Seeded problems that are hard for some solvers and easy for others: what the default one is judged by.

/// Planted: 1 to 400 contacts, .4 to 8 a body, a third of the problems with each contact twice, mass ratios to 1e6, mu
/// to 3, half of them of rigid bodies, some with joints, both laws.
inline ConeProblem plant_any(unsigned seed) {
  std::mt19937 random(seed * 7919u + 13u);
  const auto draw = [&random] { return std::uniform_real_distribution<double>()(random); };
  const auto n_contacts = static_cast<int>(std::pow(401.0, draw()));
  PlantedRecipe recipe;
  recipe.duplicate = draw() < 0.35;
  recipe.n_contacts = recipe.duplicate ? std::max(1, n_contacts / 2) : n_contacts;
  recipe.n_bodies = std::max(1, static_cast<int>(n_contacts / (0.4 * std::pow(20.0, draw()))));
  recipe.mass_ratio = std::pow(10.0, 6.0 * draw());
  recipe.mu = 0.05 + 2.95 * draw();
  recipe.rigid = draw() < 0.5;
  if (draw() < 0.2) {
    recipe.n_joints = 1 + n_contacts / 10;
    recipe.rigid = false;
  }
  const FrictionLaw law = draw() < 0.5 ? FrictionLaw::coulomb : FrictionLaw::associated;
  return plant(recipe, law, seed).problem;
}

/// Jammed: five spheres with radii over three decades that move anyhow, each held by a cage of 13 or 14 contacts with
/// what stands still or with another one: v = 0 is allowed and hardly anything else.
inline ConeProblem jam(unsigned seed) {
  constexpr int kSpheres = 5;
  constexpr int kContacts = 67;
  constexpr double kDensity = 1000.0;
  std::mt19937 random(seed);
  const auto draw = [&random] { return std::uniform_real_distribution<double>()(random); };
  std::normal_distribution<double> normal;
  ConeProblem problem;
  problem.law = seed % 2 == 1 ? FrictionLaw::coulomb : FrictionLaw::associated;
  FactoredDelassus w;
  std::vector<double> radii;
  for (int i = 0; i < kSpheres; ++i) {
    const double r = std::pow(10.0, -3.0 * draw());
    Matrix inverse = Matrix::Identity(6, 6) / (kDensity * 4.0 / 3.0 * std::numbers::pi * r * r * r);
    inverse.bottomRightCorner(3, 3) *= 2.5 / (r * r);
    w.add_body(inverse);
    radii.push_back(r);
  }
  const FrictionBlock block{2, 0.2 + 0.8 * draw(), 0, 0.0};
  const Vector v = Vector::NullaryExpr(6 * kSpheres, [&] { return 0.1 * normal(random); });
  for (int k = 0; k < kContacts; ++k) {
    const int first = k % kSpheres;
    const int second = k < 4 * kSpheres ? first : static_cast<int>(random() % kSpheres);
    const Vector3 n = Vector3(normal(random), normal(random), normal(random)).normalized();
    const Vector3 t = n.unitOrthogonal();
    const std::vector<Vector3> directions = {n, t, n.cross(t)};
    const int row = problem.size();
    problem.add_contact({&block, 1});
    w.begin_row(3);
    const auto add = [&](int body, double sign) {
      Matrix rows(3, 6);
      for (int i = 0; i < 3; ++i) {
        rows.row(i) << sign * directions[i].transpose(), (-radii[body] * n).cross(directions[i]).transpose();
      }
      w.add_block(body) = rows;
      const Vector u = rows * v.segment<6>(6 * body);
      for (int i = 0; i < 3; ++i) problem.b[row + i] += u(i);
    };
    add(first, 1.0);
    if (second != first) add(second, -1.0);
  }
  problem.delassus = w;
  return problem;
}

}  // namespace stickslip::test
