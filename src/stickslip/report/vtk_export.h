// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "stickslip/base/stop_token.h"

namespace stickslip {

/// Writes the rows of a result into a folder as files of VTK's XML format, for ParaView and others (docs/results.md),
/// in place of those of an earlier call. The lists of frames come last. Throws InputError where the result cannot be
/// drawn or the folder cannot be one, WriteError, Interrupted.
void export_vtk(const std::filesystem::path& result, const std::filesystem::path& folder, const StopToken& stop);

/// Throws InputError where `folder` is something else, WriteError where it cannot be made. Unless `force`: InputError
/// where it holds what would be written over and is not this program's, too.
void check_vtk_folder(const std::filesystem::path& folder, bool force);

}  // namespace stickslip
