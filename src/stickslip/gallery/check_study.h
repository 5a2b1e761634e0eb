// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stickslip/gallery/study.h"

namespace stickslip {

/// Whether a run's name is meant by a pattern: the name, or with one '*' for any characters.
bool matches_pattern(std::string_view name, std::string_view pattern);

/// What can be known of a study's formulas without running it: every name, function, run and file of numbers is there,
/// and no series needs itself. Throws InputError at the formula.
void check_study(const Study& study);

}  // namespace stickslip
