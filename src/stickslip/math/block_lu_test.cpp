// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "stickslip/math/types.h"

namespace stickslip {
namespace {

/// A random symmetric pattern of blocks of one to four rows.
struct Pattern {
  std::vector<int> dims;
  std::vector<int> row_begin = {0};
  std::vector<int> columns;
};

Pattern draw_pattern(int n, int n_links, std::mt19937& random) {
  Pattern pattern;
  std::vector<std::set<int>> rows(n);
  for (int i = 0; i < n; ++i) {
    pattern.dims.push_back(1 + static_cast<int>(random() % 4));
    rows[i].insert(i);
  }
  for (int k = 0; k < n_links; ++k) {
    const int i = static_cast<int>(random() % n);
    const int j = static_cast<int>(random() % n);
    rows[i].insert(j);
    rows[j].insert(i);
  }
  for (const auto& row : rows) {
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.row_begin.push_back(static_cast<int>(pattern.columns.size()));
  }
  return pattern;
}

TEST(BlockLu, SolvesWhatDenseLuSolves) {
  constexpr double kAccuracy = 1e-9;  // static pivoting on well conditioned random matrices, measured 1e-12
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  BlockLu lu;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + static_cast<int>(random() % 60);
    const Pattern pattern = draw_pattern(n, (trial % 4) * n, random);
    lu.analyze(pattern.dims, pattern.row_begin, pattern.columns);
    std::vector<int> first(n + 1, 0);
    std::partial_sum(pattern.dims.begin(), pattern.dims.end(), first.begin() + 1);
    const int rows = first.back();
    for (int fill = 0; fill < 2; ++fill) {  // the same analysis for other values
      Matrix dense = Matrix::Zero(rows, rows);
      lu.clear_values();
      for (int i = 0; i < n; ++i) {
        for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
          const int j = pattern.columns[k];
          RowMatrix block(pattern.dims[i], pattern.dims[j]);
          for (double& value : block.reshaped()) value = normal(random);
          if (i == j) block += 8.0 * RowMatrix::Identity(block.rows(), block.cols());
          dense.block(first[i], first[j], block.rows(), block.cols()) = block;
          lu.add(k, block.data());
        }
      }
      ASSERT_EQ(lu.factorize(), 0);
      Vector x = Vector::NullaryExpr(rows, [&] { return normal(random); });
      const Vector right = dense * x;
      Vector solution = right;
      lu.solve({solution.data(), static_cast<std::size_t>(rows)});
      const double condition = dense.norm() * dense.inverse().norm();
      EXPECT_LT((solution - x).norm(), kAccuracy * condition * x.norm());
    }
  }
}

TEST(BlockLu, FillsAChainAndAStarNowhere) {
  // A chain and a star numbered from the middle: eliminated from the ends, they have no fill.
  constexpr int kNodes = 50;
  for (const bool star : {false, true}) {
    std::vector<std::set<int>> rows(kNodes);
    for (int i = 0; i < kNodes; ++i) {
      rows[i].insert(i);
      if (i == 0) continue;
      const int other = star ? 0 : i - 1;
      rows[i].insert(other);
      rows[other].insert(i);
    }
    Pattern pattern;
    pattern.dims.assign(kNodes, 3);
    for (const auto& row : rows) {
      pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
      pattern.row_begin.push_back(static_cast<int>(pattern.columns.size()));
    }
    BlockLu lu;
    lu.analyze(pattern.dims, pattern.row_begin, pattern.columns);
    // No more than the zeros that merging columns costs.
    EXPECT_LE(lu.n_factor_entries(), 9U * 3 * pattern.columns.size());
  }
}

TEST(BlockLu, ReplacesPivotsThatVanishAndReportsThem) {
  const std::vector<int> dims = {2};
  const std::vector<int> row_begin = {0, 1};
  const std::vector<int> columns = {0};
  BlockLu lu;
  lu.analyze(dims, row_begin, columns);
  lu.clear_values();
  const double singular[4] = {1.0, 2.0, 2.0, 4.0};
  lu.add(0, singular);
  EXPECT_EQ(lu.factorize(), 1);
  lu.clear_values();
  const double bad[4] = {1.0, std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0};
  lu.add(0, bad);
  EXPECT_EQ(lu.factorize(), -1);
}

TEST(MinimumDegree, OrdersAGridWithLittleFill) {
  // A 20 x 20 grid. In the natural order L and U hold the whole band, 2 * 20 * 400 entries; minimum degree, zeros that
  // merged columns hold included, must do with much less.
  constexpr int kSide = 20;
  const auto index = [](int x, int y) { return y * kSide + x; };
  Pattern pattern;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      pattern.dims.push_back(1);
      if (y > 0) pattern.columns.push_back(index(x, y - 1));
      if (x > 0) pattern.columns.push_back(index(x - 1, y));
      pattern.columns.push_back(index(x, y));
      if (x + 1 < kSide) pattern.columns.push_back(index(x + 1, y));
      if (y + 1 < kSide) pattern.columns.push_back(index(x, y + 1));
      pattern.row_begin.push_back(static_cast<int>(pattern.columns.size()));
    }
  }
  BlockLu lu;
  lu.analyze(pattern.dims, pattern.row_begin, pattern.columns);
  EXPECT_LT(lu.n_factor_entries(), 6U * (2 * 20 * 400) / 10);
}

}  // namespace
}  // namespace stickslip
