// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/interior_point.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/lorentz_cone.h"

namespace stickslip {
namespace {

/// Share of the way to the boundary of the cones that a step goes at most.
constexpr double kStayInside = 0.995;
/// Iterations without a lower residual after which the digits are spent; steps shorter than kShort do not count.
constexpr int kMaxIdle = 4;
constexpr double kShort = 1e-10;
/// After a step shorter than this the iterate is too near the boundary: the next one holds the shift and centres at
/// least so much.
constexpr double kJammed = 0.1;
constexpr double kCentering = 0.5;
/// So many of those are made by hardly any run that converges (one by a pile of 495 contacts at 1e-6, none by others),
/// and by nearly all that do not, early (planted problems of 85 to 350 contacts).
constexpr int kFewShort = 2;
/// Where x and y start, as multiples of the mean of b: contacts may carry many times what falls on them, and too small
/// a start costs more iterations than too large a one.
constexpr double kPercussionStart = 100.0;
constexpr double kVelocityStart = 10.0;
/// Rows held at zero have this many times the mean diagonal added to theirs.
constexpr double kHold = 1e12;
/// Free rows get this share of it: redundant joints make W singular, and their last digits are Newton's.
constexpr double kInsideRegular = 1e-12;

/// out = N v, N = eta (w_0, w_1^T; w_1, I + w_1 w_1^T / (1 + w_0)), or N^-1 v, the same with 1 / eta and -w_1.
void scale(int dim, double eta, const double* w, bool inverse, const double* v, double* out) {
  const double sign = inverse ? -1.0 : 1.0;
  const double factor = inverse ? 1.0 / eta : eta;
  double dot = 0.0;
  for (int r = 1; r < dim; ++r) dot += w[r] * v[r];
  const double first = v[0];
  out[0] = factor * (w[0] * first + sign * dot);
  const double share = dot / (1.0 + w[0]) + sign * first;
  for (int r = 1; r < dim; ++r) out[r] = factor * (v[r] + w[r] * share);
}

/// The largest step <= 1 for which x + step dx is in L.
double calc_step_in_cone(int dim, const double* x, const double* dx) {
  const double c = calc_determinant(dim, x);
  const double b = calc_j_product(dim, x, dx);
  const double a = calc_determinant(dim, dx);
  double longest = 1.0;
  if (dx[0] < 0.0) longest = std::min(longest, -x[0] / dx[0]);
  // c + 2 b t + a t^2 = 0, the smallest root above zero; c > 0.
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return longest;
  const double root = std::sqrt(discriminant);
  const double denominator = -b + (b < 0.0 ? root : -root);  // the larger in magnitude
  const double first = denominator != 0.0 ? c / denominator : HUGE_VAL;
  const double second = a != 0.0 ? denominator / a : HUGE_VAL;
  if (first > 0.0) longest = std::min(longest, first);
  if (second > 0.0) longest = std::min(longest, second);
  return longest;
}

}  // namespace

const char* InteriorPoint::find_reason_to_refuse(const ConeProblem& problem) {
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::contact) continue;
    if (cone.n_blocks > 1) return "several friction blocks at one contact are not one second-order cone";
    if (cone.n_blocks == 1 && problem.friction(cone)[0].facets != 0) return "polygons are not second-order cones";
  }
  return nullptr;
}

void InteriorPoint::add_state(const ConeProblem& problem, const Cone& cone, double mass, double speed) {
  State state;
  state.offset = x_.size();
  state.mass = mass > 0.0 ? mass : 1.0;
  double* p = p_.data() + cone.offset;
  std::fill_n(p, cone.dim, 0.0);
  if (cone.kind == ConeKind::contact) {
    const bool has_friction = cone.n_blocks == 1 && problem.friction(cone)[0].mu > 0.0;
    state.dim = has_friction ? cone.dim : 1;
    state.n_held = cone.dim - state.dim;
    state.mu = has_friction ? problem.friction(cone)[0].mu : 1.0;
    p[0] = kPercussionStart * speed / (state.mass * state.mu);
  } else if (cone.kind == ConeKind::ball) {
    state.is_ball = cone.radius > 0.0;
    state.dim = state.is_ball ? cone.dim + 1 : 0;
    state.n_held = state.is_ball ? 0 : cone.dim;
  }
  x_.resize(x_.size() + state.dim, 0.0);
  y_.resize(x_.size(), 0.0);
  if (state.dim > 0) {
    ++n_lorentz_;
    x_[state.offset] = state.is_ball ? state.mass * cone.radius : kPercussionStart * speed;
    y_[state.offset] = kVelocityStart * speed;
  }
  states_.push_back(state);
}

