// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.h"
#include "python.h"
#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// Goes on as the Python program in apps/gallery.
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

int GalleryCommand::execute() {
  const fs::path folder = folder_.empty() ? find_shipped_galleries() : fs::path(folder_);
  std::vector<std::string> arguments = {
      "--program=" + own_path().string(), "--scenes=" + find_shipped_scenes().string(),
      "--pages=" + find_shipped_pages().string(), "--galleries=" + folder.string(), "--output=" + output_};
  if (quiet_) arguments.emplace_back("--quiet");
  if (force_) arguments.emplace_back("--force");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), names_.begin(), names_.end());
  become_python("gallery", {"numpy", "h5py"}, find_gallery_program().string(), arguments);
}

}  // namespace

std::unique_ptr<Command> add_gallery_command(CLI::App& program) {
  return std::make_unique<GalleryCommand>(program);
}

}  // namespace stickslip
