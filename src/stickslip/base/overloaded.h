// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// One function object out of several, for std::visit: an alternative that none of them takes does not compile.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace stickslip
