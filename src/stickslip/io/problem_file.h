// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

/// Reads a one-step problem: an FCLIB file where the file is HDF5, else the text of an LCP. Throws InputError.
OneStepProblem read_problem(const std::filesystem::path& path);

/// Writes <folder>/<stem>.hdf5, the problem with its solution, or <folder>/<stem>.txt, the solution of an LCP. Throws
/// InputError, WriteError.
void write_solved_problem(const std::filesystem::path& folder, const std::string& stem, const OneStepProblem& problem,
                          const ConeSolution& solution);

}  // namespace stickslip
