// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/enumeration_cases.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/cones.h"
#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// Of the sum of the magnitudes that a velocity is the sum of: a velocity, or a percussion as one, that is none.
constexpr double kNoneOfCase = 1e-11;  // [-]
/// Singular values below are dependent directions.
constexpr double kOpenDirection = 1e-11;  // [-]

FrictionBlock block_of(const CaseCone& cone) {
  return {cone.d, cone.mu, cone.facets, cone.orientation};
}

/// The least factor r with p_T in r D, D the friction set.
double calc_gauge(const CaseCone& cone, const double* p_T) {
  if (cone.facets == 0) return ConstVectorView(p_T, cone.d).norm() / cone.mu;
  double largest = 0.0;
  for (int j = 0; j < cone.facets; ++j) {
    const auto normal = corner_of(cone, j + 0.5, 1.0);
    largest = std::max(largest, normal[0] * p_T[0] + normal[1] * p_T[1]);
  }
  return largest / apothem_of(cone);
}

}  // namespace

std::array<double, kMaxFrictionDim> corner_of(const CaseCone& cone, double j, double radius) {
  const double angle = cone.orientation + 2.0 * std::numbers::pi * j / cone.facets;
  return {radius * std::cos(angle), radius * std::sin(angle), 0.0};
}

double apothem_of(const CaseCone& cone) {
  return cone.mu * std::cos(std::numbers::pi / cone.facets);
}
double half_edge_of(const CaseCone& cone) {
  return cone.mu * std::sin(std::numbers::pi / cone.facets);
}

std::vector<CaseState> make_case_states(const CaseCone& cone) {
  using Kind = CaseState::Kind;
  std::vector<CaseState> states;
  if (cone.is_contact() || !cone.has_friction()) states.push_back({Kind::open, {}});
  if (!cone.has_friction()) {
    if (cone.is_contact()) states.push_back({Kind::pressed, {}});
    return states;
  }
  states.push_back({Kind::stick, {}});
  const double radius = cone.is_contact() ? cone.mu : cone.radius;
  if (cone.d == 1) {
    states.push_back({Kind::side, {-radius, 0.0, 0.0}});
    states.push_back({Kind::side, {radius, 0.0, 0.0}});
  } else if (cone.facets > 0) {
    for (int j = 0; j < cone.facets; ++j) states.push_back({Kind::side, corner_of(cone, j, cone.mu)});
    for (int j = 0; j < cone.facets; ++j) states.push_back({Kind::edge, corner_of(cone, j + 0.5, apothem_of(cone))});
  } else {
    states.push_back({Kind::smooth, {}});
  }
  return states;
}

double count_case_states(const CaseCone& cone) {
  if (!cone.has_friction()) return cone.is_contact() ? 2.0 : 1.0;
  const double sliding = cone.d == 1 ? 2.0 : cone.facets > 0 ? 2.0 * cone.facets : 1.0;
  return sliding + (cone.is_contact() ? 2.0 : 1.0);
}

ContactState to_contact_state(CaseState::Kind kind) {
  switch (kind) {
    case CaseState::Kind::open:
      return ContactState::open;
    case CaseState::Kind::stick:
      return ContactState::stick;
    case CaseState::Kind::pressed:
    case CaseState::Kind::side:
    case CaseState::Kind::edge:
    case CaseState::Kind::smooth:
      break;
  }
  return ContactState::slip;
}

EnumerationCase::EnumerationCase(const Matrix& W, const Vector& b, FrictionLaw law, const std::vector<CaseCone>& cones,
                                 const std::vector<const CaseState*>& states)
    : W_(W), b_(b), law_(law), cones_(cones), states_(states) {
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const double trace = W.diagonal().segment(cones[i].offset, cones[i].dim).cwiseAbs().sum();
    weights_.push_back(trace > 0.0 ? trace / cones[i].dim : 1.0);
    if (states[i]->kind == CaseState::Kind::smooth) smooth_.push_back(static_cast<int>(i));
  }
}

std::vector<int> EnumerationCase::degrees() const {
  std::vector<int> degrees;
  for (const int i : smooth_) {
    const bool leans = cones_[i].is_contact() && law_ == FrictionLaw::associated;
    degrees.push_back(2 * (cones_[i].d + (leans ? 1 : 0)));
  }
  return degrees;
}

