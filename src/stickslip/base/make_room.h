// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace stickslip {

/// Makes room for n values in all; where there is less, for a sixty-fourth more than these. What grows and shrinks a
/// little from step to step soon takes no more memory, and never twice what it needs, as it may after resize() or
/// push_back().
template <class T>
void make_room(std::vector<T>& values, std::size_t n) {
  constexpr std::size_t kFew = 8;
  if (n > values.capacity()) values.reserve(n + n / 64 + kFew);
}

/// values.push_back(value).
template <class T>
void append(std::vector<T>& values, const T& value) {
  make_room(values, values.size() + 1);
  values.push_back(value);
}

}  // namespace stickslip
