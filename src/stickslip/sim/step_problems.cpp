// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/step_problems.h"

#include <fmt/format.h>

#include <utility>

#include "stickslip/io/output_file.h"
#include "stickslip/io/problem_recorder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// What the names of a result's problems begin with.
std::string stem_of(const fs::path& result) {
  return result.stem().string() + "-step-";
}

}  // namespace

void StepProblems::check_replaceable(const fs::path& result) {
  const fs::path folder = result.has_parent_path() ? result.parent_path() : fs::path(".");
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path name = entry.path().filename();
    if (!name.string().starts_with(stem_of(result)) || name.extension() != ".hdf5") continue;
    stickslip::check_replaceable(entry.path(), MayReplace::problems);
  }
}

StepProblems::StepProblems(const std::filesystem::path& result, std::optional<std::int64_t> every)
    : result_(result), every_(every) {
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
  const bool is_failure = status != Status::ok && static_cast<int>(failures_.size()) < kMostFailures;
  if (!recorder_->has_problem() || !(is_failure || is_wanted(n))) return;
  std::filesystem::path path = result_;
  path.replace_filename(fmt::format("{}{:06}.hdf5", stem_of(result_), n));
  recorder_->write(path);
  if (is_failure) failures_.push_back(path);
}

}  // namespace stickslip