void EnumerationCase::make_equations(const Vector& s, Matrix& E, Vector& e) const {
  E = W_;
  e = -b_;
  std::size_t next = 0;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const CaseCone& cone = cones_[i];
    const CaseState& state = *states_[i];
    const double w = scale_of(i);
    const int first = cone.first_tangent();
    const auto hold = [&](int row) {  // p_row = 0
      E.row(row).setZero();
      E(row, row) = w;
      e(row) = 0.0;
    };
    switch (state.kind) {
      case CaseState::Kind::open:
        for (int r = 0; r < cone.dim; ++r) hold(cone.offset + r);
        break;
      case CaseState::Kind::pressed:
        for (int r = 0; r < cone.d; ++r) hold(first + r);
        break;
      case CaseState::Kind::stick:
        break;
      case CaseState::Kind::side:
        for (int r = 0; r < cone.d; ++r) {
          hold(first + r);
          if (cone.is_contact()) {
            E(first + r, cone.offset) = -w * state.side[r];
            if (law_ == FrictionLaw::associated) {
              E.row(cone.offset) += state.side[r] * W_.row(first + r);
              e(cone.offset) -= state.side[r] * b_(first + r);
            }
          } else {
            e(first + r) = w * state.side[r];
          }
        }
        break;
      case CaseState::Kind::edge: {
        const double size = apothem_of(cone);
        const double n[2] = {state.side[0] / size, state.side[1] / size};
        if (law_ == FrictionLaw::associated) {
          for (int r = 0; r < 2; ++r) {
            E.row(cone.offset) += state.side[r] * W_.row(first + r);
            e(cone.offset) -= state.side[r] * b_(first + r);
          }
        }
        E.row(first) = n[0] * W_.row(first + 1) - n[1] * W_.row(first);
        e(first) = -(n[0] * b_(first + 1) - n[1] * b_(first));
        hold(first + 1);
        E(first + 1, first) = w * n[0];
        E(first + 1, first + 1) = w * n[1];
        E(first + 1, cone.offset) = -w * size;
        break;
      }
      case CaseState::Kind::smooth:
        add_smooth(i, s(static_cast<Eigen::Index>(next++)), E, e);
        break;
    }
  }
}

/// (1 - s) u_T + s w p_T = 0 and u_N = 0; associated u_N = mu |u_T| = mu^2 lambda p_N.
void EnumerationCase::add_smooth(std::size_t i, double s, Matrix& E, Vector& e) const {
  const CaseCone& cone = cones_[i];
  const int first = cone.first_tangent();
  for (int r = 0; r < cone.d; ++r) {
    E.row(first + r) *= 1.0 - s;
    e(first + r) *= 1.0 - s;
    E(first + r, first + r) += s * scale_of(i);
  }
  if (!cone.is_contact() || law_ == FrictionLaw::coulomb) return;
  E.row(cone.offset) *= 1.0 - s;
  e(cone.offset) *= 1.0 - s;
  E(cone.offset, cone.offset) -= s * scale_of(i) * cone.mu * cone.mu;
}

void EnumerationCase::eval_polynomials(const Vector& s, Vector& f) const {
  Matrix E;
  Vector e;
  make_equations(s, E, e);
  double size = 0.0;  // so that the determinant of many rows is a number
  for (const double w : weights_) size = std::max(size, w);
  DenseLu lu;
  lu.factorise(E / size);
  const double determinant = lu.determinant();
  const Vector p = lu.solve(e / size);
  for (std::size_t k = 0; k < smooth_.size(); ++k) {
    const CaseCone& cone = cones_[smooth_[k]];
    const double friction = p.segment(cone.first_tangent(), cone.d).norm() * determinant;
    const double bound = (cone.is_contact() ? cone.mu * p(cone.offset) : cone.radius) * determinant;
    // Where normal velocities go with lambda, all its percussions vanish at s = 1, which is no solution.
    const bool leans = cone.is_contact() && law_ == FrictionLaw::associated;
    const double vanishes = leans ? 1.0 - s(static_cast<Eigen::Index>(k)) : 1.0;
    f(static_cast<Eigen::Index>(k)) = ((bound - friction) / vanishes) * ((bound + friction) / vanishes);
  }
}

