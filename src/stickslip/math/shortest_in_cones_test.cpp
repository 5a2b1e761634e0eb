// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/shortest_in_cones.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/math/cones.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/types.h"

namespace stickslip {
namespace {

using Part = ShortestInCones::Part;
using Kind = Part::Kind;

/// A operator in blocks, and dense.
struct BlockOperator {
  std::vector<int> dims;
  std::vector<Part> parts;
  Matrix dense;  // (rows, columns)

  int n_columns() const { return static_cast<int>(dense.cols()); }
  void give(ShortestInCones& shortest, const Vector& y) const {
    shortest.set_structure(dims, parts);
    int column = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (int s = 0; s < 2; ++s) {
        const int node = parts[k].nodes[s];
        if (node < 0) continue;
        int row = 0;
        for (int i = 0; i < node; ++i) row += dims[i];
        for (int c = 0; c < parts[k].dim; ++c) {
          for (int i = 0; i < dims[node]; ++i) shortest.block(k, s)[c * dims[node] + i] = dense(row + i, column + c);
        }
      }
      for (int c = 0; c < parts[k].dim; ++c) shortest.value(k)[c] = y(column + c);
      column += parts[k].dim;
    }
  }
  Vector take(ShortestInCones& shortest) const {
    Vector y(n_columns());
    int column = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (int c = 0; c < parts[k].dim; ++c) y(column++) = shortest.value(k)[c];
    }
    return y;
  }
};

/// A chain of nodes, each two neighbours joined by `n_joints` parts of two columns, drawn at random; the first one to
/// what has no rows. Rows and columns of sizes from 1e-3 to 1e3.
BlockOperator draw_row_of_nodes(int n_nodes, int n_joints, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-3.0, 3.0);
  BlockOperator a;
  a.dims.assign(n_nodes, 3);
  for (int i = 0; i < n_nodes; ++i) {
    for (int k = 0; k < n_joints; ++k) a.parts.push_back({Kind::whole, 2, {i - 1, i}, 0.0});
  }
  a.dense = Matrix::Zero(3 * n_nodes, 2 * static_cast<Eigen::Index>(a.parts.size()));
  for (std::size_t k = 0; k < a.parts.size(); ++k) {
    for (const int node : a.parts[k].nodes) {
      if (node < 0) continue;
      for (int c = 0; c < 2; ++c) {
        for (int i = 0; i < 3; ++i) a.dense(3 * node + i, 2 * static_cast<Eigen::Index>(k) + c) = normal(random);
      }
    }
  }
  for (Eigen::Index i = 0; i < a.dense.rows(); ++i) a.dense.row(i) *= std::pow(10.0, power(random));
  return a;
}

Vector draw_start(int n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Vector y(n);
  for (double& value : y) value = normal(random);
  return y;
}

TEST(ShortestInCones, IsTheOneOfLeastNormAmongAll) {
  constexpr double kAccuracy = 1e-11;  // [-]
  std::mt19937 random(1);
  ShortestInCones shortest;
  for (const int n_nodes : {1, 2, 7, 100}) {
    for (const int n_joints : {1, 2, 3}) {
      const BlockOperator a = draw_row_of_nodes(n_nodes, n_joints, random);
      const Vector y = draw_start(a.n_columns(), random);
      a.give(shortest, y);
      ASSERT_TRUE(shortest.solve());
      Matrix scaled = a.dense;
      for (Eigen::Index i = 0; i < scaled.rows(); ++i) scaled.row(i) /= scaled.row(i).norm();
      const Vector best = solve_least_norm(scaled, scaled * y, 1e-10);
      EXPECT_LE((a.take(shortest) - best).norm(), kAccuracy * y.norm()) << n_nodes << " nodes, " << n_joints;
      // One joint of two columns between nodes of three rows leaves nothing free: not one bit is changed.
      EXPECT_EQ(shortest.has_changed(), n_joints > 1);
    }
  }
}

