// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "stickslip/math/types.h"

namespace stickslip {

/// An orthonormal basis (rows, rank) of the space that the columns of a (rows, columns) span: Householder reflections
/// with column pivoting [Golub2013, section 5.4.2] that end at the rank, where no column has more left beside the basis
/// than `threshold` times the longest column. Nothing once is_late says so, which is asked before each reflection.
std::optional<Matrix> find_orthonormal_basis(Matrix a, double threshold, const std::function<bool()>& is_late = {});

}  // namespace stickslip
