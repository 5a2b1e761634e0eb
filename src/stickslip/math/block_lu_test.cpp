// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/base/stop_token.h"
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

/// Solves with random blocks, `shift` added to their diagonals, and compares with the solution that the right-hand side
/// was made of.
void expect_solution(BlockLu& lu, const Pattern& pattern, double shift, std::mt19937& random) {
  constexpr double kAccuracy = 1e-9;  // static pivoting on well conditioned random matrices, measured 1e-12
  std::normal_distribution<double> normal;
  const int n = static_cast<int>(pattern.dims.size());
  std::vector<int> first(n + 1, 0);
  std::partial_sum(pattern.dims.begin(), pattern.dims.end(), first.begin() + 1);
  const int rows = first.back();
  Matrix dense = Matrix::Zero(rows, rows);
  lu.clear_values();
  for (int i = 0; i < n; ++i) {
    for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
      const int j = pattern.columns[k];
      RowMatrix block(pattern.dims[i], pattern.dims[j]);
      for (double& value : block.reshaped()) value = normal(random);
      if (i == j) block += shift * RowMatrix::Identity(block.rows(), block.cols());
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

TEST(BlockLu, SolvesWhatDenseLuSolves) {
  std::mt19937 random(7);
  BlockLu lu;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + static_cast<int>(random() % 60);
    const Pattern pattern = draw_pattern(n, (trial % 4) * n, random);
    lu.analyze(pattern.dims, pattern.row_begin, pattern.columns);
    for (int fill = 0; fill < 2; ++fill) expect_solution(lu, pattern, 8.0, random);  // the same analysis twice
  }
}

/// Blocks that are kept get what dense elimination of the others makes of them, and the others are solved for alone.
TEST(BlockLu, KeepsTheLastBlocks) {
  constexpr double kAccuracy = 1e-12;
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  BlockLu lu;
  for (const int n_kept : {1, 4, 0, 7}) {
    const int n = 30;
    Pattern pattern = draw_pattern(n, 2 * n, random);
    std::vector<std::set<int>> rows(n);
    for (int i = 0; i < n; ++i) {
      for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) rows[i].insert(pattern.columns[k]);
      for (int j = n - n_kept; i >= n - n_kept && j < n; ++j) rows[i].insert(j);
    }
    pattern.columns.clear();
    pattern.row_begin.assign(1, 0);
    std::vector<int> first = {0};
    for (int i = 0; i < n; ++i) {
      pattern.columns.insert(pattern.columns.end(), rows[i].begin(), rows[i].end());
      pattern.row_begin.push_back(static_cast<int>(pattern.columns.size()));
      first.push_back(first.back() + pattern.dims[i]);
    }
    Matrix dense = Matrix::Zero(first[n], first[n]);
    EXPECT_FALSE(lu.analyze(pattern.dims, pattern.row_begin, pattern.columns, n_kept));
    lu.clear_values();
    for (int i = 0; i < n; ++i) {
      for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
        const int j = pattern.columns[k];
        RowMatrix block(pattern.dims[i], pattern.dims[j]);
        for (double& value : block.reshaped()) value = normal(random);
        if (i == j) block += 20.0 * RowMatrix::Identity(block.rows(), block.cols());
        dense.block(first[i], first[j], block.rows(), block.cols()) = block;
        lu.add(k, block.data());
      }
    }
    ASSERT_EQ(lu.factorize(), 0);
    const int n_e = first[n - n_kept];
    const int n_k = first[n] - n_e;
    const Matrix inverse = dense.topLeftCorner(n_e, n_e).inverse();
    if (n_kept > 0) {
      const Matrix rest = dense.bottomRightCorner(n_k, n_k) -
                          dense.bottomLeftCorner(n_k, n_e) * inverse * dense.topRightCorner(n_e, n_k);
      EXPECT_LT((Eigen::Map<const Matrix>(lu.kept(), n_k, n_k) - rest).norm(), kAccuracy * rest.norm()) << n_kept;
    }
    const Vector x = Vector::NullaryExpr(n_e, [&] { return normal(random); });
    Vector solution = dense.topLeftCorner(n_e, n_e) * x;
    lu.solve({solution.data(), static_cast<std::size_t>(n_e)});
    EXPECT_LT((solution - x).norm(), kAccuracy * x.norm()) << n_kept;
  }
}

/// A pattern may come again, with other dims, after a part of itself or after an analysis that was stopped.
TEST(BlockLu, TakesEachPatternAsItIs) {
  std::mt19937 random(5);
  std::atomic<bool> flag = false;
  BlockLu lu{StopToken(&flag)};
  const Pattern chain = {{3, 1, 2}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}};
  const Pattern wider = {{3, 2, 2}, chain.row_begin, chain.columns};
  const Pattern apart = {{3, 1, 2}, {0, 1, 2, 3}, {0, 1, 2}};
  for (const Pattern* pattern : {&chain, &chain, &wider, &chain, &apart, &chain}) {
    lu.analyze(pattern->dims, pattern->row_begin, pattern->columns);
    expect_solution(lu, *pattern, 8.0, random);
  }
  flag = true;
  EXPECT_THROW(lu.analyze(wider.dims, wider.row_begin, wider.columns), Interrupted);
  flag = false;
  for (const Pattern* pattern : {&wider, &chain}) {
    lu.analyze(pattern->dims, pattern->row_begin, pattern->columns);
    expect_solution(lu, *pattern, 8.0, random);
  }
}

/// Panels with pivots and rows below them around the sizes of what is taken at once: three leaves of a rows around a
/// hub of s, without anything that makes their diagonals large.
TEST(BlockLu, SolvesWithPanelsOfEverySize) {
  std::mt19937 random(11);
  BlockLu lu;
  for (const auto& [a, s] : {std::pair{3, 9}, {31, 7}, {32, 8}, {33, 65}, {64, 64}, {65, 67}, {129, 131}}) {
    SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(s));
    const Pattern pattern = {{a, a, a, s}, {0, 2, 4, 6, 10}, {0, 3, 1, 3, 2, 3, 0, 1, 2, 3}};
    lu.analyze(pattern.dims, pattern.row_begin, pattern.columns);
    expect_solution(lu, pattern, 0.0, random);
  }
}

/// However pivots, rows and columns are grouped and whatever the machine's vectors, each entry sums the same terms in
/// the same order: that of elimination by hand.
TEST(BlockLu, HasTheBitsOfPlainElimination) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const int n : {1, 4, 7, 8, 9, 31, 32, 33, 35, 36, 63, 64, 65, 72, 97, 130}) {
    RowMatrix A(n, n);
    for (double& value : A.reshaped()) value = normal(random);
    Vector x = Vector::NullaryExpr(n, [&] { return normal(random); });
    BlockLu lu;
    lu.analyze(std::vector{n}, std::vector{0, 1}, std::vector{0});
    lu.clear_values();
    lu.add(0, A.data());
    ASSERT_EQ(lu.factorize(), 0);
    Vector solution = x;
    lu.solve({solution.data(), static_cast<std::size_t>(n)});
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i) {
        if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
      }
      A.row(k).swap(A.row(pivot));
      std::swap(x(k), x(pivot));
      const double inverse = 1.0 / A(k, k);
      for (int i = k + 1; i < n; ++i) {
        A(i, k) *= inverse;
        for (int j = k + 1; j < n; ++j) A(i, j) -= A(i, k) * A(k, j);
        x(i) -= A(i, k) * x(k);
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      x(k) /= A(k, k);
      for (int i = 0; i < k; ++i) x(i) -= A(i, k) * x(k);
    }
    EXPECT_EQ(solution, x) << n;
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
