// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/gallery/series.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/sim/analyze.h"

namespace stickslip {

/// What formulas read columns from.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  /// part: what stands in brackets behind the path, or nothing. Throws SeriesError where there is no such column.
  virtual Series read(const std::string& path, const std::string& part) const = 0;
};

/// The result of a run. A row is an output instant; row 0 is the initial state.
///
///   /time, /q, /u, /bodies/ball/position, ...     a dataset, or one item of it; part: which component, from 0
///   /steps/iterations, ...                        rows are steps, row 0 the initial state; a failed step has none
///   /events/impact, /events/impact/NAME           times at which it happened
///   /lcp/3/F, /lcp/3/f                            of the linear complementarity problem of step 3, F row by row
class RunData final : public ColumnSource {
 public:
  /// Throws InputError where the file is no result.
  explicit RunData(const std::filesystem::path& result);

  Series read(const std::string& path, const std::string& part) const override;
  std::int64_t max_iterations() const;
  double mean_iterations() const;  // NaN without a step

 private:
  Series read_steps(const std::string& column) const;
  Series read_events(const std::string& what) const;
  Series read_problem(const std::string& which) const;
  RowMatrix read_dataset(const std::string& path) const;

  std::filesystem::path path_;
  Trajectory result_;
  std::vector<StepRow> steps_;  // the initial state's row first
  std::shared_ptr<const std::vector<double>> time_, step_time_;
};

/// All solutions of the contact problem of several states; a row is a state.
///
///   /solutions, /open, /stick, /slip   how many there are, and how many with the first contact in that state
///   /exists, /unique, /complete        0 or 1
///   /G_A, /G_B, /residual              NaN where there is none; the worst residual of the solutions
///   /parameters/NAME                   a parameter of the scene
///   /forces/slip                       of the first contact in the first solution with it in that state, else NaN;
///   part
///                                      0: normal, 1, 2: friction
class AnalysisData final : public ColumnSource {
 public:
  void add(Analysis analysis) { states_.push_back(std::move(analysis)); }
  std::size_t states() const { return states_.size(); }
  Series read(const std::string& path, const std::string& part) const override;

 private:
  std::vector<Analysis> states_;
};

}  // namespace stickslip