void InteriorPoint::start(const ConeProblem& problem, const Iterate& iterate) {
  delassus_.start();
  const AssembledDelassus& w = delassus_.get(problem);
  dims_.clear();
  states_.clear();
  x_.clear();
  y_.clear();
  n_lorentz_ = 0;
  const std::size_t n = problem.b.size();
  for (auto* vector : {&p_, &dp_, &defect_, &right_, &product_}) vector->resize(n);
  double squared = 0.0;
  for (const double value : problem.b) squared += value * value;
  const double speed = squared > 0.0 ? std::sqrt(squared / static_cast<double>(n)) : 1.0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    dims_.push_back(problem.cones[i].dim);
    add_state(problem, problem.cones[i], iterate.rows().scale(i), speed);
  }
  for (auto* vector : {&dx_, &dy_, &corrector_, &scaled_}) vector->assign(x_.size(), 0.0);
  lu_.analyze(dims_, w.row_begin(), w.columns());
  idle_ = 0;
  least_ = HUGE_VAL;
  last_step_ = 1.0;
  is_finished_ = false;
  n_short_ = 0;
}

/// N and lambda from x and y; false where these have left the interior.
bool InteriorPoint::calc_scaling(State& state) const {
  const int dim = state.dim;
  const double* x = x_.data() + state.offset;
  const double* y = y_.data() + state.offset;
  const double det_x = calc_determinant(dim, x);
  const double det_y = calc_determinant(dim, y);
  if (!(det_x > 0.0) || !(det_y > 0.0)) return false;
  const double root_x = std::sqrt(det_x);
  const double root_y = std::sqrt(det_y);
  double product = 0.0;
  for (int r = 0; r < dim; ++r) product += (x[r] / root_x) * (y[r] / root_y);
  const double gamma = std::sqrt(0.5 * (1.0 + product));
  double squared = 0.0;
  for (int r = 1; r < dim; ++r) {
    state.w[r] = (x[r] / root_x - y[r] / root_y) / (2.0 * gamma);
    squared += state.w[r] * state.w[r];
  }
  state.w[0] = std::sqrt(1.0 + squared);
  state.eta = std::sqrt(root_x / root_y);
  scale(dim, state.eta, state.w.data(), false, y, state.lambda.data());
  return calc_determinant(dim, state.lambda.data()) > 0.0;
}

/// The directions e = y_T / |y_T| along which the shift mu |u_T| changes; zero where it is held.
void InteriorPoint::calc_slips(bool is_held) {
  for (State& state : states_) {
    if (state.dim < 2 || state.is_ball) continue;
    const double* y = y_.data() + state.offset;
    double squared = 0.0;
    for (int r = 1; r < state.dim; ++r) squared += y[r] * y[r];
    for (int r = 1; r < state.dim; ++r) state.slip[r] = squared > 0.0 && !is_held ? y[r] / std::sqrt(squared) : 0.0;
  }
}

/// The block w S N^-2 S of one cone, N^-2 = (2 v v^T - J) / eta^2 with v = J w. block (dim, dim) row-major [1/kg].
void InteriorPoint::calc_block(const State& state, int dim, double* block) const {
  std::fill_n(block, dim * dim, 0.0);
  const int shift = state.is_ball ? 1 : 0;
  const double factor = state.mass / (state.eta * state.eta);
  for (int i = shift; i < state.dim; ++i) {
    for (int j = shift; j < state.dim; ++j) {
      const double sign = (i == 0 ? 1.0 : -1.0) * (j == 0 ? 1.0 : -1.0);
      double value = 2.0 * sign * state.w[i] * state.w[j];
      if (i == j) value += i == 0 ? -1.0 : 1.0;
      const double s = (i == 0 ? state.mu : 1.0) * (j == 0 ? state.mu : 1.0);
      block[(i - shift) * dim + (j - shift)] = factor * s * value;
    }
  }
  // The derivative of the shift: row N less mu e^T times the tangential rows.
  for (int i = 1; i < state.dim && !state.is_ball; ++i) {
    for (int j = 0; j < dim; ++j) block[j] -= state.mu * state.slip[i] * block[i * dim + j];
  }
  for (int i = dim - state.n_held; i < dim; ++i) block[i * dim + i] = kHold * state.mass;
  if (state.dim == 0 && state.n_held == 0) {
    for (int i = 0; i < dim; ++i) block[i * dim + i] = kInsideRegular * state.mass;
  }
}

