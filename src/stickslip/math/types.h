// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace stickslip {

using Vector = Eigen::VectorXd;                             // (n)
using Matrix = Eigen::MatrixXd;                             // (m, n) column-major
using Vector3 = Eigen::Vector3d;                            // (3)
using Vector4 = Eigen::Vector4d;                            // (4)
using Matrix3 = Eigen::Matrix3d;                            // (3, 3)
using VectorView = Eigen::Map<Eigen::VectorXd>;             // (n) in somebody else's memory
using ConstVectorView = Eigen::Map<const Eigen::VectorXd>;  // (n) in somebody else's memory
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // (m, n)
using RowMatrixView = Eigen::Map<RowMatrix>;             // (m, n) in somebody else's memory
using ConstRowMatrixView = Eigen::Map<const RowMatrix>;  // (m, n) in somebody else's memory

/// Friction directions of one contact: 0 frictionless, 1 planar, 2 spatial, 3 Coulomb-Contensou.
inline constexpr int kMaxFrictionDim = 3;
/// Rows of one contact: the normal and its friction directions.
inline constexpr int kMaxContactDim = 1 + kMaxFrictionDim;

}  // namespace stickslip
