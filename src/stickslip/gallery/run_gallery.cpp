// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/run_gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "stickslip/gallery/evaluator.h"
#include "stickslip/gallery/run_data.h"
#include "stickslip/gallery/site.h"
#include "stickslip/gallery/tables.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/report.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/step_grid.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = "table.md";
constexpr const char* kTableCsv = "table.csv";
constexpr const char* kRuns = "runs.csv";

fs::path result_path(const fs::path& output, const GalleryRun& run) {
  return output / "results" / (run.name + ".h5");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw WriteError(fmt::format("{}: {}", folder.string(), error.message()));
}

/// "./own" stands beside the study, any other among the scenes that ship.
template <class Source>
fs::path scene_path(const Source& source, const fs::path& scenes) {
  return (source.scene.starts_with("./") ? source.folder : scenes) / (source.scene + ".toml");
}

Scene load(const GalleryRun& run, const fs::path& scenes) {
  LoadOptions options;
  options.overrides = run.overrides;
  Scene scene = load_scene(scene_path(run, scenes), options);
  const bool says_when = std::ranges::any_of(run.overrides, [](const auto& o) { return o.starts_with("output."); });
  if (!says_when) scene.output.every.reset();
  return scene;
}

/// The median of the time that a step takes, in a run of its own without any output. Throws Interrupted.
double time_steps(const Scene& scene, const GalleryOptions& options) {
  using Clock = std::chrono::steady_clock;
  BuiltScene built = build(scene, nullptr, options.stop);
  const StepGrid grid(scene.time, scene.output);
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  std::vector<double> microseconds;
  microseconds.reserve(static_cast<std::size_t>(grid.steps()));
  while (state.step < grid.steps()) {
    const std::int64_t n = state.step + 1;
    const Clock::time_point start = Clock::now();
    if (built.stepper->step(state, grid.length(n), grid.time(n), report) == Status::failed) break;
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  if (microseconds.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = microseconds.begin() + static_cast<std::ptrdiff_t>(microseconds.size() / 2);
  std::nth_element(microseconds.begin(), middle, microseconds.end());
  return *middle;
}

RunRecord run_one(const GalleryRun& run, const fs::path& result, const GalleryOptions& options) {
  const Scene scene = load(run, options.scenes);
  RunRecord record;
  record.run = run;
  record.scheme = scheme_traits(scene.scheme).name;
  record.step = scene.time.step;
  RunOptions run_options;
  run_options.output = result;
  run_options.stop = options.stop;
  if (run.keeps_problems) run_options.problems_every = 1;
  if (options.progress) {
    run_options.progress = [&](const Progress& progress) { options.progress(run.name, progress); };
  }
  record.result = stickslip::run(scene, run_options);
  if (record.result.outcome == Outcome::interrupted) return record;
  try {
    record.microseconds_per_step =
        options.times_steps ? time_steps(scene, options) : std::numeric_limits<double>::quiet_NaN();
  } catch (const Interrupted&) {
    record.result.outcome = Outcome::interrupted;
  }
  return record;
}

/// The order in which outcomes count: what the exit status tells.
int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return 0;
    case Outcome::inexact:
      return 1;
    case Outcome::failed:
    case Outcome::stopped:
      return 2;
    case Outcome::interrupted:
      return 3;
  }
  return 3;
}

/// Throws Interrupted.
std::unique_ptr<AnalysisData> analyze_one(const GalleryAnalysis& analysis, const GalleryOptions& options) {
  auto data = std::make_unique<AnalysisData>();
  std::vector<Sweep> sweeps;
  for (const std::string& text : analysis.sweeps) sweeps.push_back(parse_sweep(text));
  AnalysisOptions analysis_options = analysis.options;
  analysis_options.stop = options.stop;
  analyze_sweep(scene_path(analysis, options.scenes), analysis.overrides, sweeps, analysis_options,
                [&](const Analysis& state, const std::vector<double>&) { data->add(state); });
  return data;
}

