// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

constexpr std::array<std::string_view, 3> kInstructionSets = {"sse2", "avx2", "avx512"};
constexpr const char* kVariable = "STICKSLIP_ISA";

bool has_instruction_set(InstructionSet set) {
#if defined(__x86_64__)
  switch (set) {
    case InstructionSet::sse2:
      return true;
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return set == InstructionSet::sse2;  // elsewhere the compiler's own vectors of two numbers
}

}  // namespace

std::string_view instruction_set_name(InstructionSet set) {
  return kInstructionSets[static_cast<std::size_t>(set)];
}

InstructionSet choose_instruction_set() {
  const char* asked = std::getenv(kVariable);
  if (asked == nullptr || *asked == '\0') {
    for (const auto set : {InstructionSet::avx512, InstructionSet::avx2}) {
      if (has_instruction_set(set)) return set;
    }
    return InstructionSet::sse2;
  }
  const auto found = std::ranges::find(kInstructionSets, std::string_view(asked));
  if (found == kInstructionSets.end()) {
    throw InputError({}, kVariable, asked, fmt::format("one of {} is needed", fmt::join(kInstructionSets, ", ")));
  }
  const auto set = static_cast<InstructionSet>(found - kInstructionSets.begin());
  if (!has_instruction_set(set)) throw InputError({}, kVariable, asked, "this machine does not have it");
  return set;
}

}  // namespace stickslip
