// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds of a one-contact solve by kind, of a whole one-contact problem, and of a sweep per contact.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "stickslip/solvers/associated_contact.h"
#include "stickslip/solvers/one_contact.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

/// A sphere on the floor (W_NT = 0) in which `b` decides the state.
constexpr std::array<double, 9> kSphere = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5};
/// A rod's tip: normal and friction coupled, different eigenvalues, still a unique solution at mu = 0.3.
constexpr std::array<double, 9> kCoupled = {1.9, 0.6, 0.2, 0.6, 2.8, -0.3, 0.2, -0.3, 1.4};
/// Coupled enough that mu = 5/3 leaves takeoff, stick and slip.
constexpr std::array<double, 9> kPainleve = {1.75, -1.299, 0.0, -1.299, 3.25, 0.0, 0.0, 0.0, 1.0};
/// Coulomb-Contensou: the fourth row is the drilling velocity of a contact radius of half a millimetre.
constexpr std::array<double, 16> kContensou = {1.9, 0.6,  0.2, 1e-5,  0.6,  2.8,  -0.3,  2e-5,
                                               0.2, -0.3, 1.4, -1e-5, 1e-5, 2e-5, -1e-5, 1e-7};

void solve(benchmark::State& state, int d, double mu, const double* w, const std::array<double, 4>& b) {
  OneContact contact;
  contact.prepare(d, mu, w);
  std::array<double, 4> start = {};
  for (auto _ : state) {
    std::array<double, 4> p = start;
    benchmark::DoNotOptimize(contact.solve(b.data(), p.data()));
    benchmark::DoNotOptimize(p);
  }
}

BENCHMARK_CAPTURE(solve, takeoff, 2, 0.3, kCoupled.data(), std::array{0.1, 1.0, 0.5, 0.0});
BENCHMARK_CAPTURE(solve, stick, 2, 0.3, kCoupled.data(), std::array{-1.0, -0.3, 0.0, 0.0});
BENCHMARK_CAPTURE(solve, slip, 2, 0.3, kCoupled.data(), std::array{-1.0, 2.0, 0.5, 0.0});
BENCHMARK_CAPTURE(solve, slip_sphere, 2, 0.3, kSphere.data(), std::array{-1.0, 2.0, 0.5, 0.0});
BENCHMARK_CAPTURE(solve, three_solutions, 2, 5.0 / 3.0, kPainleve.data(), std::array{0.04, -1.0, 0.0, 0.0});
BENCHMARK_CAPTURE(solve, contensou_slip, 3, 0.3, kContensou.data(), std::array{-1.0, 2.0, 0.5, 0.01});

void solve_planar(benchmark::State& state, double tangential) {
  const std::array<double, 4> w = {1.9, 0.6, 0.6, 2.8};
  solve(state, 1, 0.3, w.data(), {-1.0, tangential, 0.0, 0.0});
}
BENCHMARK_CAPTURE(solve_planar, stick, -0.3);
BENCHMARK_CAPTURE(solve_planar, slip, 2.0);

void prepare(benchmark::State& state, int d, const double* w) {
  OneContact contact;
  for (auto _ : state) {
    contact.prepare(d, 0.3, w);
    benchmark::DoNotOptimize(contact);
  }
}
BENCHMARK_CAPTURE(prepare, planar, 1, kSphere.data());
BENCHMARK_CAPTURE(prepare, spatial, 2, kCoupled.data());
BENCHMARK_CAPTURE(prepare, contensou, 3, kContensou.data());

void solve_associated(benchmark::State& state) {
  AssociatedContact contact;
  contact.prepare(2, 0.3, kCoupled.data());
  const std::array<double, 3> b = {-1.0, 2.0, 0.5};
  for (auto _ : state) {
    std::array<double, 3> p = {};
    contact.solve(b.data(), p.data());
    benchmark::DoNotOptimize(p);
  }
}
BENCHMARK(solve_associated);

/// A whole problem of one contact through nsgs: operator, solve, residual.
void solve_problem(benchmark::State& state) {
  const int d = static_cast<int>(state.range(0));
  const int n_v = d == 1 ? 3 : 6;
  ConeProblem problem;
  const FrictionBlock block{d, 0.3, 0, 0.0};
  problem.add_contact({&block, 1});
  FactoredDelassus w;
  w.add_body(Matrix::Identity(n_v, n_v));
  w.begin_row(1 + d);
  RowMatrixView jacobian = w.add_block(0);
  for (int r = 0; r <= d; ++r) {
    for (int c = 0; c < n_v; ++c) jacobian(r, c) = r == c ? 1.0 : 0.1 * (r + c);
  }
  problem.delassus = w;
  problem.b = std::vector<double>(1 + d, 1.0);
  problem.b[0] = -1.0;
  const auto solver = make_solver(NsgsOptions{});
  ConeSolution solution;
  solution.p.assign(1 + d, 0.0);
  solution.u = solution.p;
  for (auto _ : state) {
    std::fill(solution.p.begin(), solution.p.end(), 0.0);
    benchmark::DoNotOptimize(solver->solve(problem, solution));
  }
}
BENCHMARK(solve_problem)->Arg(1)->Arg(2)->Arg(3);

/// A row of n spheres, each touching the next, pressed together: sweeps of nsgs without Newton steps.
void sweep(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  ConeProblem problem;
  FactoredDelassus w;
  for (int k = 0; k <= n; ++k) w.add_body(Matrix::Identity(6, 6));
  const FrictionBlock block{2, 0.3, 0, 0.0};
  for (int i = 0; i < n; ++i) {
    problem.add_contact({&block, 1});
    w.begin_row(3);
    for (const int body : {i, i + 1}) {
      RowMatrixView jacobian = w.add_block(body);
      for (double& value : jacobian.reshaped()) value = 0.4 * normal(random);
      for (int r = 0; r < 3; ++r) jacobian(r, r) += body == i ? -1.0 : 1.0;
    }
  }
  for (double& value : problem.b) value = normal(random) - 0.5;
  problem.delassus = w;
  NsgsOptions options;
  options.newton_rows = 0;
  options.tolerance = 1e-300;
  options.max_iterations = 100;
  const auto solver = make_solver(options);
  ConeSolution solution;
  double visits = 0.0;
  for (auto _ : state) {
    solution.p.assign(problem.size(), 0.0);
    const SolveReport report = solver->solve(problem, solution);
    visits += static_cast<double>(report.iterations) * n;
  }
  state.counters["s_per_visit"] = benchmark::Counter(visits, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sweep)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace stickslip
