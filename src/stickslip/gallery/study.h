// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/gallery/formula.h"
#include "stickslip/sim/analyze.h"

// A study as its file says it: what is run, and what is read out of the results beside what is published.
// docs/gallery.md describes the file.

namespace stickslip {

/// Where a number comes from that ours is held against.
enum class Origin {
  published,  // printed as a result in the paper, or said in words
  analytic,   // follows in closed form from what the paper states
  reference,  // of an independent dense implementation of the paper's scheme at the same step
};
inline constexpr std::array kOrigins = {Origin::published, Origin::analytic, Origin::reference};
std::string_view origin_name(Origin origin);

/// A formula of a file and where it stands there.
struct StudyFormula {
  std::string text;
  Formula formula;
  SourcePlace place;
  std::string key;  // dotted path in the file
};

/// One run of a scene.
struct GalleryRun {
  std::string name;                     // of the result, unique in its gallery
  std::string scene;                    // without .toml, below the folder of shipped scenes, or "./" beside the study
  std::vector<std::string> overrides;   // "key.path=value", beside output.every
  std::string elsewhere;                // CPU time of a step in other programs, as far as it is known
  bool keeps_problems = false;          // the contact problem of every step is left beside the result
  std::map<std::string, double> given;  // numbers of its `each`, names in formulas that read from it
  std::filesystem::path folder;         // of the study
  SourcePlace place;                    // in it
};

/// All solutions of the contact problem of a scene's states.
struct GalleryAnalysis {
  std::string name;  // unique in its study, also among runs
  std::string scene;
  std::vector<std::string> overrides;
  std::vector<std::string> sweeps;  // "key=a:b:n"
  AnalysisOptions options;
  std::map<std::string, double> given;
  std::filesystem::path folder;
  SourcePlace place;
};

/// Where a number stands in a figure: formulas in which `expected` is the number. None: a line at the other's place.
struct StudyMark {
  std::string figure;
  std::optional<StudyFormula> x, y;
};

/// A number beside ours.
struct StudyValue {
  std::string quantity;
  std::string unit;  // empty where there is none
  Origin origin = Origin::published;
  std::string printed;  // as the paper prints it; empty: `expected` is to be evaluated
  StudyFormula expected;
  std::optional<StudyFormula> tolerance;  // none: half a unit of the last digit that is printed
  StudyFormula ours;
  std::string reason;  // why ours differs where it does; "${formula}" is replaced by its value
  std::vector<StudyFormula> in_reason;
  /// With each reason, the differences, ours less `expected`, that it accounts for: from the first to the last of two;
  /// of one: up to it, of either sign.
  std::vector<StudyFormula> explains;
  std::vector<StudyMark> marks;
  std::string run;  // that formulas read from; empty: the first
};

struct StudyColumn {
  std::string name;
  std::string unit;
  StudyFormula values;
};

/// What a figure draws over what.
struct FigureCurve {
  std::string name;
  std::string of;              // the figure that has the columns; empty: the curve's own
  std::string x, y;            // names of columns
  std::string by;              // a column: a curve for each of its values; empty: one
  std::string style = "line";  // "line", "points", "both"
};

/// The data of a figure, or of one of its parts.
struct StudyFigure {
  std::string name;     // of the file: "figure_1"
  std::string caption;  // what it shows
  std::vector<StudyColumn> columns;
  std::vector<FigureCurve> curves;  // none: each column over the first
  std::string run;                  // that formulas read from; empty: the first
};

struct Study {
  std::string name;  // of the file, without .toml
  std::string title;
  std::string source;            // "[Key], section 4, figure 9"
  std::filesystem::path folder;  // where its files of numbers are looked up
  std::map<std::string, double> constants;
  std::map<std::string, StudyFormula> series;
  std::vector<GalleryRun> runs;
  std::vector<GalleryAnalysis> analyses;
  std::vector<StudyFigure> figures;
  std::vector<StudyValue> values;
};

/// Reads a study. Throws InputError with file, line, column, key, value and what is allowed.
Study load_study(const std::filesystem::path& path);
Study parse_study(std::string_view text, const std::filesystem::path& path);

}  // namespace stickslip
