// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/sim/run.h"

namespace CLI {
class App;
}

namespace stickslip {

/// What the program's exit status says.
enum ExitStatus {
  kDone = 0,
  kInternalError = 1,
  kBadInput = 2,      // bad usage, bad input, or nowhere to write to
  kStepFailed = 3,    // or passed a limit that ends the run: the result holds all up to it
  kInexact = 4,       // done, but some steps stayed above the tolerance or passed a limit
  kInterrupted = 130  // by Ctrl-C (SIGINT) or SIGTERM
};

/// Set by Ctrl-C (SIGINT) and SIGTERM: drop what is being done, close what is open, and end.
extern std::atomic<bool> stop_requested;

/// From now on the signals set stop_requested. Before, while scenes and files are only read, they end the program at
/// once: there is nothing to keep, and what libraries do cannot be asked to stop.
void keep_work_on_signals();

/// One verb of the program: its options are bound to the members, execute() does the work.
class Command {
 public:
  virtual ~Command() = default;
  virtual int execute() = 0;
};

std::unique_ptr<Command> add_run_command(CLI::App& program);
std::unique_ptr<Command> add_check_command(CLI::App& program);
std::unique_ptr<Command> add_convert_command(CLI::App& program);
std::unique_ptr<Command> add_list_command(CLI::App& program);
std::unique_ptr<Command> add_info_command(CLI::App& program);
std::unique_ptr<Command> add_solve_command(CLI::App& program);
std::unique_ptr<Command> add_analyze_command(CLI::App& program);
std::unique_ptr<Command> add_gallery_command(CLI::App& program);
std::unique_ptr<Command> add_report_command(CLI::App& program);
std::unique_ptr<Command> add_compare_command(CLI::App& program);
std::unique_ptr<Command> add_sweep_command(CLI::App& program);
std::unique_ptr<Command> add_view_command(CLI::App& program);
std::unique_ptr<Command> add_verify_command(CLI::App& program);

/// `--set a=1 b=2 SCENE` reads greedily: of the settings, the one that sets nothing is the scene, where none is named.
/// Throws InputError where there is no scene then.
void separate_scene(std::vector<std::string>& settings, std::string& scene);

/// Where the scenes that ship lie: beside the installed program, or in the source folder. Throws InputError where there
/// are none.
std::filesystem::path find_shipped_scenes();
/// The same of galleries and of the pages without data.
std::filesystem::path find_shipped_galleries();
std::filesystem::path find_shipped_pages();
/// The programs in Python that run galleries and make films.
std::filesystem::path find_gallery_program();
std::filesystem::path find_film_program();
/// Where this program lies.
std::filesystem::path own_path();

}  // namespace stickslip
