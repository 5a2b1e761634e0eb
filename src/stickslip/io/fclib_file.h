// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>
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

/// The attribute of "/" that names the law of a problem: "coulomb" (which FCLIB means, and a file without it) or
/// "associated". Our files have it.
inline constexpr const char* kLawAttribute = "law";
std::string_view law_name(FrictionLaw law);
/// A dataset of one number, ConeProblem::floor [m/s], if the scheme of a recorded step knows the round-off in its
/// velocities. (velocity_scale, which files of earlier versions can have, is not read.)
inline constexpr const char* kFloorDataset = "/floor";

/// Reads the problem of a file, its law and floor. Throws InputError.
OneStepProblem read_fclib(const std::filesystem::path& path);
OneStepProblem read_fclib(const Hdf5File& file);

/// Writes a problem, and its solution if there is one: /solution with r (n) [N s], u (n) [m/s], of a global form v
/// (n_v), of bilateral rows l (m). Matrices go by rows. A cone problem that FCLIB cannot express (several friction
/// blocks, polygons, balls of constant radius, stretches, contacts of different dimensions) is written in the same
/// manner as the group stickslip_cones: W, the vector b, and the tables cones (kind, dim, n_blocks), radius, blocks
/// (dim, facets) and mu, orientation of the blocks; and, where there are stretches, of each its first row, dim, tau and
/// direction (dim numbers, one stretch after the other). Throws InputError where path cannot be a file, WriteError.
void write_fclib(const std::filesystem::path& path, const OneStepProblem& problem, const ConeSolution* solution);

}  // namespace stickslip
