// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/b_spline.h"

#include <algorithm>

#include "stickslip/base/assert.h"

namespace stickslip {

BSpline::BSpline(int degree, int elements) : degree_(degree), elements_(elements) {
  STICKSLIP_ASSERT(degree >= 1 && elements >= 1);
}

double BSpline::knot(int i) const {
  return std::clamp(i - degree_, 0, elements_) / static_cast<double>(elements_);
}

int BSpline::find_element(double xi) const {
  return std::clamp(static_cast<int>(xi * elements_), 0, elements_ - 1);
}

double BSpline::greville(int i) const {
  double sum = 0.0;
  for (int k = 1; k <= degree_; ++k) sum += knot(i + k);
  return sum / degree_;
}

namespace {

/// From the functions of degree p - 1 on a knot span to those of degree p [Piegl1997 eq. 2.5], in place: f holds p of
/// them, then p + 1. left[k] = xi - t_(span + 1 - k), right[k] = t_(span + k) - xi.
void raise_degree(int p, const double* left, const double* right, double* f) {
  double carry = 0.0;
  for (int k = 0; k < p; ++k) {
    const double share = f[k] / (right[k + 1] + left[p - k]);
    f[k] = carry + right[k + 1] * share;
    carry = left[p - k] * share;
  }
  f[p] = carry;
}

/// The derivative of functions of degree p from those of degree p - 1 [Piegl1997 eq. 2.7], in place; for a second
/// derivative f holds first derivatives of degree p - 1.
void differentiate(int p, const double* left, const double* right, double* f) {
  double carry = 0.0;
  for (int k = 0; k < p; ++k) {
    const double share = p * f[k] / (right[k + 1] + left[p - k]);
    f[k] = carry - share;
    carry = share;
  }
  f[p] = carry;
}

}  // namespace

void BSpline::calc_functions(int element, double xi, double* value, double* first, double* second) const {
  const int span = element + degree_;
  std::vector<double> left(degree_ + 1);
  std::vector<double> right(degree_ + 1);
  for (int k = 1; k <= degree_; ++k) {
    left[k] = xi - knot(span + 1 - k);
    right[k] = knot(span + k) - xi;
  }
  for (double* f : {value, first, second}) f[0] = 1.0;
  for (int p = 1; p <= degree_; ++p) {
    raise_degree(p, left.data(), right.data(), value);
    if (p < degree_) {
      raise_degree(p, left.data(), right.data(), first);
    } else {
      differentiate(p, left.data(), right.data(), first);
    }
    if (p < degree_ - 1) {
      raise_degree(p, left.data(), right.data(), second);
    } else {
      differentiate(p, left.data(), right.data(), second);
    }
  }
  if (degree_ == 1) std::fill_n(second, 2, 0.0);
}

}  // namespace stickslip
