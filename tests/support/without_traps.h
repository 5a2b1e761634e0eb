// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfenv>

namespace stickslip::test {

/// Tests run with floating-point traps. These are off during the life of this object, for what must overflow or yield
/// a NaN.
class WithoutTraps {
 public:
  WithoutTraps() { std::feholdexcept(&environment_); }
  WithoutTraps(const WithoutTraps&) = delete;
  WithoutTraps& operator=(const WithoutTraps&) = delete;
  ~WithoutTraps() { std::fesetenv(&environment_); }

 private:
  std::fenv_t environment_;
};

}  // namespace stickslip::test
