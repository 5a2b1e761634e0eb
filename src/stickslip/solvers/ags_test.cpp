// SPDX-License-Identifier: BSD-3-Clause
// Packs and sweeps over them, against the problem's own operator and its own residual.
#include "stickslip/solvers/ags.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/contact_packs.h"
#include "stickslip/solvers/pack_exchange.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"
#include "tests/support/thread_ranks.h"

namespace stickslip {
namespace {

/// Bodies of a pile, in the packed operator or in rows whose angular velocities are in axes of the bodies.
class PileBuilder {
 public:
  PileBuilder(FrictionLaw law, double mu, bool is_packed) : is_packed_(is_packed) {
    problem_.law = law;
    friction_ = {2, mu, 0, 0.0};
  }

  /// Its inertia is `inertia` m radius^2 about all axes, or with `slender` less about one of them.
  int add_body(double mass, double radius, double inertia, double slender = 1.0) {
    const Matrix3 turn =
        Eigen::AngleAxisd(unit_(random_), Vector3(unit_(random_), 1.0, unit_(random_)).normalized()).toRotationMatrix();
    const Vector3 inverse = Vector3(1.0, 1.0, 1.0 / slender) / (inertia * mass * radius * radius);
    turns_.push_back(turn);
    packed_.add_body(1.0 / mass, turn * inverse.asDiagonal() * turn.transpose());
    Matrix block = Matrix::Zero(6, 6);
    block.diagonal() << Vector3::Constant(1.0 / mass), inverse;
    factored_.add_body(block);
    return static_cast<int>(turns_.size()) - 1;
  }

  void add_contact(int first, int second, const Vector3& normal, const Vector3& arm_first, const Vector3& arm_second,
                   const Vector3& free) {
    const Vector3 tangent = normal.unitOrthogonal();
    problem_.add_contact({&friction_, 1});
    Matrix3 rows;
    rows << normal.transpose(), tangent.transpose(), normal.cross(tangent).transpose();
    Eigen::Map<Vector3>(problem_.b.data() + problem_.cones.back().offset) = rows * free;
    if (is_packed_) return packed_.add_contact({normal, tangent, arm_first, arm_second, first, second});
    factored_.begin_row(3);
    for (const bool is_second : {false, true}) {
      const int body = is_second ? second : first;
      if (body < 0) continue;
      RowMatrixView block = factored_.add_block(body);
      const double sign = is_second ? 1.0 : -1.0;
      block.leftCols(3) = sign * rows;
      for (int r = 0; r < 3; ++r) {
        const Vector3 direction = rows.row(r);
        block.row(r).tail(3) = sign * (is_second ? arm_second : arm_first).cross(direction).transpose() * turns_[body];
      }
    }
  }

  /// Two bodies whose centres move alike, in rows alone.
  void add_joint(int first, int second) {
    problem_.add_free(3);
    factored_.begin_row(3);
    factored_.add_block(first).leftCols(3) = -Matrix3::Identity();
    factored_.add_block(second).leftCols(3) = Matrix3::Identity();
  }

  ConeProblem make() {
    if (is_packed_) {
      problem_.delassus = packed_;
    } else {
      problem_.delassus = factored_;
    }
    return problem_;
  }

  double draw() { return unit_(random_); }

