// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// A model as a scene.
struct ConvertedModel {
  std::string name;                          // of the model
  std::string scene;                         // a scene file's text
  std::vector<std::string> warnings;         // "FILE:LINE: warning: WHAT: text" each
  std::map<std::string, std::string> files;  // bytes of those beside the scene, by the names that it gives them
  std::vector<ConvertedLines> lines;         // where the model says what the text does
};

/// Reads a model in URDF or MJCF: the root element decides. Throws InputError; under options.strict with the first
/// warning, too.
ConvertedModel convert_model(const std::filesystem::path& file, const RobotOptions& options);
/// Of a text, which is named `file` in messages; files that it names are looked up beside that.
ConvertedModel convert_model_text(std::string_view text, const std::filesystem::path& file,
                                  const RobotOptions& options);

/// Whether a file is a model rather than a scene: whether it begins with '<'. A file that cannot be read is not.
bool is_model(const std::filesystem::path& file);

}  // namespace stickslip
