// SPDX-License-Identifier: BSD-3-Clause
// Linked into the tests whose code must never divide by zero, overflow or make a NaN: there such an operation stops the
// test where it happens, instead of spoiling a number far from it.
#include <cfenv>

#ifdef __GLIBC__
namespace {
[[maybe_unused]] const int kPreviousTraps = feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}  // namespace
#endif