 private:
  bool is_packed_;
  ConeProblem problem_;
  FrictionBlock friction_;
  PackedDelassus packed_;
  FactoredDelassus factored_;
  std::vector<Matrix3> turns_;
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> unit_{-1.0, 1.0};
};

struct PileRecipe {
  FrictionLaw law = FrictionLaw::coulomb;
  double mu = 0.3;
  bool packed = true;
  int edge = 4;  // [-] spheres a side
  int layers = 4;
  double arm = 1.0;            // [-] of the radius: 1 a sphere
  double slender = 1.0;        // [-]
  double mass_of_tenth = 1.0;  // [-] of every tenth body
  bool has_plate = false;      // that floats freely on top of all, one body
  bool has_joint = false;      // between the first ball and the last; in rows
};

/// Layers of balls in a box-centred lattice, falling on a floor: unit masses and radii.
ConeProblem make_ball_pile(const PileRecipe& recipe) {
  PileBuilder pile(recipe.law, recipe.mu, recipe.packed);
  constexpr double kFall = 0.01;  // [m/s] h g
  const auto at = [&](int x, int y, int layer) { return (layer * recipe.edge + y) * recipe.edge + x; };
  const int n = recipe.edge * recipe.edge * recipe.layers;
  for (int k = 0; k < n; ++k) {
    pile.add_body(k % 10 == 0 ? recipe.mass_of_tenth : 1.0, 1.0, 0.4, recipe.slender);
  }
  const int plate = recipe.has_plate ? pile.add_body(2.0, 4.0, 0.3, 2.0) : -1;
  std::vector<Vector3> free;
  for (int k = 0; k < n; ++k) {
    free.push_back(Vector3(0.2 * pile.draw(), 0.2 * pile.draw(), -1.0) * kFall);
  }
  const auto touch = [&](int first, int second, const Vector3& normal) {
    const Vector3 from = first < 0 ? Vector3(Vector3::Zero()) : free[first];
    pile.add_contact(first, second, normal, recipe.arm * normal, -recipe.arm * normal, free[second] - from);
  };
  for (int layer = 0; layer < recipe.layers; ++layer) {
    for (int y = 0; y < recipe.edge; ++y) {
      for (int x = 0; x < recipe.edge; ++x) {
        const int body = at(x, y, layer);
        if (layer == 0) touch(-1, body, Vector3::UnitZ());
        if (x > 0) touch(at(x - 1, y, layer), body, Vector3::UnitX());
        if (y > 0) touch(at(x, y - 1, layer), body, Vector3::UnitY());
        for (int k = 0; layer > 0 && k < 4; ++k) {  // in the hollows below
          const int dx = layer % 2 == 0 ? k % 2 - 1 : k % 2;
          const int dy = layer % 2 == 0 ? k / 2 - 1 : k / 2;
          if (x + dx < 0 || y + dy < 0 || x + dx >= recipe.edge || y + dy >= recipe.edge) continue;
          const Vector3 up(k % 2 == 0 ? 0.5 : -0.5, k / 2 == 0 ? 0.5 : -0.5, std::sqrt(0.5));
          touch(at(x + dx, y + dy, layer - 1), body, up);
        }
      }
    }
  }
  if (recipe.has_plate) {
    for (int y = 0; y < recipe.edge; ++y) {
      for (int x = 0; x < recipe.edge; ++x) {
        const int below = at(x, y, recipe.layers - 1);
        const Vector3 arm(2.0 * x - recipe.edge + 1.0, 2.0 * y - recipe.edge + 1.0, -0.1);
        pile.add_contact(below, plate, Vector3::UnitZ(), Vector3::UnitZ(), arm,
                         Vector3(0.0, 0.0, -kFall) - free[below]);
      }
    }
  }
  if (recipe.has_joint) pile.add_joint(0, n - 1);
  return pile.make();
}

/// Of any percussions, by the kernels of `set`.
Residual judge_by_packs(const ConeProblem& problem, const std::vector<double>& p, const PackKernels& kernels,
                        const ContactPacks& packs) {
  std::vector<PackVector> packed(packs.n_packs());
  packs.take(problem, p, packed);
  std::vector<BodyVelocity> v(packs.mobilities().size(), BodyVelocity{});
  const int n = packs.n_sphere_packs();
  kernels.add_sphere_momenta(packs.spheres().data(), n, packed.data(), v.data());
  kernels.add_general_momenta(packs.general().data(), packs.n_packs() - n, packed.data() + n, v.data());
  kernels.accelerate(packs.mobilities().data(), static_cast<int>(v.size()), v.data());
  JudgeData data = {v.data(), packed.data(), problem.calc_residual_scale(), {0.0, 0.0, 0.0}};
  const bool is_exact = problem.law == FrictionLaw::coulomb;
  kernels.judge_spheres(packs.spheres().data(), n, is_exact, data);
  data.p += n;
  kernels.judge_general(packs.general().data(), packs.n_packs() - n, is_exact, data);
  return {.absolute = std::sqrt(data.sums[0]), .missed = std::sqrt(data.sums[2]), .size = std::sqrt(data.sums[1])};
}

TEST(ContactPacks, StandForTheOperator) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    std::vector<ConeProblem> problems;
    for (const bool packed : {true, false}) {
      problems.push_back(make_ball_pile({.law = law, .packed = packed}));
      problems.push_back(make_ball_pile({.law = law, .packed = packed, .arm = 1.3, .slender = 0.4}));
      problems.push_back(make_ball_pile({.law = law, .packed = packed, .edge = 7, .layers = 1, .has_plate = true}));
    }
    problems.push_back(test::plant({.n_contacts = 40, .packed = true}, law, 3).problem);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const ConeProblem& problem = problems[k];
      std::mt19937 random(5);
      std::uniform_real_distribution<double> draw(-0.01, 0.02);
      std::vector<double> p(problem.size());
      for (double& value : p) value = draw(random);
      ContactPacks packs;
      packs.build(problem);
      EXPECT_TRUE(packs.singles().empty());
      const Residual expected = calc_residual(problem, p);
      std::vector<double> u(problem.size());
      problem.apply_delassus(p, u);
      double speed = 0.0;
      for (int r = 0; r < problem.size(); ++r) speed += (u[r] + problem.b[r]) * (u[r] + problem.b[r]);
      const Residual found = judge_by_packs(problem, p, pack_kernels_sse2(), packs);
      EXPECT_NEAR(found.size, std::sqrt(speed), 1e-12 * std::sqrt(speed)) << k;
      EXPECT_NEAR(found.absolute, expected.absolute, 1e-11 * expected.absolute) << k;
      EXPECT_NEAR(found.missed, expected.missed, 1e-11 * expected.missed) << k;
      std::vector<double> back(problem.size(), 0.0);
      std::vector<PackVector> packed(packs.n_packs());
      packs.take(problem, p, packed);
      packs.give(problem, packed, back);
      for (int r = 0; r < problem.size(); ++r) EXPECT_NEAR(back[r], p[r], 1e-16);
    }
  }
}

