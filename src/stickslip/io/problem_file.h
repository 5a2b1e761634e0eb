// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

/// Reads a one-step problem: an FCLIB file where the file is HDF5, else the text of an LCP. Throws InputError.
OneStepProblem read_problem(const std::filesystem::path& path);

}  // namespace stickslip
