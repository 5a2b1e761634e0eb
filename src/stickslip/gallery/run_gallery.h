// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stickslip/gallery/comparison.h"
#include "stickslip/gallery/gallery.h"
#include "stickslip/sim/run.h"

namespace stickslip {

struct GalleryOptions {
  std::filesystem::path scenes;  // the folder of the scenes that ship
  std::filesystem::path output;  // a folder, made where there is none
  StopToken stop;                // raised by someone else: drop the step under way and end
  bool times_steps = true;       // in a second run of each, without output
  std::function<void(const std::string& run, const Progress&)> progress;
};

/// How a run went.
struct RunRecord {
  GalleryRun run;
  std::string scheme;
  double step = 0.0;  // [s]
  RunResult result;
  std::int64_t max_iterations = 0;     // [-]
  double mean_iterations = 0.0;        // [-]
  double microseconds_per_step = 0.0;  // [us] median, of the step alone: no output; NaN where it was not taken
};

struct AnalysisRecord {
  std::string name;
  std::string level;
  std::size_t states = 0;  // [-]
};

struct StudyRecord {
  std::string name;
  std::string title;
  std::string source;
  std::vector<RunRecord> runs;
  std::vector<AnalysisRecord> analyses;
  StudyPage page;
};

struct GalleryRecord {
  std::string name;
  std::string source;
  std::vector<StudyRecord> studies;
  Outcome outcome = Outcome::done;  // the worst of all runs
  /// Numbers that neither agree nor differ by what their reason accounts for.
  int count_unexplained() const;
};

/// Reads the scenes of all runs and analyses with what is set in them. Throws InputError at the run.
void check_gallery_scenes(const Gallery& gallery, const std::filesystem::path& scenes);

/// Refuses a folder where run_gallery() would write over tables, figures or what is no result. Throws InputError, which
/// names --force.
void check_gallery_folder(const Gallery& gallery, const std::filesystem::path& output);

/// Runs a gallery and writes into the folder `output`
///   results/RUN.h5              what every run left, every step of it
///   figure_*.csv, curve_*.csv   the data of each figure, columns "name [unit]"
///   STUDY.html                  each study as a page (site.h)
///   table.md, table.csv         every number beside ours
///   runs.csv                    every run: how it ended, its iterations, the worst of its certificate, its time
/// A run that failed or has inexact steps does not stop the others. An interrupted gallery has no tables.
/// Throws InputError and WriteError.
GalleryRecord run_gallery(const Gallery& gallery, const GalleryOptions& options);

}  // namespace stickslip
