// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_problem.h"
#include "stickslip/math/sparse.h"

namespace stickslip {

/// W = J M^-1 J^T of any form of the Delassus operator, stored in blocks: those of cones with a common body (or
/// component of M), and no others. [1/kg] Asks `stop` for each cone, and throws Interrupted where it is raised.
StoredDelassus condense(const ConeProblem& problem, const StopToken& stop = {});

/// W (n, n) as a sparse matrix; entries that are zero are left out. [1/kg] Asks as condense() does.
SparseMatrix make_delassus_matrix(const ConeProblem& problem, const StopToken& stop = {});

/// W (n, n) in full. [1/kg]
Matrix make_dense_delassus(const ConeProblem& problem);

}  // namespace stickslip
