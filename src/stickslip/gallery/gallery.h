// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/gallery/run_data.h"

// A gallery is a published study that is run again: the data of each of its figures, and each of its numbers beside
// ours. A new one is a file with a function that makes it, and a line in gallery.cpp.

namespace stickslip {

/// Where a number comes from that ours is held against.
enum class Origin {
  published,  // printed as a result in the paper
  analytic,   // follows in closed form from what the paper states
  reference,  // of an independent dense implementation of the paper's scheme at the same step
};
std::string_view origin_name(Origin origin);

/// A number beside ours.
struct Comparison {
  std::string quantity;
  std::string unit;  // empty where there is none
  Origin origin = Origin::published;
  std::string expected;    // as printed
  double value = 0.0;      // [unit] the same
  double tolerance = 0.0;  // [unit] >= 0; published: half a unit of the last digit that is printed
  double ours = 0.0;       // [unit] NaN where the run did not get there
  std::string reason;      // why ours differs, where it is known to
  double difference() const { return ours - value; }
  bool agrees() const;
};

struct FigureColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;
};

/// The data of a figure, or of one of its parts. Columns of the same length.
struct Figure {
  std::string name;     // of the file: "figure_1"
  std::string caption;  // what it shows
  std::vector<FigureColumn> columns;
};

/// One run of a shipped scene.
struct GalleryRun {
  std::string name;                    // of the result, unique in its gallery
  std::string scene;                   // below the folder of shipped scenes, without .toml
  std::vector<std::string> overrides;  // "key.path=value", beside output.every
  std::string elsewhere;               // CPU time of a step in other programs, as far as it is known
};

/// What a benchmark shows.
class BenchmarkPage {
 public:
  std::vector<Figure> figures;
  std::vector<Comparison> comparisons;

  /// A number as the paper prints it; ours agrees where it rounds to the same digits.
  void published(std::string quantity, std::string unit, std::string expected, double ours, std::string reason = "");
  /// A number that the paper states in words ("does not penetrate").
  void stated(std::string quantity, std::string unit, double value, double tolerance, double ours,
              std::string reason = "");
  /// A behaviour that the paper tells in words ("inverts"): 1 where it is seen.
  void observed(const std::string& behaviour, bool seen);
  void analytic(std::string quantity, std::string unit, double value, double tolerance, double ours,
                std::string reason = "");
  void reference(std::string quantity, std::string unit, double value, double tolerance, double ours,
                 std::string reason = "");

 private:
  void add(std::string quantity, std::string unit, Origin origin, double value, double tolerance, double ours,
           std::string reason);
};

/// One system of a study: its runs, and what is taken from their results. `evaluate` gets the results in the order of
/// `runs`; a run that failed ends early, and what it did not reach is NaN.
struct Benchmark {
  std::string title;
  std::vector<GalleryRun> runs;
  std::function<void(std::span<const RunData>, BenchmarkPage&)> evaluate;
};

struct Gallery {
  std::string name;    // what users call it
  std::string source;  // [Key] of docs/references.bib, and what it is
  std::vector<Benchmark> benchmarks;
};

/// All that there are, in order of name.
std::vector<std::string_view> gallery_names();
/// Throws InputError with the nearest known name.
Gallery make_gallery(std::string_view name);

/// [Capobianco2021], section 10.
Gallery make_capobianco_gallery();

}  // namespace stickslip
