// SPDX-License-Identifier: BSD-3-Clause
// What every solver must do, judged by calc_residual and, where it says ok, by the laws themselves. To add a solver,
// add a line to make_entries().
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/cone/residual.h"
#include "stickslip/math/round_off.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/contact_laws.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

using test::PlantedProblem;
using test::PlantedRecipe;

struct Entry {
  std::string name;
  FrictionLaw law;
  SolverOptions options;
  double mass_ratio;  // [-] up to which it promises to converge
  bool is_robust;     // whether it promises to converge on redundant and strongly coupled problems
  bool takes_all_cones = true;
  bool takes_large_friction = false;  // whether it promises to converge there, if not robust
  bool takes_discs = true;            // or puts polygons for them: its problems here have polygons
};

template <class Options>
Options first_order() {
  Options options;
  options.tolerance = 1e-8;
  options.max_iterations = 50000;
  return options;
}

std::vector<Entry> make_entries() {
  NsgsOptions sweeps_only;
  sweeps_only.newton_rows = 0;
  sweeps_only.tolerance = 1e-8;
  sweeps_only.max_iterations = 50000;
  NsgsOptions over_relaxed_sweeps = sweeps_only;
  over_relaxed_sweeps.relaxation = 1.2;
  DeSaxceOptions de_saxce;
  de_saxce.max_iterations = 2000;
  auto psor = first_order<PgsOptions>();
  psor.relaxation = 1.3;
  return {{"nsgs_coulomb", FrictionLaw::coulomb, NsgsOptions{}, 1e3, true},
          {"nsgs_associated", FrictionLaw::associated, NsgsOptions{}, 1e3, true},
          {"nsgs_sweeps_associated", FrictionLaw::associated, sweeps_only, 1e1, false},
          {"nsgs_over_relaxed_associated", FrictionLaw::associated, over_relaxed_sweeps, 1e1, false},
          {"pgs_associated", FrictionLaw::associated, first_order<PgsOptions>(), 1e1, false},
          {"psor_associated", FrictionLaw::associated, psor, 1e1, false},
          {"apgd_associated", FrictionLaw::associated, first_order<ApgdOptions>(), 1e1, false},
          {"spg_associated", FrictionLaw::associated, first_order<SpgOptions>(), 1e1, false},
          {"ags_associated", FrictionLaw::associated, first_order<AgsOptions>(), 1e1, false},
          {"extragradient_associated", FrictionLaw::associated, first_order<ExtragradientOptions>(), 1e1, false},
          {"admm_associated", FrictionLaw::associated, first_order<AdmmOptions>(), 1e1, false},
          {"newton_ac_coulomb", FrictionLaw::coulomb, NewtonAcOptions{}, 1e1, false},
          {"newton_ac_associated", FrictionLaw::associated, NewtonAcOptions{}, 1e3, false},
          {"newton_fb_coulomb", FrictionLaw::coulomb, NewtonFbOptions{}, 1e6, false, false},
          {"newton_fb_associated", FrictionLaw::associated, NewtonFbOptions{}, 1e6, false, false},
          {"de_saxce_coulomb", FrictionLaw::coulomb, de_saxce, 1e1, false, true, true},
          {"ipm_coulomb", FrictionLaw::coulomb, IpmOptions{}, 1e6, true, false},
          {"ipm_associated", FrictionLaw::associated, IpmOptions{}, 1e6, true, false},
          {"prox_coulomb", FrictionLaw::coulomb, ProxOptions{}, 1e6, true},
          {"prox_associated", FrictionLaw::associated, ProxOptions{}, 1e6, true},
          {"auto_coulomb", FrictionLaw::coulomb, AutoOptions{}, 1e6, true},
          {"auto_associated", FrictionLaw::associated, AutoOptions{}, 1e6, true},
          {"lemke_coulomb", FrictionLaw::coulomb, LemkeOptions{}, 1e3, false, false, true, false},
          {"lemke_associated", FrictionLaw::associated, LemkeOptions{}, 1e3, false, false, true, false},
          {"lcp_newton_coulomb", FrictionLaw::coulomb, LcpNewtonOptions{}, 1e1, false, false, false, false},
          {"lcp_newton_associated", FrictionLaw::associated, LcpNewtonOptions{}, 1e1, false, false, false, false}};
}

