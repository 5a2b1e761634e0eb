// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/stoppable_product.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(StoppableProduct, HasTheBitsOfAPlainOne) {
  for (const Eigen::Index rows : {3, 517}) {
    const Matrix a = Matrix::Random(rows, 601);
    const Matrix b = Matrix::Random(601, 1003);
    const Matrix product = multiply_stoppably(a, b, {});
    EXPECT_EQ(product, Matrix(a * b));
    EXPECT_EQ(multiply_transposed_stoppably(b, b, {}), Matrix(b.transpose() * b));
  }
}

TEST(StoppableProduct, EndsInTheMiddle) {
  const Matrix a = Matrix::Ones(500, 600);
  const Matrix b = Matrix::Ones(600, 1000);
  StopCounter counter;
  counter.stop_at = 3;
  EXPECT_THROW(multiply_stoppably(a, b, StopToken(&counter)), Interrupted);
  EXPECT_EQ(counter.asks, 3);
}

}  // namespace
}  // namespace stickslip