/// A direction that A hardly sees: little of it is left where A y_0 then misses no more than 1e-5 of y_0, else all.
TEST(ShortestInCones, DecidesWhatIsRank) {
  for (const double share : {1e-2, 1e-3, 1e-4, 7e-5, 1e-5, 1e-6, 1e-8, 1e-13}) {
    BlockOperator a;
    a.dims = {2};
    a.parts = {{Kind::whole, 1, {0, -1}, 0.0}, {Kind::whole, 1, {0, -1}, 0.0}};
    a.dense = Matrix{{1.0, 1.0}, {1.0, 1.0 + 2.0 * share}};
    ShortestInCones shortest;
    const Vector y{{3.0, 1.0}};
    a.give(shortest, y);
    ASSERT_TRUE(shortest.solve());
    const Vector found = a.take(shortest);
    EXPECT_LE((a.dense * (found - y)).norm(), 1e-5 * a.dense.row(0).norm() * y.norm()) << share;
    if (share >= 7e-5) {
      EXPECT_NEAR(found(0) - found(1), 2.0, 1e-7) << share;
    }
    if (share <= 1e-6) {
      EXPECT_NEAR(found(0) - found(1), 0.0, 2e-3) << share;
    }
  }
}

/// A weight on two bars that sag little, in frames that turn: what they bear is what holds it, and nothing is free.
TEST(ShortestInCones, HoldsWhatIsDeterminedInAnyFrame) {
  constexpr double kLoad = 9.81;  // [N]
  for (const double sag : {3e-3, 3e-4, 1e-4, 3e-5}) {
    for (const double turn : {0.0, 0.3, 0.7, 1.2}) {
      BlockOperator a;
      a.dims = {2};
      a.parts = {{Kind::whole, 1, {0, -1}, 0.0}, {Kind::whole, 1, {0, -1}, 0.0}};
      a.dense = Matrix{{std::cos(turn + sag), -std::cos(turn - sag)}, {std::sin(turn + sag), -std::sin(turn - sag)}};
      ShortestInCones shortest;
      const Vector y = Vector::Constant(2, kLoad / (2.0 * std::sin(sag)));
      a.give(shortest, y);
      ASSERT_TRUE(shortest.solve());
      const Vector found = a.take(shortest);
      EXPECT_LE((found - y).norm(), 1e-6 * y.norm()) << sag << " rad, turned by " << turn;
      EXPECT_LE((a.dense * (found - y)).norm(), 2e-9 * y.norm()) << sag << " rad, turned by " << turn;
    }
  }
}

/// A beam on supports that only push, at x_i: sum N = F, sum x N = c F. The shortest N_i = a + b x_i where that pushes;
/// where it would pull the support is open, and the others share alike.
TEST(ShortestInCones, OpensSupportsThatWouldPull) {
  const std::vector<double> places = {-3.0, -1.0, 1.0, 3.0};
  const auto share = [&](double center, const std::vector<double>& start) {
    BlockOperator a;
    a.dims = {2};
    a.dense = Matrix::Zero(2, 4);
    Vector y(4);
    for (int i = 0; i < 4; ++i) {
      a.parts.push_back({Kind::cone, 1, {0, -1}, 0.0});
      a.dense.col(i) = Eigen::Vector2d(1.0, places[i]);
      y(i) = start[i];
    }
    ShortestInCones shortest;
    a.give(shortest, y);
    EXPECT_TRUE(shortest.solve()) << center;
    return a.take(shortest);
  };
  // Force 8 at 1: N = 2 + x b, b sum x^2 = 8, sum x^2 = 20.
  const Vector all = share(1.0, {0.0, 4.0, 0.0, 4.0});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(all(i), 2.0 + 0.4 * places[i], 1e-12);
  // At 2 the first would pull, 2 - 3 * 0.8. Of the others, about their mean place 1: N = 8/3 + b (x - 1), 8 b = 8.
  const Vector three = share(2.0, {0.0, 0.0, 4.0, 4.0});
  const std::vector<double> expected = {0.0, 8.0 / 3.0 - 2.0, 8.0 / 3.0, 8.0 / 3.0 + 2.0};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(three(i), expected[i], 1e-9);
}

