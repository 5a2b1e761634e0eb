// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/math/expression_tree.h"

namespace stickslip {

double evaluate_expression(std::span<const Expression::Node> nodes, int k, const double* x) {
  using Op = Expression::Op;
  const Expression::Node& node = nodes[k];
  const auto a = [&] { return evaluate_expression(nodes, node.a, x); };
  const auto b = [&] { return evaluate_expression(nodes, node.b, x); };
  switch (node.op) {
    case Op::constant:
      return node.constant;
    case Op::variable:
      return x[node.a];
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
      const double value = a();
      return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : value;  // keeps NaN and the signed zero
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
      const double first = a();
      const double second = b();
      return first <= second ? first : second;
    }
    case Op::max: {
      const double first = a();
      const double second = b();
      return first >= second ? first : second;
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
      return evaluate_expression(nodes, a() != 0.0 ? node.b : node.c, x);
  }
  return std::nan("");
}

Expression::Expression(double constant) : nodes_{Node{.op = Op::constant, .constant = constant}} {
}

Expression::Expression(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
}

double Expression::value(double t) const {
  return value(std::span<const double>(&t, 1));
}

double Expression::value(std::span<const double> x) const {
  STICKSLIP_ASSERT(!nodes_.empty());  // not moved from
  return evaluate_expression(nodes_, static_cast<int>(nodes_.size()) - 1, x.data());
}

Expression Expression::derivative(int variable) const {
  ExpressionTree tree(kMaxDepth);
  const int root = tree.add_tree(nodes_);
  return tree.extract(tree.add_derivative(root, variable));
}

bool Expression::is_constant() const {
  return std::ranges::none_of(nodes_, [](const Node& node) { return node.op == Op::variable; });
}

}  // namespace stickslip
