// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <variant>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

class Hdf5File;

// FCLIB's HDF5 files of one-step contact problems [Acary2014]: the group fclib_local or fclib_global with spacedim (2
// or 3), the matrices W, V, R or M, H, G and the vectors q, s, mu or f, w, b, mu. A matrix has m, n, nz and x, i, p:
//
//   nz = -1   by columns: p (n + 1) where each column starts, i its rows
//   nz = -2   by rows:    p (m + 1) where each row starts, i its columns
//   nz >= 0   entry by entry: nz of them, i the row and p the column (fclib.h says the opposite, its files do this)
//
// nzmax may exceed what is used and is not looked at; entries that are given twice are added. The guesses and the
// solution that a file may hold are what a simulation had before its solve: they are not read.
//
// The library libfclib is not used: it ends the program where a file is not as expected, and takes memory by what a
// header says. Here nothing is allocated by a number that the bytes in the file do not bear out, and whatever is wrong
// is an InputError: shapes that do not agree, indices out of range, numbers that are not finite, friction below zero.

/// Reads the problem of a file. Throws InputError.
OneStepProblem read_fclib(const std::filesystem::path& path);
OneStepProblem read_fclib(const Hdf5File& file);

}  // namespace stickslip
