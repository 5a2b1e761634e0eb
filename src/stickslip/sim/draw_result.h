// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "stickslip/base/stop_token.h"

namespace stickslip {

/// The rows of a result as frames for ParaView: the files that its run would have left with
/// RunOptions::vtk. Throws InputError where the result or the folder cannot be used, WriteError, Interrupted.
void draw_result(const std::filesystem::path& result, const std::filesystem::path& folder, const StopToken& stop);

}  // namespace stickslip
