// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/pile/pile.h"

namespace stickslip {

struct BesidePsorOptions {
  int steps = 200;  // [-] of 1 ms
  int threads = 1;  // [-] of ours
  int sweeps = 50;  // [-] of the imitation
};

/// Prints the heads of the table.
void print_beside_psor_head();
/// A run of a pile with nothing set that has a default, as `stickslip run` does it, output included, beside as many
/// steps of PsorPile from the same state: two lines of the table.
void print_beside_psor(const SpherePile& pile, const BesidePsorOptions& options);

}  // namespace stickslip