/// Whatever the cones, y is the projection of A^T x for some x: that is what makes it the shortest. Checked by the
/// directions in which it could still become shorter: of all feasible points drawn none is.
TEST(ShortestInCones, IsShorterThanAllOthersInTheCones) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int n_found = 0;
  for (int trial = 0; trial < 40; ++trial) {
    BlockOperator a = draw_row_of_nodes(4, 3, random);
    a.dense /= a.dense.norm();
    Vector y = draw_start(a.n_columns(), random);
    int column = 0;
    for (std::size_t k = 0; k < a.parts.size(); ++k) {
      Part& part = a.parts[k];
      if (k % 3 == 1) {
        part.kind = Kind::cone;
        part.size = 0.5;
        y(column) = 1.0 + std::abs(y(column));
        y(column + 1) *= 0.2;
      } else if (k % 3 == 2 && trial % 2 == 0) {
        part.kind = Kind::ball;
        part.size = 1.2 * y.segment<2>(column).norm();
      }
      column += 2;
    }
    ShortestInCones shortest;
    a.give(shortest, y);
    if (!shortest.solve()) continue;
    ++n_found;
    const Vector best = a.take(shortest);
    EXPECT_LE(best.norm(), y.norm() * (1.0 + 1e-12));
    Matrix scaled = a.dense;
    for (Eigen::Index i = 0; i < scaled.rows(); ++i) scaled.row(i) /= scaled.row(i).norm();
    EXPECT_LE((scaled * (best - y)).norm(), 1e-8 * y.norm());
    column = 0;
    for (const Part& part : a.parts) {
      if (part.kind == Kind::cone) {
        EXPECT_LE(std::abs(best(column + 1)), 0.5 * best(column) + 1e-12);
      }
      if (part.kind == Kind::ball) {
        EXPECT_LE(best.segment<2>(column).norm(), part.size * (1.0 + 1e-12));
      }
      column += 2;
    }
    // First-order optimality: best . (other - best) >= 0 for all feasible others, of which y is one; others lie between
    // y, best and what is reached along the null space.
    for (int k = 0; k < 200; ++k) {
      Vector way = 0.1 * draw_start(a.n_columns(), random);
      way -= solve_least_norm(scaled, scaled * way, 1e-10);
      Vector other = best + way + 0.1 * std::abs(normal(random)) * (y - best);
      bool is_inside = true;
      column = 0;
      for (const Part& part : a.parts) {
        if (part.kind == Kind::cone) is_inside &= std::abs(other(column + 1)) <= 0.5 * other(column);
        if (part.kind == Kind::ball) is_inside &= other.segment<2>(column).norm() <= part.size;
        column += 2;
      }
      if (is_inside) {
        EXPECT_GE(best.dot(other - best), -1e-7 * y.squaredNorm());
      }
    }
  }
  EXPECT_GE(n_found, 38);
}

/// Where no point of the cones is mapped to what A y_0 is, as y_0 is none of them, nothing is found and nothing
/// changed.
TEST(ShortestInCones, SaysWhereItFoundNothing) {
  BlockOperator a;
  a.dims = {1};
  a.parts = {{Kind::cone, 1, {0, -1}, 0.0}, {Kind::ball, 1, {0, -1}, 0.5}};
  a.dense = Matrix{{1.0, 1.0}};
  ShortestInCones shortest;
  const Vector y{{-2.0, 0.25}};  // at least -0.5 can be reached
  a.give(shortest, y);
  EXPECT_FALSE(shortest.solve());
  EXPECT_FALSE(shortest.has_changed());
  EXPECT_EQ(a.take(shortest), y);
}

/// Held, cones stay to the bit and the others are the shortest beside them.
TEST(ShortestInCones, LeavesHeldConesAlone) {
  std::mt19937 random(5);
  BlockOperator a = draw_row_of_nodes(3, 3, random);
  Vector y = draw_start(a.n_columns(), random);
  for (std::size_t k = 2; k < a.parts.size(); k += 3) {
    a.parts[k].kind = Kind::cone;
    a.parts[k].size = 0.3;
  }
  ShortestInCones shortest;
  a.give(shortest, y);
  ASSERT_TRUE(shortest.solve(true));
  const Vector found = a.take(shortest);
  std::vector<int> free;
  for (int k = 0; k < static_cast<int>(a.parts.size()); ++k) {
    if (a.parts[k].kind == Kind::whole) {
      free.insert(free.end(), {2 * k, 2 * k + 1});
    } else {
      for (int i = 0; i < 2; ++i) EXPECT_EQ(found(2 * k + i), y(2 * k + i));
    }
  }
  Matrix scaled = a.dense;
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) scaled.row(i) /= scaled.row(i).norm();
  const Matrix part = scaled(Eigen::all, free);
  const Vector of_part = y(free);
  const Vector best = solve_least_norm(part, part * of_part, 1e-10);
  EXPECT_LE((Vector(found(free)) - best).norm(), 1e-11 * y.norm());
}

}  // namespace
}  // namespace stickslip
