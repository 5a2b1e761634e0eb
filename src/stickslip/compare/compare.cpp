// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/compare/track.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/step_sequence.h"
#include "stickslip/sim/summary.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/stepping/limit_monitor.h"

namespace stickslip {
namespace {

/// Rows of a run that are compared where the scene does not say which are written: no more, as they are kept.
constexpr double kMostComparedRows = 2000.0;

/// Refuses a name that nothing has.
void check_known(std::string_view option, const std::vector<std::string>& names,
                 const std::vector<std::string_view>& known) {
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = nearest_name(name, known);
    throw InputError({}, std::string(option), name,
                     nearest.empty() ? fmt::format("one of {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean '{}'?", nearest));
  }
}

void check_options(const CompareOptions& options) {
  std::vector<std::string_view> schemes;
  for (const SchemeOptions& scheme : all_schemes()) schemes.push_back(scheme_traits(scheme).name);
  check_known("--schemes", options.schemes, schemes);
  const std::span<const std::string_view> solvers = solver_names();
  check_known("--solvers", options.solvers, {solvers.begin(), solvers.end()});
  for (const double step : options.steps) {
    if (!(step > 0.0) || !std::isfinite(step)) {
      throw InputError({}, "--steps", fmt::format("{}", step), "steps in s, greater than 0");
    }
  }
}

/// One run: its scene, and what came of it.
struct Job {
  std::vector<std::string> settings;
  CompareRow row;
  int order = 0;  // [-] of the scheme
  bool is_relaxed = false;
  double fineness = 0.0;  // [s] its step, 0 where it is automatic: the finest of all
  Track track;
};

Scene load_job(const std::filesystem::path& path, const CompareOptions& options,
               const std::vector<std::string>& settings, double every) {
  LoadOptions load;
  load.convert = options.convert;
  load.overrides = settings;
  Scene scene = load_scene(path, load);
  if (!scene.output.every) scene.output.every = every;
  return scene;
}

/// Where each scheme is run with each solver and step, those of the scene where none are named.
std::vector<Job> make_jobs(const std::filesystem::path& path, const Scene& scene_itself,
                           const CompareOptions& options) {
  const auto each = [](const std::vector<std::string>& names, const char* key) {
    std::vector<std::string> settings;
    settings.reserve(names.size());
    for (const std::string& name : names) settings.push_back(fmt::format("{}={}", key, name));
    if (settings.empty()) settings.emplace_back();
    return settings;
  };
  std::vector<double> steps = options.steps;
  std::ranges::sort(steps, std::ranges::greater());
  if (steps.empty()) steps.push_back(0.0);  // the scene's
  std::vector<Job> jobs;
  for (const std::string& scheme : each(options.schemes, "scheme.type")) {
    for (const std::string& solver : each(options.solvers, "solver.type")) {
      for (const double step : steps) {
        Job job;
        job.settings = options.settings;
        if (!scheme.empty()) job.settings.push_back(scheme);
        if (!solver.empty()) job.settings.push_back(solver);
        if (step > 0.0) job.settings.push_back(fmt::format("time.step={}", step));
        job.row.scheme = scheme.substr(scheme.find('=') + 1);
        job.row.solver = solver.empty() ? solver_name(scene_itself.solver) : solver.substr(solver.find('=') + 1);
        job.row.step = step;
        if (step == 0.0 && !scene_itself.time.automatic) job.row.step = scene_itself.time.step;
        try {
          LoadOptions load;
          load.convert = options.convert;
          load.overrides = job.settings;
          const Scene scene = load_scene(path, load);
          job.row.scheme = scheme_traits(scene.scheme).name;
          job.row.solver = solver_name(scene.solver);
          job.row.step = scene.time.automatic ? 0.0 : scene.time.step;
          job.order = scheme_traits(scene.scheme).order;
          job.is_relaxed = scheme_traits(scene.scheme).relaxed;
        } catch (const InputError& error) {
          job.row.is_refused = true;  // for example, the scheme has no such step; the scene itself was read
          job.row.message = error.what();
        }
        job.fineness = job.row.step;
        jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

/// The instants at which runs are compared where the scene says nothing. [s]
double choose_every(const Scene& scene, const std::vector<Job>& jobs) {
  double coarsest = 0.0;
  for (const Job& job : jobs) coarsest = std::max(coarsest, job.row.step);
  const double span = scene.time.end - scene.time.start;
  if (coarsest == 0.0) return span / kMostComparedRows;  // automatic, all of them
  return coarsest * std::max(1.0, std::ceil(span / coarsest / kMostComparedRows));
}

/// A run without files: the loop of run().
void simulate(const Scene& scene, const StopToken& stop, Job& job) {
  const BuiltScene built = build(scene, {}, stop);
  StepSequence steps(scene, *built.stepper);
  State state = built.initial;
  StepReport report;
  Summary summary;
  CompareRow& row = job.row;
  job.track = Track(*built.system);
  const double begun = thread_cpu_seconds();
  built.stepper->initialize(state, report);
  steps.begin(state);
  LimitMonitor limits(*built.system, scene.limits, state, report);
  while (!steps.at_end(state)) {
    stop.check();
    if (steps.step(state, report) == Status::failed) {
      row.outcome = Outcome::failed;
      row.message = fmt::format("the step from t = {:.9g} s failed: {}", state.t, report.message);
      break;
    }
    const bool is_beyond = limits.examine(state, report);
    summary.add(make_step_row(report));
    if (steps.is_output(state)) job.track.add(state);
    if (is_beyond && scene.limits.stop) {
      row.outcome = Outcome::stopped;
      row.message = describe_first(limits.first_passed());
      break;
    }
  }
  row.cost_seconds = thread_cpu_seconds() - begun;
  const bool inexact = summary.inexact > 0 || !limits.entries_of_ended().empty();
  if (row.outcome == Outcome::done && inexact) row.outcome = Outcome::inexact;
  row.steps = summary.steps;
  row.penetration = summary.penetration.value;
  row.drift = summary.drift_position.value;
  row.energy_error = summary.energy_error.value;
  row.residual = summary.residual.value;
}

/// Runs all jobs, the finest first, several at a time. Passes on exceptions of jobs, except refusals.
void run_jobs(const std::filesystem::path& path, const CompareOptions& options, double every, std::vector<Job>& jobs) {
  std::vector<Job*> order;
  int ended = 0;
  for (Job& job : jobs) {
    if (job.row.is_refused)
      ++ended;
    else
      order.push_back(&job);
  }
  std::ranges::stable_sort(order, {}, [](const Job* job) { return job->fineness; });
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&](int) {
    for (std::size_t k = next++; k < order.size(); k = next++) {
      Job& job = *order[k];
      try {
        simulate(load_job(path, options, job.settings, every), options.stop, job);
      } catch (const InputError& error) {
        job.row.is_refused = true;
        job.row.message = error.what();
      } catch (...) {
        next = order.size();
        throw;
      }
      const std::scoped_lock lock(mutex);
      ++ended;
      if (options.progress) options.progress(ended, static_cast<int>(jobs.size()));
    }
  };
  const int n = std::min(std::max(options.threads, 1), static_cast<int>(order.size()));
  if (n > 0) ThreadTeam(n).run(n, work);
}

bool is_whole(const Job& job) {
  return !job.row.is_refused && (job.row.outcome == Outcome::done || job.row.outcome == Outcome::inexact);
}

/// The run that others are measured by; null where none reached the end, or there is but one. What a relaxed scheme
/// errs by does not fall with the step: it is one only where there is no other. Of runs as fine one that kept to its
/// tolerance and the limits comes first.
const Job* find_reference_run(const std::vector<Job>& jobs) {
  const auto rank = [](const Job& job) {
    return std::tuple(job.is_relaxed, job.fineness, job.row.outcome != Outcome::done, -job.order);
  };
  const Job* best = nullptr;
  for (const Job& job : jobs) {
    if (is_whole(job) && (best == nullptr || rank(job) < rank(*best))) best = &job;
  }
  return jobs.size() < 2 ? nullptr : best;
}

std::string describe_step(double step) {
  return step == 0.0 ? "auto" : fmt::format("{:.4g}", step);
}

std::optional<double> calc_order(const std::optional<double>& coarse, const std::optional<double>& fine, double ratio) {
  if (!coarse || !fine || !(*coarse > 0.0) || !(*fine > 0.0)) return std::nullopt;
  return std::log(*coarse / *fine) / std::log(ratio);
}

void set_orders(std::vector<CompareRow>& rows) {
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const CompareRow& coarse = rows[k - 1];
    CompareRow& fine = rows[k];
    if (coarse.scheme != fine.scheme || coarse.solver != fine.solver) continue;
    if (!(fine.step > 0.0) || !(coarse.step > fine.step)) continue;
    const double ratio = coarse.step / fine.step;
    fine.order_position = calc_order(coarse.error.position, fine.error.position, ratio);
    fine.order_velocity = calc_order(coarse.error.velocity, fine.error.velocity, ratio);
  }
}

}  // namespace

SchemeComparison compare(const std::filesystem::path& path, const CompareOptions& options) {
  check_options(options);
  LoadOptions load;
  load.convert = options.convert;
  load.overrides = options.settings;
  const Scene scene = load_scene(path, load);  // throws where it is the scene that is wrong
  std::vector<Job> jobs = make_jobs(path, scene, options);
  run_jobs(path, options, choose_every(scene, jobs), jobs);
  if (std::ranges::all_of(jobs, [](const Job& job) { return job.row.is_refused; })) {
    throw InputError(jobs.front().row.message);
  }
  SchemeComparison comparison;
  if (!scene.reference.empty()) {
    comparison.reference = "the scene's reference";
    const KnownMotion known(scene);
    for (Job& job : jobs) {
      if (is_whole(job)) job.row.error = job.track.calc_error(known);
    }
  } else if (const Job* reference = find_reference_run(jobs)) {
    const CompareRow& row = reference->row;
    comparison.reference = fmt::format("{} with {}, step {} s", row.scheme, row.solver, describe_step(row.step));
    if (row.outcome != Outcome::done) {
      comparison.reference += " (not exact itself: steps stayed above the tolerance or passed a limit)";
    }
    const double tolerance = 1e-9 * (scene.time.end - scene.time.start);
    for (Job& job : jobs) {
      if (is_whole(job) && &job != reference) job.row.error = job.track.calc_error(reference->track, tolerance);
    }
  }
  for (Job& job : jobs) comparison.rows.push_back(std::move(job.row));
  set_orders(comparison.rows);
  return comparison;
}

Outcome worst_outcome(const SchemeComparison& comparison) {
  Outcome worst = Outcome::done;
  for (const CompareRow& row : comparison.rows) {
    if (!row.is_refused) worst = std::max(worst, row.outcome);
  }
  return worst;
}

}  // namespace stickslip
