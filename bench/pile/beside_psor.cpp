// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pile/beside_psor.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include "bench/pile/psor.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/base/processor_clock.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"

namespace stickslip {
namespace {

constexpr double kStep = 1e-3;  // [s]

/// What a row of the table shows.
struct Figures {
  int steps = 0;
  double seconds = 0.0;         // [s] of processor time, all steps
  double contacts = 0.0;        // [-] sum over the steps
  double residual = 0.0;        // [m/s] sum over the steps
  double worst_residual = 0.0;  // [m/s]
  double overlap = 0.0;         // [m] the worst
  double last_overlap = 0.0;    // [m] at the end

  void add(double residual_now, double overlap_now, double n_contacts) {
    ++steps;
    residual += residual_now;
    worst_residual = std::max(worst_residual, residual_now);
    overlap = std::max(overlap, overlap_now);
    last_overlap = overlap_now;
    contacts += n_contacts;
  }
  double calc_mean_residual() const { return residual / steps; }
  double calc_step_seconds() const { return seconds / steps; }
};

struct OurFigures : Figures {
  Outcome outcome = Outcome::failed;
  double solve = 0.0;              // [s] the part of the cone problems
  double output = 0.0;             // [s]
  double energy_error = 0.0;       // [J] the largest
  double projection_energy = 0.0;  // [J] fed by the projection in all
  double dissipated = 0.0;         // [J]
};

/// Looks at the certificates of a run.
class FiguresSink final : public StepSink {
 public:
  explicit FiguresSink(OurFigures& figures) : figures_(figures) {}
  void begin(const State& /*state*/, const StepReport& /*report*/) override {}
  void begin(const Trajectory& /*before*/, const Checkpoint& /*checkpoint*/, const StopToken& /*stop*/) override {}
  void publish() override {}
  void record(const State& /*state*/, const StepReport& report, bool /*is_row*/) override {
    figures_.add(report.coulomb_residual, report.penetration, report.closed_contacts);
    figures_.energy_error = std::max(figures_.energy_error, std::abs(report.energy_error));
    figures_.projection_energy = report.projection_energy;
    figures_.dissipated = report.dissipated;
  }
  void flush() override {}
  void checkpoint(const Checkpoint& /*checkpoint*/, std::span<const LimitEntry> /*limits*/) override {}
  void finish(const RunEnd& /*end*/) override {}