/// Corners of the polygons that stand for discs where a solver does not take them.
constexpr int kCorners = 8;

bool has_discs(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& b) { return b.dim > 1 && b.facets == 0; }) ||
         std::ranges::any_of(problem.cones, [](const Cone& c) { return c.kind == ConeKind::ball && c.dim > 1; });
}

class Conformance : public testing::TestWithParam<Entry> {
 protected:
  std::unique_ptr<ConeSolver> solver_ = make_solver(GetParam().options);
  double tolerance() const {
    return std::visit([](const auto& chosen) { return chosen.tolerance; }, GetParam().options);
  }
  FrictionLaw law() const { return GetParam().law; }

  SolveReport solve(const ConeProblem& problem, ConeSolution& solution) {
    EXPECT_FALSE(solver_->refuses(problem));
    const Residual before = calc_residual(problem, solution.p);
    const SolveReport report = solver_->solve(problem, solution);
    const Residual after = calc_residual(problem, solution.p);
    // The report tells the truth: equal up to the round-off of W p, never worse than the start was.
    EXPECT_EQ(report.status == Status::ok, report.residual.is_within({.relative = tolerance()}));
    double largest = 0.0;
    for (const double value : solution.p) largest = std::max(largest, std::abs(value));
    const double velocity_scale = after.size > 0.0 ? after.size : 1.0;
    const double round_off =
        1e-13 + 4.0 * std::numeric_limits<double>::epsilon() * problem.calc_residual_scale() * largest / velocity_scale;
    EXPECT_NEAR(report.residual.relative, after.relative, round_off);
    EXPECT_LE(after.defect(), std::max(before.defect() * (1.0 + 1e-12), 1e-13));
    if (report.status == Status::ok) {
      EXPECT_TRUE(test::obeys_laws(problem, solution.p, tolerance()));
    }
    std::vector<double> u(problem.size());
    problem.apply_delassus(solution.p, u);
    double scale = 1.0;
    for (const double value : u) scale = std::max(scale, std::abs(value));
    for (int i = 0; i < problem.size(); ++i) EXPECT_NEAR(solution.u[i], u[i] + problem.b[i], 1e-12 * scale);
    return report;
  }

  PlantedProblem plant(PlantedRecipe recipe, unsigned seed) const {
    const bool has_discs = recipe.friction_dim == 2 && recipe.facets == 0 && !recipe.stretched;
    if (has_discs && !GetParam().takes_discs) recipe.facets = kCorners;
    return test::plant(recipe, law(), seed);
  }

  void expect_solved(const PlantedRecipe& recipe, int n_seeds) {
    for (int seed = 1; seed <= n_seeds; ++seed) {
      const PlantedProblem planted = plant(recipe, seed);
      if (!GetParam().takes_all_cones && solver_->refuses(planted.problem)) {
        GTEST_SKIP() << *solver_->refuses(planted.problem);
      }
      ConeSolution solution;
      solution.p.assign(planted.problem.size(), 0.0);
      const SolveReport report = solve(planted.problem, solution);
      if (!GetParam().takes_discs && has_discs(planted.problem)) GTEST_SKIP() << "polygons in place of discs";
      EXPECT_EQ(report.status, Status::ok)
          << "seed " << seed << ": " << report.residual.relative << " after " << report.iterations;
    }
  }
};

TEST_P(Conformance, PlantedContacts) {
  expect_solved({}, 20);
}
TEST_P(Conformance, PlanarContacts) {
  expect_solved({.friction_dim = 1}, 10);
}
TEST_P(Conformance, ContensouContacts) {
  expect_solved({.friction_dim = 3}, 10);
}
TEST_P(Conformance, PackedContacts) {
  expect_solved({.packed = true}, 10);
}
TEST_P(Conformance, MixedCones) {
  expect_solved({.n_contacts = 5, .n_joints = 2, .n_balls = 3}, 10);
}
/// Percussions that oppose S u in place of u: a Delassus operator that is not symmetric.
TEST_P(Conformance, StretchedFriction) {
  if (law() == FrictionLaw::associated) GTEST_SKIP() << "no scheme asks for it";
  expect_solved({.stretched = true}, 10);
  expect_solved({.n_contacts = 5, .n_balls = 3, .friction_dim = 3, .stretched = true}, 10);
}
TEST_P(Conformance, NoFriction) {
  expect_solved({.mu = 0.0}, 10);
}
TEST_P(Conformance, SeveralBlocks) {
  expect_solved({.n_contacts = 5, .several_blocks = true}, 10);
}
TEST_P(Conformance, Polygons) {
  expect_solved({.n_contacts = 5, .facets = 5}, 10);
}
TEST_P(Conformance, MassRatio) {
  expect_solved({.mass_ratio = GetParam().mass_ratio}, 10);
}

