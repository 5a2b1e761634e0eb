// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/one_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/solvers/associated_contact.h"

namespace stickslip {
namespace {

using Kind = OneContact::Kind;

/// Residuals of an exact solve are round-off, relative to the velocities W p and b.
constexpr double kOneContactExact = 1e-12;

struct Sample {
  int d = 2;
  double mu = 0.5;
  std::vector<double> w;  // (1 + d, 1 + d)
  std::vector<double> b;  // (1 + d)
};

ConeProblem make_problem(const Sample& sample, FrictionLaw law = FrictionLaw::coulomb) {
  ConeProblem problem;
  const FrictionBlock block{sample.d, sample.mu, 0, 0.0};
  problem.law = law;
  problem.add_contact({&block, sample.d > 0 ? 1U : 0U});
  problem.b = sample.b;
  StoredDelassus w;
  const int column = 0;
  const int n = 1 + sample.d;
  w.add_row({&column, 1}, {&n, 1}, n, sample.w);
  problem.delassus = w;
  return problem;
}

/// The residual relative to the largest velocity that cancels in u.
double calc_defect(const Sample& sample, const double* p, FrictionLaw law = FrictionLaw::coulomb) {
  const int n = 1 + sample.d;
  double size = 0.0;
  for (const double value : sample.b) size = std::max(size, std::abs(value));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) size = std::max(size, std::abs(sample.w[i * n + j] * p[j]));
  }
  if (size == 0.0) return 0.0;
  const auto problem = make_problem(sample, law);
  return calc_residual(problem, {p, static_cast<std::size_t>(n)}).absolute / size;
}

Sample draw(int d, double mu, double regularisation, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const int n = 1 + d;
  std::vector<double> a(n * n);
  for (double& value : a) value = normal(random);
  Sample sample{d, mu, std::vector<double>(n * n, 0.0), std::vector<double>(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) sample.w[i * n + j] += a[i * n + k] * a[j * n + k];
    }
    sample.w[i * n + i] += regularisation;
    sample.b[i] = normal(random);
  }
  return sample;
}

TEST(OneContact, RandomProblemsHaveAnOddNumberOfExactSolutions) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> mu(0.05, 2.0);
  int several = 0;
  for (int d = 1; d <= 3; ++d) {
    for (int k = 0; k < 5000; ++k) {
      const Sample sample = draw(d, mu(random), 0.02, random);
      OneContact contact;
      contact.prepare(d, sample.mu, sample.w.data());
      OneContact::Solutions solutions;
      const int n = contact.solve_all(sample.b.data(), solutions);
      ASSERT_EQ(n % 2, 1) << "d " << d << " sample " << k;
      several += n > 1;
      EXPECT_TRUE(n == 1 || !contact.is_unique());
      for (int s = 0; s < n; ++s)
        EXPECT_LE(calc_defect(sample, solutions[s].p.data()), kOneContactExact) << d << " " << k;
      std::vector<double> p(1 + d, 0.0);
      EXPECT_EQ(contact.solve(sample.b.data(), p.data()), n);
      EXPECT_LE(calc_defect(sample, p.data()), kOneContactExact);
    }
  }
  EXPECT_GT(several, 100);  // the samples do exercise the choice
}

TEST(OneContact, RowsOfVeryDifferentScale) {
  std::mt19937 random(2);
  for (const double scale : {1e-7, 1e-3, 1e4}) {
    for (int k = 0; k < 1000; ++k) {
      Sample sample = draw(3, 0.3, 0.02, random);
      for (int i = 0; i < 4; ++i) sample.w[4 * i + 3] *= std::sqrt(scale);
      for (int i = 0; i < 4; ++i) sample.w[12 + i] *= std::sqrt(scale);
      sample.b[3] *= std::sqrt(scale);
      OneContact contact;
      contact.prepare(3, sample.mu, sample.w.data());
      std::vector<double> p(4, 0.0);
      ASSERT_GE(contact.solve(sample.b.data(), p.data()), 1);
      EXPECT_LE(calc_defect(sample, p.data()), kOneContactExact) << scale << " " << k;
    }
  }
}

TEST(OneContact, NearlySingularMatrices) {
  std::mt19937 random(3);
  for (int k = 0; k < 2000; ++k) {  // rank 2 and 1e-14
    Sample sample = draw(2, 0.7, 0.0, random);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        sample.w[3 * i + j] = (i == j ? 1e-14 : 0.0) + (i == 2 || j == 2 ? 0.0 : (i == j ? 1.0 + i : 0.4));
      }
    }
    OneContact contact;
    contact.prepare(2, sample.mu, sample.w.data());
    std::vector<double> p(3, 0.0);
    ASSERT_GE(contact.solve(sample.b.data(), p.data()), 1);
    EXPECT_LE(calc_defect(sample, p.data()), kOneContactExact) << k;
  }
}

