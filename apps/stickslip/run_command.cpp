// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "commands.h"
#include "progress_line.h"
#include "run_arguments.h"
#include "shared_run.h"
#include "stickslip/base/instruction_set.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"

namespace stickslip {
namespace {

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& program);
  int execute() override;

 private:
  std::string scene_;
  RunArguments arguments_;
};

RunCommand::RunCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("run", "Simulate a scene and write its result");
  command.add_option("scene", scene_, "the scene file, or a model in URDF or MJCF")->type_name("SCENE.toml");
  arguments_.add_to(command);
  command.footer("Ctrl-C drops the step under way, closes the result and says how to resume; a second one kills.");
}

int RunCommand::execute() {
  choose_instruction_set();  // refuses what this machine does not have
  separate_scene(arguments_.settings, scene_);
  Scene scene = load_scene(scene_, arguments_.load_options(scene_));
  const std::string title = RunArguments::title_of(scene);
  RunOptions options = arguments_.make_options(scene, scene_);
  options.stop = &stop_requested;
  Ranks* ranks = Ranks::current();
  const bool is_first = ranks == nullptr || ranks->rank() == 0;
  ProgressLine line(arguments_.quiet() || !is_first);
  options.progress = [&line](const Progress& progress) { line.show(progress); };
  options.before_writing = keep_work_on_signals;
  if (ranks != nullptr) share_run(*ranks, options);
  arguments_.set_warnings(options, [&line] { line.clear(); });
  options.ended = [this, &title, &options, &line](const RunResult& result) {
    line.clear();
    if (result.outcome != Outcome::interrupted || Ranks::current() != nullptr) return;
    arguments_.tell(title, scene_, options, result);
    std::fflush(nullptr);
    std::_Exit(kInterrupted);  // at once: giving back the memory of many bodies takes longer than writing them
  };
  const RunResult result = run(std::move(scene), options);
  return is_first ? arguments_.tell(title, scene_, options, result) : exit_status(result.outcome);
}

}  // namespace

std::unique_ptr<Command> add_run_command(CLI::App& program) {
  return std::make_unique<RunCommand>(program);
}

}  // namespace stickslip
