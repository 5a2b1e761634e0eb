// SPDX-License-Identifier: BSD-3-Clause
// No allocation in a solve once the workspace is large enough: counted by replacing operator new in this executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"

namespace {
std::atomic<long> n_allocations = 0;
}

// Not inlined, so that the compiler does not match malloc with delete where it sees only one of the two.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++n_allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace stickslip {
namespace {

TEST(Allocation, NoneInASolveAfterTheFirst) {
  for (const std::string_view name : solver_names()) {
    if (name == "lemke" || name == "lcp-newton") continue;  // their matrices change size from pivot to pivot
    for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
      const auto solver = make_solver(make_solver_options(name));
      // From large to small, one cone in the end; every kind of cone.
      const std::vector<test::PlantedRecipe> recipes = {
          {.n_contacts = 12, .n_joints = 2, .n_balls = 2, .several_blocks = true},
          {.n_contacts = 6, .n_joints = 2, .n_balls = 2, .facets = 6},
          {.n_contacts = 6, .duplicate = true},
          {.n_bodies = 2, .n_contacts = 1}};
      std::vector<test::PlantedProblem> problems;
      for (const auto& recipe : recipes) problems.push_back(test::plant(recipe, law, 1));
      const auto solve_all = [&](std::vector<ConeSolution>& solutions) {
        for (std::size_t k = 0; k < problems.size(); ++k) {
          std::fill(solutions[k].p.begin(), solutions[k].p.end(), 0.0);
          (void)solver->solve(problems[k].problem, solutions[k]);
        }
      };
      std::vector<ConeSolution> solutions(problems.size());
      for (std::size_t k = 0; k < problems.size(); ++k) solutions[k].p.assign(problems[k].problem.size(), 0.0);
      solve_all(solutions);
      const long before = n_allocations;
      solve_all(solutions);
      EXPECT_EQ(n_allocations - before, 0) << name;
    }
  }
}

TEST(Allocation, NoneInPacksAfterTheFirst) {
  AgsOptions options;
  options.max_iterations = 200;
  const auto solver = make_solver(options);
  const std::array<ConeProblem, 3> problems = {
      test::plant({.n_contacts = 40, .packed = true}, FrictionLaw::coulomb, 1).problem,
      test::plant({.n_contacts = 12, .packed = true}, FrictionLaw::associated, 2).problem,
      test::plant({.n_contacts = 12, .n_joints = 2, .rigid = true}, FrictionLaw::associated, 3).problem};
  ConeSolution solution;
  long before = 0;
  for (int round = 0; round < 2; ++round) {
    before = n_allocations;
    for (const ConeProblem& problem : problems) {
      solution.p.assign(problem.size(), 0.0);
      (void)solver->solve(problem, solution);
    }
  }
  EXPECT_EQ(n_allocations - before, 0);
}

TEST(Allocation, NoneInTheResidualAfterTheFirst) {
  const test::PlantedProblem planted = test::plant({}, FrictionLaw::coulomb, 1);
  std::vector<double> work;
  (void)calc_residual(planted.problem, planted.p, work);
  const long before = n_allocations;
  (void)calc_residual(planted.problem, planted.p, work);
  EXPECT_EQ(n_allocations - before, 0);
}

}  // namespace
}  // namespace stickslip
