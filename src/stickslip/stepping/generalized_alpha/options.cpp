// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"

namespace stickslip {

void GeneralizedAlphaOptions::check() const {
  if (!(rho_inf >= 0.0 && rho_inf <= 1.0)) throw InputError({}, "scheme.rho_inf", std::to_string(rho_inf), "in [0, 1]");
  if (!(tolerance > 0.0) || !std::isfinite(tolerance)) {
    throw InputError({}, "scheme.tolerance", std::to_string(tolerance), "> 0");
  }
  if (r && (!(*r > 0.0) || !std::isfinite(*r)))
    throw InputError({}, "scheme.r", std::to_string(*r), "\"auto\" or > 0 [kg]");
}

}  // namespace stickslip
