// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/massless_bodies.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace stickslip {
namespace {

/// What is next to a body without mass: the least.
struct Neighbour {
  double mass = std::numeric_limits<double>::infinity();    // [kg]
  double moment = std::numeric_limits<double>::infinity();  // [kg m^2]

  void add(const Neighbour& other) {
    mass = std::min(mass, other.mass);
    moment = std::min(moment, other.moment);
  }
};

Neighbour neighbour_of(const Body& body) {
  const double moment = body.type == BodyType::planar ? body.inertia(2, 2) : body.inertia.trace() / 3.0;
  return {body.mass, moment > 0.0 ? moment : body.mass};
}

bool is_of_bodies(const Joint& joint) {
  return !joint.is_coupling();
}

}  // namespace

bool MasslessBodies::has(int body) const {
  return std::ranges::find(bodies_, body) != bodies_.end();
}

void MasslessBodies::lend(SystemBuilder& builder) const {
  const System& system = builder.system();
  std::map<int, Neighbour> found;
  for (bool is_new = exist(); is_new;) {
    is_new = false;
    std::map<int, Neighbour> next = found;
    for (const Joint& joint : system.joints()) {
      if (!is_of_bodies(joint)) continue;
      for (const auto& [body, other] :
           {std::pair(joint.first.body, joint.second.body), std::pair(joint.second.body, joint.first.body)}) {
        if (!has(body) || found.contains(body)) continue;
        const double armature = joint.options.armature;
        if (armature > 0.0) next[body].add({armature, armature});
        const bool is_known = has(other) ? found.contains(other) : system.bodies()[other].n_u > 0;
        if (is_known) next[body].add(has(other) ? found.at(other) : neighbour_of(system.bodies()[other]));
      }
    }
    is_new = next.size() > found.size();
    found = std::move(next);
  }
  for (const auto& [body, next] : found) {
    builder.set_mass(body, kShare * next.mass, kShare * next.moment * Matrix3::Identity());
  }
}

int MasslessBodies::find_loose(const System& system, const State& start) const {
  if (!exist()) return -1;
  std::map<int, int> column;  // of each
  int n = 0;
  for (const int body : bodies_) {
    column[body] = n;
    n += system.bodies()[body].n_u;
  }
  Matrix rows = Matrix::Zero(0, n);
  RowMatrix part;
  for (int j = 0; j < static_cast<int>(system.joints().size()); ++j) {
    const Joint& joint = system.joints()[j];
    const bool is_rotor = joint.rotor >= 0;  // at rest: the free directions of its joint
    if (!is_rotor && !is_of_bodies(joint)) continue;
    const Eigen::Index first = rows.rows();
    for (int k = 0; k < joint.n_sides(); ++k) {
      const Attachment& at = joint.side(k);
      if (!column.contains(at.body)) continue;
      if (rows.rows() == first) {
        rows.conservativeResize(first + joint.dim, Eigen::NoChange);
        rows.bottomRows(joint.dim).setZero();
      }
      part.setZero(joint.dim, at.n_u);
      system.calc_joint_jacobian(j, start.t, start.q, k, part);
      rows.block(first, column.at(at.body), joint.dim, at.n_u) += part;
    }
  }
  if (rows.rows() == 0) return bodies_.front();
  Eigen::FullPivLU<Matrix> factors(rows);
  constexpr double kIndependent = 1e-9;  // [-]
  factors.setThreshold(kIndependent);
  if (factors.dimensionOfKernel() == 0) return -1;
  const Vector motion = factors.kernel().col(0).cwiseAbs();
  Eigen::Index largest = 0;
  motion.maxCoeff(&largest);
  for (const int body : bodies_) {
    if (largest >= column.at(body) && largest < column.at(body) + system.bodies()[body].n_u) return body;
  }
  return bodies_.front();
}

}  // namespace stickslip
