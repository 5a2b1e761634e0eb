// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/stewart_trinkle.h"

#include <cmath>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/half_implicit.h"

namespace stickslip {

void StewartTrinkleOptions::check() const {
  if (facets != 0 && facets < 3) {
    throw InputError({}, "scheme.facets", std::to_string(facets), "0 for the round cone, or at least 3");
  }
  if (!std::isfinite(orientation)) {
    throw InputError({}, "scheme.orientation", std::to_string(orientation), "finite [rad]");
  }
  if (!(correction_speed > 0.0)) {
    throw InputError({}, "scheme.correction_speed", std::to_string(correction_speed), "above 0, or inf");
  }
}

std::unique_ptr<TimeStepper> make_stewart_trinkle(const StewartTrinkleOptions& options, const System& system,
                                                  ConeSolver& solver, StopToken stop, bool eases) {
  options.check();
  HalfImplicitOptions half_implicit;
  half_implicit.name = StewartTrinkleOptions::kTraits.name;
  half_implicit.facets = options.facets;
  half_implicit.orientation = options.orientation;
  half_implicit.projection = options.projection;
  half_implicit.retries = true;
  half_implicit.correction_speed = options.correction_speed;
  half_implicit.eases = eases;
  return make_half_implicit(half_implicit, system, solver, stop);
}

}  // namespace stickslip
