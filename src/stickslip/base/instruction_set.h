// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace stickslip {

/// Sets of vector instructions for which kernels are compiled. Results have the same bits with each.
enum class InstructionSet { sse2 = 0, avx2 = 1, avx512 = 2 };

std::string_view instruction_set_name(InstructionSet set);
/// The best that this machine has, or the one that the environment variable STICKSLIP_ISA names; throws InputError
/// where that is unknown or the machine lacks it.
InstructionSet choose_instruction_set();

}  // namespace stickslip
