// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/visible_text.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/write_error.h"
#include "stickslip/io/write_lock.h"
#include "stickslip/sim/summary.h"
#include "terminal.h"

namespace stickslip {
namespace {

class InfoCommand final : public Command {
 public:
  explicit InfoCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("info", "Say what a result holds, and the worst of its certificate");
    command->add_option("result", path_, "the result file")->type_name("RESULT.h5")->required();
    command->add_flag("--scene", scene_, "print the scene as it was run, and nothing else");
    command->add_flag("--verify", verify_, "compare every number with its checksum");
  }
  int execute() override;

 private:
  std::string path_;
  bool scene_ = false;
  bool verify_ = false;
};

/// A killed run leaves the mark that somebody writes the file, which keeps other programs from opening it plainly.
void clear_old_mark(const std::string& path) {
  if (!Hdf5File::is_marked(path)) return;
  keep_work_on_signals();  // the file's first bytes are written anew
  try {
    Hdf5File::clear_mark(path);
  } catch (const WriteError& error) {
    print_error("{} (the file reads all the same)\n", error.what());
  }
}

/// "3: ball, box, floor", of many the first few.
std::string describe_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;  // [-] names that a line holds
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format("{}", names.size());
  for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? ": " : ", ") + visible_text(names[k]);
  if (shown < names.size()) text += ", ...";
  return text;
}

/// "3: ball (planar), ..."; of many how many there are of each type.
std::string describe_bodies(const std::vector<LayoutRow>& layout) {
  constexpr std::size_t kMost = 12;  // [-]
  std::vector<std::string> names;
  std::map<std::string, int> types;
  for (const LayoutRow& row : layout) {
    if (names.size() < kMost) names.push_back(fmt::format("{} ({})", visible_text(row.body), visible_text(row.type)));
    ++types[visible_text(row.type)];
  }
  if (layout.size() <= kMost) return fmt::format("{}: {}", layout.size(), fmt::join(names, ", "));
  std::vector<std::string> counts;
  for (const auto& [type, count] : types) counts.push_back(fmt::format("{} {}", count, type));
  return fmt::format("{}: {}", layout.size(), fmt::join(counts, ", "));
}

/// "12: 9 impact, 2 slip, 1 stick", most frequent first.
std::string describe_events(const std::vector<EventRow>& events) {
  std::map<std::string, int> counts;
  for (const EventRow& event : events) ++counts[visible_text(event.what)];
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [what, count] : counts) sorted.emplace_back(-count, what);
  std::ranges::sort(sorted);
  std::vector<std::string> texts;
  for (const auto& [count, what] : sorted) texts.push_back(fmt::format("{} {}", -count, what));
  return fmt::format("{}{}{}", events.size(), texts.empty() ? "" : ": ", fmt::join(texts, ", "));
}

void print_contents(const Trajectory& result) {
  print_output("bodies             {}\n", describe_bodies(result.layout()));
  print_output("contact points     {}\n", describe_names(result.names("contacts")));
  if (const auto joints = result.names("joints"); !joints.empty()) {
    print_output("joints             {}\n", describe_names(joints));
  }
  if (result.file().has("/events")) {
    print_output("events             {}\n", describe_events(read_events(result.file())));
  }
  if (!result.file().has("/contact_sets")) return;
  const double detected = result.rows() > 0 ? result.read("/contact_sets/offsets", result.rows(), 1)(0, 0) : 0.0;
  print_output("detected contacts  {:.0f} in {} rows\n", detected, result.rows());
}

/// A killed run leaves rows that are not whole behind its last checkpoint; of one that ended all are there.
std::string describe_losses(const Trajectory& result, bool has_ended) {
  const std::int64_t lost = result.announced_rows() - result.rows() + result.announced_steps() - result.steps();
  if (lost == 0) return "";
  return has_ended ? fmt::format("damaged: rows from {} or steps from {} on are not as they were written",
                                 result.rows(), result.steps())
                   : "";
}

/// Of a file that is being written a part may be caught between two writes: then all is read again. The file must not
/// be open here already, or the library would show what it has read of it before.
void verify(const std::string& path) {
  constexpr int kMostLooks = 40;  // [-] that are not the last
  constexpr auto kPause = std::chrono::milliseconds(50);
  for (int k = 0;; ++k) {
    const bool is_written = WriteLock::is_held(path);
    try {
      Trajectory(path).verify();
      return;
    } catch (const InputError&) {
      if (!is_written || k == kMostLooks) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

int InfoCommand::execute() {
  // In a scope of its own: the file must be closed before its mark can go.
  bool live = false;
  {
    const Trajectory result(path_);
    if (scene_) {
      write_output_exactly(result.scene());
      return kDone;
    }
    const auto text = [&result](const char* name) { return visible_text(result.text(name)); };
    live = WriteLock::is_held(path_);
    const std::string outcome = visible_text(result.text("outcome"));
    const char* state = outcome != "running" ? outcome.c_str() : live ? "running" : "killed";
    print_output("{}: {} ({})\n", visible_text(path_), text("name"), state);
    if (const std::string message = visible_text(result.text("message")); !message.empty())
      print_output("{}\n", message);
    print_output("made by            stickslip {}, commit {}, {}\n", text("version"), text("commit"), text("compiler"));
    print_output("scheme, solver     {}, {}\n", text("scheme"), text("solver"));
    print_contents(result);
    const auto time = [&result](std::int64_t row) { return result.read("/time", row, 1)(0, 0); };
    print_output("rows               {}", result.rows());
    if (result.rows() > 0) print_output(", t = {:.6g} to {:.6g} s", time(0), time(result.rows() - 1));
    const std::optional<Checkpoint> checkpoint = result.checkpoint();
    if (checkpoint && outcome != "done") print_output(", resumes at t = {:.6g} s", checkpoint->state.t);
    Summary summary;
    constexpr std::int64_t kBlock = 100000;  // [-] rows read at a time
    for (std::int64_t first = 1; first < result.steps(); first += kBlock) {
      summary.add(result.read_steps(first, std::min(kBlock, result.steps() - first)));
    }
    summary.limits = result.limits();
    print_output("\n{}", describe(summary));
    const std::string losses = describe_losses(result, outcome != "running");
    if (!losses.empty()) throw InputError({path_}, "", "", losses);
  }
  if (verify_) verify(path_);
  if (!live) clear_old_mark(path_);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> add_info_command(CLI::App& program) {
  return std::make_unique<InfoCommand>(program);
}

}  // namespace stickslip
