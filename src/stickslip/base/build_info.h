// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace stickslip {

/// What this library was built from. A result file carries all three, so that it can be made again.
std::string_view version();   // "0.3.0"
std::string_view commit();    // "1a2b3c4d5e6f", or "unknown" outside a clone
std::string_view compiler();  // "GNU 12.2.0"

}  // namespace stickslip
