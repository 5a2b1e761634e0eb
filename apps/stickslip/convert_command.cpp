// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "commands.h"
#include "model_arguments.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "terminal.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

class ConvertCommand final : public Command {
 public:
  explicit ConvertCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("convert", "Write a model in URDF or MJCF as a scene");
    command->add_option("model", model_, "the model's file")->type_name("MODEL")->required();
    command->add_option("-o,--output", output_, "the scene file (default: <name of the model>.toml, here)")
        ->type_name("SCENE.toml");
    command->add_flag("--force", force_, "write over a file");
    arguments_.add_to(*command);
  }

  int execute() override {
    RobotOptions options = arguments_.options();
    options.scene_folder = output_.empty() ? fs::path() : fs::path(output_).parent_path();
    const ConvertedModel model = arguments_.convert(model_, options);
    LoadOptions load;
    arguments_.add_to(load, model_);
    build(load_scene(model_, load));  // for its errors
    const fs::path output = output_.empty() ? default_output(model.name) : fs::path(output_);
    std::map<fs::path, std::string> written = {{output, model.scene}};
    for (const auto& [name, bytes] : model.files) written[output.parent_path() / name] = bytes;
    for (const auto& [path, bytes] : written) {
      if (!force_) check_replaceable(path, MayReplace::nothing);
    }
    for (const auto& [path, bytes] : written) write_text(path, bytes);
    print_output("{}\n", output.string());
    return kDone;
  }

 private:
  fs::path default_output(const std::string& name) const {
    const bool is_usable = !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
    return (is_usable ? name : fs::path(model_).stem().string()) + ".toml";
  }

  std::string model_;
  std::string output_;
  bool force_ = false;
  ModelArguments arguments_;
};

}  // namespace

std::unique_ptr<Command> add_convert_command(CLI::App& program) {
  return std::make_unique<ConvertCommand>(program);
}

}  // namespace stickslip
