// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "stickslip/math/expression.h"

namespace stickslip {

/// Value of the node `k` and what stands below it; x has the values of variables, of time first.
double evaluate_expression(std::span<const Expression::Node> nodes, int k, const double* x);

/// Grows expressions: simplifies every node as it is made, keeps equal ones once, and knows the
/// derivative of each. Used by the parser and by Expression::derivative().
class ExpressionTree {
 public:
  using Op = Expression::Op;

  explicit ExpressionTree(int max_depth) : max_depth_(max_depth) {}

  int add_constant(double value);
  int add_variable(int number);
  int add(Op op, int a, int b = -1, int c = -1);

  /// Copies a finished tree in; returns its root.
  int add_tree(std::span<const Expression::Node> nodes);

  /// The derivative of node k over a variable, a node itself. A tree takes derivatives over one variable only.
  int add_derivative(int k, int variable);

  /// The tree below `root` alone.
  Expression extract(int root) const;

  bool is_constant(int k) const { return nodes_[k].op == Op::constant; }

 private:
  // What is known of a node beside its children.
  struct Size {
    int depth;    // [-] levels, 1 for a leaf
    double cost;  // [-] nodes visited in an evaluation; a double, because shared subtrees count each time
  };

  bool is_undefined(int k) const;
  bool is_constant(int k, double value) const { return is_constant(k) && nodes_[k].constant == value; }
  int simplified(Op op, int a, int b, int c);
  int derivative_of_unary(const Expression::Node& node, int k);
  int derivative_of_binary(const Expression::Node& node, int k);
  int derivative_of_power(const Expression::Node& node, int k);
  int derivative_of(int k) { return add_derivative(k, over_); }
  int insert(const Expression::Node& node);
  int copy_below(int k, std::vector<Expression::Node>& kept, std::vector<int>& place) const;

  int max_depth_;
  std::vector<Expression::Node> nodes_;
  std::vector<Size> sizes_;
  std::map<std::tuple<Op, int, int, int, std::uint64_t>, int> known_;
  std::map<int, int> derivatives_;  // node -> its derivative
  int over_ = 0;                    // the variable
};

}  // namespace stickslip
