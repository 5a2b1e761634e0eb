// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// STICKSLIP_ASSERT states what a caller must guarantee. It is on in the debug, audit and sanitizer
/// presets (STICKSLIP_ASSERTIONS) and costs nothing in a release build. It is for programmers'
/// mistakes only: bad input is an InputError, a numerical outcome is a status in a report.
#ifdef STICKSLIP_ASSERTIONS
namespace stickslip {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}
#define STICKSLIP_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::stickslip::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define STICKSLIP_ASSERT(condition) static_cast<void>(0)
#endif
