// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/rotation.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/stepping/rank_revealing_solve.h"

namespace stickslip {
namespace {

/// Pivots below this, relative to the largest, count as zero. The system is scaled to lengths, so that its entries are
/// correlations between constraints: below it two constraints are the same within round-off of their directions.
constexpr double kRankThreshold = 1e-11;  // [-]

/// What a large system, whose rank is not revealed, has added to its diagonal. Round-off in the residual moves
/// multipliers that do not matter by as much over this; weaker directions that matter are found by refinement.
constexpr double kRegular = 1e-8;  // [-]

double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// LU factors with partial pivoting, in place. a (n, n) row-major. False where singular.
bool factorise(int n, double* a, int* pivots) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    pivots[k] = pivot;
    if (!(std::abs(a[pivot * n + k]) > 0.0)) return false;
    if (pivot != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

void solve_factorised(int n, const double* a, const int* pivots, double* b) {
  for (int k = 0; k < n; ++k) std::swap(b[k], b[pivots[k]]);
  for (int i = 1; i < n; ++i) b[i] -= dot(i, a + i * n, b);
  for (int i = n - 1; i >= 0; --i) b[i] = (b[i] - dot(n - 1 - i, a + i * n + i + 1, b + i + 1)) / a[i * n + i];
}

/// Y (rows, n_u; stride) += X B(q_start), X (rows, n_q of the body) an Eigen expression.
template <class X>
void add_times_coordinate_map(const GeneralizedAlphaStep& step, int index, const X& x, double* y, int stride) {
  const Body& body = step.system.bodies()[index];
  const int straight = body.type == BodyType::rigid ? 3 : static_cast<int>(x.cols());
  for (int i = 0; i < x.rows(); ++i) {
    double* yi = y + i * stride;
    for (int j = 0; j < straight; ++j) yi[j] += x(i, j);
    if (body.type != BodyType::rigid) continue;
    // d e' / d omega = 1/2 [-v^T; e0 I + v^]
    const double* e = step.q_start().data() + body.q_offset + 3;
    const double p[4] = {x(i, 3), x(i, 4), x(i, 5), x(i, 6)};
    yi[3] += 0.5 * (-e[1] * p[0] + e[0] * p[1] + e[3] * p[2] - e[2] * p[3]);
    yi[4] += 0.5 * (-e[2] * p[0] - e[3] * p[1] + e[0] * p[2] + e[1] * p[3]);
    yi[5] += 0.5 * (-e[3] * p[0] + e[2] * p[1] - e[1] * p[2] + e[0] * p[3]);
  }
}

}  // namespace

GeneralizedAlphaNewton::GeneralizedAlphaNewton(const GeneralizedAlphaStep& step) {
  std::size_t values = 0;
  for (const VelocityBlock& block : step.blocks) values += static_cast<std::size_t>(block.n_u) * block.n_u;
  for (auto* y : {&H_u_, &K_, &S_}) y->assign(values, 0.0);
  touched_.assign(step.blocks.size(), 0);
  const int n_u = step.system.n_u();
  pivots_.assign(n_u, 0);
  for (Vector* y : {&free_u_, &free_v_, &free_a_, &work_}) y->setZero(n_u);
  for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_}) y->assign(step.W.size(), 0.0);
  force_blocks_ = step.force_blocks;
  for (const ForceBlock& part : force_blocks_) {
    const auto owner = std::find_if(step.blocks.begin(), step.blocks.end(), [&](const VelocityBlock& b) {
      return part.row.body >= b.first_body && part.row.body < b.first_body + b.n_bodies;
    });
    force_block_owner_.push_back(static_cast<int>(owner - step.blocks.begin()));
  }
}

StepSolve GeneralizedAlphaNewton::solve(GeneralizedAlphaStep& step, int max_iterations) {
  // Index sets that come back this often do not settle any more.
  constexpr int kMaxVisits = 3;
  StepSolve result;
  history_.clear();
  double last_error = std::numeric_limits<double>::infinity();
  int stalled = 0;
  while (step.error() > 1.0) {
    const std::uint64_t sets = step.signature();
    const bool same_sets = !history_.empty() && history_.back() == sets;
    if (!same_sets && std::count(history_.begin(), history_.end(), sets) >= kMaxVisits) return result;
    // Round-off reached: the sets stand and the residual no longer falls.
    stalled = same_sets && step.error() > 0.5 * last_error ? stalled + 1 : 0;
    if (stalled >= 2 || !std::isfinite(step.error()) || result.iterations >= max_iterations) return result;
    history_.push_back(sets);
    last_error = step.error();
    const double merit = step.merit();
    if (!move(step)) return result;
    ++result.iterations;
    step.evaluate();
    if (!dense_) search_line(step, merit);
  }
  result.converged = true;
  return result;
}

