// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace stickslip {

/// n things in sets that are joined, with paths to their representatives halved on the way.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) { reset(n); }
  /// All apart; n anew.
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  /// The least of the set that i is in.
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Whether they were apart.
  bool join(int a, int b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace stickslip
