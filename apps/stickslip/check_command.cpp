// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "commands.h"
#include "model_arguments.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/output_plan.h"
#include "terminal.h"

namespace stickslip {
namespace {

class CheckCommand final : public Command {
 public:
  explicit CheckCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("check", "Say all that can be known of a scene without running it");
    command->add_option("scene", scene_, "the scene file, or a model")->type_name("SCENE.toml");
    model_.add_to(*command);
    command->add_option("--set", options_.overrides, "set any key of the scene, for example bodies.ball.mass=2")
        ->type_name("KEY=VALUE");
  }

  int execute() override {
    separate_scene(options_.overrides, scene_);
    model_.add_to(options_, scene_);
    Scene scene = load_scene(scene_, options_);
    BuiltScene built = build(scene);
    const std::string output = describe(plan_output(scene, built));
    const SceneCheck found = check_scene(std::move(scene), std::move(built));
    for (const std::string& warning : found.warnings) print_output("{}\n", warning);
    print_output("{}  output    {}\n", found.summary, output);
    return kDone;
  }

 private:
  std::string scene_;
  LoadOptions options_;
  ModelArguments model_;
};

}  // namespace

std::unique_ptr<Command> add_check_command(CLI::App& program) {
  return std::make_unique<CheckCommand>(program);
}

}  // namespace stickslip
