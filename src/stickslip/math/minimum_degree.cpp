// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/minimum_degree.h"

#include <algorithm>

#include "stickslip/base/assert.h"

namespace stickslip {

void MinimumDegree::calc_order(std::span<const int> begin, std::span<const int> adjacent, std::vector<int>& order) {
  start(begin, adjacent);
  order.clear();
  while (n_left_ > 0) {
    stop_.check();
    const int pivot = take_pivot();
    make_element(pivot);
    count_outside(pivot);
    update_lists(pivot);
    merge_equal();
    finish_element(pivot);
    append(pivot, order);
  }
}

void MinimumDegree::start(std::span<const int> begin, std::span<const int> adjacent) {
  const int n = static_cast<int>(begin.size()) - 1;
  pool_.assign(adjacent.begin(), adjacent.end());
  start_.assign(begin.begin(), begin.end() - 1);
  length_.resize(n);
  n_elements_.assign(n, 0);
  size_.assign(n, 1);
  degree_.assign(n, 0);
  outside_.assign(n, 0);
  is_alive_.assign(n, false);
  head_.assign(n, -1);
  next_.assign(n, -1);
  previous_.assign(n, -1);
  last_.resize(n);
  merged_.assign(n, -1);
  mark_.assign(n, 0);
  hash_.assign(n, 0);
  n_left_ = n;
  least_ = stamp_ = mark_stamp_ = 0;
  for (int i = n - 1; i >= 0; --i) {
    length_[i] = begin[i + 1] - begin[i];
    last_[i] = i;
    insert(i, length_[i]);
  }
}

void MinimumDegree::insert(int node, int degree) {
  degree_[node] = degree;
  next_[node] = head_[degree];
  previous_[node] = -1;
  if (next_[node] >= 0) previous_[next_[node]] = node;
  head_[degree] = node;
  least_ = std::min(least_, degree);
}

void MinimumDegree::remove(int node) {
  if (next_[node] >= 0) previous_[next_[node]] = previous_[node];
  if (previous_[node] >= 0) {
    next_[previous_[node]] = next_[node];
  } else {
    head_[degree_[node]] = next_[node];
  }
}

int MinimumDegree::take_pivot() {
  while (head_[least_] < 0) ++least_;
  const int pivot = head_[least_];
  remove(pivot);
  n_left_ -= size_[pivot];
  return pivot;
}

/// Moves a node into the new element, at the end of the pool.
void MinimumDegree::take_in(int node, int& degree) {
  if (size_[node] <= 0) return;
  remove(node);
  degree += size_[node];
  size_[node] = -size_[node];
  pool_.push_back(node);
}

/// The neighbours of the pivot, directly or through its elements, which are thereby absorbed.
void MinimumDegree::make_element(int pivot) {
  const int begin = static_cast<int>(pool_.size());
  size_[pivot] = 0;
  int degree = 0;
  for (int k = 0; k < n_elements_[pivot]; ++k) {
    const int element = pool_[start_[pivot] + k];
    if (!is_alive_[element]) continue;
    for (int m = 0; m < length_[element]; ++m) take_in(pool_[start_[element] + m], degree);
    is_alive_[element] = false;
  }
  for (int k = n_elements_[pivot]; k < length_[pivot]; ++k) take_in(pool_[start_[pivot] + k], degree);
  start_[pivot] = begin;
  length_[pivot] = static_cast<int>(pool_.size()) - begin;
  degree_[pivot] = degree;
  is_alive_[pivot] = true;
}

/// For every element that meets the new one, how much of it lies outside.
void MinimumDegree::count_outside(int pivot) {
  const int n = static_cast<int>(size_.size());
  stamp_ += n + 1;
  if (stamp_ > (1 << 30)) {
    std::fill(outside_.begin(), outside_.end(), 0);
    stamp_ = n + 1;
  }
  for (int k = 0; k < length_[pivot]; ++k) {
    const int node = pool_[start_[pivot] + k];
    for (int m = 0; m < n_elements_[node]; ++m) {
      const int element = pool_[start_[node] + m];
      if (!is_alive_[element]) continue;
      if (outside_[element] < stamp_) outside_[element] = stamp_ + degree_[element];
      outside_[element] += size_[node];  // negative
    }
  }
}

/// Rewrites the list of each node of the new element: live elements, the new one, and neighbours outside it.
void MinimumDegree::update_lists(int pivot) {
  const int n = static_cast<int>(size_.size());
  for (int k = 0; k < length_[pivot]; ++k) {
    const int node = pool_[start_[pivot] + k];
    kept_.clear();
    int degree = 0;
    unsigned hash = static_cast<unsigned>(pivot);
    for (int m = 0; m < n_elements_[node]; ++m) {
      const int element = pool_[start_[node] + m];
      if (!is_alive_[element] || element == pivot) continue;
      const int outside = outside_[element] - stamp_;
      if (outside == 0) {  // the new element holds all of it
        is_alive_[element] = false;
        continue;
      }
      degree += outside;
      hash += static_cast<unsigned>(element);
      kept_.push_back(element);
    }
    kept_.push_back(pivot);
    const int n_elements = static_cast<int>(kept_.size());
    for (int m = n_elements_[node]; m < length_[node]; ++m) {
      const int neighbour = pool_[start_[node] + m];
      if (size_[neighbour] <= 0) continue;
      degree += size_[neighbour];
      hash += static_cast<unsigned>(neighbour);
      kept_.push_back(neighbour);
    }
    STICKSLIP_ASSERT(static_cast<int>(kept_.size()) <= length_[node]);
    std::copy(kept_.begin(), kept_.end(), pool_.begin() + start_[node]);
    length_[node] = static_cast<int>(kept_.size());
    n_elements_[node] = n_elements;
    const int bound = degree + degree_[pivot] + size_[node];
    degree_[node] = std::min({bound, degree_[node] + degree_[pivot] + size_[node], n});
    hash_[node] = static_cast<int>(hash % static_cast<unsigned>(n));
  }
  by_hash_.assign(pool_.begin() + start_[pivot], pool_.begin() + start_[pivot] + length_[pivot]);
}

bool MinimumDegree::is_equal(int a, int b) {
  if (length_[a] != length_[b] || n_elements_[a] != n_elements_[b]) return false;
  ++mark_stamp_;
  for (int k = 0; k < length_[a]; ++k) mark_[pool_[start_[a] + k]] = mark_stamp_;
  for (int k = 0; k < length_[b]; ++k) {
    if (mark_[pool_[start_[b] + k]] != mark_stamp_) return false;
  }
  return true;
}

/// Nodes of the new element with the same list are eliminated together from now on.
void MinimumDegree::merge_equal() {
  std::sort(by_hash_.begin(), by_hash_.end(),
            [this](int a, int b) { return hash_[a] != hash_[b] ? hash_[a] < hash_[b] : a < b; });
  for (std::size_t k = 0; k < by_hash_.size(); ++k) {
    const int node = by_hash_[k];
    if (size_[node] == 0) continue;
    for (std::size_t m = k + 1; m < by_hash_.size() && hash_[by_hash_[m]] == hash_[node]; ++m) {
      const int other = by_hash_[m];
      if (size_[other] == 0 || !is_equal(node, other)) continue;
      degree_[node] += size_[other];  // negative: the other no longer is a neighbour
      size_[node] += size_[other];
      size_[other] = 0;
      merged_[last_[node]] = other;
      last_[node] = last_[other];
    }
  }
}

/// Puts the nodes of the new element back among those to eliminate, with their new degrees.
void MinimumDegree::finish_element(int pivot) {
  int end = start_[pivot];
  for (int k = 0; k < length_[pivot]; ++k) {
    const int node = pool_[start_[pivot] + k];
    if (size_[node] == 0) continue;
    size_[node] = -size_[node];
    insert(node, std::max(0, std::min(degree_[node], n_left_ - size_[node])));
    pool_[end++] = node;
  }
  length_[pivot] = end - start_[pivot];
  pool_.resize(end);
  if (length_[pivot] == 0) is_alive_[pivot] = false;
}

void MinimumDegree::append(int node, std::vector<int>& order) const {
  for (int i = node; i >= 0; i = merged_[i]) order.push_back(i);
}

}  // namespace stickslip
