// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/relaxation/explicit_forces.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {
namespace {

constexpr double kHalfDisc = 2.6;  // [-] within the region of stability of rk4, on the left of the imaginary axis

}  // namespace

double most_explicit(const RelaxationOptions& options) {
  if (options.controls_errors()) return std::numeric_limits<double>::infinity();
  const bool is_rk4 = options.form == RelaxationForm::ode && options.integrator == RelaxationIntegrator::rk4;
  return is_rk4 ? kHalfDisc : 2.0;  // of u' = u - h lambda u, and of q' = q + h u', u' = u - h lambda^2 q
}

void RelaxationOptions::check() const {
  if (!(delta > 0.0 && std::isfinite(delta))) {
    throw InputError({}, "scheme.delta", std::to_string(delta), "a number > 0 [s]");
  }
  if (!(zeta >= 0.0 && std::isfinite(zeta))) {
    throw InputError({}, "scheme.zeta", std::to_string(zeta), "a number >= 0");
  }
  if (model == RelaxationModel::penalty) {
    for (const auto& [name, value] : {std::pair("scheme.stiffness", stiffness), std::pair("scheme.damping", damping)}) {
      if (!(value > 0.0 && std::isfinite(value))) throw InputError({}, name, std::to_string(value), "a number > 0");
    }
    if (form == RelaxationForm::implicit) {
      throw InputError({}, "scheme.model", "penalty", "baumgarte with form = \"implicit\"");
    }
  }
  if (controls_errors()) {
    require_sundials(kRelaxationIntegratorNames[static_cast<std::size_t>(integrator)], "rk4 or symplectic-euler");
  }
  if (!(relative_tolerance >= 1e-14 && relative_tolerance <= 1e-3)) {
    throw InputError({}, "scheme.relative_tolerance", std::to_string(relative_tolerance), "1e-14 to 1e-3");
  }
  if (!(absolute_tolerance > 0.0 && absolute_tolerance <= 1e-3)) {
    throw InputError({}, "scheme.absolute_tolerance", std::to_string(absolute_tolerance), "above 0, at most 1e-3");
  }
  if (facets < 3) throw InputError({}, "scheme.facets", std::to_string(facets), "at least 3");
  if (!std::isfinite(orientation)) {
    throw InputError({}, "scheme.orientation", std::to_string(orientation), "finite [rad]");
  }
}

double RelaxationOptions::longest_step() const {
  return model == RelaxationModel::penalty ? std::numeric_limits<double>::infinity() : longest_step_of_joints();
}

double RelaxationOptions::longest_step_of_joints() const {
  if (form == RelaxationForm::implicit || controls_errors()) return std::numeric_limits<double>::infinity();
  if (integrator == RelaxationIntegrator::rk4) return kHalfDisc * delta / std::max(1.0, 2.0 * zeta);
  const double of_position = 2.0 * (std::sqrt(zeta * zeta + 1.0) - zeta);
  return delta * (zeta > 0.0 ? std::min(1.0 / zeta, of_position) : of_position);
}

}  // namespace stickslip