TEST(OneContact, DegenerateCases) {
  const std::vector<double> w = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5};  // sphere: W_NT = 0, equal eigenvalues
  const auto solve = [&](double mu, const std::vector<double>& b) {
    OneContact contact;
    contact.prepare(2, mu, w.data());
    std::vector<double> p(3, 0.0);
    EXPECT_EQ(contact.solve(b.data(), p.data()), 1);
    EXPECT_LE(calc_defect({2, mu, w, b}, p.data()), kOneContactExact);
    return p;
  };
  EXPECT_EQ(solve(0.2, {0.0, 0.0, 0.0}), (std::vector<double>{0.0, 0.0, 0.0}));     // b = 0
  EXPECT_EQ(solve(0.0, {-1.0, 2.0, 0.0}), (std::vector<double>{1.0, 0.0, 0.0}));    // no friction
  EXPECT_EQ(solve(0.2, {-1.0, 0.0, 0.0}), (std::vector<double>{1.0, 0.0, 0.0}));    // no slip direction
  EXPECT_EQ(solve(0.2, {0.0, 2.0, 0.0}), (std::vector<double>{0.0, 0.0, 0.0}));     // grazing
  EXPECT_EQ(solve(1e8, {-1.0, 3.5, 7.0}), (std::vector<double>{1.0, -1.0, -2.0}));  // all but stuck
  const auto slip = solve(0.2, {-0.0981, 2.0, 0.0});  // the sphere that slides, formulations' first case
  EXPECT_NEAR(slip[0], 0.0981, 1e-16);
  EXPECT_NEAR(slip[1], -0.01962, 1e-16);
  const auto edge = solve(0.2, {-1.0, 0.7, 0.0});  // exactly on the edge between stick and slip
  EXPECT_NEAR(edge[1], -0.2, 1e-15);
}

/// Velocities whose squares underflow, as of what an iteration takes to zero: nothing is divided by those.
TEST(OneContact, TinyVelocities) {
  for (const double coupling : {-0.5, 0.5}) {
    const std::vector<double> w = {1.0, coupling, 0.0, coupling, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (const double size : {1e-155, 1e-163, 1e-170, 1e-300}) {
      OneContact contact;
      contact.prepare(2, 0.3, w.data());
      const std::vector<double> b = {-size, -4.0 * size, 0.0};
      std::vector<double> p(3, 0.0);
      EXPECT_EQ(contact.solve(b.data(), p.data()), 1);
      EXPECT_GE(p[0], 0.0);
      EXPECT_LE(p[0], 5.0 * size);
      EXPECT_LE(std::hypot(p[1], p[2]), 10.0 * size);
    }
  }
}

TEST(OneContact, FrictionlessContactIsAHalfLine) {
  OneContact contact;
  const double w = 2.0;
  contact.prepare(0, 0.0, &w);
  double p = 0.0;
  const double approach = -3.0;
  EXPECT_EQ(contact.solve(&approach, &p), 1);
  EXPECT_EQ(p, 1.5);
  const double massless = 0.0;
  contact.prepare(0, 0.0, &massless);
  EXPECT_EQ(contact.solve(&approach, &p), 0);  // nothing to push against
}

/// The tilted rod of Painleve's problem, 60 degrees, mu = 5/3, with takeoff, stick and slip at once (b from the
/// acceleration level, tangential speed -1 beside it, step 1e-2).
TEST(OneContact, ChoiceFollowsTheStartingGuess) {
  const double c = 0.5, s = std::sqrt(0.75);
  Sample sample{1, 5.0 / 3.0, {1.0 + 3.0 * c * c, -3.0 * s * c, -3.0 * s * c, 1.0 + 3.0 * s * s}, {}};
  sample.b = {(16.0 * s - 10.0) * -0.01 * -1.0, -1.0};
  OneContact contact;
  contact.prepare(1, sample.mu, sample.w.data());
  OneContact::Solutions solutions;
  ASSERT_EQ(contact.solve_all(sample.b.data(), solutions), 3);
  EXPECT_EQ(solutions[0].kind, Kind::takeoff);
  EXPECT_EQ(solutions[1].kind, Kind::stick);
  EXPECT_EQ(solutions[2].kind, Kind::slip);
  std::vector<double> p = {0.0, 0.0};
  EXPECT_EQ(contact.solve(sample.b.data(), p.data()), 3);  // an open contact stays open
  EXPECT_EQ(p, (std::vector<double>{0.0, 0.0}));
  for (const auto& solution : solutions) {
    if (&solution - solutions.data() > 2) break;
    std::vector<double> near = {solution.p[0] * 1.01, solution.p[1] * 1.01};
    EXPECT_EQ(contact.solve(sample.b.data(), near.data()), 3);
    EXPECT_EQ(near[0], solution.p[0]);
    EXPECT_EQ(near[1], solution.p[1]);
  }
}

TEST(OneContact, SlightlyAsymmetricMatrices) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2000; ++k) {
    Sample sample = draw(2, 0.4, 0.1, random);
    for (double& value : sample.w) value *= 1.0 + 1e-6 * normal(random);
    OneContact contact;
    contact.prepare(2, sample.mu, sample.w.data());
    std::vector<double> p(3, 0.0);
    ASSERT_GE(contact.solve(sample.b.data(), p.data()), 1);
    EXPECT_LE(calc_defect(sample, p.data()), kOneContactExact) << k;
  }
}