TEST_P(Conformance, LargeFriction) {
  if (!GetParam().is_robust && !GetParam().takes_large_friction) GTEST_SKIP() << "not promised";
  expect_solved({.mu = 5.0}, 10);
}

/// A column of bodies on the floor, each resting on the one below: the top one a million times heavier than the rest.
TEST_P(Conformance, HeavyOnLight) {
  if (!GetParam().is_robust) GTEST_SKIP() << "not promised";
  constexpr int kBodies = 4;
  constexpr double kHeavy = 1e6;
  constexpr double kFall = 0.1;  // [m/s] h g
  PlantedProblem column;
  ConeProblem& problem = column.problem;
  problem.law = law();
  FactoredDelassus w;
  for (int k = 0; k < kBodies; ++k) w.add_body(Matrix::Identity(3, 3) / (k == kBodies - 1 ? kHeavy : 1.0));
  const FrictionBlock block{2, 0.5, 0, 0.0};
  for (int k = 0; k < kBodies; ++k) {
    problem.add_contact({&block, 1});
    w.begin_row(3);
    if (k > 0) w.add_block(k - 1) = -Matrix::Identity(3, 3);
    w.add_block(k) = Matrix::Identity(3, 3);
  }
  problem.b[0] = -kFall;
  problem.b[1] = 0.01;  // pushed sideways by less than friction holds
  problem.delassus = w;
  ConeSolution solution;
  solution.p.assign(problem.size(), 0.0);
  const SolveReport report = solve(problem, solution);
  // Percussions are this weight at most, so that velocities of bodies of unit mass are known to a few of its ulps only,
  // 1.2e-10 of b each: more than the tolerance. Of W's diagonal no value is above 2.
  const double weight = kFall * (kHeavy + kBodies - 1);
  const double round_off = kSumRoundOff * 2.0 * std::sqrt(kBodies) * weight / std::hypot(kFall, 0.01);
  EXPECT_LE(report.residual.relative, std::max(tolerance(), round_off));
  EXPECT_NEAR(solution.p[0] / weight, 1.0, 1e-8);
}

/// w = M z + q with M = (0 -1; 1 0) and q = (1, -1): z = (1, 1) alone. Nothing on the diagonal, so that percussions
/// have no scale but their own: who solves it has solved it, the others say that they have not.
TEST_P(Conformance, NothingOnTheDiagonal) {
  ConeProblem problem;
  problem.law = law();
  StoredDelassus w;
  for (int i = 0; i < 2; ++i) {
    problem.add_contact({});
    const int other = 1 - i;
    const int dim = 1;
    const double entry = i == 0 ? -1.0 : 1.0;
    w.add_row({&other, 1}, {&dim, 1}, 1, {&entry, 1});
  }
  problem.delassus = w;
  problem.b = {1.0, -1.0};
  constexpr double kFast = 1e3;  // [-]
  for (const double start : {0.0, 7.0}) {
    ConeSolution solution{{start, 0.5 * start}, {}};
    const SolveReport report = solve(problem, solution);
    const double distance = std::hypot(solution.p[0] - 1.0, solution.p[1] - 1.0);
    // p = (3e12, .5) is within, too: min(p, u) = (.5, .5) is little beside u = (.5, 3e12).
    const bool is_fast = report.residual.size > kFast * report.residual.given;
    if (!is_fast) {
      EXPECT_EQ(report.status == Status::ok, distance <= 2.0 * tolerance()) << distance;
    }
    if (std::holds_alternative<AutoOptions>(GetParam().options)) {
      EXPECT_EQ(report.status, Status::ok) << start;
    }
  }
}

