// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/expression_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

using Node = Expression::Node;
using Op = Expression::Op;

bool is_leaf(Op op) {
  return op == Op::constant || op == Op::variable;
}
bool is_unary(Op op) {
  return op >= Op::negate && op <= Op::sign;
}

}  // namespace

int ExpressionTree::insert(const Node& node) {
  const auto [known, is_new] = known_.try_emplace(
      {node.op, node.a, node.b, node.c, std::bit_cast<std::uint64_t>(node.constant)}, static_cast<int>(nodes_.size()));
  if (!is_new) return known->second;
  Size size{.depth = 0, .cost = 1.0};
  for (const int child : {node.a, node.b, node.c}) {
    if (child < 0 || is_leaf(node.op)) continue;
    size.depth = std::max(size.depth, sizes_[child].depth);
    size.cost += sizes_[child].cost;
  }
  ++size.depth;
  if (size.depth > max_depth_ || size.cost > Expression::kMaxCost) {
    throw ExpressionError(0, "the expression or its derivative is too long or nested too deep");
  }
  nodes_.push_back(node);
  sizes_.push_back(size);
  return known->second;
}

int ExpressionTree::add_constant(double value) {
  return insert({.op = Op::constant, .constant = value});
}

int ExpressionTree::add_variable(int number) {
  return insert({.op = Op::variable, .a = number});
}

int ExpressionTree::add(Op op, int a, int b, int c) {
  STICKSLIP_ASSERT(!is_leaf(op));
  if (const int simple = simplified(op, a, b, c); simple >= 0) return simple;
  const bool folds = is_constant(a) && (b < 0 || is_constant(b)) && c < 0;
  if (folds) {
    const Node leaves[] = {nodes_[a], b < 0 ? Node{} : nodes_[b], {.op = op, .a = 0, .b = b < 0 ? -1 : 1}};
    return add_constant(evaluate_expression(leaves, 2, nullptr));
  }
  return insert({.op = op, .a = a, .b = b, .c = c});
}

// A constant as 0/0 or 1/0.
bool ExpressionTree::is_undefined(int k) const {
  return is_constant(k) && !std::isfinite(nodes_[k].constant);
}

// The node that is the same without the operation, or -1. As usual in symbolic work, 0 * x is 0
// whatever x is at an instant, and x / x is left alone.
int ExpressionTree::simplified(Op op, int a, int b, int c) {
  switch (op) {
    case Op::negate:
      if (nodes_[a].op == Op::negate) return nodes_[a].a;
      break;
    case Op::add:
      if (is_constant(a, 0.0)) return b;
      if (is_constant(b, 0.0)) return a;
      if (nodes_[b].op == Op::negate) return add(Op::subtract, a, nodes_[b].a);
      break;
    case Op::subtract:
      if (is_constant(b, 0.0)) return a;
      if (is_constant(a, 0.0)) return add(Op::negate, b);
      if (nodes_[b].op == Op::negate) return add(Op::add, a, nodes_[b].a);
      break;
    case Op::multiply:
      if ((is_constant(a, 0.0) && !is_undefined(b)) || (is_constant(b, 0.0) && !is_undefined(a))) {
        return add_constant(0.0);
      }
      if (is_constant(a, 1.0)) return b;
      if (is_constant(b, 1.0)) return a;
      if (is_constant(a, -1.0)) return add(Op::negate, b);
      if (is_constant(b, -1.0)) return add(Op::negate, a);
      break;
    case Op::divide:
      if (is_constant(a, 0.0) && !is_constant(b)) return a;
      if (is_constant(b, 1.0)) return a;
      break;
    case Op::power:
      if (is_constant(b, 0.0)) return add_constant(1.0);
      if (is_constant(b, 1.0)) return a;
      break;
    case Op::choose:
      if (b == c) return b;
      if (is_constant(a)) return nodes_[a].constant != 0.0 ? b : c;
      break;
    default:
      break;
  }
  return -1;
}

int ExpressionTree::add_tree(std::span<const Node> nodes) {
  std::vector<int> copies(nodes.size());
  const auto copy_of = [&copies](int child) { return child < 0 ? -1 : copies[child]; };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    copies[k] = is_leaf(node.op) ? insert(node) : add(node.op, copy_of(node.a), copy_of(node.b), copy_of(node.c));
  }
  return copies.back();
}

int ExpressionTree::add_derivative(int k, int variable) {
  STICKSLIP_ASSERT(derivatives_.empty() || variable == over_);
  over_ = variable;
  if (const auto known = derivatives_.find(k); known != derivatives_.end()) return known->second;
  const Node node = nodes_[k];  // a copy: nodes_ grows below
  int derivative = -1;
  if (node.op == Op::constant) {
    derivative = add_constant(0.0);
  } else if (node.op == Op::variable) {
    derivative = add_constant(node.a == over_ ? 1.0 : 0.0);
  } else if (node.op == Op::choose) {
    const int db = derivative_of(node.b);
    derivative = add(Op::choose, node.a, db, derivative_of(node.c));
  } else if (is_unary(node.op)) {
    derivative = derivative_of_unary(node, k);
  } else {
    derivative = derivative_of_binary(node, k);
  }
  derivatives_.emplace(k, derivative);
  return derivative;
}

