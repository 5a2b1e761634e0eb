// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/nsgs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace stickslip {
namespace {

/// A box 1 x 0.8 x 0.5 m, 2 kg, mu = 0.5 on an incline, on its four lower corners: 12 rows of rank 6. The state is its
/// velocity in the incline's frame (x downhill, z up), which does not turn; step 0.01 s.
class Box {
 public:
  Box(double degrees, FrictionLaw law) {
    const double angle = degrees * std::numbers::pi / 180.0;
    fall_ = {9.81 * std::sin(angle) * kStep, 0.0, -9.81 * std::cos(angle) * kStep, 0.0, 0.0, 0.0};
    const double mass = 2.0;
    Matrix inverse_mass = Matrix::Identity(6, 6) / mass;
    inverse_mass(3, 3) = 12.0 / (mass * (0.8 * 0.8 + 0.5 * 0.5));
    inverse_mass(4, 4) = 12.0 / (mass * (1.0 + 0.5 * 0.5));
    inverse_mass(5, 5) = 12.0 / (mass * (1.0 + 0.8 * 0.8));
    FactoredDelassus w;
    w.add_body(inverse_mass);
    problem_.law = law;
    const FrictionBlock block{2, 0.5, 0, 0.0};
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.4, 0.4}) {
        Matrix jacobian(3, 6);  // velocity of the corner: v + omega x r, in the order z, x, y
        const double z = -0.25;
        jacobian << 0, 0, 1, y, -x, 0,  //
            1, 0, 0, 0, z, -y,          //
            0, 1, 0, -z, 0, x;
        problem_.add_contact({&block, 1});
        w.begin_row(3);
        w.add_block(0) = jacobian;
        jacobians_.push_back(jacobian);
      }
    }
    problem_.delassus = w;
    inverse_mass_ = inverse_mass;
    solution_.p.assign(12, 0.0);
  }

  SolveReport step(ConeSolver& solver) {
    const Eigen::Matrix<double, 6, 1> free = velocity_ + fall_;
    for (int i = 0; i < 4; ++i) VectorView(problem_.b.data() + 3 * i, 3) = jacobians_[i] * free;
    const SolveReport report = solver.solve(problem_, solution_);
    velocity_ = free;
    for (int i = 0; i < 4; ++i) {
      velocity_ += inverse_mass_ * jacobians_[i].transpose() * ConstVectorView(solution_.p.data() + 3 * i, 3);
    }
    return report;
  }

  const Eigen::Matrix<double, 6, 1>& velocity() const { return velocity_; }
  double calc_normal_sum() const { return solution_.p[0] + solution_.p[3] + solution_.p[6] + solution_.p[9]; }

  static constexpr double kStep = 0.01;  // [s]

 private:
  ConeProblem problem_;
  std::vector<Matrix> jacobians_;
  Matrix inverse_mass_;
  Eigen::Matrix<double, 6, 1> fall_;
  Eigen::Matrix<double, 6, 1> velocity_ = Eigen::Matrix<double, 6, 1>::Zero();
  ConeSolution solution_;
};

TEST(Nsgs, BoxRestsOnTheInclineToRoundOff) {
  constexpr double kRest = 1e-13;  // [m/s]
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    NsgsSolver solver(NsgsOptions{});
    Box box(20.0, law);
    for (int k = 0; k < 100; ++k) {
      const SolveReport report = box.step(solver);
      ASSERT_EQ(report.status, Status::ok);
      EXPECT_LE(box.velocity().cwiseAbs().maxCoeff(), kRest);
      EXPECT_NEAR(box.calc_normal_sum(), 2.0 * 9.81 * std::cos(std::numbers::pi / 9.0) * Box::kStep, 1e-13);
    }
  }
}