/// The first row of M = (0 0; 1 1), q = (-1e-3, -1) stays violated: nobody has solved it, however far percussions grow.
TEST_P(Conformance, NoSolution) {
  ConeProblem problem;
  problem.law = law();
  StoredDelassus w;
  const std::array<int, 2> columns = {0, 1};
  const std::array<int, 2> sizes = {1, 1};
  for (int i = 0; i < 2; ++i) {
    problem.add_contact({});
    w.add_row(columns, sizes, 1, std::vector(2, i == 0 ? 0.0 : 1.0));
  }
  problem.delassus = w;
  problem.b = {-1e-3, -1.0};
  ConeSolution solution{{0.0, 0.0}, {}};
  EXPECT_NE(solve(problem, solution).status, Status::ok) << solution.p[0] << ' ' << solution.p[1];
}

TEST_P(Conformance, RedundantContacts) {
  if (!GetParam().is_robust) GTEST_SKIP() << "not promised";
  expect_solved({.n_bodies = 4, .n_contacts = 8, .duplicate = true}, 10);
}

TEST_P(Conformance, NothingToSolve) {
  ConeProblem problem;
  problem.law = law();
  ConeSolution solution;
  const SolveReport report = solver_->solve(problem, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.residual.absolute, 0.0);
  EXPECT_TRUE(solution.p.empty());
  EXPECT_TRUE(solution.u.empty());
}

TEST_P(Conformance, OneContactByHand) {
  // Unit mass on the floor, h g = 0.1, tangential speed 0.02 (stick) and 2 (slip), mu = 0.2.
  for (const double speed : {0.02, 2.0}) {
    ConeProblem problem;
    problem.law = law();
    const FrictionBlock block{2, 0.2, GetParam().takes_discs ? 0 : kCorners, 0.0};
    problem.add_contact({&block, 1});
    FactoredDelassus w;
    w.add_body(Matrix::Identity(3, 3));
    w.begin_row(3);
    w.add_block(0) = Matrix::Identity(3, 3);
    problem.delassus = w;
    problem.b = {-0.1, speed, 0.0};
    ConeSolution solution;
    solution.p.assign(3, 0.0);
    EXPECT_EQ(solve(problem, solution).status, Status::ok);
    double normal = 0.1;
    double tangential = -std::min(speed, 0.2 * 0.1);
    if (speed > 1.0 && law() == FrictionLaw::associated) {
      normal = (0.2 * speed + 0.1) / (1.0 + 0.2 * 0.2);  // the lift-off of the relaxed law
      tangential = -0.2 * normal;
    }
    const double bound = 10.0 * tolerance() * speed;  // W is the identity: the error is about the residual
    EXPECT_NEAR(solution.p[0], normal, bound);
    EXPECT_NEAR(solution.p[1], tangential, bound);
    EXPECT_NEAR(solution.p[2], 0.0, bound);
  }
}

TEST_P(Conformance, StartAtTheSolutionCostsNothing) {
  const PlantedProblem planted = plant({}, 3);
  ConeSolution solution{planted.p, {}};
  const SolveReport report = solve(planted.problem, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.iterations, 0);
}

TEST_P(Conformance, SameInputSameBits) {
  const PlantedProblem planted = plant({}, 4);
  ConeSolution first;
  first.p.assign(planted.problem.size(), 0.0);
  ConeSolution second = first;
  (void)solver_->solve(planted.problem, first);
  const PlantedProblem other = plant({.n_contacts = 11, .n_joints = 1}, 5);  // dirties the workspace
  ConeSolution between;
  between.p.assign(other.problem.size(), 0.0);
  (void)solver_->solve(other.problem, between);
  (void)solver_->solve(planted.problem, second);
  EXPECT_EQ(first.p, second.p);
  EXPECT_EQ(first.u, second.u);
}

/// W in other units: p shrinks as W grows.
ConeProblem scale_masses(const ConeProblem& problem, double by) {
  const auto& w = std::get<FactoredDelassus>(problem.delassus);
  FactoredDelassus scaled;
  for (int k = 0; k < w.n_bodies(); ++k) {
    scaled.add_body(by * ConstRowMatrixView(w.inverse_mass(k), w.body(k).n_v, w.body(k).n_v));
  }
  for (int i = 0; i < w.n_rows(); ++i) {
    scaled.begin_row(w.row_dim(i));
    for (const auto& block : w.row(i)) {
      scaled.add_block(block.body, block.column, block.n) = ConstRowMatrixView(w.values(block), w.row_dim(i), block.n);
    }
  }
  ConeProblem result = problem;
  result.delassus = scaled;
  return result;
}

