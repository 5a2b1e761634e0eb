// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/sparse.h"

namespace stickslip {

/// W = J M^-1 J^T of any form of the Delassus operator, stored in blocks: those of cones with a common body (or
/// component of M), and no others. [1/kg]
StoredDelassus condense(const ConeProblem& problem);

/// W (n, n) as a sparse matrix; entries that are zero are left out. [1/kg]
SparseMatrix make_delassus_matrix(const ConeProblem& problem);

}  // namespace stickslip
