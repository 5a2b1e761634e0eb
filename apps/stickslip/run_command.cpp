// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "commands.h"
#include "progress_line.h"
#include "run_arguments.h"
#include "shared_run.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/instruction_set.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/io/new_file.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"

namespace stickslip {
namespace {

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& program);
  int execute() override;

 private:
  void check_timing(const RunOptions& options) const;
  void write_timing();

  std::string scene_;
  std::string timing_;
  RunArguments arguments_;
  PhaseClock phases_;
};

RunCommand::RunCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("run", "Simulate a scene and write its result");
  command.add_option("scene", scene_, "the scene file, or a model in URDF or MJCF")->type_name("SCENE.toml");
  arguments_.add_to(command);
  command
      .add_option("--timing", timing_, "write the processor time of each phase of the run into this file, as JSON [s]")
      ->type_name("FILE");
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
  options.phases = &phases_;
  if (!timing_.empty()) {
    check_timing(options);
    phases_.activate();
  }
  ProgressLine line(arguments_.quiet() || !is_first);
  options.progress = [&line](const Progress& progress) { line.show(progress); };
  options.before_writing = keep_work_on_signals;
  if (ranks != nullptr) share_run(*ranks, options);
  arguments_.set_warnings(options, [&line] { line.clear(); });
  options.ended = [this, &title, &options, &line](const RunResult& result) {
    line.clear();
    if (result.outcome != Outcome::interrupted || Ranks::current() != nullptr) return;
    arguments_.tell(title, scene_, options, result);
    write_timing();
    std::fflush(nullptr);
    std::_Exit(kInterrupted);  // at once: giving back the memory of many bodies takes longer than writing them
  };
  const RunResult result = run(std::move(scene), options);
  if (!is_first) return exit_status(result.outcome);
  const int status = arguments_.tell(title, scene_, options, result);
  write_timing();
  return status;
}

/// The file is written at the end, over what is there.
void RunCommand::check_timing(const RunOptions& options) const {
  namespace fs = std::filesystem;
  const fs::path timing = timing_;
  std::error_code error;
  for (const fs::path& file : {fs::path(scene_), options.output, fs::path(options.csv.value_or(""))}) {
    if (timing.lexically_normal() == file.lexically_normal() || fs::equivalent(timing, file, error)) {
      throw InputError({timing_}, "--timing", "", "is the scene, the result or the CSV");
    }
  }
}

void RunCommand::write_timing() {
  if (timing_.empty()) return;
  std::string text;
  const std::array<double, kPhases>& seconds = phases_.seconds();
  for (int k = 0; k < kPhases; ++k) {
    text += fmt::format("{}\"{}\": {:.9g}", k == 0 ? "" : ", ", phase_name(static_cast<Phase>(k)), seconds[k]);
  }
  write_text(timing_, fmt::format("{{\"phases\": {{{}}}}}\n", text));
}

}  // namespace

std::unique_ptr<Command> add_run_command(CLI::App& program) {
  return std::make_unique<RunCommand>(program);
}

}  // namespace stickslip
