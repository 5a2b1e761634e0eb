// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>

#include "commands.h"
#include "model_arguments.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_error.h"
#include "stickslip/sim/analyze.h"
#include "terminal.h"

namespace stickslip {
namespace {

class AnalyzeCommand final : public Command {
 public:
  explicit AnalyzeCommand(CLI::App& program);
  int execute() override;

 private:
  AnalysisOptions make_options() const;
  void print(const Analysis& analysis, const std::vector<Sweep>& sweeps, const std::vector<double>& values,
             std::map<std::string, int>& counts) const;

  std::string scene_;
  std::vector<std::string> settings_;
  ModelArguments model_;
  std::vector<std::string> sweeps_;
  std::string level_ = "step";
  std::string time_;
  std::string result_;
  std::string json_;
  double delta_ = AnalysisOptions{}.delta;
  double damping_ = AnalysisOptions{}.damping;
  bool force_ = false;
};

AnalyzeCommand::AnalyzeCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("analyze", "Find every solution of a small contact problem: open, stick, slip");
  command.add_option("scene", scene_, "the scene file")->type_name("SCENE.toml");
  command
      .add_option("--level", level_,
                  "step: the contact problem of one step of the scene's scheme (default); acceleration: CP1, forces "
                  "and accelerations at the instant; relaxation: the relaxed laws of Kikuuwe and Brogliato there, with "
                  "--delta and --zeta")
      ->type_name("LEVEL");
  command.add_option("--time", time_, "run to this time first [s] (default: the start)")->type_name("T");
  command.add_option("--resume", result_, "the state of this result's row at --time (default: its last row)")
      ->type_name("RESULT.h5");
  model_.add_to(command);
  command.add_option("--set", settings_, "set any key of the scene, for example parameters.theta=1.2")
      ->type_name("KEY=VALUE");
  command
      .add_option("--sweep", sweeps_,
                  "n values of a key from a to b, for example parameters.theta=0.1:1.5:100; of several the last is "
                  "the fastest")
      ->type_name("KEY=a:b:n");
  command.add_option("--delta", delta_, "of the relaxation [s] (default 1e-3)")->type_name("S");
  command
      .add_option("--zeta", damping_,
                  "of the relaxation (default 0.5; with delta the step length this is the implicit Euler form)")
      ->type_name("Z");
  command.add_option("--json", json_, "write all solutions as a JSON list, too")->type_name("FILE");
  command.add_flag("--force", force_, "write over a file that is there");
  command.footer(fmt::format("At most {} contacts that touch, and {:g} combinations of their states: docs/analyze.md.",
                             kMaxEnumeratedContacts, kMaxEnumeratedCases));
}

AnalysisOptions AnalyzeCommand::make_options() const {
  AnalysisOptions options;
  const std::vector<std::string_view> known = {"step", "acceleration", "relaxation"};
  const auto level = std::ranges::find(known, level_);
  if (level == known.end()) {
    const std::string nearest = nearest_name(level_, known);
    throw InputError({}, "--level", level_,
                     nearest.empty() ? "one of step, acceleration, relaxation" : "did you mean " + nearest + "?");
  }
  options.level = static_cast<AnalysisLevel>(level - known.begin());
  options.delta = delta_;
  options.damping = damping_;
  if (!time_.empty()) {
    double time = 0.0;
    if (!CLI::detail::lexical_cast(time_, time)) throw InputError({}, "--time", time_, "a number [s]");
    options.time = time;
  }
  if (!result_.empty()) options.result = result_;
  options.stop = &stop_requested;
  return options;
}

/// All of a state alone; of a sweep a line each.
void AnalyzeCommand::print(const Analysis& analysis, const std::vector<Sweep>& sweeps,
                           const std::vector<double>& values, std::map<std::string, int>& counts) const {
  if (sweeps.empty()) {
    print_output("t = {:.9g} s, {} problem\n{}", analysis.time, level_name(analysis.level), to_text(analysis));
    return;
  }
  std::string kinds;
  for (const AnalyzedSolution& solution : analysis.solutions) kinds += "  [" + describe_kinds(solution) + "]";
  std::string line;
  for (const double value : values) line += fmt::format("{:<14.7g}", value);
  const auto sign = [](const std::optional<double>& x) { return !x ? ' ' : *x < 0.0 ? '-' : '+'; };
  print_output("{} {}{}  {}{}{}\n", line, sign(analysis.G_B), sign(analysis.G_A), analysis.solutions.size(),
               analysis.complete ? "" : "+", kinds);
  ++counts[fmt::format("{}{}  {}{}{}", sign(analysis.G_B), sign(analysis.G_A), analysis.solutions.size(),
                       analysis.complete ? "" : "+", kinds)];
}

int AnalyzeCommand::execute() {
  separate_scene(settings_, scene_);
  const AnalysisOptions options = make_options();
  std::vector<Sweep> sweeps;
  for (const std::string& text : sweeps_) sweeps.push_back(parse_sweep(text));
  std::error_code not_there;
  if (!json_.empty() && std::filesystem::equivalent(json_, scene_, not_there)) {
    throw InputError({}, "--json", json_, "another file: this is the scene");
  }
  if (!json_.empty() && !force_) check_replaceable(json_, MayReplace::nothing);
  if (!sweeps.empty()) {
    std::string head;
    for (const Sweep& sweep : sweeps) head += fmt::format("{:<14}", sweep.key.substr(sweep.key.rfind('.') + 1));
    print_output("{} signs of G_B, G_A; how many solutions; which\n", head);
  }
  keep_work_on_signals();
  std::map<std::string, int> counts;
  std::string json;
  try {
    LoadOptions load;
    load.overrides = settings_;
    model_.add_to(load, scene_);
    analyze_sweep(scene_, load, sweeps, options, [&](const Analysis& analysis, const std::vector<double>& values) {
      print(analysis, sweeps, values, counts);
      if (!json_.empty()) json += (json.empty() ? "\n  " : ",\n  ") + to_json(analysis);
    });
  } catch (const Interrupted&) {
    // What there is so far is written.
  }
  if (!sweeps.empty()) print_output("\npoints  signs of G_B, G_A; how many solutions; which\n");
  for (const auto& [what, count] : counts) print_output("{:>6}  {}\n", count, what);
  if (!json_.empty()) {
    std::ofstream out(json_, std::ios::binary);
    out << "[" << json << "\n]\n";
    if (!out.flush()) throw WriteError(json_ + ": cannot be written");
  }
  if (stop_requested) {
    print_error("interrupted\n");
    return kInterrupted;
  }
  return kDone;
}

}  // namespace

std::unique_ptr<Command> add_analyze_command(CLI::App& program) {
  return std::make_unique<AnalyzeCommand>(program);
}

}  // namespace stickslip
