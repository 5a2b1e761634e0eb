// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stickslip {

/// Random numbers without a state: each is a function of where it is used, so that it depends neither on the order in
/// which numbers are drawn nor on who draws them. The generator is Philox4x32-10 [Salmon2011], whose key is the seed.

/// Four words of a counter and a key of two. [Salmon2011, section 4.3]
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// The draw for a sample of a column. Columns are told apart by their names.
double draw_uniform(std::uint64_t seed, std::uint64_t sample, std::string_view column);  // in (0, 1)
double draw_normal(std::uint64_t seed, std::uint64_t sample, std::string_view column);   // mean 0, deviation 1

}  // namespace stickslip
