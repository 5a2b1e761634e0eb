// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stickslip/gallery/study.h"

namespace stickslip {

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
  double explained_from = 0.0, explained_to = 0.0;  // [unit] the least and the largest difference() it accounts for
  double difference() const { return ours - value; }
  bool agrees() const;
  /// Whether the reason accounts for what ours differs by.
  bool is_explained() const;
};

struct FigureColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;
};

/// A number where it stands in a figure; NaN: a line at the other's place.
struct FigureMark {
  std::size_t comparison;  // its place in the study
  double x, y;
};

/// The data of a figure, or of one of its parts. Columns of the same length.
struct Figure {
  std::string name;     // of the file: "figure_1"
  std::string caption;  // what it shows
  std::vector<FigureColumn> columns;
  std::vector<FigureCurve> curves;
  std::string run;  // that it is of; empty: the study's first
  std::vector<FigureMark> marks;
};

/// What a study shows.
struct StudyPage {
  std::vector<Figure> figures;
  std::vector<Comparison> comparisons;
};

}  // namespace stickslip
