// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace stickslip {
namespace {

int edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const std::size_t n = b.size();
  std::vector<int> before_previous(n + 1);
  std::vector<int> previous(n + 1);
  std::vector<int> current(n + 1);
  for (std::size_t j = 0; j <= n; ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const int substitution = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + substitution});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[n];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    const int longer = static_cast<int>(std::max(word.size(), candidate.size()));
    if (distance <= std::min(std::max(2, longer / 3), longer / 2) && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace stickslip