bool InteriorPoint::factorize(const ConeProblem& problem) {
  const AssembledDelassus& w = delassus_.get(problem);
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  for (int i = 0; i < problem.n_cones(); ++i) {
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      lu_.add(k, w.block(k));
      if (w.columns()[k] != i) continue;
      calc_block(states_[i], dims_[i], block.data());
      lu_.add(k, block.data());
    }
  }
  return lu_.factorize() >= 0;
}

/// defect_ = W p + b + s e_N - u; on free rows u = 0.
void InteriorPoint::calc_defect(const ConeProblem& problem) {
  delassus_.get(problem).apply(problem, p_, defect_);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const State& state = states_[i];
    double* defect = defect_.data() + cone.offset;
    for (int r = 0; r < cone.dim; ++r) defect[r] += problem.b[cone.offset + r];
    const double* y = y_.data() + state.offset;
    if (state.is_ball) {
      for (int r = 0; r < cone.dim; ++r) defect[r] -= y[r + 1];
      continue;
    }
    if (state.dim == 0) continue;
    double squared = 0.0;
    for (int r = 1; r < state.dim; ++r) {
      defect[r] -= y[r];
      squared += y[r] * y[r];
    }
    defect[0] -= state.mu * y[0];
    if (problem.law == FrictionLaw::coulomb && state.dim > 1) defect[0] += state.mu * std::sqrt(squared);
  }
}

/// dp_ = (W + w S N^-2 S)^-1 right_, refined once.
void InteriorPoint::solve(const ConeProblem& problem) {
  dp_ = right_;
  lu_.solve(dp_);
  delassus_.get(problem).apply(problem, dp_, product_);
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int dim = dims_[i];
    const int offset = problem.cones[i].offset;
    calc_block(states_[i], dim, block.data());
    for (int r = 0; r < dim; ++r) {
      double sum = right_[offset + r] - product_[offset + r];
      for (int c = 0; c < dim; ++c) sum -= block[r * dim + c] * dp_[offset + c];
      product_[offset + r] = sum;
    }
  }
  lu_.solve(product_);
  for (std::size_t i = 0; i < dp_.size(); ++i) dp_[i] += product_[i];
}

/// The direction towards x o y = target e [m2/s2], with the second-order term of corrector_ or without.
void InteriorPoint::calc_direction(const ConeProblem& problem, double target, bool is_corrector) {
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const State& state = states_[i];
    double* right = right_.data() + cone.offset;
    for (int r = 0; r < cone.dim; ++r) right[r] = -defect_[cone.offset + r];
    for (int r = cone.dim - state.n_held; r < cone.dim; ++r) right[r] = 0.0;
    if (state.dim == 0) continue;
    Rows r_c;
    Rows quotient;
    multiply_jordan(state.dim, state.lambda.data(), state.lambda.data(), r_c.data());
    for (int r = 0; r < state.dim; ++r) {
      r_c[r] = (r == 0 ? target : 0.0) - r_c[r] - (is_corrector ? corrector_[state.offset + r] : 0.0);
    }
    divide_jordan(state.dim, state.lambda.data(), r_c.data(), quotient.data());
    double* scaled = scaled_.data() + state.offset;
    scale(state.dim, state.eta, state.w.data(), true, quotient.data(), scaled);
    const int shift = state.is_ball ? 1 : 0;
    for (int r = shift; r < state.dim; ++r) right[r - shift] += (r == 0 ? state.mu : 1.0) * scaled[r];
    for (int r = 1; r < state.dim && !state.is_ball; ++r) right[0] -= state.mu * state.slip[r] * scaled[r];
  }
  solve(problem);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const State& state = states_[i];
    if (state.dim == 0) continue;
    const double* dp = dp_.data() + problem.cones[i].offset;
    double* dx = dx_.data() + state.offset;
    double* dy = dy_.data() + state.offset;
    const int shift = state.is_ball ? 1 : 0;
    if (state.is_ball) dx[0] = 0.0;
    for (int r = shift; r < state.dim; ++r) dx[r] = state.mass * (r == 0 ? state.mu : 1.0) * dp[r - shift];
    // dy = N^-1 (lambda \ r - N^-1 dx).
    Rows once;
    Rows twice;
    scale(state.dim, state.eta, state.w.data(), true, dx, once.data());
    scale(state.dim, state.eta, state.w.data(), true, once.data(), twice.data());
    for (int r = 0; r < state.dim; ++r) dy[r] = scaled_[state.offset + r] - twice[r];
    if (is_corrector) continue;
    Rows n_dy;
    scale(state.dim, state.eta, state.w.data(), false, dy, n_dy.data());
    multiply_jordan(state.dim, once.data(), n_dy.data(), corrector_.data() + state.offset);
  }
}

