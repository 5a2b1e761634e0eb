// SPDX-License-Identifier: BSD-3-Clause
#include "run_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/output_file.h"
#include "stickslip/report/vtk_export.h"
#include "stickslip/sim/step_problems.h"
#include "terminal.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// The result's name where none is given: the scene's, if that can name a file here.
std::string default_output(const Scene& scene, const std::string& scene_file) {
  const bool usable = !scene.name.empty() && scene.name.front() != '.' && scene.name.find('/') == std::string::npos;
  return (usable ? scene.name : fs::path(scene_file).stem().string()) + ".h5";
}

/// Likely mistakes in the scene, the first of them: `check` tells of all.
void print_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 8;
  for (std::size_t k = 0; k < std::min(kMost, warnings.size()); ++k) print_error("{}\n", warnings[k]);
  if (warnings.size() > kMost) {
    print_error("and {} more warnings: see `stickslip check`\n", warnings.size() - kMost);
  }
}

/// A line: seconds of processor time, in all and by phase.
std::string describe_phases(const std::array<double, kPhases>& seconds) {
  std::string text;
  double sum = 0.0;
  for (int k = 0; k < kPhases; ++k) {
    sum += seconds[k];
    text += fmt::format("{}{} {:.3g}", k == 0 ? "" : ", ", phase_name(static_cast<Phase>(k)), seconds[k]);
  }
  return fmt::format("processor time     {:.3g} s: {}\n", sum, text);
}

/// Which steps were above the tolerance and what passed a limit, how often and where.
void print_inexact(const Summary& summary) {
  if (summary.inexact > 0) {
    print_error("{} of {} steps stayed above the tolerance, the first at t = {:.6g} s\n", summary.inexact,
                summary.steps, summary.first_inexact);
  }
  if (!summary.limits.empty()) {
    print_error("limits of the scene were passed:\n{}", describe_limits(summary.limits));
  }
}

}  // namespace

void RunArguments::add_to(CLI::App& command) {
  model_.add_to(command);
  command.add_option("-o,--output", output_, "the result file (default: <name of the scene>.h5, here)")
      ->type_name("RESULT.h5");
  command.add_option("--scheme", scheme_, "the scheme instead of the scene's: see `list schemes`")->type_name("NAME");
  command.add_option("--solver", solver_, "the contact solver instead of the scene's: see `list solvers`")
      ->type_name("NAME");
  command.add_option("--step", step_, "the time step instead of the scene's [s], or auto")->type_name("H");
  command.add_option("--end", end_, "the end instead of the scene's [s]")->type_name("T");
  command.add_option("--set", settings, "set any key of the scene, for example bodies.ball.mass=2")
      ->type_name("KEY=VALUE");
  command.add_option("--csv", csv_, "write the output rows as text, too")->type_name("FILE");
  command
      .add_option("--vtk", vtk_, "at the end write the output rows for ParaView into this folder, as report --vtk does")
      ->type_name("DIR");
  command.add_flag("--force", force_,
                   "write over files that are there and are no results: any for -o, a CSV, lists of frames");
  command
      .add_option("--threads", threads_,
                  "how many share the work of large steps, with the same bits (default: one for each processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--quiet", quiet_, "print errors only");
  command
      .add_option("--checkpoint-every", checkpoint_every_,
                  "store a checkpoint so often in simulated time [s] (default: once a second while it runs)")
      ->type_name("T")
      ->check([](const std::string& text) {
        double seconds = 0.0;
        return CLI::detail::lexical_cast(text, seconds) && seconds > 0.0 ? std::string() : text + ": above 0 s";
      });
  command
      .add_option("--resume", resume_,
                  "go on from this result's last checkpoint, in the file itself or with -o in a copy")
      ->type_name("RESULT.h5");
  command
      .add_option(
          "--problems-every", problems_every_,
          "leave the contact problem of every N-th step beside the result, as <result>-step-<n>.hdf5 (FCLIB), or "
          ".txt (LCP) under facets")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--problems-failed", problems_failed_,
                  "leave those of the first N steps that fail or end inexact, likewise")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

LoadOptions RunArguments::load_options(const std::string& scene_file) {
  LoadOptions options;
  model_.add_to(options, scene_file);
  options.overrides = settings;
  const auto set = [&options](const char* key, const std::string& value) {
    if (!value.empty()) options.overrides.push_back(fmt::format("{}={}", key, value));
  };
  set("scheme.type", scheme_);
  set("solver.type", solver_);
  set("time.step", step_);
  set("time.end", end_);
  return options;
}

