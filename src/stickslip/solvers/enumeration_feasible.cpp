// SPDX-License-Identifier: BSD-3-Clause
// Cases whose equations are short of rank: whether any of their solutions obeys the inequalities.
#include <algorithm>
#include <cmath>

#include "stickslip/math/cones.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/solvers/enumeration_cases.h"
#include "stickslip/solvers/feasible_set.h"

namespace stickslip {
namespace {

/// Singular values below are dependent directions.
constexpr double kDependentPercussions = 1e-11;  // [-]
/// Velocities of two percussions that are the same, of the sum of magnitudes that they are the sums of.
constexpr double kSameMotion = 1e-8;  // [-]

}  // namespace

void EnumerationCase::project_on_cones(Vector& p) const {
  for (const CaseCone& cone : cones_) {
    double* rows = p.data() + cone.offset;
    if (!cone.is_contact()) {
      project_on_ball(cone.dim, cone.radius, rows, rows);
    } else if (!cone.has_friction()) {
      rows[0] = std::max(rows[0], 0.0);
    } else {
      const FrictionBlock block{cone.d, cone.mu, cone.facets, cone.orientation};
      project_on_contact_cone({&block, 1}, rows, rows);
    }
  }
}

/// Those of one cone, in velocities, with equality: of percussions p times its weight, of u = W p + b.
void EnumerationCase::add_inequalities(std::size_t i, FeasibleSet& set) const {
  using Array = std::array<double, kMaxFrictionDim>;
  const CaseCone& cone = cones_[i];
  const CaseState& state = *states_[i];
  const double w = scale_of(i);
  const int first = cone.first_tangent();
  const Eigen::Index m = b_.size();
  const bool leans = cone.is_contact() && cone.has_friction() && law_ == FrictionLaw::associated;
  // of_normal p_N + n . p_T + constant >= 0, and of_normal u_N + n . u_T >= 0.
  const auto add_forces = [&](double of_normal, const Array& n, double constant) {
    Vector a = Vector::Zero(m);
    if (cone.is_contact()) a(cone.offset) = w * of_normal;
    for (int r = 0; r < cone.d; ++r) a(first + r) = w * n[r];
    set.add_row(a, w * constant);
  };
  const auto add_velocities = [&](double of_normal, const Array& n) {
    Vector a = Vector::Zero(m);
    double c = 0.0;
    if (of_normal != 0.0) {
      a += of_normal * W_.row(cone.offset).transpose();
      c += of_normal * b_(cone.offset);
    }
    for (int r = 0; r < cone.d; ++r) {
      a += n[r] * W_.row(first + r).transpose();
      c += n[r] * b_(first + r);
    }
    set.add_row(a, c);
  };
  const auto opposed = [](const Array& n) { return Array{-n[0], -n[1], -n[2]}; };
  const auto tangent_rows = [&](double factor) {
    Matrix A = Matrix::Zero(1 + cone.d, m);
    for (int r = 0; r < cone.d; ++r) A(1 + r, first + r) = factor;
    return A;
  };
  using Kind = CaseState::Kind;
  if (cone.is_contact() && state.kind != Kind::open) add_forces(1.0, {}, 0.0);
  switch (state.kind) {
    case Kind::open:
      if (!cone.is_contact()) break;
      if (!leans) {
        add_velocities(1.0, {});
      } else if (cone.d == 1) {
        add_velocities(1.0, {cone.mu, 0.0, 0.0});
        add_velocities(1.0, {-cone.mu, 0.0, 0.0});
      } else if (cone.facets > 0) {
        for (int j = 0; j < cone.facets; ++j) add_velocities(1.0, corner_of(cone, j, cone.mu));
      } else {
        Matrix A(1 + cone.d, m);
        Vector c(1 + cone.d);
        A << W_.row(cone.offset), cone.mu * W_.middleRows(first, cone.d);
        c << b_(cone.offset), cone.mu * b_.segment(first, cone.d);
        set.add_cone(A, c);
      }
      break;
    case Kind::stick:
      if (!cone.is_contact() && cone.d == 1) {
        for (const double side : {1.0, -1.0}) add_forces(0.0, {side, 0.0, 0.0}, cone.radius);
      } else if (cone.d == 1) {
        for (const double side : {1.0, -1.0}) add_forces(cone.mu, {side, 0.0, 0.0}, 0.0);
      } else if (cone.facets > 0) {
        for (int j = 0; j < cone.facets; ++j) add_forces(apothem_of(cone), opposed(corner_of(cone, j + 0.5, 1.0)), 0.0);
      } else {
        Matrix A = tangent_rows(w);
        Vector c = Vector::Zero(1 + cone.d);
        if (cone.is_contact()) {
          A(0, cone.offset) = w * cone.mu;
        } else {
          c(0) = w * cone.radius;
        }
        set.add_cone(A, c);
      }
      break;
    case Kind::side: {
      if (cone.d == 1) {
        add_velocities(0.0, opposed(state.side));
        break;
      }
      // -u_T along this corner no less than along the others; of a convex polygon, along its neighbours.
      for (int j = 0; j < cone.facets; ++j) {
        const Array other = corner_of(cone, j, cone.mu);
        const Array difference = {other[0] - state.side[0], other[1] - state.side[1], 0.0};
        if (std::hypot(difference[0], difference[1]) > 1e-3 * cone.mu / cone.facets) add_velocities(0.0, difference);
      }
      break;
    }
    case Kind::edge: {
      const double size = apothem_of(cone);
      for (const double side : {1.0, -1.0}) {
        add_forces(half_edge_of(cone), {-side * state.side[1] / size, side * state.side[0] / size, 0.0}, 0.0);
      }
      add_velocities(0.0, opposed(state.side));
      break;
    }
    case Kind::pressed:
    case Kind::smooth:
      break;
  }
}

void EnumerationCase::add_inequalities(FeasibleSet& set) const {
  for (std::size_t i = 0; i < cones_.size(); ++i) add_inequalities(i, set);
}

EnumerationCase::Feasible EnumerationCase::find_feasible(const Matrix& E, const Vector& e) const {
  using Verdict = Feasible::Verdict;
  constexpr int kProjections = 20;
  constexpr double kNone = 1e-11;           // [-]
  constexpr double kConsistent = 1e-9;      // [-] of what is asked
  constexpr double kRoundOffOfSum = 1e-14;  // [-] of what the sums E p consist of
  const OrthogonalFactors factors(E, kDependentPercussions);
  Vector p = factors.solve(e);
  const Vector wrong = factors.solve(Vector(e - E * p));
  p += wrong;
  const double asked = std::max(e.norm(), b_.norm());
  const double entry = E.cwiseAbs().maxCoeff();
  double size = std::max(p.cwiseAbs().maxCoeff(), entry > 0.0 ? asked / entry : 0.0);
  const Vector beside = e - E * p;  // orthogonal to all columns of E
  const double lost = kRoundOffOfSum * (E.cwiseAbs() * p.cwiseAbs()).norm();
  if (beside.norm() > std::max(kConsistent * asked, lost)) {
    // y . E p = 0 for all p and y . e > 0: up to what round-off leaves of y in E.
    const Vector y = beside - E * factors.solve(beside);
    const double off = (E.transpose() * y).cwiseAbs().sum();
    const bool shown = y.dot(e) > off * FeasibleSet::kFar * size;
    return {shown ? Verdict::none : Verdict::unknown, {}};
  }
  const Matrix kernel = factors.kernel();
  const Matrix moved = W_ * kernel;  // W p along what E leaves open
  const bool same = moved.cwiseAbs().maxCoeff() <= kConsistent * W_.cwiseAbs().maxCoeff();
  if (same) {  // the quick way first, which finds forces near the shortest ones
    Vector near = p;
    for (int i = 0; i < kProjections; ++i) {
      Vector inside = near;
      project_on_cones(inside);
      const bool there = (inside - near).norm() <= kNone * near.norm();
      near = p + kernel * (kernel.transpose() * (inside - p));
      if (!there) continue;
      if (holds(near, Demand::loose)) return {Verdict::found, {near}};
      break;
    }
  }
  for (const CaseCone& cone : cones_) size = std::max(size, cone.radius);
  FeasibleSet set(p, wrong.cwiseAbs(), kernel, size > 0.0 ? size : 1.0);
  add_inequalities(set);
  Vector found;
  switch (set.find(found)) {
    case FeasibleSet::Verdict::none:
      return {};
    case FeasibleSet::Verdict::unknown:
      return {Verdict::unknown, {}};
    case FeasibleSet::Verdict::found:
      break;
  }
  Feasible result{Verdict::found, {found}};
  if (same) return result;
  // How far W p reaches along each of the directions in which it goes at all.
  const Matrix still = OrthogonalFactors(moved, kConsistent).kernel();
  const Matrix going = still.cols() > 0 ? OrthogonalFactors(still.transpose(), kConsistent).kernel()
                                        : Matrix(Matrix::Identity(kernel.cols(), kernel.cols()));
  const Vector u = W_ * found;
  for (Eigen::Index j = 0; j < going.cols(); ++j) {
    for (const double sign : {1.0, -1.0}) {
      Vector other;
      if (!set.maximise(sign * (kernel * going.col(j)), other)) {
        result.verdict = Verdict::several;
        continue;
      }
      const Vector of = W_.cwiseAbs() * (found.cwiseAbs() + other.cwiseAbs()) + b_.cwiseAbs();
      if (((W_ * other - u).cwiseAbs().array() <= kSameMotion * of.array()).all()) continue;
      result.verdict = Verdict::several;
      result.p.push_back(other);
    }
  }
  return result;
}

}  // namespace stickslip
