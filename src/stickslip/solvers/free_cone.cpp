// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_cone.h"

#include <algorithm>

#include "stickslip/math/small_matrix.h"
#include "stickslip/math/symmetric_eigen.h"

namespace stickslip {
namespace {

/// Eigenvalues below this share of the largest count as zero: redundant equations.
constexpr double kRedundant = 1e-13;
/// The second correction removes round-off and slight asymmetry.
constexpr int kCorrections = 2;

}  // namespace

void FreeCone::prepare(int dim, const double* w) {
  dim_ = dim;
  std::copy_n(w, dim * dim, w_.data());
  std::array<double, kMaxConeDim* kMaxConeDim> symmetric = {};
  std::array<double, kMaxConeDim* kMaxConeDim> vectors = {};
  std::array<double, kMaxConeDim> values = {};
  calc_symmetric_part(dim, w, symmetric.data());
  calc_symmetric_eigen(dim, symmetric.data(), values.data(), vectors.data());
  const double largest = *std::max_element(values.begin(), values.begin() + dim);
  inverse_.fill(0.0);
  for (int k = 0; k < dim; ++k) {
    if (!(values[k] > kRedundant * largest)) continue;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) inverse_[i * dim + j] += vectors[i * dim + k] * vectors[j * dim + k] / values[k];
    }
  }
}

void FreeCone::solve(const double* b, double* p) const {
  for (int k = 0; k < kCorrections; ++k) {
    std::array<double, kMaxConeDim> u = {};
    std::copy_n(b, dim_, u.begin());
    add_product(dim_, dim_, w_.data(), p, u.data());
    correct(u.data(), p);
  }
}

void FreeCone::correct(const double* u, double* p) const {
  for (int i = 0; i < dim_; ++i) {
    for (int j = 0; j < dim_; ++j) p[i] -= inverse_[i * dim_ + j] * u[j];
  }
}

}  // namespace stickslip
