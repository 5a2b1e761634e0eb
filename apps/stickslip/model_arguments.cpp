// SPDX-License-Identifier: BSD-3-Clause
#include "model_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "terminal.h"

namespace stickslip {

void ModelArguments::add_to(CLI::App& command) {
  command.add_flag("--strict", options_.strict, "of a model: what would be left out or changed is an error");
  command.add_option("--package", options_.packages, "of a URDF: a folder of packages, or a package's own")
      ->type_name("DIR")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("--base", options_.base, "of a URDF: whether its root is fixed (the default) or free")
      ->check(CLI::IsMember({"fixed", "free"}));
  command.add_option("--key", options_.key, "of an MJCF: the keyframe to start from")->type_name("NAME");
  command.add_flag("--balance-inertia", options_.balance_inertia,
                   "of a URDF: take the mean of moments that no body can have");
}

void ModelArguments::add_to(LoadOptions& load, const std::filesystem::path& scene) {
  if (options_ != RobotOptions{} && !is_model(scene)) {
    throw InputError({scene.string(), 0, 0}, "", "", "a model in URDF or MJCF, of which options are given");
  }
  load.convert = [this](const std::filesystem::path& file) {
    RobotOptions options = options_;
    options.scene_folder = file.parent_path();
    ConvertedModel model = convert(file, options);
    return ConvertedScene{std::move(model.scene), std::move(model.files), std::move(model.lines)};
  };
}

ConvertedModel ModelArguments::convert(const std::filesystem::path& file, RobotOptions options) {
  options.strict = false;  // all that is left out is told before it is refused
  ConvertedModel model = convert_model(file, options);
  const std::lock_guard<std::mutex> lock(telling_);
  if (!options_.strict) {
    for (const std::string& warning : model.warnings) {
      if (told_.insert(warning).second) print_error("{}\n", warning);
    }
  } else if (!model.warnings.empty()) {
    constexpr std::string_view kWarning = ": warning: ";
    for (std::string& line : model.warnings) line.replace(line.find(kWarning), kWarning.size(), ": ");
    throw InputError(fmt::format("{}", fmt::join(model.warnings, "\n")));
  }
  return model;
}

}  // namespace stickslip