TEST(Nsgs, BoxSlidesDownTheSteepIncline) {
  NsgsSolver solver(NsgsOptions{});
  Box box(35.0, FrictionLaw::coulomb);
  for (int k = 0; k < 50; ++k) ASSERT_EQ(box.step(solver).status, Status::ok);
  // v = g (sin a - mu cos a) t, exactly, in every step of the scheme.
  EXPECT_NEAR(box.velocity()[0], 0.804422031683, 1e-12);
  EXPECT_NEAR(box.velocity()[2], 0.0, 1e-13);
}

/// The relaxed law lifts the sliding box, v_z = mu v_x and v_x = a h (l - mu^2 (1 - rho^l)), rho = mu^2 / (1 + mu^2),
/// as long as the gap it opens is in b: here it is not, so only the first step is compared.
TEST(Nsgs, RelaxedBoxLiftsOff) {
  NsgsSolver solver(NsgsOptions{});
  Box box(35.0, FrictionLaw::associated);
  ASSERT_EQ(box.step(solver).status, Status::ok);
  const double angle = 35.0 * std::numbers::pi / 180.0;
  const double acceleration = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(box.velocity()[0], acceleration * Box::kStep * (1.0 - 0.25 * (1.0 - 0.2)), 1e-13);
  EXPECT_NEAR(box.velocity()[2], 0.5 * box.velocity()[0], 1e-13);
}

/// A disc (1 kg, 0.004 kg m^2, radius 0.1 m) in a rectangular groove: 4 rows of rank 3. Both contacts would stick but
/// for a velocity in b that no motion of the disc can undo, as restitution leaves it. One of them must slip, at a force
/// far along the null space of W; sweeps approach it by a constant, tiny change each.
TEST(Nsgs, DiscInAGrooveSlipsWhereBothContactsCannotStick) {
  const std::array<std::array<double, 4>, 4> w = {{{1, 0, 0, -1}, {0, 3.5, 1, 2.5}, {0, 1, 1, 0}, {-1, 2.5, 0, 3.5}}};
  const double rest = 9.81e-4 / std::sqrt(2.0);  // [m/s]
  const FrictionBlock block{1, 0.3, 0, 0.0};
  ConeProblem problem;
  problem.add_contact({&block, 1});
  problem.add_contact({&block, 1});
  auto& delassus = problem.delassus.emplace<StoredDelassus>();
  for (int i = 0; i < 2; ++i) {
    std::vector<double> values;
    for (int j = 0; j < 2; ++j) {
      for (int r = 0; r < 2; ++r) values.insert(values.end(), {w[2 * i + r][2 * j], w[2 * i + r][2 * j + 1]});
    }
    const std::array<int, 2> columns = {0, 1};
    const std::array<int, 2> dims = {2, 2};
    delassus.add_row(columns, dims, 2, values);
  }
  NsgsSolver solver(NsgsOptions{});
  for (const double misfit : {3e-5, 2e-7, 1.5e-10, -1.5e-10, -3e-5}) {
    problem.b = {-rest + misfit, -rest + 0.5 * misfit, -rest, rest};
    for (const double share : {0.0, 0.5, 0.77, 0.95, 1.4}) {
      ConeSolution solution{{share * rest, 0.1 * share * rest, share * rest, -0.1 * share * rest}, {}};
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, Status::ok) << misfit << " " << share;
      EXPECT_LE(report.iterations, 20) << misfit << " " << share;
    }
  }
}

/// One body pressed on a floor that it cannot leave: W_NN = 0 and b_N < 0 has no solution.
TEST(Nsgs, ContactWithoutSolutionIsInexact) {
  ConeProblem problem;
  problem.add_contact({});
  StoredDelassus w;
  const int zero = 0;
  const int one = 1;
  const double massless = 0.0;
  w.add_row({&zero, 1}, {&one, 1}, 1, {&massless, 1});
  problem.delassus = w;
  problem.b = {-1.0};
  ConeSolution solution{{0.5}, {}};
  NsgsSolver solver(NsgsOptions{});
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_EQ(report.residual.absolute, 1.0);
  EXPECT_STRNE(report.message, "");
  problem.b = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(solver.solve(problem, solution).status, Status::failed);
}

}  // namespace
}  // namespace stickslip
