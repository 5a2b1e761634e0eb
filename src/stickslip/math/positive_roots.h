// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace stickslip {

/// Degree of the polynomials that isolate_positive_roots takes, at most.
inline constexpr int kMaxPolynomialDegree = 6;

/// low < root < high with exactly one root inside, where `high` may be infinite; or low = high, a root (or a pair of
/// roots too close to tell apart) at that very place.
struct RootInterval {
  double low = 0.0;
  double high = 0.0;
};

/// Isolates all positive roots of sum over k <= degree of coefficients[k] t^k, in increasing order; returns how many
/// intervals. Method: t = tau / (1 - tau) turns the polynomial into Bernstein form on [0, 1] with the coefficients
/// a_k / binomial(degree, k); an interval without a change of sign among its coefficients holds no root, one with one
/// change exactly one, and any other is halved by de Casteljau's algorithm [Collins1976], [Lane1981].
int isolate_positive_roots(int degree, const double* coefficients,
                           std::array<RootInterval, kMaxPolynomialDegree>& intervals);

}  // namespace stickslip
