// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/undetermined_forces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/stepping/generalized_alpha/start.h"

namespace stickslip::generalized_alpha {
namespace {

/// Which joints are left of a graph of bodies when those of leaves are taken away; node 0 is what nothing moves and no
/// leaf.
std::vector<int> find_joints_in_loops(const std::vector<std::array<int, 2>>& ends, int n_nodes) {
  std::vector<int> degree(n_nodes, 0);
  std::vector<std::int64_t> sum(n_nodes, 0);  // of the numbers of a node's joints: a leaf's is that of its one
  std::vector<char> is_left(ends.size(), 1);
  const auto count = [&](int joint, int change) {
    for (const int node : ends[joint]) {
      degree[node] += change;
      sum[node] += std::int64_t{change} * joint;
    }
  };
  for (int joint = 0; joint < static_cast<int>(ends.size()); ++joint) count(joint, 1);
  for (int first = 1; first < n_nodes; ++first) {
    for (int node = first; node > 0 && degree[node] == 1;) {
      const auto joint = static_cast<int>(sum[node]);
      is_left[joint] = 0;
      count(joint, -1);
      node = ends[joint][0] + ends[joint][1] - node;
    }
  }
  std::vector<int> left;
  for (int joint = 0; joint < static_cast<int>(ends.size()); ++joint) {
    if (is_left[joint] != 0) left.push_back(joint);
  }
  return left;
}

}  // namespace

UndeterminedForces::UndeterminedForces(const Step& step) {
  const System& system = step.system;
  std::vector<int> elements;
  std::vector<std::array<int, 2>> ends;
  const auto node = [&](int body) { return step.rows.block_of(body) < 0 ? 0 : body + 1; };
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.kind != ConstraintElement::Kind::joint) continue;
    const Joint& joint = system.joints()[e.index];
    elements.push_back(static_cast<int>(k));
    ends.push_back({node(joint.first.body), node(joint.second.body)});
  }
  const int n_nodes = static_cast<int>(system.bodies().size()) + 1;
  const std::vector<int> left = find_joints_in_loops(ends, n_nodes);
  // Forces are exchanged through bodies that move.
  DisjointSets loops(n_nodes), components(n_nodes);
  const auto join = [](DisjointSets& sets, const std::array<int, 2>& nodes) {
    if (nodes[0] > 0 && nodes[1] > 0) sets.join(nodes[0], nodes[1]);
  };
  for (const int joint : left) join(loops, ends[joint]);
  for (const std::array<int, 2>& of_joint : ends) join(components, of_joint);
  for (std::size_t body = 0; body < system.bodies().size(); ++body) {
    component_.push_back(components.find(static_cast<int>(body) + 1));
  }
  touched_.assign(n_nodes, 0);
  std::vector<int> loop_of(n_nodes, -1);
  for (const int joint : left) {
    const int moving = std::max(ends[joint][0], ends[joint][1]);
    int& number = loop_of[loops.find(moving)];
    if (number < 0) {
      number = static_cast<int>(loops_.size());
      loops_.emplace_back().component = components.find(moving);
    }
    Loop& loop = loops_[number];
    loop.elements.push_back(elements[joint]);
    const StepElement& e = step.elements[elements[joint]];
    for (int i = 0; i < e.dim; ++i) loop.rows.push_back(e.offset + i);
    for (int t = 0; t < e.n_touches; ++t) loop.blocks.push_back(e.touches[t].block);
  }
  std::erase_if(loops_, [](const Loop& loop) { return loop.rows.size() > std::size_t{kMostRows}; });
  for (Loop& loop : loops_) {
    std::ranges::sort(loop.blocks);
    loop.blocks.erase(std::unique(loop.blocks.begin(), loop.blocks.end()), loop.blocks.end());
    int n_columns = 0;
    for (const int block : loop.blocks) {
      loop.columns.push_back(n_columns);
      n_columns += step.rows.blocks()[block].n_u;
    }
    const auto n = static_cast<Eigen::Index>(loop.rows.size());
    loop.W.resize(n, n_columns);
    loop.Z.resize(n, n);
    loop.D.resize(n);
  }
  unit_.setOnes(system.n_u());
  for (std::size_t i = 0; i < system.bodies().size() && !loops_.empty(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.n_u == 0) continue;
    const Vector diagonal = system.inverse_mass(static_cast<int>(i)).diagonal();
    unit_.segment(body.u_offset, body.n_u) = (diagonal / diagonal(0)).cwiseSqrt();
  }
}

