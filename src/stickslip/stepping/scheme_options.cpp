// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/scheme_options.h"

namespace stickslip {

std::unique_ptr<TimeStepper> make_stepper(const SchemeOptions& options, const System& system, ConeSolver& solver,
                                          StopToken stop) {
  struct Make {
    const System& system;
    ConeSolver& solver;
    StopToken stop;
    std::unique_ptr<TimeStepper> operator()(const MoreauOptions& o) const {
      return make_moreau(o, system, solver, stop);
    }
    std::unique_ptr<TimeStepper> operator()(const GeneralizedAlphaOptions& o) const {
      return make_generalized_alpha(o, system, solver, stop);
    }
  };
  return std::visit(Make{system, solver, stop}, options);
}

bool has_automatic_steps(const SchemeOptions& options) {
  return std::holds_alternative<GeneralizedAlphaOptions>(options);
}

}  // namespace stickslip