RunOptions RunArguments::make_options(const Scene& scene, const std::string& scene_file, bool is_again) const {
  RunOptions options;
  options.output = !output_.empty() ? output_ : !resume_.empty() ? resume_ : default_output(scene, scene_file);
  if (!csv_.empty()) options.csv = csv_;
  if (!resume_.empty()) options.resume = resume_;
  if (checkpoint_every_ > 0.0) options.checkpoint_every = checkpoint_every_;
  if (problems_every_ > 0) options.problems_every = problems_every_;
  options.threads = threads_;
  options.problems_failed = problems_failed_;
  std::error_code error;
  for (const fs::path& file : {options.output, options.csv.value_or("")}) {
    if (fs::equivalent(file, scene_file, error)) throw InputError({file.string()}, "", "", "is the scene itself");
  }
  if (options.csv && options.csv->lexically_normal() == options.output.lexically_normal()) {
    throw InputError({options.csv->string()}, "", "", "cannot be both the result and the CSV");
  }
  if (!force_) {
    const bool goes_on = options.resume && fs::equivalent(options.output, *options.resume, error);
    if (!goes_on) check_replaceable(options.output, MayReplace::results);
    if (is_again) return options;
    if (options.csv) check_replaceable(*options.csv, MayReplace::nothing);
    StepProblems::check_replaceable(options.output);
  }
  if (!vtk_.empty()) check_vtk_folder(vtk_, force_);
  return options;
}

/// What passes a limit, as long as it is news: the end tells of all.
void RunArguments::warn(const LimitEntry& entry) {
  constexpr int kMostWarnings = 8;
  if (quiet_ || warnings_ >= kMostWarnings) return;
  print_error("warning: {}\n", describe_first(entry));
  if (++warnings_ == kMostWarnings) print_error("warning: what else passes a limit is told at the end\n");
}

void RunArguments::print_end(const std::string& title, const RunOptions& options, const RunResult& result) const {
  const std::int64_t steps = std::max<std::int64_t>(result.summary.steps, 1);
  print_output("{}, to t = {:.6g} s in {:.3g} s ({:.3g} us a step)\n", title, result.time, result.wall_seconds,
               1e6 * result.wall_seconds / static_cast<double>(steps));
  print_output("{}", describe(result.summary));
  if (options.phases != nullptr && options.phases->is_active()) {
    print_output("{}", describe_phases(options.phases->seconds()));
  }
  print_output("result: {}\n", options.output.string());
  std::fflush(stdout);  // `view` goes on, and somebody may read this from a pipe
}

void RunArguments::set_warnings(RunOptions& options, std::function<void()> before_line) {
  if (!quiet_) options.tell_warnings = print_warnings;
  options.warn = [this, before_line = std::move(before_line)](const LimitEntry& entry) {
    before_line();
    warn(entry);
  };
}

std::string RunArguments::title_of(const Scene& scene) {
  return fmt::format("{}: {}", scene.name, scheme_traits(scene.scheme).name);
}

/// How the run ended, in words and as the exit status.
int RunArguments::tell(const std::string& title, const std::string& scene_file, const RunOptions& options,
                       const RunResult& result) const {
  if (!result.is_written) {
    print_error("interrupted before the first step: nothing was written\n");
    return kInterrupted;
  }
  if (!quiet_) print_end(title, options, result);
  if (!result.problems.empty()) {
    print_error("contact problems that were not solved, for `stickslip solve`: {}{}\n",
                result.problems.front().string(),
                result.problems.size() > 1 ? fmt::format(" and {} more", result.problems.size() - 1) : "");
  }
  if (result.outcome == Outcome::failed) {
    print_error("the step from t = {:.9g} s failed: {}\n", result.time, result.message);
  } else if (result.outcome == Outcome::stopped) {
    print_error("stopped by a limit of the scene: {}\n", result.message);
  } else if (result.outcome == Outcome::inexact) {
    print_inexact(result.summary);
  } else if (result.outcome == Outcome::interrupted) {
    print_error("interrupted at t = {:.9g} s; to go on: stickslip run {} ... --resume {}{}\n", result.time, scene_file,
                options.output.string(),
                fmt::format("{}{}", vtk_.empty() ? "" : fmt::format(" --vtk {}", vtk_),
                            options.csv ? fmt::format(" --csv {} --force", options.csv->string()) : ""));
  }
  const int status = exit_status(result.outcome);
  if (vtk_.empty() || status == kInterrupted) return status;
  const int of_frames = write_frames_of(options.output.string(), vtk_);
  return of_frames == kDone ? status : of_frames;
}

int write_frames_of(const std::string& result, const std::string& folder) {
  keep_work_on_signals();
  try {
    export_vtk(result, folder, &stop_requested);
  } catch (const Interrupted&) {
    print_error("interrupted: frames are missing; stickslip report {} --vtk {} writes them\n", result, folder);
    return kInterrupted;
  }
  return kDone;
}

}  // namespace stickslip
