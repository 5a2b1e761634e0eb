// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/step_problems.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <variant>

#include "stickslip/io/lcp_text.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/problem_recorder.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// What the names of a result's problems begin with.
std::string stem_of(const fs::path& result) {
  return result.stem().string() + "-step-";
}

/// Corners of the polygons that stand for discs of friction, where the scheme or the solver has such.
std::optional<int> facets_of(const Scene& scene) {
  const auto of_solver = [](const auto& options) -> std::optional<int> {
    if constexpr (std::is_base_of_v<FacetOptions, std::decay_t<decltype(options)>>) return options.facets;
    return std::nullopt;
  };
  const auto of_scheme = [](const auto& options) -> std::optional<int> {
    using Options = std::decay_t<decltype(options)>;
    if constexpr (std::is_same_v<Options, StewartTrinkleOptions> || std::is_same_v<Options, EventDrivenOptions>) {
      if (options.facets > 0) return options.facets;
    } else if constexpr (std::is_same_v<Options, RelaxationOptions>) {
      if (options.inclusion == RelaxationInclusion::facets) return options.facets;
    }
    return std::nullopt;
  };
  const std::optional<int> solver = std::visit(of_solver, scene.solver);
  return solver ? solver : std::visit(of_scheme, scene.scheme);
}

}  // namespace

void StepProblems::check_replaceable(const fs::path& result) {
  const fs::path folder = result.has_parent_path() ? result.parent_path() : fs::path(".");
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    if (!name.string().starts_with(stem_of(result)) || !(name.extension() == ".hdf5" || name.extension() == ".txt")) {
      continue;
    }
    stickslip::check_replaceable(entry.path(), MayReplace::problems);
  }
}

StepProblems::StepProblems(const Scene& scene, const std::filesystem::path& result, std::optional<std::int64_t> every,
                           std::int64_t most_failures, StopToken stop)
    : facets_(facets_of(scene)), result_(result), every_(every), most_failures_(most_failures), stop_(stop) {
}

std::unique_ptr<ConeSolver> StepProblems::watch(std::unique_ptr<ConeSolver> solver) {
  auto recorder = std::make_unique<ProblemRecorder>(std::move(solver));
  recorder_ = recorder.get();
  return recorder;
}

void StepProblems::begin_step(std::int64_t n) {
  recorder_->start(is_wanted(n));
}

void StepProblems::end_step(std::int64_t n, Status status) {
  const bool is_failure = status != Status::ok && static_cast<std::int64_t>(failures_.size()) < most_failures_;
  if (!recorder_->has_problem() || !(is_failure || is_wanted(n))) return;
  std::filesystem::path path = result_;
  const ConeProblem& problem = recorder_->problem();
  if (facets_ && !FacetLcp::find_reason_to_refuse(problem)) {
    path.replace_filename(fmt::format("{}{:06}.txt", stem_of(result_), n));
    FacetLcp lcp(*facets_);
    try {
      lcp.build(problem, stop_);
    } catch (const Interrupted&) {
      return;  // the run ends before its next step
    }
    write_lcp(path, lcp.standard_form());
  } else {
    path.replace_filename(fmt::format("{}{:06}.hdf5", stem_of(result_), n));
    recorder_->write(path);
  }
  if (is_failure) failures_.push_back(path);
}

}  // namespace stickslip
