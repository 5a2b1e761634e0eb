// SPDX-License-Identifier: BSD-3-Clause
// What a step of a pile of spheres costs beside its solve, in nanoseconds a body or contact, from 1e3 to 1e5 bodies:
//   pile_bench [PILE.csv ...]
// and what whole steps cost and leave, beside an imitation of programs that sweep a fixed number of times (psor.h):
//   pile_bench --steps N [--sweeps N] [--tile K] [--threads N] [PILE.csv ...]    K x K mirror images side by side
// Piles are files of "radius, position (3), quaternion w x y z, velocity (3), angular velocity in the body frame (3)" a
// line under a line "# N count L side H height": settled in a box of inner side L around the origin, the floor at z = 0
// or wherever the lowest sphere touches it. Larger ones are mirror images of them, side by side. Without a file a pile
// of 1000 is poured and settled here, and kept in pile_1000.csv. CSV on the standard output, or a table in
// Markdown.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/pile/beside_psor.h"
#include "bench/pile/pile.h"
#include "stickslip/base/processor_clock.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/solvers/delassus_rows.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/scheme_options.h"

namespace stickslip {
namespace {

constexpr double kDensity = 1000.0;  // [kg/m^3]
constexpr double kStep = 1e-3;       // [s]

/// CPU time of a call, the least of several. [s]
double time_of(const std::function<void()>& call, int repetitions = 5) {
  double least = HUGE_VAL;
  for (int i = 0; i < repetitions; ++i) {
    const double start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    call();
    least = std::min(least, read_clock(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
  return least;
}

System make_system(const SpherePile& pile) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body box;
  box.name = "box";
  box.type = BodyType::fixed;
  const double half = 0.5 * pile.side;
  const auto wall = [&box](const char* name, const Vector3& normal, double offset) {
    box.shapes.push_back(Shape{.name = name, .geometry = HalfSpace{.normal = normal, .offset = offset}});
  };
  wall("floor", Vector3::UnitZ(), pile.floor);
  wall("west", Vector3::UnitX(), -half);
  wall("east", -Vector3::UnitX(), -half);
  wall("south", Vector3::UnitY(), -half);
  wall("north", -Vector3::UnitY(), -half);
  builder.add_body(box);
  for (std::size_t i = 0; i < pile.balls.size(); ++i) {
    const double r = pile.balls[i].radius;
    Body body;
    body.name = "ball" + std::to_string(i);
    body.mass = kDensity * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    body.inertia = 0.4 * body.mass * r * r * Matrix3::Identity();
    body.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = r}}};
    builder.add_body(body);
  }
  ContactDetectionOptions contacts;
  contacts.law.friction = 0.3;
  contacts.envelope = 0.01;
  builder.detect_contacts(contacts);
  return builder.build();
}

State make_state(const SpherePile& pile) {
  State state;
  const auto n = static_cast<Eigen::Index>(pile.balls.size());
  state.q.resize(7 * n);
  state.u.resize(6 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Ball& b = pile.balls[static_cast<std::size_t>(i)];
    state.q.segment<3>(7 * i) = b.position;
    state.q.segment<4>(7 * i + 3) = b.orientation;
    state.u.segment<3>(6 * i) = b.velocity;
    state.u.segment<3>(6 * i + 3) = b.spin;
  }
  return state;
}

/// Numbers of the rule by which piles are poured: splitmix64.
double uniform(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15u * (k + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// n^3 spheres on a grid with play, dropped and settled for 2 s.
SpherePile pour(int n) {
  constexpr double kSpacing = 0.25;  // [m]
  SpherePile pile = {kSpacing * n, 0.0, {}};
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n * n * n); ++i) {
    const auto columns = static_cast<std::uint64_t>(n);
    const auto at = [&](std::uint64_t k, std::uint64_t seed) {
      return (static_cast<double>(k) + 0.5) * kSpacing + 0.005 * (2.0 * uniform(seed, i) - 1.0);
    };
    pile.balls.push_back({0.08 + 0.04 * uniform(1, i),
                          {at(i % columns, 2) - 0.5 * pile.side, at(i / columns % columns, 3) - 0.5 * pile.side,
                           at(i / (columns * columns), 4)},
                          {1.0, 0.0, 0.0, 0.0},
                          Vector3::Zero(),
                          Vector3::Zero()});
  }
  const System system = make_system(pile);
  SpgOptions options;
  options.tolerance = 1e-2;
  const auto solver = make_solver(options);
  const auto stepper = make_stepper(MoreauOptions{}, system, *solver);
  State state = make_state(pile);
  StepReport report;
  stepper->initialize(state, report);
  for (int k = 1; k <= 2000; ++k) (void)stepper->step(state, kStep, k * kStep, report);
  for (std::size_t i = 0; i < pile.balls.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    Ball& b = pile.balls[i];
    b.position = state.q.segment<3>(7 * k);
    b.orientation = state.q.segment<4>(7 * k + 3);
    b.velocity = state.u.segment<3>(6 * k);
    b.spin = state.u.segment<3>(6 * k + 3);
  }
  return pile;
}

/// Answers at once, with no percussions.
class NoSolver final : public ConeSolver {
 public:
  std::string_view name() const override { return "none"; }
  double tolerance() const override { return 1.0; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return {}; }
  SolveReport do_solve(const ConeProblem& problem, Tolerance /*tolerance*/, ConeSolution& solution) override {
    solution.p.assign(problem.b.size(), 0.0);
    solution.u = problem.b;
    return {};
  }
};

/// What the program holds of the heap. [bytes]
double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// What a stepper, its solver, state and report hold after two steps. [bytes]
double bytes_of_steps(const System& system, const State& start) {
  SpgOptions options;
  options.tolerance = 1e-2;
  const double before = heap_bytes();
  const auto solver = make_solver(options);
  const auto stepper = make_stepper(MoreauOptions{}, system, *solver);
  State state = start;
  StepReport report;
  stepper->initialize(state, report);
  for (int k = 1; k <= 2; ++k) (void)stepper->step(state, kStep, k * kStep, report);
  return heap_bytes() - before;
}

void measure(const SpherePile& pile) {
  const System system = make_system(pile);
  const State start = make_state(pile);
  const auto n_bodies = static_cast<double>(pile.balls.size());

  BodySnapshot at(system);
  ContactFinder finder(system);
  const auto find = [&] {
    at.take(0.0, start.q, &start.u);
    finder.find(at, kStep);
  };
  find();
  ConstraintSet constraints(system);
  const auto gather = [&] { constraints.gather(at, finder.points(), 0.01, kStep); };
  gather();
  ConeProblem& problem = constraints.problem();
  const auto n_contacts = static_cast<double>(problem.n_cones());
  ConeSolution solution = {std::vector<double>(problem.b.size(), 1e-3), problem.b};
  std::vector<double> work(problem.delassus_work_size());
  std::vector<double> u(problem.b.size());
  DelassusRows rows;
  rows.bind(problem);
  rows.start(solution.p);
  const auto sweep = [&] {
    for (int i = 0; i < problem.n_cones(); ++i) {
      rows.calc_velocity(i, solution.p, u.data() + problem.cones[i].offset);
      rows.add_change(i, solution.p.data() + problem.cones[i].offset);
    }
  };
  StepReport report;
  const auto tell = [&] { constraints.report_contacts(at, solution, u, kStep, NAN, report); };
  tell();
  NoSolver none;
  const auto stepper = make_stepper(MoreauOptions{}, system, none);
  State state = start;
  stepper->initialize(state, report);
  State moved = state;
  const auto step = [&] {
    moved = state;
    (void)stepper->step(moved, kStep, kStep, report);
  };
  step();

  State apart = start;  // one above the other
  for (Eigen::Index i = 0; i < apart.q.size(); i += 7) apart.q(i + 2) = pile.floor + 0.1 * static_cast<double>(i + 7);
  const double bytes = bytes_of_steps(system, start);
  const double bytes_apart = bytes_of_steps(system, apart);

  const auto line = [&](const char* what, const char* each, double seconds, double count) {
    fmt::print("{},{:.0f},{:.0f},{},{},{:.1f}\n", "pile", n_bodies, n_contacts, what, each, 1e9 * seconds / count);
  };
  const auto memory = [&](const char* what, const char* each, double size, double count) {
    fmt::print("{},{:.0f},{:.0f},{},{},{:.0f}\n", "pile", n_bodies, n_contacts, what, each, size / count);
  };
  memory("memory of the steps [B]", "contact", bytes - bytes_apart, n_contacts);
  memory("memory of the steps without contacts [B]", "body", bytes_apart, n_bodies);
  line("find", "body", time_of(find), n_bodies);
  line("gather", "contact", time_of(gather), n_contacts);
  line("apply", "contact", time_of([&] { problem.apply_delassus(solution.p, u, work); }), n_contacts);
  line("prepare", "contact", time_of([&] { rows.bind(problem); }), n_contacts);
  line("sweep", "contact", time_of(sweep), n_contacts);
  line("report", "contact", time_of(tell), n_contacts);
  line("step beside the solve", "contact", time_of(step), n_contacts);
}

/// What the machine gives: multiply-adds a second in one thread, and bandwidth of a triad of arrays beyond its caches.
void calibrate() {
  constexpr int kLanes = 8;
  constexpr int kRounds = 20'000'000;
  std::array<double, kLanes> x;
  x.fill(1.0);
  const double seconds = time_of(
      [&] {
        for (int k = 0; k < kRounds; ++k) {
          for (double& lane : x) lane = lane * 0.999999 + 1e-6;
        }
      },
      3);
  std::vector<double> a(20'000'000, 0.0), b(a.size(), 1.0), c(a.size(), 2.0);
  const double triad = time_of([&] {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + 3.0 * c[i];
  });
  fmt::print("one thread: {:.2f} GFlop/s of multiply-adds, {:.1f} GB/s in a triad ({:.0f})\n\n",
             2e-9 * kLanes * static_cast<double>(kRounds) / seconds, 24e-9 * static_cast<double>(a.size()) / triad,
             x[0] + a[1]);
}

/// What the arguments ask for.
struct Request {
  std::vector<std::string> files;
  int tile = 1;
  BesidePsorOptions beside = {.steps = 0};
};

Request read_arguments(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::max(1, std::atoi(argv[++i])) : 1; };
    if (word == "--steps") {
      request.beside.steps = number();
    } else if (word == "--threads") {
      request.beside.threads = number();
    } else if (word == "--sweeps") {
      request.beside.sweeps = number();
    } else if (word == "--tile") {
      request.tile = number();
    } else {
      request.files.emplace_back(word);
    }
  }
  return request;
}

int run(const Request& request) {
  std::vector<SpherePile> piles;
  for (const std::string& file : request.files) piles.push_back(read_pile(file));
  if (piles.empty()) {
    constexpr const char* kKept = "pile_1000.csv";
    if (!std::ifstream(kKept)) write_pile(pour(10), kKept);
    piles.push_back(read_pile(kKept));
  }
  calibrate();
  if (request.beside.steps > 0) {
    print_beside_psor_head();
    for (const SpherePile& pile : piles) print_beside_psor(tile(pile, request.tile), request.beside);
    return 0;
  }
  fmt::print("scene,bodies,contacts,part,each,ns\n");
  for (const SpherePile& pile : piles) measure(pile);
  const SpherePile& last = piles.back();
  for (const double bodies : {1e4, 1e5}) {
    const auto n = std::lround(std::sqrt(bodies / static_cast<double>(last.balls.size())));
    if (n > 1) measure(tile(last, static_cast<int>(n)));
  }
  return 0;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  return stickslip::run(stickslip::read_arguments(argc, argv));
}
