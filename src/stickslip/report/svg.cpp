// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/new_folder.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/report/child_process.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// What plots.py ends with where Python lacks what it needs.
constexpr int kLacksBoth = 69, kLacksH5py = 70, kLacksMatplotlib = 71;

bool is_lacking(int status) {
  return status == kNoSuchProgram || (status >= kLacksBoth && status <= kLacksMatplotlib);
}

/// What is missing, of the Python that lacks least, and how to install it.
std::string describe_lack(int status, const std::string& python, const std::string& format) {
  const bool h5py = status != kLacksMatplotlib, matplotlib = status != kLacksH5py;
  const std::string modules = h5py && matplotlib ? "h5py and matplotlib" : h5py ? "h5py" : "matplotlib";
  return fmt::format("--{}: {}; to install {}: sudo apt-get install{}{}{} (elsewhere: pip install{}{})", format,
                     status == kNoSuchProgram ? fmt::format("needs Python 3 ({} is not there) with {}", python, modules)
                                              : fmt::format("{} lacks {}", python, modules),
                     h5py && matplotlib ? "them" : "it", status == kNoSuchProgram ? " python3" : "",
                     h5py ? " python3-h5py" : "", matplotlib ? " python3-matplotlib" : "", h5py ? " h5py" : "",
                     matplotlib ? " matplotlib" : "");
}

}  // namespace

void write_plots(const fs::path& result, const fs::path& folder, const PlotOptions& options) {
  const Trajectory readable(result);
  NewFolder made(folder);
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("STICKSLIP_PYTHON"); chosen != nullptr) candidates = {chosen};
  std::string lack;
  int most = 0;
  for (const std::string& python : candidates) {
    const int status = run_program({python, "-c", std::string(plots_script()), folder.string(), result.string(),
                                    options.force ? "force" : "", options.quiet ? "quiet" : "", options.format,
                                    fmt::format("{}", fmt::join(options.signals, ","))});
    if (is_lacking(status)) {
      const int has = status == kNoSuchProgram ? 0 : status;  // the more, the more it has
      if (lack.empty() || has > most) lack = describe_lack(status, python, options.format);
      most = std::max(most, has);
      continue;
    }
    if (status != 0) throw InputError({result.string()}, "", "", "was not drawn, or not all of it, as said above");
    made.keep();
    return;
  }
  throw InputError(lack);
}

}  // namespace stickslip
