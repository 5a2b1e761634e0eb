// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace stickslip {

/// How far ahead of where a loop over contacts is it asks for what it will need: some of what memory takes to answer,
/// the time of a few contacts.
inline constexpr std::size_t kPrefetchDistance = 16;  // [-] contacts

/// Asks for an object that a loop will need, where nothing else foretells which; for its last line where it begins with
/// one, which is measured to do as well as for it always. Changes no result.
///
/// This, and each function that only calls it, has to be inlined always: GCC takes what only prefetches for a function
/// without effects, and drops its calls.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T& object) {
  constexpr std::size_t kLine = 64;  // [bytes]
  const char* begin = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kLine) __builtin_prefetch(begin + at);
}

}  // namespace stickslip
