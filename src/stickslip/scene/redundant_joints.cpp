// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/redundant_joints.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// Gaussian elimination row by row.
class Elimination {
 public:
  explicit Elimination(int n_columns) : value_(n_columns, 0.0), is_used_(n_columns, 0), pivot_row_(n_columns, -1) {}

  void add(int column, double value) {
    if (is_used_[column] == 0) {
      is_used_[column] = 1;
      columns_.push_back(column);
      if (pivot_row_[column] >= 0) to_eliminate_.push(pivot_row_[column]);
    }
    value_[column] += value;
  }

  /// Takes what was added since for a row, and keeps what the rows before leave of it. Whether they leave something.
  bool finish_row() {
    constexpr double kDependent = 1e-9;  // [-] of a row is left: round-off of a long chain's poses
    constexpr double kPivot = 0.1;  // [-] of the largest entry: enough to be stable, and the choice keeps rows short
    double whole = 0.0;
    for (const int c : columns_) whole += value_[c] * value_[c];
    while (!to_eliminate_.empty()) {
      const int row = to_eliminate_.top();
      to_eliminate_.pop();
      const double factor = value_[pivot_column_[row]];
      for (int k = begin_[row]; k < begin_[row + 1]; ++k) add(entries_[k].column, -factor * entries_[k].value);
      value_[pivot_column_[row]] = 0.0;
      work_ += begin_[row + 1] - begin_[row];
    }
    double left = 0.0;
    double largest = 0.0;
    for (const int c : columns_) {
      left += value_[c] * value_[c];
      largest = std::max(largest, std::abs(value_[c]));
    }
    const bool independent = left > kDependent * kDependent * whole;
    if (independent) {
      int pivot = static_cast<int>(value_.size());
      for (const int c : columns_) {
        if (std::abs(value_[c]) >= kPivot * largest) pivot = std::min(pivot, c);
      }
      pivot_row_[pivot] = static_cast<int>(pivot_column_.size());
      pivot_column_.push_back(pivot);
      const double scale = 1.0 / value_[pivot];
      for (const int c : columns_) {
        if (value_[c] != 0.0) entries_.push_back({c, scale * value_[c]});
      }
      begin_.push_back(static_cast<int>(entries_.size()));
    }
    for (const int c : columns_) {
      value_[c] = 0.0;
      is_used_[c] = 0;
    }
    columns_.clear();
    return independent;
  }

  /// Entries that elimination has gone through. [-]
  std::size_t work() const { return work_; }

 private:
  struct Entry {
    int column;
    double value;
  };
  // The rows kept, 1 at their pivots: each is zero at the pivots of those before.
  std::vector<Entry> entries_;
  std::vector<int> begin_ = {0};
  std::vector<int> pivot_column_;  // (rows)
  // The row being added.
  std::vector<double> value_;   // (columns)
  std::vector<char> is_used_;   // (columns)
  std::vector<int> columns_;    // those used
  std::vector<int> pivot_row_;  // (columns) which row has its pivot there, -1: none
  std::priority_queue<int, std::vector<int>, std::greater<>> to_eliminate_;  // rows, the first one on top
  std::size_t work_ = 0;
};

/// The joints that are connected to one that closes a loop. (n joints)
std::vector<char> find_looped(const System& system) {
  const int ground = static_cast<int>(system.bodies().size());
  const auto node = [&](const Attachment& at) { return at.n_u > 0 ? at.body : ground; };
  DisjointSets parts(system.bodies().size() + 1);
  std::vector<int> closing;
  for (const Joint& joint : system.joints()) {
    for (int k = 1; k < joint.n_sides(); ++k) {
      if (!parts.join(node(joint.side(0)), node(joint.side(k)))) closing.push_back(node(joint.side(0)));
    }
  }
  std::vector<char> has_loop(system.bodies().size() + 1, 0);
  for (const int body : closing) has_loop[parts.find(body)] = 1;
  std::vector<char> looped;
  for (const Joint& joint : system.joints()) looped.push_back(has_loop[parts.find(node(joint.side(0)))]);
  return looped;
}

}  // namespace

std::vector<int> count_redundant_rows(const System& system, const State& state) {
  constexpr std::size_t kMostWork = 200'000'000;  // [-] a second or less
  std::vector<int> redundant(system.joints().size(), 0);
  const std::vector<char> looped = find_looped(system);
  Elimination elimination(system.n_u());
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    if (looped[j] == 0) continue;
    const Joint& joint = system.joints()[j];
    std::vector<RowMatrix> rows(joint.n_sides());  // (dim, n_u of the body), by side: J M^-1/2
    for (int k = 0; k < joint.n_sides(); ++k) {
      const Attachment& at = joint.side(k);
      if (at.n_u == 0) continue;
      RowMatrix part(joint.dim, at.n_u);
      system.calc_joint_jacobian(static_cast<int>(j), state.t, state.q, k, part);
      const Body& body = system.bodies()[at.body];
      const Matrix root = calc_cholesky_factor(system.inverse_mass(at.body));
      rows[k] = part.lazyProduct(root.middleRows(at.u_offset - body.u_offset, at.n_u));
    }
    for (int i = 0; i < joint.dim; ++i) {
      for (int k = 0; k < joint.n_sides(); ++k) {
        const RowMatrix& part = rows[k];
        const int first = system.bodies()[joint.side(k).body].u_offset;
        for (int c = 0; c < part.cols(); ++c) {
          if (part(i, c) != 0.0) elimination.add(first + c, part(i, c));
        }
      }
      if (!elimination.finish_row()) ++redundant[j];
    }
    if (elimination.work() > kMostWork) break;
  }
  return redundant;
}

}  // namespace stickslip