double InteriorPoint::calc_longest_step() const {
  double longest = 1.0;
  for (const State& state : states_) {
    if (state.dim == 0) continue;
    longest = std::min(longest, calc_step_in_cone(state.dim, x_.data() + state.offset, dx_.data() + state.offset));
    longest = std::min(longest, calc_step_in_cone(state.dim, y_.data() + state.offset, dy_.data() + state.offset));
  }
  return longest;
}

/// m, the mean of x^T y after a step. [m2/s2]
double InteriorPoint::calc_gap(double step) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < x_.size(); ++i) sum += (x_[i] + step * dx_[i]) * (y_[i] + step * dy_[i]);
  return n_lorentz_ > 0 ? sum / n_lorentz_ : 0.0;
}

void InteriorPoint::move(const ConeProblem& problem, double step) {
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] += step * dx_[i];
    y_[i] += step * dy_[i];
  }
  for (std::size_t i = 0; i < p_.size(); ++i) p_[i] += step * dp_[i];
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    for (int r = cone.dim - states_[i].n_held; r < cone.dim; ++r) p_[cone.offset + r] = 0.0;
  }
}

/// One step, judged; false where there is none to be made.
bool InteriorPoint::step(const ConeProblem& problem, Iterate& iterate) {
  bool is_inside = true;
  for (State& state : states_) is_inside = is_inside && (state.dim == 0 || calc_scaling(state));
  const bool is_jammed = last_step_ < kJammed && problem.law == FrictionLaw::coulomb;
  if (problem.law == FrictionLaw::coulomb) calc_slips(is_jammed);
  if (!is_inside || !factorize(problem)) return false;
  calc_defect(problem);
  const double gap = calc_gap(0.0);
  calc_direction(problem, 0.0, false);
  const double affine = calc_longest_step();
  const double ratio = gap > 0.0 ? std::max(0.0, calc_gap(affine) / gap) : 0.0;
  const double centering = std::max(ratio * ratio * ratio, is_jammed ? kCentering : 0.0);
  calc_direction(problem, centering * gap, true);
  const double step = kStayInside * calc_longest_step();
  if (!std::isfinite(step) || step < kShort) return false;
  move(problem, step);
  last_step_ = step;
  if (step < kJammed) ++n_short_;
  std::copy(p_.begin(), p_.end(), iterate.p().begin());
  project_on_cones(problem, iterate.p());
  iterate.judge();
  if (!std::isfinite(iterate.last().absolute)) return false;
  if (iterate.last().defect() < least_) {
    idle_ = 0;
    least_ = iterate.last().defect();
    best_p_.assign(iterate.p().begin(), iterate.p().end());
  } else {
    ++idle_;
  }
  return idle_ < kMaxIdle;
}

int InteriorPoint::advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_operations,
                           const Deadline& deadline, Iterate& iterate) {
  int iterations = 0;
  while (!iterate.best().is_within(tolerance) && iterations < max_iterations && !is_finished_ &&
         (n_short_ < kFewShort || iterations * n_operations() < max_operations) && !deadline.passed()) {
    ++iterations;
    is_finished_ = !step(problem, iterate);
  }
  return iterations;
}

void InteriorPoint::leave(Iterate& iterate) const {
  if (std::isfinite(least_)) {
    std::copy(best_p_.begin(), best_p_.end(), iterate.p().begin());
    iterate.judge();
  } else {
    iterate.return_to_best();
  }
}

int InteriorPoint::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
                       Iterate& iterate) {
  start(problem, iterate);
  const int iterations = advance(problem, tolerance, max_iterations, HUGE_VAL, deadline, iterate);
  leave(iterate);
  return iterations;
}

}  // namespace stickslip
