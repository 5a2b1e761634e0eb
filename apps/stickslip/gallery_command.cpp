// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/report/child_process.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// Starts the Python program in apps/gallery, in this one's place.
class GalleryCommand final : public Command {
 public:
  explicit GalleryCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand(
        "gallery", "Run published studies again, as pages: each figure's data, each number beside ours");
    command->add_option("names", names_, "which ones (default: all that there are)")->type_name("NAME");
    command->add_option("-o,--output", output_, "the folder to write to, one folder in it for each")
        ->type_name("DIR")
        ->required();
    command->add_flag("--quiet", quiet_, "print errors only");
    command->add_flag("--force", force_, "write over tables and figures that are there, and files that are no results");
    command->add_option("--galleries", folder_, "a folder of galleries, one folder each (default: those that ship)")
        ->type_name("FOLDER");
    command->footer(fmt::format("Known: {}. Needs python3 with numpy and h5py.", fmt::join(shipped_names(), ", ")));
  }
  int execute() override;

 private:
  static std::vector<std::string> shipped_names();

  std::vector<std::string> names_;
  std::string folder_;
  std::string output_;
  bool quiet_ = false;
  bool force_ = false;
};

/// For the help, which is there without them, too.
std::vector<std::string> GalleryCommand::shipped_names() {
  std::vector<std::string> names;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(find_shipped_galleries())) {
      if (fs::exists(entry.path() / "gallery.toml")) names.push_back(entry.path().filename().string());
    }
  } catch (const InputError&) {
  }
  std::ranges::sort(names);
  return names;
}

/// A Python that has what the gallery imports: the system's, the first of the path. Throws InputError.
std::string find_gallery_python() {
  constexpr const char* kLooks =
      "import importlib.util, sys\n"
      "sys.exit(not all(map(importlib.util.find_spec, ('tomllib', 'numpy', 'h5py'))))";
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("STICKSLIP_PYTHON"); chosen != nullptr) candidates = {chosen};
  for (const std::string& python : candidates) {
    if (run_program({python, "-I", "-c", kLooks}) == 0) return python;
  }
  throw InputError(fmt::format(
      "gallery: needs Python 3.11 or later with numpy and h5py, which {} {}; to install them: sudo apt-get install "
      "python3 python3-numpy python3-h5py (elsewhere: pip install numpy h5py)",
      fmt::join(candidates, " and "), candidates.size() > 1 ? "do not have" : "does not have"));
}

int GalleryCommand::execute() {
  const fs::path folder = folder_.empty() ? find_shipped_galleries() : fs::path(folder_);
  // -I: nothing of the current folder or the user's is imported; -B: nothing is written beside the program.
  std::vector<std::string> arguments = {find_gallery_python(),
                                        "-I",
                                        "-B",
                                        "-Xutf8",
                                        find_shipped_gallery_program().string(),
                                        "--program=" + fs::read_symlink("/proc/self/exe").string(),
                                        "--scenes=" + find_shipped_scenes().string(),
                                        "--pages=" + find_shipped_pages().string(),
                                        "--galleries=" + folder.string(),
                                        "--output=" + output_};
  if (quiet_) arguments.emplace_back("--quiet");
  if (force_) arguments.emplace_back("--force");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), names_.begin(), names_.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(argv[0], argv.data());
  throw InputError(fmt::format("gallery: {} cannot be started", arguments[0]));
}

}  // namespace

std::unique_ptr<Command> add_gallery_command(CLI::App& program) {
  return std::make_unique<GalleryCommand>(program);
}

}  // namespace stickslip
