// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/project_start.h"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace stickslip {
namespace {

/// The rows of all joints at one state.
class Rows {
 public:
  Rows(const System& system, const State& state) : system_(system) {
    int n = 0;
    for (const Joint& joint : system.joints()) {
      offsets_.push_back(n);
      n += joint.n_position_rows;
    }
    g = Vector::Zero(n);
    JointVector part;
    for (std::size_t j = 0; j < system.joints().size(); ++j) {
      const Joint& joint = system.joints()[j];
      if (!holds(j)) continue;
      for (int k = 0; k < joint.n_sides(); ++k) {
        RowMatrix& J = jacobians_.emplace_back(RowMatrix::Zero(joint.dim, joint.side(k).n_u));
        system.calc_joint_jacobian(static_cast<int>(j), state.t, state.q, k, J);
        if (joint.n_position_rows < joint.dim) J = RowMatrix(J.topRows(joint.n_position_rows));
      }
      system.calc_joint_position(static_cast<int>(j), state.t, state.q, part);
      g.segment(offsets_[j], joint.n_position_rows) = part.head(joint.n_position_rows);
    }
  }

  Vector g;  // (rows) [m, rad]

  /// M^-1 J^T l
  Vector respond(const Vector& l) const {
    Vector force = Vector::Zero(system().n_u());
    Vector result(system().n_u());
    for_each_block([&](const RowMatrix& J, const Attachment& at, int row) {
      force.segment(at.u_offset, at.n_u) += J.transpose() * l.segment(row, J.rows());
    });
    system().solve_mass(force, result);
    return result;
  }

  /// J v
  Vector multiply(const Vector& v) const {
    Vector result = Vector::Zero(g.size());
    for_each_block([&](const RowMatrix& J, const Attachment& at, int row) {
      result.segment(row, J.rows()) += J * v.segment(at.u_offset, at.n_u);
    });
    return result;
  }

 private:
  const System& system() const { return system_; }
  bool holds(std::size_t j) const { return system().joints()[j].n_position_rows > 0; }

  template <class F>
  void for_each_block(F&& f) const {
    auto J = jacobians_.begin();
    for (std::size_t j = 0; j < system().joints().size(); ++j) {
      if (!holds(j)) continue;
      const Joint& joint = system().joints()[j];
      for (int k = 0; k < joint.n_sides(); ++k) f(*J++, joint.side(k), offsets_[j]);
    }
  }

  std::reference_wrapper<const System> system_;
  std::vector<int> offsets_;          // (joints)
  std::vector<RowMatrix> jacobians_;  // (sides of joints that hold) (dim, n_u of the side)
};

/// l of least residual of J M^-1 J^T l = g.
Vector solve(const Rows& rows, const StopToken& stop) {
  constexpr double kEnough = 1e-8;  // [-] of g: the next Newton step does the rest
  Vector l = Vector::Zero(rows.g.size());
  Vector r = rows.g;
  Vector d = r;
  double rr = r.squaredNorm();
  const double whole = rr;
  for (int i = 0; i < 2 * rows.g.size() && rr > kEnough * kEnough * whole; ++i) {
    stop.check();
    const Vector Wd = rows.multiply(rows.respond(d));
    const double curvature = d.dot(Wd);
    if (!(curvature > 0.0)) break;
    const double step = rr / curvature;
    l += step * d;
    r -= step * Wd;
    const double next = r.squaredNorm();
    d = r + next / rr * d;
    rr = next;
  }
  return l;
}

}  // namespace

void project_start(const System& system, State& state, const StopToken& stop) {
  constexpr int kMostSteps = 10;  // [-] Newton's method from 1e-6 needs two
  Rows rows(system, state);
  for (int i = 0; i < kMostSteps && rows.g.norm() > 0.0; ++i) {
    State next = state;
    system.advance(1.0, -rows.respond(solve(rows, stop)), next.q);
    system.normalize(next.t, next.q);
    Rows rows_there(system, next);
    if (!(rows_there.g.norm() < rows.g.norm())) return;
    state = std::move(next);
    rows = std::move(rows_there);
  }
}

}  // namespace stickslip
