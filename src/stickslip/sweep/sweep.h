// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sweep/plan.h"
#include "stickslip/sweep/portable_scene.h"

namespace stickslip {

/// What one run of a sweep leaves.
struct SweepRow {
  std::int64_t status = -1;        // [-] the exit status that `stickslip run` would have; -1: not yet
  std::int64_t steps = 0;          // [-] made
  std::string message;             // why the status is not 0
  std::vector<double> quantities;  // (SweepPlan::width()) NaN where there is none
};

/// A scene that no file of its own holds: its text, and the name that stands in messages, beside which files lie.
struct SceneText {
  std::string text;
  std::string file;
};

/// A plan with its scene, read and found good: all that a row needs, wherever it is computed. Rows may be run in
/// several threads.
class ParameterSweep {
 public:
  /// Reads the scene beside the plan, or takes the given one. Throws InputError where plan or scene are wrong: keys
  /// that the scene does not have, expressions of what it does not have; with the place in the plan.
  explicit ParameterSweep(SweepPlan plan, const LoadOptions& options = {}, const std::optional<SceneText>& scene = {});

  /// The same sweep on another machine, of the text of its plan and its scene().
  ParameterSweep(const std::string& plan, const PortableScene& scene);
  ParameterSweep(const ParameterSweep&) = delete;
  ParameterSweep& operator=(const ParameterSweep&) = delete;
  ~ParameterSweep();

  const SweepPlan& plan() const { return plan_; }
  /// With what the plan sets in all rows.
  const PortableScene& scene() const { return scene_; }
  /// The scene as written, with its includes, as one text.
  const std::string& scene_text() const { return scene_text_; }

  /// Simulates one row, in which the columns have these values. Whatever goes wrong with it is in its status and
  /// message, but Interrupted, which is thrown.
  SweepRow run(std::span<const double> values, const StopToken& stop) const;

 private:
  void check();
  void check_column(const SweepColumn& column, double value) const;
  void simulate(std::span<const double> values, const StopToken& stop, SweepRow& row) const;
  std::vector<std::string> assignments_of(std::span<const double> values) const;

  SweepPlan plan_;
  std::string scene_text_;
  PortableScene scene_;
  std::filesystem::path folder_;  // of its files, where they were brought along
  Document document_;             // the scene, with the plan's `set`
};

}  // namespace stickslip