bool GeneralizedAlphaNewton::move(GeneralizedAlphaStep& step) {
  number_rows(step);
  calc_derivatives(step);
  if (!factorise_blocks(step)) return false;
  calc_free_change(step);
  calc_columns(step);
  assemble(step);
  if (!solve_system()) return false;
  add_responses(step);
  if (!dense_) base_ = step.x;
  update(step, 1.0);
  return true;
}

/// With many contacts a whole step changes many index sets at once, each as if the others stayed. Shortens the step
/// until the merit falls, or else takes the best of what was tried.
void GeneralizedAlphaNewton::search_line(GeneralizedAlphaStep& step, double merit) {
  constexpr double kShortest = 0.1;  // [-]
  double least = step.merit();
  best_ = step.x;
  bool at_best = true;
  for (double factor = 0.5; !(least < merit) && factor >= kShortest; factor *= 0.5) {
    step.x = base_;
    update(step, factor);
    step.evaluate();
    at_best = step.merit() < least;
    if (!at_best) continue;
    least = step.merit();
    best_ = step.x;
  }
  if (at_best) return;
  step.x = best_;
  step.evaluate();
}

// --- derivatives

void GeneralizedAlphaNewton::calc_derivatives(const GeneralizedAlphaStep& step) {
  std::fill(touched_.begin(), touched_.end(), 0);
  std::fill(H_u_.begin(), H_u_.end(), 0.0);
  std::fill(K_.begin(), K_.end(), 0.0);
  add_force_derivatives(step);
  for (const Group& group : groups_) add_element_derivatives(step, step.elements[group.element]);
}

void GeneralizedAlphaNewton::add_force_derivatives(const GeneralizedAlphaStep& step) {
  if (force_blocks_.empty()) return;
  step.system.calc_force_derivatives(step.t_end, step.q, step.u, force_blocks_);
  for (std::size_t k = 0; k < force_blocks_.size(); ++k) {
    const ForceBlock& part = force_blocks_[k];
    const int index = force_block_owner_[k];
    const VelocityBlock& block = step.blocks[index];
    const std::size_t at = block.matrix + static_cast<std::size_t>(part.row.u_offset - block.u_offset) * block.n_u +
                           part.col.u_offset - block.u_offset;
    touched_[index] = 1;
    for (int i = 0; i < part.over_u.rows(); ++i) {
      for (int j = 0; j < part.over_u.cols(); ++j) H_u_[at + i * block.n_u + j] += part.over_u(i, j);
    }
    if (part.over_q.size() > 0) add_times_coordinate_map(step, part.col.body, part.over_q, K_.data() + at, block.n_u);
  }
}

/// Puts the derivatives of one contact or joint, over the coordinates of its two sides, in their places.
template <class GapQ, class Derivatives>
void GeneralizedAlphaNewton::spread(const GeneralizedAlphaStep& step, const StepElement& e, const GapQ& gap_q,
                                    const Derivatives& d) {
  int q_begin = 0;
  int u_begin = 0;
  for (const StepElement::SideRange& side : e.sides) {
    if (side.touch >= 0) {
      const StepElement::Touch& touch = e.touches[side.touch];
      const VelocityBlock& block = step.blocks[touch.block];
      const int n = block.n_u;
      const std::size_t at = touch.values + side.u_offset;
      add_times_coordinate_map(step, side.body, gap_q.middleCols(q_begin, side.n_q), gap_v_.data() + at, n);
      add_times_coordinate_map(step, side.body, d.gamma_q.middleCols(q_begin, side.n_q), xi_v_.data() + at, n);
      add_times_coordinate_map(step, side.body, d.gamma_dot_q.middleCols(q_begin, side.n_q), gamma_dot_v_.data() + at,
                               n);
      for (int i = 0; i < e.dim; ++i) {
        for (int j = 0; j < side.n_u; ++j) gamma_dot_u_[at + i * n + j] += d.gamma_dot_u(i, u_begin + j);
      }
      // Rows of the sides in the same block; what couples two blocks is left out: O(dt^2 lambda / (m rho)).
      int row_begin = 0;
      for (const StepElement::SideRange& other : e.sides) {
        if (other.touch == side.touch) {
          const auto part = d.force_q.block(row_begin, q_begin, other.n_u, side.n_q);
          if (!part.isZero(0.0)) {
            touched_[touch.block] = 1;
            add_times_coordinate_map(step, side.body, part,
                                     K_.data() + block.matrix + other.u_offset * n + side.u_offset, n);
          }
        }
        row_begin += other.n_u;
      }
    }
    q_begin += side.n_q;
    u_begin += side.n_u;
  }
}