TEST_P(Conformance, ScaledProblem) {
  PlantedProblem planted = plant({}, 6);
  planted.problem = scale_masses(planted.problem, 1e6);
  ConeSolution solution;
  solution.p.assign(planted.problem.size(), 0.0);
  EXPECT_EQ(solve(planted.problem, solution).status, Status::ok);
}

TEST_P(Conformance, ValuesThatAreNotFiniteFail) {
  PlantedProblem planted = plant({}, 7);
  planted.problem.b[4] = std::numeric_limits<double>::quiet_NaN();
  ConeSolution solution{planted.p, {}};
  EXPECT_EQ(solver_->solve(planted.problem, solution).status, Status::failed);
  EXPECT_EQ(solution.p, planted.p);

  // Of masses, with no percussions to begin with.
  const PlantedProblem good = plant({}, 7);
  planted.problem = scale_masses(good.problem, std::numeric_limits<double>::quiet_NaN());
  solution.p.assign(planted.problem.size(), 0.0);
  EXPECT_EQ(solver_->solve(planted.problem, solution).status, Status::failed);
}

/// Rows of huge and tiny entries, all of them or those of joints alone: squares of entries of W overflow or vanish, or
/// W itself does. Whatever comes of it is finite, and where it is called solved it is.
TEST_P(Conformance, NumbersThatOverflow) {
  SolverOptions options = GetParam().options;
  std::visit([](auto& chosen) { chosen.max_iterations = std::min(chosen.max_iterations, 100); }, options);
  solver_ = make_solver(options);
  for (const double factor : {1e60, 1e80, 1e100, 1e154, 1e-80, 1e-160, 1e-300}) {
    for (const bool joints_alone : {false, true}) {
      PlantedProblem planted = plant({.n_contacts = 3, .n_joints = 2}, 9);
      const auto& w = std::get<FactoredDelassus>(planted.problem.delassus);
      FactoredDelassus scaled;
      for (int k = 0; k < w.n_bodies(); ++k) {
        scaled.add_body(ConstRowMatrixView(w.inverse_mass(k), w.body(k).n_v, w.body(k).n_v));
      }
      for (int i = 0; i < w.n_rows(); ++i) {
        const Cone& cone = planted.problem.cones[i];
        const double by = joints_alone && cone.kind != ConeKind::free ? 1.0 : factor;
        scaled.begin_row(w.row_dim(i));
        for (const auto& block : w.row(i)) {
          scaled.add_block(block.body, block.column, block.n) =
              by * ConstRowMatrixView(w.values(block), w.row_dim(i), block.n);
        }
        for (int r = 0; r < cone.dim; ++r) planted.problem.b[cone.offset + r] *= by;
      }
      planted.problem.delassus = scaled;
      ConeSolution solution;
      solution.p.assign(planted.problem.size(), 0.0);
      const SolveReport report = solver_->solve(planted.problem, solution);
      for (const double value : solution.p) EXPECT_TRUE(std::isfinite(value)) << factor;
      if (report.status != Status::ok) continue;
      EXPECT_TRUE(calc_residual(planted.problem, solution.p).is_within({.relative = 10.0 * tolerance()})) << factor;
    }
  }
}

