// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/cones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace stickslip {
namespace {

using Rows = std::vector<double>;

/// Round-off of a handful of operations, relative to |x|.
constexpr double kRoundOff = 1e-13;
constexpr int kSamples = 2000;

double dot(const Rows& x, const Rows& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double distance(const Rows& x, const Rows& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

/// Cones of all shapes: half line, one ball of each dimension, polygons, several blocks, mu = 0 and large.
std::vector<std::vector<FrictionBlock>> make_shapes() {
  return {{},
          {{1, 0.3, 0, 0.0}},
          {{2, 0.5, 0, 0.0}},
          {{3, 1.7, 0, 0.0}},
          {{2, 0.0, 0, 0.0}},
          {{2, 1e3, 0, 0.0}},
          {{2, 0.6, 3, 0.2}},
          {{2, 0.8, 4, 0.0}},
          {{2, 0.4, 7, 1.0}},
          {{2, 0.0, 5, 0.0}},
          {{2, 0.5, 0, 0.0}, {2, 0.01, 0, 0.0}, {1, 0.02, 0, 0.0}},
          {{2, 0.5, 8, 0.1}, {1, 0.3, 0, 0.0}, {2, 0.7, 3, 0.5}}};
}

int calc_dim(const std::vector<FrictionBlock>& blocks) {
  int dim = 1;
  for (const FrictionBlock& block : blocks) dim += block.dim;
  return dim;
}

Rows draw(int dim, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Rows x(dim);
  for (double& value : x) value = normal(random);
  return x;
}

Rows project(const std::vector<FrictionBlock>& blocks, const Rows& x) {
  Rows y(x.size());
  project_on_contact_cone(blocks, x.data(), y.data());
  return y;
}

/// P_K*(x) = x + P_K(-x), K* = {u : u_N >= sum over b of h_b(-u_b)} [Moreau1965].
Rows project_dual(const std::vector<FrictionBlock>& blocks, const Rows& x) {
  Rows y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = -x[i];
  y = project(blocks, y);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  return y;
}

/// How far p_b sticks out of p_N D_b, from the definition of the set and not from the code under test.
double calc_excess(const FrictionBlock& block, double s, const double* p) {
  if (block.facets == 0) {
    double squared = 0.0;
    for (int i = 0; i < block.dim; ++i) squared += p[i] * p[i];
    return std::sqrt(squared) - block.mu * s;
  }
  double worst = -std::numeric_limits<double>::infinity();
  const double half = std::numbers::pi / block.facets;
  for (int j = 0; j < block.facets; ++j) {
    const double angle = block.orientation + (2 * j + 1) * half;
    worst = std::max(worst, std::cos(angle) * p[0] + std::sin(angle) * p[1] - s * block.mu * std::cos(half));
  }
  return worst;
}

double calc_excess(const std::vector<FrictionBlock>& blocks, const Rows& p) {
  double worst = -p[0];
  int row = 1;
  for (const FrictionBlock& block : blocks) {
    worst = std::max(worst, calc_excess(block, p[0], p.data() + row));
    row += block.dim;
  }
  return worst;
}

TEST(Cones, ReferenceProjections) {
  std::ifstream file(STICKSLIP_TEST_DATA_DIR "/contact/projections.txt");
  std::string header;
  std::getline(file, header);
  int n = 0;
  file >> n;
  ASSERT_GT(n, 50);
  for (int k = 0; k < n; ++k) {
    double mu = 0.0;
    Rows x(3), primal(3), dual(3);
    file >> mu;
    for (Rows* rows : {&x, &primal, &dual}) {
      for (double& value : *rows) file >> value;
    }
    ASSERT_TRUE(file);
    const double bound = kRoundOff * std::max(1.0, std::sqrt(dot(x, x)));
    EXPECT_LE(distance(project({{2, mu, 0, 0.0}}, x), primal), bound) << k;
    EXPECT_LE(distance(project_dual({{2, mu, 0, 0.0}}, x), dual), bound) << k;
  }
}

TEST(Cones, ProjectionProperties) {
  std::mt19937 random(1);
  for (const auto& blocks : make_shapes()) {
    for (int k = 0; k < kSamples; ++k) {
      const Rows x = draw(calc_dim(blocks), random);
      const Rows z = draw(calc_dim(blocks), random);
      const Rows p = project(blocks, x);
      const double size = std::sqrt(dot(x, x)) + std::sqrt(dot(p, p));
      const double mu = blocks.empty() ? 1.0 : std::max(1.0, blocks[0].mu);
      EXPECT_LE(calc_excess(blocks, p), kRoundOff * size * mu);           // inside
      EXPECT_LE(distance(project(blocks, p), p), kRoundOff * size * mu);  // idempotent
      Rows rest(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) rest[i] = p[i] - x[i];
      EXPECT_NEAR(dot(rest, p), 0.0, kRoundOff * size * size);                                     // orthogonal
      EXPECT_LE(distance(p, project(blocks, z)), distance(x, z) * (1.0 + kRoundOff) + kRoundOff);  // nonexpansive
      Rows opposite(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) opposite[i] = -x[i];
      const Rows dual = project_dual(blocks, opposite);  // x = P_K(x) - P_K*(-x)
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(p[i] - dual[i], x[i], kRoundOff * size);
      EXPECT_GE(dot(dual, project(blocks, z)), -kRoundOff * size * size);  // K* makes no obtuse angle with K
      double support = 0.0;                                                // K* by support functions
      int row = 1;
      for (const FrictionBlock& block : blocks) {
        Rows v(block.dim);
        for (int i = 0; i < block.dim; ++i) v[i] = -dual[row + i];
        support += calc_support(block, v.data());
        row += block.dim;
      }
      EXPECT_GE(dual[0], support - kRoundOff * size * mu);
    }
  }
}

TEST(Cones, SupportOfPolygonIsItsFarthestCorner) {
  std::mt19937 random(2);
  for (const int facets : {3, 4, 5, 8, 17}) {
    const FrictionBlock block{2, 0.7, facets, 0.3};
    for (int k = 0; k < kSamples; ++k) {
      const Rows v = draw(2, random);
      double farthest = -std::numeric_limits<double>::infinity();
      for (int j = 0; j < facets; ++j) {
        const double angle = block.orientation + 2.0 * std::numbers::pi * j / facets;
        farthest = std::max(farthest, block.mu * (std::cos(angle) * v[0] + std::sin(angle) * v[1]));
      }
      EXPECT_NEAR(calc_support(block, v.data()), farthest, kRoundOff * 10.0);
    }
  }
}

/// Derivatives against central differences, away from the kinks (probability of a hit within h is about 1e-6).
TEST(Cones, Derivatives) {
  constexpr double kStep = 1e-6;
  constexpr double kTolerance = 1e-8;  // h^2 times third derivatives, and round-off / h
  std::mt19937 random(3);
  for (const auto& blocks : make_shapes()) {
    for (int k = 0; k < 200; ++k) {
      Rows x = draw(calc_dim(blocks), random);
      Rows gradient(x.size());
      calc_projected_normal(blocks, x.data(), gradient.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        Rows up = x, down = x;
        up[i] += kStep;
        down[i] -= kStep;
        const double difference = calc_projected_normal(blocks, up.data()) - calc_projected_normal(blocks, down.data());
        EXPECT_NEAR(gradient[i], difference / (2.0 * kStep), kTolerance);
      }
    }
    for (const FrictionBlock& block : blocks) {
      for (int k = 0; k < 200; ++k) {
        const Rows x = draw(block.dim, random);
        const double s = 1.0 + std::abs(draw(1, random)[0]);
        Rows y(block.dim), up(block.dim), down(block.dim), by_s(block.dim), by_x(block.dim * block.dim);
        project_on_friction_set(block, s, x.data(), y.data(), by_x.data(), by_s.data());
        project_on_friction_set(block, s + kStep, x.data(), up.data());
        project_on_friction_set(block, s - kStep, x.data(), down.data());
        for (int i = 0; i < block.dim; ++i) EXPECT_NEAR(by_s[i], (up[i] - down[i]) / (2.0 * kStep), kTolerance);
        for (int j = 0; j < block.dim; ++j) {
          Rows moved = x;
          moved[j] = x[j] + kStep;
          project_on_friction_set(block, s, moved.data(), up.data());
          moved[j] = x[j] - kStep;
          project_on_friction_set(block, s, moved.data(), down.data());
          for (int i = 0; i < block.dim; ++i) {
            EXPECT_NEAR(by_x[i * block.dim + j], (up[i] - down[i]) / (2.0 * kStep), kTolerance);
          }
        }
      }
    }
  }
}

TEST(Cones, ApexAndAxis) {
  const std::vector<FrictionBlock> blocks = {{2, 0.5, 0, 0.0}};
  EXPECT_EQ(project(blocks, {0.0, 0.0, 0.0}), (Rows{0.0, 0.0, 0.0}));
  EXPECT_EQ(project(blocks, {2.0, 0.0, 0.0}), (Rows{2.0, 0.0, 0.0}));
  EXPECT_EQ(project(blocks, {-2.0, 0.5, 0.0}), (Rows{0.0, 0.0, 0.0}));
}

/// Straight below the apex, where a polygon of radius 0 has no inside.
TEST(Cones, ProjectWhatPullsOnTheApex) {
  for (const FrictionBlock& block : {FrictionBlock{2, 0.0, 5, 0.0}, {2, 0.4, 8, 0.0}, {2, 0.0, 0, 0.0}}) {
    const Rows x = {-1.0, 0.0, 0.0};
    Rows y(3, 1.0);
    project_on_contact_cone({&block, 1}, x.data(), y.data());
    EXPECT_EQ(y, Rows(3, 0.0)) << block.mu << ' ' << block.facets;
  }
}

}  // namespace
}  // namespace stickslip
