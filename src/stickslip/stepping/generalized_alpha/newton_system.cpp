// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/newton_system.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/dense_solve.h"
#include "stickslip/math/rank_revealing_solve.h"
#include "stickslip/math/round_off.h"
#include "stickslip/math/small_lu.h"

namespace stickslip::generalized_alpha {
namespace {

/// Partial pivoting does not reveal the rank: pivots below this send the system to complete pivoting; and where there
/// are some of those a rank-deficient one to an orthogonal decomposition, too: without a squeezed loop at its dead
/// point is not made consistent, nor have redundant loops reactions of least norm.
constexpr double kSafePivot = 1e-6;  // [-]

}  // namespace

bool NewtonSystem::solve(const Step& step) {
  calc_derivatives(step);
  if (!factorise_blocks(step)) return false;
  calc_free_change(step);
  calc_responses(step);
  assemble(step);
  if (!solve_system()) return false;
  step.stop.check();
  add_responses(step);
  return true;
}

void NewtonSystem::apply(Step& step, double factor) const {
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

void NewtonSystem::calc_derivatives(const Step& step) {
  number_rows(step);
  const ElementDerivatives::At at{step.t_end, step.q, step.u, step.x.a, step.q_start, step.u_start};
  derivatives_.set_forces(at, step.inputs);
  std::array<double, kMaxElementDim> force;
  for (const Group& group : groups_) {
    step.stop.check();
    const StepElement& e = step.elements[group.element];
    for (int i = 0; i < e.dim; ++i) {
      force[i] = (step.P(e.offset + i) - step.known_P(e.offset + i)) / step.gamma_step();
    }
    derivatives_.add_element(at, e, force.data());
  }
}

/// S = M - dt gamma' dh/du - dt^2 beta' d(h + W lambda)/dq B.
bool NewtonSystem::factorise_blocks(const Step& step) {
  for (int index = 0; index < static_cast<int>(step.rows.blocks().size()); ++index) {
    if (!derivatives_.touched(index)) continue;
    const VelocityBlock& block = step.rows.blocks()[index];
    const int n = block.n_u;
    double* S = S_.data() + block.matrix;
    for (int i = 0; i < n * n; ++i) {
      S[i] = -step.gamma_step() * derivatives_.dh_du(index)[i] - step.beta_step() * derivatives_.dh_dv(index)[i];
    }
    for (int b = 0; b < block.n_bodies; ++b) {
      const Body& body = step.system.bodies()[block.first_body + b];
      const int r = body.u_offset - block.u_offset;
      if (step.system.has_diagonal_mass()) {
        for (int i = 0; i < body.n_u; ++i) S[(r + i) * (n + 1)] += step.system.mass_diagonal()(body.u_offset + i);
        continue;
      }
      const System::MassBlock& mass = step.system.mass(block.first_body + b);
      for (int i = 0; i < body.n_u; ++i) {
        for (int j = 0; j < body.n_u; ++j) S[(r + i) * n + r + j] += mass(i, j);
      }
    }
    if (!factorise_lu(n, S, pivots_.data() + block.u_offset, step.stop)) return false;
  }
  return true;
}

/// With the multipliers held: M dU = -R2, M dQ = -R3, S da = -R1 + dh/du dU + K dQ.
void NewtonSystem::calc_free_change(const Step& step) {
  work_ = -step.r2;
  step.system.solve_mass(work_, free_u_);
  work_ = -step.r3;
  step.system.solve_mass(work_, free_v_);
  work_ = -step.r1;
  step.system.solve_mass(work_, free_a_);
  for (int index = 0; index < static_cast<int>(step.rows.blocks().size()); ++index) {
    if (!derivatives_.touched(index)) continue;
    const VelocityBlock& block = step.rows.blocks()[index];
    double* da = free_a_.data() + block.u_offset;
    std::copy_n(work_.data() + block.u_offset, block.n_u, da);
    add_product(block.n_u, block.n_u, derivatives_.dh_du(index), free_u_.data() + block.u_offset, da);
    add_product(block.n_u, block.n_u, derivatives_.dh_dv(index), free_v_.data() + block.u_offset, da);
    solve_lu(block.n_u, S_.data() + block.matrix, pivots_.data() + block.u_offset, da);
  }
  free_u_ += step.gamma_step() * free_a_;
  free_v_ += step.beta_step() * free_a_;
}

/// S^-1 w and S^-1 dh/du M^-1 w of all rows; without derivatives of forces S is M.
void NewtonSystem::calc_responses(const Step& step) {
  for (const Group& group : groups_) {
    step.stop.check();
    const StepElement& e = step.elements[group.element];
    calc_columns(step, group, e);
    for (int t = 0; t < e.n_touches; ++t) {
      const int index = e.touches()[t].block;
      const VelocityBlock& block = step.rows.blocks()[index];
      const int n = block.n_u;
      if (!derivatives_.touched(index)) continue;
      for (int i = 0; i < group.n_directions(); ++i) {
        const std::size_t at = e.touches()[t].values + static_cast<std::size_t>(i) * n;
        std::copy_n(step.rows.W() + at, n, SinvW_.data() + at);
        solve_lu(n, S_.data() + block.matrix, pivots_.data() + block.u_offset, SinvW_.data() + at);
        if (!derivatives_.damped(index)) continue;
        double* z = SinvHMinvW_.data() + at;
        for (int r = 0; r < n; ++r) z[r] = dot(n, derivatives_.dh_du(index) + r * n, step.rows.MinvW() + at);
        solve_lu(n, S_.data() + block.matrix, pivots_.data() + block.u_offset, z);
      }
    }
  }
}

bool NewtonSystem::solve_system() {
  for (int i = 0; i < n_; ++i) {
    if (!std::isfinite(rhs_[i])) return false;
  }
  const bool solved = dense_ ? solve_dense_system() : solve_sparse_system();
  return solved && std::all_of(solution_.begin(), solution_.begin() + n_, [](double x) { return std::isfinite(x); });
}

bool NewtonSystem::solve_sparse_system() {
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
  return sparse_.solve(SparseSolver::kRegular, rhs_.data(), solution_.data());
}

bool NewtonSystem::solve_dense_system() {
  // An elimination destroys what it works on; matrix_ and rhs_ stay for the next.
  const auto start_again = [&] {
    std::copy_n(matrix_.begin(), static_cast<std::size_t>(n_) * n_, copy_.begin());
    std::copy_n(rhs_.begin(), n_, solution_.begin());
  };
  start_again();
  if (!solve_dense(n_, copy_.data(), solution_.data(), kSafePivot)) {
    start_again();
    std::copy_n(rhs_.begin(), n_, work_rhs_.begin());
    const FoundRank found =
        solve_complete_pivoting(n_, copy_.data(), work_rhs_.data(), order_.data(), solution_.data(), kRankThreshold);
    // At a dead point of joints pivots fall to the threshold; among redundant contacts there is nothing in between.
    if (found.rank < n_ && found.smallest < kSafePivot) {
      solve_least_norm(n_, matrix_.data(), rhs_.data(), solution_.data(), kRankThreshold);
    }
  }
  return true;
}

/// The change of (u, v, a) with that of the multipliers.
void NewtonSystem::add_responses(const Step& step) {
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
        const int index = e.touches()[t].block;
        const VelocityBlock& block = step.rows.blocks()[index];
        const std::size_t at = e.touches()[t].values + static_cast<std::size_t>(j) * block.n_u;
        const double* y = step.rows.MinvW() + at;
        const double* s = derivatives_.touched(index) ? SinvW_.data() + at : y;
        const double* z = SinvHMinvW_.data() + at;
        for (int c = 0; c < block.n_u; ++c) {
          const double moved = sum.by_s * s[c] + (derivatives_.damped(index) ? sum.by_z * z[c] : 0.0);
          const double da = moved + sum.by_y * y[c];
          free_a_(block.u_offset + c) += da;
          free_u_(block.u_offset + c) += step.gamma_step() * da + sum.by_U * y[c];
          free_v_(block.u_offset + c) += step.beta_step() * moved;
        }
      }
    }
  }
}

}  // namespace stickslip::generalized_alpha