bool EnumerationCase::polish(Vector& s, Vector& p) const {
  constexpr int kMaxSteps = 12;
  const auto k = static_cast<Eigen::Index>(smooth_.size());
  Matrix E;
  Vector e;
  Vector f(k);
  Matrix J(k, k);
  double least = HUGE_VAL;
  Vector best = s;
  for (int step = 0; step < kMaxSteps; ++step) {
    make_equations(s, E, e);
    DenseLu lu;
    if (!(lu.factorise(E) > 0.0)) return false;
    p = lu.solve(e);
    if (!p.allFinite()) return false;
    for (Eigen::Index j = 0; j < k; ++j) {
      const CaseCone& cone = cones_[smooth_[j]];
      const int first = cone.first_tangent();
      // dE/ds p - de/ds: of the rows of this cone.
      Vector change = Vector::Zero(p.size());
      const double w = scale_of(smooth_[j]);
      for (int r = 0; r < cone.d; ++r) {
        change(first + r) = -(W_.row(first + r).dot(p) + b_(first + r)) + w * p(first + r);
      }
      if (cone.is_contact() && law_ == FrictionLaw::associated) {
        change(cone.offset) = -(W_.row(cone.offset).dot(p) + b_(cone.offset)) - w * cone.mu * cone.mu * p(cone.offset);
      }
      const Vector dp = -lu.solve(change);
      for (Eigen::Index i = 0; i < k; ++i) {
        const CaseCone& other = cones_[smooth_[i]];
        const auto p_T = p.segment(other.first_tangent(), other.d);
        const double size = p_T.norm();
        const double bound = other.is_contact() ? other.mu * p(other.offset) : other.radius;
        const double d_bound = other.is_contact() ? other.mu * dp(other.offset) : 0.0;
        const double scale = std::abs(bound) + size;
        if (!(size > 0.0) || !(scale > 0.0)) return false;
        f(i) = (bound - size) / scale;
        J(i, j) = (d_bound - p_T.dot(dp.segment(other.first_tangent(), other.d)) / size) / scale;
      }
    }
    const double defect = f.cwiseAbs().maxCoeff();
    if (!(defect < least)) break;
    least = defect;
    best = s;
    DenseLu newton;
    if (!(newton.factorise(J) > 0.0)) break;
    const Vector next = s - newton.solve(f);
    if (!next.allFinite() || !(next.minCoeff() > 0.0) || !(next.maxCoeff() < 1.0)) break;
    s = next;
  }
  s = best;
  make_equations(s, E, e);
  DenseLu lu;
  if (!(lu.factorise(E) > 0.0)) return false;
  p = lu.solve(e);
  constexpr double kSolved = 1e-9;  // [-] far above round-off, far below the distance of solutions
  if (!(least < kSolved) || !p.allFinite()) return false;
  refine(s, p);
  return true;
}

/// Newton's method in p and lambda together: 1 - s has lost digits where lambda is large.
void EnumerationCase::refine(const Vector& s, Vector& p) const {
  constexpr int kRefinements = 2;
  const Eigen::Index m = p.size();
  const auto k = static_cast<Eigen::Index>(smooth_.size());
  Vector lambda(k);
  for (Eigen::Index j = 0; j < k; ++j) lambda(j) = scale_of(smooth_[j]) * s(j) / (1.0 - s(j));
  Matrix E;
  Vector e;
  Vector without = Vector::Zero(k);  // lambda comes below
  make_equations(without, E, e);
  for (int step = 0; step < kRefinements; ++step) {
    Matrix J = Matrix::Zero(m + k, m + k);
    Vector f(m + k);
    J.topLeftCorner(m, m) = E;
    f.head(m) = E * p - e;
    for (Eigen::Index j = 0; j < k; ++j) {
      const CaseCone& cone = cones_[smooth_[j]];
      const int first = cone.first_tangent();
      const double size = p.segment(first, cone.d).norm();
      if (!(size > 0.0)) return;
      for (int r = 0; r < cone.d; ++r) {
        J(first + r, first + r) += lambda(j);
        J(first + r, m + j) = p(first + r);
        f(first + r) += lambda(j) * p(first + r);
        J(m + j, first + r) = -p(first + r) / size;
      }
      f(m + j) = (cone.is_contact() ? cone.mu * p(cone.offset) : cone.radius) - size;
      if (!cone.is_contact()) continue;
      J(m + j, cone.offset) = cone.mu;
      if (law_ == FrictionLaw::coulomb) continue;
      J(cone.offset, cone.offset) -= lambda(j) * cone.mu * cone.mu;
      J(cone.offset, m + j) = -cone.mu * cone.mu * p(cone.offset);
      f(cone.offset) -= lambda(j) * cone.mu * cone.mu * p(cone.offset);
    }
    DenseLu lu;
    if (!(lu.factorise(J) > 0.0)) return;
    const Vector change = lu.solve(f);
    if (!change.allFinite()) return;
    p -= change.head(m);
    lambda -= change.tail(k);
  }
}

