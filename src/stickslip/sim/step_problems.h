// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

class ProblemRecorder;

/// The contact problems of a run that are left beside its result, <result>-step-<n>.hdf5, or, where friction has
/// polygons, by the scheme or by the solver, in the plane too, <result>-step-<n>.txt with (F, f) of the linear
/// complementarity problem (FacetLcp::standard_form): the first of those of steps that fail or end
/// inexact, and every k-th step's where that is wanted.
class StepProblems {
 public:
  /// most_failures [-]: problems of failed or inexact steps that are written at most.
  StepProblems(const Scene& scene, const std::filesystem::path& result, std::optional<std::int64_t> every,
               std::int64_t most_failures, StopToken stop);

  /// Refuses a result beside which files with such names are no contact problems. Throws InputError, which names
  /// --force.
  static void check_replaceable(const std::filesystem::path& result);

  /// Puts a recorder around the run's solver.
  std::unique_ptr<ConeSolver> watch(std::unique_ptr<ConeSolver> solver);

  void begin_step(std::int64_t n);
  /// Writes the problem of step n if it is to be left. Throws WriteError.
  void end_step(std::int64_t n, Status status);

  /// Files of steps that failed or ended inexact.
  const std::vector<std::filesystem::path>& failures() const { return failures_; }

 private:
  bool is_wanted(std::int64_t n) const { return every_ && n % *every_ == 0; }

  std::optional<int> facets_;  // [-] corners for discs of friction, where problems are written as LCP text
  std::filesystem::path result_;
  std::optional<std::int64_t> every_;
  std::int64_t most_failures_;
  StopToken stop_;
  ProblemRecorder* recorder_ = nullptr;  // the run's solver, which the run owns
  std::vector<std::filesystem::path> failures_;
};

}  // namespace stickslip
