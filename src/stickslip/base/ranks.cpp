// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/ranks.h"

#include <utility>

namespace stickslip {
namespace {

thread_local Ranks* current_ranks = nullptr;

}  // namespace

Ranks* Ranks::current() {
  return current_ranks;
}

Ranks::Scope::Scope(Ranks* ranks) : outer_(std::exchange(current_ranks, ranks)) {
}

Ranks::Scope::~Scope() {
  current_ranks = outer_;
}

}  // namespace stickslip
