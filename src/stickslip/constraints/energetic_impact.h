// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace stickslip {

/// One contact that closes with an impact, by the energetic law [Stronge2000]: along the growing normal percussion p_N
///
///   du/dp_N = W (1, -mu s),   s the direction of slip of the moment, or what keeps the contact from slipping where
///   that
///                             is within the friction set,
///
/// until the normal work of the expansion (u_N >= 0) is e^2 times what the compression (u_N < 0) took.
/// w (dim, dim) [1/kg] the Delassus block, symmetric and positive definite, the normal row first; before (dim) [m/s];
/// percussion (dim) [N s] is the result. False where p_N grows without end, as nothing opens the contact.
bool calc_energetic_impact(std::span<const double> w, double mu, double e, std::span<const double> before,
                           std::span<double> percussion);

}  // namespace stickslip