bool EnumerationCase::presses(const Vector& s) const {
  Matrix E;
  Vector e;
  make_equations(s, E, e);
  const Vector p = PivotedQr(E, kOpenDirection).solve(e);
  const double size = b_.cwiseAbs().maxCoeff();
  return std::ranges::all_of(smooth_, [&](int i) {
    const CaseCone& cone = cones_[i];
    return p.segment(cone.offset, cone.dim).norm() * scale_of(i) > kNoneOfCase * size;
  });
}

bool EnumerationCase::holds(const Vector& p, Demand demand) const {
  const Vector u = W_ * p + b_;
  const Vector zero = kNoneOfCase * (W_.cwiseAbs() * p.cwiseAbs() + b_.cwiseAbs());
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    if (!holds(i, p, u, zero, demand)) return false;
  }
  return true;
}

bool EnumerationCase::holds(std::size_t i, const Vector& p, const Vector& u, const Vector& zero, Demand demand) const {
  const CaseCone& cone = cones_[i];
  if (cone.is_contact()) return holds_contact(i, p, u, zero, demand);
  const CaseState& state = *states_[i];
  const auto p_T = p.segment(cone.offset, cone.dim);
  const auto u_T = u.segment(cone.offset, cone.dim);
  switch (state.kind) {
    case CaseState::Kind::stick:
      return demand == Demand::velocities || p_T.norm() <= cone.radius * (1.0 + kNoneOfCase);
    case CaseState::Kind::side:
      return -u_T(0) * state.side[0] > zero(cone.offset) * cone.radius;
    case CaseState::Kind::smooth:
      return u_T.norm() > zero.segment(cone.offset, cone.dim).maxCoeff() && -u_T.dot(p_T) > 0.0;
    case CaseState::Kind::open:
    case CaseState::Kind::pressed:
    case CaseState::Kind::edge:
      break;
  }
  return true;
}

bool EnumerationCase::holds_contact(std::size_t i, const Vector& p, const Vector& u, const Vector& zero,
                                    Demand demand) const {
  const CaseCone& cone = cones_[i];
  const CaseState& state = *states_[i];
  const int first = cone.first_tangent();
  const double none = zero(cone.offset);
  const double u_N = u(cone.offset);
  const double p_N = p(cone.offset);
  const double* p_T = p.data() + first;
  const auto u_T = u.segment(first, cone.d);
  const double none_T = cone.d > 0 ? zero.segment(first, cone.d).maxCoeff() : 0.0;
  if (state.kind == CaseState::Kind::open) {
    const Vector opposed = -u_T;
    if (law_ == FrictionLaw::coulomb || !cone.has_friction()) return u_N >= -none;
    return u_N >= calc_support(block_of(cone), opposed.data()) - none - cone.mu * none_T;
  }
  const double as_velocity = std::abs(W_(cone.offset, cone.offset)) * p_N;
  if (demand == Demand::strict && !(p_N > 0.0 && as_velocity > none)) return false;
  if (demand == Demand::loose && !(as_velocity >= -none)) return false;
  const bool judges_forces = demand != Demand::velocities;
  // Along -u_T the support of the polygon, or of an edge's normal: n . (-u_T).
  const auto along = [&](const std::array<double, kMaxFrictionDim>& n) {
    double sum = 0.0;
    for (int r = 0; r < cone.d; ++r) sum -= n[r] * u_T(r);
    return sum;
  };
  switch (state.kind) {
    case CaseState::Kind::stick:
      return !judges_forces || calc_gauge(cone, p_T) <= p_N * (1.0 + 10.0 * kNoneOfCase) +
                                                            (demand == Demand::loose ? none / scale_of(i) : 0.0);
    case CaseState::Kind::side:
      if (cone.d == 1) return along(state.side) > none_T * cone.mu;
      if (!(u_T.norm() > none_T)) return false;
      for (int j = 0; j < cone.facets; ++j) {
        if (along(corner_of(cone, j, cone.mu)) > along(state.side) + none_T * cone.mu) return false;
      }
      return true;
    case CaseState::Kind::edge: {
      const double size = apothem_of(cone);
      const double beside = (state.side[0] * p_T[1] - state.side[1] * p_T[0]) / size;
      if (judges_forces && !(std::abs(beside) < half_edge_of(cone) * p_N * (1.0 - kNoneOfCase))) return false;
      return along(state.side) > none_T * size;
    }
    case CaseState::Kind::smooth: {
      double power = 0.0;
      for (int r = 0; r < cone.d; ++r) power -= u_T(r) * p_T[r];
      return u_T.norm() > none_T && power > 0.0;
    }
    case CaseState::Kind::pressed:
    case CaseState::Kind::open:
      break;
  }
  return true;
}

}  // namespace stickslip