TEST(ContactPacks, KindsOfContacts) {
  for (const bool packed : {true, false}) {
    ContactPacks packs;
    packs.build(make_ball_pile({.packed = packed}));
    EXPECT_EQ(packs.general().size(), 0u) << packed;
    packs.build(make_ball_pile({.packed = packed, .slender = 0.5}));
    EXPECT_EQ(packs.spheres().size(), 0u) << packed;
  }
}

/// Each contact is in one pack, and those of a pack share no body but a plate.
TEST(ContactPacks, NoBodyTwiceInAPack) {
  const ConeProblem problem = make_ball_pile({.edge = 7, .layers = 2, .has_plate = true});
  const int plate = 7 * 7 * 2;
  ContactPacks packs;
  packs.build(problem);
  int n_contacts = 0;
  const auto check = [&](const auto& all) {
    for (const PackOfContacts& pack : all) {
      for (int lane = 0; lane < kLanes; ++lane) {
        n_contacts += pack.metric_normal[lane] > 0.0 ? 1 : 0;
        for (int other = 0; other < lane; ++other) {
          for (const int body : {pack.first[lane], pack.second[lane]}) {
            if (body == plate || body > plate) continue;
            EXPECT_TRUE(pack.first[other] != body && pack.second[other] != body) << body;
          }
        }
      }
    }
  };
  check(packs.spheres());
  check(packs.general());
  EXPECT_EQ(n_contacts, problem.n_cones());
}

class AgsPiles : public testing::Test {
 protected:
  void TearDown() override { unsetenv("STICKSLIP_ISA"); }

  static SolveReport solve(const ConeProblem& problem, double tolerance, std::vector<double>& p, int most = 20000) {
    AgsOptions options;
    options.tolerance = tolerance;
    options.max_iterations = most;
    ConeSolution solution;
    solution.p.assign(problem.size(), 0.0);
    const SolveReport report = make_solver(options)->solve(problem, solution);
    EXPECT_EQ(report.status == Status::ok, calc_residual(problem, solution.p).is_within({.relative = tolerance}));
    p = solution.p;
    return report;
  }
  static void expect_solved(const PileRecipe& recipe, double tolerance, int most_sweeps) {
    std::vector<double> p;
    const SolveReport report = solve(make_ball_pile(recipe), tolerance, p, most_sweeps);
    EXPECT_EQ(report.status, Status::ok) << report.residual.relative;
  }
};

TEST_F(AgsPiles, BothLaws) {
  expect_solved({}, 1e-6, 2000);
  expect_solved({.law = FrictionLaw::associated}, 1e-6, 2000);
  expect_solved({.packed = false}, 1e-6, 2000);
  expect_solved({.law = FrictionLaw::associated, .packed = false}, 1e-6, 2000);
}

TEST_F(AgsPiles, BodiesOfOtherShapes) {
  expect_solved({.arm = 1.3, .slender = 0.4}, 1e-3, 4000);
  expect_solved({.law = FrictionLaw::associated, .arm = 1.3, .slender = 0.4}, 1e-4, 4000);
}

TEST_F(AgsPiles, LargeFriction) {
  for (const double mu : {0.5, 0.7, 1.2}) expect_solved({.mu = mu}, 1e-2, 2000);
  expect_solved({.law = FrictionLaw::associated, .mu = 0.7}, 1e-3, 2000);
}

