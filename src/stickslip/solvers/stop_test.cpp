// SPDX-License-Identifier: BSD-3-Clause
// Solves that are told to stop: at once, with nothing changed, and with nothing left behind for the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

struct Case {
  std::string name;
  ConeProblem problem;
};

/// A body between two walls that close: no percussions hold it.
ConeProblem make_squeezed() {
  ConeProblem problem;
  FactoredDelassus w;
  w.add_body(Matrix::Identity(6, 6));
  const FrictionBlock friction{2, 0.5, 0, 0.0};
  for (const double side : {1.0, -1.0}) {
    problem.add_contact({&friction, 1});
    w.begin_row(3);
    RowMatrixView block = w.add_block(0);
    block(0, 0) = side;
    block(1, 1) = block(2, 2) = 1.0;
  }
  problem.delassus = w;
  problem.b = {-0.3, 0.1, 0.0, -0.3, 0.0, 0.1};
  return problem;
}

std::vector<Case> make_cases() {
  const auto plant = [](int bodies, int contacts, FrictionLaw law, int friction_dim) {
    test::PlantedRecipe recipe{.n_bodies = bodies, .n_contacts = contacts, .duplicate = true};
    recipe.friction_dim = friction_dim;
    return test::plant(recipe, law, 1).problem;
  };
  return {{"many", plant(10, 15, FrictionLaw::coulomb, 2)},
          {"many, associated", plant(10, 15, FrictionLaw::associated, 2)},
          {"few", plant(2, 3, FrictionLaw::coulomb, 1)},
          {"squeezed", make_squeezed()}};
}

struct Answer {
  ConeSolution solution;
  SolveReport report;
};

Answer solve(ConeSolver& solver, const ConeProblem& problem) {
  Answer answer;
  answer.solution.p.assign(problem.size(), 0.25);
  answer.report = solver.solve(problem, answer.solution);
  return answer;
}

void expect_same(const Answer& a, const Answer& b) {
  EXPECT_EQ(a.solution.p, b.solution.p);
  EXPECT_EQ(a.solution.u, b.solution.u);
  EXPECT_EQ(a.report.status, b.report.status);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
  EXPECT_STREQ(a.report.method, b.report.method);
}

/// Some of the asks 1 to n, the first and the last among them.
std::vector<std::int64_t> pick_asks(std::int64_t n) {
  constexpr int kMany = 7;
  std::vector<std::int64_t> picked;
  for (int i = 0; i < kMany; ++i) picked.push_back(1 + i * (n - 1) / (kMany - 1));
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

void check_stopping(const SolverOptions& plain, ForceChoice forces, const Case& c) {
  SolverOptions options = plain;
  StopCounter counter;
  stop_options(options).stop = StopToken(&counter);
  auto solver = make_solver(options, forces);
  if (solver->refuses(c.problem)) return;
  const Answer wanted = solve(*make_solver(plain, forces), c.problem);
  for (const bool is_known : {false, true}) {  // patterns that a solver has seen are not analysed again
    counter.asks = 0;
    expect_same(solve(*solver, c.problem), wanted);
    const std::int64_t asks = counter.asks;
    ASSERT_GT(asks, 0);
    for (const std::int64_t at : pick_asks(asks)) {
      SCOPED_TRACE("ask " + std::to_string(at) + " of " + std::to_string(asks) + (is_known ? ", known" : ""));
      if (!is_known) solver = make_solver(options, forces);
      counter.asks = 0;
      counter.stop_at = at;
      counter.flag = false;
      ConeSolution solution;
      solution.p.assign(c.problem.size(), 0.25);
      const std::vector<double> before = solution.p;
      EXPECT_THROW((void)solver->solve(c.problem, solution), Interrupted);
      EXPECT_EQ(counter.asks, at) << "it went on asking";
      EXPECT_EQ(solution.p, before);
      counter.stop_at = std::numeric_limits<std::int64_t>::max();
      counter.flag = false;
      expect_same(solve(*solver, c.problem), wanted);
    }
  }
}

TEST(Stop, EverySolverEndsAtOnceAndLeavesNothingBehind) {
  for (const Case& c : make_cases()) {
    for (const std::string_view name : solver_names()) {
      SCOPED_TRACE(std::string(name) + ", " + c.name);
      SolverOptions options = make_solver_options(name);
      stop_options(options).max_iterations = std::min(stop_options(options).max_iterations, 100);
      check_stopping(options, ForceChoice::any, c);
    }
    SCOPED_TRACE("least norm, " + c.name);
    check_stopping(AutoOptions{}, ForceChoice::least_norm, c);
  }
}

TEST(Stop, SweepsAskAtEachContact) {
  const ConeProblem problem = make_cases().front().problem;
  for (const std::string_view name : {"nsgs", "pgs"}) {
    SolverOptions options = make_solver_options(name);
    StopCounter counter;
    stop_options(options).stop = StopToken(&counter);
    stop_options(options).max_iterations = 5;
    const Answer answer = solve(*make_solver(options), problem);
    EXPECT_GE(counter.asks, answer.report.iterations * problem.n_cones()) << name;
  }
}

TEST(Stop, FactorisationsAskAtEachColumn) {
  const ConeProblem problem = make_cases().front().problem;
  for (const std::string_view name : {"prox", "admm", "ipm", "newton-ac", "newton-fb"}) {
    SolverOptions options = make_solver_options(name);
    StopCounter counter;
    stop_options(options).stop = StopToken(&counter);
    stop_options(options).max_iterations = 1;
    (void)solve(*make_solver(options), problem);
    EXPECT_GE(counter.asks, problem.n_cones()) << name;
  }
}

}  // namespace
}  // namespace stickslip
