// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/undetermined_forces.h"

#include <array>
#include <cmath>
#include <numeric>

namespace stickslip {
namespace {

/// Which joints are left of a graph of bodies when those of leaves are taken away; node 0 is what nothing moves and no
/// leaf.
std::vector<int> find_joints_in_loops(const std::vector<std::array<int, 2>>& ends, int n_nodes) {
  std::vector<int> degree(n_nodes, 0);
  for (const auto& [a, b] : ends) {
    ++degree[a];
    ++degree[b];
  }
  std::vector<int> left(ends.size());
  std::iota(left.begin(), left.end(), 0);
  const auto is_leaf = [&](int node) { return node > 0 && degree[node] == 1; };
  bool changed = true;
  while (changed) {
    const auto removed = std::erase_if(left, [&](int joint) {
      const auto& [a, b] = ends[joint];
      if (!is_leaf(a) && !is_leaf(b)) return false;
      --degree[a];
      --degree[b];
      return true;
    });
    changed = removed > 0;
  }
  return left;
}

}  // namespace

UndeterminedForces::UndeterminedForces(const GeneralizedAlphaStep& step) {
  std::vector<int> elements;
  std::vector<std::array<int, 2>> ends;
  const auto node = [&](int body) { return step.block_of(body) < 0 ? 0 : body + 1; };
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.kind != StepElement::Kind::joint) continue;
    const Joint& joint = step.system.joints()[e.index];
    elements.push_back(static_cast<int>(k));
    ends.push_back({node(joint.first.body), node(joint.second.body)});
  }
  const int n_nodes = static_cast<int>(step.system.bodies().size()) + 1;
  const std::vector<int> left = find_joints_in_loops(ends, n_nodes);
  // Forces are exchanged through bodies that move.
  std::vector<int> part(n_nodes);
  std::iota(part.begin(), part.end(), 0);
  const auto part_of = [&](int n) {
    while (part[n] != n) n = part[n] = part[part[n]];
    return n;
  };
  for (const int joint : left) {
    const auto& [a, b] = ends[joint];
    if (a > 0 && b > 0) part[part_of(a)] = part_of(b);
  }
  std::vector<int> loop_of(n_nodes, -1);
  for (const int joint : left) {
    const auto& [a, b] = ends[joint];
    int& loop = loop_of[part_of(a > 0 ? a : b)];
    if (loop < 0) {
      loop = static_cast<int>(loops_.size());
      loops_.emplace_back();
    }
    loops_[loop].elements.push_back(elements[joint]);
    const StepElement& e = step.elements[elements[joint]];
    for (int i = 0; i < e.dim; ++i) loops_[loop].rows.push_back(e.offset + i);
  }
  for (Loop& loop : loops_) {
    const auto n = static_cast<Eigen::Index>(loop.rows.size());
    loop.size.resize(loop.rows.size());
    loop.basis.resize(n, n);
    loop.y.resize(n);
  }
}

void UndeterminedForces::find(const GeneralizedAlphaStep& step) {
  for (Loop& loop : loops_) {
    Matrix& G = loop.basis;
    Eigen::Index row = 0;
    for (const int k : loop.elements) {
      step.stop.check();
      const StepElement& e = step.elements[k];
      for (int i = 0; i < e.dim; ++i, ++row) {
        Eigen::Index column = 0;
        for (const int l : loop.elements) {
          const StepElement& f = step.elements[l];
          for (int j = 0; j < f.dim; ++j) G(row, column++) = step.calc_coupling(e, i, f, j);
        }
      }
    }
    for (Eigen::Index i = 0; i < G.rows(); ++i) loop.size[i] = std::sqrt(G(i, i));
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
      for (Eigen::Index j = 0; j < G.cols(); ++j) G(i, j) /= loop.size[i] * loop.size[j];
    }
    find_basis(loop);
  }
}

/// The columns made orthonormal in place, the longest first (modified Gram-Schmidt, each twice); all of them, where
/// they are not numbers.
void UndeterminedForces::find_basis(Loop& loop) {
  constexpr double kRank = 1e-10;  // [-] of squares: rows that differ by 1e-5 are two
  Matrix& Q = loop.basis;
  double longest = 0.0;
  for (loop.rank = 0; loop.rank < Q.cols(); ++loop.rank) {
    const Eigen::Index r = loop.rank;
    Eigen::Index next = 0;
    const double length = Q.rightCols(Q.cols() - r).colwise().norm().maxCoeff(&next);
    if (r == 0) longest = length;
    if (length <= kRank * longest) return;
    Q.col(r).swap(Q.col(r + next));
    for (Eigen::Index k = 0; k < r; ++k) Q.col(r) -= Q.col(k).dot(Q.col(r)) * Q.col(k);
    Q.col(r).normalize();
    for (Eigen::Index k = r + 1; k < Q.cols(); ++k) Q.col(k) -= Q.col(r).dot(Q.col(k)) * Q.col(r);
  }
}

void UndeterminedForces::remove(Eigen::Ref<Vector> lambda) {
  for (Loop& loop : loops_) {
    const auto n = static_cast<Eigen::Index>(loop.rows.size());
    if (loop.rank == n) continue;
    for (Eigen::Index i = 0; i < n; ++i) {
      loop.y(i) = loop.size[i] * lambda(loop.rows[i]);
      lambda(loop.rows[i]) = 0.0;
    }
    for (Eigen::Index k = 0; k < loop.rank; ++k) {
      const double along = loop.basis.col(k).dot(loop.y);
      for (Eigen::Index i = 0; i < n; ++i) lambda(loop.rows[i]) += along * loop.basis(i, k) / loop.size[i];
    }
  }
}

}  // namespace stickslip
