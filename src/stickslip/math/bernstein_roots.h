// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// What came of a search for common roots.
struct BernsteinRoots {
  std::vector<Vector> roots;  // (k) [-] each, in the open box (0, 1)^k; near each there may be a root
  /// Whether these are all: no part of the box was left undecided, and every polynomial has coefficients above
  /// round-off.
  bool complete = true;
  int boxes = 0;  // [-] that were looked at
};

/// All common roots in (0, 1)^k of k polynomials in k variables.
///
///   f_i(s) = 0,  i = 1 ... k,   of degree degrees[j] in s_j.
///
/// The polynomials are given by their values, eval(s, f) with s, f (k), and interpolated at Chebyshev's points in the
/// tensor Bernstein basis. A box on which the coefficients of one f_i, or of one row of J^-1 f with J the derivative in
/// its middle, have one sign has no root: values lie in the convex hull of the coefficients. A box on which the
/// coefficients of the derivatives of J^-1 f make that derivative diagonally dominant has one root at most, which
/// Newton's method finds. Every other box is halved by de Casteljau's algorithm [Sherbrooke1993]. Roots of higher
/// multiplicity end in boxes of a width of 1e-9 and are returned as they are there. At most `most_boxes` are looked at.
BernsteinRoots find_bernstein_roots(const std::vector<int>& degrees,
                                    const std::function<void(const Vector& s, Vector& f)>& eval, int most_boxes);

}  // namespace stickslip
