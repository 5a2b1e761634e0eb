// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/rank_revealing_solve.h"

namespace stickslip {
namespace {

/// Pivots below this, relative to the largest, count as zero. The system is scaled to lengths, each column to what its
/// multiplier does to its own row: below it two constraints are the same within round-off of their directions. A light
/// body between a heavy one and the ground has the ratio of their masses as a pivot.
constexpr double kRankThreshold = 1e-13;  // [-]
/// Partial pivoting does not reveal the rank: pivots below this send the system to complete pivoting.
constexpr double kSafePivot = 1e-6;  // [-]

/// What a large system, whose rank is not revealed, has added to its diagonal. Round-off in the residual moves
/// multipliers that do not matter by as much over this; weaker directions that matter are found by refinement.
constexpr double kRegular = 1e-8;  // [-]

inline double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// LU factors with partial pivoting, in place, with the inverse of the pivots. a (n, n) row-major. False where
/// singular.
template <class Size>
bool factorise_sized(const Size n, double* a, int* pivots, const StopToken& stop) {
  for (int k = 0; k < n; ++k) {
    stop.check();
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    pivots[k] = pivot;
    if (!(std::abs(a[pivot * n + k]) > 0.0)) return false;
    if (pivot != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
    const double inverse = 1.0 / a[k * n + k];
    a[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

bool factorise(int n, double* a, int* pivots, const StopToken& stop) {
  return with_size(n, [&](auto size) { return factorise_sized(size, a, pivots, stop); });
}

void solve_factorised(int n, const double* a, const int* pivots, double* b) {
  with_size(n, [&](auto size) {
    for (int k = 0; k < size; ++k) std::swap(b[k], b[pivots[k]]);
    for (int i = 1; i < size; ++i) b[i] -= dot(i, a + i * size, b);
    for (int i = size - 1; i >= 0; --i) {
      b[i] = (b[i] - dot(size - 1 - i, a + i * size + i + 1, b + i + 1)) * a[i * size + i];
    }
  });
}

}  // namespace

GeneralizedAlphaNewton::GeneralizedAlphaNewton(const GeneralizedAlphaStep& step) {
  std::size_t values = 0;
  for (const VelocityBlock& block : step.blocks) values += static_cast<std::size_t>(block.n_u) * block.n_u;
  for (auto* y : {&H_u_, &K_, &S_}) y->assign(values, 0.0);
  touched_.assign(step.blocks.size(), 0);
  damped_.assign(step.blocks.size(), 0);
  const int n_u = step.system.n_u();
  pivots_.assign(n_u, 0);
  for (Vector* y : {&free_u_, &free_v_, &free_a_, &work_, &round_off_force_, &round_off_percussion_}) {
    y->setZero(n_u);
  }
  for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_, &SinvW_, &SinvHMinvW_}) {
    y->assign(step.W.size(), 0.0);
  }
  force_blocks_ = step.force_blocks;
  for (const ForceBlock& part : force_blocks_) {
    const auto owner = std::find_if(step.blocks.begin(), step.blocks.end(), [&](const VelocityBlock& b) {
      return part.row.body >= b.first_body && part.row.body < b.first_body + b.n_bodies;
    });
    force_block_owner_.push_back(static_cast<int>(owner - step.blocks.begin()));
  }
  base_ = step.x;
  best_ = step.x;
  reserve(step);
}

StepSolve GeneralizedAlphaNewton::solve(GeneralizedAlphaStep& step, int max_iterations, bool search) {
  // Index sets that come back this often do not settle any more.
  constexpr int kMaxVisits = 3;
  // Smooth motion is solved after as many; what is not is asked for its round-off.
  constexpr int kSmooth = 2;
  constexpr double kClose = 1e3;  // [-] Newton's method converges from there
  constexpr int kPatience = 8;
  // Start values continued from earlier steps err to the same side in each step, so that what they leave adds up.
  constexpr double kContinued = 0.01;  // [-]
  StepSolve result;
  history_.clear();
  history_.reserve(static_cast<std::size_t>(max_iterations));
  double last_error = std::numeric_limits<double>::infinity();
  int stalled = 0;
  while (step.error() > (result.iterations == 0 ? kContinued : 1.0)) {
    const std::uint64_t sets = step.signature();
    const bool same_sets = !history_.empty() && history_.back() == sets;
    if (!same_sets && std::count(history_.begin(), history_.end(), sets) >= kMaxVisits) return result;
    // Round-off reached: the sets stand and the residual no longer falls. From far away it may take a while to begin.
    stalled = same_sets && step.error() > 0.5 * last_error ? stalled + 1 : 0;
    if (stalled >= (step.error() < kClose ? 2 : kPatience) || !std::isfinite(step.error()) ||
        result.iterations >= max_iterations)
      return result;
    history_.push_back(sets);
    last_error = step.error();
    const double merit = step.merit();
    if (!move(step)) {
      result.converged = step.error() <= 1.0;
      return result;
    }
    ++result.iterations;
    step.evaluate();
    if (search || !dense_ || !std::isfinite(step.error())) search_line(step, merit);
    if (result.iterations >= kSmooth && step.error() > 1.0 && std::isfinite(step.error())) {
      calc_round_off(step);
      step.measure();
    }
  }
  result.converged = true;
  return result;
}

void GeneralizedAlphaNewton::judge(GeneralizedAlphaStep& step) {
  step.forget_round_off();
  step.evaluate();
  if (!(step.error() > 1.0) || !std::isfinite(step.error())) return;
  number_rows(step);
  calc_derivatives(step);
  calc_round_off(step);
  step.measure();
}

void GeneralizedAlphaNewton::judge_balanced(GeneralizedAlphaStep& step) {
  judge(step);
  if (!(step.error() > 1.0)) return;
  unbalanced_ = step.x;
  step.balance();
  judge(step);
  if (step.is_finite() && step.is_explained()) return;
  step.x = unbalanced_;  // far from a solution multipliers can be anything, too
  judge(step);
}

bool GeneralizedAlphaNewton::move(GeneralizedAlphaStep& step) {
  number_rows(step);
  calc_derivatives(step);
  if (!factorise_blocks(step)) return false;
  calc_free_change(step);
  calc_responses(step);
  assemble(step);
  if (!solve_system()) return false;
  step.stop.check();
  add_responses(step);
  base_ = step.x;
  update(step, 1.0);
  return true;
}

/// With many contacts a whole step changes many index sets at once, each as if the others stayed; and from far away a
/// stiff body's forces can overflow. Shortens the step until the merit falls, or else takes the best of what was tried.
void GeneralizedAlphaNewton::search_line(GeneralizedAlphaStep& step, double merit) {
  constexpr double kShortest = 0.1;  // [-]
  double least = std::isfinite(step.error()) ? step.merit() : std::numeric_limits<double>::infinity();
  best_ = step.x;
  bool at_best = true;
  for (double factor = 0.5; !(least < merit) && factor >= kShortest; factor *= 0.5) {
    step.x = base_;
    update(step, factor);
    step.evaluate();
    at_best = std::isfinite(step.error()) && step.merit() < least;
    if (!at_best) continue;
    least = step.merit();
    best_ = step.x;
  }
  if (at_best) return;
  step.x = best_;
  step.evaluate();
}

/// S = M - dt gamma' dh/du - dt^2 beta' d(h + W lambda)/dq B.
bool GeneralizedAlphaNewton::factorise_blocks(const GeneralizedAlphaStep& step) {
  for (std::size_t k = 0; k < step.blocks.size(); ++k) {
    if (!touched_[k]) continue;
    const VelocityBlock& block = step.blocks[k];
    const int n = block.n_u;
    double* S = S_.data() + block.matrix;
    for (int i = 0; i < n * n; ++i) {
      S[i] = -step.gamma_step() * H_u_[block.matrix + i] - step.beta_step() * K_[block.matrix + i];
    }
    for (int b = 0; b < block.n_bodies; ++b) {
      const Body& body = step.system.bodies()[block.first_body + b];
      const int r = body.u_offset - block.u_offset;
      const auto mass = step.system.mass(block.first_body + b);
      for (int i = 0; i < body.n_u; ++i) {
        for (int j = 0; j < body.n_u; ++j) S[(r + i) * n + r + j] += mass(i, j);
      }
    }
    if (!factorise(n, S, pivots_.data() + block.u_offset, step.stop)) return false;
  }
  return true;
}

// --- the change of (u, v, a) by residuals and multipliers

/// With the multipliers held: M dU = -R2, M dQ = -R3, S da = -R1 + dh/du dU + K dQ.
void GeneralizedAlphaNewton::calc_free_change(const GeneralizedAlphaStep& step) {
  work_ = -step.r2;
  step.system.solve_mass(work_, free_u_);
  work_ = -step.r3;
  step.system.solve_mass(work_, free_v_);
  work_ = -step.r1;
  step.system.solve_mass(work_, free_a_);
  for (std::size_t k = 0; k < step.blocks.size(); ++k) {
    if (!touched_[k]) continue;
    const VelocityBlock& block = step.blocks[k];
    double* da = free_a_.data() + block.u_offset;
    std::copy_n(work_.data() + block.u_offset, block.n_u, da);
    add_product(block.n_u, block.n_u, H_u_.data() + block.matrix, free_u_.data() + block.u_offset, da);
    add_product(block.n_u, block.n_u, K_.data() + block.matrix, free_v_.data() + block.u_offset, da);
    solve_factorised(block.n_u, S_.data() + block.matrix, pivots_.data() + block.u_offset, da);
  }
  free_u_ += step.gamma_step() * free_a_;
  free_v_ += step.beta_step() * free_a_;
}

/// S^-1 w and S^-1 dh/du M^-1 w of all rows; without derivatives of forces S is M.
void GeneralizedAlphaNewton::calc_responses(const GeneralizedAlphaStep& step) {
  for (const Group& group : groups_) {
    step.stop.check();
    const StepElement& e = step.elements[group.element];
    calc_columns(step, group, e);
    for (int t = 0; t < e.n_touches; ++t) {
      const int index = e.touches[t].block;
      const VelocityBlock& block = step.blocks[index];
      const int n = block.n_u;
      if (!touched_[index]) continue;
      for (int i = 0; i < group.n_directions(); ++i) {
        const std::size_t at = e.touches[t].values + static_cast<std::size_t>(i) * n;
        std::copy_n(step.W.data() + at, n, SinvW_.data() + at);
        solve_factorised(n, S_.data() + block.matrix, pivots_.data() + block.u_offset, SinvW_.data() + at);
        if (!damped_[index]) continue;
        double* z = SinvHMinvW_.data() + at;
        for (int r = 0; r < n; ++r) z[r] = dot(n, H_u_.data() + block.matrix + r * n, step.MinvW.data() + at);
        solve_factorised(n, S_.data() + block.matrix, pivots_.data() + block.u_offset, z);
      }
    }
  }
}

/// One column a multiplier. On a row w, P changes U by y, kappa_hat Q by y, and lambda, with P and kappa_hat held,
/// makes Lambda and kappa give way: dU = c_U y, dQ = c_Q y and S da = c_a w + dh/du dU + K dQ.
void GeneralizedAlphaNewton::calc_columns(const GeneralizedAlphaStep& step, const Group& group, const StepElement& e) {
  const double h = step.h;
  const double b = step.beta_step();
  for (int j = 0; j < group.size(); ++j) {
    const bool position = j < group.n_pos;
    const bool velocity = !position && j < group.n_pos + group.n_vel;
    const int i = position ? j : (j - group.n_pos) % e.dim;
    const bool on_position = i < e.n_pos;
    // Multiplier units, so that a unit moves a length of about one.
    const double s = 1.0 / (e.diagonal[i] * (position ? 1.0 : (velocity ? h : h * h)));
    double c_U = 0.0, c_Q = s, c_a = 0.0;
    if (velocity) {
      c_U = s;
      c_Q = on_position ? 0.0 : 0.5 * h * s;
    } else if (!position) {
      c_U = -step.gamma_step() * s;
      c_Q = on_position ? -b * s : -0.5 * h * step.gamma_step() * s;
      c_a = s;
    }
    scale_[group.row + j] = s;
    columns_[group.row + j] = {c_a + c_Q / b, c_U - c_Q * step.gamma_step() / b, -c_Q / b, c_U};
  }
}

// --- the system

void GeneralizedAlphaNewton::assemble(const GeneralizedAlphaStep& step) {
  std::fill_n(matrix_.begin(), n_values_, 0.0);
  for (const Group& group : groups_) {
    step.stop.check();
    add_rows(step, group, step.elements[group.element]);
  }
  for (const Group& group : groups_) {
    step.stop.check();
    apply_laws(step, group, step.elements[group.element]);
  }
}

/// The linearised g, xi and gamma_dot of one element over all multipliers.
void GeneralizedAlphaNewton::add_rows(const GeneralizedAlphaStep& step, const Group& group, const StepElement& e) {
  add_free_rows(step, group, e);
  for (std::size_t l = group.first_link; l < group.first_link + group.n_links; ++l) {
    const Group& other = groups_[links_[l].group];
    const StepElement& f = step.elements[other.element];
    const int shift = links_[l].at - other.row;
    for (int t = 0; t < e.n_touches; ++t) {
      for (int s = 0; s < f.n_touches; ++s) {
        if (f.touches[s].block != e.touches[t].block) continue;
        couple(step, group, e.touches[t].values, other, f.touches[s].values, e.touches[t].block, shift);
      }
    }
  }
}

void GeneralizedAlphaNewton::add_free_rows(const GeneralizedAlphaStep& step, const Group& group, const StepElement& e) {
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  for (int i = 0; i < group.n_pos; ++i) rhs_[group.row + i] = -e.gap[i];
  for (int i = 0; i < group.n_vel; ++i) rhs_[vel + i] = -e.xi[i];
  for (int i = 0; i < group.n_acc; ++i) rhs_[acc + i] = -e.gamma_dot[i];
  for (int t = 0; t < e.n_touches; ++t) {
    const VelocityBlock& block = step.blocks[e.touches[t].block];
    const int n = block.n_u;
    const double* du = free_u_.data() + block.u_offset;
    const double* dv = free_v_.data() + block.u_offset;
    const double* da = free_a_.data() + block.u_offset;
    for (int i = 0; i < group.n_directions(); ++i) {
      const std::size_t at = e.touches[t].values + static_cast<std::size_t>(i) * n;
      const double* w = step.W.data() + at;
      if (i < group.n_pos) rhs_[group.row + i] -= dot(n, gap_v_.data() + at, dv);
      if (i < group.n_vel) rhs_[vel + i] -= dot(n, w, du) + dot(n, xi_v_.data() + at, dv);
      if (i < group.n_acc) {
        rhs_[acc + i] -= dot(n, w, da) + dot(n, gamma_dot_u_.data() + at, du) + dot(n, gamma_dot_v_.data() + at, dv);
      }
    }
  }
}

/// Adds what the multipliers of one element do to the rows of another in a block that both touch; at_row and at_column
/// are where their values begin in the layout of W; shift leads from a column to its place in the rows.
void GeneralizedAlphaNewton::couple(const GeneralizedAlphaStep& step, const Group& group, std::size_t at_row,
                                    const Group& other, std::size_t at_column, int block, int shift) {
  with_size(step.blocks[block].n_u,
            [&](auto n) { couple_sized(n, step, group, at_row, other, at_column, block, shift); });
}

template <class Size>
void GeneralizedAlphaNewton::couple_sized(const Size n, const GeneralizedAlphaStep& step, const Group& group,
                                          std::size_t at_row, const Group& other, std::size_t at_column, int block,
                                          int shift) {
  const bool touched = touched_[block] != 0;
  const bool damped = damped_[block] != 0;
  const double g = step.gamma_step();
  const double b = step.beta_step();
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  for (int j = 0; j < other.n_directions(); ++j) {
    const std::size_t to = at_column + static_cast<std::size_t>(j) * n;
    const double* y = step.MinvW.data() + to;
    const double* s = touched ? SinvW_.data() + to : y;
    const double* z = SinvHMinvW_.data() + to;
    // The columns of this direction.
    std::array<int, 3> columns;
    int n_columns = 0;
    if (j < other.n_pos) columns[n_columns++] = other.row + j;
    if (j < other.n_vel) columns[n_columns++] = other.row + other.n_pos + j;
    if (j < other.n_acc) columns[n_columns++] = other.row + other.n_pos + other.n_vel + j;
    for (int i = 0; i < group.n_directions(); ++i) {
      const std::size_t from = at_row + static_cast<std::size_t>(i) * n;
      // A row of derivatives times (s, z, y).
      struct Products {
        double s, z, y;
      };
      const auto times = [&](const double* x) {
        const double xs = dot(n, x, s);
        return Products{xs, damped ? dot(n, x, z) : 0.0, touched ? dot(n, x, y) : xs};
      };
      const auto over_v = [&](const double* x) { return Products{dot(n, x, s), damped ? dot(n, x, z) : 0.0, 0.0}; };
      if (i < group.n_pos) {
        const Products gap = over_v(gap_v_.data() + from);
        for (int k = 0; k < n_columns; ++k) {
          const Column& c = columns_[columns[k]];
          row(group.row + i)[columns[k] + shift] += b * (c.by_s * gap.s + c.by_z * gap.z);
        }
      }
      if (i >= group.n_vel) continue;
      const Products w = times(step.W.data() + from);
      const Products xi = over_v(xi_v_.data() + from);
      for (int k = 0; k < n_columns; ++k) {
        const Column& c = columns_[columns[k]];
        const double over_a = c.by_s * w.s + c.by_z * w.z + c.by_y * w.y;
        row(vel + i)[columns[k] + shift] += g * over_a + c.by_U * w.y + b * (c.by_s * xi.s + c.by_z * xi.z);
      }
      if (i >= group.n_acc) continue;
      const Products rate_u = times(gamma_dot_u_.data() + from);
      const Products rate_v = over_v(gamma_dot_v_.data() + from);
      for (int k = 0; k < n_columns; ++k) {
        const Column& c = columns_[columns[k]];
        const double over_a = c.by_s * w.s + c.by_z * w.z + c.by_y * w.y;
        const double over_u = g * (c.by_s * rate_u.s + c.by_z * rate_u.z + c.by_y * rate_u.y) + c.by_U * rate_u.y;
        row(acc + i)[columns[k] + shift] += over_a + over_u + b * (c.by_s * rate_v.s + c.by_z * rate_v.z);
      }
    }
  }
}

bool GeneralizedAlphaNewton::solve_system() {
  for (int i = 0; i < n_; ++i) {
    if (!std::isfinite(rhs_[i])) return false;
  }
  const bool solved = dense_ ? solve_dense_system() : solve_sparse_system();
  return solved && std::all_of(solution_.begin(), solution_.begin() + n_, [](double x) { return std::isfinite(x); });
}

bool GeneralizedAlphaNewton::solve_sparse_system() {
  sparse_.clear(n_);
  for (const Group& group : groups_) {
    for (int i = group.row; i < group.row + group.size(); ++i) {
      for (std::size_t l = group.first_link; l < group.first_link + group.n_links; ++l) {
        const Group& other = groups_[links_[l].group];
        const double* values = row(i) + links_[l].at;
        for (int j = 0; j < other.size(); ++j) sparse_.add(i, other.row + j, values[j]);
      }
    }
  }
  return sparse_.solve(kRegular, rhs_.data(), solution_.data());
}

bool GeneralizedAlphaNewton::solve_dense_system() {
  const std::size_t square = static_cast<std::size_t>(n_) * n_;
  // Each elimination destroys what it works on; matrix_ and rhs_ stay for the next.
  const auto start_again = [&] {
    std::copy_n(matrix_.begin(), square, copy_.begin());
    std::copy_n(rhs_.begin(), n_, work_rhs_.begin());
  };
  start_again();
  if (!solve_partial_pivoting(n_, copy_.data(), work_rhs_.data(), solution_.data(), kSafePivot)) {
    start_again();
    if (solve_complete_pivoting(n_, copy_.data(), work_rhs_.data(), order_.data(), solution_.data(), kRankThreshold) <
        n_) {
      solve_least_norm(n_, matrix_.data(), rhs_.data(), solution_.data(), kRankThreshold);
    }
  }
  return true;
}

/// The change of (u, v, a) with that of the multipliers.
void GeneralizedAlphaNewton::add_responses(const GeneralizedAlphaStep& step) {
  for (const Group& group : groups_) {
    const StepElement& e = step.elements[group.element];
    for (int j = 0; j < group.n_directions(); ++j) {
      Column sum = {0.0, 0.0, 0.0, 0.0};
      const auto add = [&](int i) {
        const Column& c = columns_[i];
        const double x = solution_[i];
        sum = {sum.by_s + x * c.by_s, sum.by_z + x * c.by_z, sum.by_y + x * c.by_y, sum.by_U + x * c.by_U};
      };
      if (j < group.n_pos) add(group.row + j);
      if (j < group.n_vel) add(group.row + group.n_pos + j);
      if (j < group.n_acc) add(group.row + group.n_pos + group.n_vel + j);
      for (int t = 0; t < e.n_touches; ++t) {
        const int index = e.touches[t].block;
        const VelocityBlock& block = step.blocks[index];
        const std::size_t at = e.touches[t].values + static_cast<std::size_t>(j) * block.n_u;
        const double* y = step.MinvW.data() + at;
        const double* s = touched_[index] ? SinvW_.data() + at : y;
        const double* z = SinvHMinvW_.data() + at;
        for (int c = 0; c < block.n_u; ++c) {
          const double moved = sum.by_s * s[c] + (damped_[index] ? sum.by_z * z[c] : 0.0);
          const double da = moved + sum.by_y * y[c];
          free_a_(block.u_offset + c) += da;
          free_u_(block.u_offset + c) += step.gamma_step() * da + sum.by_U * y[c];
          free_v_(block.u_offset + c) += step.beta_step() * moved;
        }
      }
    }
  }
}

/// Moves x by a share of the step.
void GeneralizedAlphaNewton::update(GeneralizedAlphaStep& step, double factor) {
  step.x.a += factor * free_a_;
  step.x.U += factor * (free_u_ - step.gamma_step() * free_a_);
  step.x.Q += factor * (free_v_ - step.beta_step() * free_a_);
  for (const Group& group : groups_) {
    const StepElement& e = step.elements[group.element];
    const int vel = group.row + group.n_pos;
    const int acc = vel + group.n_vel;
    for (int i = 0; i < group.n_acc; ++i) {
      const double change = factor * scale_[acc + i] * solution_[acc + i];
      step.x.lambda(e.offset + i) += change;
      step.x.Lambda(e.offset + i) -= step.gamma_step() * change;
      if (i < e.n_pos) step.x.kappa(e.pos_offset + i) -= step.beta_step() * change;
    }
    for (int i = 0; i < group.n_vel; ++i) {
      step.x.Lambda(e.offset + i) += factor * scale_[vel + i] * solution_[vel + i];
    }
    for (int i = 0; i < group.n_pos; ++i) {
      step.x.kappa(e.pos_offset + i) += factor * scale_[group.row + i] * solution_[group.row + i];
    }
  }
}

}  // namespace stickslip
