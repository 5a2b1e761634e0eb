// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stickslip {

/// The candidate nearest to `word` in Damerau-Levenshtein distance (optimal string alignment, ignoring case), or an
/// empty string when none is near enough to be what was meant (distance above a third of the longer length,
/// at least 2, or above half of it).
std::string nearest_name(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace stickslip
