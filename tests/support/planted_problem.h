// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "stickslip/cone/cone_problem.h"

namespace stickslip::test {

// For tests and benchmarks of solvers only; nothing in the library includes it.

/// A cone problem and a solution of it, known because b was made to fit.
struct PlantedProblem {
  ConeProblem problem;
  std::vector<double> p;  // (n) [N s]
};

struct PlantedRecipe {
  int n_bodies = 8;  // of six velocities each
  int n_contacts = 8;
  int n_joints = 0;         // free cones of three rows
  int n_balls = 0;          // of two rows
  double mu = 0.5;          // [-]
  double mass_ratio = 1.0;  // [-] largest over smallest mass
  bool duplicate = false;   // every contact twice: W is singular
  int friction_dim = 2;     // 1, 2 or 3
  int facets = 0;           // polygons in place of balls
  bool several_blocks = false;
  bool rigid = false;      // contacts alone, of rigid bodies: rows from a frame and arms
  bool packed = false;     // these in the packed operator
  bool stretched = false;  // every ball of friction with more than one row, along any direction, tau up to 1
};

/// Draws the problem's parts; one object, one problem.
class Planter {
 public:
  Planter(const PlantedRecipe& recipe, FrictionLaw law, unsigned seed) : recipe_(recipe), random_(seed) {
    planted_.problem.law = law;
    for (int k = 0; k < recipe.n_bodies; ++k) {
      const double share = recipe.n_bodies > 1 ? static_cast<double>(k) / (recipe.n_bodies - 1) : 0.5;
      Matrix inverse_mass = std::pow(recipe.mass_ratio, share - 0.5) * Matrix::Identity(6, 6);
      inverse_mass.bottomRightCorner(3, 3) *= 2.5;
      if (recipe.rigid || recipe.packed) turn_inertia(inverse_mass);
      w_.add_body(inverse_mass);
      packed_.add_body(inverse_mass(0, 0), inverse_mass.bottomRightCorner<3, 3>());
    }
  }

  PlantedProblem make() {
    for (int i = 0; i < recipe_.n_contacts; ++i) add_contact();
    for (int i = 0; i < recipe_.n_balls; ++i) add_ball(i);
    for (int i = 0; i < recipe_.n_joints; ++i) add_joint();
    ConeProblem& problem = planted_.problem;
    if (recipe_.packed) {
      problem.delassus = packed_;
    } else {
      problem.delassus = w_;
    }
    if (recipe_.stretched) add_stretches();
    std::vector<double> product(problem.size());
    problem.apply_delassus(planted_.p, product);
    for (int i = 0; i < problem.size(); ++i) problem.b[i] = u_[i] - product[i];
    return planted_;
  }

 private:
  double draw() { return std::normal_distribution<double>()(random_); }

  /// Any inertia that is one: off the diagonal, too.
  void turn_inertia(Matrix& inverse_mass) {
    Matrix3 factor = Matrix3::Identity();
    for (double& value : factor.reshaped()) value += 0.3 * draw();
    inverse_mass.bottomRightCorner<3, 3>() = inverse_mass(5, 5) * factor * factor.transpose();
  }

  /// Percussion and velocity of one friction block within the law: stick (u = 0) or slip (u against the bound, at a
  /// polygon's corner or on its edge). Returns h(-u), the lift of the relaxed law.
  double plant_block(const FrictionBlock& block, double p_normal, bool slips, double* p, double* u) {
    double direction[kMaxFrictionDim];
    double squared = 0.0;
    for (int i = 0; i < block.dim; ++i) {
      direction[i] = draw();
      squared += direction[i] * direction[i];
    }
    for (int i = 0; i < block.dim; ++i) direction[i] /= std::sqrt(squared);
    const double inscribed = block.facets > 0 ? std::cos(std::numbers::pi / block.facets) : 1.0;
    double reach = slips ? 1.0 : 0.6 * inscribed;
    double beside = 0.0;
    if (slips && block.facets > 0) {  // u along a corner's direction or an edge's normal
      const bool on_edge = random_() % 2 == 1;
      const double corner = static_cast<double>(random_() % block.facets);
      const double angle = block.orientation + 2.0 * std::numbers::pi * (corner + (on_edge ? 0.5 : 0.0)) / block.facets;
      direction[0] = std::cos(angle);
      direction[1] = std::sin(angle);
      if (on_edge) {
        reach = inscribed;
        beside = 0.6 * std::sin(draw()) * std::sin(std::numbers::pi / block.facets);
      }
    }
    for (int i = 0; i < block.dim; ++i) {
      p[i] = direction[i] * block.mu * p_normal * reach;
      u[i] = slips ? -direction[i] : 0.0;
    }
    if (beside != 0.0) {
      p[0] -= beside * direction[1] * block.mu * p_normal;
      p[1] += beside * direction[0] * block.mu * p_normal;
    }
    return slips ? block.mu * reach : 0.0;
  }

