// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace stickslip {

/// Goes on as a program in Python: the file or folder `program`, with these arguments. The system's Python does it, or
/// else the path's first, or that of the environment's STICKSLIP_PYTHON; of version 3.11 or later, with these modules.
/// Throws InputError where there is none, which says for what it is needed and how to install it.
[[noreturn]] void become_python(const std::string& purpose, const std::vector<std::string>& modules,
                                const std::string& program, const std::vector<std::string>& arguments);

}  // namespace stickslip