void UndeterminedForces::find(const Step& step) {
  if (loops_.empty()) return;
  std::ranges::fill(touched_, 0);
  for (const StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact || e.level < Level::velocity) continue;
    for (const ConstraintElement::SideRange& side : e.sides) {
      if (side.touch >= 0) touched_[component_[side.body]] = 1;
    }
  }
  for (Loop& loop : loops_) {
    loop.n_free = 0;
    if (touched_[loop.component] != 0) continue;
    loop.W.setZero();
    Eigen::Index row = 0;
    for (const int k : loop.elements) {
      const StepElement& e = step.elements[k];
      for (int i = 0; i < e.dim; ++i, ++row) {
        loop.D(row) = e.diagonal[i];
        for (int t = 0; t < e.n_touches; ++t) {
          const ConstraintElement::Touch& touch = e.touches[t];
          const VelocityBlock& block = step.rows.blocks()[touch.block];
          const auto at = std::ranges::lower_bound(loop.blocks, touch.block) - loop.blocks.begin();
          const double* w = step.rows.W() + touch.values + static_cast<std::size_t>(i) * block.n_u;
          for (int c = 0; c < block.n_u; ++c) loop.W(row, loop.columns[at] + c) += w[c] * unit_(block.u_offset + c);
        }
      }
    }
    find_null_space(loop);
  }
}

/// Makes the rows of W^T orthonormal, the longest first (modified Gram-Schmidt): combinations of rows of which nothing
/// is left are the null space.
void UndeterminedForces::find_null_space(Loop& loop) const {
  constexpr double kDependent = 1e-5;  // [-] of a row's length
  RowMatrix& W = loop.W;
  RowMatrix& Z = loop.Z;
  const Eigen::Index n = W.rows();
  Z.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double length = W.row(i).norm();
    if (!(length > 0.0) || !std::isfinite(length) || !(loop.D(i) > 0.0)) return;
    W.row(i) /= length;
    Z(i, i) = 1.0 / length;
  }
  Eigen::Index rank = 0;
  for (; rank < n; ++rank) {
    Eigen::Index next = rank;
    for (Eigen::Index i = rank; i < n; ++i) {
      if (W.row(i).squaredNorm() > W.row(next).squaredNorm()) next = i;
    }
    if (W.row(next).norm() <= kDependent) break;
    W.row(rank).swap(W.row(next));
    Z.row(rank).swap(Z.row(next));
    const auto take_off = [&](Eigen::Index from, Eigen::Index what) {
      const double along = W.row(from).dot(W.row(what));
      W.row(from) -= along * W.row(what);
      Z.row(from) -= along * Z.row(what);
    };
    for (Eigen::Index i = 0; i < rank; ++i) take_off(rank, i);
    const double length = W.row(rank).norm();
    W.row(rank) /= length;
    Z.row(rank) /= length;
    for (Eigen::Index i = rank + 1; i < n; ++i) take_off(i, rank);
  }
  loop.n_free = n - rank;
  for (Eigen::Index i = rank; i < n; ++i) {
    for (Eigen::Index k = rank; k < i; ++k) Z.row(i) -= Z.row(i).dot(Z.row(k) * loop.D.asDiagonal()) * Z.row(k);
    Z.row(i) /= std::sqrt(Z.row(i).cwiseAbs2().dot(loop.D));
  }
}

void UndeterminedForces::settle(Step& step, const State& state) {
  set_joints(step, state);
  find(step);
  remove(step.x.lambda);
}

void UndeterminedForces::remove(Eigen::Ref<Vector> lambda) const {
  for (const Loop& loop : loops_) {
    const Eigen::Index n = loop.W.rows();
    for (Eigen::Index k = n - loop.n_free; k < n; ++k) {
      double along = 0.0;
      for (Eigen::Index i = 0; i < n; ++i) along += loop.Z(k, i) * loop.D(i) * lambda(loop.rows[i]);
      for (Eigen::Index i = 0; i < n; ++i) lambda(loop.rows[i]) -= along * loop.Z(k, i);
    }
  }
}

}  // namespace stickslip::generalized_alpha
