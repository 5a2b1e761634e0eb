// SPDX-License-Identifier: BSD-3-Clause
// The five ways to solve the inclusion of the relaxation (stepping/relaxation/relaxation.h), as rows of
// docs/schemes.md: a sphere that slides and then rolls, and random contact problems. Beside them what a step of
// other schemes costs. `relaxation_bench WAY`: the sphere by that way alone, for a profiler.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/relaxation/clip.h"

namespace stickslip {
namespace {

/// [s] processor time of this process.
double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr double kAngle = 0.3;     // [rad] of the sphere's velocity to the first tangent
constexpr double kSpeed = 2.0;     // [m/s]
constexpr double kMu = 0.2;        // [-]
constexpr double kGravity = 9.81;  // [m/s^2]

Scene load_sphere(const std::string& scheme, double step) {
  LoadOptions load;
  load.overrides = {
      "scheme=" + scheme, fmt::format("time.step={}", step),
      fmt::format("bodies.sphere.velocity=[{:.17g},{:.17g},0]", kSpeed * std::cos(kAngle), kSpeed * std::sin(kAngle))};
  return load_scene(STICKSLIP_SCENES_DIR "/papers/trinkle/sphere.toml", load);
}

/// What became of a run of the sphere.
struct Slide {
  double microseconds = 0.0;  // of a step
  double velocity = 0.0;      // [m/s] the largest error
  double across = 0.0;        // [m/s] the same across the direction of sliding
  double gap = 0.0;           // [m] the largest
  double rolls = 0.0;         // [s] when it slips by less than a thousandth of its speed
};

Slide slide(const Scene& scene, int repetitions) {
  Slide result;
  double begin = 0.0;
  std::int64_t steps = 0;
  for (int i = 0; i <= repetitions; ++i) {
    if (i == 1) begin = now();
    const BuiltScene built = build(scene);
    State state = built.initial;
    StepReport report;
    built.stepper->initialize(state, report);
    while (state.t < scene.time.end - 0.5 * scene.time.step) {
      const double t = static_cast<double>(state.step + 1) * scene.time.step;
      if (built.stepper->step(state, scene.time.step, t, report) == Status::failed) return result;
      if (i > 0) {
        ++steps;
        continue;
      }
      const double exact = std::max(kSpeed - kMu * kGravity * t, 5.0 / 7.0 * kSpeed);
      const double along = std::cos(kAngle) * state.u(0) + std::sin(kAngle) * state.u(1);
      const double across = std::cos(kAngle) * state.u(1) - std::sin(kAngle) * state.u(0);
      result.velocity = std::max(result.velocity, std::hypot(along - exact, across));
      result.across = std::max(result.across, std::abs(across));
      result.gap = std::max(result.gap, report.contacts[0].gap);
      const double slip = std::hypot(state.u(0) - state.u(4), state.u(1) + state.u(3));
      if (result.rolls == 0.0 && slip < 1e-3 * kSpeed) result.rolls = t;
    }
  }
  result.microseconds = 1e6 * (now() - begin) / static_cast<double>(std::max<std::int64_t>(steps, 1));
  return result;
}

void print_way(std::string_view name) {
  const Slide s = slide(load_sphere(fmt::format("{{type=\"relaxation\",inclusion=\"{}\"}}", name), 2.5e-4), 20);
  constexpr double kEvaluations = 4.0;
  fmt::print("| {} | {:.2f} | {:.2e} | {:.2e} | {:.2e} | {:.4f} |\n", name, s.microseconds / kEvaluations, s.velocity,
             s.across, s.gap, s.rolls);
}

void print_sphere() {
  fmt::print(
      "| a sphere at .3 rad, delta 1 ms, h .25 ms | us an evaluation | velocity off by | across | gap | rolls at |\n");
  for (const std::string_view name : kInclusionNames) print_way(name);
  for (const std::string_view name : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha"}) {
    const Slide s = slide(load_sphere(fmt::format("{{type=\"{}\"}}", name), 2.5e-4), 20);
    fmt::print("| step of {} | {:.2f} | {:.2e} | {:.2e} | {:.2e} | {:.4f} |\n", name, s.microseconds, s.velocity,
               s.across, s.gap, s.rolls);
  }
}

/// Contacts between spheres of a chain and of it with the ground, in random directions; all approach at random.
class RandomProblem {
 public:
  RandomProblem(int n_bodies, int n_contacts, unsigned seed) : random_(seed) {
    auto& delassus = problem.delassus.emplace<FactoredDelassus>();
    Matrix inverse = Matrix::Identity(6, 6);
    inverse.bottomRightCorner<3, 3>() *= 2.5;
    for (int i = 0; i < n_bodies; ++i) delassus.add_body(inverse * std::exp(draw()));
    velocity_.setZero(6 * n_bodies);
    for (double& v : velocity_) v = draw();
    std::uniform_int_distribution<int> body(0, n_bodies - 1);
    for (int i = 0; i < n_contacts; ++i) {
      const FrictionBlock friction{2, 0.5, 0, 0.0};
      problem.add_contact({&friction, 1});
      delassus.begin_row(3);
      const int first = body(random_);
      const int second = body(random_);
      add_side(delassus, first, 1.0);
      if (second != first) add_side(delassus, second, -1.0);
    }
  }
  ConeProblem problem;

