// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "model_arguments.h"
#include "stickslip/base/input_error.h"
#include "stickslip/compare/compare.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/report/report.h"
#include "terminal.h"

namespace stickslip {
namespace {

class CompareCommand final : public Command {
 public:
  explicit CompareCommand(CLI::App& program);
  int execute() override;

 private:
  bool is_page() const { return std::filesystem::path(output_).extension() == ".html"; }
  void check_output() const;
  void check_file(const std::string& file, const char* option) const;

  std::string scene_;
  ModelArguments model_;
  std::vector<std::string> schemes_, solvers_, settings_;
  std::vector<double> steps_;
  int threads_ = 1;
  std::string output_, json_;
  bool force_ = false, quiet_ = false;
};

CompareCommand::CompareCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "compare", "Run a scene under several schemes, solvers and steps, and tabulate errors, orders and costs");
  command.add_option("scene", scene_, "the scene file, or a model in URDF or MJCF")->type_name("SCENE.toml");
  model_.add_to(command);
  const auto add_list = [&command](const char* name, auto& values, const char* meaning, const char* type) {
    command.add_option(name, values, meaning)->delimiter(',')->allow_extra_args(false)->type_name(type);
  };
  add_list("--schemes", schemes_, "schemes instead of the scene's, or all: see `list schemes`", "A,B,...");
  add_list("--solvers", solvers_, "contact solvers instead of the scene's: see `list solvers`", "A,B,...");
  add_list("--steps", steps_, "time steps instead of the scene's [s]", "H1,H2,...");
  command.add_option("--set", settings_, "set any key of the scene in all runs")->type_name("KEY=VALUE");
  command.add_option("--threads", threads_, "how many runs at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("-o,--output", output_, "write the table as Markdown, or a page with it and its plots, too")
      ->type_name("FILE.md|FILE.html");
  command.add_option("--json", json_, "write the rows as JSON, too")->type_name("FILE");
  command.add_flag("--force", force_, "write over files that are there");
  command.add_flag("--quiet", quiet_, "print errors only");
  command.footer(
      "Errors are against the scene's `reference`, or else against the run with the finest step. A scheme or solver\n"
      "that cannot take the scene has a row that says so. Exit status: that of the worst run. Leaves no results.");
}

void CompareCommand::check_output() const {
  if (!output_.empty() && !is_page() && std::filesystem::path(output_).extension() != ".md") {
    throw InputError({}, "--output", output_, "a file *.md or *.html");
  }
  check_file(output_, "--output");
}

void CompareCommand::check_file(const std::string& file, const char* option) const {
  if (file.empty()) return;
  std::error_code not_there;
  if (std::filesystem::equivalent(file, scene_, not_there)) throw InputError({}, option, file, "is the scene itself");
  if (!force_ && !is_report(file)) check_replaceable(file, MayReplace::nothing);
}

int CompareCommand::execute() {
  separate_scene(settings_, scene_);
  check_output();
  check_file(json_, "--json");
  if (!output_.empty() && output_ == json_) throw InputError({}, "--json", json_, "is the file of --output");
  CompareOptions options;
  if (schemes_ == std::vector<std::string>{"all"}) {
    schemes_.clear();
    for (const SchemeOptions& scheme : all_schemes()) schemes_.emplace_back(scheme_traits(scheme).name);
  }
  options.schemes = schemes_;
  options.solvers = solvers_;
  options.steps = steps_;
  options.settings = settings_;
  LoadOptions load;
  model_.add_to(load, scene_);
  options.convert = load.convert;
  options.threads = threads_;
  options.stop = &stop_requested;
  if (!quiet_) {
    options.progress = [](int ended, int all) { print_error("{} of {} runs\n", ended, all); };
  }
  keep_work_on_signals();
  try {
    const SchemeComparison comparison = compare(scene_, options);
    if (!output_.empty()) write_text(output_, is_page() ? to_html(comparison, scene_) : to_markdown(comparison));
    if (!json_.empty()) write_text(json_, to_json(comparison));
    if (!quiet_ && !is_standard_output(json_) && !is_standard_output(output_)) write_output(to_text(comparison));
    return exit_status(worst_outcome(comparison));
  } catch (const Interrupted&) {
    print_error("interrupted: nothing was written\n");
    return kInterrupted;
  }
}

}  // namespace

std::unique_ptr<Command> add_compare_command(CLI::App& program) {
  return std::make_unique<CompareCommand>(program);
}

}  // namespace stickslip
