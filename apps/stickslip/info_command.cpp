// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/write_error.h"
#include "stickslip/io/write_lock.h"
#include "stickslip/sim/summary.h"

namespace stickslip {
namespace {

class InfoCommand final : public Command {
 public:
  explicit InfoCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("info", "Say what a result holds, and the worst of its certificate");
    command->add_option("result", path_, "the result file")->type_name("RESULT.h5")->required();
    command->add_flag("--scene", scene_, "print the scene as it was run, and nothing else");
  }
  int execute() override;

 private:
  std::string path_;
  bool scene_ = false;
};

/// A killed run leaves the mark that somebody writes the file, which keeps other programs from opening it plainly.
void clear_old_mark(const std::string& path) {
  if (!Hdf5File::is_marked(path)) return;
  try {
    Hdf5File::clear_mark(path);
  } catch (const WriteError& error) {
    fmt::print(stderr, "{} (the file reads all the same)\n", error.what());
  }
}

void print_contents(const Trajectory& result) {
  fmt::print("bodies            ");
  for (const LayoutRow& row : result.layout()) fmt::print(" {} ({})", row.body, row.type);
  fmt::print("\ncontact points    ");
  for (const std::string& point : result.contact_points()) fmt::print(" {}", point);
  fmt::print("\n");
  if (!result.file().has("/contact_sets")) return;
  const double detected = result.rows() > 0 ? result.read("/contact_sets/offsets", result.rows(), 1)(0, 0) : 0.0;
  fmt::print("detected contacts  {:.0f} in {} rows\n", detected, result.rows());
}

int InfoCommand::execute() {
  // In a scope of its own: the file must be closed before its mark can go.
  bool live = false;
  {
    const Trajectory result(path_);
    if (scene_) {
      fmt::print("{}", result.text("scene"));
      return kDone;
    }
    live = WriteLock::is_held(path_);
    const std::string outcome = result.text("outcome");
    const char* state = outcome != "running" ? outcome.c_str() : live ? "running" : "killed";
    fmt::print("{}: {} ({})\n", path_, result.text("name"), state);
    if (const std::string message = result.text("message"); !message.empty()) fmt::print("{}\n", message);
    fmt::print("made by            stickslip {}, commit {}, {}\n", result.text("version"), result.text("commit"),
               result.text("compiler"));
    fmt::print("scheme, solver     {}, {}\n", result.text("scheme"), result.text("solver"));
    print_contents(result);
    const auto time = [&result](std::int64_t row) { return result.read("/time", row, 1)(0, 0); };
    fmt::print("rows               {}", result.rows());
    if (result.rows() > 0) fmt::print(", t = {:.6g} to {:.6g} s", time(0), time(result.rows() - 1));
    const std::optional<Checkpoint> checkpoint = result.checkpoint();
    if (checkpoint && outcome != "done") fmt::print(", resumes at t = {:.6g} s", checkpoint->state.t);
    Summary summary;
    constexpr std::int64_t kBlock = 100000;  // [-] rows read at a time
    for (std::int64_t first = 1; first < result.steps(); first += kBlock) {
      summary.add(result.read_steps(first, std::min(kBlock, result.steps() - first)));
    }
    fmt::print("\n{}", describe(summary));
  }
  if (!live) clear_old_mark(path_);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> add_info_command(CLI::App& program) {
  return std::make_unique<InfoCommand>(program);
}

}  // namespace stickslip
