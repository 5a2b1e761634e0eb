// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/positive_roots.h"

#include <limits>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

using Bernstein = std::array<double, kMaxPolynomialDegree + 1>;

/// Halvings before roots count as too close to tell apart: a double root has them about sqrt(epsilon) = 1.5e-8 apart
/// by round-off alone, and roots near 0 or infinity differ by their exponents.
constexpr int kMaxDepth = 48;

int count_sign_changes(int degree, const Bernstein& c) {
  int changes = 0;
  double last = 0.0;
  for (int k = 0; k <= degree; ++k) {
    if (c[k] == 0.0) continue;
    if (last != 0.0 && (last < 0.0) != (c[k] < 0.0)) ++changes;
    last = c[k];
  }
  return changes;
}

/// t for tau in [0, 1].
double unmap(double tau) {
  return tau < 1.0 ? tau / (1.0 - tau) : std::numeric_limits<double>::infinity();
}

struct Isolation {
  int degree;
  std::array<RootInterval, kMaxPolynomialDegree>& intervals;
  int n = 0;

  void add(double low, double high) {
    if (n < kMaxPolynomialDegree) intervals[n++] = {unmap(low), unmap(high)};
  }

  void search(const Bernstein& c, double low, double high, int depth) {
    const int changes = count_sign_changes(degree, c);
    if (changes == 0) return;
    if (changes == 1) return add(low, high);
    const double middle = 0.5 * (low + high);
    if (depth == kMaxDepth) return add(middle, middle);
    Bernstein left = {};
    Bernstein right = c;
    for (int k = 0; k <= degree; ++k) {
      left[k] = right[0];
      for (int l = 0; l < degree - k; ++l) right[l] = 0.5 * (right[l] + right[l + 1]);
    }
    search(left, low, middle, depth + 1);
    if (right[0] == 0.0) add(middle, middle);
    search(right, middle, high, depth + 1);
  }
};

}  // namespace

int isolate_positive_roots(int degree, const double* coefficients,
                           std::array<RootInterval, kMaxPolynomialDegree>& intervals) {
  STICKSLIP_ASSERT(degree >= 0 && degree <= kMaxPolynomialDegree);
  Bernstein c = {};
  double binomial = 1.0;
  for (int k = 0; k <= degree; ++k) {
    c[k] = coefficients[k] / binomial;
    binomial *= static_cast<double>(degree - k) / (k + 1);
  }
  Isolation isolation{degree, intervals};
  isolation.search(c, 0.0, 1.0, 0);
  return isolation.n;
}

}  // namespace stickslip
