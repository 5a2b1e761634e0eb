// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/ccp.h"
#include "stickslip/stepping/event_driven/event_driven.h"
#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"
#include "stickslip/stepping/moreau.h"
#include "stickslip/stepping/relaxation/relaxation.h"
#include "stickslip/stepping/scheme_traits.h"
#include "stickslip/stepping/stewart_trinkle.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

using SchemeOptions = std::variant<MoreauOptions, CcpOptions, StewartTrinkleOptions, GeneralizedAlphaOptions,
                                   RelaxationOptions, EventDrivenOptions>;

/// The scheme for this system. The stepper keeps references to the system and the solver, which must outlive it. Steps
/// ask `stop`.
/// eases: schemes on velocities solve many contacts to a looser tolerance (VelocityStep).
std::unique_ptr<TimeStepper> make_stepper(const SchemeOptions& options, const System& system, ConeSolver& solver,
                                          StopToken stop = {}, bool eases = false);

/// Whether it is one of those that VelocityStep is part of.
bool is_on_velocities(const SchemeOptions& options);

const SchemeTraits& scheme_traits(const SchemeOptions& options);

/// Each scheme with its default options, the default scheme first.
std::vector<SchemeOptions> all_schemes();

}  // namespace stickslip
