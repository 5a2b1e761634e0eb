// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A text as JSON, quotation marks included, that may stand inside an HTML element: no '<', '>' or '&' is left in it.
/// What is not UTF-8 becomes U+FFFD.
std::string to_json(std::string_view text);
/// A number as JSON; null where it is not finite, which JSON cannot say.
std::string to_json(double value);
std::string to_json(const std::vector<std::string>& texts);
std::string to_json(std::span<const double> values);

}  // namespace stickslip
