// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/SparseCore>

namespace stickslip {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;  // (m, n) by rows, columns increasing

}  // namespace stickslip
