// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace stickslip {

/// What the options of a scheme announce of it, as `static constexpr SchemeTraits kTraits`: scene files, lists and the
/// suite that every scheme must pass (tests/cross/scheme_suite_test.cpp) read it there.
struct SchemeTraits {
  std::string_view name;     // in scene files
  std::string_view meaning;  // in lists, with its sources
  int order;                 // [-] of smooth motion under constraints
  bool holds_positions;      // gaps and joints hold at the end of every step, not their velocities alone
  bool automatic_steps;      // it can choose the lengths of its steps, TimeStepper::estimates_errors()
  bool relaxed = false;      // contacts and joints give way and bounce by parameters of the scheme, within a time delta
  bool controls_errors = false;  // smooth motion is found to tolerances, whatever the length of a step
};

}  // namespace stickslip