  /// Opens a row on two bodies (one, where there is only one) with random entries.
  std::vector<Matrix> add_row(int dim, int& first, int& second) {
    first = w_.n_rows() % recipe_.n_bodies;
    second = (first + 1 + static_cast<int>(random_() % recipe_.n_bodies)) % recipe_.n_bodies;
    std::vector<Matrix> blocks;
    for (int k = 0; k < (first == second ? 1 : 2); ++k) {
      Matrix block(dim, 6);
      for (double& value : block.reshaped()) value = draw();
      blocks.push_back(block);
    }
    if (recipe_.rigid || recipe_.packed) make_rigid(first, second, blocks);
    repeat_row(dim, first, second, blocks);
    return blocks;
  }
  /// Turns random rows into those of a contact of two rigid bodies, the first of which may be what stands still.
  void make_rigid(int first, int second, std::vector<Matrix>& blocks) {
    PackedDelassus::Contact contact;
    contact.normal = Vector3(blocks[0].row(0).head<3>()).normalized();
    contact.tangent = contact.normal.cross(Vector3(blocks[0].row(1).head<3>())).normalized();
    contact.arm_first = blocks[0].row(2).head<3>();
    contact.arm_second = blocks.back().row(2).tail<3>();
    contact.first = first == second ? PackedDelassus::kFixed : first;
    contact.second = second;
    const std::array<Vector3, 3> rows = {contact.normal, contact.tangent, contact.normal.cross(contact.tangent)};
    for (int r = 0; r < 3; ++r) {
      blocks.front().row(r) << -rows[r].transpose(), -contact.arm_first.cross(rows[r]).transpose();
      blocks.back().row(r) << rows[r].transpose(), contact.arm_second.cross(rows[r]).transpose();
    }
    contact_ = contact;
  }
  void repeat_row(int dim, int first, int second, const std::vector<Matrix>& blocks) {
    w_.begin_row(dim);
    w_.add_block(first) = blocks[0];
    if (blocks.size() > 1) w_.add_block(second) = blocks[1];
    if (recipe_.packed) packed_.add_contact(contact_);
  }

  /// The laws were planted between p and S u.
  void add_stretches() {
    for (const Cone& cone : planted_.problem.cones) {
      if (cone.kind == ConeKind::ball) add_stretch(cone.offset, cone.dim);
      int row = cone.offset + 1;
      for (const FrictionBlock& block : planted_.problem.friction(cone)) {
        if (block.dim > 1 && block.facets == 0) add_stretch(row, block.dim);
        row += block.dim;
      }
    }
  }
  void add_stretch(int row, int dim) {
    Stretch s{row, dim, std::uniform_real_distribution<double>()(random_), {}};
    double squared = 0.0;
    for (int i = 0; i < dim; ++i) {
      s.along[i] = draw();
      squared += s.along[i] * s.along[i];
    }
    for (int i = 0; i < dim; ++i) s.along[i] /= std::sqrt(squared);
    s.apply_inverse(u_.data() + row);
    planted_.problem.stretches.push_back(s);
  }

  void append(const std::vector<double>& p, const std::vector<double>& u, double scale) {
    for (const double value : p) planted_.p.push_back(scale * value);
    u_.insert(u_.end(), u.begin(), u.end());
  }

  void add_contact() {
    std::vector<FrictionBlock> friction = {{recipe_.friction_dim, recipe_.mu, recipe_.facets, 0.3}};
    if (recipe_.several_blocks) friction.push_back({1, 0.3 * recipe_.mu, 0, 0.0});
    const int state = static_cast<int>(random_() % 3);  // open, stick, slip
    const double p_normal = state == 0 ? 0.0 : 0.5 + std::abs(draw());
    std::vector<double> p = {p_normal};
    std::vector<double> u = {state == 0 ? 0.1 + std::abs(draw()) : 0.0};
    for (const FrictionBlock& block : friction) {
      double p_block[kMaxFrictionDim] = {};
      double u_block[kMaxFrictionDim] = {};
      const double lift = state > 0 ? plant_block(block, p_normal, state == 2, p_block, u_block) : 0.0;
      if (planted_.problem.law == FrictionLaw::associated) u[0] += lift;
      p.insert(p.end(), p_block, p_block + block.dim);
      u.insert(u.end(), u_block, u_block + block.dim);
    }
    const int dim = static_cast<int>(p.size());
    int first = 0;
    int second = 0;
    planted_.problem.add_contact(friction);
    const auto blocks = add_row(dim, first, second);
    append(p, u, 1.0);
    if (!recipe_.duplicate) return;
    planted_.problem.add_contact(friction);
    repeat_row(dim, first, second, blocks);
    append(p, u, 0.7);
  }

  void add_ball(int i) {
    std::vector<double> p(2);
    std::vector<double> u(2);
    const double radius = 0.5 + std::abs(draw());
    plant_block({2, 1.0, 0, 0.0}, radius, i % 2 == 1, p.data(), u.data());
    planted_.problem.add_ball(2, radius);
    int first = 0;
    int second = 0;
    add_row(2, first, second);
    append(p, u, 1.0);
  }

  void add_joint() {
    planted_.problem.add_free(3);
    int first = 0;
    int second = 0;
    add_row(3, first, second);
    append({draw(), draw(), draw()}, {0.0, 0.0, 0.0}, 1.0);
  }

  PlantedRecipe recipe_;
  std::mt19937 random_;
  PlantedProblem planted_;
  FactoredDelassus w_;
  PackedDelassus packed_;
  PackedDelassus::Contact contact_ = {};  // of the open row
  std::vector<double> u_;                 // (n) [m/s]
};

inline PlantedProblem plant(const PlantedRecipe& recipe, FrictionLaw law, unsigned seed) {
  return Planter(recipe, law, seed).make();
}

}  // namespace stickslip::test
