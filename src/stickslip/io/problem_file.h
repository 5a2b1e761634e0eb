// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

/// Reads a one-step problem: an FCLIB file where the file is HDF5, else the text of an LCP. Throws InputError.
OneStepProblem read_problem(const std::filesystem::path& path);

/// <folder>/<stem>.hdf5, or <folder>/<stem>.txt where the problem is an LCP.
std::filesystem::path solved_problem_path(const std::filesystem::path& folder, const std::string& stem,
                                          const OneStepProblem& problem);
/// Writes there the problem with its solution, or the solution of an LCP. Throws InputError, WriteError.
void write_solved_problem(const std::filesystem::path& folder, const std::string& stem, const OneStepProblem& problem,
                          const ConeSolution& solution);

}  // namespace stickslip