// f(a)' = f'(a) a'. `k` is the node f(a) itself.
int ExpressionTree::derivative_of_unary(const Node& node, int k) {
  const int a = node.a;
  const int da = derivative_of(a);
  if (is_constant(da, 0.0)) return da;
  const int one = add_constant(1.0);
  const int two = add_constant(2.0);
  const auto square = [&](int x) { return add(Op::power, x, two); };
  const auto over = [&](int denominator) { return add(Op::divide, da, denominator); };
  const auto times = [&](int factor) { return add(Op::multiply, factor, da); };
  switch (node.op) {
    case Op::negate:
      return add(Op::negate, da);
    case Op::sin:
      return times(add(Op::cos, a));
    case Op::cos:
      return add(Op::negate, times(add(Op::sin, a)));
    case Op::tan:
      return times(add(Op::add, one, square(k)));
    case Op::asin:
      return over(add(Op::sqrt, add(Op::subtract, one, square(a))));
    case Op::acos:
      return add(Op::negate, over(add(Op::sqrt, add(Op::subtract, one, square(a)))));
    case Op::atan:
      return over(add(Op::add, one, square(a)));
    case Op::sinh:
      return times(add(Op::cosh, a));
    case Op::cosh:
      return times(add(Op::sinh, a));
    case Op::tanh:
      return times(add(Op::subtract, one, square(k)));
    case Op::exp:
      return times(k);
    case Op::log:
      return over(a);
    case Op::sqrt: {  // 0 at a = 0 where a' is 0 too, as of sqrt(v^2) at rest, in place of 0/0
      const int slope = over(add(Op::multiply, two, k));
      return add(Op::choose, k, slope, add(Op::choose, da, slope, add_constant(0.0)));
    }
    case Op::abs:
      return times(add(Op::sign, a));
    default:
      return add_constant(0.0);  // sign
  }
}

int ExpressionTree::derivative_of_binary(const Node& node, int k) {
  if (node.op >= Op::less) return add_constant(0.0);
  if (node.op == Op::power) return derivative_of_power(node, k);
  const int a = node.a;
  const int b = node.b;
  const int da = derivative_of(a);
  const int db = derivative_of(b);
  switch (node.op) {
    case Op::multiply:
      return add(Op::add, add(Op::multiply, da, b), add(Op::multiply, a, db));
    case Op::divide:  // (a' - (a/b) b') / b
      return add(Op::divide, add(Op::subtract, da, add(Op::multiply, k, db)), b);
    case Op::atan2: {  // atan2(a, b)' = (a' b - a b') / (a^2 + b^2)
      const int two = add_constant(2.0);
      return add(Op::divide, add(Op::subtract, add(Op::multiply, da, b), add(Op::multiply, a, db)),
                 add(Op::add, add(Op::power, a, two), add(Op::power, b, two)));
    }
    case Op::min:
      return add(Op::choose, add(Op::less_equal, a, b), da, db);
    case Op::max:
      return add(Op::choose, add(Op::less_equal, b, a), da, db);
    default:
      return add(node.op, da, db);  // add, subtract
  }
}

// (a^b)': b a^(b-1) a' for a constant exponent, which holds for negative a too; a^b log(a) b' for a
// constant base; else the sum of both.
int ExpressionTree::derivative_of_power(const Node& node, int k) {
  const int a = node.a;
  const int b = node.b;
  const int da = derivative_of(a);
  const int db = derivative_of(b);
  const int lowered = add(Op::power, a, add(Op::subtract, b, add_constant(1.0)));
  const int through_base = add(Op::multiply, add(Op::multiply, b, lowered), da);
  if (is_constant(db, 0.0)) return through_base;
  return add(Op::add, through_base, add(Op::multiply, add(Op::multiply, k, add(Op::log, a)), db));
}

Expression ExpressionTree::extract(int root) const {
  std::vector<Node> kept;
  std::vector<int> place(nodes_.size(), -1);
  copy_below(root, kept, place);
  return Expression(std::move(kept));
}

// Appends the tree below k depth first, so that equal trees become equal lists; returns where k came to stand.
int ExpressionTree::copy_below(int k, std::vector<Node>& kept, std::vector<int>& place) const {
  if (k < 0) return -1;
  if (place[k] >= 0) return place[k];
  Node node = nodes_[k];
  if (!is_leaf(node.op)) {
    node.a = copy_below(node.a, kept, place);
    node.b = copy_below(node.b, kept, place);
    node.c = copy_below(node.c, kept, place);
  }
  place[k] = static_cast<int>(kept.size());
  kept.push_back(node);
  return place[k];
}

}  // namespace stickslip
