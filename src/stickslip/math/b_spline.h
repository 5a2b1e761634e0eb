// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace stickslip {

/// B-splines on [0, 1] with open uniform knots: `elements` equal knot spans, the end knots degree + 1 fold, so that
/// curves begin and end in their first and last control points [Piegl1997, chapter 2].
class BSpline {
 public:
  /// degree >= 1, elements >= 1.
  BSpline(int degree, int elements);

  int degree() const { return degree_; }
  int elements() const { return elements_; }
  int n_functions() const { return elements_ + degree_; }

  /// The element that xi in [0, 1] is in; at an inner knot the one to its right.
  int find_element(double xi) const;
  /// The degree + 1 functions element, .., element + degree that do not vanish in it, with first and second derivatives
  /// by xi. value, first, second (degree + 1) [-].
  void calc_functions(int element, double xi, double* value, double* first, double* second) const;
  /// xi where function i has its Greville abscissa: control points on a straight line there give a curve that runs
  /// through it at constant speed.
  double greville(int i) const;

 private:
  double knot(int i) const;

  int degree_;
  int elements_;
};

}  // namespace stickslip
