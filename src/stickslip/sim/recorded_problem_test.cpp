// SPDX-License-Identifier: BSD-3-Clause
// A step's problem that was recorded is the step's problem when it is read again.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "stickslip/io/problem_file.h"
#include "stickslip/io/problem_recorder.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-13;
constexpr double kSolved = 1e-9;  // of what is solved to 1e-10

/// A joint, a frictionless contact and contacts that slip and stick, on three bodies.
ConeProblem make_problem(FrictionLaw law) {
  ConeProblem problem;
  problem.law = law;
  const FrictionBlock block{2, 0.5, 0, 0.0};
  FactoredDelassus w;
  for (int k = 0; k < 3; ++k) w.add_body((1.0 + k) * Matrix::Identity(3, 3));
  problem.add_free(2);
  w.begin_row(2);
  w.add_block(0) << 1.0, 0.3, 0.0, 0.0, 1.0, 0.2;
  w.add_block(1) << -1.0, 0.0, 0.1, 0.0, -1.0, 0.0;
  problem.add_contact({&block, 1});
  w.begin_row(3);
  w.add_block(0) = Matrix::Identity(3, 3);
  problem.add_contact({});
  w.begin_row(1);
  w.add_block(2) << 1.0, 0.5, 0.0;
  problem.add_contact({&block, 1});
  w.begin_row(3);
  w.add_block(1) = Matrix::Identity(3, 3);
  w.add_block(2) = -0.5 * Matrix::Identity(3, 3);
  problem.delassus = w;
  problem.b = {0.1, -0.2, -0.1, 2.0, 0.0, -0.5, -1.0, 0.1, 0.05};
  return problem;
}

class RecordedProblem : public testing::TestWithParam<FrictionLaw> {
 protected:
  /// Solves, records and reads again.
  OneStepProblem record(const ConeProblem& problem) {
    ProblemRecorder recorder(make_solver(AutoOptions{}));
    recorder.start(true);
    solution_.p.assign(problem.size(), 0.0);
    report_ = recorder.solve(problem, solution_);
    EXPECT_EQ(report_.status, Status::ok);
    recorder.write(path());
    return read_problem(path());
  }
  std::filesystem::path path() const { return folder_.path() / "step.hdf5"; }

  test::TemporaryFolder folder_;
  ConeSolution solution_;
  SolveReport report_;
};

INSTANTIATE_TEST_SUITE_P(, RecordedProblem, testing::Values(FrictionLaw::coulomb, FrictionLaw::associated),
                         [](const auto& law) { return law.param == FrictionLaw::coulomb ? "coulomb" : "associated"; });

TEST_P(RecordedProblem, HasTheSameAnswerAndResidual) {
  const ConeProblem problem = make_problem(GetParam());
  const OneStepProblem again = record(problem);
  EXPECT_TRUE(std::holds_alternative<LocalForm>(again.form));
  EXPECT_EQ(again.cones.law, GetParam());
  std::vector<int> row_of;
  (void)make_exchange_problem(problem, &row_of);
  // Where nothing is solved yet, half way there, and at the answer.
  for (const double share : {0.0, 0.5, 1.0}) {
    std::vector<double> p = solution_.p;
    std::vector<double> q(again.cones.size(), 0.0);
    for (std::size_t i = 0; i < p.size(); ++i) q[row_of[i]] = p[i] *= share;
    EXPECT_NEAR(calc_residual(again.cones, q).relative, calc_residual(problem, p).relative, kRoundOff) << share;
  }
  ConeSolution solved;
  solved.p.assign(again.cones.size(), 0.0);
  EXPECT_EQ(make_solver(AutoOptions{})->solve(again.cones, solved).status, Status::ok);
  for (std::size_t i = 0; i < row_of.size(); ++i) EXPECT_NEAR(solved.p[row_of[i]], solution_.p[i], kSolved) << i;
  // The laws differ here: the one must not pass for the other.
  const FrictionLaw other = GetParam() == FrictionLaw::coulomb ? FrictionLaw::associated : FrictionLaw::coulomb;
  EXPECT_GT(calc_residual(again.cones, other, solved.p).relative, 1e-2);
}

TEST_P(RecordedProblem, KeepsStretches) {
  ConeProblem problem = make_problem(GetParam());
  problem.stretches.push_back({problem.cones.back().offset + 1, 2, 0.9, {0.6, 0.8, 0.0}});
  const OneStepProblem again = record(problem);
  ASSERT_EQ(again.cones.stretches.size(), 1u);
  EXPECT_EQ(again.cones.stretches[0].tau, 0.9);
  EXPECT_NEAR(calc_residual(again.cones, solution_.p).relative, calc_residual(problem, solution_.p).relative,
              kRoundOff);
  ConeSolution solved;
  solved.p.assign(again.cones.size(), 0.0);
  EXPECT_EQ(make_solver(AutoOptions{})->solve(again.cones, solved).status, Status::ok);
  for (std::size_t i = 0; i < solved.p.size(); ++i) EXPECT_NEAR(solved.p[i], solution_.p[i], kSolved) << i;
}

TEST_P(RecordedProblem, KeepsTheRoundOffOfItsVelocities) {
  ConeProblem problem = make_problem(GetParam());
  const std::vector<double> nothing(problem.size(), 0.0);
  problem.floor = 0.1 * calc_residual(problem, nothing).absolute;
  EXPECT_EQ(record(problem).cones.floor, problem.floor);
}

TEST_P(RecordedProblem, WithAsymmetricJoints) {
  const FrictionBlock block{2, 0.3, 0, 0.0};
  ConeProblem cones;
  cones.law = GetParam();
  cones.add_contact({&block, 1});
  cones.add_free(1);
  cones.b = {-1.0, 2.0, 0.1, 0.7};
  Matrix w = 2.0 * Matrix::Identity(4, 4);
  w(0, 3) = 0.5;
  w(3, 0) = 0.2;
  const ConeProblem problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
  const OneStepProblem again = record(problem);
  EXPECT_EQ(again.cones.law, GetParam());
  EXPECT_NEAR(calc_residual(again.cones, solution_.p).relative, report_.residual.relative, kRoundOff);
}

}  // namespace
}  // namespace stickslip
