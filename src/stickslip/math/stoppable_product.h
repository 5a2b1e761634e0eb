// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/stop_token.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The dense products A B and A^T B, columns by columns: asks `stop` every ten milliseconds or so, and throws
/// Interrupted where it is raised. Each entry sums its terms in the same order as in one go.
Matrix multiply_stoppably(const Matrix& a, const Matrix& b, const StopToken& stop);
Matrix multiply_transposed_stoppably(const Matrix& a, const Matrix& b, const StopToken& stop);

}  // namespace stickslip
