// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "commands.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_file.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/report.h"

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
    command->add_flag("--quiet", quiet_, "print errors only");
    command->add_flag("--force", force_, "write over a file that is no page of this program");
  }
  int execute() override;

 private:
  std::vector<std::string> results_;
  std::string output_;
  double max_size_ = kMaxReportBytes / 1e6;  // [MB]
  bool quiet_ = false;
  bool force_ = false;
};

int ReportCommand::execute() {
  if (!(max_size_ > 0.0)) {
    throw InputError(fmt::format("--max-size: {}: a size in MB, greater than 0", max_size_));
  }
  const std::filesystem::path output = output_.empty()
                                           ? std::filesystem::path(results_.front()).replace_extension(".html")
                                           : std::filesystem::path(output_);
  if (!force_ && !is_report(output)) check_replaceable(output, MayReplace::nothing);
  const std::string page = make_report({results_.begin(), results_.end()}, 1e6 * max_size_);
  check_room(output, static_cast<double>(page.size()));
  NewFile file(output);
  std::ofstream stream(file.temporary_path(), std::ios::binary);
  stream << page;
  stream.close();
  if (!stream) throw WriteError(fmt::format("{}: cannot be written", output.string()));
  file.publish();
  if (!quiet_) fmt::print("{}: {}\n", output.string(), describe_bytes(static_cast<double>(page.size())));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> add_report_command(CLI::App& program) {
  return std::make_unique<ReportCommand>(program);
}

}  // namespace stickslip
