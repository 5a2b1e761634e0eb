// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "progress_line.h"
#include "stickslip/base/input_error.h"
#include "stickslip/gallery/run_gallery.h"
#include "stickslip/gallery/site.h"
#include "stickslip/gallery/tables.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/report/report.h"
#include "terminal.h"

namespace stickslip {
namespace {

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
    command->footer(fmt::format("Known: {}.", fmt::join(shipped_names(), ", ")));
  }
  int execute() override;

 private:
  /// For the help, which is there without them, too.
  static std::vector<std::string> shipped_names() {
    try {
      return gallery_names(find_shipped_galleries());
    } catch (const InputError&) {
      return {};
    }
  }

  std::vector<std::string> names_;
  std::string folder_;
  std::string output_;
  bool quiet_ = false;
  bool force_ = false;
};

int GalleryCommand::execute() {
  GalleryOptions options;
  options.scenes = find_shipped_scenes();
  options.stop = &stop_requested;
  ProgressLine line(quiet_);
  options.progress = [&line](const std::string& run, const Progress& progress) {
    line.set_title(run);
    line.show(progress);
  };
  const std::filesystem::path folder = folder_.empty() ? find_shipped_galleries() : std::filesystem::path(folder_);
  if (names_.empty()) names_ = gallery_names(folder);
  if (names_.empty()) throw InputError({}, "--galleries", folder.string(), "a folder of folders with a gallery.toml");
  std::vector<Gallery> galleries;  // all are known before the first one runs
  for (const std::string& name : names_) galleries.push_back(load_gallery(folder, name));
  for (const Gallery& gallery : galleries) check_gallery_scenes(gallery, options.scenes);
  if (!force_) {
    for (const Gallery& gallery : galleries) {
      check_gallery_folder(gallery, std::filesystem::path(output_) / gallery.name);
    }
  }
  const std::filesystem::path index = std::filesystem::path(output_) / "index.html";
  if (!force_ && !is_report(index)) check_replaceable(index, MayReplace::nothing);
  int status = kDone;
  keep_work_on_signals();
  std::vector<GalleryRecord> records;
  for (const Gallery& gallery : galleries) {
    options.output = std::filesystem::path(output_) / gallery.name;
    records.push_back(run_gallery(gallery, options));
    const GalleryRecord& record = records.back();
    line.clear();
    if (record.outcome == Outcome::interrupted) {
      print_error("interrupted; results of the runs so far: {}; to run it again: --force\n",
                  (options.output / "results").string());
      return kInterrupted;
    }
    if (!quiet_) print_output("{}tables and figures: {}\n", to_text(record), options.output.string());
    // A failed step weighs more than inexact ones.
    const int own = exit_status(record.outcome);
    if (status != kStepFailed && own != kDone) status = own;
    const int unexplained = record.count_unexplained();
    if (unexplained == 0) continue;
    if (status == kDone) status = kInexact;
    print_error("{}: {} number{} more than by what is explained: see {}\n", record.name, unexplained,
                unexplained == 1 ? " differs" : "s differ", (options.output / "table.csv").string());
  }
  write_text(index, make_index_page(records));
  if (!quiet_) print_output("open in a browser: {}\n", std::filesystem::absolute(index).string());
  if (quiet_ && status != kDone) print_error("not all runs went well: see {}\n", output_);
  return status;
}

}  // namespace

std::unique_ptr<Command> add_gallery_command(CLI::App& program) {
  return std::make_unique<GalleryCommand>(program);
}

}  // namespace stickslip