void GeneralizedAlphaNewton::add_element_derivatives(const GeneralizedAlphaStep& step, const StepElement& e) {
  for (int t = 0; t < e.n_touches; ++t) {
    const std::size_t begin = e.touches[t].values;
    const std::size_t size = static_cast<std::size_t>(e.dim) * step.blocks[e.touches[t].block].n_u;
    for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_}) std::fill_n(y->begin() + begin, size, 0.0);
  }
  const auto force = [&](int i) { return (step.P(e.offset + i) - step.known_P(e.offset + i)) / step.gamma_step(); };
  if (e.kind == StepElement::Kind::contact) {
    Vector4 lambda = Vector4::Zero();
    for (int i = 0; i < e.dim; ++i) lambda(i) = force(i);
    step.system.calc_contact_derivatives(step.point(e), step.t_end, step.q, step.u, step.x.a, lambda, derivatives_);
    spread(step, e, derivatives_.gap_q, derivatives_);
  } else {
    JointVector lambda(e.dim);
    for (int i = 0; i < e.dim; ++i) lambda(i) = force(i);
    if (e.kind == StepElement::Kind::joint) {
      step.system.calc_joint_derivatives(e.index, step.t_end, step.q, step.u, step.x.a, lambda, joint_derivatives_);
    } else {
      step.system.calc_dry_friction_derivatives(e.index, step.t_end, step.q, step.u, step.x.a, lambda,
                                                joint_derivatives_);
    }
    spread(step, e, joint_derivatives_.g_q.topRows(e.n_pos), joint_derivatives_);
  }
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
    if (!factorise(n, S, pivots_.data() + block.u_offset)) return false;
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

/// One column a multiplier: fU = c_U w, fQ = c_Q w, fa = c_a w with w its row of W.
void GeneralizedAlphaNewton::calc_columns(const GeneralizedAlphaStep& step) {
  const double h = step.h;
  for (const Group& group : groups_) {
    const StepElement& e = step.elements[group.element];
    // Multiplier units, so that a unit moves a length of about one.
    for (int j = 0; j < group.size(); ++j) {
      const int i = j < group.n_pos ? j : (j - group.n_pos) % e.dim;
      const double time = j < group.n_pos ? 1.0 : (j < group.n_pos + group.n_vel ? h : h * h);
      scale_[group.row + j] = 1.0 / (e.diagonal[i] * time);
    }
    std::size_t out = group.columns;
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.blocks[e.touches[t].block];
      const int n = block.n_u;
      const bool coupled = touched_[e.touches[t].block] != 0;
      for (int j = 0; j < group.size(); ++j, out += 3 * n) {
        const bool position = j < group.n_pos;
        const bool velocity = !position && j < group.n_pos + group.n_vel;
        const int i = position ? j : (j - group.n_pos) % e.dim;
        const bool on_position = i < e.n_pos;
        const double s = scale_[group.row + j];
        double c_U = 0.0, c_Q = s, c_a = 0.0;  // kappa_hat
        if (velocity) {                        // P
          c_U = s;
          c_Q = on_position ? 0.0 : 0.5 * h * s;
        } else if (!position) {  // lambda, with P and kappa_hat held: Lambda and kappa make room for it
          c_U = -step.gamma_step() * s;
          c_Q = on_position ? -step.beta_step() * s : -0.5 * h * step.gamma_step() * s;
          c_a = s;
        }
        const double* w = step.W.data() + e.touches[t].values + i * n;
        const double* y = step.MinvW.data() + e.touches[t].values + i * n;
        double* du = columns_.data() + out;
        double* dv = du + n;
        double* da = dv + n;
        if (coupled) {
          for (int c = 0; c < n; ++c) da[c] = c_a * w[c];
          for (int r = 0; r < n; ++r) {
            da[r] +=
                c_U * dot(n, H_u_.data() + block.matrix + r * n, y) + c_Q * dot(n, K_.data() + block.matrix + r * n, y);
          }
          solve_factorised(n, S_.data() + block.matrix, pivots_.data() + block.u_offset, da);
        } else {
          for (int c = 0; c < n; ++c) da[c] = c_a * y[c];
        }
        for (int c = 0; c < n; ++c) du[c] = step.gamma_step() * da[c] + c_U * y[c];
        for (int c = 0; c < n; ++c) dv[c] = step.beta_step() * da[c] + c_Q * y[c];
      }
    }
  }
}

