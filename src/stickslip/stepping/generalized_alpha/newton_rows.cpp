// SPDX-License-Identifier: BSD-3-Clause
// The rows and columns of Newton's system for the present index sets.
#include <algorithm>
#include <array>

#include "stickslip/math/small_lu.h"
#include "stickslip/stepping/generalized_alpha/newton_system.h"

namespace stickslip::generalized_alpha {
namespace {

/// Up to as many rows the system is dense, where elimination is quicker than finding an order for it and rank is
/// revealed. [-] With less single steps take longer, as nothing bounds the cost of large systems; with 1e5 dense discs
/// stay unsolved.
constexpr int kMaxDenseRows = 100;

}  // namespace

NewtonSystem::NewtonSystem(const Step& step) : derivatives_(step.system, step.rows) {
  std::size_t values = 0;
  for (const VelocityBlock& block : step.rows.blocks()) values += static_cast<std::size_t>(block.n_u) * block.n_u;
  S_.assign(values, 0.0);
  const int n_u = step.system.n_u();
  pivots_.assign(n_u, 0);
  for (Vector* y : {&free_u_, &free_v_, &free_a_, &work_}) y->setZero(n_u);
  for (auto* y : {&SinvW_, &SinvHMinvW_}) y->assign(step.rows.n_values(), 0.0);
  reserve(step);
}

/// Takes the memory for all elements of the scene at once, closed on all levels; a large system grows where it must.
void NewtonSystem::reserve(const Step& step) {
  for (const StepElement& e : step.elements) n_ += e.n_pos + 2 * e.dim;
  n_ = std::min(n_, kMaxDenseRows);
  resize_rows();
  const std::size_t n_elements = std::min(step.elements.size(), static_cast<std::size_t>(kMaxDenseRows));
  groups_.reserve(n_elements);
  elements_.reserve(n_elements);
  links_.reserve(n_elements * n_elements);
  matrix_.resize(static_cast<std::size_t>(n_) * n_);
  copy_.resize(matrix_.size());
  sliding_.resize(static_cast<std::size_t>(n_) * kMaxFrictionDim);
  n_ = 0;
}

bool NewtonSystem::is_large(const Step& step) {
  int n = 0;
  for (const StepElement& e : step.elements) {
    if (e.level >= Level::position) n += e.n_pos;
    if (e.level >= Level::velocity) n += e.dim;
    if (e.level >= Level::acceleration) n += e.dim;
  }
  return n > kMaxDenseRows;
}

void NewtonSystem::resize_rows() {
  if (static_cast<int>(rhs_.size()) >= n_) return;
  for (auto* y : {&rhs_, &work_rhs_, &scale_, &solution_}) y->resize(n_);
  columns_.resize(n_);
  order_.resize(n_);
  row_begin_.resize(n_);
}

void NewtonSystem::number_rows(const Step& step) {
  groups_.clear();
  elements_.clear();
  n_ = 0;
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level == Level::open) continue;
    Group group;
    group.element = static_cast<int>(k);
    group.row = n_;
    group.n_pos = e.n_pos;
    group.n_vel = e.level >= Level::velocity ? e.dim : 0;
    group.n_acc = e.level == Level::acceleration ? e.dim : 0;
    n_ += group.size();
    groups_.push_back(group);
    elements_.push_back(group.element);
  }
  if (SinvW_.size() < step.rows.n_values()) {
    for (auto* y : {&SinvW_, &SinvHMinvW_}) y->resize(step.rows.n_values());
  }
  resize_rows();
  link_groups(step);
}

