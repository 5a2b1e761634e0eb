// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/expression.h"

#include <cmath>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/math/expression_tree.h"

namespace stickslip {

double evaluate_expression(std::span<const Expression::Node> nodes, int k, double t) {
  using Op = Expression::Op;
  const Expression::Node& node = nodes[k];
  const auto a = [&] { return evaluate_expression(nodes, node.a, t); };
  const auto b = [&] { return evaluate_expression(nodes, node.b, t); };
  switch (node.op) {
    case Op::constant:
      return node.constant;
    case Op::time:
      return t;
    case Op::negate:
      return -a();
    case Op::sin:
      return std::sin(a());
    case Op::cos:
      return std::cos(a());
    case Op::tan:
      return std::tan(a());
    case Op::asin:
      return std::asin(a());
    case Op::acos:
      return std::acos(a());
    case Op::atan:
      return std::atan(a());
    case Op::sinh:
      return std::sinh(a());
    case Op::cosh:
      return std::cosh(a());
    case Op::tanh:
      return std::tanh(a());
    case Op::exp:
      return std::exp(a());
    case Op::log:
      return std::log(a());
    case Op::sqrt:
      return std::sqrt(a());
    case Op::abs:
      return std::abs(a());
    case Op::sign: {
      const double x = a();
      return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;  // keeps NaN and the signed zero
    }
    case Op::add:
      return a() + b();
    case Op::subtract:
      return a() - b();
    case Op::multiply:
      return a() * b();
    case Op::divide:
      return a() / b();
    case Op::power:
      return std::pow(a(), b());
    case Op::atan2:
      return std::atan2(a(), b());
    case Op::min: {
      const double x = a();
      const double y = b();
      return x <= y ? x : y;
    }
    case Op::max: {
      const double x = a();
      const double y = b();
      return x >= y ? x : y;
    }
    case Op::less:
      return a() < b() ? 1.0 : 0.0;
    case Op::less_equal:
      return a() <= b() ? 1.0 : 0.0;
    case Op::equal:
      return a() == b() ? 1.0 : 0.0;
    case Op::not_equal:
      return a() != b() ? 1.0 : 0.0;
    case Op::choose:
      return evaluate_expression(nodes, a() != 0.0 ? node.b : node.c, t);
  }
  return std::nan("");
}

Expression::Expression(double constant) : nodes_{Node{.op = Op::constant, .constant = constant}} {
}

Expression::Expression(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
}

double Expression::value(double t) const {
  STICKSLIP_ASSERT(!nodes_.empty());  // not moved from
  return evaluate_expression(nodes_, static_cast<int>(nodes_.size()) - 1, t);
}

Expression Expression::derivative() const {
  ExpressionTree tree(kMaxDepth);
  const int root = tree.add_tree(nodes_);
  return tree.extract(tree.add_derivative(root));
}

bool Expression::is_constant() const {
  for (const Node& node : nodes_) {
    if (node.op == Op::time) return false;
  }
  return true;
}

}  // namespace stickslip