/// Other units, by powers of two, change no bit: of W that is symmetric and W that is not, in all dimensions.
template <class Contact>
void expect_same_bits_in_other_units() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 3000; ++k) {
    const int d = 1 + k % 3;
    Sample sample = draw(d, 0.4, 0.02, random);
    if (k % 2 == 1) {
      for (double& value : sample.w) value *= 1.0 + 1e-3 * normal(random);
    }
    Contact contact;
    contact.prepare(d, sample.mu, sample.w.data());
    std::vector<double> p(1 + d, 0.0);
    std::vector<double> scaled(1 + d, 0.0);
    contact.solve(sample.b.data(), p.data());
    for (const double units : {0x1p40, 0x1p-40}) {
      Sample other = sample;
      for (double& value : other.w) value *= units;
      for (double& value : other.b) value *= 0x1p-30;
      contact.prepare(d, other.mu, other.w.data());
      std::ranges::fill(scaled, 0.0);
      contact.solve(other.b.data(), scaled.data());
      for (int i = 0; i <= d; ++i) EXPECT_EQ(scaled[i], p[i] * (0x1p-30 / units)) << k;
    }
  }
}

TEST(OneContact, SolutionScalesWithTheProblem) {
  expect_same_bits_in_other_units<OneContact>();
}

TEST(AssociatedContact, SolutionScalesWithTheProblem) {
  expect_same_bits_in_other_units<AssociatedContact>();
}

TEST(AssociatedContact, RandomProblems) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> mu(0.05, 2.0);
  for (int d = 1; d <= 3; ++d) {
    for (int k = 0; k < 5000; ++k) {
      const Sample sample = draw(d, mu(random), 0.02, random);
      AssociatedContact contact;
      contact.prepare(d, sample.mu, sample.w.data());
      std::vector<double> p(1 + d, 0.0);
      contact.solve(sample.b.data(), p.data());
      EXPECT_LE(calc_defect(sample, p.data(), FrictionLaw::associated), kOneContactExact) << d << " " << k;
    }
  }
}

TEST(AssociatedContact, AsymmetricMatrices) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double asymmetry : {1e-8, 2.5e-3}) {
    for (int d = 1; d <= 3; ++d) {
      for (int k = 0; k < 1500; ++k) {
        Sample sample = draw(d, 0.05 + std::abs(normal(random)), 0.05, random);
        for (double& value : sample.w) value *= 1.0 + asymmetry * normal(random);
        AssociatedContact contact;
        contact.prepare(d, sample.mu, sample.w.data());
        std::vector<double> p(1 + d, 0.0);
        contact.solve(sample.b.data(), p.data());
        EXPECT_LE(calc_defect(sample, p.data(), FrictionLaw::associated), kOneContactExact)
            << asymmetry << " " << d << " " << k << " mu " << sample.mu;
      }
    }
  }
}

TEST(AssociatedContact, Sphere) {
  // Lift-off of the relaxed law: gamma_n = (mu s - b_N) / (w_N + mu^2 w_T), all on the boundary.
  const std::vector<double> w = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5};
  AssociatedContact contact;
  contact.prepare(2, 0.2, w.data());
  const std::vector<double> b = {-0.0981, 2.0, 0.0};
  std::vector<double> p(3);
  contact.solve(b.data(), p.data());
  EXPECT_NEAR(p[0], (0.2 * 2.0 + 0.0981) / (1.0 + 0.04 * 3.5), 1e-15);
  EXPECT_NEAR(p[1], -0.2 * p[0], 1e-15);
  const std::vector<double> grazing = {0.0, 2.0, 0.0};  // gamma_0 = 0
  contact.solve(grazing.data(), p.data());
  EXPECT_NEAR(p[0], 0.4 / 1.14, 1e-15);
}

}  // namespace
}  // namespace stickslip
