// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/load_scene.h"

namespace CLI {
class App;
}

namespace stickslip {

/// The options of a model in URDF or MJCF, which may stand wherever a scene may.
class ModelArguments {
 public:
  void add_to(CLI::App& command);
  const RobotOptions& options() const { return options_; }

  /// Makes `load` take models, too. Warnings go to stderr, each once. Throws InputError where options of models are
  /// given and `scene` is none.
  void add_to(LoadOptions& load, const std::filesystem::path& scene);

  /// Converts a model and tells warnings likewise. Throws InputError, a line for each, where they are refused.
  ConvertedModel convert(const std::filesystem::path& file, RobotOptions options);

 private:
  RobotOptions options_;
  std::mutex telling_;  // comparisons load in several threads
  std::set<std::string> told_;
};

}  // namespace stickslip