 private:
  OurFigures& figures_;
};

/// A folder that goes with this.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pile_bench_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The pile as a scene with nothing set that has a default.
Scene make_scene(const SpherePile& pile, int steps, const std::filesystem::path& folder) {
  std::ofstream balls(folder / "balls.dat");
  for (const Ball& b : pile.balls) {
    balls << fmt::format("{}", b.radius);
    const auto write = [&balls](const auto& values) {
      for (const double x : values) balls << fmt::format(" {}", x);
    };
    write(b.position);
    write(b.orientation);
    write(b.velocity);
    write(b.spin);
    balls << '\n';
  }
  balls.close();
  const double wall = -0.5 * pile.side;
  std::ofstream scene(folder / "pile.toml");
  scene << fmt::format(
      "stickslip = 1\n"
      "time = {{end = {}, step = {}}}\n"
      "contact_default = {{friction = 0.3}}\n"
      "[bodies.box]\n"
      "type = \"fixed\"\n"
      "shapes.floor = {{type = \"half-space\", normal = [0, 0, 1], offset = {:.17g}}}\n"
      "shapes.west = {{type = \"half-space\", normal = [1, 0, 0], offset = {:.17g}}}\n"
      "shapes.east = {{type = \"half-space\", normal = [-1, 0, 0], offset = {:.17g}}}\n"
      "shapes.south = {{type = \"half-space\", normal = [0, 1, 0], offset = {:.17g}}}\n"
      "shapes.north = {{type = \"half-space\", normal = [0, -1, 0], offset = {:.17g}}}\n"
      "[[fill]]\n"
      "prefix = \"ball_\"\n"
      "file = \"balls.dat\"\n"
      "body = {{density = 1000}}\n",
      steps * kStep, kStep, pile.floor, wall, wall, wall, wall);
  scene.close();
  return load_scene(folder / "pile.toml");
}

OurFigures measure_ours(const SpherePile& pile, const BesidePsorOptions& settings) {
  const TemporaryFolder folder;
  OurFigures figures;
  PhaseClock phases;
  RunOptions options;
  options.output = folder.path() / "pile.h5";
  options.threads = settings.threads;
  options.phases = &phases;
  options.make_sink = [&figures](const System&, const State&, const ResultHeader&) {
    return std::make_unique<FiguresSink>(figures);
  };
  Scene scene = make_scene(pile, settings.steps, folder.path());
  phases.activate();
  figures.outcome = run(std::move(scene), options).outcome;
  const std::array<double, kPhases> seconds = phases.seconds();
  const auto of = [&seconds](Phase phase) { return seconds[static_cast<std::size_t>(phase)]; };
  figures.seconds = std::accumulate(seconds.begin(), seconds.end(), -of(Phase::load));
  figures.solve = of(Phase::solve);
  figures.output = of(Phase::output);
  return figures;
}

}  // namespace

void print_beside_psor_head() {
  fmt::print(
      "| bodies | steps | program | ms a step | contacts | exact residual, m/s: mean | worst | overlap, m: worst | at "
      "the "
      "end | remarks |\n|---|---|---|---:|---:|---:|---:|---:|---:|---|\n");
}

void print_beside_psor(const SpherePile& pile, const BesidePsorOptions& options) {
  const OurFigures ours = measure_ours(pile, options);
  Figures psor;
  double relaxed = 0.0;
  double visits = 0.0;
  PsorPile imitation(pile, {.sweeps = options.sweeps});
  for (int k = 0; k < options.steps; ++k) {
    const double start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    imitation.step(kStep);
    psor.seconds += read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
    psor.add(imitation.calc_coulomb_residual(), imitation.calc_overlap(), imitation.n_contacts());
    relaxed += imitation.calc_relaxed_residual();
    visits += static_cast<double>(imitation.n_contacts()) * options.sweeps;
  }

  const auto line = [&](const char* program, const Figures& f, const std::string& remarks) {
    fmt::print("| {} | {} | {} | {:.3g} | {:.0f} | {:.2g} | {:.2g} | {:.2g} | {:.2g} | {} |\n", pile.balls.size(),
               f.steps, program, 1e3 * f.calc_step_seconds(), f.contacts / f.steps, f.calc_mean_residual(),
               f.worst_residual, f.overlap, f.last_overlap, remarks);
  };
  const auto percent = [&](double energy) { return 100.0 * energy / ours.dissipated; };
  line("stickslip", ours,
       fmt::format(
           "{}; solve {:.3g} ms, output {:.3g}; of what is dissipated: energy error {:.2g} %, projection {:.2g} %",
           outcome_name(ours.outcome), 1e3 * ours.solve / ours.steps, 1e3 * ours.output / ours.steps,
           percent(ours.energy_error), percent(ours.projection_energy)));
  line(fmt::format("PSOR-{}", options.sweeps).c_str(), psor,
       fmt::format("{:.0f} ns a contact and sweep; residual of the relaxed law {:.2g} in the mean",
                   1e9 * imitation.sweep_seconds() / visits, relaxed / psor.steps));
  fmt::print("| {} | | ratio | {:.2f} | {:.2f} | {:.3f} | {:.3f} of the mean | {:.2f} | {:.2f} | |\n",
             pile.balls.size(), ours.calc_step_seconds() / psor.calc_step_seconds(), ours.contacts / psor.contacts,
             ours.calc_mean_residual() / psor.calc_mean_residual(), ours.worst_residual / psor.calc_mean_residual(),
             ours.overlap / psor.overlap, ours.last_overlap / psor.last_overlap);
  std::fflush(stdout);
}

}  // namespace stickslip
