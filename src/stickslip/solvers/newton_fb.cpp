// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_fb.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/lorentz_cone.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/interior_point.h"
#include "stickslip/solvers/line_search.h"

namespace stickslip {
namespace {

/// Bounds of the proximal term, as a share of the diagonal, and what it is multiplied by.
constexpr double kFbLeastProximal = 1e-12;
constexpr double kFbLargestProximal = 1e2;
constexpr double kFbRise = 30.0;
constexpr double kFbFall = 0.1;
/// Halvings of a step that does not lower the merit function.
constexpr int kFbMaxHalvings = 8;
/// The derivative of a ball's first equation in its multiplier is at least this; 0 where both x and y vanish.
constexpr double kLeastSlope = 1e-8;
/// A ball has one row more than its cone.
constexpr int kMaxDim = kMaxConeDim + 1;

using Square = std::array<double, kMaxDim * kMaxDim>;

}  // namespace

struct FischerBurmeister::Local {
  int dim = 0;                                             // of the cone
  std::array<double, kMaxDim> phi = {};                    // [m/s]; the rest belongs to what is not free or held
  std::array<double, kMaxConeDim* kMaxConeDim> by_p = {};  // (dim, dim) dphi/dp [1/kg]
  std::array<double, kMaxConeDim* kMaxConeDim> by_u = {};  // (dim, dim) dphi/du [-]
  /// A ball's equation for its multiplier: phi_0 + slope dt + first_by_p dp + first_by_u du = 0, and the other rows'
  /// derivative in t.
  double phi_0 = 0.0;                               // [m/s]
  double slope = 1.0;                               // [-]
  std::array<double, kMaxConeDim> first_by_p = {};  // (dim) [1/kg]
  std::array<double, kMaxConeDim> first_by_u = {};  // (dim) [-]
  std::array<double, kMaxConeDim> by_t = {};        // (dim) [-]
};

/// phi and its derivative for a contact, x = w S p, y = S^-1 (u + s e_N); friction rows with mu = 0 are held at zero.
void FischerBurmeister::linearise_contact(const ConeProblem& problem, const Cone& cone, double w, Local& local) const {
  const bool has_friction = cone.n_blocks == 1 && problem.friction(cone)[0].mu > 0.0;
  const double mu = has_friction ? problem.friction(cone)[0].mu : 1.0;
  const int dim = has_friction ? cone.dim : 1;
  const double* p = p_.data() + cone.offset;
  const double* u = u_.data() + cone.offset;
  std::array<double, kMaxDim> x;
  std::array<double, kMaxDim> y;
  std::array<double, kMaxDim> shift = {};  // of y_0, by u
  double slip = 0.0;
  for (int r = 0; r < dim; ++r) {
    x[r] = w * (r == 0 ? mu * p[0] : p[r]);
    y[r] = r == 0 ? u[0] / mu : u[r];
    if (r > 0) slip += u[r] * u[r];
  }
  if (problem.law == FrictionLaw::coulomb && slip > 0.0) {
    slip = std::sqrt(slip);
    y[0] += slip;
    for (int r = 1; r < dim; ++r) shift[r] = u[r] / slip;
  }
  Square by_x;
  Square by_y;
  calc_fischer_burmeister(dim, x.data(), y.data(), local.phi.data(), by_x.data(), by_y.data());
  for (int i = 0; i < dim; ++i) {
    for (int j = 0; j < dim; ++j) {
      local.by_p[i * cone.dim + j] = w * (j == 0 ? mu : 1.0) * by_x[i * dim + j];
      local.by_u[i * cone.dim + j] = by_y[i * dim + j] / (j == 0 ? mu : 1.0) + by_y[i * dim] * shift[j];
    }
  }
  for (int r = dim; r < cone.dim; ++r) {
    local.phi[r] = w * p[r];
    local.by_p[r * cone.dim + r] = w;
  }
}

/// The same for a ball, x = w (R, p), y = (t, u).
void FischerBurmeister::linearise_ball(const Cone& cone, double w, double t, Local& local) const {
  const int dim = cone.dim;
  const double* p = p_.data() + cone.offset;
  const double* u = u_.data() + cone.offset;
  if (!(cone.radius > 0.0)) {
    for (int r = 0; r < dim; ++r) {
      local.phi[r] = w * p[r];
      local.by_p[r * dim + r] = w;
    }
    return;
  }
  std::array<double, kMaxDim> x;
  std::array<double, kMaxDim> y;
  x[0] = w * cone.radius;
  y[0] = t;
  for (int r = 0; r < dim; ++r) {
    x[r + 1] = w * p[r];
    y[r + 1] = u[r];
  }
  std::array<double, kMaxDim> phi;
  Square by_x;
  Square by_y;
  calc_fischer_burmeister(dim + 1, x.data(), y.data(), phi.data(), by_x.data(), by_y.data());
  local.phi_0 = phi[0];
  local.slope = std::max(by_y[0], kLeastSlope);
  for (int j = 0; j < dim; ++j) {
    local.first_by_p[j] = w * by_x[j + 1];
    local.first_by_u[j] = by_y[j + 1];
  }
  for (int i = 0; i < dim; ++i) {
    const std::size_t row = static_cast<std::size_t>(i + 1) * (dim + 1);
    local.phi[i] = phi[i + 1];
    local.by_t[i] = by_y[row];
    for (int j = 0; j < dim; ++j) {
      local.by_p[i * dim + j] = w * by_x[row + j + 1];
      local.by_u[i * dim + j] = by_y[row + j + 1];
    }
  }
}

void FischerBurmeister::linearise(const ConeProblem& problem, int i, Local& local) const {
  const Cone& cone = problem.cones[i];
  const double scale = rows_->scale(i);
  const double w = scale > 0.0 ? scale : 1.0;
  local = {};
  local.dim = cone.dim;
  switch (cone.kind) {
    case ConeKind::contact:
      return linearise_contact(problem, cone, w, local);
    case ConeKind::ball:
      return linearise_ball(cone, w, t_[i], local);
    case ConeKind::free:
      for (int r = 0; r < cone.dim; ++r) {
        local.phi[r] = u_[cone.offset + r];
        local.by_u[r * cone.dim + r] = 1.0;
      }
  }
}

/// |phi|_2 at p_ and t_, which also makes u_ = W p + b. [m/s]
double FischerBurmeister::calc_defect(const ConeProblem& problem) {
  problem.apply_delassus(p_, u_, work_);
  for (std::size_t r = 0; r < u_.size(); ++r) u_[r] += problem.b[r];
  double sum = 0.0;
  Local local;
  for (int i = 0; i < problem.n_cones(); ++i) {
    linearise(problem, i, local);
    sum += local.phi_0 * local.phi_0;
    for (int r = 0; r < local.dim; ++r) sum += local.phi[r] * local.phi[r];
  }
  return std::sqrt(sum);
}

/// Newton's step from p_ and t_: into system_ and dt_.
bool FischerBurmeister::calc_step(const ConeProblem& problem) {
  system_.clear();
  Local local;
  for (int i = 0; i < problem.n_cones(); ++i) {
    linearise(problem, i, local);
    const int dim = local.dim;
    const double term = proximal_ * rows_->scale(i);
    const NewtonSystem::Equation equation = system_.add(i, dim);
    for (int r = 0; r < dim; ++r) {
      const double share = local.by_t[r] / local.slope;
      equation.right[r] = -local.phi[r] + share * local.phi_0;
      for (int c = 0; c < dim; ++c) {
        const double by_u = local.by_u[r * dim + c] - share * local.first_by_u[c];
        equation.by_p[r * dim + c] = local.by_p[r * dim + c] - share * local.first_by_p[c] + by_u * term;
        equation.by_u[r * dim + c] = by_u;
      }
    }
  }
  if (!system_.solve(problem, *rows_)) return false;
  // The multipliers of balls, from their own equations; du = (W + e D) dp.
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    std::copy_n(system_.solution(i), cone.dim, dp_.data() + cone.offset);
  }
  problem.apply_delassus(dp_, du_, work_);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    dt_[i] = 0.0;
    if (cone.kind != ConeKind::ball) continue;
    linearise(problem, i, local);
    const double term = proximal_ * rows_->scale(i);
    double sum = local.phi_0;
    for (int r = 0; r < cone.dim; ++r) {
      const double dp = dp_[cone.offset + r];
      sum += local.first_by_p[r] * dp + local.first_by_u[r] * (du_[cone.offset + r] + term * dp);
    }
    dt_[i] = -sum / local.slope;
  }
  return true;
}

