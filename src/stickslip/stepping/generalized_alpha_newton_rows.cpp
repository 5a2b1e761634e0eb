// SPDX-License-Identifier: BSD-3-Clause
// The rows and columns of GeneralizedAlphaNewton's system for the present index sets.
#include <algorithm>

#include "stickslip/stepping/generalized_alpha_newton.h"

namespace stickslip {
namespace {

/// Up to as many rows the system is dense, where elimination is quicker than finding an order for it and rank is
/// revealed. [-]
constexpr int kMaxDenseRows = 100;

}  // namespace

/// Takes the memory for all elements of the scene at once, closed on all levels; a large system grows where it must.
void GeneralizedAlphaNewton::reserve(const GeneralizedAlphaStep& step) {
  for (const StepElement& e : step.elements) n_ += e.n_pos + 2 * e.dim;
  n_ = std::min(n_, kMaxDenseRows);
  resize_rows();
  const std::size_t n_elements = std::min(step.elements.size(), static_cast<std::size_t>(kMaxDenseRows));
  groups_.reserve(n_elements);
  links_.reserve(n_elements * n_elements);
  matrix_.resize(static_cast<std::size_t>(n_) * n_);
  copy_.resize(matrix_.size());
  sliding_.resize(static_cast<std::size_t>(n_) * kMaxFrictionDim);
  n_ = 0;
}

bool GeneralizedAlphaNewton::is_large(const GeneralizedAlphaStep& step) {
  int n = 0;
  for (const StepElement& e : step.elements) {
    if (e.level >= ContactLevel::position) n += e.n_pos;
    if (e.level >= ContactLevel::velocity) n += e.dim;
    if (e.level >= ContactLevel::acceleration) n += e.dim;
  }
  return n > kMaxDenseRows;
}

void GeneralizedAlphaNewton::resize_rows() {
  if (static_cast<int>(rhs_.size()) >= n_) return;
  for (auto* y : {&rhs_, &work_rhs_, &scale_, &solution_}) y->resize(n_);
  columns_.resize(n_);
  order_.resize(n_);
  row_begin_.resize(n_);
}

void GeneralizedAlphaNewton::number_rows(const GeneralizedAlphaStep& step) {
  groups_.clear();
  n_ = 0;
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level == ContactLevel::open) continue;
    Group group;
    group.element = static_cast<int>(k);
    group.row = n_;
    group.n_pos = e.n_pos;
    group.n_vel = e.level >= ContactLevel::velocity ? e.dim : 0;
    group.n_acc = e.level == ContactLevel::acceleration ? e.dim : 0;
    n_ += group.size();
    groups_.push_back(group);
  }
  if (gap_v_.size() < step.W.size()) {
    for (auto* y : {&gap_v_, &xi_v_, &gamma_dot_u_, &gamma_dot_v_, &SinvW_, &SinvHMinvW_}) y->resize(step.W.size());
  }
  resize_rows();
  link_groups(step);
}

/// Says which columns the rows of each group have: all, or those of the groups with a velocity block in common.
void GeneralizedAlphaNewton::link_groups(const GeneralizedAlphaStep& step) {
  links_.clear();
  dense_ = n_ <= kMaxDenseRows;
  const int n_groups = static_cast<int>(groups_.size());
  if (!dense_) {
    block_groups_.resize(step.blocks.size());
    for (std::vector<int>& groups : block_groups_) groups.clear();
    for (int g = 0; g < n_groups; ++g) {
      const StepElement& e = step.elements[groups_[g].element];
      for (int t = 0; t < e.n_touches; ++t) block_groups_[e.touches[t].block].push_back(g);
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
        for (const int other : block_groups_[e.touches[t].block]) {
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

}  // namespace stickslip
