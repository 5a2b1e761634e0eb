// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/relaxation/relaxation.h"

namespace stickslip {

/// Up to which h lambda, lambda the rate of springs, dampers and beams, a step is stable, as all of these are explicit;
/// infinite for the integrators of SUNDIALS, which choose steps of their own. [-]
double most_explicit(const RelaxationOptions& options);

}  // namespace stickslip