/// p_ and t_ = the base and `length` times the step; returns |phi|.
double FischerBurmeister::move(const ConeProblem& problem, double length) {
  for (std::size_t r = 0; r < p_.size(); ++r) p_[r] = base_p_[r] + length * dp_[r];
  for (std::size_t i = 0; i < t_.size(); ++i) t_[i] = base_t_[i] + length * dt_[i];
  return calc_defect(problem);
}

void FischerBurmeister::start(const ConeProblem& problem, Iterate& iterate) {
  rows_ = &iterate.rows();
  system_.start();
  p_.assign(iterate.p().begin(), iterate.p().end());
  for (auto* vector : {&u_, &dp_, &du_}) vector->resize(p_.size());
  work_.resize(problem.delassus_work_size());
  dt_.resize(problem.n_cones());
  t_.assign(problem.n_cones(), 0.0);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    for (int r = cone.offset; r < cone.offset + cone.dim; ++r) t_[i] = std::hypot(t_[i], iterate.u()[r]);
  }
  defects_.fill(calc_defect(problem));
  n_accepted_ = 0;
  proximal_ = kFbLeastProximal;
}

bool FischerBurmeister::is_stuck() const {
  return proximal_ > kFbLargestProximal;
}

int FischerBurmeister::advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                               double max_operations, const Deadline& deadline, Iterate& iterate) {
  int iterations = 0;
  while (!iterate.best().is_within(tolerance) && iterations < max_iterations && operations() < max_operations &&
         !is_stuck() && !deadline.passed()) {
    ++iterations;
    base_p_ = p_;
    base_t_ = t_;
    std::optional<double> length;
    if (calc_step(problem)) {
      const double reference = *std::ranges::max_element(defects_);
      length = halve_until_lower(reference, kFbMaxHalvings, [&](double trial) { return last_ = move(problem, trial); });
    }
    if (!length) {
      proximal_ *= kFbRise;
      move(problem, 0.0);
      continue;
    }
    defects_[++n_accepted_ % kMemory] = last_;  // steps that failed have none
    if (*length == 1.0) proximal_ = std::max(kFbLeastProximal, kFbFall * proximal_);
    std::copy(p_.begin(), p_.end(), iterate.p().begin());
    project_on_cones(problem, iterate.p());
    iterate.judge();
  }
  return iterations;
}

}  // namespace stickslip