// --- the system

void GeneralizedAlphaNewton::assemble(const GeneralizedAlphaStep& step) {
  std::fill_n(matrix_.begin(), n_values_, 0.0);
  for (const Group& group : groups_) add_rows(step, group, step.elements[group.element]);
  for (const Group& group : groups_) apply_laws(step, group, step.elements[group.element]);
}

/// The linearised g, xi and gamma_dot of one element over all multipliers.
void GeneralizedAlphaNewton::add_rows(const GeneralizedAlphaStep& step, const Group& group, const StepElement& e) {
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  for (int i = 0; i < group.n_pos; ++i) rhs_[group.row + i] = -e.gap[i];
  for (int i = 0; i < group.n_vel; ++i) rhs_[vel + i] = -e.xi[i];
  for (int i = 0; i < group.n_acc; ++i) rhs_[acc + i] = -e.gamma_dot[i];
  for (int t = 0; t < e.n_touches; ++t) {
    const int index = e.touches[t].block;
    const VelocityBlock& block = step.blocks[index];
    const int n = block.n_u;
    const std::size_t at = e.touches[t].values;
    const auto responses = [&](const double* du, const double* dv, const double* da, auto&& add) {
      for (int i = 0; i < group.n_pos; ++i) add(group.row + i, dot(n, gap_v_.data() + at + i * n, dv));
      for (int i = 0; i < group.n_vel; ++i) {
        add(vel + i, dot(n, step.W.data() + at + i * n, du) + dot(n, xi_v_.data() + at + i * n, dv));
      }
      for (int i = 0; i < group.n_acc; ++i) {
        add(acc + i, dot(n, step.W.data() + at + i * n, da) + dot(n, gamma_dot_u_.data() + at + i * n, du) +
                         dot(n, gamma_dot_v_.data() + at + i * n, dv));
      }
    };
    responses(free_u_.data() + block.u_offset, free_v_.data() + block.u_offset, free_a_.data() + block.u_offset,
              [&](int i, double y) { rhs_[i] -= y; });
    for (std::size_t l = group.first_link; l < group.first_link + group.n_links; ++l) {
      const Group& other = groups_[links_[l].group];
      const int at_column = links_[l].at;
      const StepElement& f = step.elements[other.element];
      std::size_t columns = other.columns;
      for (int s = 0; s < f.n_touches; ++s) {
        const int m = step.blocks[f.touches[s].block].n_u;
        if (f.touches[s].block == index) {
          for (int j = 0; j < other.size(); ++j) {
            const double* du = columns_.data() + columns + static_cast<std::size_t>(j) * 3 * m;
            responses(du, du + n, du + 2 * n, [&](int i, double y) { row(i)[at_column + j] += y; });
          }
        }
        columns += static_cast<std::size_t>(other.size()) * 3 * m;
      }
    }
  }
}

/// Turns rows of friction in sliding into their law, and scales all rows to lengths.
void GeneralizedAlphaNewton::apply_laws(const GeneralizedAlphaStep& step, const Group& group, const StepElement& e) {
  const int n = e.n_friction();
  const int first = e.first_friction();
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  const double h = step.h;
  const bool friction = e.kind != StepElement::Kind::joint;
  const int has_normal = e.kind == StepElement::Kind::contact ? 1 : 0;
  if (friction && group.n_acc > 0 && !e.stick_acceleration) {
    Sliding s;
    const double normal_force = has_normal ? step.x.lambda(e.offset) : 0.0;
    s.radius = step.friction_radius_acceleration(e, normal_force);
    s.target = acc + first;
    s.normal = has_normal ? acc : -1;
    s.multiplier = step.x.lambda.data() + e.offset + first;
    s.direction = e.direction_acceleration.data();
    s.size = e.friction_size_acceleration;
    if (e.stick) {
      s.source = acc + first;
      s.in_argument = acc + first;
      s.r = step.r_friction(e);
      s.value = e.gamma_dot.data() + first;
    } else {
      s.source = vel + first;
      s.in_argument = e.e_tangent == 0.0 ? vel + first : -1;
      s.r = e.e_tangent == 0.0 ? step.r_friction(e) : 1.0;
      s.value = e.xi.data() + first;
    }
    slide(group, n, e.mu, s);
  }
  if (friction && group.n_vel > 0 && !e.stick) {
    Sliding s;
    s.radius = step.friction_radius(e, has_normal ? step.P(e.offset) : 0.0);
    s.target = vel + first;
    s.source = vel + first;
    s.in_argument = vel + first;
    s.normal = has_normal ? vel : -1;
    s.multiplier = step.P.data() + e.offset + first;
    s.direction = e.direction.data();
    s.size = e.friction_size;
    s.r = step.r_friction(e);
    s.value = e.xi.data() + first;
    slide(group, n, e.mu, s);
  }
  const auto scale_row = [&](int i, double factor) {
    for (int j = 0; j < group.width; ++j) row(i)[j] *= factor;
    rhs_[i] *= factor;
  };
  for (int i = 0; i < group.n_vel; ++i) {
    scale_row(vel + i, friction && i >= first && !e.stick ? h * e.diagonal[i] : h);
  }
  for (int i = 0; i < group.n_acc; ++i) {
    scale_row(acc + i, friction && i >= first && !e.stick_acceleration ? h * h * e.diagonal[i] : h * h);
  }
}