/// Says which columns the rows of each group have: all, or those of the groups with a velocity block in common.
void NewtonSystem::link_groups(const Step& step) {
  links_.clear();
  dense_ = n_ <= kMaxDenseRows;
  const int n_groups = static_cast<int>(groups_.size());
  if (!dense_) {
    block_groups_.resize(step.rows.blocks().size());
    for (std::vector<int>& groups : block_groups_) groups.clear();
    for (int g = 0; g < n_groups; ++g) {
      const StepElement& e = step.elements[groups_[g].element];
      for (int t = 0; t < e.n_touches; ++t) block_groups_[e.touches()[t].block].push_back(g);
    }
    marks_.assign(groups_.size(), -1);
  }
  std::size_t values = 0;
  int widest = 0;
  for (int g = 0; g < n_groups; ++g) {
    Group& group = groups_[g];
    group.first_link = links_.size();
    group.width = 0;
    const auto link = [&](int other) {
      if (other == g) group.own = group.width;
      links_.push_back({other, group.width});
      group.width += groups_[other].size();
    };
    if (dense_) {
      for (int other = 0; other < n_groups; ++other) link(other);
    } else {
      const StepElement& e = step.elements[group.element];
      for (int t = 0; t < e.n_touches; ++t) {
        for (const int other : block_groups_[e.touches()[t].block]) {
          if (marks_[other] == g) continue;
          marks_[other] = g;
          link(other);
        }
      }
    }
    group.n_links = links_.size() - group.first_link;
    widest = std::max(widest, group.width);
    for (int i = 0; i < group.size(); ++i, values += group.width) row_begin_[group.row + i] = values;
  }
  if (matrix_.size() < values) matrix_.resize(values);
  if (dense_ && copy_.size() < values) copy_.resize(values);
  const std::size_t sliding = static_cast<std::size_t>(widest) * kMaxFrictionDim;
  if (sliding_.size() < sliding) sliding_.resize(sliding);
  n_values_ = values;
}

