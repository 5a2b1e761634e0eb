// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/svg.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/vtk_series.h"
#include "stickslip/report/child_process.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr int kLacksModules = 69;  // said by plots.py

}  // namespace

void write_svg(const fs::path& result, const fs::path& folder, bool force, bool quiet) {
  const Trajectory readable(result);
  NewFolder made(folder);
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("STICKSLIP_PYTHON"); chosen != nullptr) candidates = {chosen};
  for (const std::string& python : candidates) {
    const int status = run_program({python, "-c", std::string(plots_script()), folder.string(), result.string(),
                                    force ? "force" : "", quiet ? "quiet" : ""});
    if (status == kNoSuchProgram || status == kLacksModules) continue;
    if (status != 0) throw InputError({result.string()}, "", "", "was not drawn, or not all of it, as said above");
    made.keep();
    return;
  }
  throw InputError(
      "--svg: needs Python 3 with h5py and matplotlib; to install them: sudo apt-get install python3-h5py "
      "python3-matplotlib (elsewhere: pip install h5py matplotlib)");
}

}  // namespace stickslip