TEST_P(Conformance, RunningOutOfIterationsIsInexactAndNoWorseThanTheStart) {
  SolverOptions options = GetParam().options;
  std::visit(
      [](auto& chosen) {
        chosen.max_iterations = 1;
        chosen.tolerance = 1e-300;
      },
      options);
  solver_ = make_solver(options);
  const PlantedProblem planted = plant({}, 8);
  for (const double scale : {0.0, 0.5, 1.001}) {
    ConeSolution solution{planted.p, {}};
    for (double& value : solution.p) value *= scale;
    const double before = calc_residual(planted.problem, solution.p).absolute;
    const Status status = solver_->solve(planted.problem, solution).status;
    const Residual after = calc_residual(planted.problem, solution.p);
    EXPECT_EQ(status,
              after.is_within({.relative = 1e-300}) ? Status::ok : Status::inexact);  // within round-off after one
    EXPECT_LE(after.absolute, before);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(make_entries()),
                         [](const auto& param) { return param.param.name; });

TEST(SolverSuite, EverySolverIsHere) {
  std::set<std::string_view> here;
  for (const Entry& entry : make_entries()) here.insert(solver_name(entry.options));
  EXPECT_EQ(here.size(), solver_names().size());
}

/// What a problem may hold, and who refuses it: nobody else, and nothing else.
TEST(SolverSuite, RefusalsAreThese) {
  struct Case {
    const char* what;
    PlantedRecipe recipe;
    std::set<std::string_view> refused_by;
  };
  const std::vector<Case> cases = {{"planar", {.friction_dim = 1}, {}},
                                   {"spatial", {}, {}},
                                   {"Coulomb-Contensou", {.friction_dim = 3}, {"lemke", "lcp-newton"}},
                                   {"no friction", {.mu = 0.0}, {}},
                                   {"joints", {.n_joints = 2}, {}},
                                   {"dry friction", {.n_balls = 2}, {}},
                                   {"several blocks", {.several_blocks = true}, {"newton-fb", "ipm"}},
                                   {"polygons", {.facets = 5}, {"newton-fb", "ipm"}},
                                   {"stretched", {.stretched = true}, {}}};
  for (const Case& c : cases) {
    const ConeProblem problem = test::plant(c.recipe, FrictionLaw::coulomb, 1).problem;
    for (const std::string_view name : solver_names()) {
      EXPECT_EQ(make_solver(make_solver_options(name))->refuses(problem).has_value(), c.refused_by.contains(name))
          << name << ": " << c.what;
    }
  }
}

/// A body on the floor that sticks, with more friction the longer the way of the shift to its fixed point: a share of
/// 1 / (1 + mu^2) a step.
TEST(DeSaxce, LargeFriction) {
  for (const double mu : {9.0, 20.0, 100.0}) {
    ConeProblem problem;
    const FrictionBlock block{2, mu, 0, 0.0};
    problem.add_contact({&block, 1});
    FactoredDelassus w;
    w.add_body(Matrix::Identity(3, 3));
    w.begin_row(3);
    w.add_block(0) = Matrix::Identity(3, 3);
    problem.delassus = w;
    problem.b = {-0.3, 2.0, 0.0};
    ConeSolution solution;
    solution.p.assign(3, 0.0);
    DeSaxceOptions options;
    options.max_iterations = 10000;
    EXPECT_EQ(make_solver(options)->solve(problem, solution).status, Status::ok) << mu;
    EXPECT_NEAR(solution.p[0], 0.3, 1e-8) << mu;
    EXPECT_NEAR(solution.p[1], -2.0, 1e-8) << mu;
  }
}

/// The check of the laws finds what is wrong: each component of an answer moved by a little.
TEST(ContactLaws, ViolationsAreFound) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    for (const int facets : {0, 5}) {
      const PlantedProblem planted =
          test::plant({.n_contacts = 5, .n_joints = 2, .n_balls = 3, .facets = facets}, law, 9);
      EXPECT_TRUE(test::obeys_laws(planted.problem, planted.p, 1e-12));
      for (std::size_t i = 0; i < planted.p.size(); ++i) {
        for (const double change : {-1e-6, 1e-6}) {
          std::vector<double> p = planted.p;
          p[i] += change;
          EXPECT_FALSE(test::obeys_laws(planted.problem, p, 1e-10)) << i;
        }
      }
    }
  }
}

TEST(SolverOptions, ChecksAndNames) {
  NsgsOptions options;
  options.tolerance = 0.0;
  EXPECT_THROW(make_solver(options), InputError);
  options = {};
  options.max_iterations = 0;
  EXPECT_THROW(make_solver(options), InputError);
  options = {};
  options.newton_rows = -1;
  EXPECT_THROW(make_solver(options), InputError);
  for (const std::string_view name : solver_names()) EXPECT_EQ(make_solver(make_solver_options(name))->name(), name);
  try {
    make_solver_options("nsg");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("nsgs"), std::string::npos);
  }
}

}  // namespace
}  // namespace stickslip