/// One column a multiplier. On a row w, P changes U by y, kappa_hat Q by y, and lambda, with P and kappa_hat held,
/// makes Lambda and kappa give way: dU = c_U y, dQ = c_Q y and S da = c_a w + dh/du dU + K dQ.
void NewtonSystem::calc_columns(const Step& step, const Group& group, const StepElement& e) {
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

void NewtonSystem::assemble(const Step& step) {
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

/// The linearised g (129), xi (132), (138) and gamma_dot (135), (142) of one element over all multipliers: what is zero
/// where the element is closed and sticks. apply_laws() puts friction in sliding in their place.
void NewtonSystem::add_rows(const Step& step, const Group& group, const StepElement& e) {
  add_free_rows(step, group, e);
  for (std::size_t l = group.first_link; l < group.first_link + group.n_links; ++l) {
    const Group& other = groups_[links_[l].group];
    const StepElement& f = step.elements[other.element];
    const int shift = links_[l].at - other.row;
    for (int t = 0; t < e.n_touches; ++t) {
      for (int s = 0; s < f.n_touches; ++s) {
        if (f.touches()[s].block != e.touches()[t].block) continue;
        couple(step, group, e, t, other, f.touches()[s].values, shift);
      }
    }
  }
}

void NewtonSystem::add_free_rows(const Step& step, const Group& group, const StepElement& e) {
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  for (int i = 0; i < group.n_pos; ++i) rhs_[group.row + i] = -e.gap[i];
  for (int i = 0; i < group.n_vel; ++i) rhs_[vel + i] = -e.xi[i];
  for (int i = 0; i < group.n_acc; ++i) rhs_[acc + i] = -e.gamma_dot[i];
  for (int t = 0; t < e.n_touches; ++t) {
    const VelocityBlock& block = step.rows.blocks()[e.touches()[t].block];
    const int n = block.n_u;
    const double* du = free_u_.data() + block.u_offset;
    const double* dv = free_v_.data() + block.u_offset;
    const double* da = free_a_.data() + block.u_offset;
    for (int i = 0; i < group.n_directions(); ++i) {
      const std::size_t at = e.touches()[t].values + static_cast<std::size_t>(i) * n;
      const double* w = step.rows.W() + at;
      if (i < group.n_pos) rhs_[group.row + i] -= dot(n, derivatives_.gap_v() + at, dv);
      if (i < group.n_vel) rhs_[vel + i] -= dot(n, w, du) + dot(n, derivatives_.xi_v() + at, dv);
      if (i < group.n_acc) {
        rhs_[acc + i] -=
            dot(n, w, da) + dot(n, derivatives_.gamma_dot_u() + at, du) + dot(n, derivatives_.gamma_dot_v() + at, dv);
      }
    }
  }
}

/// Adds what the multipliers of one element do to the rows of another, e, in the block that is its touch t and that
/// both touch; at_column is where the values of the first begin in the layout of W; shift leads from a column to its
/// place in the rows. Rows of e are zero outside the columns of its sides.
void NewtonSystem::couple(const Step& step, const Group& group, const StepElement& e, int t, const Group& other,
                          std::size_t at_column, int shift) {
  const int block = e.touches()[t].block;
  int begin = step.rows.blocks()[block].n_u;
  int end = 0;
  for (const ConstraintElement::SideRange& side : e.sides()) {
    if (side.touch != t) continue;
    begin = std::min(begin, side.u_offset);
    end = std::max(end, side.u_offset + side.n_u);
  }
  with_size(end - begin, [&](auto n) {
    if (derivatives_.damped(block)) {
      couple_sized<true>(n, step, group, e.touches()[t].values + begin, other, at_column + begin, block, shift);
    } else {
      couple_sized<false>(n, step, group, e.touches()[t].values + begin, other, at_column + begin, block, shift);
    }
  });
}

/// couple() over n of the block's velocities, from at_row and at_column on.
template <bool damped, class Size>
void NewtonSystem::couple_sized(const Size n, const Step& step, const Group& group, std::size_t at_row,
                                const Group& other, std::size_t at_column, int block, int shift) {
  const int stride = step.rows.blocks()[block].n_u;
  const bool touched = derivatives_.touched(block);
  const double g = step.gamma_step();
  const double b = step.beta_step();
  const int vel = group.row + group.n_pos;
  const int acc = vel + group.n_vel;
  for (int j = 0; j < other.n_directions(); ++j) {
    const std::size_t to = at_column + static_cast<std::size_t>(j) * stride;
    const double* y = step.rows.MinvW() + to;
    const double* s = touched ? SinvW_.data() + to : y;
    const double* z = SinvHMinvW_.data() + to;
    // The columns of this direction.
    std::array<int, 3> columns;
    int n_columns = 0;
    if (j < other.n_pos) columns[n_columns++] = other.row + j;
    if (j < other.n_vel) columns[n_columns++] = other.row + other.n_pos + j;
    if (j < other.n_acc) columns[n_columns++] = other.row + other.n_pos + other.n_vel + j;
    for (int i = 0; i < group.n_directions(); ++i) {
      const std::size_t from = at_row + static_cast<std::size_t>(i) * stride;
      // A row of derivatives times (s, z, y), and what a column makes of its part in s and z.
      struct Products {
        double s, z, y;
        double in(const Column& c) const { return damped ? c.by_s * s + c.by_z * z : c.by_s * s; }
      };
      const auto over_v = [&](const double* x) { return Products{dot(n, x, s), damped ? dot(n, x, z) : 0.0, 0.0}; };
      const auto times = [&](const double* x) {
        Products p = over_v(x);
        p.y = touched ? dot(n, x, y) : p.s;
        return p;
      };
      if (i < group.n_pos) {
        const Products gap = over_v(derivatives_.gap_v() + from);
        for (int k = 0; k < n_columns; ++k) {
          const Column& c = columns_[columns[k]];
          row(group.row + i)[columns[k] + shift] += b * gap.in(c);
        }
      }
      if (i >= group.n_vel) continue;
      const Products w = times(step.rows.W() + from);
      const Products xi = over_v(derivatives_.xi_v() + from);
      std::array<double, 3> over_a;
      for (int k = 0; k < n_columns; ++k) {
        const Column& c = columns_[columns[k]];
        over_a[k] = w.in(c) + c.by_y * w.y;
        row(vel + i)[columns[k] + shift] += g * over_a[k] + c.by_U * w.y + b * xi.in(c);
      }
      if (i >= group.n_acc) continue;
      const Products rate_u = times(derivatives_.gamma_dot_u() + from);
      const Products rate_v = over_v(derivatives_.gamma_dot_v() + from);
      for (int k = 0; k < n_columns; ++k) {
        const Column& c = columns_[columns[k]];
        const double over_u = g * (rate_u.in(c) + c.by_y * rate_u.y) + c.by_U * rate_u.y;
        row(acc + i)[columns[k] + shift] += over_a[k] + over_u + b * rate_v.in(c);
      }
    }
  }
}

}  // namespace stickslip::generalized_alpha
