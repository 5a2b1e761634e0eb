// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/start_impact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/cone/condense.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/math/sparse_lu.h"

namespace stickslip {
namespace {

/// Numbers in scenes are often written with ten digits: velocities are consistent that are off by this part of the
/// speeds of the bodies, as at the start of the generalized-alpha scheme. [-]
constexpr double kConsistent = 1e-9;
/// Added to the unit diagonal of W, which is singular where joints are redundant; refinement takes it out again. Far
/// above the round-off of the factors, far below the eigenvalues of joints that are no more than nearly so: a body of
/// 1e-9 kg between two of 1 kg, hinges 1e-5 of the body apart. [-]
constexpr double kDiagonal = 1e-12;
/// Refinements at most, and the share of what is left that one of them must take away to be followed by another: a few
/// are enough for all that is far above kDiagonal, and what joints contradict is never taken away.
constexpr int kMaxRefinements = 60;
constexpr double kFalls = 0.5;
/// How often what joints contradict each other in is taken out, each time to four digits, and what may be left of it:
/// less than the diagonal makes anything of. [-]
constexpr int kMaxRounds = 8;
constexpr double kContradiction = 1e-15;

}  // namespace

bool StartImpact::act(ConstraintSet& constraints, State& state) {
  at_.take(state.t, state.q, &state.u);
  constraints.gather(at_, no_points_, 0.0, 0.0);
  Eigen::Index n = 0;  // rows of joints, which come first as there are no contacts
  bool jumps = false;
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::joint; ++i) {
    n += constraints.problem().cones[i].dim;
    jumps |= is_off(constraints, i, state.u);
  }
  if (!jumps || !state.u.allFinite()) return false;

  percussions_.assign(constraints.size(), 0.0);
  VectorView(percussions_.data(), n) = solve(constraints, n);
  Vector force;
  Vector change(system_.n_u());
  constraints.calc_generalized_percussions(percussions_, force);
  system_.solve_mass(force, change);
  if (!change.allFinite()) return false;
  state.u += change;
  // M (u+ - u) = J^T p times (u+ + u) / 2 is the change of kinetic energy; what prescribed motions put in is work.
  std::vector<double> after;
  constraints.get_tau(after);
  constraints.add_relative_velocities(state.u, after);
  for (Eigen::Index row = 0; row < n; ++row) {
    state.energy.dissipated -= percussions_[row] * 0.5 * (constraints.gamma()[row] + after[row]);
    state.energy.work -= percussions_[row] * constraints.tau(static_cast<int>(row));
  }
  return true;
}

/// Whether a joint does not allow the velocities u. A row of J u is at most sqrt(W_rr u . M u), M of its bodies.
bool StartImpact::is_off(const ConstraintSet& constraints, int cone, const Vector& u) const {
  const Cone& rows = constraints.problem().cones[cone];
  const Joint& joint = system_.joints()[constraints.index(cone)];
  double energy = 0.0;
  for (int k = 0; k < joint.n_sides(); ++k) {
    const Body& body = system_.bodies()[joint.side(k).body];
    if (body.n_u == 0) continue;
    const auto of_body = u.segment(body.u_offset, body.n_u);
    energy += of_body.dot(system_.mass(joint.side(k).body) * of_body);
  }
  std::array<double, kMaxConeDim> diagonal;
  constraints.problem().calc_diagonal(cone, diagonal.data());
  double driven = 0.0;
  for (int r = 0; r < rows.dim; ++r) driven = std::max(driven, std::abs(constraints.tau(rows.offset + r)));
  for (int r = 0; r < rows.dim; ++r) {
    const double speed = std::sqrt(diagonal[r] * energy) + driven;
    if (std::abs(constraints.gamma()[rows.offset + r]) > kConsistent * speed) return true;
  }
  return false;
}

/// p (n): W p = -gamma over the rows of joints, scaled to a unit diagonal of W.
Vector StartImpact::solve(const ConstraintSet& constraints, Eigen::Index n) const {
  const SparseMatrix w = make_delassus_matrix(constraints.problem(), stop_);
  Vector scale(n);
  Vector target(n);
  for (Eigen::Index row = 0; row < n; ++row) {
    const double diagonal = w.coeff(row, row);
    scale[row] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    target[row] = -scale[row] * constraints.gamma()[row];
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index row = 0; row < n; ++row) {
    entries.emplace_back(row, row, 0.0);  // where the diagonal is zero, too
    for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
      if (entry.col() < n) entries.emplace_back(row, entry.col(), scale[row] * entry.value() * scale[entry.col()]);
    }
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseMatrix<double> regular = matrix;
  for (Eigen::Index row = 0; row < n; ++row) regular.coeffRef(row, row) += kDiagonal;
  SparseLu factors;
  if (!factors.factorise(regular)) return Vector::Zero(n);
  Vector x;
  Vector left;
  const auto refine = [&] {
    x = Vector::Zero(n);
    left = target;
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMaxRefinements && left.norm() <= kFalls * before; ++k) {
      stop_.check();
      before = left.norm();
      x += factors.solve(left);
      left = target - matrix * x;
    }
  };
  refine();
  // What joints contradict each other in makes x grow along what W maps to zero, by its size over kDiagonal, and is
  // known to the round-off of that x only: again without it, until nothing is left of it.
  const double size = target.norm();
  for (int k = 0; k < kMaxRounds && left.norm() > kContradiction * size; ++k) {
    target -= left;
    refine();
  }
  return scale.cwiseProduct(x);
}

const State& StartImpact::settle(ConstraintSet& constraints, const State& state) {
  is_settled_ = false;
  if (state.step > 0 || system_.joints().empty()) return state;
  settled_ = state;
  is_settled_ = act(constraints, settled_);
  return is_settled_ ? settled_ : state;
}

void StartImpact::add_reactions(double h, StepReport& report) const {
  if (!is_settled_) return;
  JointVector lambda;
  Eigen::Index row = 0;
  for (std::size_t j = 0; j < system_.joints().size(); ++j) {
    lambda = ConstVectorView(percussions_.data() + row, system_.joints()[j].dim) / h;
    row += system_.joints()[j].dim;
    if (lambda.size() > 0) add_joint_reaction(system_, static_cast<int>(j), at_.t(), at_.q(), lambda, report);
  }
}

}  // namespace stickslip
