// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/ccp.h"

#include <cmath>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/half_implicit.h"

namespace stickslip {

void CcpOptions::check() const {
  if (!(correction_speed > 0.0)) {
    throw InputError({}, "scheme.correction_speed", std::to_string(correction_speed), "above 0, or inf");
  }
  if (envelope && !(*envelope >= 0.0 && std::isfinite(*envelope))) {
    throw InputError({}, "scheme.envelope", std::to_string(*envelope), "at least 0 and finite, or \"auto\"");
  }
}

std::unique_ptr<TimeStepper> make_ccp(const CcpOptions& options, const System& system, ConeSolver& solver,
                                      StopToken stop, bool eases) {
  options.check();
  HalfImplicitOptions half_implicit;
  half_implicit.name = CcpOptions::kTraits.name;
  half_implicit.law = options.law;
  half_implicit.projection = options.projection;
  half_implicit.stabilisation = options.stabilisation;
  half_implicit.correction_speed = options.correction_speed;
  half_implicit.envelope = options.envelope;
  half_implicit.eases = eases;
  return make_half_implicit(half_implicit, system, solver, stop);
}

}  // namespace stickslip
