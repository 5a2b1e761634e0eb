// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {

// A linear complementarity problem w = M z + q, 0 <= w perpendicular to z >= 0, as text: n, then M by rows, then q,
// separated by blanks and line ends however one likes. Nothing is allocated for more numbers than the text can hold.

/// Reads the text; messages call it `file`. Throws InputError with line and column.
LcpForm parse_lcp(std::string_view text, const std::string& file);
/// Reads a file. Throws InputError.
LcpForm read_lcp(const std::filesystem::path& path);
/// Writes a problem, numbers in full. Throws as write_lcp_solution().
void write_lcp(const std::filesystem::path& path, const LcpForm& form);
/// Writes a solution: n, then z. Throws InputError where path cannot be a file, WriteError.
void write_lcp_solution(const std::filesystem::path& path, std::span<const double> z);

}  // namespace stickslip
