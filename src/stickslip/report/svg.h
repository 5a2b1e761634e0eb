// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// The program in Python that draws the plots: plots.py, as it stands beside this file.
std::string_view plots_script();

struct PlotOptions {
  std::string format = "svg";  // or "pdf"
  /// Names of plots and paths of datasets, "/q/2", "/contacts/gap/ball-ground": these alone. Empty: all plots.
  std::vector<std::string> signals = {};
  bool force = false;
  bool quiet = false;
};

/// Writes each plot that a result has data for as FOLDER/NAME.svg or .pdf; the folder is made where there is none.
/// Plots that were written so before are written over, other files where `force` says so. Names are printed unless
/// `quiet`. Draws by the first Python, of the system's and the path's, that has h5py and matplotlib, or by the
/// environment's STICKSLIP_PYTHON. Throws InputError where the result cannot be read or drawn, or there is no such
/// Python: it says what to install; WriteError.
void write_plots(const std::filesystem::path& result, const std::filesystem::path& folder, const PlotOptions& options);

}  // namespace stickslip
