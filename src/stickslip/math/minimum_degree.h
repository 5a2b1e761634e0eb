// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"

namespace stickslip {

/// An elimination order with little fill for a matrix with symmetric pattern: approximate minimum degree on the
/// quotient graph, with element absorption and merging of indistinguishable nodes [Amestoy1996]. Ties go to the node
/// that reached the degree last, so the order depends on the graph alone. Keeps its memory from call to call.
///
/// Deviation: no mass elimination and no dense-row rule; the graphs here have at most some ten thousand nodes.
class MinimumDegree {
 public:
  /// calc_order() asks `stop` for each node, and throws Interrupted where it is raised.
  explicit MinimumDegree(StopToken stop = {}) : stop_(stop) {}

  /// begin (n + 1) and adjacent: the neighbours of each node, without itself; j is among those of i where i is among
  /// those of j. order[k] is the node eliminated as number k.
  void calc_order(std::span<const int> begin, std::span<const int> adjacent, std::vector<int>& order);

 private:
  void start(std::span<const int> begin, std::span<const int> adjacent);
  int take_pivot();
  void insert(int node, int degree);
  void remove(int node);
  void make_element(int pivot);
  void take_in(int node, int& degree);
  void count_outside(int pivot);
  void update_lists(int pivot);
  void merge_equal();
  bool is_equal(int a, int b);
  void finish_element(int pivot);
  void append(int node, std::vector<int>& order) const;

  StopToken stop_;
  std::vector<int> pool_;        // lists of nodes (their elements first, then their neighbours) and of elements
  std::vector<int> start_;       // (n) of the list of a node or element
  std::vector<int> length_;      // (n)
  std::vector<int> n_elements_;  // (n) of a node's list
  std::vector<int> size_;        // (n) nodes merged into this one and itself; 0 gone; negative: in the new element
  std::vector<int> degree_;      // (n) of a node; size of an element
  std::vector<int> outside_;     // (n) stamp_ + size of an element outside the new one
  std::vector<bool> is_alive_;   // (n) whether an element still is one
  std::vector<int> head_;        // (n) first node of each degree, or -1
  std::vector<int> next_;        // (n)
  std::vector<int> previous_;    // (n)
  std::vector<int> last_;        // (n) last of the nodes merged into a node
  std::vector<int> merged_;      // (n) the next one merged into the same node, or -1
  std::vector<int> mark_;        // (n) scratch of is_equal
  std::vector<int> hash_;        // (n) of a node's list
  std::vector<int> by_hash_;     // scratch of merge_equal
  std::vector<int> kept_;        // scratch of update_lists
  int n_left_ = 0;
  int least_ = 0;
  int stamp_ = 0;
  int mark_stamp_ = 0;
};

}  // namespace stickslip
