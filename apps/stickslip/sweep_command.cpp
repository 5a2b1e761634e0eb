// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "commands.h"
#include "model_arguments.h"
#include "progress_line.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/instruction_set.h"
#include "stickslip/io/output_file.h"
#include "stickslip/sweep/run_sweep.h"
#include "terminal.h"

namespace stickslip {
namespace {

class SweepCommand final : public Command {
 public:
  explicit SweepCommand(CLI::App& program);
  int execute() override;

 private:
  void check_files(const std::filesystem::path& output) const;
  int tell(const SweepTable& table, const std::string& output, bool is_whole) const;

  std::string plan_, output_, csv_;
  ModelArguments model_;
  int jobs_ = 0;
  bool force_ = false, quiet_ = false;
};

SweepCommand::SweepCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "sweep", "Run a scene with many values of its parameters, and tabulate what each run leaves");
  command.add_option("plan", plan_, "the plan of the study")->type_name("PLAN.toml")->required();
  model_.add_to(command);
  command.add_option("-j,--jobs", jobs_, "how many runs at a time (default: one for each processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command.add_option("-o,--output", output_, "the table (default: <name of the plan's file>.h5, here)")
      ->type_name("TABLE.h5");
  command.add_option("--csv", csv_, "write the table as text, too, once all rows are done")->type_name("FILE");
  command.add_flag("--force", force_, "write over files that are there and are not the table of this plan and scene");
  command.add_flag("--quiet", quiet_, "print errors only");
  command.footer(
      "A table of the same plan and scene goes on where it ended, whatever ended it. Ctrl-C drops the runs under way.\n"
      "Exit status: 0 all runs have status 0; 4 some have another; 2 bad plan, nothing is written; 130 interrupted.");
}

void SweepCommand::check_files(const std::filesystem::path& output) const {
  std::error_code error;
  for (const std::filesystem::path& file : {output, std::filesystem::path(csv_)}) {
    if (std::filesystem::equivalent(file, plan_, error))
      throw InputError({file.string()}, "", "", "is the plan itself");
  }
  if (csv_.empty()) return;
  if (std::filesystem::path(csv_).lexically_normal() == output.lexically_normal()) {
    throw InputError({csv_}, "", "", "cannot be both the table and the CSV");
  }
  if (!force_) check_replaceable(csv_, MayReplace::nothing);
}

int SweepCommand::execute() {
  choose_instruction_set();
  const std::filesystem::path output = output_.empty() ? std::filesystem::path(plan_).stem().string() + ".h5" : output_;
  check_files(output);
  SweepPlan plan = load_plan(plan_);
  LoadOptions load;
  model_.add_to(load, plan.document.folder(plan.scene_mark) / plan.scene);
  const ParameterSweep sweep(std::move(plan), load);
  keep_work_on_signals();
  SweepTable table(sweep, output, force_);
  ProgressLine line(quiet_);
  line.set_title(std::filesystem::path(plan_).stem().string());
  SweepOptions options;
  options.jobs = jobs_;
  options.stop = &stop_requested;
  options.progress = [&line](std::int64_t done, std::int64_t all) { line.show_count(done, all); };
  const bool is_whole = run_sweep(sweep, table, options);
  line.clear();
  if (is_whole && !csv_.empty()) table.write_csv(csv_);
  return tell(table, output.string(), is_whole);
}

int SweepCommand::tell(const SweepTable& table, const std::string& output, bool is_whole) const {
  const std::vector<std::int64_t> status = table.status();
  const auto n_left = std::ranges::count(status, -1);
  if (!is_whole) {
    print_error("interrupted: {} of {} rows are in {}; the same command goes on\n", table.rows() - n_left, table.rows(),
                output);
    return kInterrupted;
  }
  const auto n_good = std::ranges::count(status, std::int64_t{kDone});
  if (!quiet_) {
    print_output("{} rows, {} of them with status 0; table: {}{}\n", table.rows(), n_good, output,
                 csv_.empty() ? "" : ", " + csv_);
  }
  return n_good == table.rows() ? kDone : kInexact;
}

}  // namespace

std::unique_ptr<Command> add_sweep_command(CLI::App& program) {
  return std::make_unique<SweepCommand>(program);
}

}  // namespace stickslip
