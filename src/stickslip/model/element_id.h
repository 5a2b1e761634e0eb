// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>

namespace stickslip {

/// The name of a contact, a joint or a dry friction element, the same from step to step and from run to run. Ordered:
/// named contacts, named ones whose points vary, detected ones, joints, dry friction.
///
/// Of a contact: a pair, and which features of its two sides touch.
struct ElementId {
  // The index of a named contact's pair, of a joint or of a dry friction element, with the bit of its kind; of a
  // detected contact the numbers of its shapes, surface << 30 | ball or first << 30 | second, with kDetectedBit; of a
  // named pair whose points vary, the index of its two shapes in System::manifold_pairs() with kVaryingBit.
  std::uint64_t pair = 0;
  // Named contacts: which point of the pair. Detected ones: which feature of the surface's shape << 32 | of the ball's.
  std::uint64_t feature = 0;
  auto operator<=>(const ElementId&) const = default;
};

inline constexpr std::uint64_t kVaryingBit = std::uint64_t{1} << 60;
inline constexpr std::uint64_t kDetectedBit = std::uint64_t{1} << 61;
inline constexpr std::uint64_t kJointBit = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kDryFrictionBit = std::uint64_t{1} << 63;

}  // namespace stickslip