 private:
  double draw() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }

  void add_side(FactoredDelassus& delassus, int body, double sign) {
    Vector3 n = Vector3(draw(), draw(), draw()).normalized();
    const Vector3 t = n.unitOrthogonal();
    const Vector3 b = n.cross(t);
    RowMatrixView block = delassus.add_block(body);
    int row = 0;
    for (const Vector3& d : {n, t, b}) {
      block.row(row).head<3>() = sign * d.transpose();
      block.row(row).tail<3>() = sign * (-n).cross(d).transpose();
      problem.b[problem.size() - 3 + row] += block.row(row).dot(velocity_.segment<6>(6 * body));
      ++row;
    }
  }

  std::mt19937 random_;
  Vector velocity_;
};

void print_random() {
  fmt::print("\n| random problems | us | velocities off by, median | 90 % | closing | not solved |\n");
  constexpr int kProblems = 200;
  for (const auto& [n_bodies, n_contacts] : {std::pair(3, 3), std::pair(6, 12)}) {
    const auto solver = make_solver(AutoOptions{});
    for (const std::string_view name : kInclusionNames) {
      std::vector<double> off;
      double closing = 0.0;
      double spent = 0.0;
      int unsolved = 0;
      ClipInclusion clip;
      for (unsigned seed = 0; seed < kProblems; ++seed) {
        RandomProblem random(n_bodies, n_contacts, seed);
        ConeProblem& problem = random.problem;
        ConeSolution exact{std::vector<double>(problem.b.size()), std::vector<double>(problem.b.size())};
        if (solver->solve(problem, exact).status != Status::ok) continue;
        ConeSolution found{std::vector<double>(problem.b.size()), std::vector<double>(problem.b.size())};
        const double begin = now();
        bool solved = true;
        if (name.starts_with("clip")) {
          solved = clip.solve(problem, name != "clip", found);
        } else {
          problem.law = name == "associated" ? FrictionLaw::associated : FrictionLaw::coulomb;
          for (FrictionBlock& block : problem.blocks) block.facets = name == "facets" ? 8 : 0;
          solved = solver->solve(problem, found).status == Status::ok;
        }
        spent += now() - begin;
        unsolved += solved ? 0 : 1;
        double squared = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < problem.b.size(); ++i) {
          squared += std::pow(found.u[i] - exact.u[i], 2);
          size += problem.b[i] * problem.b[i];
        }
        for (const Cone& cone : problem.cones) closing = std::max(closing, -found.u[cone.offset] / std::sqrt(size));
        off.push_back(std::sqrt(squared / size));
      }
      std::ranges::sort(off);
      fmt::print("| {} contacts, {} | {:.1f} | {:.2e} | {:.2e} | {:.2e} | {} |\n", n_contacts, name,
                 1e6 * spent / kProblems, off[off.size() / 2], off[off.size() * 9 / 10], closing, unsolved);
    }
  }
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) stickslip::print_way(argv[i]);
  if (argc > 1) return 0;
  stickslip::print_sphere();
  stickslip::print_random();
  return 0;
}
