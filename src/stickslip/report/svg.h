// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

namespace stickslip {

/// The program in Python that draws the plots: plots.py, as it stands beside this file.
std::string_view plots_script();

/// Writes each plot that a result has data for as FOLDER/NAME.svg; the folder is made where there is none. Plots that
/// were written so before are written over, other files where `force` says so. Names are printed unless `quiet`. Draws
/// by the first Python, of the system's and the path's, that has h5py and matplotlib, or by the environment's
/// STICKSLIP_PYTHON. Throws InputError where the result cannot be read or drawn, or there is no such Python: it says
/// what to install; WriteError.
void write_svg(const std::filesystem::path& result, const std::filesystem::path& folder, bool force, bool quiet);

}  // namespace stickslip
