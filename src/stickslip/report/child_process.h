// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace stickslip {

inline constexpr int kNoSuchProgram = 127;  // exit status, as a shell has it

/// Runs a program and waits for it: its exit status, 127 where there is no such program, 128 where a signal ended it.
int run_program(std::vector<std::string> arguments);

}  // namespace stickslip