TEST_F(AgsPiles, EveryTenthIsAHundredTimesHeavier) {
  for (const double mu : {0.1, 0.3}) expect_solved({.mu = mu, .mass_of_tenth = 100.0}, 1e-3, 4000);
  expect_solved({.law = FrictionLaw::associated, .mu = 0.7, .mass_of_tenth = 100.0}, 1e-3, 4000);
}

TEST_F(AgsPiles, UnderAFreePlate) {
  expect_solved({.edge = 7, .layers = 2, .has_plate = true}, 1e-3, 4000);
  expect_solved({.law = FrictionLaw::associated, .edge = 7, .layers = 2, .has_plate = true}, 1e-3, 4000);
}

/// The same bits whatever the instructions, of packs of both kinds and of cones beside them.
TEST_F(AgsPiles, SameBitsWithAllInstructions) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    std::vector<ConeProblem> problems = {make_ball_pile({.law = law}),
                                         make_ball_pile({.law = law, .arm = 1.2, .slender = 0.5}),
                                         make_ball_pile({.law = law, .edge = 7, .layers = 2, .has_plate = true}),
                                         test::plant({.n_contacts = 30, .n_joints = 2, .rigid = true}, law, 2).problem};
    for (const ConeProblem& problem : problems) {
      std::vector<double> first;
      for (const char* name : {"sse2", "avx2", "avx512"}) {
        setenv("STICKSLIP_ISA", name, 1);
        std::vector<double> p;
        try {
          (void)solve(problem, 1e-9, p, 60);
        } catch (const InputError&) {
          continue;  // this machine lacks it
        }
        if (first.empty()) first = p;
        EXPECT_EQ(p, first) << name;
      }
    }
  }
}

/// The same bits for any number of threads, of piles that they share: of spheres, of others, in rows, under a plate.
TEST_F(AgsPiles, SameBitsWithAnyThreads) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    const std::vector<PileRecipe> recipes = {
        {.law = law, .edge = 16},
        {.law = law, .edge = 16, .arm = 1.2, .slender = 0.5},
        {.law = law, .packed = false, .edge = 16, .mass_of_tenth = 100.0},
        {.law = law, .edge = 22, .layers = 2, .has_plate = true},
    };
    for (const PileRecipe& recipe : recipes) {
      const ConeProblem problem = make_ball_pile(recipe);
      ContactPacks packs;
      packs.build(problem);
      EXPECT_TRUE(packs.are_many());
      std::vector<double> first;
      Residual residual;
      for (const int n_threads : {1, 2, 4, 8}) {
        ThreadTeam team(n_threads);
        const ThreadTeam::Scope scope(&team);
        std::vector<double> p;
        const SolveReport report = solve(problem, 1e-9, p, 12);
        if (n_threads == 1) {
          first = p;
          residual = report.residual;
        }
        EXPECT_EQ(p, first) << n_threads;
        EXPECT_EQ(report.residual.absolute, residual.absolute) << n_threads;
        EXPECT_EQ(report.residual.missed, residual.missed) << n_threads;
      }
    }
  }
}

/// The same bits for any number of ranks, with threads, too: spheres; others under a plate; rows with a joint.
TEST_F(AgsPiles, SameBitsWithAnyRanks) {
  struct Case {
    PileRecipe recipe;
    int n_ranks, n_threads;
  };
  const std::vector<Case> cases = {
      {{.edge = 22}, 2, 2},
      {{.edge = 32, .layers = 2, .has_plate = true}, 2, 1},
      {{.law = FrictionLaw::associated, .packed = false, .edge = 22, .slender = 0.5, .has_joint = true}, 3, 1}};
  for (const Case& of : cases) {
    const ConeProblem problem = make_ball_pile(of.recipe);
    std::vector<double> alone;
    const SolveReport of_alone = solve(problem, 1e-9, alone, 12);
    test::run_ranks(of.n_ranks, [&](int rank) {
      ThreadTeam team(of.n_threads);
      const ThreadTeam::Scope scope(&team);
      ContactPacks packs;
      packs.build(problem);
      EXPECT_NE(packs.ranks(), nullptr);
      std::vector<double> p;
      const SolveReport report = solve(problem, 1e-9, p, 12);
      EXPECT_TRUE(p == alone) << rank << " of " << of.n_ranks;
      EXPECT_EQ(report.residual.absolute, of_alone.residual.absolute);
      EXPECT_EQ(report.residual.missed, of_alone.residual.missed);
    });
  }
}

