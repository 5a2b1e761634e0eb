// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "commands.h"
#include "python.h"
#include "run_arguments.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/new_folder.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/report/report.h"
#include "stickslip/report/svg.h"
#include "stickslip/report/vtk_export.h"
#include "terminal.h"

namespace stickslip {
namespace {

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand(
        "report", "Make one page of results: the motion in space, plots, the certificate; opens in any browser");
    command->add_option("results", results_, "result files, the first of which is shown moving")
        ->type_name("RESULT.h5")
        ->required();
    command->add_option("-o,--output", output_, "the page to write (default: the first result's name with .html)")
        ->type_name("FILE.html");
    command
        ->add_option("--max-size", max_size_, "the most that the page may take, in MB; of more, fewer rows are shown")
        ->type_name("MB")
        ->capture_default_str();
    command
        ->add_option("--svg", svg_,
                     "instead of a page, write each plot as a picture into this folder (of several results into one "
                     "for each in it); needs python3-h5py and python3-matplotlib")
        ->type_name("DIR");
    command->add_option("--pdf", pdf_, "the same as PDF")->type_name("DIR");
    command
        ->add_option("--signals", signals_,
                     "of --svg and --pdf these plots alone, and datasets by their paths: forces,/steps/iterations,"
                     "/contacts/gap/NAME,/bodies/position/NAME/2")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,NAME");
    command
        ->add_option("--vtk", vtk_,
                     "instead of a page, write one result's rows for ParaView into this folder, as run --vtk does")
        ->type_name("DIR");
    command
        ->add_option("--video", video_,
                     "instead of a page, write one result's motion as a film; needs chromium-headless-shell and ffmpeg")
        ->type_name("FILE.mp4|webm|gif");
    command
        ->add_option("--speed", speed_,
                     "how fast a film goes, 1: as fast as it is (default: that, or slower where it took under 4 s)")
        ->type_name("X");
    command->add_flag("--quiet", quiet_, "print errors only");
    command->add_flag("--force", force_, "write over files that are no page or plot of this program");
  }
  int execute() override;

 private:
  int draw_plots() const;
  void check_inputs(const std::string& output) const;
  int write_frames() const;
  [[noreturn]] void write_film() const;

  std::vector<std::string> results_;
  std::string output_;
  std::string svg_;
  std::string pdf_;
  std::vector<std::string> signals_;
  std::string vtk_;
  std::string video_;
  double speed_ = 0.0;                       // [-] 0: its own
  double max_size_ = kMaxReportBytes / 1e6;  // [MB]
  bool quiet_ = false;
  bool force_ = false;
};

/// Refuses to write over what is read, which --force does not mean.
void ReportCommand::check_inputs(const std::string& output) const {
  std::error_code error;
  for (const std::string& result : results_) {
    if (std::filesystem::equivalent(output, result, error)) throw InputError({output}, "", "", "is a result to read");
  }
}

int ReportCommand::draw_plots() const {
  namespace fs = std::filesystem;
  std::set<std::string> folders;
  for (const std::string& result : results_) {
    if (folders.insert(fs::path(result).stem().string()).second) continue;
    throw InputError({result}, "", "", "two results of one name would be drawn into one folder");
  }
  const fs::path all = svg_.empty() ? pdf_ : svg_;
  const PlotOptions options = {svg_.empty() ? "pdf" : "svg", signals_, force_, quiet_};
  NewFolder folder(all);
  for (const std::string& result : results_) {
    const fs::path own = results_.size() > 1 ? all / fs::path(result).stem() : all;
    write_plots(result, own, options);
  }
  folder.keep();
  return kDone;
}

int ReportCommand::write_frames() const {
  if (results_.size() > 1) throw InputError("--vtk: of one result");
  check_vtk_folder(vtk_, force_);
  const int status = write_frames_of(results_.front(), vtk_);
  if (status == kDone && !quiet_) print_output("{}\n", vtk_);
  return status;
}

void ReportCommand::write_film() const {
  if (results_.size() > 1) throw InputError("--video: of one result");
  check_inputs(video_);
  if (!force_) check_replaceable(video_, MayReplace::nothing);
  const std::vector<double> times = Trajectory(results_.front()).file().read_numbers("/time");
  const double begin = times.empty() ? 0.0 : times.front(), duration = times.empty() ? 0.0 : times.back() - begin;
  std::vector<std::string> arguments = {"--program=" + own_path().string(), fmt::format("--begin={}", begin),
                                        fmt::format("--duration={}", duration), fmt::format("--speed={}", speed_)};
  if (quiet_) arguments.emplace_back("--quiet");
  arguments.insert(arguments.end(), {"--", results_.front(), video_});
  become_python("--video", {}, find_film_program().string(), arguments);
}

int ReportCommand::execute() {
  const auto n_forms =
      std::ranges::count(std::array{output_.empty(), svg_.empty(), pdf_.empty(), vtk_.empty(), video_.empty()}, false);
  if (n_forms > 1) throw InputError("--output, --svg, --pdf, --vtk, --video: one of them");
  if (!signals_.empty() && svg_.empty() && pdf_.empty()) throw InputError("--signals: of --svg and --pdf");
  if (speed_ != 0.0 && (video_.empty() || !(speed_ > 0.0))) {
    throw InputError(fmt::format("--speed: {}: of --video, greater than 0", speed_));
  }
  if (!video_.empty()) write_film();
  if (!svg_.empty() || !pdf_.empty()) return draw_plots();
  if (!vtk_.empty()) return write_frames();
  if (!(max_size_ > 0.0)) {
    throw InputError(fmt::format("--max-size: {}: a size in MB, greater than 0", max_size_));
  }
  const std::filesystem::path output = output_.empty()
                                           ? std::filesystem::path(results_.front()).replace_extension(".html")
                                           : std::filesystem::path(output_);
  check_inputs(output.string());
  if (!force_ && !is_report(output)) check_replaceable(output, MayReplace::nothing);
  const std::string page = make_report({results_.begin(), results_.end()}, 1e6 * max_size_);
  check_room(output, static_cast<double>(page.size()));
  write_text(output, page);
  if (!quiet_ && !is_standard_output(output.string())) {
    print_output("{}: {}\n", output.string(), describe_bytes(static_cast<double>(page.size())));
  }
  return kDone;
}

}  // namespace

std::unique_ptr<Command> add_report_command(CLI::App& program) {
  return std::make_unique<ReportCommand>(program);
}

}  // namespace stickslip
