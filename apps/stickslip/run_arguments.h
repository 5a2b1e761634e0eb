// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model_arguments.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/run.h"

namespace CLI {
class App;
}

namespace stickslip {

/// The options of `run`, which `view` has too, and what is said of a run.
class RunArguments {
 public:
  /// Binds all options but the scene.
  void add_to(CLI::App& command);

  LoadOptions load_options(const std::string& scene_file);
  /// What the run is to do but who watches and who stops it. Throws InputError where what would be written over is not
  /// to be; is_again: a result of this program alone, of which the files beside it are.
  RunOptions make_options(const Scene& scene, const std::string& scene_file, bool is_again = false) const;
  /// Tells of likely mistakes and passed limits on stderr. This and `before_line` outlive the run: that takes away what
  /// stands on the terminal's line.
  void set_warnings(RunOptions& options, std::function<void()> before_line);
  /// How the run ended, in words and as the exit status. Writes the frames for ParaView, where they are wanted, of a
  /// run that was not interrupted.
  int tell(const std::string& title, const std::string& scene_file, const RunOptions& options,
           const RunResult& result) const;
  /// What runs, for people.
  static std::string title_of(const Scene& scene);
  bool quiet() const { return quiet_; }

  /// Where a word without '=' among the settings is the scene (separate_scene()).
  std::vector<std::string> settings;  // "key=value"

 private:
  void warn(const LimitEntry& entry);
  void print_end(const std::string& title, const RunOptions& options, const RunResult& result) const;

  ModelArguments model_;
  std::string output_;
  std::string scheme_;
  std::string solver_;
  std::string step_;
  std::string end_;
  std::string csv_;
  std::string vtk_;
  std::string resume_;
  double checkpoint_every_ = 0.0;
  std::int64_t problems_every_ = 0;
  int threads_ = 0;  // one for each processor
  std::int64_t problems_failed_ = 0;
  bool force_ = false;
  bool quiet_ = false;
  int warnings_ = 0;  // shown
};

/// The frames of a result for ParaView, and the exit status: a signal interrupts it.
int write_frames_of(const std::string& result, const std::string& folder);

}  // namespace stickslip