/// Two ranks send each other the bodies between them alone.
TEST_F(AgsPiles, RanksSendWhatLiesBetween) {
  constexpr int kEdge = 20, kLayers = 6;
  const ConeProblem problem = make_ball_pile({.edge = kEdge, .layers = kLayers});
  test::run_ranks(2, [&](int rank) {
    ContactPacks packs;
    packs.build(problem);
    PackExchange exchange;
    exchange.build(packs);
    EXPECT_GT(exchange.n_received(), 0u);
    EXPECT_LT(exchange.n_received(), packs.n_records() / 2);
    int n_owned = 0;
    for (const PackExchange::Range& range : exchange.owned()) {
      if (range.first < packs.n_records()) n_owned += range.n;
    }
    EXPECT_NEAR(n_owned, 0.5 * packs.n_records(), kEdge * kEdge) << rank;
  });
}

/// Blocks that threads visit at once share no body, and no record of an empty lane.
TEST_F(AgsPiles, BlocksShareNothing) {
  for (const PileRecipe& recipe : {PileRecipe{.edge = 16}, PileRecipe{.edge = 22, .layers = 2, .has_plate = true}}) {
    ContactPacks packs;
    packs.build(make_ball_pile(recipe));
    int n_ordered = 0;
    for (const ContactPacks::Batch& batch : packs.batches()) {
      ASSERT_FALSE(batch.is_general && !recipe.has_plate);
      n_ordered += batch.is_ordered ? 1 : 0;
      if (batch.is_ordered) continue;
      std::vector<int> owner(packs.mobilities().size(), -1);
      for_blocks(false, batch.size(), ContactPacks::kBlock, [&](std::size_t begin, std::size_t end, int block) {
        for (std::size_t k = batch.begin + begin; k < batch.begin + end; ++k) {
          const PackOfContacts& pack =
              batch.is_general ? static_cast<const PackOfContacts&>(packs.general()[k]) : packs.spheres()[k];
          for (int lane = 0; lane < kLanes; ++lane) {
            for (const int body : {pack.first[lane], pack.second[lane]}) {
              EXPECT_TRUE(owner[body] < 0 || owner[body] == block);
              owner[body] = block;
            }
          }
        }
      });
    }
    EXPECT_EQ(n_ordered, recipe.has_plate ? 1 : 0);
  }
}

/// A solve of few contacts starts no thread.
TEST_F(AgsPiles, FewContactsStartNoThread) {
  ThreadTeam team(4);
  const ThreadTeam::Scope scope(&team);
  std::vector<double> p;
  (void)solve(make_ball_pile({}), 1e-3, p);
  EXPECT_EQ(team.calc_cpu_seconds(), 0.0);
}

/// Discs in the plane: rows of three velocities a body.
TEST_F(AgsPiles, Planar) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    ConeProblem problem;
    problem.law = law;
    FactoredDelassus w;
    constexpr int kDiscs = 20;
    const FrictionBlock friction{1, 0.4, 0, 0.0};
    for (int k = 0; k < kDiscs; ++k) w.add_body(Vector3(1.0, 1.0, 2.0).asDiagonal().toDenseMatrix());
    const auto touch = [&](int first, int second, double angle) {
      const double c = std::cos(angle), s = std::sin(angle);
      problem.add_contact({&friction, 1});
      w.begin_row(2);
      if (first >= 0) w.add_block(first) << -c, -s, 0.0, s, -c, -1.0;
      w.add_block(second) << c, s, 0.0, -s, c, -1.0;
      problem.b[problem.cones.back().offset] = first < 0 ? -0.01 * s : 0.001 * c;
      problem.b[problem.cones.back().offset + 1] = first < 0 ? -0.01 * c : -0.001 * s;
    };
    for (int k = 0; k < kDiscs; ++k) {
      if (k < 5) touch(-1, k, 1.5707963267948966);
      if (k % 5 > 0) touch(k - 1, k, 0.0);
      if (k >= 5) touch(k - 5, k, 1.5707963267948966);
    }
    problem.delassus = w;
    ContactPacks packs;
    packs.build(problem);
    EXPECT_TRUE(packs.singles().empty());
    EXPECT_TRUE(packs.general().empty());
    std::vector<double> p;
    EXPECT_EQ(solve(problem, 1e-8, p).status, Status::ok);
  }
}

TEST_F(AgsPiles, IterationsAreSweeps) {
  const ConeProblem problem = make_ball_pile({});
  AgsOptions options;
  options.max_iterations = 7;
  ConeSolution solution;
  solution.p.assign(problem.size(), 0.0);
  const SolveReport report = AgsSolver(options).solve(problem, solution);
  EXPECT_EQ(report.iterations, 7);
  EXPECT_EQ(report.effort.sweeps, 7);
  EXPECT_EQ(report.status, Status::inexact);
}

}  // namespace
}  // namespace stickslip