/// Scenes and what is set in them, before the first one runs. Throws InputError at the run.
void check_scenes(const Study& study, const fs::path& scenes) {
  const auto check = [&](const auto& source) {
    try {
      LoadOptions options;
      options.overrides = source.overrides;
      load_scene(scene_path(source, scenes), options);
    } catch (const InputError& error) {
      throw InputError(source.place, "scene of " + source.name, source.scene, error.what());
    }
  };
  for (const GalleryRun& run : study.runs) check(run);
  for (const GalleryAnalysis& analysis : study.analyses) {
    check(analysis);
    for (const std::string& text : analysis.sweeps) {
      try {
        parse_sweep(text);
      } catch (const InputError& error) {
        throw InputError(analysis.place, "sweep of " + analysis.name, text, error.allowed());
      }
    }
  }
}

/// False where it was interrupted.
bool run_study(const Study& study, const GalleryOptions& options, GalleryRecord& gallery) {
  StudyRecord& record = gallery.studies.emplace_back(StudyRecord{study.name, study.title, study.source, {}, {}, {}});
  std::vector<StudySource> sources;
  for (const GalleryRun& run : study.runs) {
    const fs::path result = result_path(options.output, run);
    record.runs.push_back(run_one(run, result, options));
    RunRecord& last = record.runs.back();
    if (severity(last.result.outcome) > severity(gallery.outcome)) gallery.outcome = last.result.outcome;
    if (gallery.outcome == Outcome::interrupted) return false;
    auto data = std::make_unique<RunData>(result);
    last.max_iterations = data->max_iterations();
    last.mean_iterations = data->mean_iterations();
    const bool is_whole = severity(last.result.outcome) <= severity(Outcome::inexact);
    sources.push_back({run.name, run.given, std::move(data), is_whole});
  }
  for (const GalleryAnalysis& analysis : study.analyses) {
    try {
      auto data = analyze_one(analysis, options);
      record.analyses.push_back({analysis.name, std::string(level_name(analysis.options.level)), data->states()});
      sources.push_back({analysis.name, analysis.given, std::move(data), true});
    } catch (const Interrupted&) {
      gallery.outcome = Outcome::interrupted;
      return false;
    }
  }
  record.page = evaluate_study(study, sources);
  for (const Figure& figure : record.page.figures) {
    write_text(options.output / (figure.name + ".csv"), figure_to_csv(figure));
  }
  return true;
}

}  // namespace

void check_gallery_scenes(const Gallery& gallery, const fs::path& scenes) {
  for (const Study& study : gallery.studies) check_scenes(study, scenes);
}

void check_gallery_folder(const Gallery& gallery, const fs::path& output) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(output, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_figure = (name.starts_with("figure_") || name.starts_with("curve_")) && name.ends_with(".csv");
    if (is_figure || name == kTable || name == kTableCsv || name == kRuns) {
      check_replaceable(entry.path(), MayReplace::nothing);
    }
  }
  for (const Study& study : gallery.studies) {
    for (const GalleryRun& run : study.runs) check_replaceable(result_path(output, run), MayReplace::results);
    const fs::path page = output / (study.name + ".html");
    if (!is_report(page)) check_replaceable(page, MayReplace::nothing);
  }
}

GalleryRecord run_gallery(const Gallery& gallery, const GalleryOptions& options) {
  check_gallery_scenes(gallery, options.scenes);
  make_folder(options.output / "results");
  GalleryRecord record;
  record.name = gallery.name;
  record.source = gallery.source;
  for (const Study& study : gallery.studies) {
    if (!run_study(study, options, record)) return record;
  }
  for (const StudyRecord& study : record.studies) {
    write_text(options.output / study_page_name(study), make_study_page(record, study, options.output / "results"));
  }
  write_text(options.output / kTable, to_markdown(record));
  write_text(options.output / kTableCsv, comparisons_to_csv(record));
  write_text(options.output / kRuns, runs_to_csv(record));
  return record;
}

}  // namespace stickslip
