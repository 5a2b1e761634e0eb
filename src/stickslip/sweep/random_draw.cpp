// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/random_draw.h"

#include "stickslip/io/checksum.h"
#include "stickslip/math/normal_number.h"

namespace stickslip {
namespace {

std::array<std::uint32_t, 2> words_of(std::uint64_t x) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)};
}

/// Two independent numbers in (0, 1), halves between multiples of 2^-52.
std::array<double, 2> draw_pair(std::uint64_t seed, std::uint64_t sample, std::string_view column) {
  const auto [s0, s1] = words_of(sample);
  const auto [c0, c1] = words_of(checksum_of(column));
  const std::array<std::uint32_t, 4> random = philox4x32({s0, s1, c0, c1}, words_of(seed));
  const auto unit = [](std::uint32_t low, std::uint32_t high) {
    const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;  // 52: with the half they fit a double
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  };
  return {unit(random[0], random[1]), unit(random[2], random[3])};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < kRounds; ++round) {
    const auto [low0, high0] = words_of(kMultiplier0 * counter[0]);
    const auto [low1, high1] = words_of(kMultiplier1 * counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

double draw_uniform(std::uint64_t seed, std::uint64_t sample, std::string_view column) {
  return draw_pair(seed, sample, column)[0];
}

double draw_normal(std::uint64_t seed, std::uint64_t sample, std::string_view column) {
  const auto [share, turn] = draw_pair(seed, sample, column);
  return make_normal_number(share, turn);
}

}  // namespace stickslip