/// Linearises p + radius n = 0 with n = y / |y|, y = r x - z: x the quantity whose rows start at `source`, z the
/// multiplier in the argument, radius = mu p_N (or a constant), T = I - n n^T:
///   dp + mu n dp_N + c T (r dx - dz) = -(p + radius n),   c = max(radius, 0) / |y|.
void GeneralizedAlphaNewton::slide(const Group& group, int n, double mu, const Sliding& s) {
  const int width = group.width;
  const int own = group.own - group.row;  // from a column to its place in the rows
  const double c = n > 1 && s.size > 0.0 ? std::max(s.radius, 0.0) / s.size : 0.0;
  for (int i = 0; i < n; ++i) {
    double* out = sliding_.data() + static_cast<std::size_t>(i) * width;
    std::fill_n(out, width, 0.0);
    double right = -(s.multiplier[i] + s.radius * s.direction[i]);
    if (c > 0.0) {
      for (int j = 0; j < n; ++j) {
        const double T = c * ((i == j ? 1.0 : 0.0) - s.direction[i] * s.direction[j]);
        const double* x = row(s.source + j);
        for (int k = 0; k < width; ++k) out[k] += T * s.r * x[k];
        right += T * s.r * (rhs_[s.source + j] + s.value[j]);
        if (s.in_argument >= 0) out[own + s.in_argument + j] -= T * scale_[s.in_argument + j];
      }
    }
    out[own + s.target + i] += scale_[s.target + i];
    if (s.normal >= 0) out[own + s.normal] += mu * s.direction[i] * scale_[s.normal];
    sliding_rhs_[i] = right;
  }
  for (int i = 0; i < n; ++i) {
    std::copy_n(sliding_.data() + static_cast<std::size_t>(i) * width, width, row(s.target + i));
    rhs_[s.target + i] = sliding_rhs_[i];
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
  std::copy_n(matrix_.begin(), square, copy_.begin());
  std::copy_n(rhs_.begin(), n_, solution_.begin());
  // The elimination destroys its right-hand side; rhs_ stays for the second try.
  work_rhs_ = rhs_;
  if (solve_complete_pivoting(n_, copy_.data(), work_rhs_.data(), order_.data(), solution_.data(), kRankThreshold) <
      n_) {
    solve_least_norm(n_, matrix_.data(), rhs_.data(), solution_.data(), kRankThreshold);
  }
  return true;
}

/// The change of (u, v, a) with that of the multipliers.
void GeneralizedAlphaNewton::add_responses(const GeneralizedAlphaStep& step) {
  for (const Group& group : groups_) {
    const StepElement& e = step.elements[group.element];
    std::size_t columns = group.columns;
    for (int t = 0; t < e.n_touches; ++t) {
      const VelocityBlock& block = step.blocks[e.touches[t].block];
      const int n = block.n_u;
      for (int j = 0; j < group.size(); ++j, columns += 3 * n) {
        const double z = solution_[group.row + j];
        for (int c = 0; c < n; ++c) {
          free_u_(block.u_offset + c) += z * columns_[columns + c];
          free_v_(block.u_offset + c) += z * columns_[columns + n + c];
          free_a_(block.u_offset + c) += z * columns_[columns + 2 * n + c];
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
