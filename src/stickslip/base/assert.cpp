// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace stickslip {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace stickslip
